// The matrix's layout: where everything stands, in CSS pixels.
// Pure functions of the numbers of rows and columns, the labels and the width; run only when one of these changes.

import { clamp } from "../../base/js/numbers.js";
import { LONGEST_LABEL, labelStyle, shorten, textWidth, wrapText } from "../../base/js/text.js";

// Columns up to n: least and greatest width of a cell.
const CELL_WIDTHS = [
  [8, 30, 66],
  [24, 20, 54],
  [64, 8, 20],
  [128, 3, 7],
  [Infinity, 1, 3],
];
const TALLEST = 440; // of up to 64 queries: what is said below stays on a laptop's screen beside the controls above
export const LINE = 20; // of the read-out
export const BARS = 66; // height of the row bars

const cellWidths = (keys) => CELL_WIDTHS.filter(([most]) => keys <= most)[0].slice(1);
const tallest = (queries) => (queries <= 64 ? Math.max(8, TALLEST / queries) : Infinity);

// Every n-th label where the pitch is too small for each of them.
function labelStep(count, pitch) {
  if (pitch >= 12) return 1;
  const needed = Math.max(12 / pitch, count > 64 ? 8 : 1);
  return [1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100].find((n) => n >= needed) ?? Math.ceil(needed);
}

// Key labels: horizontal while the widest fits, then all at 45 degrees, then all upright.
function keyAngle(style, pitch) {
  if (style.single || style.widest + 6 <= pitch) return 0;
  return style.longest <= 12 && pitch >= 17 ? 45 : 90;
}

// How far the last key's label reaches beyond its column.
function overhang(labels, pitch, look) {
  const style = labelStyle(labels, pitch, look);
  return keyAngle(style, pitch) === 45 ? Math.ceil(0.71 * style.widest + 6 - pitch / 2) : 0;
}

function groupWidth(groups, look) {
  return groups.length
    ? 12 + Math.max(...groups.map(([, , name]) => textWidth(shorten(String(name), LONGEST_LABEL), `12px ${look.font}`)))
    : 0;
}

// How many panels stand in a line, and whether the read-out has a column beside them: it has, unless there is no room
// or the panels would need more lines for it.
function arrange({ width, ratio, panels, queries, keys, left, gap, side }) {
  const [least, widest] = cellWidths(keys);
  const most = keys > 24 ? Math.min(widest, tallest(queries)) : widest; // there a cell is a square
  const cell = (line, beside) => {
    const room = width - left - (line - 1) * gap - (beside ? gap + side : 6);
    return Math.floor(Math.min(most, room / (line * keys)) * ratio) / ratio;
  };
  const fewestLines = (beside) => {
    for (let line = panels; line >= 1; line--) if (cell(line, beside) >= least) return Math.ceil(panels / line);
    return Infinity;
  };
  const beside = fewestLines(true) <= fewestLines(false) && fewestLines(true) < Infinity;
  const lines = Math.min(panels, fewestLines(beside));
  const line = Math.ceil(panels / lines);
  return { line, beside, c: Math.max(1 / ratio, cell(line, beside)) };
}

// `what`: width, ratio, panels, queries, keys, labels, titles, groups, names, bars, note (whether something is said beside
// the bars), distribution (labels or null), look.
export function matrixLayout(what) {
  const { width, ratio, panels, queries, keys, look } = what;
  const snap = (x) => Math.round(x * ratio) / ratio;
  const caption = `12px ${look.font}`;
  const gap = width < 800 ? 24 : 32;
  const side = clamp(width * 0.2, 160, 260);

  const rough = queries <= 24 ? 28 : queries <= 64 ? 14 : 5;
  const query = labelStyle(what.queryLabels, rough, look);
  const labelWidth = query.single ? (rough < 12 ? 12 : 24) : query.widest;
  const title = Math.max(textWidth(`${what.keyTitle} →`, caption), textWidth(`${what.queryTitle} ↓`, caption));
  const left = Math.ceil(Math.max(8 + labelWidth + groupWidth(what.queryGroups, look), title + 10) + 3);

  const room = { width, ratio, panels, queries, keys, left, gap, side };
  let { line, beside, c } = arrange(room);
  const over = beside ? 0 : overhang(what.keyLabels, c, look);
  if (over > 6) ({ line, beside, c } = arrange({ ...room, width: width + 6 - over }));
  const tall = queries <= 24 ? clamp(c, 28, 36) : queries <= 64 ? clamp(c, 8, 20) : clamp(c, 3, 7);
  const h = keys <= 24 ? snap(Math.min(tall, tallest(queries))) : c;
  const key = labelStyle(what.keyLabels, c, look);
  key.angle = keyAngle(key, c);
  key.every = labelStep(keys, c);
  query.every = labelStep(queries, h);

  const extent = key.angle === 90 ? key.widest : key.angle === 45 ? key.widest * 0.71 + 10 : 16;
  const head = Math.ceil((what.names.length ? 24 : 0) + (what.keyGroups.length ? 22 : 0) + Math.max(46, extent + 18));
  const body = snap(queries * h);
  const lineHeight = head + body + (what.bars ? 24 + BARS + 18 : 6);
  const boxes = Array.from({ length: panels }, (_, p) => {
    const [row, column] = [Math.floor(p / line), p % line];
    const y = snap(row * (lineHeight + 16) + head);
    return {
      x: snap(left + column * (c * keys + gap)),
      y,
      right: 0,
      bottom: y + body,
      first: column === 0,
      last: false,
    };
  });
  for (const [p, box] of boxes.entries()) {
    box.right = snap(box.x + c * keys);
    box.last = p === panels - 1 || boxes[p + 1].first;
  }
  const right = Math.max(...boxes.map((box) => box.right));
  const bottom = boxes[panels - 1].bottom + (what.bars ? 24 + BARS + 18 : 6);
  const g = {
    c,
    h,
    head,
    body,
    left,
    gap,
    boxes,
    right,
    bottom,
    query,
    key,
    snap,
    ratio,
    panels,
    queries,
    keys,
    labelWidth,
    named: what.names.length > 0,
    bars: what.bars,
    beside,
    over: Math.max(6, over),
    numbers: keys <= 8 && h >= 18 && c >= 28,
  };
  placeSide(g, what, { side, width });
  return g;
}

