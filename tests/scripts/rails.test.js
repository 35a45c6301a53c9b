// Layout "rails": every frame of a film fits at every size, and widths and places say what the numbers say.
import assert from "node:assert/strict";
import { test } from "node:test";
import { number } from "../../widgets/base/js/words.js";
import { lay } from "../../widgets/instruments/machine/rails/rails.js";
import { readMachine } from "../../widgets/instruments/machine/tensors.js";
import { LOOK, faults, overCells } from "../support/layouts.js";

const LOOKING = ["ask", "weigh", "add", "write"];
const FIXED = ["pass on", "write"];

function film(source, target, phases) {
  const frames = [{ group: "", phase: "start", read: 0, step: -1 }];
  for (let read = 1; read <= source; read++) frames.push({ group: "read", phase: "read", read, step: -1 });
  frames.push({ group: "read", phase: "hand over", read: source, step: -1 });
  for (let step = 0; step < target; step++)
    for (const phase of phases) frames.push({ group: "word", phase, read: source, step });
  return frames.map((frame) => ({ ...frame, ms: 200 }));
}

// A translation with numbers that no model made; its weights are a softmax, so that each row sums to 1.
function translation({ source = 4, target = 4, width = 8, words = 15, phases = LOOKING } = {}) {
  const cells = Math.min(16, width); // as `pack` sends it
  const shapes = {
    "encoder.recurrent/in": [source, cells],
    "encoder/out": [source, cells],
    "encoder/hidden": [1, cells],
    "decoder.cell/out": [target + 1, cells],
    "decoder.output/out": [target, words],
    "decoder.output/was": [target, words],
  };
  if (phases === LOOKING)
    Object.assign(shapes, {
      "decoder.attention/scores": [target, source],
      "decoder.attention/weights": [target, source],
      "decoder.attention/adds": [target, source, cells],
      "decoder.attention/context": [target, cells],
      "decoder.attention/hidden": [target, source, cells],
    });
  const tensors = {};
  const numbers = [];
  for (const [name, shape] of Object.entries(shapes)) {
    const of = width > cells && shape.at(-1) === cells ? width : undefined;
    tensors[name] = { shape, offset: numbers.length, limit: 1, of };
    const rows = shape.at(-1);
    const values = Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(1 + name.length + i * 1.7));
    const isShare = name.endsWith("weights") || name.startsWith("decoder.output");
    numbers.push(
      ...(isShare
        ? values.map((_, i) => share(values.slice(i - (i % rows), i - (i % rows) + rows), i % rows))
        : values),
    );
  }
  const names = (list, n) => Array.from({ length: n }, (_, i) => list[i % list.length]);
  const spec = {
    nodes: [{ id: "", label: "the whole machine" }],
    tensors,
    film: film(source, target, phases),
    labels: {
      source: names(["we", "are", "drinking", "instances"], source),
      target: names(["estamos", "escribiendo", "pan", "end"], target),
      vocabulary: Array.from({ length: words }, (_, i) => ["comiendo", "escribiendo", "pan", "no"][i % 4] + i),
    },
  };
  return readMachine(spec, Float32Array.from(numbers));
}

const share = (row, i) => Math.exp(3 * row[i]) / row.reduce((all, x) => all + Math.exp(3 * x), 0);
const frameOf = (machine, phase, step) =>
  machine.spec.film.findIndex((frame) => frame.phase === phase && frame.step === step);
const at = (machine, phase, step, look = {}) =>
  lay(machine, { ...LOOK, frame: frameOf(machine, phase, step), ...look });
const mark = (picture, key) => picture.marks.find((one) => one.key === key);
const part = (picture, id) => picture.parts.find((one) => one.id === id);

for (const phases of [LOOKING, FIXED])
  for (const width of [660, 700, 860, 1052])
    test(`${phases === FIXED ? "one fixed vector" : "looking back"} at ${width} pixels: every frame is legible`, () => {
      const found = [];
      const sizes = [[1, 1], [4, 4], [5, 5], [3, 7], [8, 4], [12, 12], [64, 64]]; // prettier-ignore
      for (const [source, target] of sizes)
        for (const numbers of source < 9 ? [4, 768] : [8]) {
          const machine = translation({ source, target, width: numbers, phases });
          const some = source > 12 ? 7 : 1;
          for (let frame = 0; frame < machine.spec.film.length; frame += some)
            for (const p of [0.5, 1]) {
              const picture = lay(machine, { ...LOOK, width, frame, p });
              const where = `${source} to ${target}, ${numbers} numbers, frame ${frame} at ${p}`;
              found.push(...[...faults(picture), ...overCells(picture)].map((fault) => `${where}: ${fault}`));
              assert.equal(picture.height, 486);
            }
        }
      assert.deepEqual(found, []);
    });

