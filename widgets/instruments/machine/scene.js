// Marks in the SVG: kept by key, and only what differs is changed. Places in the picture are the layout's alone.

import { svg as element } from "../../base/js/dom.js";

const TAGS = { rect: "rect", path: "path", text: "text" };

// The attributes of a mark; those that are undefined are absent.
function attributes(mark, colour) {
  const { fill, stroke, tint, opacity, dash } = mark;
  const shared = { opacity: opacity === 1 ? undefined : opacity };
  if (mark.kind === "text")
    return {
      ...shared,
      x: mark.x,
      y: mark.y,
      fill: colour(mark.colour, true),
      "font-size": mark.size,
      "font-weight": mark.bold ? 600 : undefined,
      "text-anchor": mark.anchor,
      transform: mark.turn ? `rotate(${mark.turn} ${mark.x} ${mark.y})` : undefined,
    };
  return {
    ...shared,
    ...(mark.kind === "rect"
      ? { x: mark.x, y: mark.y, width: mark.width, height: mark.height, rx: mark.radius }
      : { d: mark.d }),
    fill: fill ? colour(fill, false, tint) : "none",
    stroke: stroke && colour(stroke, false, tint),
    "stroke-width": mark.thick,
    "stroke-dasharray": dash,
    "stroke-linejoin": stroke && mark.kind === "path" ? "round" : undefined,
  };
}

// scene(parent)(items): elements for { key, tag, attributes, text } in this order; what is not named goes.
export function scene(parent) {
  const kept = new Map(); // key -> { el, attributes, text }
  return (items) => {
    const named = new Set(items.map(({ key }) => key));
    for (const [key, { el }] of kept)
      if (!named.has(key)) {
        el.remove(); // at first, so that none that stays is moved: an element that is moved loses the focus
        kept.delete(key);
      }
    let next = parent.firstChild;
    for (const { key, tag, attributes, text } of items) {
      let one = kept.get(key);
      if (one && one.el.localName !== tag) {
        if (one.el === next) next = next.nextSibling;
        one.el.remove();
        one = undefined;
      }
      if (!one) kept.set(key, (one = { el: element(tag), attributes: {}, text: undefined }));
      change(one, attributes, text);
      if (one.el === next) next = next.nextSibling;
      else parent.insertBefore(one.el, next);
    }
    return kept;
  };
}

function change(one, attributes, text) {
  const { el } = one;
  for (const name in one.attributes)
    if (attributes[name] === undefined && one.attributes[name] !== undefined) el.removeAttribute(name);
  for (const name in attributes)
    if (attributes[name] !== one.attributes[name] && attributes[name] !== undefined)
      el.setAttribute(name, attributes[name]);
  if (text !== one.text) el.textContent = text;
  one.attributes = attributes;
  one.text = text;
}

// The marks of a picture that stand in the SVG.
export const drawn = (marks, colour) =>
  marks
    .filter((mark) => mark.kind !== "cells" && !mark.below)
    .map((mark) => ({ key: mark.key, tag: TAGS[mark.kind], attributes: attributes(mark, colour), text: mark.text }));
