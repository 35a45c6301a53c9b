// What is read of a node in words and numbers, and the table of all.

import { make } from "../../base/js/dom.js";
import { textWidth } from "../../base/js/text.js";
import { number } from "../../base/js/words.js";
import { font } from "./paint.js";
import { brief, logOf, reason, scoreOf } from "./tree.js";

const hint = (...words) => make("span", { class: "hint" }, ...words);

// Always three lines: the picture must not jump when the hand moves over it.
export function readOut({ get, tree, said, facts, why }, node, th) {
  if (!node) {
    for (const line of [said, facts, why]) line.replaceChildren();
    return;
  }
  const ends = node.token === get("end");
  const own = ends ? "" : brief(node.token, 60);
  let before = tree.text(node.parent).slice(-400) + (own && node.parent >= 0 ? get("separator") : "");
  const space = said.clientWidth - 180 - textWidth(own, font(15, th, true));
  if (textWidth(before, font(15, th)) > space) {
    while (before.length > 1 && textWidth(`…${before}`, font(15, th)) > space) before = before.replace(/^./su, "");
    before = `…${before}`;
  }
  said.replaceChildren(
    hint("text so far "),
    before,
    make("b", {}, own),
    ends ? hint(` then ${brief(node.token, 60)}`) : "",
  );
  const p = number(tree.probability(node));
  const log = number(logOf(node));
  const penalty = get("length_penalty");
  const sum = node.step > 1 ? `= ${number(tree.parentLog(node))} + log ${p}` : `= log ${p}`;
  const power = penalty === 0 ? [] : [` / ${node.step}`, penalty === 1 ? "" : make("sup", {}, number(penalty, 1))];
  const fact = (name, value, ...how) => make("span", {}, hint(`${name} `), make("b", {}, value), hint(" ", ...how));
  facts.replaceChildren(
    fact("probability", p, `of ${brief(node.token, 14)}`),
    fact("log-probability", log, sum),
    fact("score", number(scoreOf(node)), `= ${log}`, ...power),
  );
  why.textContent = reason(tree, node);
}

// All hypotheses as text.
export function writeTable(table, tree) {
  const names = ["step", "text so far", "token", "probability", "log-probability", "score", ""];
  const head = make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name)));
  const kinds = (n) => [
    n.status,
    tree.best.has(n.id) && "best",
    tree.greedy.has(n.id) && n.status !== "greedy" && "greedy",
  ];
  const cells = (n) => [
    n.step,
    tree.text(n.id).slice(-200),
    brief(n.token, 60),
    number(tree.probability(n)),
    number(logOf(n)),
    number(scoreOf(n)),
    kinds(n).filter(Boolean).join(", "),
  ];
  const rows = [...tree.shown].sort((a, b) => a.step - b.step || logOf(b) - logOf(a));
  const body = rows.map((n) =>
    make("tr", { class: n.status }, ...cells(n).map((cell) => make("td", {}, String(cell)))),
  );
  table.replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)));
}