// The least radius of a beam's bends, out of places along its curve; of arcs it is written there.
function tightest({ d }) {
  const arc = /A([\d.]+) /.exec(d);
  if (arc) return Number(arc[1]);
  const [x0, , y0, ...rest] = d.match(/-?[\d.]+/g).map(Number);
  const [p0, p1, p2, p3] = [[x0, y0], ...[0, 2, 4].map((i) => rest.slice(i, i + 2))];
  const at = (t) => [0, 1].map((k) => {
    const s = 1 - t;
    return s ** 3 * p0[k] + 3 * s * s * t * p1[k] + 3 * s * t * t * p2[k] + t ** 3 * p3[k];
  }); // prettier-ignore
  let least = Infinity;
  for (let t = 0.01; t < 0.99; t += 0.01) {
    const [a, b, c] = [at(t - 0.01), at(t), at(t + 0.01)];
    const far = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1]);
    const area = Math.abs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
    least = Math.min(least, (far(a, b) * far(b, c) * far(a, c)) / (4 * area)); // of the circle through the three
  }
  return least;
}

test("no beam is pinched: its bends are as wide as half of it", () => {
  for (const width of [700, 860, 1052])
    for (const source of [2, 4, 6])
      for (const step of [0, 3])
        for (const wide of [0, source - 1])
          for (const most of [0.4, 0.7, 0.98]) {
            const machine = translation({ source });
            const { data, shape } = machine.tensor("decoder.attention/weights");
            for (let i = 0; i < source; i++) data[step * shape[1] + i] = i === wide ? most : (1 - most) / (source - 1);
            const picture = at(machine, "add", step, { width });
            for (let i = 0; i < source; i++) {
              const beam = mark(picture, `beam ${i}`);
              const what = `${width} pixels, beam ${i} of ${source} to word ${step}, ${beam?.thick} wide`;
              if (beam) assert.ok(tightest(beam) >= beam.thick / 2 - 0.3, what);
            }
          }
});

test("beams are as wide as their weights, and all together as the context", () => {
  const machine = translation();
  const picture = at(machine, "add", 1);
  const weights = machine.tensor("decoder.attention/weights").data.subarray(4, 8);
  const { x, width } = mark(picture, "context");
  let from = x;
  [...weights].forEach((weight, i) => {
    const beam = mark(picture, `beam ${i}`);
    if (weight >= 0.005) {
      const [foot, first] = beam.d
        .match(/^M[\d.]+ ([\d.]+)V([\d.]+)[CA]/)
        .slice(1)
        .map(Number);
      assert.ok(foot - first >= 6, "it stands upright on its weight");
      const end = Number(beam.d.split(/[ ,]/).at(-2));
      assert.ok(Math.abs(beam.thick - weight * width) < 0.01, `beam ${i} is as wide as its weight`);
      assert.ok(Math.abs(end - (from + (weight * width) / 2)) < 0.02, `beam ${i} ends beside the one before`);
    }
    from += weight * width;
  });
  assert.ok(Math.abs(from - x - width) < 1e-3);
  const beams = picture.marks.filter(({ key }) => /^beam \d+$/.test(key));
  const widths = beams.map(({ thick }) => thick);
  assert.deepEqual(
    widths,
    [...widths].sort((a, b) => a - b),
    "a thin one goes under a wide one",
  );
});

test("of a long sentence the beams that are seen stand where they stood among all", () => {
  const machine = translation({ source: 30 });
  const picture = at(machine, "add", 1);
  const weights = machine.tensor("decoder.attention/weights").data.subarray(30, 60);
  const { x, width } = mark(picture, "context");
  const beams = picture.marks.filter(({ key }) => /^beam \d+$/.test(key));
  assert.ok(beams.length > 2 && beams.length < 30);
  for (const { key, d } of beams) {
    const i = Number(key.slice(5));
    const before = weights.subarray(0, i).reduce((all, w) => all + w, 0);
    const end = Number(d.split(/[ ,]/).at(-2));
    assert.ok(Math.abs(end - (x + (before + weights[i] / 2) * width)) < 0.05, key);
  }
});

