// What a hand has moved and the kernel has not answered: nothing of it is lost, however slow the kernel is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Pending } from "../../widgets/base/js/pending.js";

function slow() {
  const state = {
    spec: [
      { name: "a", kind: "slider", min: 0, step: 1, max: 9 },
      { name: "b", kind: "switch" },
    ],
    ...{ changes: {}, values: { a: 0, b: false }, versions: {}, views: [], pending: {}, sequence: 0 },
  };
  const [heard, sent] = [[], []];
  const model = {
    widget_manager: { get_model: async () => ({ get: () => 0 }) },
    get: (name) => state[name],
    set(name, value) {
      state[name] = value;
      heard.filter(([event]) => event === `change:${name}`).forEach(([, hear]) => hear());
    },
    on: (event, hear) => heard.push([event, hear]),
    off() {},
    send: (message) => sent.push(structuredClone(message)),
  };
  const leave = new AbortController();
  return { pending: new Pending(model, leave.signal), model, sent, leave };
}

test("a reset that waits goes along with what is moved after it", () => {
  const { pending, model, sent, leave } = slow();
  pending.move("a", 1);
  pending.move("a", 2);
  pending.reset(); // two are under way: it waits
  assert.equal(pending.lastChangeBut("b"), 3); // what was framed before is old
  pending.move("b", true);
  for (const answered of [1, 2]) model.set("sequence", answered);
  assert.deepEqual(sent.at(-1), { kind: "move", sequence: 4, values: { b: true }, reset: true });
  model.set("sequence", 4);
  pending.move("a", 3);
  assert.deepEqual(sent.at(-1), { kind: "move", sequence: 5, values: { a: 3 } });
  leave.abort();
});
