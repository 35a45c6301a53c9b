// Stream: whatever has residual connections. One line runs from left to right; branches read it and add to it, attention
// above, feed-forward below. Three zooms: the whole machine, a block, a head.

import { Sheet } from "../sheet.js";
import { drawImage } from "./image.js";
import { NAMED, bars, fan, logitsOf, station, stationWidth, tokenLabels } from "./signs.js";
import { zoomedBlock } from "./zoom.js";
import { zoomedHead } from "./head.js";
import { readStream } from "./model.js";
import { COLOURED, columnWidth, drawBlock, gridOf } from "./block.js";
import { FRAME, MIDDLE } from "./frame.js";
import { once } from "../tensors.js";

// Of a block: pixels between two heads, of a head's weights where they stand in two rows, before the first head and behind
// the last; how many heads stand in one row; of a norm on the line.
const LOOSE = { gap: 18, thumb: 38, lead: 22, trail: 30, row: COLOURED, post: 46, box: 108 };

// By the picture's width: pixels a number, of a station at most, of a head's weights, how many heads stand in two rows, pixels of the column of a feed-forward network, of the bars.
const SIZES = [
  { from: 1000, px: 5, station: 48, head: 46, most: 8, forward: 80, bars: 160, labels: 52, ...LOOSE },
  { from: 820, px: 4, station: 38, head: 38, most: 8, forward: 68, bars: 140, labels: 50, ...LOOSE },
  { from: 0, px: 3, station: 36, head: 36, most: 4, forward: 66, bars: 118, labels: 46, ...LOOSE },
];
const TIGHT = { ...SIZES.at(-1), station: 24, forward: 60, gap: 10, thumb: 36, lead: 16, trail: 26, post: 14, box: 90 };

// What is tried until all blocks have room: smaller sizes, then heads in two rows, then all as close as can be read. The
// bars stay where they are in each zoom.
const closer = ({ bars, labels, from }) => {
  const sizes = [...SIZES.filter((one) => one.from <= from), TIGHT];
  return [...sizes.slice(0, -1), ...sizes.map((one) => ({ ...one, row: 2 }))].map((one) => ({ ...one, bars, labels }));
};
const LEAST = 660; // narrower, the picture scrolls
const HIDDEN = 64; // width of the zone of blocks that do not fit
const [GAP, PITCH] = [18, 52]; // between the parts of the embedding, and from one to the next, at least
const FAN = 36; // from the last station to the bars, at least
const BEFORE = 11; // from the stream to the norm of the first block

export function lay(machine, look) {
  const model = once(machine, "stream", () => readStream(machine));
  if (!model.blocks.length) throw new Error("Expected blocks with attention or feed-forward, got none.");
  const width = Math.max(LEAST, look.width);
  const size = SIZES.find(({ from }) => width >= from);
  const sheet = new Sheet();
  const view = { machine, look, model, sheet, size, width, tokens: machine.spec.labels?.token ?? [] };
  zoomed(view) || whole(view);
  const { marks, parts } = sheet;
  return { width, height: FRAME.height, parts, marks, hint: "click a block or a head to go in" };
}

// A block or a head from near; false where the whole machine is seen.
function zoomed(view) {
  const { model, look, width, size } = view;
  const right = width - (model.word ? size.bars + 24 : 8);
  for (const block of model.blocks.filter(({ isBox }) => !isBox)) {
    const one = block.sublayers.find(({ heads }) => heads.some(({ id }) => id === look.zoom));
    if (block.id === look.zoom) zoomedBlock(view, block, right);
    else if (one)
      zoomedHead(
        view,
        one,
        one.heads.find(({ id }) => id === look.zoom),
        right - (model.word && logitsOf(view) ? NAMED - 24 : 0),
      );
    else continue;
    if (model.word) bars(view, width - size.bars);
    return true;
  }
  return false;
}

const blockWidth = (view, block) =>
  block.sublayers.reduce((all, one) => all + columnWidth(view, one) + stationWidth(view, block), 0);

