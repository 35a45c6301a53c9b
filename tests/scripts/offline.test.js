// The states that a page without a kernel holds: found by their values, reached by the ways that Python has walked.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ExplorerAnswers } from "../../widgets/base/js/offline_answers.js";
import { Model } from "../../widgets/base/js/offline_model.js";
import { inFull, States, textOf } from "../../widgets/base/js/offline_states.js";
import { Underway } from "../../widgets/base/js/underway.js";

const columns = (rows) => new DataView(Uint16Array.from(rows[0].flatMap((_, i) => rows.map((row) => row[i]))).buffer);

// Two controls, of which `mode` changes `step`, too; no picture at step 3 of mode b; numbers in bytes.
function packed() {
  const bytes = new DataView(Float32Array.from([0.5, 0.25]).buffer);
  return {
    names: ["mode", "step"],
    values: { mode: ["a", "b"], step: [1, 2, 3] },
    axes: { mode: "select", step: "slider" },
    nodes: columns([
      [0, 0],
      [0, 1],
      [0, 2],
      [1, 0],
      [1, 1],
    ]),
    columns: [
      ["m1", "values"],
      ["m2", "error"],
    ],
    shown: columns([
      [0, 1],
      [0, 1],
      [0, 1],
      [0, 1],
      [0xffff, 2],
    ]),
    edges: [
      [[0, 2], "mode", 1, [1, 0]],
      [[0, 1], "mode", 1, null],
    ],
    table: [{ shape: [2], data: { bytes: [0, 8] } }, "", "no picture here"],
    bytes,
  };
}

test("a state is found whatever made its values", () => {
  const states = new States(packed());
  assert.equal(states.count, 5);
  assert.equal(states.row({ mode: "a", step: 2 }), 1);
  assert.deepEqual(states.state(4), { mode: "b", step: 2 });
  assert.equal(states.row({ mode: "c", step: 2 }), undefined);
});

test("a hand is led where Python was led", () => {
  const states = new States(packed());
  assert.equal(states.after({ mode: "a", step: 1 }, "step", 3), 2);
  assert.equal(states.after({ mode: "a", step: 3 }, "mode", "b"), 3, "the way that was walked, not the bare values");
  assert.equal(states.after({ mode: "a", step: 2 }, "mode", "b"), undefined, "a way to a state without a picture");
  assert.equal(states.after({ mode: "b", step: 1 }, "step", 3), undefined);
});

test("only of a slider there is a nearest value", () => {
  const states = new States(packed());
  assert.equal(states.nearest({ mode: "b", step: 1 }, "step", 3), 2);
  assert.equal(states.nearest({ mode: "b", step: 1 }, "mode", "c"), undefined);
});

test("a picture has its bytes, the same object each time, and nothing of what is missing", () => {
  const states = new States(packed());
  const { m1, m2 } = states.picture(0);
  assert.deepEqual([...new Float32Array(m1.values.data.buffer.slice(0, 8))], [0.5, 0.25]);
  assert.equal(m2.error, "");
  assert.equal(states.picture(1).m1.values, m1.values);
  assert.deepEqual(states.picture(4), { m2: { error: "no picture here" } });
});

test("what the page came with stands there again, wherever a hand was", () => {
  const first = { m1: { values: "as it came" } };
  const states = new States({ ...packed(), shown: columns([[0xfffe, 1]].concat(Array(4).fill([0, 0xfffe]))) }, first);
  assert.equal(states.picture(0).m1.values, "as it came");
});

test("a hand that moves on comes to another picture, where one lies in its way", () => {
  const few = { ...packed(), edges: [], values: { mode: ["a"], step: [1, 9, 20] } };
  few.nodes = columns([
    [0, 0],
    [0, 1],
    [0, 2],
  ]);
  const states = new States({ ...few, columns: [], shown: columns([[], [], []]) });
  assert.equal(states.nearest({ mode: "a", step: 9 }, "step", 10), 20);
  assert.equal(states.nearest({ mode: "a", step: 9 }, "step", 8), 1);
  assert.equal(states.nearest({ mode: "a", step: 1 }, "step", 18), 20);
  assert.equal(states.nearest({ mode: "a", step: 20 }, "step", 40), 20, "there is none beyond");
});

