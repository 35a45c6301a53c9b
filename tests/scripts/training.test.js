// Training: what was recorded, piece by piece, and the numbers at its axes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { metricsAxis } from "../../widgets/instruments/training/axis.js";
import { Record } from "../../widgets/instruments/training/record.js";

const buffer = (...numbers) => new DataView(Float32Array.from(numbers).buffer);
/** @returns {[any, DataView[]]} */
const piece = (at, losses, rows = [], frames = [], film = []) => [
  { at, names: ["right"], frames, shape: frames.length ? [1, 1, 2] : [] },
  [buffer(...losses), buffer(...rows), buffer(...film)],
];

test("pieces follow each other, and a gap is said", () => {
  const record = new Record();
  assert.equal(record.take(...piece([0, 0, 0], [3, 2], [1, 0.25])), true);
  assert.equal(record.take(...piece([2, 1, 0], [1], [3, 0.75])), true);
  assert.deepEqual(record.losses, [3, 2, 1]);
  assert.deepEqual(
    [0, 1, 2, 3].map((step) => record.metrics(step)),
    [{}, { right: 0.25 }, { right: 0.25 }, { right: 0.75 }],
  );
  assert.equal(record.take(...piece([5, 2, 0], [0.5])), false);
  assert.equal(record.steps, 3);
});

test("a piece from the start begins anew", () => {
  const record = new Record();
  record.take(...piece([0, 0, 0], [3, 2, 1]));
  record.take(...piece([0, 0, 0], [7]));
  assert.deepEqual(record.losses, [7]);
});

test("as many steps as one likes", () => {
  const record = new Record();
  const [message, buffers] = piece([0, 0, 0], []);
  assert.ok(record.take(message, [new DataView(new ArrayBuffer(4 * 300000)), ...buffers.slice(1)]));
  assert.equal(record.steps, 300000);
});

test("the handle stands at frames, else at every hundredth, and at the end", () => {
  const record = new Record();
  record.take(...piece([0, 0, 0], [4, 3, 2, 1]));
  assert.deepEqual(record.stops(200), [0, 2, 4]);
  record.take(...piece([4, 0, 0], [0.5], [], [0, 3], [1, 2, 3, 4]));
  assert.deepEqual(record.stops(200), [0, 3, 5]);
  assert.deepEqual(
    [2, 3, 9].map(
      (step) => new Float32Array(record.frameAt(step).data.buffer, record.frameAt(step).data.byteOffset, 2)[0],
    ),
    [1, 3, 3],
  );
});

test("shares have an axis from 0 to 1, losses one that is not far from them", () => {
  assert.deepEqual(metricsAxis([]), [0, 1]);
  assert.deepEqual(metricsAxis([0.2, 1]), [0, 1]);
  assert.deepEqual(metricsAxis([2.43, 1.94, 1.64]), [1.5, 2.5]);
  assert.deepEqual(metricsAxis([2.43]), [2, 2.5]);
  assert.deepEqual(metricsAxis([2]), [1.5, 2.5]);
  assert.deepEqual(metricsAxis([0.9, 4.6]), [0, 6]);
  assert.deepEqual(metricsAxis([-1, 30]), [-20, 40]);
  assert.deepEqual(metricsAxis([-5, -1]), [-6, 0]);
  assert.deepEqual(metricsAxis([-0.2, 0.4]), [-0.5, 0.5]);
  for (const values of [
    [1.2, 1.1],
    [6.24, 3.1],
    [1000, 1],
    [1.1, 0.3],
  ]) {
    const [low, high] = metricsAxis(values);
    assert.ok(low <= Math.min(...values) && Math.max(...values) <= high);
    assert.ok(high - low < 2.5 * Math.max(values[0] - values[1], values[0] / 4), String(values));
  }
});
