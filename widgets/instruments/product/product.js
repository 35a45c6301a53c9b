// Product: attention as the matrix product it is. All places come from `layout.js`; a cell is known by its table and its
// row and column on the screen, where the keys stand as columns.

import style from "./style.css";
import { make, svg as element, watchHand } from "../../base/js/dom.js";
import { showing } from "../../base/js/showing.js";
import { labelStyle } from "../../base/js/text.js";
import { joinPage } from "../../base/js/page.js";
import { theme, wear } from "../../base/js/theme.js";
import { arithmetic } from "./arithmetic.js";
import { writeNumbers } from "./as_text.js";
import { listenToField } from "./editing.js";
import { listenToKeys } from "./keyboard.js";
import { productLayout } from "./layout.js";
import { arrows, bars, formula, lit, outlines } from "./paint_links.js";
import { captions, hatch, names, roleTable, scoreTables } from "./paint_tables.js";
import { listenToPointer } from "./pointer.js";
import { cursor, inWords, labelOf, selected } from "./reading.js";
import { largest, readTable, ROLES, TITLES } from "./tables.js";

wear(style);

const FIGURE =
  "queries, keys, scores, weights, values and context; arrow keys move, Enter changes a number that may be changed";

// The parts of the view, and what it remembers of the hand.
function build({ model, el, signal }) {
  el.classList.add("attnlab", "product");
  const svg = element("svg", { "aria-hidden": "true" });
  const field = make("input", {
    class: "field",
    type: "text",
    inputmode: "decimal",
    autocomplete: "off",
    spellcheck: "false",
    hidden: true,
  });
  const figure = make("div", { class: "figure", tabindex: 0, role: "application", "aria-label": FIGURE }, svg, field);
  const sum = make("div", { class: "sum" });
  const said = make("div", { class: "sr-only", "aria-live": "polite" });
  const numbers = make("div", { class: "numbers", hidden: true });
  const view = {
    model,
    el,
    svg,
    field,
    figure,
    sum,
    said,
    numbers,
    uid: `product-${Math.random().toString(36).slice(2)}`,
    g: null, // the layout of what is painted
    tables: {},
    at: null, // the cell that the keys or the pointer chose last: { name, row, column }
    hover: null,
    drag: null, // { name, row, column, y, start, moved, pointer }
    typing: null, // { name, row, column, start }
    held: false, // a hand is on something in the page: colours keep their scale
    scale: null,
    on: (target, event, handler, options) => target.addEventListener(event, handler, { ...options, signal }),
  };
  view.on(figure, "focus", () => {
    if (view.g && figure.matches(":focus-visible")) said.textContent = inWords(view, cursor(view));
  });
  el.replaceChildren(figure, sum, make("div", { class: "foot" }, folding(view)), numbers, said);
  return view;
}

// The button that shows and hides all numbers.
function folding(view) {
  const button = make("button", { class: "quiet", type: "button", "aria-expanded": "false" }, "all numbers as text");
  view.on(button, "click", () => {
    view.numbers.hidden = !view.numbers.hidden;
    button.setAttribute("aria-expanded", String(!view.numbers.hidden));
    view.schedule();
  });
  return button;
}

function paint(view) {
  const look = theme(view.el);
  view.tables = Object.fromEntries(Object.keys(TITLES).map((name) => [name, readTable(view.get, name)]));
  if (Object.values(view.tables).some((table) => !table) || !view.el.clientWidth) {
    view.svg.replaceChildren();
    view.sum.replaceChildren();
    view.g = null;
    return;
  }
  const query = labelStyle(
    Array.from({ length: view.tables.queries.rows }, (_, i) => labelOf(view, "query", i)),
    28,
    look,
  );
  const key = labelStyle(
    Array.from({ length: view.tables.keys.columns }, (_, i) => labelOf(view, "key", i)),
    28,
    look,
  );
  view.g = productLayout({ width: view.el.clientWidth, tables: view.tables, query, key, room: view.get("room") });
  view.g.paper = Math.max(view.g.width, view.el.clientWidth - 8); // words may stand beyond the last table
  if (view.held && view.scale) view.heldBack = true;
  else
    view.scale = {
      scores: view.get("limit") || 1.5 * largest(view.tables.scores) || 1,
      roles: Math.max(1, largest(view.tables.queries, view.tables.keys, view.tables.values)),
    };
  view.el.style.setProperty("--picw", `${Math.ceil(view.g.width)}px`);
  view.svg.replaceChildren();
  for (const [name, value] of Object.entries({ width: view.g.paper, height: view.g.height }))
    view.svg.setAttribute(name, value);
  const pen = { look, query, key, chosen: selected(view) };
  hatch(view, look);
  for (const name of Object.keys(ROLES)) roleTable(view, name);
  scoreTables(view, pen);
  names(view, pen);
  captions(view);
  formula(view);
  bars(view, pen);
  arrows(view, pen);
  lit(view);
  outlines(view, pen);
  arithmetic(view);
  if (!view.numbers.hidden) writeNumbers(view);
}

export function render({ model, el, signal }) {
  const view = build({ model, el, signal });
  Object.assign(
    view,
    showing(model, () => paint(view), signal),
  ); // get, schedule
  listenToField(view);
  watchHand(view, signal);
  listenToPointer(view);
  listenToKeys(view, signal);
  joinPage(el, view.schedule, signal);
  view.schedule();
}
