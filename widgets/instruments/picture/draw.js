// The paint: images, the grid's colours over them, the hatch of what may not be seen, and what the hand points at.
// A pen holds `ctx`, `look`, the geometry `g`, and the view's memory `once`.

import { context2d } from "../../base/js/dom.js";
import { hatch } from "../../base/js/hatch.js";
import { clamp } from "../../base/js/numbers.js";
import { fitText } from "../../base/js/text.js";
import { css, pixel } from "../../base/js/theme.js";
import { around } from "./grid.js";
import { EDGE, LINE, placeBox } from "./layout.js";
import { isHome } from "./patches.js";
import { NOT_A_NUMBER } from "./traits.js";

const SHADES = 256;
const FULL = 0.8; // how much of the image the fullest colour covers
const VEIL = 0.8; // how much of a coloured image is covered where there is no weight
// Where on the scale that colour is, of the light and the dark theme's: it must be seen on dark images and on light ones.
const TONES = { false: { dark: 0.45, light: 0.88 }, true: { dark: 0.7, light: 0.3 } };

const veil = (look, alpha) => `rgba(${look.page}, ${alpha})`;

// What lies over an image, from the least number to the greatest. Over a grey one the scale's colour: the more, the less
// of the image, and zero is the image itself. A coloured one has colours of its own, which weights uncover: the page's
// colour lies over it, the less of it the larger the weight.
export function palette(look, scale, image) {
  if (image === "colour" && scale === "weights")
    return Uint32Array.from({ length: SHADES + 1 }, (_, i) => pixel(look.page, VEIL * (1 - i / SHADES)));
  const tone = TONES[look.dark][image === "dark" ? "dark" : "light"];
  return Uint32Array.from({ length: SHADES + 1 }, (_, i) => {
    const share = scale === "weights" ? i / SHADES : (2 * i) / SHADES - 1;
    const rgb = scale === "weights" ? look.weights(tone) : look.scores(Math.sign(share) * tone, 1);
    return pixel(rgb, FULL * Math.abs(share));
  });
}

// Whether an image has colours; if not, whether it is rather dark or rather light, all frames and panels together.
export function ground({ data, shape }) {
  if (shape[4] > 1) return "colour";
  let sum = 0;
  for (const byte of data) sum += byte;
  return sum < 0.5 * NOT_A_NUMBER * data.length ? "dark" : "light";
}

const shade = (v, x) => Math.round(SHADES * clamp(v.scale === "weights" ? x / v.limit : x / v.limit / 2 + 0.5, 0, 1));

function sheet(width, height) {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  return canvas;
}

// The image of a panel, a dot a pixel.
function imageSheet(pen, v, panel) {
  const own = v.imageOf(panel);
  const { data, shape } = v.image;
  return pen.once(`image ${own}`, [v.image, v.imageFrame, pen.look], () => {
    const [, panels, height, width, channels] = shape;
    const canvas = sheet(width, height);
    const ctx = context2d(canvas);
    const picture = ctx.createImageData(width, height);
    const pixels = new Uint32Array(picture.data.buffer);
    const start = (v.imageFrame * panels + own) * height * width * channels;
    const light = (byte) => Math.round((byte * 255) / 254);
    const bad = [];
    for (let i = 0, at = start; i < pixels.length; i++, at += channels) {
      const rgb = channels > 1 ? [data[at], data[at + 1], data[at + 2]] : [data[at], data[at], data[at]];
      if (rgb.includes(NOT_A_NUMBER)) bad.push(i);
      pixels[i] = pixel(rgb.map(light));
    }
    ctx.putImageData(picture, 0, 0);
    ctx.fillStyle = pen.look.error;
    for (const i of bad) ctx.fillRect(i % width, Math.floor(i / width), 1, 1);
    return canvas;
  });
}

