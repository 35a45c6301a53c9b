// What a hand moves on its way to the kernel: two at most, in their order, the newest at last.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Underway } from "../../widgets/base/js/underway.js";

// A model whose kernel answers when it is told to, and a hand that moves it.
function hand() {
  const state = {};
  const [sent, told, answers] = [[], [], []];
  let changed = null;
  const model = {
    get: (name) => state[name],
    set: (name, value) => (state[name] = value),
    send({ kind, trait, value }, { iopub }) {
      sent.push([kind, trait, value]);
      answers.push(() => ["busy", "idle"].forEach((execution_state) => iopub.status({ content: { execution_state } })));
    },
    save_changes: () => told.push(state.number),
    on: (_, hear) => (changed = hear),
    off: () => (changed = null),
  };
  const leave = new AbortController();
  const underway = new Underway(model, leave.signal);
  const kernel = (value) => {
    state.number = value;
    changed?.();
  };
  const move = (...all) => all.forEach((value) => underway.move("number", value));
  const values = () => sent.map(([, , value]) => value);
  return { underway, move, values, sent, told, state, kernel, leave, answer: () => answers.shift()?.() };
}

test("two are under way at most, however far the hand goes; then the newest follows", () => {
  const { move, values, sent, state, answer } = hand();
  move(1, 2, 3, 4, 5);
  assert.equal(state.number, 5, "the page shows where the hand is");
  assert.deepEqual(values(), [1, 2]);
  answer();
  assert.deepEqual(values(), [1, 2, 5], "what the hand has passed is not asked for");
  move(6, 7);
  answer();
  answer();
  answer();
  assert.deepEqual(values(), [1, 2, 5, 7]);
  answer();
  assert.deepEqual(sent.at(-1), ["hand", "number", 7]);
  assert.equal(sent.length, 4, "what is told already is not told again");
});

test("a hand that has let go has the last word", () => {
  const { underway, move, values, told, answer } = hand();
  move(1, 2, 3);
  underway.end();
  assert.deepEqual(told, [3]);
  answer();
  answer();
  assert.deepEqual(values(), [1, 2], "nothing that is older comes after it");
  move(4);
  assert.deepEqual(values(), [1, 2, 4], "and a new one begins at once");
});

test("a hand that has grabbed again is not moved by what the kernel says of an earlier release", () => {
  const { underway, move, state, kernel, leave } = hand();
  move(1);
  underway.end();
  kernel(1);
  move(2);
  kernel(1);
  assert.equal(state.number, 2, "the hand is there");
  underway.end();
  kernel(3);
  assert.equal(state.number, 3, "nobody holds it any more");
  move(4);
  leave.abort();
  kernel(5);
  assert.equal(state.number, 5, "the view is gone");
});
