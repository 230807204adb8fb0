// The board and the scheduler of the variant `unified`: admission, place, settle, departures.

import { leastBy, makeShapes, Plans, slotWidth } from "./shapes.mjs";

/** An event that ends the run, or a bad setting: exit status 2. */
export class BadInput extends Error {}

/** The nodes of one shape: a binary heap of node numbers, from which stale entries are dropped late. */
class Lowest {
  constructor(holds) {
    this.holds = holds; // node -> has it this shape now?
    this.heap = [];
  }

  add(node, live) {
    if (this.heap.length > 2 * live + 64) { // mostly stale or double
      this.heap = [...new Set(this.heap)].filter(this.holds).sort((a, b) => a - b);
    }
    const heap = this.heap;
    let k = heap.length;
    heap.push(node);
    for (let above; k > 0 && heap[(above = (k - 1) >> 1)] > node; k = above) heap[k] = heap[above];
    heap[k] = node;
  }

  /** The lowest node other than `beside`; undefined if there is none. */
  find(beside, live) {
    let putBack = false;
    while (this.heap.length > 0 && (this.heap[0] === beside || !this.holds(this.heap[0]))) {
      if (this.heap[0] === beside) putBack = true;
      this.drop();
    }
    const found = this.heap[0];
    if (putBack && this.holds(beside)) this.add(beside, live);
    return found;
  }

  drop() {
    const heap = this.heap;
    const last = heap.pop();
    if (heap.length === 0) return;
    let k = 0;
    for (let below = 1; below < heap.length; below = 2 * k + 1) {
      if (below + 1 < heap.length && heap[below + 1] < heap[below]) below++;
      if (heap[below] >= last) break;
      heap[k] = heap[below];
      k = below;
    }
    heap[k] = last;
  }
}

/** Nodes with their shapes and instances, and the sums over all nodes. */
class Board {
  constructor(nodes, shapes) {
    this.empty = shapes[0];
    this.shape = []; // of the nodes used so far; the node numbers from shape.length on were never used
    this.list = []; // instances of each of these nodes, in the order of installation
    this.live = new Array(shapes.length).fill(0);
    this.live[0] = nodes;
    this.lowest = shapes.map((shape) => new Lowest((node) => this.shape[node] === shape));
    this.open = 0;
    this.vacancy = 0;
    this.free = 0;
    this.steps = [];
  }

  has(shape) {
    return this.live[shape.index] > 0;
  }

  nodeOf(shape, beside = -1) {
    const node = this.lowest[shape.index].find(beside, this.live[shape.index]);
    return node ?? this.shape.length; // only empty nodes are missing in the heaps
  }

  setShape(node, shape) {
    const before = this.shape[node];
    this.count(before, -1);
    this.count(shape, 1);
    this.shape[node] = shape;
    this.lowest[shape.index].add(node, this.live[shape.index]);
  }

  count(shape, by) {
    this.live[shape.index] += by;
    this.vacancy += by * shape.vacancy;
    this.free += by * shape.free;
    if (shape.open) this.open += by;
  }

  put(instance, node) {
    if (node === this.shape.length) { // used for the first time
      this.shape.push(this.empty);
      this.list.push([]);
    }
    this.list[node].push(instance);
    instance.node = node;
    this.setShape(node, this.shape[node].plus[instance.gpus]);
  }

  take(instance) {
    const { node, gpus } = instance;
    const list = this.list[node];
    list.splice(list.indexOf(instance), 1);
    this.setShape(node, this.shape[node].minus[gpus]);
  }

  install(instance, node) {
    this.put(instance, node);
    this.steps.push({ instance, node });
  }

  move(gpus, source, target) {
    const instance = this.list[source].find((each) => each.gpus === gpus);
    this.take(instance);
    this.put(instance, target);
    this.steps.push({ instance, from: source, to: target });
  }
}

const bestFit = ({ cost, plan }) => {
  const open = plan.result.filter((shape) => shape.open);
  return [cost, open.length, open.reduce((sum, shape) => sum + shape.room, 0)];
};

const leastLeft = ({ cost, plan }) => {
  const open = plan.result.filter((shape) => shape.open);
  return [cost, open.length, open.reduce((sum, shape) => sum + shape.width, 0)];
};

const openAmong = (shapes) => shapes.reduce((sum, shape) => sum + shape.kind, 0);

export class Unified {
  constructor({ nodes, openNodes, capacity, widths }) {
    Object.assign(this, { nodes, openNodes, capacity, widths });
    const shapes = makeShapes(capacity, widths);
    this.plans = new Plans(shapes);
    this.board = new Board(nodes, shapes);
    this.active = shapes.filter((shape) => shape.open);
    this.vacant = shapes.filter((shape) => shape.vacancy > 0).sort((a, b) => a.vacancy - b.vacancy || a.index - b.index);
    this.freeShapes = shapes.filter((shape) => shape.free > 0)
      .sort((a, b) => b.kind - a.kind || a.free - b.free || a.index - b.index);
    this.running = { total: 0, anchorWidth: 0 };
    this.jobs = new Map(); // job -> its instances in order
  }

  // Events. Both return the steps in true order; `arrive` null for a job that does not fit now.

  arrive(job, gpus, instances) {
    if (this.jobs.has(job)) throw new BadInput(`job ${job} is running`);
    const width = gpus === 1 ? 0 : slotWidth(gpus, this.widths);
    const own = { total: gpus * instances, anchorWidth: width * instances };
    const together = {
      total: this.running.total + own.total,
      anchorWidth: this.running.anchorWidth + own.anchorWidth,
    };
    if (!this.admits(together)) {
      if (!this.admits(own)) throw new BadInput(`job ${job} can never run`);
      return null;
    }
    this.running = together;
    this.board.steps = [];
    const all = [];
    for (let k = 0; k < instances; k++) {
      const instance = { job, name: `${job}/${k}`, gpus, node: -1 };
      all.push(instance);
      this.place(instance);
    }
    this.jobs.set(job, all);
    return this.board.steps;
  }

