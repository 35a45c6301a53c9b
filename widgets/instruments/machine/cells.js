// The canvas below the SVG: all cells, and what lies below them, in the order of the marks.

import { blank, context2d } from "../../base/js/dom.js";
import { hatch } from "../../base/js/hatch.js";
import { clamp } from "../../base/js/numbers.js";
import { css, inkOn, pixel } from "../../base/js/theme.js";
import { number, shortNumber } from "../../base/js/words.js";
import { hasNaN, once } from "./tensors.js";

const STEPS = 256; // colours of a scale
const FEW = 300; // cells that are filled one by one; more are a picture of one pixel a cell
const NAN = -1; // the step of what is no number

// Colours of both scales, as CSS, as pixels, and black or white to write on them; kept for as long as the look.
const palettes = new WeakMap();
function palette(look, scale) {
  if (!palettes.has(look)) palettes.set(look, {});
  const known = palettes.get(look);
  return (known[scale] ??= (() => {
    const at = (i) => (scale === "weights" ? look.weights(i / STEPS) : look.scores((2 * i) / STEPS - 1, 1));
    const colours = Array.from({ length: STEPS + 1 }, (_, i) => at(i));
    const pixels = Uint32Array.from(colours, (rgb) => pixel(rgb));
    return { css: colours.map(css), pixels, inks: colours.map(inkOn) };
  })());
}

function step(x, scale, limit) {
  if (Number.isNaN(x)) return NAN;
  return clamp(Math.round((scale === "weights" ? x / limit : x / limit / 2 + 0.5) * STEPS), 0, STEPS);
}

export class Cells {
  constructor(canvas) {
    this.canvas = canvas;
    this.small = document.createElement("canvas");
    this.last = [];
  }

  // Paints the marks that are not the SVG's, unless the same stand there.
  paint(marks, { width, height }, look, colour) {
    const ratio = devicePixelRatio || 1;
    const now = [width, height, look, ratio, ...marks.flatMap(signature)];
    if (now.length === this.last.length && now.every((x, i) => Object.is(x, this.last[i]))) return;
    this.last = now;
    const ctx = blank(this.canvas, { width, height, ratio });
    ctx.textAlign = "center";
    const snap = (x) => Math.round(x * ratio) / ratio;
    const stripes = () => once(look, `stripes ${ratio}`, () => hatch(ctx, look.hatch, css(look.page))); // where masked
    const pen = { ctx, look, colour, snap, stripes };
    for (const mark of marks) {
      ctx.globalAlpha = mark.opacity ?? 1;
      if (mark.kind === "cells") this.cells(pen, mark);
      else shape(pen, mark);
    }
    ctx.globalAlpha = 1;
  }

  cells(pen, mark) {
    const { scale, table } = mark;
    if (scale === "image") this.picture(pen, mark, imagePixels(table));
    else if (scale !== "scores" && scale !== "weights") bars(pen, mark);
    else if (table.rows * table.columns <= FEW) filled(pen, mark);
    else this.picture(pen, mark, scalePixels(mark, palette(pen.look, scale).pixels));
    if (mark.mask) hatched(pen, mark);
    crossed(pen, mark);
    if (mark.numbers) written(pen, mark);
  }

  // Many cells: one pixel each, enlarged without smoothing.
  picture({ ctx, snap }, { x, y, width, height, table }, pixels) {
    const { rows, columns } = table;
    Object.assign(this.small, { width: columns, height: rows });
    const own = context2d(this.small);
    own.putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), columns, rows), 0, 0);
    ctx.imageSmoothingEnabled = false;
    const [left, top] = [snap(x), snap(y)];
    ctx.drawImage(this.small, left, top, snap(x + width) - left, snap(y + height) - top);
  }
}

function scalePixels({ table: { data }, scale, limit }, colours) {
  const pixels = new Uint32Array(data.length);
  for (let i = 0; i < data.length; i++) {
    const at = step(data[i], scale, limit);
    if (at !== NAN) pixels[i] = colours[at];
  }
  return pixels;
}

// An image as it is: each pixel its red, green and blue, or one number for all three, from 0 to 1.
function imagePixels({ rows, columns, data }) {
  const [channels, byte] = [data.length / (rows * columns), (x) => clamp(Math.round(255 * x), 0, 255)];
  return Uint32Array.from({ length: rows * columns }, (_, i) => {
    return pixel([0, 1, 2].map((c) => byte(data[channels * i + (channels === 3 ? c : 0)])));
  });
}

const signature = (mark) => {
  const { key, x, y, d, dash, width, height, opacity, fill, stroke, tint, limit, scale, table } = mark;
  return [key, x, y, d, dash, width, height, opacity, fill, stroke, tint, limit, scale, table];
};

