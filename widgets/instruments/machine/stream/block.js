// A block of the whole machine: attention above the stream, feed-forward below it.

import { boxed, boxedWidth, onLine } from "./box.js";
import { FRAME } from "./frame.js";
import { MOST_TOKENS, lanes, rowsOf, station, stationWidth } from "./signs.js";
import { behind, branchWidth, joint, landing, postWidth, read, sizeOf, withNorm } from "./sublayer.js";
import { tableWords } from "./words.js";
import { lastRows, matrix, transposed } from "../tensors.js";

export const COLOURED = 4; // heads; of more, all are ink

// The weights of the heads: few stand side by side, each with a branch of its own, more in rows that share one. `title`:
// how far above them their names and switches are.
export function gridOf(view, heads) {
  const { head, gap, thumb, row, most } = view.size;
  if (heads <= 2) return { rows: 1, thumb: head, pitch: head + gap, line: 0, title: 36 };
  if (heads <= row) return { rows: 1, thumb: 32, pitch: 38, line: 0, title: 44 };
  if (heads <= most) return { rows: 2, thumb, pitch: thumb + 8, line: 58, title: 14 };
  return { rows: 3, thumb: 22, pitch: 25, line: 39, title: 14 };
}

function attentionWidth(view, sublayer) {
  const { rows, pitch, thumb } = gridOf(view, sublayer.heads.length);
  const columns = Math.ceil(sublayer.heads.length / rows);
  const { lead, trail } = view.size;
  return lead + (columns - 1) * pitch + thumb + trail + postWidth(view, sublayer);
}

// Where the branches of several heads come down, side by side, as far as they are there.
export const beside = (i, count) => (count === 1 ? 0 : (count > 2 ? 9 : 4) * (1 - (2 * i) / (count - 1)));

export const headColour = (view, head, i, count) =>
  count <= COLOURED ? `head${i + 1}` : view.look.zoom === head.id ? "head1" : "ink2";

export function drawBlock(view, block, x) {
  if (block.isBox) return onLine(view, block, x);
  const { sheet, machine } = view;
  const wide = stationWidth(view, block);
  const width = block.sublayers.reduce((all, one) => all + columnWidth(view, one) + wide, 0);
  const node = machine.node(block.id) ?? {};
  const box = [x + 7, 14, width - wide - 14, FRAME.height - 52];
  sheet.zone(block.id, ...box);
  sheet.text(`${block.id} name`, x + 18, 36, block.label, { bold: true });
  sheet.part({ id: `${block.id} zone`, name: block.label, line: node.line, shape: node.shape, box, zoom: block.id });
  for (const one of block.sublayers) {
    const column = columnWidth(view, one);
    if (one.place !== "bare") lanes(view, one.id, x + 1, x + column);
    const end = { x: x + column, adds: x + column - 12 - postWidth(view, one) };
    const links = PARTS[one.kind](view, one, x, end);
    joint(view, one, end.adds);
    station(view, x + column, wide, behind(view, one), { from: [view.before, ...links], ends: true });
    view.before = one.after;
    x += column + wide;
  }
  return x;
}

export function columnWidth(view, one) {
  if (one.kind === "attention") return attentionWidth(view, one);
  return (one.kind === "box" ? boxedWidth(view) : view.size.forward) + postWidth(view, one);
}

function attention(view, one, x, end) {
  const grid = gridOf(view, one.heads.length);
  const rail = FRAME.top - 48;
  const ids = one.heads.map(({ id }) => id);
  const tap = x + (one.place === "bare" ? 30 : 34);
  read(view, one, tap, rail, ids);
  if (one.memory) source(view, one, tap, rail);
  const places = one.heads.map((_, i) => {
    const column = i % Math.ceil(one.heads.length / grid.rows);
    const row = Math.floor(i / Math.ceil(one.heads.length / grid.rows));
    return [x + view.size.lead + column * grid.pitch, grid.rows === 1 ? rail - 16 - grid.thumb : 60 + row * grid.line];
  });
  one.heads.forEach((head, i) => drawHead(view, one, head, i, places[i], grid));
  if (grid.rows === 1)
    for (const [i, head] of one.heads.entries()) ownBranch(view, one, head, i, places[i], { grid, rail, tap, end });
  else sharedBranch(view, one, places, { grid, rail, tap, end });
  return ids;
}

// The second line that an attention reads, for its keys and values: the source, below everything.
function source(view, one, tap, rail) {
  const { sheet } = view;
  const y = FRAME.height - 28;
  const x = tap - 14;
  sheet.path(`${one.id} source`, `M0 ${y}H${x}V${rail}H${tap}`, { stroke: "key", thick: 1.5, part: one.id });
  sheet.tap(`${one.id} source tap`, x, y, { fill: "key" });
  if (view.hasSource) return;
  view.hasSource = true;
  sheet.text("source", 0, y - 5, "the source: keys and values", { size: 12, colour: "key" });
}

