// Matrix: rows changed by hand, the order of rows and columns, groups, limits of colours.
import assert from "node:assert/strict";
import { test } from "node:test";
import { memo, same } from "../../widgets/base/js/memo.js";
import { wrapText } from "../../widgets/base/js/text.js";
import { borders, moved, placedGroups } from "../../widgets/instruments/matrix/order.js";
import { editName, niceLimit, renormalised, special } from "../../widgets/instruments/matrix/weights.js";
import { counted, readLines } from "../../widgets/instruments/matrix/words.js";

const all = () => true;
const near = (row, wanted) =>
  row.forEach((x, i) => assert.ok(Math.abs(x - wanted[i]) < 1e-9, `${row} is not ${wanted}`));

test("a weight set by hand: the others keep their proportions, the sum stays 1", () => {
  near(renormalised([0.2, 0.6, 0.2], [0.2, 0.6, 0.2], 1, 0.2, all), [0.4, 0.2, 0.4]);
  near(renormalised([0.5, 0.25, 0.25], [], 0, 0, all), [0, 0.5, 0.5]);
});

test("a weight stays between 0 and 1", () => {
  near(renormalised([0.5, 0.5], [0.5, 0.5], 0, 7, all), [1, 0]);
  near(renormalised([0.5, 0.5], [0.5, 0.5], 0, -7, all), [0, 1]);
});

test("where the others have nothing, the model's own proportions come back, else even ones", () => {
  near(renormalised([0, 1, 0], [0.3, 0.6, 0.1], 1, 0.6, all), [0.3, 0.6, 0.1]);
  near(renormalised([0, 1, 0], [0, 1, 0], 1, 0.5, all), [0.25, 0.5, 0.25]);
});

test("masked cells get nothing; a row with one free cell keeps all of it there", () => {
  near(
    renormalised([0.5, 0.5, 0], [0.5, 0.5, 0], 0, 0.2, (k) => k !== 2),
    [0.2, 0.8, 0],
  );
  near(
    renormalised([1, 0, 0], [1, 0, 0], 0, 0.2, (k) => k === 0),
    [1, 0, 0],
  );
});

test("limits are round numbers that hold everything finite", () => {
  assert.equal(niceLimit([0.012, -0.019]), 0.02);
  assert.equal(niceLimit([4.2, Infinity, NaN]), 5);
  assert.equal(niceLimit([0, 0]), 1);
});

test("an item moves to another place, the others close up", () => {
  assert.deepEqual(moved([0, 1, 2, 3], 3, 1), [0, 3, 1, 2]);
  assert.deepEqual(moved([2, 0, 1], 0, 2), [0, 1, 2]);
});

test("a group is drawn while its rows stand together", () => {
  assert.deepEqual(placedGroups([[0, 2, "in"]], [0, 1, 2]), [[0, 2, "in"]]);
  assert.deepEqual(placedGroups([[0, 2, "in"]], [2, 1, 0]), [[1, 3, "in"]]);
  assert.deepEqual(placedGroups([[0, 2, "in"]], [0, 2, 1]), []);
});

test("stronger lines stand at the ends of groups, else around blanks", () => {
  assert.deepEqual([...borders([[0, 2, "a"]], [], [0, 1, 2])], [0, 2]);
  assert.deepEqual([...borders([], ["a", " ", "b"], [0, 1, 2])], [1, 2]);
});

test("names of edits, words for what is no number", () => {
  assert.deepEqual([editName(0, 3), editName(1, 3)], ["3", "1:3"]);
  assert.deepEqual([special(NaN), special(-Infinity), special(0.5)], ["not a number", "minus infinite", "0.50"]);
});

test("what is kept is made again when a cause changes, or all is forgotten", () => {
  assert.deepEqual([same([1, NaN], [1, NaN]), same([1], [1, 2])], [true, false]);
  const { once, forget } = memo();
  let made = 0;
  const asked = (...causes) => once("number", causes, () => (made += 1));
  assert.deepEqual([asked(1, "a"), asked(1, "a"), asked(1, "b"), asked(1, "b")], [1, 1, 2, 2]);
  assert.equal(
    once("other", [1, "b"], () => "its own"),
    "its own",
  );
  forget();
  assert.equal(asked(1, "b"), 3);
});

test("a row says which one it is, unless its label does", () => {
  assert.equal(counted("row", 2, ["the", "cat", "sat"]), "row 3");
  assert.equal(counted("row", 2, ["0", "1", "2"]), "");
  assert.equal(counted("column", 0, ["1", "2"]), "");
  assert.equal(counted("row", 1, ["4", "1", "9"]), "row 2"); // tokens that are digits
});

test("a panel's name is read in as many lines as the longest one needs", () => {
  const view = { g: { read: { nameLines: 2, queryLines: 1, keyLines: 1 }, query: {}, key: {} } };
  const v = {
    panels: 1,
    panelNames: ["atoms right, over all 110 reactions"],
    queries: 1,
    keys: 1,
    queryLabels: ["1"],
    keyLabels: ["1"],
    shown: [0.5],
    allowed: () => true,
  };
  const [name] = readLines(view, v, [0, 0, -1]);
  assert.deepEqual([name.text, name.most], ["atoms right, over all 110 reactions", 2]);
});

test("the most of a row is the most of what it may attend to", () => {
  const view = { g: { read: {}, query: {}, key: {} } };
  const v = {
    queries: 1,
    keys: 3,
    queryLabels: ["the"],
    keyLabels: ["le", "chat", "est"],
    shown: [0.2, 0.9, 0.5],
    allowed: (panel, query, key) => key !== 1,
  };
  const { text, after } = /** @type {any} */ (readLines(view, v, [0, 0, -1]).at(-1));
  assert.deepEqual([text, after], ["est", "most, 0.50"]);
});

test("a long name is broken behind a blank, a long token between characters", (t) => {
  const measureText = (text) => ({ width: 10 * text.length });
  globalThis.document = /** @type {any} */ ({ createElement: () => ({ getContext: () => ({ measureText }) }) });
  t.after(() => delete globalThis.document);
  assert.deepEqual(wrapText("right, over all reactions", "f", 120, 3), ["right, over ", "all ", "reactions"]);
  assert.deepEqual(wrapText("internationalisation", "f", 120, 3), ["internationa", "lisation"]);
  assert.deepEqual(wrapText("right, over all reactions", "f", 120, 2), ["right, over ", "all reactio…"]);
  assert.deepEqual(wrapText("aaaaaaaa😀", "f", 90, 2), ["aaaaaaaa", "😀"], "never inside a letter");
  assert.deepEqual(wrapText("aaaaaaaaab", "f", 95, 2), ["aaaaaaaaa", "b"], "never wider than its room");
});
