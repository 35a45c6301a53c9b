// Product: where its tables stand, which cell lies where, and the numbers as they stand on the screen.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cellAt, productLayout } from "../../widgets/instruments/product/layout.js";
import { exactly, largest, readTable } from "../../widgets/instruments/product/tables.js";

const packed = (shape, numbers) => ({ shape, data: new DataView(Float32Array.from(numbers).buffer) });
const TRAITS = { query: packed([2, 3], [1, 2, 3, 4, 5, 6]), key: packed([2, 3], [1, 2, 3, 4, 5, 6]) };
const table = (rows, columns) => ({ rows, columns });
const TABLES = {
  queries: table(2, 3),
  keys: table(3, 5),
  scores: table(2, 5),
  weights: table(2, 5),
  values: table(5, 4),
  context: table(2, 4),
};
const at = (width) => productLayout({ width, tables: TABLES, query: { widest: 40 }, key: { widest: 30 }, room: 3 });

test("keys stand as columns, all other tables as they came", () => {
  assert.deepEqual(
    [0, 1].map((r) => readTable((name) => TRAITS[name], "queries").at(r, 2)),
    [3, 6],
  );
  const keys = readTable((name) => TRAITS[name], "keys");
  assert.deepEqual([keys.rows, keys.columns, keys.at(2, 0), keys.at(0, 1)], [3, 2, 3, 4]);
});

test("a table knows its largest number and whether a decimal is enough", () => {
  const queries = readTable((name) => TRAITS[name], "queries");
  assert.equal(largest(queries, { data: Float32Array.from([-7, Infinity]) }), 7);
  assert.equal(exactly({ data: Float32Array.from([0.1, -2.5]) }, 1), true);
  assert.equal(exactly({ data: Float32Array.from([0.12]) }, 1), false);
});

for (const width of [700, 1000, 1400]) {
  test(`at ${width} pixels no table covers another, and rows lie on one line`, () => {
    const { boxes, h, c } = at(width);
    const all = Object.entries(boxes);
    for (const [name, box] of all) {
      assert.equal(box.right, box.x + box.columns * c);
      for (const [other, its] of all) {
        const apart = box.right <= its.x || its.right <= box.x || box.bottom <= its.y || its.bottom <= box.y;
        assert.ok(name === other || apart, `${name} covers ${other}`);
      }
    }
    for (const name of ["scores", "weights", "context"]) assert.equal(boxes[name].y, boxes.queries.y);
    assert.equal(boxes.keys.x, boxes.scores.x);
    assert.equal(boxes.values.x, boxes.context.x);
    assert.ok(h >= 28);
  });
}

test("the cell at a place", () => {
  const layout = at(1000);
  const { x, y } = layout.boxes.weights;
  assert.deepEqual(cellAt(layout, x + 2.5 * layout.c, y + 1.5 * layout.h), { name: "weights", row: 1, column: 2 });
  assert.equal(cellAt(layout, x - 1, y + 1), null);
  assert.equal(cellAt(layout, 0, 0), null);
});
