// Layout "grid": every frame of a caption fits at every size, and what is looked at is the picture's places.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lay } from "../../widgets/instruments/machine/rails/grid.js";
import { readMachine } from "../../widgets/instruments/machine/tensors.js";
import { LOOK, faults, overCells } from "../support/layouts.js";

const LOOKING = ["ask", "weigh", "add", "write"];
const FIXED = ["pass on", "write"];

// A caption as an explorer hands it over, with numbers that no model made.
function caption({ words = 9, side = 8, phases = LOOKING } = {}) {
  const places = side * side;
  const shapes = {
    image: [32, 32, 3],
    "encoder/out": [places, 16],
    "encoder/hidden": [1, 16],
    "decoder.cell/out": [words + 1, 16],
    "decoder.output/out": [words, 15],
    ...(phases === LOOKING && {
      "decoder.attention/scores": [words, places],
      "decoder.attention/weights": [words, places],
      "decoder.attention/context": [words, 16],
    }),
  };
  const [tensors, numbers] = [{}, []];
  for (const [name, shape] of Object.entries(shapes)) {
    tensors[name] = { shape, offset: numbers.length, limit: 1, of: name.endsWith("scores") ? undefined : 64 };
    const count = shape.reduce((a, b) => a * b);
    const isShare = /weights|output/.test(name);
    const at = (i) => Math.abs(Math.sin(1 + i * 1.7)) ** (isShare ? 9 : 1);
    const row = shape.at(-1);
    const sum = (i) => Array.from({ length: row }, (_, j) => at(i - (i % row) + j)).reduce((a, b) => a + b);
    for (let i = 0; i < count; i++) numbers.push(isShare ? at(i) / sum(i) : at(i));
  }
  const names = ["a", "green", "triangle", "above", "purple", "end"];
  const film = [
    { group: "", phase: "start", read: 0, step: -1 },
    { group: "", phase: "read", read: 1, step: -1 },
    ...Array.from({ length: words }, (_, step) =>
      phases.map((phase) => ({ group: "a", phase, read: 1, step, ms: 300 })),
    ).flat(),
  ];
  const spec = {
    nodes: [{ id: "", label: "the whole machine" }],
    tensors,
    film,
    grid: [side, side],
    labels: {
      source: Array.from({ length: places }, (_, i) => `${1 + Math.floor(i / side)}, ${1 + (i % side)}`),
      target: Array.from({ length: words }, (_, i) => names[i % names.length]),
      vocabulary: Array.from({ length: 15 }, (_, i) => `${names[i % names.length]}${i}`),
    },
  };
  return readMachine(spec, Float32Array.from(numbers));
}

const mark = (picture, key) => picture.marks.find((one) => one.key === key);
const part = (picture, id) => picture.parts.find((one) => one.id === id);
const frameOf = (machine, phase, step) =>
  machine.spec.film.findIndex((frame) => frame.phase === phase && frame.step === step);
const at = (machine, phase, step, look = {}) =>
  lay(machine, { ...LOOK, frame: frameOf(machine, phase, step), ...look });

for (const phases of [LOOKING, FIXED])
  for (const width of [660, 700, 860, 1052])
    test(`${phases.length} phases at ${width} pixels: every frame is legible`, () => {
      const found = [];
      for (const [words, side] of [
        [1, 2],
        [9, 8],
        [10, 4],
      ]) {
        // prettier-ignore
        const machine = caption({ words, side, phases });
        for (let frame = 0; frame < machine.spec.film.length; frame++)
          for (const p of [0.5, 1]) {
            const picture = lay(machine, { ...LOOK, width, frame, p, chosen: ["key 3", "key"] });
            found.push(
              ...[...faults(picture), ...overCells(picture)].map(
                (fault) => `${words} words, frame ${frame} at ${p}: ${fault}`,
              ),
            );
            assert.equal(picture.height, 486);
          }
      }
      assert.deepEqual(found, []);
    });

test("beams are as wide as their weights, and all together as the context", () => {
  const machine = caption();
  const picture = at(machine, "add", 2);
  const weights = machine.tensor("decoder.attention/weights").data.subarray(2 * 64, 3 * 64);
  const { width } = mark(picture, "context");
  const drawn = [...weights.keys()].filter((i) => weights[i] >= 0.005);
  assert.ok(drawn.length > 5 && drawn.length < 64);
  for (const i of weights.keys()) {
    const beam = mark(picture, `beam ${i}`);
    assert.equal(Boolean(beam), drawn.includes(i));
    if (beam) assert.ok(Math.abs(beam.thick - weights[i] * width) < 0.01, `beam ${i} is as wide as its weight`);
  }
});

test("scores and weights are the rows of the word, one cell a place", () => {
  const machine = caption();
  const picture = at(machine, "weigh", 3);
  for (const name of ["scores", "weights"]) {
    const { table, says } = mark(picture, name);
    assert.deepEqual([table.rows, table.columns], [8, 8]);
    assert.deepEqual([...table.data], [...machine.tensor(`decoder.attention/${name}`).data.subarray(192, 256)]);
    assert.equal(says(2, 4), "place 3, 5");
  }
});

test("what has the largest weight is seen as it is, what has little is pale", () => {
  const machine = caption();
  const weights = [...machine.tensor("decoder.attention/weights").data.subarray(0, 64)];
  const [most, least] = [Math.max(...weights), Math.min(...weights)].map((weight) => weights.indexOf(weight));
  const picture = at(machine, "weigh", 0);
  assert.equal(mark(picture, `veil ${most}`).opacity, 0);
  assert.ok(mark(picture, `veil ${least}`).opacity > 0.79);
  assert.equal(mark(at(machine, "ask", 0), "veil 0"), undefined);
});

test("a place that is chosen is the one whose score is told", () => {
  const machine = caption();
  const told = mark(at(machine, "ask", 1, { chosen: ["key 9", "key"] }), "is asked name").text;
  assert.equal(told, "2, 2");
  assert.deepEqual(part(at(machine, "ask", 1), "key 9").choose, ["key 9", "key"]);
});

test("what is followed: the state asks, the weights give the context, which goes on", () => {
  const picture = at(caption(), "write", 1);
  assert.deepEqual(part(picture, "scores").from, ["state 1", "picture"]);
  assert.deepEqual(part(picture, "weights").into, ["context"]);
  assert.deepEqual(part(picture, "context").from, ["weights", "picture"]);
  assert.deepEqual(part(picture, "state 0").from, [], "the first state is 0");
});

test("one fixed vector: no squares, and a pipe from the picture", () => {
  const picture = at(caption({ phases: FIXED }), "pass on", 4);
  assert.ok(mark(picture, "pipe"));
  assert.ok(!mark(picture, "scores") && !mark(picture, "weights"));
  assert.deepEqual(part(picture, "context").from, ["picture"]);
});

test("what is no caption is refused in a sentence", () => {
  const { spec } = caption();
  assert.throws(() => lay(readMachine({ ...spec, film: [] }, new Float32Array(99999)), LOOK), /Expected a film/);
});
