// What is seen, in words: the lines beside the picture, the name of the canvas, what a hand is told.

import { announce } from "../../base/js/canvas_view.js";
import { visible } from "../../base/js/words.js";
import { special } from "./weights.js";

const HELP = {
  mask: " Space masks and unmasks the cell.",
  weights: " Plus and minus change the weight, Delete restores the row.",
  order: " Alt and an arrow key move the row or the column.",
};

// Which row or column it is, from 1; "" where the labels are numbers in a row and say it themselves.
export function counted(what, index, labels) {
  const numbered = labels.every((label, i) => label === String(Number(labels[0]) + i));
  return numbered ? "" : `${what} ${index + 1}`;
}

export function readLines(view, v, [panel, query, key]) {
  const lines = [];
  if (v.panelNames) lines.push({ name: "panel", text: v.panelNames[panel], most: view.g.read.nameLines });
  if (query >= 0)
    lines.push({
      name: v.measure ? v.queryTitle : "query",
      text: visible(v.queryLabels[query]),
      role: "query",
      mono: view.g.query.single,
      most: view.g.read.queryLines,
      after: counted("row", query, v.queryLabels),
    });
  if (key >= 0)
    lines.push({
      name: v.measure ? v.keyTitle : "key",
      text: visible(v.keyLabels[key]),
      role: "key",
      mono: view.g.key.single,
      most: view.g.read.keyLines,
      after: counted("column", key, v.keyLabels),
    });
  return lines.concat(
    query >= 0 && key >= 0 ? cellLines(view, v, panel, query, key) : mostLine(view, v, panel, query, key),
  );
}

function cellLines(view, v, panel, query, key) {
  const at = (panel * v.queries + query) * v.keys + key;
  const masked = !v.allowed(panel, query, key);
  const lines = v.scores ? [{ name: "score", text: masked ? "masked" : special(v.scores[at]) }] : [];
  const changed = v.edited(panel, query) && v.shown[at] !== v.own[at];
  const marked = v.marked.some(([q, k]) => q === query && k === key) ? "marked" : "";
  const after = changed ? `was ${special(v.own[at])}` : marked;
  return [
    ...lines,
    {
      name: v.measure || (v.scale === "weights" ? "weight" : "score"),
      text: masked ? "masked" : special(v.shown[at]),
      after,
    },
  ];
}

// Of a whole row or column: where its largest value stands.
function mostLine(view, v, panel, query, key) {
  let [best, most] = [-1, -Infinity];
  for (let i = 0; i < (query >= 0 ? v.keys : v.queries); i++) {
    const [q, k] = query >= 0 ? [query, i] : [i, key];
    const x = v.shown[(panel * v.queries + q) * v.keys + k];
    if (x > most && v.allowed(panel, q, k)) [best, most] = [i, x];
  }
  if (best < 0) return [{ name: "all", text: "masked" }];
  const [label, role] = query >= 0 ? [v.keyLabels[best], "key"] : [v.queryLabels[best], "query"];
  const name = v.measure ? "most" : query >= 0 ? "reads" : "read by";
  return [
    {
      name,
      text: visible(label),
      role,
      mono: view.g[role].single,
      after: v.measure ? special(most) : `most, ${special(most)}`,
    },
  ];
}

export function describe(view, v) {
  const cells = `${v.queryTitle} ${v.queries} by ${v.keyTitle} ${v.keys}`;
  const name = `${v.measure || v.scale}: ${v.panels > 1 ? `${v.panels} panels of ` : ""}${cells}. Arrow keys select a cell, Enter its row and column, Escape nothing.${HELP[v.editing] ?? ""}`;
  if (view.canvas.getAttribute("aria-label") !== name) view.canvas.setAttribute("aria-label", name);
  if (!v.selected) announce(view, "");
  else announce(view, view.spoken() ? selectedInWords(view, v) : null);
}

function selectedInWords(view, v) {
  const words = readLines(view, v, v.selected)
    .map(
      ({ name: what, text, after }) => `${what} ${text}${/^(was|most|marked)/.test(after ?? "") ? `, ${after}` : ""}`,
    )
    .join(", ");
  return words.slice(0, 300);
}
