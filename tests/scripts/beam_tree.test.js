// The tree of a beam search: tokens are cut as all labels are, and why a hypothesis is where it is is said.
import assert from "node:assert/strict";
import { test } from "node:test";
import { brief, readTree, reason } from "../../widgets/instruments/beam_tree/tree.js";

test("a long token is cut between its characters, and its blank stays visible", () => {
  assert.equal(brief(" international", 60), "␣international");
  assert.equal(brief(" internationalisation", 14), "␣internationa…");
  assert.equal(brief("😀".repeat(8), 4), "😀😀😀…");
});

test("why a hypothesis is where it is", () => {
  const node = (id, parent, step, status, log_probability) => ({ id, parent, step, status, log_probability, y: id });
  const nodes = [
    node(0, -1, 1, "kept", -0.6),
    node(1, -1, 1, "kept", -0.9),
    node(2, 0, 2, "finished", -1),
    node(3, 1, 2, "kept", -1.5),
    node(4, 1, 2, "dropped", -2),
    node(5, 3, 3, "kept", -2.5),
    node(6, 3, 3, "dropped", -3),
  ].map((one) => ({ ...one, token: "a" }));
  const tree = readTree((name) => ({ nodes, step: -1, best: 5, greedy: [] })[name]);
  assert.deepEqual(
    nodes.map((one) => reason(tree, one)),
    [
      "kept: the best of step 1",
      "kept: the 2nd best of step 1",
      "finished: it leaves the beam with its end mark, the best of step 2",
      "kept: the 2nd best of step 2",
      "dropped: step 2 had 2 places in the beam, and better ones took them, the last with −1.50",
      "kept: the best of step 3",
      "dropped: step 3 had 1 still free place in the beam, and a better one took it, with −2.50",
    ],
  );
});