test("a weight that is almost nothing has no beam", () => {
  const machine = translation();
  machine.tensor("decoder.attention/weights").data.set([0.996, 0.004, 0, 0], 4);
  const picture = at(machine, "add", 1);
  assert.deepEqual(
    [0, 1, 2, 3].map((i) => Boolean(mark(picture, `beam ${i}`))),
    [true, false, false, false],
  );
});

test("what a frame does not know yet is not there", () => {
  const machine = translation();
  const seen = (phase, step) => at(machine, phase, step).parts.map(({ id }) => id.split(" ")[0]);
  assert.deepEqual(new Set(seen("start", -1)), new Set());
  assert.deepEqual(seen("hand over", -1), [...Array(4).fill(["key", "input"]).flat(), "state"]);
  assert.ok(seen("ask", 0).includes("score"));
  assert.ok(!seen("ask", 0).includes("weight"));
  assert.ok(!seen("weigh", 0).includes("context"));
  assert.ok(!seen("add", 0).includes("word"));
  assert.ok(seen("write", 0).includes("word"));
});

test("a word's vector goes into its state, and nowhere else", () => {
  const picture = at(translation(), "ask", 1);
  assert.deepEqual([part(picture, "input 2").into, part(picture, "key 2").from], [["key 2"], ["input 2", "key 1"]]);
  const [own, vector] = ["key 2", "input 2"].map((key) => mark(picture, key));
  assert.deepEqual([own.x, own.width], [vector.x, vector.width]);
  assert.ok(vector.y > own.y + own.height && vector.y + vector.height < mark(picture, "key 2 word").y - 10);
  assert.equal(vector.says(0, 3), "vector of “drinking”, number 4");
  const { parts } = picture;
  parts.forEach(({ id, box: [left, top, width, height] }, i) => {
    const [x, y] = [left + width / 2, top + height / 2];
    const covers = ({ box: [a, b, w, h] }) => x > a && x < a + w && y > b && y < b + h;
    assert.ok(!parts.slice(i + 1).some(covers), `${id} can be clicked in its middle`);
  });
});

test("a weight is dragged where its number lies", () => {
  const machine = translation();
  const picture = at(machine, "weigh", 2);
  const { edit, role } = part(picture, "weight 3");
  assert.equal(picture.hint, "drag a weight up or down");
  assert.deepEqual([edit, role], [["decoder.attention/weights", 2, 3], "spinbutton"]);
});

test("what is followed: a weight comes from its score alone, and goes through the context into the next state and the word", () => {
  const picture = at(translation(), "write", 1);
  assert.deepEqual(part(picture, "weight 2").from, ["score 2"]);
  assert.deepEqual(part(picture, "score 2").from, ["state 1", "key 2"]);
  assert.deepEqual(part(picture, "weight 2").into, ["context"]);
  assert.deepEqual(part(picture, "context").into, ["state 2", "word 1"]);
  assert.deepEqual(part(picture, "word 1").from, ["state 2", "context"], "the context names the word, too");
  assert.deepEqual(part(picture, "word 0").from, ["state 1"], "that of another step is no longer there");
});

test("a number of the context and a weight are told with their arithmetic, where the numbers give them", () => {
  const machine = translation();
  const [weights, context] = ["weights", "context"].map((name) => machine.tensor(`decoder.attention/${name}`).data);
  assert.equal(mark(at(machine, "add", 1), "context").sums(0, 2), null);
  const keys = machine.tensor("encoder/out").data;
  const wanted = [0, 1, 2, 3].reduce((all, i) => all + weights[4 + i] * keys[8 * i + 2], 0);
  context[8 + 2] = wanted;
  const told = mark(at(machine, "add", 1), "context").sums(0, 2);
  assert.equal(told.split(" + ").length, 4);
  assert.ok(told.endsWith(` = ${wanted.toFixed(2).replace("-", "−")}`), told);
  const scores = machine.tensor("decoder.attention/scores").data;
  for (let i = 4; i < 8; i++) scores[i] = Math.log(weights[i]);
  const { says, sums } = mark(at(machine, "weigh", 1), "weight 2");
  assert.equal(says(), "“drinking”");
  assert.ok(sums().endsWith(`by the sum of all 4 of the row: ${weights[6].toFixed(2)}`), sums());
  scores[6] += 9;
  assert.equal(mark(at(machine, "weigh", 1), "weight 2").sums(), null, "a weight by hand comes of no score");
});