test("numbers of two bytes are numbers again", () => {
  // 1, -2.5, the largest below 2, 0, the least that has three digits, one below it, infinity, none
  const bits = [0x3c00, 0xc100, 0x3fff, 0, 0x0400, 0x0001, 0x7c00, 0x7e00];
  const halves = new DataView(Uint8Array.from([...bits.map((b) => b & 255), ...bits.map((b) => b >> 8)]).buffer);
  const { data, shape } = inFull({ shape: [8], halves, power: 1 });
  const numbers = [...new Float32Array(data.buffer)];
  assert.deepEqual(shape, [8]);
  assert.deepEqual(numbers.slice(0, 7), [2, -5, 4 - 2 ** -9, 0, 2 ** -13, 2 ** -23, Number.POSITIVE_INFINITY]);
  assert.ok(Number.isNaN(numbers[7]));
  assert.deepEqual(inFull({ a: [{ halves, power: 0, shape: [8] }], b: null }).b, null);
});

test("values are the same text where Python calls them the same", () => {
  assert.equal(textOf({ b: 1, a: [1.0, null] }), textOf({ a: [1, undefined], b: 1 }));
  assert.notEqual(textOf([1, 2]), textOf([2, 1]));
  assert.notEqual(textOf("1"), textOf(1));
  assert.equal(textOf(new DataView(new ArrayBuffer(4))), "bytes");
});

test("a hand that is still moving is answered as one that has let go", () => {
  const heard = [];
  const model = new Model("m1", { edits: [] }, { changed: (_, traits) => heard.push(traits) });
  const underway = new Underway(model, new AbortController().signal);
  for (const number of [1, 2, 3]) underway.move("edits", [number]);
  underway.end();
  assert.deepEqual(heard, [{ edits: [1] }, { edits: [2] }, { edits: [3] }]);
});

test("every place that shows an explorer says the same of it, one that is drawn later too", async () => {
  const ends = { start: [0, 0], initial: [0, 0], caption: "m2", controls: "m1", follows: {}, heard: [] };
  const notes = new Map();
  const host = { models: new Map(), note: (root, words) => notes.set(root, words), open: async () => file };
  const file = { ...packed(), ...ends };
  host.models.set("m1", new Model("m1", { spec: [{ name: "mode" }, { name: "step" }], sequence: 0 }, host));
  host.models.set("m2", new Model("m2", {}, host));
  const answers = new ExplorerAnswers(host, { states: "file", parts: ["m1", "m2"] });
  const places = [{ dataset: {} }, { dataset: {} }, { dataset: {} }];
  const moved = (values) => {
    answers.told(null, { kind: "move", sequence: 1, values });
    return answers.moves;
  };
  const seen = () => places.map((place) => ["outside" in place.dataset, Boolean(notes.get(place))]);
  for (const place of places.slice(0, 2)) answers.shownIn(place);
  await moved({ mode: "c" });
  answers.shownIn(places[2]);
  assert.deepEqual(seen(), Array(3).fill([true, false]), "the picture is another state's");
  await moved({ mode: "b" });
  await moved({ step: 3 });
  assert.deepEqual(seen(), Array(3).fill([false, true]), "the next that there is, which is said");
  await moved({ step: 1 });
  assert.deepEqual(seen(), Array(3).fill([false, false]));
});

test("a model tells its host what a view has set, once, and its listeners what has changed", () => {
  const heard = [];
  const host = { changed: (_, traits) => heard.push(traits), told: (_, message) => heard.push(message) };
  const model = new Model("m1", { a: 1, b: 2 }, host);
  model.on("change:a change", () => heard.push("change"));
  model.set("a", 3);
  model.save_changes();
  model.save_changes();
  model.set_state({ b: 2 });
  model.send({ kind: "move" });
  assert.deepEqual(heard, ["change", "change", { a: 3 }, { kind: "move" }]);
  model.off("change:a");
  model.set_state({ a: 4 });
  assert.equal(heard.length, 5);
});