  depart(job) {
    const all = this.jobs.get(job);
    if (all === undefined) throw new BadInput(`job ${job} is not running`);
    this.board.steps = [];
    for (const instance of all) {
      this.board.take(instance);
      this.running.total -= instance.gpus;
      if (instance.gpus > 1) this.running.anchorWidth -= slotWidth(instance.gpus, this.widths);
      this.settle();
    }
    this.jobs.delete(job);
    return this.board.steps.filter(({ instance }) => instance.job !== job);
  }

  admits({ total, anchorWidth }) {
    return Math.max(anchorWidth, total) <= this.capacity * this.nodes;
  }

  // Place.

  place(instance) {
    const { board } = this;
    if (instance.gpus === 1) {
      board.install(instance, board.nodeOf(this.fillerHost()));
      return;
    }
    if (instance.gpus === this.capacity && board.has(board.empty)) {
      board.install(instance, board.nodeOf(board.empty));
      return;
    }
    let host = this.anchorHost(instance.gpus);
    while (host === null) {
      this.carryOut(this.mergeChoice() ?? this.exchangeChoice());
      host = this.anchorHost(instance.gpus);
    }
    this.carryOut(host, instance);
    this.settle();
  }

  fillerHost() {
    if (this.board.vacancy > 0) return this.leastVacant();
    // an open shape stays open or becomes covered, so its kind is never in the way
    const hosts = this.active.filter((shape) => this.board.has(shape) && shape.plus[1]);
    return leastBy(hosts, (shape) => [shape.room, shape.index]) ?? this.board.empty;
  }

  leastVacant() {
    return this.vacant.find((shape) => this.board.has(shape));
  }

  anchorHost(gpus) {
    const single = this.hosts().filter((shape) => shape.plus[gpus]).map((shape) => {
      const plan = { steps: [{ install: true, side: 0 }], result: [shape.plus[gpus]], moves: 0 };
      return this.hostChoice([shape], plan);
    });
    let best = this.least(single);
    if (best === null || best.cost > 0) {
      const pairs = this.planned(this.pairs(), gpus);
      best = leastBy(best === null ? pairs : [best, ...pairs], bestFit);
    }
    return best ?? this.least(this.planned(this.donorPairs(), gpus));
  }

  least(choices) {
    return leastBy(choices.filter((choice) => this.withinLimits(choice)), bestFit);
  }

  planned(pairs, gpus) {
    const choices = [];
    for (const [one, two] of pairs) {
      const plan = this.plans.plan(one, two, gpus);
      if (plan === null) continue;
      const choice = this.hostChoice([one, two], plan);
      if (this.withinLimits(choice)) choices.push(choice);
    }
    return choices;
  }

  /** A choice whose cost counts the refills that will follow. */
  hostChoice(before, plan) {
    const vacancy = plan.result.reduce((sum, shape) => sum + shape.vacancy, 0);
    const free = before.reduce((rest, shape) => rest - shape.free, this.board.free);
    return { before, plan, cost: plan.moves + Math.min(vacancy, free) };
  }

  withinLimits({ before, plan }) {
    const come = openAmong(plan.result);
    return come === 0 || this.board.open - openAmong(before) + come <= this.openNodes;
  }

  hosts() {
    const hosts = this.active.filter((shape) => this.board.has(shape));
    if (this.board.has(this.board.empty)) hosts.push(this.board.empty);
    return hosts;
  }

  pairs() {
    const hosts = this.hosts();
    const pairs = [];
    hosts.forEach((one, k) => {
      if (one !== this.board.empty && this.board.live[one.index] >= 2) pairs.push([one, one]);
      for (const two of hosts.slice(k + 1)) pairs.push([one, two]);
    });
    return pairs;
  }

  donorPairs() {
    const donors = this.freeShapes.filter((shape) => !shape.open && this.board.has(shape));
    const hosts = this.active.filter((shape) => this.board.has(shape));
    return hosts.flatMap((host) => donors.map((donor) => [host, donor]));
  }

  // Settle.

  settle() {
    const { board } = this;
    while (board.vacancy > 0 && board.free > 0) { // refill
      const donor = this.freeShapes.find((shape) => board.has(shape));
      board.move(1, board.nodeOf(donor), board.nodeOf(this.leastVacant()));
    }
    while (board.open > this.openNodes) this.carryOut(this.mergeChoice());
  }

  mergeChoice() {
    const choices = [];
    for (const before of this.pairs()) {
      const plan = this.plans.plan(before[0], before[1], 0);
      // with the kinds 0 and 1 the sorted kinds are less where fewer nodes are open
      if (plan !== null && openAmong(plan.result) < openAmong(before)) choices.push({ before, plan, cost: plan.moves });
    }
    return leastBy(choices, leastLeft);
  }

  exchangeChoice() {
    const choices = [];
    for (const before of this.donorPairs()) {
      const plan = this.plans.exchange(...before);
      if (plan !== null) choices.push({ before, plan, cost: plan.moves });
    }
    return leastBy(choices, bestFit);
  }

  carryOut({ before, plan }, arriving = null) {
    const { board } = this;
    const nodes = [board.nodeOf(before[0])];
    if (before.length === 2) nodes.push(board.nodeOf(before[1], nodes[0]));
    for (const { install, gpus, side } of plan.steps) {
      if (install) board.install(arriving, nodes[side]);
      else board.move(gpus, nodes[side], nodes[1 - side]);
    }
  }
}
