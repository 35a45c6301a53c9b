// The row that is pointed at as bars on the matrix's own columns, with the handle of its weight.

import { clamp } from "../../base/js/numbers.js";
import { fitText } from "../../base/js/text.js";
import { css } from "../../base/js/theme.js";
import { number } from "../../base/js/words.js";
import { BARS } from "./layout.js";
import { dashes, page, rule, write } from "./pen.js";
import { counted } from "./words.js";

// Height of a value in the row bars, above their foot.
const barHeight = (v, x) => {
  if (!Number.isFinite(x)) return 0;
  return v.scale === "weights" ? clamp(x, 0, 1) * BARS : (clamp(x / v.limit, -1, 1) * BARS) / 2;
};

const barZero = (v, box) => box.bottom + 24 + (v.scale === "weights" ? BARS : BARS / 2);

// The selected row as bars on the matrix's own columns.
export function paintBars(pen, v) {
  const { g, look } = pen;
  if (!g.bars) return;
  for (const [panel, box] of g.boxes.entries()) {
    const top = box.bottom + 24;
    const wide = box.right - box.x;
    rule(pen, box.x, top, wide, 0, look.grid);
    rule(pen, box.x, top + BARS, wide, 0, look.grid2);
    if (v.scale !== "weights") rule(pen, box.x, top + BARS / 2, wide, 0, look.grid2);
    if (box.first) {
      const [high, low] = v.scale === "weights" ? ["1", "0"] : [number(v.limit, 1), number(-v.limit, 1)];
      write(pen, high, box.x - 10, top + 4, { align: "right", colour: look.ink2 });
      write(pen, low, box.x - 10, top + BARS + 4, { align: "right", colour: look.ink2 });
      paintBarsName(pen, v, box, top + BARS / 2);
    }
    const clear = v.scale === "weights" ? BARS / 2 : BARS / 4; // of the line in the middle
    if (v.barRow < 0)
      write(pen, "select a cell: its row stands here as bars", box.x + 8, top + clear + 4, { colour: look.ink2 });
    else paintRow(pen, v, panel, box);
  }
  paintAside(pen, v);
}

function paintBarsName(pen, v, box, y) {
  const { g, look } = pen;
  if (v.barRow < 0) return;
  const { query } = g;
  const name = fitText(query.names[v.barRow] ?? "", query.bold, g.left - 9);
  const row = counted("row", v.barRow, v.queryLabels);
  const one = query.single && box.x >= 84;
  const font = query.single ? `600 15px ${look.mono}` : query.bold;
  if (one) {
    write(pen, name, box.x - 20, y + 5, { font, colour: look.text.query, align: "center" });
    write(pen, row, box.x - 40, y + 4, { colour: look.ink2, align: "right" });
  } else {
    write(pen, name, box.x - 9, y - 1, { font, colour: look.text.query, align: "right" });
    write(pen, row, box.x - 9, y + 14, { colour: look.ink2, align: "right" });
  }
}

function paintRow(pen, v, panel, box) {
  const { ctx, g, look } = pen;
  const foot = barZero(v, box);
  const inset = g.c < 6 ? 0 : g.c < 20 ? 1 : 4;
  const start = (panel * g.queries + v.barRow) * g.keys;
  const edited = v.edited(panel, v.barRow);
  const chosen = v.selected?.[2] ?? -1;
  for (let c = 0; c < g.keys; c++) {
    const key = v.columns[c];
    const [x, own] = [v.shown[start + key], v.own[start + key]];
    const high = barHeight(v, x);
    const left = box.x + c * g.c + inset;
    const wide = g.c - 2 * inset;
    const colour =
      v.scale === "weights"
        ? look.weights(key === chosen ? 0.82 : 0.5)
        : look.scores((key === chosen ? 0.8 : 0.5) * Math.sign(x) * v.limit, v.limit);
    ctx.fillStyle = css(colour);
    if (high && v.allowed(panel, v.barRow, key)) ctx.fillRect(left, foot - Math.max(high, 0), wide, Math.abs(high));
    if (!edited || Math.abs(x - own) <= 0.008) continue;
    const y = foot - barHeight(v, own) + 0.5;
    if (key === chosen) dashes(pen, left - 2, left + wide + 2, y, page(look), 4, []);
    dashes(pen, left - 2, left + wide + 2, y, look.ink, 1.5, [3, 2]);
  }
  if (v.editing === "weights" && chosen >= 0 && panel === v.selected[0]) {
    paintHandle(pen, box.x + (v.columns.indexOf(chosen) + 0.5) * g.c, foot, barHeight(v, v.shown[start + chosen]));
  }
}

// The handle of a weight, with an arrow each way that it can go.
function paintHandle(pen, x, foot, high) {
  const { ctx, look } = pen;
  const y = foot - high;
  const chevron = (tip, way, colour) => {
    ctx.strokeStyle = colour;
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.moveTo(x - 4, tip);
    ctx.lineTo(x, tip + 5 * way);
    ctx.lineTo(x + 4, tip);
    ctx.stroke();
  };
  ctx.fillStyle = page(look);
  ctx.strokeStyle = look.brand;
  ctx.lineWidth = 2.5;
  ctx.beginPath();
  ctx.arc(x, y, 6.5, 0, 2 * Math.PI);
  ctx.fill();
  ctx.stroke();
  if (high < BARS - 1) chevron(y - 12, -1, look.brand);
  if (high > 1) chevron(y + 12, 1, high > 20 ? page(look) : look.brand);
}

const hasSum = (v) => v.scale === "weights" && !v.measure;

// Whether anything may be said beside the bars.
export const hasNote = (v) => hasSum(v) || v.editing === "weights";

// Beside the bars: the sum of the row, and what the dashes mean. The button of the action stands above them.
function paintAside(pen, v) {
  const { g, look } = pen;
  if (v.barRow < 0) return;
  const panel = v.selected?.[0] ?? 0;
  const row = v.shown.subarray((panel * g.queries + v.barRow) * g.keys).subarray(0, g.keys);
  const x = g.aside.x;
  const y = g.beside && !g.distribution ? g.boxes[panel].bottom + 24 : g.aside.y;
  if (hasSum(v))
    write(pen, `row sum ${number(row.reduce((a, b) => a + b, 0))}`, x, y + BARS - 14, { colour: look.ink2 });
  if (v.edited(panel, v.barRow)) write(pen, "dashed: the model’s own", x, y + BARS + 4, { colour: look.ink2 });
}
