// A part of which nothing but its class is known: a plain box with the shapes of what goes in and what comes out.

import { FRAME } from "./frame.js";
import { lanes, rowsOf, shapeOf, station, stationWidth } from "./signs.js";
import { behind, branchWidth, landing, read, withNorm } from "./sublayer.js";
import { tableWords } from "./words.js";

const EDGE = 12; // from a box to the stations beside it
const LINE = 16; // from a line of text to the next
const NOT_KNOWN = "whether the stream runs past it is not known";
const ANOTHER = "what comes out is of another shape";

export const boxedWidth = ({ size }) => size.box;

// Lines of words that are no wider, "× 16" being one word; one that is too wide by itself is cut.
function wrapped({ look }, text, width, bold = false) {
  if (!text) return [];
  const lines = [];
  for (const word of text.replaceAll(" × ", " ×\u00a0").split(" ")) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && look.measure(longer, 12, bold) <= width) lines[lines.length - 1] = longer;
    else lines.push(look.fit(word, width, 12, bold));
  }
  return lines;
}

// The box itself, and lines of text in its middle, as far as there is room.
function plain(view, one, box, name, texts) {
  const { sheet } = view;
  const [x, y, width, height] = box;
  sheet.rect(`${one.id} box`, x, y, width, height, {
    radius: 4,
    fill: "page",
    stroke: "ink2",
    thick: 1.25,
    part: one.id,
  });
  const rows = [
    ...wrapped(view, name, width - 8, true).map((text) => [text, true]),
    ...texts.flatMap((text) => wrapped(view, text, width - 8).map((row) => [row, false])),
  ];
  if (rows.length * LINE > height - 4) return;
  const top = y + height / 2 - (rows.length * LINE) / 2 + 12;
  rows.forEach(([text, bold], i) => {
    const how = { size: 12, bold, colour: bold ? "ink" : "ink2", anchor: "middle", part: one.id };
    sheet.text(`${one.id} in words ${i}`, x + width / 2, top + i * LINE, text, how);
  });
}

// The shapes of what goes in and of what comes out.
function shapes({ shape = "" }) {
  const [given, made] = shape.split(" → ");
  if (!made) return [given];
  return given === made ? [given, "in and out"] : [`${given} in`, `${made} out`];
}

const part = ({ sheet, before }, one, box, more) =>
  sheet.part({
    id: one.id,
    name: `${one.label}, a part that is not known`,
    line: one.line,
    shape: one.shape,
    box,
    from: [before],
    ...more,
  });

// Between two stations of the stream, with what the second has that the first has not, and what nobody can tell.
export function onLine(view, block, x) {
  const { sheet, machine } = view;
  const [one] = block.sublayers;
  const width = boxedWidth(view);
  const [left, wide, bottom] = [x + EDGE, width - 2 * EDGE, FRAME.top + FRAME.tall];
  lanes(view, `${one.id} before`, x + 1, left);
  lanes(view, `${one.id} behind`, left + wide, x + width);
  const box = [left, FRAME.top - 10, wide, FRAME.tall + 20];
  plain(view, one, box, one.label, shapes(one));
  part(view, one, box, { into: [one.after] });
  const adds = machine.tensor(`${one.id}/adds`);
  const how = { size: 12, colour: "ink2", anchor: "middle", part: one.id };
  const note = wrapped(view, adds ? NOT_KNOWN : ANOTHER, width - 4);
  note.forEach((text, i) => {
    const y = FRAME.top - 20 - LINE * (note.length - 1 - i);
    sheet.text(`${one.id} note ${i}`, x + width / 2, y, text, how);
  });
  if (adds) {
    const id = `${one.id}/adds`;
    const at = [left, bottom + 20, wide, 36];
    const words = tableWords(view, one, "adds");
    const look = { limit: adds.limit, part: id, role: "ink2", thick: 1.5, ...words };
    sheet.station(`${one.id} adds`, ...at, rowsOf(adds), look);
    const [name, line] = [`${one.label}, what comes out minus what goes in`, "after - before"];
    sheet.part({ id, name, line, shape: shapeOf(view, adds), box: at, from: [view.before, one.id], into: [one.after] });
    sheet.text(`${one.id} adds name`, x + width / 2, bottom + 72, "out − in", { ...how, part: id });
  }
  const from = [view.before, one.id, ...(adds ? [`${one.id}/adds`] : [])];
  const wideStation = stationWidth(view, block);
  station(view, x + width, wideStation, { ...behind(view, one), label: "the stream" }, { from, ends: true });
  view.before = one.after;
  return x + width + wideStation;
}

