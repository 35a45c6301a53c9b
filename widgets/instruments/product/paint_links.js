// What stands between the tables: the formula, the bars of the selected row, arrows, and what belongs together.

import { textWidth } from "../../base/js/text.js";
import { css, theme } from "../../base/js/theme.js";
import { draw, end, line, middle, rect, text } from "./marks.js";
import { allowed, cursor, labelOf } from "./reading.js";
import { readTable } from "./tables.js";

// In the free corner, as large as it has room for.
export function formula(view) {
  const { g } = view;
  const room = g.boxes.scores.x - 14;
  const { font } = theme(view.el);
  const wide = (size, runs) => textWidth(runs.map(([words]) => words).join(""), `600 ${size}px ${font}`);
  const whole = view.get("formula");
  const size = [16, 15, 14, 13, 12].find((s) => whole.every((runs) => wide(s, runs) <= room)) ?? 11;
  const lines = whole.flatMap((runs) => (wide(size, runs) > room ? [runs.slice(0, -1), runs.slice(-1)] : [runs]));
  lines.forEach((runs, i) => {
    const row = draw(
      "text",
      {
        x: 0,
        y: g.y - 36 - (lines.length - 1 - i) * 26,
        style: `font-size:${size}px`,
        class: "formula",
        "xml:space": "preserve",
      },
      view.svg,
    );
    for (const [words, role] of runs) draw("tspan", { class: role ? `${role} b` : "" }, row, words);
  });
}

// The selected row's weights over their own columns; dashes for the weights to compare with.
export function bars(view, { look, chosen: [query, key] }) {
  const { g, tables } = view;
  const box = g.boxes.weights;
  const foot = box.y - g.head - 6;
  const high = Math.min(3 * g.h - 18, foot - 24);
  const other = view.get("other") ? readTable(view.get, "other") : null;
  line(view, box.x, foot + 0.5, box.right, foot + 0.5);
  line(view, box.x, foot - high + 0.5, box.right, foot - high + 0.5, "var(--grid)");
  text(view, box.x - 7, foot + 4, "0", "s", end);
  text(view, box.x - 7, foot - high + 4, "1", "s", end);
  for (let k = 0; k < box.columns; k++) {
    if (!allowed(view, query, k)) continue;
    const [x, wide, tall] = [box.x + (k + 0.2) * g.c, 0.6 * g.c, tables.weights.at(query, k) * high];
    rect(view, x, foot - tall, wide, tall, { fill: css(look.weights(k === key ? 0.82 : 0.5)) });
    if (!other) continue;
    const y = foot - other.at(query, k) * high + 0.5;
    if (k === key)
      draw("line", { x1: x - 4, y1: y, x2: x + wide + 4, y2: y, stroke: css(look.page), "stroke-width": 4 }, view.svg);
    draw(
      "line",
      { x1: x - 4, y1: y, x2: x + wide + 4, y2: y, stroke: look.ink, "stroke-width": 1.5, "stroke-dasharray": "3 2" },
      view.svg,
    );
  }
  const words = draw("text", { x: box.x, y: foot - high - 10, "xml:space": "preserve" }, view.svg);
  draw("tspan", { class: "s" }, words, "row ");
  draw("tspan", { class: "query b" }, words, labelOf(view, "query", query));
  if (other) draw("tspan", { class: "s" }, words, `, dashed: ${view.get("other_name")}`);
}

export function arrows(view, { chosen: [query] }) {
  const { g } = view;
  const { scores, weights, context } = g.boxes;
  const y = scores.y + (query + 0.5) * g.h;
  for (const [from, to] of [
    [scores.right + 8, weights.x - 8],
    [weights.right + g.sums + 2, context.x - 8],
  ]) {
    draw("path", { class: "line", d: `M${from} ${y}H${to - 1}M${to - 6} ${y - 4.5}l5.5 4.5l-5.5 4.5` }, view.svg);
  }
  if (!g.narrow)
    text(view, (scores.right + weights.x) / 2, y - 8, "softmax", "s", { ...middle, style: "font-size:11px" });
}

// Under the pointer: the cell, and what it is made of or goes into.
export function lit(view) {
  const { g, tables } = view;
  if (
    !view.hover ||
    view.drag ||
    !tables[view.hover.name] ||
    view.hover.row >= tables[view.hover.name].rows ||
    view.hover.column >= tables[view.hover.name].columns
  )
    return;
  const box = g.boxes[view.hover.name];
  const cell = (b, r, c, rows = 1, columns = 1) =>
    rect(view, b.x + c * g.c, b.y + r * g.h, columns * g.c, rows * g.h, { class: "under" });
  const { queries, keys, values, weights } = g.boxes;
  if (view.hover.name === "scores") {
    cell(queries, view.hover.row, 0, 1, queries.columns);
    cell(keys, 0, view.hover.column, keys.rows);
  }
  if (view.hover.name === "context") {
    cell(weights, view.hover.row, 0, 1, weights.columns);
    cell(values, 0, view.hover.column, values.rows);
  }
  rect(view, box.x + view.hover.column * g.c + 0.5, box.y + view.hover.row * g.h + 0.5, g.c, g.h, {
    fill: "none",
    style: "stroke:var(--ink)",
    "stroke-width": 1.5,
  });
}

// What belongs to the selected cell, each in the colour of its role; then the cell itself, and the focus.
export function outlines(view, { look, chosen: [query, key] }) {
  const { g } = view;
  const { queries, keys, scores, weights, values, context } = g.boxes;
  const role = (name, x, y, width, height) =>
    rect(view, x - 0.5, y - 0.5, width + 2, height + 2, {
      fill: "none",
      style: `stroke:var(--${name})`,
      "stroke-width": 2.5,
    });
  const row = scores.y + query * g.h;
  role("query", queries.x, row, queries.columns * g.c, g.h);
  role("key", keys.x + key * g.c, keys.y, g.c, keys.rows * g.h);
  role("value", values.x, values.y + key * g.h, values.columns * g.c, g.h);
  role("context", context.x, row, context.columns * g.c, g.h);
  rect(view, scores.x + key * g.c - 0.5, row - 0.5, g.c + 2, g.h + 2, {
    fill: "none",
    stroke: look.ink,
    "stroke-width": 1.5,
  });
  const [x, y] = [weights.x + key * g.c, row];
  rect(view, x + 0.5, y + 0.5, g.c, g.h, { fill: "none", stroke: css(look.page), "stroke-width": 5 });
  rect(view, x - 0.5, y - 0.5, g.c + 2, g.h + 2, { fill: "none", stroke: look.ink, "stroke-width": 2, rx: 1 });
  if (!view.figure.matches(":focus-visible")) return;
  const focus = cursor(view);
  const box = g.boxes[focus.name];
  rect(view, box.x + focus.column * g.c - 3.5, box.y + focus.row * g.h - 3.5, g.c + 8, g.h + 8, {
    fill: "none",
    stroke: look.brand,
    "stroke-width": 2.5,
    rx: 3.5,
    class: "focus",
  });
}