export function paintImage(pen, v, panel) {
  const { ctx, g } = pen;
  const box = g.boxes[panel];
  const image = imageSheet(pen, v, panel);
  ctx.imageSmoothingEnabled = g.pixel * g.ratio < 2; // enlarged pixels stay pixels
  ctx.imageSmoothingQuality = "high";
  if (!v.cells || isHome(v.order)) {
    ctx.drawImage(image, box.x, box.y, g.w, g.h);
    return;
  }
  for (const place of v.order.keys()) paintPatch(pen, v, panel, place, placeBox(g, panel, place));
}

// The patch that stands at a place, drawn into any box.
function paintPatch(pen, v, panel, place, { x, y, w, h }) {
  const cell = v.order[place];
  const [wide, high] = [v.width / v.columns, v.height / v.rows];
  const [left, top] = [(cell % v.columns) * wide, Math.floor(cell / v.columns) * high];
  pen.ctx.drawImage(imageSheet(pen, v, panel), left, top, wide, high, x, y, w, h);
}

// The grid as one small picture of a dot a cell, enlarged without smoothing.
export function paintWeights(pen, v, panel) {
  if (!v.weights) return;
  const { ctx, g, shades } = pen;
  const small = pen.once("small", [v.rows, v.columns], () => {
    const canvas = sheet(v.columns, v.rows);
    const dots = context2d(canvas).createImageData(v.columns, v.rows);
    return { canvas, dots, pixels: new Uint32Array(dots.data.buffer) };
  });
  const shown = v.shown(panel);
  v.order.forEach((cell, place) => {
    const x = shown[cell];
    small.pixels[place] = Number.isNaN(x) || !v.allowed(panel, cell) ? 0 : shades[shade(v, x)];
  });
  context2d(small.canvas).putImageData(small.dots, 0, 0);
  const box = g.boxes[panel];
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(small.canvas, box.x, box.y, g.w, g.h);
}

// Cells that may not be attended to are hatched, those that are not a number crossed out.
export function paintSpecial(pen, v, panel) {
  const { ctx, g, look } = pen;
  const shown = v.weights && v.shown(panel);
  const [hidden, crosses] = [new Path2D(), new Path2D()];
  let [any, crossed] = [false, false];
  v.order.forEach((cell, place) => {
    const masked = !v.allowed(panel, cell);
    if (!masked && !Number.isNaN(shown?.[cell])) return;
    const { x, y, w, h } = placeBox(g, panel, place);
    if (masked) {
      hidden.rect(x, y, w, h);
      any = true;
    } else {
      const inset = Math.min(6, w / 5, h / 5);
      crosses.moveTo(x + inset, y + inset);
      crosses.lineTo(x + w - inset, y + h - inset);
      crosses.moveTo(x + inset, y + h - inset);
      crosses.lineTo(x + w - inset, y + inset);
      crossed = true;
    }
  });
  if (any) {
    ctx.fillStyle = pen.once("hatch", [look, g.ratio], () => hatch(ctx, look.ink2, veil(look, 0.72)));
    ctx.fill(hidden);
  }
  if (crossed) {
    for (const [colour, line] of [
      [css(look.page), 4],
      [look.error, 2],
    ]) {
      Object.assign(ctx, { strokeStyle: colour, lineWidth: line });
      ctx.stroke(crosses);
    }
  }
}

// Lines between patches that can be taken, hairlines between cells that can be painted; a line around the image.
export function paintLines(pen, v, panel) {
  const { ctx, g, look } = pen;
  const box = g.boxes[panel];
  const tiles = v.editing === "order" || !isHome(v.order);
  if (v.cells && (tiles || v.editing === "mask" || v.editing === "weights") && Math.min(g.cell.w, g.cell.h) >= 6) {
    ctx.fillStyle = `rgba(${look.page.map((x) => (x + (look.dark ? 255 : 0)) / 2)}, ${tiles ? 1 : 0.4})`; // grey: on any image
    const thick = (tiles ? Math.max(1, Math.round(1.5 * g.ratio)) : 1) / g.ratio;
    for (let c = 1; c < g.columns; c++) ctx.fillRect(g.snap(box.x + c * g.cell.w - thick / 2), box.y, thick, g.h);
    for (let r = 1; r < g.rows; r++) ctx.fillRect(box.x, g.snap(box.y + r * g.cell.h - thick / 2), g.w, thick);
  }
  ctx.strokeStyle = look.grid2;
  ctx.lineWidth = 1 / g.ratio;
  ctx.strokeRect(box.x - 0.5 / g.ratio, box.y - 0.5 / g.ratio, g.w + 1 / g.ratio, g.h + 1 / g.ratio);
}

