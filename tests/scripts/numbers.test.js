// Arrays from the kernel, orders, and labels that must not stand on each other.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ofHalves } from "../../widgets/base/js/halves.js";
import { clamp, floats, isOrder, spread } from "../../widgets/base/js/numbers.js";

const places = (ys, low, high, gap) =>
  spread(
    ys.map((y) => ({ y })),
    low,
    high,
    gap,
  ).map(({ y }) => y);

test("labels keep their place where there is room", () => {
  assert.deepEqual(places([10, 50, 90], 0, 100, 16), [10, 50, 90]);
});

test("labels move apart, in their order, inside the limits", () => {
  for (const ys of [
    [50, 50, 50],
    [0, 1, 2],
    [99, 98, 100],
    [0, 0, 99, 99],
  ]) {
    const placed = places(ys, 0, 100, 16);
    assert.ok(
      placed.every((y, i) => i === 0 || y - placed[i - 1] >= 16 - 1e-9),
      String(placed),
    );
    assert.ok(placed[0] >= 0 && placed.at(-1) <= 100, String(placed));
  }
});

test("an array whose bytes begin at an odd address", () => {
  const bytes = new Uint8Array(13);
  bytes.set(new Uint8Array(Float32Array.of(1.5, -2, NaN).buffer), 1);
  assert.deepEqual([...floats({ data: new DataView(bytes.buffer, 1, 12) })], [1.5, -2, NaN]);
});

test("an order names each place once", () => {
  assert.ok(isOrder([2, 0, 1], 3));
  for (const wrong of [[0, 1], [0, 1, 1], [0, 1, 3], null]) assert.ok(!isOrder(wrong, 3));
});

test("clamp", () =>
  assert.deepEqual(
    [-1, 0.5, 2].map((x) => clamp(x, 0, 1)),
    [0, 0.5, 1],
  ));

test("numbers of two bytes are read as the others are", () => {
  const bits = [0x3c00, 0xb800, 0x0001, 0x7c00, 0x7e00]; // 1, -0.5, the least there is, infinity, not a number
  const bytes = Uint8Array.from([0, ...bits.map((b) => b & 255), ...bits.map((b) => b >> 8)]);
  const halves = new DataView(bytes.buffer, 1); // at an odd address
  assert.deepEqual([...ofHalves({ halves, power: 2 })], [4, -2, 2 ** -22, Infinity, NaN]);
  assert.deepEqual([...ofHalves({ halves, power: 2 }, 1, 3)], [-2, 2 ** -22], "some of them");
});
