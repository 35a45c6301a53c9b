// Glimpses: places in [-1, 1]^2 in their order, drawn as numbered frames with a thin line between.

import { clamp } from "../../base/js/numbers.js";
import { pointOf } from "./layout.js";

const TAG = 16; // side of a frame's number
const HALO = "rgba(0, 0, 0, .55)"; // around lines over an image of any colour

// The path of each panel.
export function paths(glimpses, panels) {
  return Array.from({ length: panels }, (_, panel) => glimpses.filter(([, , own]) => (own ?? 0) === panel));
}

// Shares of an image as a place that is written with two decimals.
export const placed = ({ across, down }) =>
  [across, down].map((share) => Math.round(clamp(2 * share - 1, -1, 1) * 100) / 100);

// A path and one more place; the panel is named where there are several.
export const added = (glimpses, panel, place, panels) => [...glimpses, panels > 1 ? [...place, panel] : [...place]];

// The same without the last one of a panel; of any where `panel` is -1.
export function withoutLast(glimpses, panel) {
  const at = glimpses.findLastIndex(([, , own]) => panel < 0 || (own ?? 0) === panel);
  return glimpses.filter((_, i) => i !== at);
}

function stroke(ctx, colour, line) {
  for (const [style, width] of [
    [HALO, line + 2],
    [colour, line],
  ]) {
    ctx.strokeStyle = style;
    ctx.lineWidth = width;
    ctx.stroke();
  }
}

function frame(ctx, [x, y], side, colour, line) {
  ctx.beginPath();
  ctx.rect(x - side / 2, y - side / 2, side, side);
  stroke(ctx, colour, line);
}

// The path of a panel; of the last glimpse all scales are drawn, of the others the finest. `aim`: a place in the hand.
export function paintGlimpses(pen, v, panel) {
  const { ctx, g, look } = pen;
  const aim = v.aim?.panel === panel ? v.aim.place : null;
  const path = v.paths[panel];
  const points = path.map(([x, y]) => pointOf(g, panel, x, y));
  const side = v.glimpseSize * g.pixel;
  const scales = (point, colour) => {
    for (let s = v.glimpseScales - 1; s > 0; s--) frame(ctx, point, side * 2 ** s, colour, 1);
  };
  ctx.save();
  const box = g.boxes[panel];
  ctx.beginPath();
  ctx.rect(box.x - g.edge, box.y - g.edge, g.w + 2 * g.edge, g.h + 2 * g.edge);
  ctx.clip();
  if (points.length > 1) {
    ctx.beginPath();
    for (const [i, [x, y]] of points.entries()) ctx[i ? "lineTo" : "moveTo"](x, y);
    stroke(ctx, look.mark.query, 1);
  }
  if (points.length && !aim) scales(points.at(-1), look.mark.query);
  for (const [i, point] of points.entries())
    frame(ctx, point, side, look.mark.query, i === points.length - 1 ? 2.5 : 1.5);
  if (aim) {
    const point = pointOf(g, panel, ...aim);
    scales(point, look.brand);
    frame(ctx, point, side, look.brand, 2);
  }
  for (const [i, point] of points.entries()) tag(pen, point, side, i + 1);
  ctx.restore();
}

// A frame's number, at its upper left corner, outside it where there is room.
function tag(pen, [x, y], side, n) {
  const { ctx, look } = pen;
  const wide = n > 9 ? TAG + 6 : TAG;
  const [left, top] = [x - side / 2 - 1, Math.max(0, y - side / 2 - TAG)];
  ctx.fillStyle = look.mark.query;
  ctx.fillRect(left, top, wide, TAG);
  ctx.font = `600 12px ${look.font}`;
  ctx.fillStyle = "#000";
  ctx.textAlign = "center";
  ctx.fillText(String(n), left + wide / 2, top + TAG - 4);
}
