// Where the images stand, in CSS pixels. Pure functions of sizes and of the width there is.

import { clamp } from "../../base/js/numbers.js";

const GAP = 24; // between images
export const LINE = 22; // of a title
export const EDGE = 6; // around all, for the rings of focus and choice
const ALONE = 320; // longest side of an image
const BESIDE = 200; // of one among others

// CSS pixels a pixel of the image. One that is enlarged keeps whole dots of the screen, so that its pixels are equal.
function zoom(longest, side, ratio) {
  const dots = (side / longest) * ratio;
  return (dots >= 2 ? Math.floor(dots) : dots) / ratio;
}

// `what`: width, ratio, panels, pixels: [height, width] of an image, grid: [rows, columns], side, titled, named.
export function pictureLayout(what) {
  const { width, ratio, panels, pixels, grid } = what;
  const [high, wide] = pixels;
  const room = Math.max(48, width - 2 * EDGE);
  const wanted = what.side || (panels > 1 ? Math.min(BESIDE, Math.max(120, (room - GAP) / 2)) : ALONE);
  const fits = zoom(wide, room, ratio);
  const pixel = Math.min(zoom(Math.max(high, wide), wanted, ratio), fits);
  const [w, h] = [wide * pixel, high * pixel];
  const line = clamp(Math.floor((room + GAP) / (w + GAP)), 1, panels);
  const top = EDGE + (what.named ? LINE : 0);
  const title = what.titled ? LINE : 0;
  const snap = (x) => Math.round(x * ratio) / ratio;
  const boxes = Array.from({ length: panels }, (_, p) => ({
    x: snap(EDGE + (p % line) * (w + GAP)),
    y: snap(top + title + Math.floor(p / line) * (h + title + GAP)),
  }));
  return {
    boxes,
    w,
    h,
    pixel,
    line,
    ratio,
    snap,
    rows: grid[0],
    columns: grid[1],
    cell: { w: w / (grid[1] || 1), h: h / (grid[0] || 1) },
    width: Math.ceil(2 * EDGE + line * w + (line - 1) * GAP),
    height: Math.ceil(boxes[panels - 1].y + h + EDGE),
  };
}

// The panel under a point and where in it, in shares of its width and height; null beside all.
// `held`: the panel that a drag holds, beyond its edges, too.
export function panelAt(g, x, y, held = -1) {
  const inside = ({ x: left, y: top }) => x >= left && y >= top && x < left + g.w && y < top + g.h;
  const panel = held >= 0 ? held : g.boxes.findIndex(inside);
  if (panel < 0) return null;
  const box = g.boxes[panel];
  return { panel, across: clamp((x - box.x) / g.w, 0, 1), down: clamp((y - box.y) / g.h, 0, 1) };
}

// The place of the grid, counted row by row, at such shares; -1 where there is no grid.
export function placeAt(g, { across, down }) {
  if (!g.rows) return -1;
  const row = Math.min(g.rows - 1, Math.floor(down * g.rows));
  return row * g.columns + Math.min(g.columns - 1, Math.floor(across * g.columns));
}

// Where a place of the grid is drawn, on whole dots of the screen.
export function placeBox(g, panel, place) {
  const box = g.boxes[panel];
  const [row, column] = [Math.floor(place / g.columns), place % g.columns];
  const [x, y] = [g.snap(box.x + column * g.cell.w), g.snap(box.y + row * g.cell.h)];
  const right = g.snap(box.x + (column + 1) * g.cell.w);
  return { x, y, w: right - x, h: g.snap(box.y + (row + 1) * g.cell.h) - y };
}

// Of [-1, 1]^2, -1 the left and upper edge of an image: in CSS pixels.
/** @returns {[number, number]} */
export function pointOf(g, panel, x, y) {
  const box = g.boxes[panel];
  return [box.x + ((x + 1) / 2) * g.w, box.y + ((y + 1) / 2) * g.h];
}