// Which blocks are drawn: all; or the first ones and the last, with the others as one zone between. Null: no room.
function chooseBlocks(view, room) {
  const { blocks } = view.model;
  const widths = blocks.map((block) => blockWidth(view, block));
  const each = Math.max(...widths);
  if (widths.reduce((all, one) => all + one) <= room) return { first: blocks, hidden: [], last: [] };
  const between = blocks.length > 1 ? HIDDEN + stationWidth(view, blocks[0]) : 0;
  const fit = Math.floor((room - between) / each);
  return fit < 1
    ? null
    : { first: blocks.slice(0, fit - 1), hidden: blocks.slice(fit - 1, -1), last: blocks.slice(-1) };
}

function whole(view) {
  const { sheet, width, model, machine } = view;
  const end = width - (model.word ? view.size.bars : 0);
  const from = view.size.labels + 8;
  const room = end - (model.word ? FAN : 0) - from;
  const drawn = (size) => chooseBlocks({ ...view, size }, room - beginWidth({ ...view, size }, false));
  const sizes = closer(view.size);
  view.size = sizes.find((one) => drawn(one)?.hidden.length === 0) ?? sizes.find(drawn) ?? sizes.at(-1);
  const { size } = view;
  const all = chooseBlocks(view, room - beginWidth(view, true));
  const short = chooseBlocks(view, room - beginWidth(view, false));
  const isLong = all && all.first.length === short?.first.length; // else what makes the stream is left out
  const { first, hidden, last } = (isLong ? all : short) ?? ONE(model.blocks);
  tokenLabels(view, size.labels);
  let x = begin(view, from, isLong);
  for (const block of first) x = drawBlock(view, block, x);
  if (hidden.length) x = hiddenBlocks(view, hidden, x);
  for (const block of last) x = drawBlock(view, block, x);
  const { of, shape } = machine.tensor(model.blocks[0].sublayers[0].after) ?? {};
  const share = of ? `; a cell is the size of ${Math.round(of / shape.at(-1))} numbers` : "";
  const isShared = ({ kind, heads }) => kind === "attention" && gridOf(view, heads).rows > 1;
  const ofHeads = model.blocks.some(({ sublayers }) => sublayers?.some(isShared)) ? ", a head's bar as long" : "";
  const words = `a branch is as wide as what it adds${ofHeads}${share}`;
  sheet.text("branch", 0, FRAME.height - 8, words, { size: 12, colour: "ink2" });
  if (!model.word) return;
  fan(view, x, end);
  bars(view, end);
}

const ONE = (blocks) => ({ first: [], hidden: blocks.slice(0, -1), last: blocks.slice(-1) });

const pillWidth = ({ look }, { label }) => look.measure(label, 12) + 16;

function beginWidth(view, isLong) {
  const { model } = view;
  const wide = stationWidth(view, model.blocks[0]);
  if (!isLong) return wide;
  const pills = model.made.reduce((all, node) => all + pillWidth(view, node) + 12, 0);
  return wide + model.parts.length * Math.max(wide + GAP, PITCH) + pills;
}

