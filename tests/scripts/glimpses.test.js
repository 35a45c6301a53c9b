// Layout "glimpses": every step fits at every size; what a glimpse shows stands where its place says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lay } from "../../widgets/instruments/machine/rails/glimpses.js";
import { readMachine } from "../../widgets/instruments/machine/tensors.js";
import { LOOK, faults } from "../support/layouts.js";

// Four looks at a picture, with numbers that no model made.
function looked({ glimpses = 4, scales = 3, places = null } = {}) {
  const shapes = {
    image: [60, 60],
    "glimpse.where/in": [glimpses, 2],
    "glimpse.what/in": [glimpses, scales, 8, 8],
    "glimpse.from_what/out": [glimpses, 16],
    "glimpse.from_where/out": [glimpses, 16],
    "glimpse/out": [glimpses, 16],
    "core/out": [glimpses + 1, 16],
    "baseline/out": [glimpses, 1],
    "digit/out": [glimpses, 10],
    "digit/was": [glimpses, 10],
  };
  const [tensors, numbers] = [{}, []];
  for (const [name, shape] of Object.entries(shapes)) {
    tensors[name] = { shape, offset: numbers.length, limit: 1, of: name.endsWith("core/out") ? 128 : undefined };
    const count = shape.reduce((a, b) => a * b);
    const own = (i) =>
      name.startsWith("digit") ? Number(i % 10 === (name.endsWith("was") ? 9 : i / 11)) : Math.sin(i);
    numbers.push(
      ...(name === "glimpse.where/in" && places ? places.flat() : Array.from({ length: count }, (_, i) => own(i))),
    );
  }
  const film = Array.from({ length: glimpses }, (_, step) =>
    ["look", "remember"].map((phase) => ({ group: `glimpse ${step + 1}`, phase, step, ms: 0 })),
  ).flat();
  const labels = { vocabulary: Array.from({ length: 10 }, (_, i) => String(i)) };
  return readMachine(
    { nodes: [{ id: "", label: "the whole machine" }], tensors, film, labels },
    Float32Array.from(numbers),
  );
}

const mark = (picture, key) => picture.marks.find((one) => one.key === key);
const part = (picture, id) => picture.parts.find((one) => one.id === id);

for (const width of [660, 700, 860, 1052])
  test(`at ${width} pixels every step is legible`, () => {
    const found = [];
    for (const places of [
      undefined,
      [
        [0, 0],
        [0, 0.02],
        [0.9, -0.9],
        [-1, 1],
      ],
    ]) {
      // prettier-ignore
      const machine = looked({ places });
      for (let frame = 0; frame < machine.spec.film.length; frame++) {
        const picture = lay(machine, { ...LOOK, width, frame });
        found.push(...faults(picture).map((fault) => `frame ${frame}: ${fault}`));
        assert.equal(picture.height, 486);
      }
    }
    assert.deepEqual(found, []);
  });

test("what is still to come is not there", () => {
  const machine = looked();
  const ids = (frame) => lay(machine, { ...LOOK, frame }).parts.map(({ id }) => id);
  assert.ok(ids(0).includes("retina 0") && !ids(0).includes("state 1") && !ids(0).includes("retina 1"));
  assert.ok(ids(1).includes("state 1") && ids(1).includes("answer 0") && !ids(1).includes("across 1"));
  assert.ok(ids(7).includes("answer 3"));
});

test("the squares lie where the retina looks, as far as they lie on the picture", () => {
  const machine = looked({ places: [[0, 0], [0, 0], [0, 0], [1, -1]] }); // prettier-ignore
  const at = (frame) => (key) => mark(lay(machine, { ...LOOK, frame }), key);
  const { width: side, x, y } = at(0)("image");
  const middle = at(0)("seen 0 0");
  assert.ok(Math.abs(middle.x - x - (26 / 60) * side) < 1e-6, "columns 26 to 33 of 60");
  assert.ok(Math.abs(middle.width - (8 / 60) * side) < 1e-6);
  const corner = at(6)("seen 3 2"); // 32 pixels around the upper right corner: a quarter of them
  assert.ok(Math.abs(corner.y - y) < 1e-6 && Math.abs(corner.width - (16 / 60) * side) < 1e-6);
});

test("a place is dragged, and what is followed goes from the state to the place and back into the state", () => {
  const picture = lay(looked(), { ...LOOK, frame: 7 });
  assert.deepEqual(part(picture, "down 2").edit, ["glimpse.where/in", 2, 1]);
  assert.deepEqual(part(picture, "across 1").from, ["state 1"]);
  assert.deepEqual(part(picture, "vector 1").from, ["what 1", "where 1"]);
  assert.deepEqual(part(picture, "state 2").from, ["state 1", "vector 1"]);
  assert.deepEqual(part(picture, "state 2").into, ["across 2", "down 2", "baseline 2", "state 3", "answer 1"]);
});

test("the retina is dark ink on paper, and a dash stands where the untouched model stood", () => {
  const machine = looked();
  const picture = lay(machine, { ...LOOK, frame: 7 });
  const seen = machine.tensor("glimpse.what/in").data;
  const { table } = mark(picture, "retina 1 2");
  assert.ok([...table.data].every((paper, i) => Math.abs(paper - (1 - seen[(3 + 2) * 64 + i])) < 1e-6));
  assert.ok(mark(picture, "answer 0 9 was") && mark(picture, "dashed"));
  assert.equal(mark(picture, "answer 0 3 was"), undefined);
});

test("what is no look is refused in a sentence", () => {
  const { spec } = looked();
  assert.throws(() => lay(readMachine({ ...spec, film: [] }, new Float32Array(99999)), LOOK), /Expected a film/);
});
