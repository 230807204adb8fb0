// Geometry, shapes of nodes and the plans that settle two of them, for the variant `unified`.

/** Least slot width that holds `gpus`; a 1-GPU instance has width 1. */
export function slotWidth(gpus, widths) {
  return gpus === 1 ? 1 : widths.find((width) => width >= gpus);
}

function shapeOf(sizes, capacity, widths) {
  const anchors = sizes.filter((size) => size > 1);
  const anchorWidth = anchors.reduce((sum, size) => sum + slotWidth(size, widths), 0);
  const load = sizes.reduce((sum, size) => sum + size, 0);
  const width = Math.max(anchorWidth, load);
  const open = width > 0 && width < capacity;
  return {
    index: -1,
    sizes, // ascending
    distinct: [...new Set(sizes)].reverse(), // decreasing
    anchors: anchors.length,
    anchorWidth,
    vacancy: Math.max(0, anchorWidth - load),
    free: Math.max(0, load - anchorWidth),
    width,
    room: capacity - width,
    open,
    kind: open ? 1 : 0,
    plus: new Array(capacity + 1), // undefined where the result is no shape
    minus: new Array(capacity + 1),
  };
}

function compareSizes(one, two) {
  if (one.length !== two.length) return one.length - two.length;
  const place = one.findIndex((size, k) => size !== two[k]);
  return place < 0 ? 0 : one[place] - two[place];
}

/** All shapes, in the order of their index; the first is the empty one. */
export function makeShapes(capacity, widths) {
  const empty = shapeOf([], capacity, widths);
  const known = new Map([["", empty]]);
  for (const shape of known.values()) { // a map also visits what is added meanwhile
    for (let size = 1; size <= capacity; size++) {
      const sizes = [...shape.sizes, size].sort((a, b) => a - b);
      const key = sizes.join();
      const larger = known.get(key) ?? shapeOf(sizes, capacity, widths);
      if (larger.width > capacity) continue;
      known.set(key, larger);
      shape.plus[size] = larger;
      larger.minus[size] = shape;
    }
  }
  const shapes = [...known.values()].sort((one, two) => compareSizes(one.sizes, two.sizes));
  shapes.forEach((shape, index) => { shape.index = index; });
  return shapes;
}

function settledPair(one, two) {
  if (one.kind === two.kind && one.kind !== 0) return false;
  return !((one.vacancy > 0 || two.vacancy > 0) && (one.free > 0 || two.free > 0));
}

/** Is tuple `one` less than `two`, of the same length? */
export function less(one, two) {
  for (let k = 0; k < one.length; k++) {
    if (one[k] !== two[k]) return one[k] < two[k];
  }
  return false;
}

/** The first of the least of `items` by `key` (a tuple), null if there is none. */
export function leastBy(items, key) {
  let best = null;
  let bestKey = null;
  for (const item of items) {
    const itemKey = key(item);
    if (best === null || less(itemKey, bestKey)) {
      best = item;
      bestKey = itemKey;
    }
  }
  return best;
}

/** Shortest plans between two nodes by breadth-first search, each searched once. */
export class Plans {
  constructor(shapes) {
    this.count = shapes.length;
    this.plans = new Map();
    this.exchanges = new Map();
  }

  /** Settles the pair, installing an anchor of size `arriving` (0: none); null if there is no plan. */
  plan(first, second, arriving) {
    const key = this.key(first, second, arriving);
    let found = this.plans.get(key);
    if (found === undefined) {
      found = this.search(first, second, arriving, settledPair);
      this.plans.set(key, found);
    }
    return found;
  }

  /** Settles the pair with less anchor width on the first node, which stays open; null if there is no plan. */
  exchange(first, second) {
    const key = this.key(first, second, 0);
    let found = this.exchanges.get(key);
    if (found === undefined) {
      const goal = (one, two) => one.open && one.anchorWidth < first.anchorWidth && settledPair(one, two);
      found = this.search(first, second, 0, goal);
      this.exchanges.set(key, found);
    }
    return found;
  }

  key(one, two, waiting) {
    return (waiting * this.count + one.index) * this.count + two.index;
  }

  search(first, second, arriving, goal) {
    const start = { pair: [first, second], waiting: arriving, steps: [] };
    const seen = new Set([this.key(first, second, arriving)]);
    let layer = [start];
    for (let moves = 0; layer.length > 0; moves++) {
      const reach = (list, pair, waiting, steps) => {
        const key = this.key(pair[0], pair[1], waiting);
        if (seen.has(key)) return;
        seen.add(key);
        list.push({ pair, waiting, steps });
      };
      for (const { pair, waiting, steps } of layer) { // also visits what is appended meanwhile
        if (waiting === 0) continue;
        for (const side of [0, 1]) {
          const larger = pair[side].plus[waiting];
          if (larger) reach(layer, side === 0 ? [larger, pair[1]] : [pair[0], larger], 0, [...steps, { install: true, side }]);
        }
      }
      const done = layer.filter(({ pair, waiting }) => waiting === 0 && goal(...pair));
      if (done.length > 0) {
        const best = leastBy(done, ({ pair }) => {
          const open = pair.filter((shape) => shape.open);
          return [open.length, open.reduce((sum, shape) => sum + shape.anchors, 0)];
        });
        return { steps: best.steps, result: best.pair, moves };
      }
      const following = [];
      for (const { pair, waiting, steps } of layer) {
        for (const side of [0, 1]) {
          const source = pair[side];
          const target = pair[1 - side];
          for (const gpus of source.distinct) {
            const smaller = source.minus[gpus];
            const larger = target.plus[gpus];
            if (!larger) continue;
            const after = side === 0 ? [smaller, larger] : [larger, smaller];
            reach(following, after, waiting, [...steps, { install: false, gpus, side }]);
          }
        }
      }
      layer = following;
    }
    return null;
  }
}
