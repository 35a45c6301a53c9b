// What all of the matrix's painting draws with.
// A pen holds `ctx`, `look` and the geometry `g`; `v` is what is to be seen now. In `v`, cells are [panel, query, key] of
// the data; `v.rows[r]` and `v.columns[c]` say which stands at a place.

import { css } from "../../base/js/theme.js";

/** @param {{ font?: string, colour?: string, align?: CanvasTextAlign, alpha?: number }} how */
export function write(pen, text, x, y, how = {}) {
  const { ctx, look } = pen;
  const { font, colour, align = "left", alpha = 1 } = how;
  ctx.font = font ?? `12px ${look.font}`;
  ctx.fillStyle = colour ?? look.ink;
  ctx.textAlign = align;
  ctx.globalAlpha = alpha;
  ctx.fillText(text, x, y);
  ctx.globalAlpha = 1;
}

// A line along the pixels, so that it is sharp at every pixel ratio. `thick` in CSS pixels.
export function rule(pen, x, y, width, height, colour) {
  const { ctx, g } = pen;
  const thick = Math.max(1, Math.round(g.ratio)) / g.ratio;
  ctx.fillStyle = colour;
  ctx.fillRect(g.snap(x), g.snap(y), width || thick, height || thick);
}

export function outline(pen, x, y, width, height, colour, line, radius = 0) {
  const { ctx } = pen;
  ctx.strokeStyle = colour;
  ctx.lineWidth = line;
  ctx.beginPath();
  ctx.roundRect(x, y, width, height, radius);
  ctx.stroke();
}

export function dashes(pen, from, to, y, colour, line, pattern) {
  const { ctx } = pen;
  ctx.setLineDash(pattern);
  ctx.strokeStyle = colour;
  ctx.lineWidth = line;
  ctx.beginPath();
  ctx.moveTo(from, y);
  ctx.lineTo(to, y);
  ctx.stroke();
  ctx.setLineDash([]);
}

export const page = (look) => css(look.page);

export const isFaded = (v, query) => v.produced >= 0 && query > v.produced;

export const FADED_LABEL = 0.38;
