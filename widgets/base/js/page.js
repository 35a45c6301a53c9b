// What every view does in the page that it has come to.

import { runsTheCell } from "./dom.js";
import { watchLook } from "./theme.js";

const KEYS = /^(.|Arrow\w+|Page\w+|Home|End|Enter|Escape)$/u;

// It is drawn anew when the look changes, and keys that are pressed on it stay with it, until `signal` aborts.
export function joinPage(el, redraw, signal) {
  watchLook(el, redraw, signal);
  keepKeys(el, signal);
}

// Keys are commands of the notebook ("d", "d" deletes the cell, an arrow goes to the next one), except where the focus is
// in a text field that it knows. At the window, before the notebook hears them; what a view does with a key of its own
// listens there, too. Shift and Enter, or keys with Ctrl or Alt, remain the notebook's.
function keepKeys(el, signal) {
  const keep = (event) => {
    const isCommand = event.ctrlKey || event.metaKey || event.altKey || runsTheCell(event);
    if (!isCommand && KEYS.test(event.key) && el.contains(event.target)) event.stopPropagation();
  };
  window.addEventListener("keydown", keep, { capture: true, signal });
}
