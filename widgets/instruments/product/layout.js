// Where everything stands, in CSS pixels: the queries left of the scores, the keys above them; weights; values above the
// context. Pure: from widths and shapes to places.

import { clamp } from "../../base/js/numbers.js";

const GAP = 20; // between the upper tables and those below them

export function productLayout({ width, tables, query, key, room }) {
  const narrow = width < 800;
  const [g1, g2, g3, sums] = narrow ? [16, 40, 24, 40] : [24, 60, 44, 42];
  const [dim, keys, dims] = [tables.keys.rows, tables.keys.columns, tables.values.columns];
  const left = Math.ceil(Math.max(28, query.widest + 14));
  const c = clamp(Math.floor((width - left - g1 - g2 - g3 - sums - 12) / (dim + 2 * keys + dims)), 28, 66);
  const h = clamp(Math.round(c * 0.72), 28, 36);
  const angle = key.widest + 4 > c ? 45 : 0;
  const head = angle ? Math.ceil(key.widest * 0.71) + 14 : 20;
  const y = GAP + Math.max(keys * h + 32, dim * h + head + 30, head + 92);
  const xQ = left;
  const xS = xQ + dim * c + g1;
  const xW = xS + keys * c + g2;
  const xV = xW + keys * c + sums + g3;
  const box = (x, top, table) => ({
    x,
    y: top,
    rows: table.rows,
    columns: table.columns,
    right: x + table.columns * c,
    bottom: top + table.rows * h,
  });
  const boxes = {
    queries: box(xQ, y, tables.queries),
    keys: box(xS, y - GAP - dim * h, tables.keys),
    scores: box(xS, y, tables.scores),
    weights: box(xW, y, tables.weights),
    values: box(xV, y - GAP - keys * h, tables.values),
    context: box(xV, y, tables.context),
  };
  const foot = y + Math.max(tables.queries.rows, room) * h;
  return {
    c,
    h,
    angle,
    head,
    narrow,
    boxes,
    y,
    sums,
    left,
    width: boxes.context.right + 4,
    foot,
    height: boxes.queries.bottom + 46 + (foot - boxes.queries.bottom),
    size: c < 36 ? 11 : 13,
  };
}

// The cell at a place, or null.
export function cellAt(layout, x, y) {
  for (const [name, box] of Object.entries(layout.boxes)) {
    const [row, column] = [Math.floor((y - box.y) / layout.h), Math.floor((x - box.x) / layout.c)];
    if (row >= 0 && row < box.rows && column >= 0 && column < box.columns) return { name, row, column };
  }
  return null;
}
