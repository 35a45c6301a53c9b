// Table: press a head to sort by it, press it again to turn the order round. Measurements are bars with their range.

import style from "./style.css";
import { make, redraw, svg, whenPressed } from "../../base/js/dom.js";
import { showing } from "../../base/js/showing.js";
import { clamp } from "../../base/js/numbers.js";
import { joinPage } from "../../base/js/page.js";
import { css, theme, wear } from "../../base/js/theme.js";
import { number } from "../../base/js/words.js";

wear(style);

// How far the bars of a column reach: to 1, or where it holds larger numbers to the largest.
const reach = (entries) => Math.max(1, ...entries.flatMap((entry) => (Array.isArray(entry) ? entry : [])));

// A bar from 0 to the mean, with a line over the range.
function measured(numbers, top, role, look) {
  const mean = numbers.reduce((a, b) => a + b, 0) / numbers.length;
  const low = Math.min(...numbers);
  const high = Math.max(...numbers);
  const [left, right] = [low, high].map((x) => 100 * clamp(x / top, 0, 1));
  const bar = svg("svg", { viewBox: "0 0 100 16", preserveAspectRatio: "none", "aria-hidden": "true" });
  bar.append(
    svg("rect", { class: "track", width: 100, height: 12, y: 2 }),
    svg("rect", {
      width: 100 * clamp(mean / top, 0, 1),
      height: 12,
      y: 2,
      fill: role ? look.mark[role] : css(look.weights(0.5)),
    }),
    svg("line", {
      class: "range",
      "vector-effect": "non-scaling-stroke",
      x1: left,
      x2: right,
      y1: 8,
      y2: 8,
    }),
    ...[left, right].map((x) =>
      svg("line", { class: "range", "vector-effect": "non-scaling-stroke", x1: x, x2: x, y1: 4, y2: 12 }),
    ),
  );
  const range = number(low) === number(high) ? "" : `${number(low)} to ${number(high)}`;
  return make(
    "td",
    { class: "measured" },
    bar,
    make("span", { class: "bold" }, number(mean)),
    make("span", { class: "span" }, range),
  );
}

// Thousands apart; below 1 three digits that say something.
function single(x) {
  const digits = Math.abs(x) < 1 ? { maximumSignificantDigits: 3 } : {};
  return x.toLocaleString("en", digits).replace("-", "−");
}

function cell(entry, first, top, role, look) {
  if (entry === null) return make("td", { "aria-label": "not measured" }, "–");
  if (Array.isArray(entry)) return measured(entry, top, role, look);
  if (typeof entry === "number") return make("td", { class: "number" }, single(entry));
  return first ? make("th", { scope: "row" }, entry) : make("td", { class: "formula" }, entry);
}

export function render({ model, el, signal }) {
  el.classList.add("attnlab", "attnlab-table");
  const table = make("table");
  el.append(table);
  const { get, schedule } = showing(model, draw, signal);
  joinPage(el, schedule, signal);

  function press(name) {
    const again = model.get("sort") === name;
    model.set(
      again
        ? { descending: !model.get("descending") }
        : { sort: name, descending: typeof get("columns")[name][0] !== "string" },
    );
    model.save_changes();
  }

  function head(name) {
    const sorted = get("sort") === name;
    const down = get("descending");
    const arrow = make("span", { class: "arrow", "aria-hidden": "true" }, sorted ? (down ? "↓" : "↑") : "");
    const button = make("button", { type: "button", "data-name": name, title: "sort by it" }, name, arrow);
    return make("th", { scope: "col", "aria-sort": sorted ? (down ? "descending" : "ascending") : null }, button);
  }

  function draw() {
    const look = theme(el);
    const columns = get("columns");
    const names = Object.keys(columns);
    const bars = names.filter((name) => columns[name].some(Array.isArray)).length;
    table.classList.toggle("many", bars > 3);
    const tops = names.map((name) => reach(columns[name]));
    const rows = get("order").map((row) =>
      make("tr", {}, ...names.map((name, i) => cell(columns[name][row], i === 0, tops[i], get("roles")[name], look))),
    );
    redraw(
      table,
      ...(get("title") ? [make("caption", {}, get("title"))] : []),
      make("thead", {}, make("tr", {}, ...names.map(head))),
      make("tbody", {}, ...rows),
    );
  }
  whenPressed(table, "name", press);
  draw();
}
