// Port of `compass run --variant unified`: events on standard input, decisions on standard output.
//   node unified.mjs --nodes N [--open-nodes M] [--capacity G] [--widths W,W,...] [--variant unified]

import { readSync, writeSync } from "node:fs";
import { parseArgs } from "node:util";
import { BadInput, Unified } from "./scheduler.mjs";

const KEYS = { arrive: ["event", "job", "gpus", "instances"], depart: ["event", "job"] };

function orBad(read) {
  try {
    return read();
  } catch (error) {
    throw new BadInput(error.message);
  }
}

function settings() {
  const text = { type: "string" };
  const options = { variant: text, nodes: text, "open-nodes": text, capacity: text, widths: text };
  const values = orBad(() => parseArgs({ options }).values);
  const number = (value) => (/^[0-9]+$/.test(value) ? Number(value) : NaN);
  const capacity = number(values.capacity ?? "8");
  const nodes = number(values.nodes);
  const openNodes = number(values["open-nodes"] ?? "1");
  if ((values.variant ?? "unified") !== "unified") throw new BadInput("only the variant unified is known");
  if (![2, 4, 8, 16].includes(capacity)) throw new BadInput("capacity must be 2, 4, 8 or 16");
  if (!(nodes >= 1 && nodes <= 10_000_000)) throw new BadInput("nodes must be 1..10000000");
  if (!(openNodes >= 1)) throw new BadInput("open nodes must be at least 1");
  const powers = [2, 4, 8, 16].filter((width) => width <= capacity);
  const widths = values.widths === undefined ? powers : values.widths.split(",").map(number);
  const chain = widths.every((width, k) => (k === 0 ? width >= 2 : width > widths[k - 1] && width % widths[k - 1] === 0));
  if (!chain || widths.at(-1) !== capacity) throw new BadInput("widths must be a divisibility chain from 2 up to the capacity");
  return { nodes, openNodes, capacity, widths };
}

/** The lines of standard input, without their ends, as soon as each is complete. */
function* lines() {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const chunk = Buffer.alloc(1 << 16);
  const decode = () => orBad(() => decoder.decode(Buffer.concat(pieces)));
  let pieces = []; // of the line that is not complete yet
  for (let size; (size = readSync(0, chunk)) > 0;) {
    let start = 0;
    for (let end; (end = chunk.subarray(0, size).indexOf(10, start)) >= 0; start = end + 1) {
      pieces.push(chunk.subarray(start, end));
      yield decode();
      pieces = [];
    }
    if (start < size) pieces.push(Buffer.from(chunk.subarray(start, size)));
  }
  if (pieces.length > 0) yield decode();
}

function isCount(value, most) {
  return Number.isInteger(value) && value >= 1 && value <= most;
}

function parseEvent(line, capacity) {
  const event = orBad(() => JSON.parse(line));
  if (event === null || typeof event !== "object" || Array.isArray(event)) throw new BadInput("not a JSON object");
  const { event: what, job, gpus, instances = 1 } = event;
  if (what !== "arrive" && what !== "depart") throw new BadInput("event must be arrive or depart");
  const unknown = Object.keys(event).find((key) => !KEYS[what].includes(key));
  if (unknown !== undefined) throw new BadInput(`unknown key ${unknown}`);
  if (typeof job !== "string" || job === "" || job.includes("/")) throw new BadInput("job must be a name without /");
  if (what === "arrive") {
    if (!isCount(gpus, capacity)) throw new BadInput(`gpus must be an integer from 1 to ${capacity}`);
    if (!isCount(instances, 1_000_000)) throw new BadInput("instances must be an integer from 1 to 1000000");
  }
  return { what, job, gpus, instances };
}

const toMove = ({ instance, from, to }) => ({ instance: instance.name, from, to });
const toPlacement = ({ instance, node }) => ({ instance: instance.name, node });
const isMove = (step) => step.from !== undefined;

function answer(scheduler, line) {
  const { what, job, gpus, instances } = parseEvent(line, scheduler.capacity);
  if (what === "depart") return { event: what, job, moves: scheduler.depart(job).map(toMove) };
  const steps = scheduler.arrive(job, gpus, instances);
  if (steps === null) return { event: what, job, admitted: false, moves: [], placements: [] };
  const moves = steps.filter(isMove);
  const placements = steps.filter((step) => !isMove(step));
  const record = { event: what, job, admitted: true, moves: moves.map(toMove), placements: placements.map(toPlacement) };
  if (steps.slice(moves.length).some(isMove)) { // not all moves come first
    const next = { move: 0, placement: 0 };
    record.order = steps.map(isMove).map((moved) => (moved ? ["move", next.move++] : ["placement", next.placement++]));
  }
  return record;
}

function write(text) {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) done += writeSync(1, bytes, done);
}

try {
  const scheduler = new Unified(settings());
  for (const line of lines()) {
    if (/[^ \t\r]/.test(line)) write(`${JSON.stringify(answer(scheduler, line))}\n`);
  }
} catch (error) {
  if (error.code === "EPIPE") process.exit(141); // the reader has gone: nobody is left to tell
  console.error(error instanceof BadInput ? error.message : error.stack);
  process.exitCode = error instanceof BadInput ? 2 : 70;
}
