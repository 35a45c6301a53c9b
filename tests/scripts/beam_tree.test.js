// The tree of a beam search: tokens are cut as all labels are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { brief } from "../../widgets/instruments/beam_tree/tree.js";

test("a long token is cut between its characters, and its blank stays visible", () => {
  assert.equal(brief(" international", 60), "␣international");
  assert.equal(brief(" internationalisation", 14), "␣internationa…");
  assert.equal(brief("😀".repeat(8), 4), "😀😀😀…");
});
