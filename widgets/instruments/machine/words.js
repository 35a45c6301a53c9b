// What stands in words: the path to what is seen, the line of code, the list behind the picture, a number under the pointer.

import { make, setText } from "../../base/js/dom.js";
import { number } from "../../base/js/words.js";
import { zoomTo } from "./hand.js";
import { hasNaN, once } from "./tensors.js";

// From the whole machine to what is seen from near: [[id, label], ...]. An attention is no step of its own: its heads are.
export function path(machine, zoom) {
  const steps = [];
  for (let id = zoom; id; id = machine.node(id)?.in ?? "") {
    const node = machine.node(id);
    if (!node) break; // of another machine, which was enlarged before
    const { kind, short, label } = node;
    if (kind !== "attention") steps.unshift([id, short ?? label]);
  }
  return [["", machine.node("")?.label ?? "whole machine"], ...steps];
}

export function writePath(view, { hint = "", parts }, zoom) {
  const canZoom = zoom || parts.some((part) => part.zoom !== undefined);
  const steps = canZoom ? path(view.machine, zoom) : [];
  setText(view.hint, zoom ? "Esc: out" : hint);
  const key = JSON.stringify(steps);
  if (key === view.crumbs.dataset.key) return;
  view.crumbs.dataset.key = key;
  view.crumbs.hidden = !canZoom;
  const here = steps.length - 1;
  const buttons = steps.map(([id, label], i) =>
    make(
      "button",
      { class: "quiet", type: "button", "aria-current": i === here && "location", onclick: () => zoomTo(view, id) },
      label,
    ),
  );
  view.crumbs.replaceChildren(
    ...buttons.flatMap((button, i) => (i ? [make("i", { "aria-hidden": "true" }, "›"), button] : [button])),
  );
}

// Where it takes work to say, a part's shape is a function: only what is asked for is said.
const shapeOf = ({ shape }) => (typeof shape === "function" ? shape() : (shape ?? ""));

// What a screen reader is told of a part.
export const nameOf = (part) => [part.name, shapeOf(part)].filter(Boolean).join(", ");

// A number in words: its place, and the arithmetic that gives it or the number alone.
function cellInWords({ table, says, sums, mask }, row, column) {
  const at = row * table.columns + column;
  const isMasked = mask && !mask.data[at];
  return `${says(row, column)}: ${isMasked ? "masked" : (sums?.(row, column) ?? number(table.data[at]))}`;
}

// The number under the pointer, in words, or null.
function cellUnder(marks, place) {
  for (let i = marks.length - 1; i >= 0; i--) {
    const mark = marks[i];
    const { kind, x, y, width, height, table, says } = mark;
    if (kind !== "cells" || !says) continue;
    const column = Math.floor(((place[0] - x) / width) * table.columns);
    const row = Math.floor(((place[1] - y) / height) * table.rows);
    if (column < 0 || column >= table.columns || row < 0 || row >= table.rows) continue;
    return cellInWords(mark, row, column);
  }
  return null;
}

// The number that stands for the cells of the part with the keyboard's focus, in words, or null.
function cellOf(marks, id) {
  const mark = marks.find(({ kind, part, at }) => kind === "cells" && at && part === id);
  return mark ? cellInWords(mark, ...mark.at) : null;
}

// Lines of the longest code of a machine, for which room is kept in all zooms, so that what is below never jumps; two at
// least, since arithmetic may need a second one.
const linesOf = (machine) =>
  once(machine, "lines", () => Math.max(2, ...machine.spec.nodes.map(({ line = "" }) => line.split("\n").length)));

// Name, line of code and shape of what the pointer or the focus is on; with nothing there, of what is seen.
export function writeLine(view, zoom) {
  const at = view.pointed ?? view.focused();
  const part = view.parts.find(({ id }) => id === at);
  const node = view.machine.node(zoom) ?? {};
  const shown = part?.line ? part : { name: node.label, line: node.line, shape: node.shape, ...part };
  const { marks } = view.picture;
  const cell = view.place ? cellUnder(marks, view.place) : cellOf(marks, part?.id);
  const texts = [shown.name ?? "", shown.line ?? "", cell ?? shapeOf(shown)];
  const lines = String(linesOf(view.machine));
  if (view.line.style.getPropertyValue("--lines") !== lines) view.line.style.setProperty("--lines", lines);
  [...view.line.children].forEach((el, i) => setText(el, texts[i]));
}

// The machine as a list, in the order of the data.
export function writeList(view) {
  const { list, parts } = view;
  const texts = parts.map((part) =>
    [part.name, shapeOf(part), part.line, part.checked === false && "switched off"].filter(Boolean).join("; "),
  );
  while (list.children.length > texts.length) list.lastChild.remove();
  texts.forEach((text, i) => {
    setText(list.children[i] ?? list.appendChild(make("li")), text);
  });
}

// Where a part was to be enlarged that is not there.
export const noPart = (wanted, seen) =>
  wanted === seen ? "" : `This machine has no part called “${wanted}”: the whole of it is drawn.`;

// Which part holds what is no number, as a sentence; empty where all are numbers.
export function notNumbers({ marks, parts }) {
  const wrong = marks.find(({ kind, table }) => kind === "cells" && hasNaN(table));
  if (!wrong) return "";
  const name = parts.find(({ id }) => [wrong.part].flat().includes(id))?.name ?? wrong.key;
  return `Not a number: ${name}. What comes after it can be none either.`;
}
