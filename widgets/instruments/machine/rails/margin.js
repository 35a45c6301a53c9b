// Rails: the margin, the arithmetic of a phase, strips under strips.

import { number } from "../../../base/js/words.js";
import { vectorInWords } from "../arithmetic.js";
import { HEIGHT, MOST_ROWS, STRIP, row, says, sum } from "./places.js";
import { arrowHead, hundredths } from "../sheet.js";

const TOP = 58;

export function margin(all) {
  const pages = { ask: oneScore, weigh: softmax, add: theSum, "pass on": theSame, write: nextWord };
  if (all.now.step >= 0) pages[all.now.phase]?.(all, page(all));
}

// A strip with its name before it is one part: the name says the vector's numbers.
function page({ sheet, at, strip, look }) {
  const [x, edge] = [at.margin, at.margin - at.gap];
  const numbered = (key, y, name, vector) => {
    const left = edge - look.measure(name, 13, true);
    const box = [left, y - 2, x + at.strip + 3 - left, STRIP + 4];
    sheet.part({ id: `${key} in the margin`, name, shape: () => vectorInWords(vector), box });
  };
  return {
    x,
    edge,
    head: (text) => sheet.text("head", x + at.strip, 34, text, { bold: true, anchor: "end" }),
    name: (key, y, text, how = {}) => sheet.text(`${key} name`, edge, y, text, { anchor: "end", ...how }),
    rule: (y) => sheet.path("rule", `M${x - 4} ${y}H${x + at.strip + 4}`, { stroke: "ink", thick: 1 }),
    row(key, y, name, vector, role, how = {}) {
      const colour = role === "ink2" ? "ink" : role;
      sheet.text(`${key} name`, edge, y + 14, name, { anchor: "end", colour, ...how });
      strip(key, x, y, vector, role, { says: says(name, vector), ...how });
      numbered(key, y, name, vector);
    },
    numbered,
  };
}

function oneScore({ machine, sheet, now }, { x, head, row: line, rule, name }) {
  const { pick } = now;
  const key = now.source[pick];
  head("one score");
  line("it asks", TOP, "it asks", row(now.states, now.step), "query");
  line("is asked", TOP + 34, key, row(now.keys, pick), "key");
  rule(TOP + 66);
  const terms = row(machine.tensor("decoder.attention/hidden"), now.step, pick);
  if (terms) line("terms", TOP + 76, "compared", terms, "ink2");
  name("their sum", TOP + 128, terms ? "their sum" : "score", { colour: "ink2" });
  sheet.text("score of one", x, TOP + 128, number(now.scores.data[pick]), { bold: true });
}

function bar({ sheet, at }, key, x, y, height, share, isChosen) {
  const data = new Float32Array([isChosen ? 0.82 : 0.5]);
  sheet.cells(key, x, y, Math.max(1, share * at.strip), height, { rows: 1, columns: 1, data }, { scale: "weights" });
}

const FEW = 0.005; // a weight below it has no row where not all have one

// The rows that have room: those with the largest weights, in their order; the others as one number.
function largest(weights, most) {
  const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a]);
  const isTight = weights.length > most;
  const some = isTight ? order.slice(0, most - 1).filter((i, rank) => !rank || weights[i] >= FEW) : order;
  const kept = some.sort((a, b) => a - b);
  return { kept, others: weights.length - kept.length, rest: 1 - sum(kept.map((i) => weights[i])) };
}

function softmax(all, { x, head, name }) {
  const { sheet, now, at } = all;
  head("softmax");
  const { kept, others, rest } = largest(now.weights.data, MOST_ROWS);
  kept.forEach((i, k) => {
    const [y, w, bold] = [TOP + 30 * k, now.weights.data[i], i === now.pick];
    name(`share ${i}`, y + 14, now.source[i], { colour: "key", bold, part: `weight ${i}` });
    bar(all, `share ${i}`, x, y + 2, 16, w, bold);
    sheet.text(`share ${i} number`, x + at.strip * w + 8, y + 15, number(w), { bold, part: `weight ${i}` });
  });
  const y = TOP + 30 * kept.length + 14;
  if (others) name("others", y, `${others} others: ${number(rest)}`, { colour: "ink2" });
  name("sum", y + 24, "sum", { colour: "ink2" });
  sheet.text("sum number", x, y + 24, number(sum(now.weights.data)), { colour: "ink2" });
}