// The weights of a head, its name and its switch.
export function drawHead(view, one, head, i, [x, y], { thumb, title }) {
  const { sheet, machine, look } = view;
  const off = look.off.has(head.id);
  const count = one.heads.length;
  const role = off ? "ink2" : headColour(view, head, i, count);
  const weights = matrix(machine.tensor(`${one.id}/weights`), i);
  const mask = matrix(machine.tensor(`${one.id}/mask`));
  const how = {
    scale: "weights",
    mask: lastSquare(mask),
    part: head.id,
    opacity: off ? 0.3 : 1,
    role,
    thick: 2,
    ...tableWords(view, one, "weights", i),
  };
  sheet.station(`${head.id} weights`, x, y, thumb, thumb, lastSquare(weights), how);
  sheet.part({
    id: head.id,
    name: head.label,
    line: head.line,
    shape: head.shape,
    zoom: head.id,
    box: [x - 3, y - 3, thumb + 6, thumb + 6],
    from: [withNorm(one) ? one.norm.id : view.before],
    into: [one.after],
  });
  const middle = x + thumb / 2;
  if (title === 36) {
    const text = { size: 12, anchor: "middle", colour: off ? "ink2" : role };
    sheet.text(`${head.id} name`, middle, y - 42, `head ${i + 1}`, text);
    sheet.knob(head.id, middle - 11, y - 36, off, head.label);
    return;
  }
  sheet.knob(head.id, x + thumb - 22, y - title, off, head.label);
  if (thumb > 30) sheet.text(`${head.id} name`, x, y - title + 10, i + 1, { size: 11, colour: off ? "ink2" : role });
}

// The last 64 queries and keys.
export function lastSquare(table) {
  if (!table) return null;
  const rows = lastRows(table, MOST_TOKENS);
  return rows.columns <= MOST_TOKENS ? rows : transposed(lastRows(transposed(rows), MOST_TOKENS));
}

// What one head reads and adds: a wire up to it, and a branch from it that is as wide as what it adds.
function ownBranch(view, one, head, i, [x, y], { grid, rail, tap, end }) {
  const { sheet, machine, look } = view;
  const off = look.off.has(head.id);
  const middle = x + grid.thumb / 2;
  const between = [one.norm?.id ?? one.id, head.id];
  sheet.wire(
    `${head.id} reads`,
    [
      [tap, rail],
      [middle, rail],
      [middle, y + grid.thumb + 4],
    ],
    { between: one.norm ? between : [head.id] },
  );
  const lift = y - 8 - (one.heads.length - 1 - i) * 6.5;
  const shift = beside(i, one.heads.length);
  const thick = off ? 1 : branchWidth(view, machine.tensor(`${one.id}/adds`), i);
  const path = `M${middle} ${y - 3}V${lift}H${end.adds + shift}${landing(one, end, -1, shift)}`;
  const how = off ? { stroke: "wire", dash: "2 4" } : { stroke: headColour(view, one.heads[i], i, one.heads.length) };
  sheet.path(`${head.id} adds`, path, { thick, part: head.id, ...how });
}

// Many heads: one wire in, one branch out of their bracket; a bar under each head says how much of it is its own.
function sharedBranch(view, one, places, { grid, rail, tap, end }) {
  const { sheet, machine, look } = view;
  const adds = machine.tensor(`${one.id}/adds`);
  const left = places[0][0];
  const right = Math.max(...places.map(([x]) => x)) + grid.thumb;
  const bottom = places.at(-1)[1] + grid.thumb;
  sheet.wire(
    `${one.id} in`,
    [
      [tap, rail],
      [(left + right) / 2, rail],
      [(left + right) / 2, bottom + 5],
    ],
    { part: one.id },
  );
  places.forEach(([x, y], i) => {
    const share = look.off.has(one.heads[i].id) ? 0 : sizeOf(view, adds, i);
    const how = { fill: headColour(view, one.heads[i], i, one.heads.length), part: one.heads[i].id };
    sheet.rect(`${one.heads[i].id} most`, x, y + grid.thumb + 2, grid.thumb, 2.5, { ...how, fill: "grid2" });
    if (share) sheet.rect(`${one.heads[i].id} size`, x, y + grid.thumb + 2, Math.max(1, share * grid.thumb), 2.5, how);
  });
  const total = machine.tensor(`${one.id}/out`);
  const [from, top] = [right + 6, places[0][1]];
  sheet.path(`${one.id} heads`, `M${from - 3} ${top}H${from}V${bottom}H${from - 3}`, { stroke: "ink2", part: one.id });
  const path = `M${from} ${(top + bottom) / 2}H${end.adds}${landing(one, end, -1)}`;
  sheet.path(`${one.id} adds`, path, { stroke: "ink2", thick: branchWidth(view, total), part: one.id });
}

function forward(view, one, x, end) {
  const { sheet, machine } = view;
  const tap = x + (one.place === "bare" ? 30 : Math.min(29, view.size.forward - 38));
  const y = FRAME.top + FRAME.tall + 46;
  read(view, one, tap, y, [one.id]);
  const [left, wide] = [x + 10, Math.min(50, view.size.forward - 30)];
  const hidden = machine.tensor(`${one.id}/hidden`);
  const how = { limit: hidden?.limit, part: one.id, role: "ink2", thick: 1.5 };
  sheet.station(`${one.id} hidden`, left, y, wide, 36, rowsOf(hidden), how);
  const thick = branchWidth(view, machine.tensor(`${one.id}/out`));
  sheet.path(`${one.id} adds`, `M${left + wide + 1} ${y + 18}H${end.adds}${landing(one, end, 1)}`, {
    stroke: "ink2",
    thick,
    part: one.id,
  });
  sheet.text(`${one.id} name`, left + wide / 2, y + 52, one.label, { size: 12, anchor: "middle" });
  sheet.part({
    id: one.id,
    name: one.label,
    line: one.line,
    shape: one.shape,
    box: [left - 4, y - 4, wide + 8, 44],
    from: [withNorm(one) ? one.norm.id : view.before],
    into: [one.after],
  });
  return [one.id];
}

const PARTS = { attention, feed_forward: forward, box: boxed };
