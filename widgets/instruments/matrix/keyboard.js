// The keyboard. Each function returns true where it used the key.

import { clamp } from "../../base/js/numbers.js";
import { maskCopy, select } from "../../base/js/canvas_view.js";
import { cancelDrag, moveItem, nudge, paintMask, restoreRow } from "./editing.js";
import { readTraits } from "./traits.js";

export function pressKey(view, event) {
  view.v = readTraits(view); // a second key may come before the first one is painted
  view.focus = true;
  view.schedule();
  if (event.key === "Escape") return pressEscape(view);
  if (event.ctrlKey || event.metaKey) return /^(Home|End)$/.test(event.key) && goToCorner(view, event.key);
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  if (step) return event.altKey ? reorder(view, ...step) : stepBy(view, ...step);
  if (event.altKey) return false;
  if (event.key === "Home" || event.key === "End") return goToRowEnd(view, event.key);
  const { editing, selected } = view.v;
  if (!selected) return event.key === "Enter" && stepBy(view, 0, 0);
  if (editing === "mask" && event.key === " ") return toggleMask(view);
  if (editing === "weights" && weightKey(view, event.key)) return true;
  if (event.key === "PageUp" || event.key === "PageDown") return stepBy(view, event.key === "PageUp" ? -10 : 10, 0);
  return event.key === "Enter" && widen(view);
}

function pressEscape(view) {
  if (view.drag) {
    cancelDrag(view);
    return true;
  }
  if (!view.v.selected) return false;
  select(view, []);
  view.say("nothing selected");
  return true;
}

// A step on the screen; at the side of a panel it goes over to the next one.
export function stepBy(view, down, across) {
  const { v } = view;
  if (!v.selected) {
    select(view, [0, v.current >= 0 ? v.current : v.rows[0], v.columns[0]]);
    return true;
  }
  let [panel, query, key] = v.selected;
  if (query >= 0) query = v.rows[clamp(v.rows.indexOf(query) + down, 0, v.queries - 1)];
  if (key >= 0) {
    let c = v.columns.indexOf(key) + across;
    if (c < 0 && panel > 0) {
      panel -= 1;
      c = v.keys - 1;
    } else if (c >= v.keys && panel < v.panels - 1) {
      panel += 1;
      c = 0;
    }
    key = v.columns[clamp(c, 0, v.keys - 1)];
  }
  select(view, [panel, query, key]);
  return true;
}

function goToRowEnd(view, which) {
  const [panel, query] = view.v.selected ?? [0, view.v.rows[0]];
  select(view, [
    panel,
    query < 0 ? view.v.rows[0] : query,
    which === "Home" ? view.v.columns[0] : view.v.columns.at(-1),
  ]);
  return true;
}

function goToCorner(view, which) {
  const panel = view.v.selected?.[0] ?? 0;
  select(
    view,
    which === "Home" ? [panel, view.v.rows[0], view.v.columns[0]] : [panel, view.v.rows.at(-1), view.v.columns.at(-1)],
  );
  return true;
}

// Enter widens the cell to its row, then to its column, then back to the cell.
function widen(view) {
  const { selected, panels, rows, columns } = view.v;
  const [panel, query, key] = selected;
  const before = view.cell ?? [-1]; // of another shape, perhaps
  if (!(before[0] < panels && rows.includes(before[1]) && columns.includes(before[2]))) view.cell = null;
  if (query >= 0 && key >= 0) {
    view.cell = [panel, query, key];
    select(view, [panel, query, -1]);
  } else if (key < 0 && view.cell) select(view, [panel, -1, view.cell[2]]);
  else select(view, view.cell ?? [panel, Math.max(query, 0), Math.max(key, 0)]);
  return true;
}

function toggleMask(view) {
  const [panel, query, key] = view.v.selected;
  if (query < 0 || key < 0) return true;
  paintMask(
    view,
    maskCopy(view.v.mask, view.v.queries, view.v.keys),
    [[panel, query, key]],
    !view.v.allowed(panel, query, key),
  );
  return true;
}

function weightKey(view, key) {
  const by = { "+": 0.05, "=": 0.05, "-": -0.05, "−": -0.05, PageUp: 0.2, PageDown: -0.2 }[key];
  if (by) nudge(view, by);
  else if (key === "Delete" || key === "Backspace") restoreRow(view);
  else return false;
  return true;
}

function reorder(view, down, across) {
  const { v } = view;
  if (v.editing !== "order" || !v.selected) return false;
  const [, query, key] = v.selected;
  const [trait, order, item, by] = down ? ["query_order", v.rows, query, down] : ["key_order", v.columns, key, across];
  const from = order.indexOf(item);
  const to = clamp(from + by, 0, order.length - 1);
  if (from >= 0 && to !== from) {
    moveItem(view, trait, order, from, to);
    view.say(`${down ? "row" : "column"} moved to place ${to + 1}`);
  }
  return true;
}
