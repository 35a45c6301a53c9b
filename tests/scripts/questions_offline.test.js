// Questions of a page without a kernel: answers are kept in the browser, and shared by its windows.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { QuestionAnswers } from "../../widgets/base/js/offline_answers.js";
import { Model } from "../../widgets/base/js/offline_model.js";

const TRAITS = {
  questions: [
    { text: "Which?", choices: ["a", "b"] },
    { text: "Why?", choices: [] },
  ],
  answers: ["", ""],
  drafts: ["", ""],
  replies: [[], []],
  closed: [false, false],
  final: false,
  standing: "",
};

let kept;
beforeEach(() => {
  kept = null;
  const storage = {
    getItem: () => kept,
    setItem(_, text) {
      kept = text;
    },
  };
  Object.assign(globalThis, { localStorage: storage });
});
afterEach(() => Reflect.deleteProperty(globalThis, "localStorage"));

function shown(sheet, traits = {}, said = []) {
  const host = { models: new Map(), changed() {}, told: (_, message) => answers.told(model, message) };
  const model = new Model("m", { ...TRAITS, ...traits }, host);
  host.models.set("m", model);
  const answers = new QuestionAnswers(host, {
    parts: ["m"],
    sheet,
    earlier: "before",
    said,
    nothing: "Nothing is written there",
  });
  return { model, answers, say: (place, text) => model.send({ kind: "answer", place, text }) };
}

test("two windows keep each other's answers", () => {
  const [one, other] = [shown("before"), shown("before")];
  one.say(0, "a");
  other.say(1, " so ");
  assert.deepEqual(JSON.parse(kept), { before: { 0: "a", 1: "so" } });
  assert.deepEqual(other.model.get("answers"), ["a", "so"]);
});

test("an empty sentence is refused, and what was kept stays", () => {
  const { model, say } = shown("before");
  say(1, "so");
  say(1, " ");
  assert.deepEqual(model.get("answers"), ["", "so"]);
  assert.match(model.get("standing"), /Nothing is written there/);
});

test("what is not ours, or was a choice of another course, is no answer", () => {
  for (const text of ["no JSON", "5", '"abc"', "null", '{"before": "abc"}', '{"before": {"0": "c", "1": 7}}']) {
    kept = text;
    assert.deepEqual(shown("before").model.get("answers"), ["", ""], text);
  }
});

test("on a final sheet an answer closes its question and stands beside the earlier one", () => {
  kept = '{"before": {"0": "b"}}';
  const rows = [
    ["then", "(not answered)"],
    ["now", ""],
    ["right", "a"],
  ];
  const { model, say } = shown("after", { final: true }, [rows, rows]);
  say(0, "a");
  say(0, "b");
  say(1, "so");
  assert.deepEqual(model.get("closed"), [true, true]);
  assert.deepEqual(model.get("replies")[0], [["then", "b"], ["now", "a"], rows[2]]);
  assert.deepEqual(model.get("replies")[1], [rows[0], ["now", "so"], rows[2]]);
});

test("in a browser that keeps nothing answers live as long as the page", () => {
  const refuse = () => {
    throw new Error("no storage");
  };
  for (const broken of [["setItem"], ["setItem", "getItem"]]) {
    for (const name of broken) localStorage[name] = refuse;
    const { model, say } = shown("before");
    say(0, "a");
    say(1, "so");
    assert.deepEqual(model.get("answers"), ["a", "so"]);
    assert.match(model.get("standing"), /This browser keeps nothing/);
  }
});

test("what no sheet keeps begins as the page came, and goes with it", () => {
  const { model, say } = shown("", { answers: ["a", ""], closed: [true, false], replies: [[["why", "so"]], []] });
  assert.equal(model.get("standing"), "1 of 2 answered");
  say(0, "b");
  say(1, "so");
  assert.deepEqual(model.get("answers"), ["a", "so"]);
  assert.deepEqual(model.get("replies"), [[["why", "so"]], []]);
  assert.equal(kept, null);
});
