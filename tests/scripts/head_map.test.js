// The map of heads: where the small pictures stand, and where an arrow leads.

import assert from "node:assert/strict";
import { test } from "node:test";
import { headMapLayout, stepFrom } from "../../widgets/instruments/head_map/layout.js";

test("the head under a point is the one that stands there", () => {
  const counts = [4, 2, 4];
  const g = headMapLayout({ width: 700, counts, labels: 50 });
  counts.forEach((count, row) => {
    for (let head = 0; head < count; head++) {
      const { x, y } = g.place(row, head);
      assert.deepEqual(g.at(x + g.size / 2, y + g.size / 2), [row, head]);
      assert.ok(x + g.size <= g.width && y + g.size <= g.height);
    }
  });
  const { x, y } = g.place(1, 3); // a row of two heads
  assert.equal(g.at(x + 1, y + 1), null);
  assert.equal(g.at(0, y + 1), null);
});

test("pictures stand on whole pixels, however wide the names are", () => {
  const { place } = headMapLayout({ width: 700, counts: [4], labels: 50.4 });
  assert.ok(Number.isInteger(place(0, 1).x));
});

test("arrows stay inside, and rows may be of different lengths", () => {
  const counts = [4, 2, 4];
  assert.deepEqual(stepFrom([0, 3], 1, 0, counts), [1, 1]);
  assert.deepEqual(stepFrom([0, 0], -1, -1, counts), [0, 0]);
  assert.deepEqual(stepFrom([2, 3], 1, 1, counts), [2, 3]);
});
