// What every layout of the Machine must hold, without a page: letters are as wide as those of a wide font.

import { beside } from "../../widgets/instruments/machine/follow.js";

export const measure = (text, size = 13, bold = false) => text.length * size * (bold ? 0.6 : 0.56);

export const fit = (text, width, size, bold) => {
  const letters = [...text];
  while (letters.length > 1 && measure(letters.join(""), size, bold) > width) letters.pop();
  return letters.join("");
};

export const LOOK = { width: 1052, frame: 0, p: 1, zoom: "", chosen: [], off: new Set(), measure, fit };

// The boxes of all texts. A turned one has the box that holds it.
function textBoxes({ marks }) {
  return marks
    .filter(({ kind, text }) => kind === "text" && text)
    .map(({ key, x, y, text, size, bold, anchor, turn }) => {
      const wide = measure(text, size, bold);
      if (turn)
        return { key, text, turn, left: x - 0.5 * size, right: x + 0.71 * wide, top: y - 0.71 * wide, bottom: y };
      const left = anchor === "end" ? x - wide : anchor === "middle" ? x - wide / 2 : x;
      return { key, text, turn, left, right: left + wide, top: y - 0.75 * size, bottom: y + 0.2 * size };
    });
}

const apart = (a, b) =>
  a.right <= b.left + 0.5 || b.right <= a.left + 0.5 || a.bottom <= b.top + 0.5 || b.bottom <= a.top + 0.5;

// The parts to which no key leads from the first one.
function unreached(parts) {
  const open = parts.slice(0, 1).map(({ id }) => id);
  const seen = new Set(open);
  while (open.length && seen.size < parts.length) {
    const id = open.pop();
    for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]) {
      const next = beside(parts, id, key);
      if (!seen.has(next)) open.push(next);
      seen.add(next);
    }
  }
  return parts.filter(({ id }) => !seen.has(id)).map(({ id }) => id);
}

// What is wrong with a picture: texts that leave it or lie over each other, keys that are not unique, parts that are
// not there or that the keyboard does not reach.
export function faults(picture) {
  const boxes = textBoxes(picture);
  const found = [];
  for (const { text, key, left, right, top, bottom } of boxes)
    if (left < -1 || right > picture.width + 1 || top < 0 || bottom > picture.height)
      found.push(`“${text}” (${key}) leaves the picture: ${[left, right, top, bottom].map(Math.round)}`);
  boxes.forEach((a, i) => {
    for (let j = i + 1; j < boxes.length; j++) {
      const b = boxes[j];
      if (!(a.turn && b.turn) && !apart(a, b)) found.push(`“${a.text}” (${a.key}) and “${b.text}” (${b.key}) overlap`);
    }
  });
  const twice = (all) => {
    const seen = new Set();
    return all.filter((one) => seen.size === seen.add(one).size);
  };
  const ids = picture.parts.map(({ id }) => id);
  const known = new Set(ids);
  for (const key of [...twice(picture.marks.map((mark) => mark.key)), ...twice(ids)]) found.push(`${key} stands twice`);
  for (const { id, from = [], into = [] } of picture.parts)
    for (const other of [...from, ...into]) if (!known.has(other)) found.push(`${id} names ${other}, which is no part`);
  for (const id of unreached(picture.parts)) found.push(`no key leads to ${id}`);
  for (const mark of picture.marks)
    if (Object.values(mark).some((x) => typeof x === "number" && !Number.isFinite(x)))
      found.push(`${mark.key} has no place`);
  return found;
}

// The texts that lie over cells. An image is written on.
export function overCells(picture) {
  const boxes = textBoxes(picture).filter(({ turn }) => !turn);
  const tables = picture.marks.filter(({ kind, scale }) => kind === "cells" && scale !== "image");
  return tables.flatMap(({ key, x, y, width, height }) => {
    const table = { left: x, right: x + width, top: y, bottom: y + height };
    const over = boxes.filter((box) => !apart(box, table));
    return over.map((box) => `“${box.text}” (${box.key}) lies over the cells of ${key}`);
  });
}