test("one fixed vector: no weights, and a pipe that always begins at the last state", () => {
  const machine = translation({ phases: FIXED });
  for (const step of [0, 3]) {
    const picture = at(machine, "pass on", step);
    assert.ok(!picture.parts.some(({ id }) => id.startsWith("weight")));
    const start = mark(picture, "pipe").d.match(/^M([\d.]+)/)[1];
    const [x, , wide] = part(picture, "key 3").box;
    assert.equal(Number(start), x + wide / 2);
  }
});

test("the margin tells of the word that was chosen", () => {
  const machine = translation();
  const told = (look) => mark(at(machine, "ask", 0, look), "is asked name").text;
  assert.equal(told({ chosen: ["key 1", "key"] }), "are");
  const scores = [...machine.tensor("decoder.attention/weights").data.subarray(0, 4)];
  assert.equal(told({}), machine.spec.labels.source[scores.indexOf(Math.max(...scores))]);
});

test("more words than fit: the last ones, and it is said with the weight of the others", () => {
  const machine = translation({ source: 40, target: 4 });
  const note = mark(at(machine, "add", 1, { width: 700 }), "note").text;
  const [, last] = note.match(/the last (\d+) of 40 words; the weights of the others sum to/);
  const picture = at(machine, "add", 1, { width: 700 });
  assert.equal(picture.parts.filter(({ id }) => id.startsWith("key")).length, Number(last));
});

test("of vectors with more numbers than cells it is said how many there are", () => {
  const wide = (width) => mark(at(translation({ width }), "add", 1), "wide")?.text;
  assert.equal(wide(64), "64 numbers in 16 cells, each the root of the mean square of its share");
  assert.equal(wide(16), undefined);
  assert.ok(
    part(at(translation({ width: 64 }), "add", 1), "key 1")
      .shape()
      .startsWith("64 numbers, norm "),
  );
});

test("a dash stands where the untouched model stood, where that differs", () => {
  const machine = translation();
  const was = machine.tensor("decoder.output/was").data;
  was.set(machine.tensor("decoder.output/out").data);
  assert.ok(!at(machine, "write", 1).marks.some(({ key }) => key.endsWith(" was") || key === "dashed"));
  was[15] += 0.2;
  was[16] -= 0.2;
  assert.deepEqual(
    at(machine, "write", 1)
      .marks.filter(({ key }) => key.endsWith(" was"))
      .map(({ key }) => key),
    ["chance 0 was", "chance 1 was"],
  );
});

test("what is no translation is refused in a sentence", () => {
  const { spec } = translation();
  const broken = { ...spec, film: [] };
  assert.throws(() => lay(readMachine(broken, new Float32Array(9999)), LOOK), /Expected a film and the states/);
});

test("the name of a strip says its numbers: all of a few, of more where they lie and how long the vector is", () => {
  const said = (machine, id) => part(at(machine, "add", 1), id).shape();
  const few = translation();
  const numbers = [...few.tensor("encoder/out").data.subarray(8, 16)].map((x) => number(x));
  assert.equal(said(few, "key 1"), `8 numbers: ${numbers.join(", ")}`);
  assert.equal(said(few, "context"), said(few, "sum in the margin"));
  assert.ok(
    part(at(few, "ask", 1), "it asks in the margin")
      .shape()
      .startsWith("8 numbers: "),
  );
  const more = translation({ width: 12 });
  const state = [...more.tensor("decoder.cell/out").data.subarray(12, 24)];
  const [least, most, norm] = [Math.min(...state), Math.max(...state), Math.hypot(...state)].map((x) => number(x));
  assert.equal(said(more, "state 1"), `12 numbers from ${least} to ${most}, norm ${norm}`);
  const shares = [...translation({ width: 40 }).tensor("decoder.cell/out").data.subarray(16, 32)];
  const counts = shares.map((_, i) => Math.floor(((i + 1) * 40) / 16) - Math.floor((i * 40) / 16)); // of `pack`
  const long = Math.sqrt(shares.reduce((all, x, i) => all + counts[i] * x * x, 0));
  assert.equal(said(translation({ width: 40 }), "state 1"), `40 numbers, norm ${number(long)}`);
});
