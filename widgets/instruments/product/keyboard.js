// The keyboard: arrows walk over all cells, Enter or a digit opens one, Shift with an arrow changes it by a step.

import { ownKeys } from "../../base/js/dom.js";
import { clamp } from "../../base/js/numbers.js";
import { closeField, nudge, openField, takeBack } from "./editing.js";
import { canEdit, choose, cursor, inWords, selected } from "./reading.js";
import { storedInWords } from "./tables.js";

// Where an arrow key leads from the edge of a table.
const NEXT = {
  queries: { ArrowRight: "scores" },
  scores: { ArrowLeft: "queries", ArrowRight: "weights", ArrowUp: "keys" },
  weights: { ArrowLeft: "scores", ArrowRight: "context" },
  context: { ArrowLeft: "weights", ArrowUp: "values" },
  keys: { ArrowDown: "scores", ArrowLeft: "queries", ArrowRight: "values" },
  values: { ArrowDown: "context", ArrowLeft: "keys" },
};

// A figure that is wider than its room scrolls to the chosen cell.
function reveal({ g, figure, at }) {
  const left = g.boxes[at.name].x + at.column * g.c;
  figure.scrollLeft = clamp(figure.scrollLeft, left + g.c + 8 - figure.clientWidth, left);
}

function moveCursor(view, key) {
  const { name, row, column } = cursor(view);
  const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
  const [r, c] = [row + down, column + right];
  if (r >= 0 && r < view.tables[name].rows && c >= 0 && c < view.tables[name].columns) {
    choose(view, { name, row: r, column: c });
    return;
  }
  const next = NEXT[name][key];
  if (!next) return;
  const { rows, columns } = view.tables[next];
  const [query] = selected(view);
  const upper = ["keys", "values"].includes(name) !== ["keys", "values"].includes(next);
  choose(view, {
    name: next,
    row: down ? (down < 0 ? rows - 1 : Math.min(query, rows - 1)) : upper ? query : Math.min(row, rows - 1),
    column: right ? (right > 0 ? 0 : columns - 1) : Math.min(column, columns - 1),
  });
}

// Whether a key was used while a number is typed.
function keyInField(view, key) {
  if (key === "Enter" || key === "Escape") {
    closeField(view, key === "Escape");
    view.figure.focus();
    return true;
  }
  if (key !== "ArrowUp" && key !== "ArrowDown") return false;
  nudge(view, view.typing, key === "ArrowUp" ? 1 : -1);
  view.field.value = storedInWords(view, view.typing);
  view.field.removeAttribute("aria-invalid");
  return true;
}

function keyInFigure(view, { key, shiftKey }) {
  const cell = cursor(view);
  const editable = canEdit(view, cell.name);
  if (/^Arrow(Up|Down)$/.test(key) && shiftKey && editable) {
    nudge(view, cell, key === "ArrowUp" ? 1 : -1);
    view.said.textContent = inWords(view, cell);
  } else if (key === "Escape" && view.drag) takeBack(view);
  else if (key.startsWith("Arrow")) {
    moveCursor(view, key);
    reveal(view);
  } else if (key === "Enter" && editable) openField(view, cell);
  else if (/^[-−0-9.]$/.test(key) && editable) openField(view, cell, key);
  else return false;
  return true;
}

export function listenToKeys(view, signal) {
  ownKeys(
    view.el,
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return false;
      if (event.target === view.field) return keyInField(view, event.key);
      return event.target === view.figure && view.g ? keyInFigure(view, event) : false;
    },
    signal,
  );
}
