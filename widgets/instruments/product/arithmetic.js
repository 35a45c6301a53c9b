// The arithmetic of the selected cell, written out: score, softmax, what it adds to the context.

import { make } from "../../base/js/dom.js";
import { number } from "../../base/js/words.js";
import { allowed, cursor, decimalsOf, labelOf, selected } from "./reading.js";

const span = (kind, ...inside) => make("span", { class: kind }, ...inside);
const signed = (x, decimals) => (x < 0 ? `(${number(x, decimals)})` : number(x, decimals));
const stacked = (kind, upper, lower) => span(kind, make("span", {}, ...upper), make("small", {}, ...lower));
const plus = (parts) => parts.flatMap((part, i) => (i ? [span("p", "+"), part] : [part]));
const listed = (numbers) => `(${numbers.join(", ")})`;

export function row(view, label, expression, result, note) {
  view.sum.append(
    span("l", ...label),
    span("e", ...expression),
    span("", result.length ? "=" : ""),
    span("r", ...result),
    span("n", ...note),
  );
}

export function arithmetic(view) {
  const { tables } = view;
  const [query, key] = selected(view);
  const { keys, values, scores, weights, context } = tables;
  const [asks, offers] = [span("query", labelOf(view, "query", query)), span("key", labelOf(view, "key", key))];
  const column = Array.from({ length: keys.rows }, (_, d) => [tables.queries.at(query, d), keys.at(d, key)]);
  const [score, weight] = [scores.at(query, key), weights.at(query, key)];
  view.sum.replaceChildren();
  if (!allowed(view, query, key)) {
    row(
      view,
      [asks, " · ", offers],
      ["masked: the score is set to −∞, and e", make("sup", {}, "−∞"), " is nothing"],
      ["0.00"],
      ["no weight, nothing added"],
    );
    return;
  }
  const divisor = view.get("divisor");
  if (divisor === 0)
    row(view, ["f(", asks, ", ", offers, ")"], [view.get("score_name")], [number(score)], ["the score"]);
  else {
    const product = column.reduce((total, [q, k]) => total + q * k, 0);
    const [dq, dk] = [decimalsOf(view, "queries"), decimalsOf(view, "keys")];
    const terms = column.map(([q, k]) =>
      stacked("st big", [span("query", signed(q, dq)), " · ", span("key", signed(k, dk))], [number(q * k)]),
    );
    row(view, [asks, " · ", offers], plus(terms), [number(product)], [divisor === 1 ? "the score" : "the product"]);
    if (divisor !== 1)
      row(
        view,
        [`divide by ${view.get("divisor_name")}`],
        [`${number(product)} / ${number(divisor)}`],
        [number(score)],
        ["the score"],
      );
  }
  softmax(view, query, key, weight);
  const focus = cursor(view);
  if (["values", "context"].includes(focus.name)) {
    contextNumber(view, query, focus.column);
    return;
  }
  const value = Array.from({ length: values.columns }, (_, d) => values.at(key, d));
  row(
    view,
    ["adds to the context"],
    [`${number(weight)} ·\u00a0`, span("value", listed(value.map((x) => number(x, decimalsOf(view, "values")))))],
    [span("context", listed(value.map((x) => number(weight * x))))],
    ["of ", span("context", listed(value.map((_, d) => number(context.at(query, d)))))],
  );
}

export function softmax(view, query, key, weight) {
  const { tables } = view;
  const { scores, weights } = tables;
  const temperature = view.get("temperature");
  const visible = Array.from({ length: weights.columns }, (_, k) => k).filter((k) => allowed(view, query, k));
  const power = (k) => [
    "e",
    make("sup", {}, number(scores.at(query, k)), temperature === 1 ? "" : ` / ${number(temperature, 1)}`),
  ];
  const exponential = (k) => Math.exp(scores.at(query, k) / temperature);
  const decimals = Math.max(...visible.map(exponential)) < 1000 ? 2 : 0;
  const part = (k) => stacked(k === key ? "st chosen" : "st", [number(exponential(k), decimals)], power(k));
  row(
    view,
    ["softmax share"],
    [part(key), "\u00a0/\u00a0(\u00a0", ...plus(visible.map(part)), "\u00a0)"],
    [number(weight)],
    ["the weight"],
  );
}

// One number of the context, term by term.
function contextNumber(view, query, column) {
  const { tables } = view;
  const { weights, values, context } = tables;
  const visible = Array.from({ length: weights.columns }, (_, k) => k).filter((k) => allowed(view, query, k));
  const terms = visible.map((k) =>
    stacked(
      "st",
      [number(weights.at(query, k)), " · ", span("value", signed(values.at(k, column), decimalsOf(view, "values")))],
      [number(weights.at(query, k) * values.at(k, column))],
    ),
  );
  row(view, [`context, number ${column + 1}`], plus(terms), [span("context", number(context.at(query, column)))], []);
}
