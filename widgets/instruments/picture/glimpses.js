// Glimpses: places in [-1, 1]^2 in their order, drawn as numbered frames with a thin line between.

import { clamp } from "../../base/js/numbers.js";
import { pointOf } from "./layout.js";

const TAG = 16; // side of a frame's number
const SMALL = 40; // side of a frame whose number would hide much of the coarser ones around it
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

// The path of a panel; of the last glimpse all scales are drawn, of the others the finest. `aim`: a place in the hand.
// Beyond the image a frame is cut off: there is nothing to be seen.
export function paintGlimpses(pen, v, panel) {
  const { ctx, g, look } = pen;
  const aim = v.aim?.panel === panel ? v.aim.place : null;
  const points = v.paths[panel].map(([x, y]) => pointOf(g, panel, x, y));
  const held = aim && pointOf(g, panel, ...aim);
  if (!points.length && !held) return;
  const box = g.boxes[panel];
  const side = v.glimpseSize * g.pixel;
  const isSmall = side < SMALL;
  ctx.save();
  ctx.beginPath();
  ctx.rect(box.x, box.y, g.w, g.h);
  ctx.clip();
  for (const halo of [2, 0]) {
    const frames = (point, colour, line, scales = 1) => {
      for (let s = 0; s < scales; s++)
        frame(pen, box, point, side * 2 ** s, halo ? HALO : colour, (s ? 1 : line) + halo);
    };
    join(ctx, points, halo ? HALO : look.mark.query, 1 + halo);
    points.forEach((point, i) => {
      const last = i === points.length - 1;
      frames(point, look.mark.query, last && !isSmall ? 2.5 : 1.5, last && !held ? v.glimpseScales : 1);
    });
    if (held) frames(held, look.brand, 2.5, v.glimpseScales);
  }
  ctx.restore();
  const whole = isSmall ? side * 2 ** (v.glimpseScales - 1) : side;
  const here = points.map(String);
  points.forEach((point, i) => {
    const all = here.flatMap((place, n) => (place === here[i] ? [n + 1] : []));
    if (all.at(-1) === i + 1) tag(pen, box, point, whole, all.join(", ")); // frames that lie on one another have one
  });
}

// The corner of a square of whole pixels around a point: the same pixels that a retina would read.
export function corner(pixel, [x, y], side) {
  return [x, y].map((middle) => Math.floor((middle - side / 2) / pixel + 0.5) * pixel);
}

// The line lies around the square: all of its pixels are seen.
function frame({ ctx, g }, box, [x, y], side, colour, line) {
  const [left, top] = corner(g.pixel, [x - box.x, y - box.y], side);
  Object.assign(ctx, { strokeStyle: colour, lineWidth: line });
  ctx.strokeRect(box.x + left - line / 2, box.y + top - line / 2, side + line, side + line);
}

// The line from each point to the next.
function join(ctx, points, colour, line) {
  Object.assign(ctx, { strokeStyle: colour, lineWidth: line });
  ctx.beginPath();
  points.forEach(([x, y], i) => ctx[i ? "lineTo" : "moveTo"](x, y));
  ctx.stroke();
}

// The number of a frame of that side, at its upper left corner, outside it where there is room.
function tag({ ctx, g, look }, box, [x, y], side, number) {
  const wide = TAG + 6 * (number.length - 1);
  const [left, top] = corner(g.pixel, [x - box.x, y - box.y], side);
  const [tagX, tagY] = [clamp(left - 1, 0, g.w - wide) + box.x, clamp(top - TAG, 0, g.h - TAG) + box.y];
  ctx.fillStyle = look.mark.query;
  ctx.fillRect(tagX, tagY, wide, TAG);
  Object.assign(ctx, { font: `600 12px ${look.font}`, fillStyle: "#000", textAlign: "center" });
  ctx.fillText(number, tagX + wide / 2, tagY + TAG - 4);
}
