// A number changed: by steps, or typed into a field over its cell.

import { clamp } from "../../base/js/numbers.js";
import { number } from "../../base/js/words.js";
import { choose, decimalsOf, inWords } from "./reading.js";
import { ROLES, stored } from "./tables.js";

export const STEP = 0.1;

export function write(view, cell, value) {
  const x = clamp(Math.round(value * 100) / 100, -view.get("reach"), view.get("reach"));
  const { shape, data, place } = stored(view, cell);
  if (Math.abs(data[place] - x) < 1e-6) return;
  data[place] = x;
  view.model.set(ROLES[cell.name], { shape, data: new DataView(data.buffer) });
  view.model.save_changes();
  view.schedule();
}

export function nudge(view, cell, steps) {
  const { data, place } = stored(view, cell);
  write(view, cell, data[place] + steps * STEP);
}

// A drag that does not end as one: the number is again what it was.
export function takeBack(view) {
  const { drag } = view;
  view.drag = null;
  if (drag?.moved) write(view, drag, drag.start);
}

export function openField(view, cell, first) {
  const { x, y } = view.g.boxes[cell.name];
  const x0 = view.tables[cell.name].at(cell.row, cell.column);
  view.typing = { ...cell, start: x0 };
  const place = view.svg.getBoundingClientRect();
  const frame = view.figure.getBoundingClientRect();
  Object.assign(view.field.style, {
    left: `${place.left - frame.left + view.figure.scrollLeft + x + cell.column * view.g.c + 1}px`,
    top: `${place.top - frame.top + y + cell.row * view.g.h + 1}px`,
    width: `${view.g.c - 1}px`,
    height: `${view.g.h - 1}px`,
  });
  view.field.setAttribute("aria-label", inWords(view, cell).replace(", Enter to change", ""));
  view.field.removeAttribute("aria-invalid");
  view.field.hidden = false;
  view.field.value = first ?? number(x0, decimalsOf(view, cell.name));
  view.field.focus();
  if (first === undefined) view.field.select();
  else takeTyped(view);
}

export const typed = (view) => Number(view.field.value.trim().replace("−", "-").replace(",", ".") || NaN);

function takeTyped(view) {
  const value = typed(view);
  const unfinished = /^[-−]?[.,]?$/.test(view.field.value.trim());
  view.field.setAttribute("aria-invalid", String(!unfinished && !(Math.abs(value) <= view.get("reach"))));
  if (Math.abs(value) <= view.get("reach")) write(view, view.typing, value);
}

export function closeField(view, back) {
  if (!view.typing) return;
  const cell = view.typing;
  view.typing = null;
  if (back) write(view, cell, cell.start);
  view.field.hidden = true;
  choose(view, { name: cell.name, row: cell.row, column: cell.column });
}

export function listenToField(view) {
  view.on(view.field, "input", () => takeTyped(view));
  view.on(view.field, "blur", () => closeField(view, false));
  // No key typed into the field is a command of the notebook.
  view.on(view.field, "keydown", (event) => event.stopPropagation());
}