// The read-out and the distribution: beside the matrix, or under it where there is no margin.
function placeSide(g, what, { side, width }) {
  const x = g.beside ? g.right + g.gap : g.left;
  const under = !g.beside && x + 450 >= width; // no room beside the read-out either: what is said of the bars comes first
  const noted = under ? (what.note ? 36 : 0) + (what.action ? 36 : 0) : 0;
  const y = g.beside ? g.boxes[0].y : g.bottom + 12 + noted;
  const room = g.beside ? clamp(width - x, side, 260) : Math.max(160, Math.min(width - g.left, 520));
  const lines = (style) => Math.max(1, ...style.full.map((text) => wrapText(text, style.bold, room - 58, 3).length));
  const keyLines = g.keys > 500 ? 1 : lines(g.key);
  const queryLines = g.queries > 500 ? 1 : lines(g.query);
  const nameLines = g.named ? lines({ full: what.names, bold: `600 13px ${what.look.font}` }) : 0;
  const rows = nameLines + queryLines + keyLines + (what.scores ? 2 : 1);
  g.read = { x, y, width: room, height: rows * LINE, nameLines, queryLines, keyLines };
  // With panels in several lines the read-out stands level with the line it reads.
  g.readTop = (panel) => (g.beside && !what.distribution ? g.boxes[panel].y : y);
  let end = y + g.read.height;
  g.distribution = null;
  if (what.distribution) {
    const style = labelStyle(what.distribution, 14, what.look);
    const top = y + Math.max(g.beside ? 3 * g.h + 30 : 0, g.read.height + 46);
    const last = g.beside ? g.boxes[0].bottom : top;
    const count = Math.min(style.names.length, 30);
    const pitch = clamp((last - top) / Math.max(1, count), 15, 22);
    const labels = style.single ? 14 : Math.min(style.widest, room * 0.45) + 8;
    g.distribution = { x, top, pitch, count, style, bars: x + labels, length: room - labels - 42 };
    end = Math.max(end, top + count * pitch);
  }
  const bars = g.bars ? g.boxes[0].bottom + 24 : 0;
  if (g.beside) g.aside = { x, y: Math.max(bars, end + 20) };
  else g.aside = under ? { x, y: g.bottom - BARS + 28 } : { x: x + 280, y };
  g.action = under ? { x, y: g.bottom + (what.note ? 44 : 8) } : g.aside;
  g.height = Math.ceil(
    Math.max(g.bottom, end + 4, what.note ? g.aside.y + BARS + 10 : what.action ? g.aside.y + 28 : 0),
  );
  g.width = Math.ceil(Math.max(g.beside ? x + room : g.right + g.over, g.distribution ? x + room : 0));
}

// Which part of the picture a point is in: { part, panel, row, column } in positions on the screen, or null.
export function hitTest(g, x, y) {
  for (const [panel, box] of g.boxes.entries()) {
    const column = Math.floor((x - box.x) / g.c);
    const row = Math.floor((y - box.y) / g.h);
    const inside = column >= 0 && column < g.keys;
    const beside = row >= 0 && row < g.queries;
    if (inside && beside) return { part: "cell", panel, row, column };
    if (inside && y < box.y && y > box.y - g.head + (g.named ? 24 : 0)) return { part: "key", panel, row: -1, column };
    if (beside && box.first && x < box.x && x > box.x - g.labelWidth - 14)
      return { part: "query", panel, row, column: -1 };
    if (g.bars && inside && y > box.bottom + 8 && y < box.bottom + 24 + BARS + 10)
      return { part: "bars", panel, row: -1, column };
  }
  return null;
}
