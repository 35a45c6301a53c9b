// The hatch of what is masked.

import { context2d } from "./dom.js";

const PITCH = 6; // CSS pixels from one stripe to the next
const STRIPE = 1.6;

// Slanting stripes of a colour as a pattern to fill with, between them `ground` or nothing. Sharp at any pixel ratio.
export function hatch(ctx, stripe, ground = "") {
  const scale = Math.max(1, Math.round(devicePixelRatio * 2));
  const tile = document.createElement("canvas");
  tile.width = tile.height = PITCH * scale;
  const pen = context2d(tile);
  if (ground) {
    pen.fillStyle = ground;
    pen.fillRect(0, 0, tile.width, tile.height);
  }
  pen.fillStyle = stripe;
  pen.fillRect(0, 0, STRIPE * scale, tile.height);
  const pattern = ctx.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix().rotate(45).scale(1 / scale));
  return pattern;
}
