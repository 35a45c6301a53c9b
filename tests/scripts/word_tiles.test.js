// What a press on a word makes of the hidden places.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pressed } from "../../widgets/instruments/word_tiles/press.js";

test("a word is hidden, chosen again, and shown again", () => {
  assert.deepEqual(pressed([], 3), [3]);
  assert.deepEqual(pressed([3], 1), [3, 1]);
  assert.deepEqual(pressed([3, 1], 3), [1, 3]);
  assert.deepEqual(pressed([1, 3], 3), [1]);
});
