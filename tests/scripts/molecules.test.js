// Molecules: the strokes of a bond.
import assert from "node:assert/strict";
import { test } from "node:test";
import { strokes } from "../../widgets/instruments/molecules/layout.js";

test("the dots of an aromatic bond stand inside of its ring, whichever way the bond is written", () => {
  const square = [
    [0, 0],
    [40, 0],
    [40, 40],
    [0, 40],
  ];
  /** @type {[number, number, number][]} */
  const bonds = [
    [0, 1, 1.5],
    [1, 2, 1.5],
    [3, 2, 1.5],
    [3, 0, 1.5],
  ];
  const toMiddle = ([x1, y1, x2, y2]) => Math.hypot((x1 + x2) / 2 - 20, (y1 + y2) / 2 - 20);
  for (const bond of bonds) {
    const [line, dots] = strokes(bond, square, bonds);
    assert.deepEqual([line.at(-1), dots.at(-1)], ["", "aromatic"]);
    assert.ok(toMiddle(dots) < toMiddle(line), `${bond}`);
  }
});
