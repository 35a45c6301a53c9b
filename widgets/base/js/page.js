// What every view does in the page that it has come to.

import { watchLook } from "./theme.js";

// It is drawn anew when the look changes, and letters typed on it stay with it, until `signal` aborts.
export function joinPage(el, redraw, signal) {
  watchLook(el, redraw, signal);
  keepLetters(el, signal);
}

// Letters are commands of the notebook ("d", "d" deletes the cell), except where the focus is in a text field that it
// knows. At the window, before the notebook hears them; what a view does with a letter of its own listens there, too.
function keepLetters(el, signal) {
  const keep = (event) => {
    const letter = event.key.length === 1 && !event.ctrlKey && !event.metaKey;
    if (letter && el.contains(event.target)) event.stopPropagation();
  };
  window.addEventListener("keydown", keep, { capture: true, signal });
}