export function paintTitles(pen, v) {
  const { ctx, g, look } = pen;
  const write = (text, font, colour, x, y) => {
    Object.assign(ctx, { font, fillStyle: colour, textAlign: "left" });
    ctx.fillText(fitText(text, font, Math.max(g.w, 120)), x, y);
  };
  if (v.named) write(v.frameName, `600 13px ${look.font}`, look.ink, g.boxes[0].x, EDGE + LINE - 9);
  v.titles.forEach((title, panel) => {
    const box = g.boxes[panel];
    if (box) write(title, `12px ${look.font}`, look.ink2, box.x, box.y - 8);
  });
}

function outline(pen, { x, y, w, h }, out, line, colour) {
  pen.ctx.strokeStyle = colour;
  pen.ctx.lineWidth = line;
  pen.ctx.strokeRect(x - out, y - out, w + 2 * out, h + 2 * out);
}

// Ink between two lines of the page's colour: it is seen on any image.
function ring(pen, box, colour, line) {
  outline(pen, box, 0, line + 3, css(pen.look.page));
  outline(pen, box, 0, line, colour);
}

const boxOf = (g, v, [panel, row, column]) => placeBox(g, panel, v.places[row * v.columns + column]);

// Pointed at: an outline. Chosen: a stronger one; with the keyboard's focus it is the brand's.
export function paintMarks(pen, v) {
  const { g, look } = pen;
  if (v.focus && !v.selected && !v.aim) {
    const box = g.boxes[0];
    outline(pen, { x: box.x, y: box.y, w: g.w, h: g.h }, 3, 2.5, look.brand);
  }
  if (v.hovered && !v.carry) ring(pen, boxOf(g, v, v.hovered), look.ink, 1.25);
  if (v.selected && !v.carry) ring(pen, boxOf(g, v, v.selected), v.focus ? look.brand : look.ink, v.focus ? 2.5 : 2);
}

// What is in the hand: where it was taken, where it would go.
export function paintCarry(pen, v) {
  const { carry } = v;
  if (!carry) return;
  const { ctx, g, look } = pen;
  const from = placeBox(g, carry.panel, carry.from);
  const to = placeBox(g, carry.panel, carry.to);
  if (v.editing === "order") {
    ctx.fillStyle = veil(look, 0.6);
    ctx.fillRect(from.x, from.y, from.w, from.h);
    const held = carry.at ? { ...from, x: carry.at[0] - from.w / 2, y: carry.at[1] - from.h / 2 } : to;
    if (carry.to !== carry.from) ring(pen, to, look.brand, 2);
    ctx.imageSmoothingEnabled = g.pixel * g.ratio < 2;
    if (carry.at) paintPatch(pen, v, carry.panel, carry.from, held);
    ring(pen, held, look.brand, 2.5);
    return;
  }
  const reached = (place) => {
    const cells = around([Math.floor(place / g.columns), place % g.columns], v.reach, g.rows, g.columns);
    const [first, last] = [cells[0], cells.at(-1)].map(([r, c]) => placeBox(g, carry.panel, r * g.columns + c));
    return { x: first.x, y: first.y, w: last.x + last.w - first.x, h: last.y + last.h - first.y };
  };
  const [a, b] = [reached(carry.from), reached(carry.to)];
  ctx.setLineDash([4, 3]);
  ring(pen, a, look.brand, 1.5);
  if (carry.from !== carry.to) {
    ctx.beginPath();
    ctx.moveTo(from.x + from.w / 2, from.y + from.h / 2);
    ctx.lineTo(to.x + to.w / 2, to.y + to.h / 2);
    ctx.stroke();
  }
  ctx.setLineDash([]);
  ring(pen, b, look.brand, 2.5);
}