// A rectangle or a path that lies below the cells.
function shape({ ctx, colour }, { kind, x, y, width, height, radius, d, fill, stroke, thick, dash, tint }) {
  const path = new Path2D(d);
  if (kind === "rect") path.roundRect(x, y, width, height, radius ?? 0);
  if (fill) {
    ctx.fillStyle = colour(fill, false, tint);
    ctx.fill(path);
  }
  if (!stroke) return;
  ctx.strokeStyle = colour(stroke, false, tint);
  ctx.lineWidth = thick;
  ctx.setLineDash(dash ? dash.split(" ").map(Number) : []);
  ctx.stroke(path);
  ctx.setLineDash([]);
}

// The box of each cell, its edges on the screen's pixels: visit(index, x, y, width, height, value).
function each({ snap }, { x, y, width, height, table }, visit) {
  const { rows, columns, data } = table;
  for (let r = 0, i = 0, bottom = snap(y); r < rows; r++) {
    const top = bottom;
    bottom = snap(y + ((r + 1) * height) / rows);
    for (let c = 0, right = snap(x); c < columns; c++, i++) {
      const left = right;
      right = snap(x + ((c + 1) * width) / columns);
      visit(i, left, top, right - left, bottom - top, data[i]);
    }
  }
}

function filled(pen, mark) {
  const { css } = palette(pen.look, mark.scale);
  each(pen, mark, (i, x, y, width, height, value) => {
    const at = step(value, mark.scale, mark.limit);
    if (at === NAN) return;
    pen.ctx.fillStyle = css[at];
    pen.ctx.fillRect(x, y, width, height);
  });
}

// A role's numbers: a pale ground, and a bar from each cell's middle, left for minus.
function bars(pen, mark) {
  const { ctx, colour } = pen;
  const opacity = ctx.globalAlpha;
  ctx.fillStyle = colour(mark.scale);
  ctx.globalAlpha = 0.13 * opacity;
  ctx.fillRect(mark.x, mark.y, mark.width, mark.height);
  ctx.globalAlpha = opacity;
  each(pen, mark, (i, x, y, width, height, value) => {
    const long = Math.min(1, Math.abs(value) / mark.limit || 0) * (width / 2 - 2);
    ctx.fillRect(value < 0 ? x + width / 2 - long : x + width / 2, y + height - 6, long, 3);
  });
}

// Masked cells, where `mask` is 0.
function hatched({ ctx, snap, stripes }, { x, y, width, height, mask }) {
  const { rows, columns, data } = mask;
  const left = (column) => snap(x + (column * width) / columns);
  const path = new Path2D();
  for (let r = 0; r < rows; r++) {
    const [top, bottom] = [snap(y + (r * height) / rows), snap(y + ((r + 1) * height) / rows)];
    for (let c = 0, first = -1; c <= columns; c++) {
      const isMasked = c < columns && !data[r * columns + c];
      if (isMasked && first < 0) first = c;
      if (isMasked || first < 0) continue;
      path.rect(left(first), top, left(c) - left(first), bottom - top); // many cells at once: a mask is mostly runs
      first = -1;
    }
  }
  ctx.fillStyle = stripes();
  ctx.fill(path);
}

// What is no number is crossed out.
function crossed(pen, mark) {
  if (mark.scale === "image" || !hasNaN(mark.table)) return;
  const path = new Path2D();
  each(pen, mark, (i, x, y, width, height, value) => {
    if (!Number.isNaN(value)) return;
    path.moveTo(x, y);
    path.lineTo(x + width, y + height);
    path.moveTo(x, y + height);
    path.lineTo(x + width, y);
  });
  pen.ctx.strokeStyle = pen.look.error;
  pen.ctx.lineWidth = 1;
  pen.ctx.stroke(path);
}

// Numbers in the cells; `numbers`: { size, decimals, short }. A masked cell has none.
function written(pen, mark) {
  const { ctx, look } = pen;
  const { size, decimals, short } = mark.numbers;
  const isRole = mark.scale !== "scores" && mark.scale !== "weights";
  const isPale = isRole || (mark.opacity ?? 1) < 0.7; // what has faded is no longer dark enough for white numbers
  const inks = isPale ? null : palette(look, mark.scale).inks;
  const write = short ? shortNumber : number;
  if (size !== pen.size) ctx.font = `${size}px ${look.font}`; // to set it anew costs more than to write with it
  pen.size = size;
  each(pen, mark, (i, x, y, width, height, value) => {
    if (Number.isNaN(value) || (mark.mask && !mark.mask.data[i])) return;
    ctx.fillStyle = inks ? inks[step(value, mark.scale, mark.limit)] : look.ink;
    ctx.fillText(write(value, decimals), x + width / 2, y + height / 2 + (isRole ? 2 : 0.35 * size));
  });
}
