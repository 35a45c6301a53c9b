// One beam search as a tree: parents, children, ranks, which paths live on, what each hypothesis says, and all that in words.

import { shorten } from "../../base/js/text.js";
import { number, visible } from "../../base/js/words.js";

const ordinal = (n) =>
  n === 1 ? "best" : `${n}${(n % 100) - (n % 10) === 10 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th")} best`;
export const brief = (token, most) => shorten(visible(token), most);
export const logOf = (node) => node?.log_probability ?? -Infinity;
export const scoreOf = (node) => node.score ?? -Infinity;

// What the nodes mean together: parents, children, ranks, which paths live on, what each hypothesis says.
export function readTree(get) {
  const all = get("nodes");
  const last = Math.max(0, ...all.map((n) => n.step));
  const step = get("step") < 0 ? last : Math.min(get("step"), last);
  const byId = new Map(all.map((n) => [n.id, n]));
  const shown = all.filter((n) => n.step <= step);
  /** @type {any[][]} */
  const columns = Array.from({ length: last + 1 }, () => []);
  for (const n of all) columns[n.step].push(n);
  for (const column of columns) column.sort((a, b) => a.y - b.y);
  const path = (id) => {
    const out = [];
    for (let n = byId.get(id); n; n = byId.get(n.parent)) out.unshift(n);
    return out;
  };
  const ids = (nodes) => new Set(nodes.map((n) => n.id));
  const tips = shown.filter((n) => n.status === "finished" || (n.status === "kept" && n.step === step));
  const alive = ids(tips.flatMap((n) => path(n.id)));
  const text = (id) =>
    path(id)
      .filter((n) => n.token !== get("end"))
      .map((n) => n.token)
      .join(get("separator"));
  const parentLog = (n) => (n.parent < 0 ? 0 : logOf(byId.get(n.parent)));
  return {
    all,
    last,
    step,
    byId,
    shown,
    columns,
    path,
    alive,
    text,
    best: ids(path(get("best"))),
    greedy: new Set(get("greedy")),
    parentLog,
    probability: (n) => (n.log_probability === null ? 0 : Math.exp(n.log_probability - parentLog(n))),
    children: (id) => shown.filter((n) => n.parent === id).sort((a, b) => logOf(b) - logOf(a)),
  };
}

// Why a node is where it is, in words.
export function reason(tree, node) {
  const place = `step ${node.step}`;
  const candidates = tree.columns[node.step].filter((n) => n.status !== "greedy");
  const rank = 1 + candidates.filter((n) => logOf(n) > logOf(node)).length;
  const through = candidates.filter((n) => n.status !== "dropped");
  if (node.status === "greedy") return "never seen by the beam: greedy search went on here alone";
  if (node.status === "finished")
    return `finished: it leaves the beam with its end mark, the ${ordinal(rank)} of ${place}`;
  if (node.status === "kept") {
    const ended = tree.step > node.step && !tree.alive.has(node.id);
    return `kept: the ${ordinal(rank)} of ${place}${ended ? "; later all that follows from it was dropped" : ""}`;
  }
  const worst = number(Math.min(...through.map(logOf)));
  const gone = tree.all.filter((n) => n.status === "finished" && n.step < node.step).length;
  const free = `${gone ? "still free " : ""}place`;
  return through.length === 1
    ? `dropped: ${place} had 1 ${free} in the beam, and a better one took it, with ${worst}`
    : `dropped: ${place} had ${through.length} ${free}s in the beam, and better ones took them, the last with ${worst}`;
}

export function announcement(tree, node) {
  const parts = [
    brief(node.token, 60),
    `step ${node.step}`,
    node.status,
    `probability ${number(tree.probability(node))}`,
    `log-probability ${number(logOf(node))}`,
  ];
  if (node.status === "finished") parts.push(`score ${number(scoreOf(node))}`);
  if (tree.best.has(node.id)) parts.push("on the best path");
  if (tree.greedy.has(node.id)) parts.push("on the greedy path");
  return parts.join(", ");
}
