// The keyboard. Each function returns true where it used the key.

import { clamp } from "../../base/js/numbers.js";
import { select } from "../../base/js/canvas_view.js";
import { carryTo, cellAt, drop, isFull, leave, look, paintMask, putBack, take, undo } from "./edit.js";
import { cellName } from "./words.js";

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const AIM = 0.05; // a key moves the place of a glimpse so far, with Shift four times

export function pressKey(view, event) {
  view.read(); // a second key may come before the first one is painted
  view.focus = true;
  view.schedule();
  if (event.ctrlKey || event.metaKey) return false;
  if (event.key === "Escape") return escape(view);
  if (view.v.editing === "glimpses") return glimpseKey(view, event);
  if (!view.v.cells) return false;
  const step = STEPS[event.key];
  if (step && event.altKey) return swap(view, step);
  if (step) return view.carry ? carryBy(view, step) : stepBy(view, step);
  if (event.altKey) return false;
  if (event.key === "Home" || event.key === "End") return toEnd(view, event.key);
  if (event.key === "Enter" || event.key === " ") return enter(view);
  if (/^(Delete|Backspace)$/.test(event.key) && view.v.editing === "weights") {
    undo(view);
    return true;
  }
  return false;
}

function escape(view) {
  if (view.drag) leave(view);
  else if (view.carry) putBack(view);
  else if (view.aim) view.aim = null;
  else if (view.v.selected) {
    select(view, []);
    view.say("nothing selected");
  } else return false;
  return true;
}

// The place beside another one on the screen, and within the panel.
function beside(v, place, [down, across]) {
  const row = clamp(Math.floor(place / v.columns) + down, 0, v.rows - 1);
  return row * v.columns + clamp((place % v.columns) + across, 0, v.columns - 1);
}

const chosen = ({ selected, places, columns }) => [selected[0], places[selected[1] * columns + selected[2]]];

// A step on the screen; at the side of an image it goes over to the next one.
function stepBy(view, step) {
  const { v } = view;
  if (!v.selected) {
    select(view, cellAt(v, 0, 0));
    return true;
  }
  let [panel, place] = chosen(v);
  const column = place % v.columns;
  if (step[1] < 0 && column === 0 && panel > 0) {
    panel -= 1;
    place += v.columns - 1;
  } else if (step[1] > 0 && column === v.columns - 1 && panel < v.panels - 1) {
    panel += 1;
    place -= v.columns - 1;
  } else place = beside(v, place, step);
  select(view, cellAt(v, panel, place));
  return true;
}

function toEnd(view, key) {
  const { v } = view;
  const [panel, place] = v.selected ? chosen(v) : [0, 0];
  const first = place - (place % v.columns);
  select(view, cellAt(v, panel, key === "Home" ? first : first + v.columns - 1));
  return true;
}

function carryBy(view, step) {
  const { carry, v } = view;
  carryTo(view, beside(v, carry.to, step));
  view.say(`over ${cellName(v, carry.to)}`);
  return true;
}

// Enter takes what is chosen and puts it down again, or paints it.
function enter(view) {
  const { v } = view;
  if (!v.selected) return stepBy(view, [0, 0]);
  if (view.carry) {
    drop(view);
    return true;
  }
  const [panel, place] = chosen(v);
  if (v.editing === "mask") {
    const allow = !v.allowed(panel, v.order[place]);
    paintMask(view, panel, [place], allow);
    view.say(allow ? "seen again" : "hidden");
  } else if (v.editing && take(view, panel, place, true)) {
    view.say(`${v.editing === "order" ? "patch" : "weight"} taken: arrow keys, then Enter`);
  }
  return true;
}

// Alt and an arrow key exchange a patch with its neighbour at once.
function swap(view, step) {
  const { v } = view;
  if (v.editing !== "order" || !v.selected) return false;
  const [panel, place] = chosen(v);
  const to = beside(v, place, step);
  if (to === place) return true;
  view.carry = { panel, from: place, to, byKey: true, base: [], before: {}, at: null };
  const cell = v.selected;
  drop(view);
  select(view, cell);
  return true;
}

function glimpseKey(view, event) {
  const { v } = view;
  const step = STEPS[event.key];
  if (event.altKey) return false;
  if (event.key === "Backspace" || event.key === "Delete") {
    undo(view);
    return true;
  }
  if (!step && event.key !== "Enter" && event.key !== " ") return false;
  const panel = view.aim?.panel ?? 0;
  if (isFull(v, panel)) {
    view.say(`all ${v.mostGlimpses} glimpses are used`);
    return true;
  }
  const [x, y] = view.aim?.place ?? v.paths[panel].at(-1) ?? [0, 0];
  if (!step) {
    look(view, panel, [x, y]);
    return true;
  }
  view.aim = { panel, place: aimed(x, y, step, event.shiftKey) };
  const [across, down] = view.aim.place;
  view.say(`at ${across} across, ${down} down`);
  return true;
}

function aimed(x, y, [down, across], far) {
  const by = far ? 4 * AIM : AIM;
  return [x + across * by, y + down * by].map((part) => Math.round(clamp(part, -1, 1) * 100) / 100);
}