// The embeddings, a plus between them, what is made of their sum, and the stream that begins there; returns its end.
function begin(view, from, isLong) {
  const { sheet, model, look, machine } = view;
  const wide = stationWidth(view, model.blocks[0]);
  let x = from;
  const parts = isLong ? model.parts : [];
  const made = isLong ? model.made : [];
  parts.forEach((node, i) => {
    station(view, x, wide, node, { into: [(made[0] ?? model.stream).id] });
    const below = { size: 12, colour: "ink2", anchor: "middle" };
    sheet.text(`${node.id} name`, x + wide / 2, FRAME.top + FRAME.tall + 18, node.label, below);
    x += Math.max(wide + GAP, PITCH);
    const sign = i < parts.length - 1 ? "+" : made.length ? "" : "=";
    sheet.text(`${node.id} sign`, x - (Math.max(wide + GAP, PITCH) - wide) / 2, MIDDLE + 5, sign, {
      size: 15,
      anchor: "middle",
    });
  });
  const before = parts.map(({ id }) => id);
  x = makeStream(view, made, x, before);
  const { before: first } = model.blocks[0];
  const stream = { id: first, tensor: first, ...model.stream, label: "the stream" };
  const lastMade = made.at(-1);
  station(view, x, wide, stream, { from: lastMade && lastMade !== model.stream ? [lastMade.id] : before, ends: true });
  const words = [stream.label, stream.shape ?? ""].filter((text) => look.measure(text, 12, true) < x + wide + BEFORE);
  const end = Math.max(x + wide, ...words.map((text) => look.measure(text, 12, true)));
  words.forEach((text, i) => {
    const how = { size: 12, anchor: "end", bold: !i, colour: i ? "ink2" : "ink" };
    sheet.text(`stream ${i}`, end, FRAME.top - 26 + 16 * i, text, how);
  });
  view.before = stream.id;
  if (machine.spec.image) drawImage(view, isLong ? from + wide / 2 : null, x + wide);
  return x + wide;
}

// What is done to the embeddings before they are the stream: a norm, a token shift.
function makeStream(view, made, from, before) {
  const { sheet, model } = view;
  let x = from;
  made.forEach((node, i) => {
    const wide = pillWidth(view, node);
    sheet.wire(`${node.id} on`, [
      [i ? x - 12 : x - (before.length ? GAP - 3 : 6), MIDDLE],
      [x + wide + 10, MIDDLE],
    ]);
    sheet.pill(node.id, x + wide / 2, MIDDLE, wide, node.label, { part: node.id });
    const next = made[i + 1] ?? model.stream;
    const links = { from: i ? [made[i - 1].id] : before, into: next === node ? [] : [next.id] };
    if (node !== model.stream)
      sheet.part({ id: node.id, name: node.label, line: node.line, box: [x - 2, MIDDLE - 12, wide + 4, 24], ...links });
    x += wide + 12;
  });
  return x;
}

// What they are called in two lines; with a box among them they have no numbers of their own.
function nameOf(hidden) {
  if (hidden.some(({ isBox }) => isBox)) return hidden.length > 1 ? [String(hidden.length), "parts"] : ["a part"];
  const [first, ...words] = hidden[0].label.split(" ");
  const numbers = [hidden[0], hidden.at(-1)].map(({ label }) => label.split(" ").slice(1).join(" "));
  return hidden.length > 1 ? [`${first}s`, numbers.join(" to ")] : [first, words.join(" ")];
}

// Blocks that do not fit: one zone with one thick line.
function hiddenBlocks(view, hidden, x) {
  const { sheet, machine } = view;
  const [one, other] = [hidden.find(({ isBox }) => !isBox) ?? hidden[0], hidden.at(-1)];
  const name = nameOf(hidden);
  sheet.zone(`${one.id} to`, x + 4, 14, HIDDEN - 8, FRAME.height - 52);
  const text = { bold: true, size: 12, anchor: "middle" };
  name.forEach((line, i) => sheet.text(`${one.id} to name ${i}`, x + HIDDEN / 2, 36 + 16 * i, line, text));
  sheet.rect(`${one.id} to line`, x, FRAME.top + FRAME.tall / 2 - 14, HIDDEN, 28, {
    below: true,
    fill: "ink",
    opacity: 0.16,
  });
  const after = other.sublayers.at(-1).after;
  sheet.part({
    id: `${one.id} to`,
    name: name.join(" "),
    box: [x + 4, 14, HIDDEN - 8, FRAME.height - 52],
    zoom: one.isBox ? undefined : one.id,
    shape: `${hidden.length} blocks`,
    line: machine.node(one.id)?.line,
  });
  const wide = stationWidth(view, other);
  station(
    view,
    x + HIDDEN,
    wide,
    { id: after, tensor: after, label: "the stream" },
    { from: [view.before], ends: true },
  );
  view.before = after;
  return x + HIDDEN + wide;
}
