// Towers: what there is in a frame, and where it stands.

import { lastStack, readStack } from "../stream/model.js";
import { once, tensorOf } from "../tensors.js";

export const HEIGHT = 500;
const [TOP, BETWEEN, BOTTOM] = [68, 44, 68]; // above the encoder, below it, below the decoder
const ROW = 26; // of a word, at most
const PANEL = 196; // height of the three switches
const LEAST = 660; // narrower, the picture scrolls
// By the picture's width: pixels of a station, of the bars and their words, of the words at the left, of the switches, and
// from the last station to the bars.
const SIZES = [
  { from: 1000, station: 34, bars: 180, word: 86, labels: 84, panel: 150, fan: 30 },
  { from: 820, station: 28, bars: 152, word: 76, labels: 76, panel: 138, fan: 28 },
  { from: 0, station: 16, bars: 144, word: 76, labels: 68, panel: 138, fan: 24 },
];
const JOINT = { most: 100, least: 30 }; // room for beams
const [FOLD, NORM] = [24, 18]; // of blocks that do not fit, and of a stack's last norm

// The encoder and the decoder, each as `readStack` reads a stack, with its words and its last norm; the model's end.
export const readTowers = (machine) => once(machine, "towers", () => read(machine));

function read({ spec, node }) {
  const at = lastStack(spec.nodes);
  const towers = { source: spec.nodes.slice(0, at), target: spec.nodes.slice(at) };
  const [source, target] = Object.entries(towers).map(([name, nodes]) => {
    const last = nodes.findLastIndex((one) => one.in);
    const norm = nodes.slice(last + 1).find(({ kind }) => kind === "norm");
    return { ...readStack(nodes, node), name, norm, words: spec.labels?.[name] ?? [] };
  });
  const isLookingBack = target.blocks.some(({ sublayers }) => sublayers.some(({ memory }) => memory));
  if (!source.blocks.length || !isLookingBack) throw new Error("Expected an encoder and a decoder, got one stack.");
  return { source, target, word: target.word, unembed: target.unembed };
}

// Which attention a sublayer is: "source" or "target" where that asks itself, else "cross"; null where words do not meet.
export const kindOf = (tower, { kind, memory }) => (kind !== "attention" ? null : memory ? "cross" : tower.name);

// Where everything stands: each tower is { top, tall, rows, labels, columns }: `rows` words are there, `tall` has room for
// all; a column is { x, width, kind: station, joint, fold or norm, ... }, from left to right. A joint that looks at the
// source has a `tap`, a station of the encoder's vectors right over the one that asks: { x, own }, `own` unless it is the
// encoder's last.
export function places(model, look) {
  const room = Math.max(LEAST, look.width);
  const [size] = SIZES.filter(({ from }) => room >= from);
  const all = Math.max(model.source.blocks.length, model.target.blocks.length);
  const set = () => tryAll(model, look, size, room, all) ?? setOut(model, look, size, 1, JOINT.least);
  const chosen = once(model, `places ${room} ${look.zoom}`, set); // a motion has many pictures in one place
  const words = [model.source.words.length, model.target.words.length];
  const tall = HEIGHT - TOP - BETWEEN - BOTTOM;
  const row = Math.min(ROW, tall / (words[0] + words[1]), (tall + BOTTOM - PANEL) / words[0]);
  const below = TOP + words[0] * row + BETWEEN;
  const step = Math.min(look.frame, words[1]);
  return {
    ...chosen,
    width: Math.max(LEAST, chosen.end + size.bars),
    row,
    size,
    source: { ...chosen.source, ...heights(words[0], row), top: TOP, rows: words[0] },
    target: { ...chosen.target, ...heights(words[1], row), top: below, rows: step },
  };
}

// Of a tower, and of its parts that stand across all rows: the middle of these lies on a row, where an arrow key finds it.
const heights = (words, row) => ({ tall: words * row, high: (words - 1 + (words % 2)) * row });

// As many blocks as fit, with as much room for beams as there is.
function tryAll(model, look, size, room, most) {
  for (let open = most; open >= 1; open--)
    for (let joint = JOINT.most; joint >= JOINT.least; joint -= 2) {
      const found = setOut(model, look, size, open, joint);
      if (found.end + size.bars <= room) return found;
    }
  return null;
}

// The encoder from the left. The decoder so that its first question finds the encoder's last vectors beside it.
function setOut(model, look, size, open, joint) {
  const [left, right] = [model.source, model.target].map((tower) => columns(tower, look.zoom, size, open, joint));
  const { labels } = size;
  const source = stand(left, labels + 8);
  const end = source.at(-1).x + size.station;
  const cross = right.findIndex(({ sublayer }) => sublayer?.memory);
  const before = right.slice(0, cross).reduce((sum, { width }) => sum + width, 0);
  const target = stand(right, Math.max(size.panel + labels + 8, end - before));
  target.forEach((column, i) => {
    if (column.sublayer?.memory)
      column.tap = { x: target[i - 1].x, own: Math.abs(target[i - 1].x - source.at(-1).x) > 1 };
  });
  return {
    joint,
    source: { columns: source, labels },
    target: { columns: target, labels: target[0].x - 8 },
    end: target.at(-1).x + size.station + size.fan,
  };
}

function stand(columns, from) {
  let x = from;
  return columns.map((column) => {
    const placed = { ...column, x };
    x += column.width;
    return placed;
  });
}

// Stations and what lies between them, from left to right.
function columns(tower, zoom, size, open, joint) {
  const station = (tensor, block = null) => ({ kind: "station", tensor, block, width: size.station });
  /** @type {any[]} */
  const found = [station(tower.blocks[0].before)];
  const shown = opened(tower, zoom, open);
  for (const [i, block] of tower.blocks.entries()) {
    const last = block.sublayers.at(-1).after;
    if (shown.has(block))
      for (const one of block.sublayers) {
        const width = one.kind === "attention" ? joint : Math.max(20, 2 * Math.round(0.25 * joint));
        found.push({ kind: "joint", sublayer: one, block, width }, station(one.after, block));
      }
    else if (found.at(-1).kind === "fold") found.at(-1).blocks.push(block);
    else found.push({ kind: "fold", blocks: [block], width: FOLD });
    const isEnd = i === tower.blocks.length - 1 || shown.has(tower.blocks[i + 1]);
    if (!shown.has(block) && isEnd) found.push(station(last, block));
  }
  if (tower.norm) found.push({ kind: "norm", node: tower.norm, width: NORM }, station(tensorOf(tower.norm)));
  return found;
}

// The blocks that are drawn in full: the one that was clicked, the last, the first and those after it.
function opened({ blocks }, zoom, most) {
  const wanted = [blocks.find(({ id }) => id === zoom), blocks.at(-1), ...blocks].filter(Boolean);
  return new Set([...new Set(wanted)].slice(0, most));
}