const isFirst = ({ model }, one) => model.blocks.some(({ sublayers }) => sublayers[0] === one);

// In a block: it reads the stream and adds to it as every part there. The first stands above the stream, others below.
export function boxed(view, one, x, end) {
  const [left, wide, tall] = [x + 8, boxedWidth(view) - 38, 52];
  const above = isFirst(view, one);
  const y = above ? FRAME.top - 48 - tall : FRAME.top + FRAME.tall + 46;
  read(view, one, left + 16, above ? y + tall : y, [one.id]);
  const box = [left, y, wide, tall];
  plain(view, one, box, "", shapes(one));
  const name = view.look.fit(one.label, boxedWidth(view) + 10, 12, true);
  view.sheet.text(`${one.id} name`, left - 4, above ? y - 8 : y + tall + 16, name, {
    size: 12,
    bold: true,
    part: one.id,
  });
  part(view, one, box, { from: [withNorm(one) ? one.norm.id : view.before], into: [one.after] });
  adds(view, one, { from: left + wide + 1, y: y + tall / 2, end, above });
  return [one.id];
}

// The same from near, beside what it adds.
export function boxedNear(view, one, x, end) {
  const { sheet, machine } = view;
  const above = isFirst(view, one);
  const tall = 96;
  const y = above ? FRAME.top - 52 - tall : FRAME.top + FRAME.tall + 40;
  const [left, last] = [x + 10, 40];
  const wide = Math.min(170, end.adds - 36 - last - left);
  read(view, one, left + 20, above ? y + tall : y, [one.id]);
  plain(view, one, [left, y, wide, tall], one.label, shapes(one));
  const [id, tensor] = [`${one.id}/out`, machine.tensor(`${one.id}/out`)];
  const from = [withNorm(one) ? one.norm.id : view.before];
  part(view, one, [left, y, wide, tall], { from, into: [one.place === "bare" ? one.after : id] });
  if (one.place === "bare") {
    adds(view, one, { from: left + wide + 1, y: y + tall / 2, end, above });
    return [one.id];
  }
  const at = [left + wide + 14, y + tall / 2 - 29, last, 58];
  const how = { limit: tensor?.limit, role: "ink2", thick: 1.5, part: id, ...tableWords(view, one, "out") };
  sheet.station(id, ...at, tensor && rowsOf(tensor), how);
  sheet.text(`${one.id} last`, at[0] + last / 2, at[1] + 74, "adds", { size: 12, colour: "ink2", anchor: "middle" });
  sheet.part({
    id,
    name: `${one.label}, what it adds`,
    line: one.line,
    shape: shapeOf(view, tensor),
    box: at,
    from: [one.id],
    into: [one.after],
  });
  adds(view, one, { from: at[0] + last + 2, y: y + tall / 2, end, above });
  return [id];
}

function adds({ sheet, machine }, one, { from, y, end, above }) {
  const thick = branchWidth({ machine }, machine.tensor(`${one.id}/out`));
  const path = `M${from} ${y}H${end.adds}${landing(one, end, above ? -1 : 1)}`;
  sheet.path(`${one.id} adds`, path, { stroke: "ink2", thick, part: one.id });
}
