// Marks of SVG in a view's picture.

import { svg } from "../../base/js/dom.js";

export const middle = { "text-anchor": "middle" };
export const end = { "text-anchor": "end" };

export function draw(tag, attributes, parent, text) {
  const el = svg(tag, attributes, ...(text === undefined ? [] : [text]));
  parent.append(el);
  return el;
}

export const rect = (view, x, y, width, height, more) => draw("rect", { x, y, width, height, ...more }, view.svg);
export const text = (view, x, y, words, kind = "", more = {}) =>
  draw("text", { x, y, class: kind, ...more }, view.svg, words);
export const line = (view, x1, y1, x2, y2, stroke = "var(--grid2)") =>
  draw("line", { x1, y1, x2, y2, style: `stroke:${stroke}` }, view.svg);