function theSum({ machine, look, sheet, now, strip }, { x, edge, head, name, numbered, rule, row: line }) {
  head("the sum");
  const { kept, others, rest } = largest(now.weights.data, MOST_ROWS);
  kept.forEach((i, k) => {
    const [y, w] = [TOP + 34 * k, now.weights.data[i]];
    const word = now.source[i];
    const part = `weight ${i}`;
    name(`adds ${i} word`, y + 14, word, { colour: "key", part });
    sheet.text(`adds ${i} weight`, edge - look.measure(word) - 6, y + 14, `${number(w)} ·`, {
      anchor: "end",
      bold: i === now.pick,
      part,
    });
    const vector = row(machine.tensor("decoder.attention/adds"), now.step, i) ?? times(w, row(now.keys, i));
    const words = `${number(w)} · ${word}`;
    strip(`adds ${i}`, x, y, vector, "key", { outlined: 0.25 + 0.75 * w, part, says: says(words, vector) });
    numbered(`adds ${i}`, y, words, vector);
  });
  let y = TOP + 34 * kept.length - 4;
  if (others) name("others", (y += 22) - 6, `${others} others: ${number(rest)}`, { colour: "ink2" });
  rule(y);
  line("sum", y + 10, "context", now.context, "context", { bold: true });
}

const times = (w, vector) => ({ ...vector, data: vector.data.map((x) => w * x) });

function theSame({ sheet, now, at, passed }, { x, edge, head, row: line }) {
  head("every time the same");
  if (!passed) {
    line("same", TOP, "context", now.context, "context", { bold: true });
    return;
  }
  line("last", TOP, "last state", passed, "key");
  sheet.text("mapped", edge, TOP + 50, "mapped once", { anchor: "end", colour: "ink2" });
  sheet.path(
    "mapped way",
    `M${x + at.strip / 2} ${TOP + 28}v30${arrowHead([x + at.strip / 2, TOP + 28], [x + at.strip / 2, TOP + 58])}`,
    {
      stroke: "wire",
      thick: 1.5,
    },
  );
  line("same", TOP + 66, "context", now.context, "context", { bold: true });
}

function nextWord(all, { x, head, name }) {
  const { machine, sheet, now, at } = all;
  head("next word");
  const words = machine.spec.labels.vocabulary;
  const chances = now.chances.data;
  const was = now.was?.data ?? chances;
  const differs = (i) => Math.abs(was[i] - chances[i]) > 0.01;
  const pitch = Math.min(17, (HEIGHT - TOP - 24) / words.length);
  words.forEach((word, i) => {
    const [y, isChosen] = [TOP + pitch * i, word === now.target[now.step]];
    const how = { size: 12, bold: isChosen, colour: isChosen ? "query" : "ink2" };
    name(`chance ${i}`, y + 11, word, how);
    bar(all, `chance ${i}`, x, y, 12, chances[i], isChosen);
    if (differs(i))
      sheet.path(`chance ${i} was`, `M${hundredths(x + at.strip * was[i])} ${y - 2}v16`, {
        stroke: "ink",
        thick: 1.5,
        dash: "2 2",
      });
    const shown = { size: 12, bold: isChosen, colour: isChosen ? "ink" : "ink2" };
    if (chances[i] > 0.02)
      sheet.text(`chance ${i} number`, x + at.strip * chances[i] + 6, y + 11, number(chances[i]), shown);
  });
  if (words.some((_, i) => differs(i)))
    sheet.text("dashed", at.width, TOP + pitch * words.length + 14, "dashed: its own weights", {
      size: 12,
      colour: "ink2",
      anchor: "end",
    });
}
