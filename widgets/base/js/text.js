// Texts as they are drawn: shortened, measured, broken into lines.

import { context2d } from "./dom.js";
import { visible } from "./words.js";

export const LONGEST_LABEL = 14;

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

// What a reader sees as characters, at most `most + 1` of them.
function letters(text, most) {
  const out = [];
  for (const { segment } of segmenter.segment(text.slice(0, 16 * (most + 1)))) {
    out.push(segment);
    if (out.length > most) break;
  }
  return out;
}

export function shorten(text, most) {
  const all = letters(text, most);
  return all.length > most ? `${all.slice(0, most - 1).join("")}…` : all.join("");
}

const widths = new Map();
/** @type {CanvasRenderingContext2D | null} */
let measuring = null; // made when first needed, so that what computes places runs without a page, too
export function textWidth(text, font) {
  const key = `${font}|${text}`;
  if (!widths.has(key)) {
    if (widths.size > 5000) widths.clear();
    measuring ??= context2d(document.createElement("canvas"));
    measuring.font = font;
    widths.set(key, measuring.measureText(text).width);
  }
  return widths.get(key);
}

// The longest beginning of a text that fits, with an ellipsis where something is missing.
export function fitText(text, font, width) {
  if (textWidth(text, font) <= width) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (textWidth(`${text.slice(0, middle)}…`, font) <= width) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

// The longest beginning of a text that fits, in whole letters as a reader sees them.
function beginning(text, font, width) {
  let fits = "";
  for (const { segment } of segmenter.segment(text)) {
    if (textWidth(fits + segment, font) > width) break;
    fits += segment;
  }
  return fits;
}

// A text in at most `most` lines of a width, broken behind a blank, or between characters where a token has none.
export function wrapText(text, font, width, most) {
  const lines = [];
  let rest = text.slice(0, 400);
  while (lines.length < most - 1 && textWidth(rest, font) > width) {
    const fits = beginning(rest, font, width);
    if (!fits) break;
    const line = fits.slice(0, fits.lastIndexOf(" ") + 1) || fits;
    lines.push(line);
    rest = rest.slice(line.length);
  }
  return [...lines, fitText(rest, font, width)];
}

// Labels of one side: how they are written, in which type, and how wide the widest is.
export function labelStyle(labels, pitch, look) {
  const full = labels.map(visible);
  const single = full.every((text) => letters(text, 1).length <= 1);
  const size = pitch < 12 ? 11 : single && pitch >= 16 ? 15 : 13;
  const family = single ? look.mono : look.font;
  const font = `${size}px ${family}`;
  const names = full.map((text) => shorten(text, LONGEST_LABEL));
  const longest = Math.max(0, ...full.map((text) => letters(text, LONGEST_LABEL).length));
  const widest = Math.max(0, ...names.map((text) => textWidth(text, `600 ${font}`)));
  return { full, names, single, size, font, bold: `600 ${font}`, longest, widest };
}
