// Machine: tensors in one buffer, what is followed, marks kept by key, and layouts that fit at every size.
import assert from "node:assert/strict";
import { test } from "node:test";
import { beside, followed, isLit } from "../../widgets/instruments/machine/follow.js";
import { products } from "../../widgets/instruments/machine/arithmetic.js";
import { lay as stream } from "../../widgets/instruments/machine/stream/stream.js";
import { lastRows, matrix, readMachine, tensorOf, transposed } from "../../widgets/instruments/machine/tensors.js";
import { faults, LOOK, overCells } from "../support/layouts.js";

const SPEC = { tensors: { a: { shape: [2, 3], offset: 1, limit: 2 }, b: { shape: [2, 1, 2], offset: 7, limit: 1 } } };
const NUMBERS = Float32Array.from({ length: 11 }, (_, i) => i);

test("tensors lie in one buffer, and a hand's numbers over them", () => {
  const machine = readMachine(SPEC, NUMBERS);
  assert.deepEqual([...machine.tensor("a").data], [1, 2, 3, 4, 5, 6]);
  assert.deepEqual([...matrix(machine.tensor("b"), 1).data], [9, 10]);
  assert.equal(machine.tensor("c"), null);
  const dragged = readMachine(SPEC, NUMBERS, [["a", 1, 0, -5]]);
  assert.deepEqual([...dragged.tensor("a").data], [1, 2, 3, -5, 5, 6]);
  assert.equal(NUMBERS[4], 4);
});

test("a spec as it travels: what blocks have in common is said once, and tensors follow each other", () => {
  const holds = [
    { id: ".a", label: "a", memory: "in/out", holds: [{ id: ":0", label: ", head 1" }] },
    { id: "/out", label: "sum" },
    { id: ".c", label: "c", tensor: "another/out" },
  ];
  const nodes = [
    { id: "", label: "whole", line: "y" },
    { id: "in", label: "x" },
    { id: "b.0", kind: "block", label: "block 0", holds },
    { id: "b.1", label: "block 1", like: "b.0" },
    { id: "other", label: "called otherwise", in: "b.0" },
  ];
  const tensors = { "in/out": { shape: [2], limit: 1 }, "b.0/out": { shape: [1], limit: 1 } };
  const machine = readMachine({ nodes, tensors }, Float32Array.from([1, 2, 3]));
  const inside = (block) => [
    { id: block, in: "", kind: "block", label: `block ${block.at(-1)}` },
    { id: `${block}.a`, in: block, label: "a", memory: "in/out" },
    { id: `${block}.a:0`, in: `${block}.a`, label: `block ${block.at(-1)}, head 1` },
    { id: `${block}/out`, in: block, label: "sum" },
    { id: `${block}.c`, in: block, label: "c", tensor: "another/out" },
  ];
  assert.deepEqual(machine.spec.nodes, [
    { id: "", in: "", label: "whole", line: "y" },
    { id: "in", in: "", label: "x" },
    ...inside("b.0"),
    ...inside("b.1"),
    { id: "other", in: "b.0", label: "called otherwise" },
  ]);
  const made = ["in", "b.0/out", "b.1.c"].map((id) => tensorOf(machine.node(id)));
  assert.deepEqual(made, ["in/out", "b.0/out", "another/out"]);
  assert.deepEqual([...machine.tensor("b.0/out").data], [3]);
});

test("while a number is dragged the limits stay", () => {
  const other = { tensors: { a: { ...SPEC.tensors.a, limit: 9 } } };
  assert.equal(readMachine(other, NUMBERS, [], readMachine(SPEC, NUMBERS)).tensor("a").limit, 2);
});

test("a spec that does not fit its buffer is refused in a sentence", () => {
  assert.throws(() => readMachine(SPEC, NUMBERS.subarray(0, 10)), /b: expected at least 11 numbers, got 10/);
});

test("tables: the last rows, transposed", () => {
  const table = { rows: 2, columns: 4, data: Float32Array.from([3, 4, 0, 0, 1, 1, 1, 7]) };
  assert.deepEqual([...lastRows(table, 1).data], [1, 1, 1, 7]);
  assert.deepEqual([...transposed(table).data], [3, 1, 4, 1, 0, 1, 0, 7]);
  assert.equal(transposed(table), transposed(table), "made once");
});

const PARTS = [
  { id: "x", into: ["norm", "y"], ends: true, box: [0, 0, 10, 10] },
  { id: "norm", from: ["x"], into: ["head"], box: [20, -20, 10, 10] },
  { id: "head", from: ["norm"], into: ["y"], box: [40, -20, 10, 10] },
  { id: "y", from: ["x", "head"], into: ["z"], ends: true, box: [60, 0, 10, 10] },
  { id: "z", from: ["y"], box: [80, 0, 10, 10] },
  { id: "zone", box: [0, 0, 99, 99] },
];

test("what flows in and what it flows into, no further than a part that ends the way", () => {
  assert.deepEqual([...followed(PARTS, "norm")].sort(), ["head", "norm", "x", "y"]);
  assert.deepEqual([...followed(PARTS, "y")].sort(), ["head", "norm", "x", "y", "z"]);
  assert.equal(followed(PARTS, "zone"), null);
  assert.equal(followed(PARTS, undefined), null);
  const lit = followed(PARTS, "norm");
  assert.deepEqual(
    [{ part: "head" }, { part: ["z", "x"] }, { part: "z" }, { between: ["x", "z"] }, {}].map((mark) =>
      isLit(mark, lit),
    ),
    [true, true, false, false, true],
  );
});

test("arrows lead to the nearest part on their side", () => {
  assert.equal(beside(PARTS, "x", "ArrowRight"), "y");
  assert.equal(beside(PARTS, "x", "ArrowUp"), "norm");
  assert.equal(beside(PARTS, "y", "ArrowRight"), "z");
  assert.equal(beside(PARTS, "z", "ArrowRight"), "z");
  assert.equal(beside(PARTS, "head", "ArrowLeft"), "norm");
  assert.equal(beside(PARTS, "x", "End"), "zone");
});

const WAVE = Float32Array.from({ length: 6007 }, (_, i) => Math.sin(i) * 2); // a prime: no two rows are alike

// As many numbers from -2 to 2, made quickly: the sweeps below take a billion.
function waves(count) {
  const numbers = new Float32Array(count);
  for (let at = 0; at < count; at += WAVE.length) numbers.set(WAVE.subarray(0, count - at), at);
  return numbers;
}

const labelsOf = (tokens, words) => ({
  token: Array.from({ length: tokens }, (_, i) => ["the", "cats", "near", "instances", "␣↵"][i % 5]),
  vocabulary: Array.from({ length: words }, (_, i) => ["sleep", "sings", ".", "birds"][i % 4]),
});

// What is said of a part that is not known.
const UNKNOWN = (tokens, width) => ({
  label: "MyBlock",
  shape: `${tokens} tokens × ${width} → ${tokens} tokens × ${width}`,
});

const EMBEDDINGS = { "embed.tokens": "token", "embed.positions": "position", embed: "the stream" };
const BILINEAR = { kind: "box", label: "BilinearAttention", shape: "6 tokens × 8" };

// A GPT as `model_graph` and `record` give it, with numbers that no model made.
function gpt({
  blocks = 2,
  heads = 2,
  tokens = 6,
  width = 8,
  words = 15,
  place = "pre",
  memory = null,
  boxes = [],
} = {}) {
  const nodes = /** @type {any[]} */ ([{ id: "", label: "whole machine", line: "for block in blocks: x = block(x)" }]);
  const tensors = {};
  let offset = 0;
  const tensor = (name, ...sizes) => {
    const isWide = sizes.length > 1 && sizes.at(-1) > 16 && !/scores|weights|mask/.test(name);
    const shape = isWide ? [...sizes.slice(0, -1), 16] : sizes; // as `pack` sends it
    tensors[name] = { shape, offset, limit: 3, of: isWide ? sizes.at(-1) : undefined };
    offset += shape.reduce((all, n) => all * n, 1);
  };
  const add = (id, kind, more = {}) => nodes.push({ id, kind, label: id, line: `${id}(x)`, ...more });
  for (const [name, label] of Object.entries(EMBEDDINGS)) {
    add(name, "embed", { label, shape: `${tokens} tokens × ${width}` });
    tensor(`${name}/out`, tokens, width);
  }
  for (let b = 0; b < blocks; b++) {
    const id = `blocks.${b}`;
    if (boxes.includes(id)) {
      nodes.push({ id, kind: "box", ...UNKNOWN(tokens, width) });
      for (const suffix of ["out", "adds"]) tensor(`${id}/${suffix}`, tokens, width);
      continue;
    }
    nodes.push({ id, kind: "block", in: "", label: `block ${b + 1}` });
    for (const name of ["attention", "feed_forward"]) {
      const one = `${id}.${name}`;
      if (place !== "post") add(`${one}_norm`, "norm", { in: id });
      add(one, name, { in: id, label: name.replace("_", "-"), ...(name === "attention" && memory && { memory }) });
      if (boxes.includes(one)) Object.assign(nodes.at(-1), BILINEAR);
      else if (name === "attention") {
        for (let h = 0; h < heads; h++) add(`${one}:${h}`, "head", { in: one, label: `${id}, head ${h + 1}` });
        tensor(`${one}/weights`, heads, tokens, tokens);
        tensor(`${one}/scores`, heads, tokens, tokens);
        tensor(`${one}/mask`, tokens, tokens);
        for (const part of ["q", "k", "v", "context"])
          tensor(`${one}/${part}`, heads, tokens, Math.max(1, Math.round(width / heads)));
        tensor(`${one}/adds`, heads, tokens, width);
      } else tensor(`${one}/hidden`, tokens, 2 * width);
      tensor(`${one}/out`, tokens, width);
      tensor(`${one}_norm/out`, tokens, width);
      if (place !== "bare") {
        add(`${one}.sum`, "sum", { in: id });
        tensor(`${one}.sum/out`, tokens, width);
      }
      if (place === "post") add(`${one}_norm`, "norm", { in: id });
    }
  }
  add("output", "unembed");
  add("next", "word", { label: "next token", count: 90 });
  tensor("next/logits", words - 1);
  tensor("next/out", words);
  tensor("next/was", words);
  const numbers = waves(offset);
  for (const name of ["next/out", "next/was"]) {
    const { offset: from } = tensors[name];
    const chances = numbers.subarray(from, from + words).map(Math.abs);
    const all = chances.reduce((a, b) => a + b);
    numbers.set(chances.map((p) => p / all), from); // prettier-ignore
  }
  return readMachine({ nodes, tensors, labels: labelsOf(tokens, words) }, numbers);
}

// Blocks from 1 to 12, heads to 16, tokens to 80, widths to 768: the ends, and a sample whose steps are coprime.
const ENDS = [
  [1, 1, 1, 4],
  [12, 16, 64, 768],
  [2, 16, 80, 768],
];
const sample = (i) => [1 + ((5 * i) % 12), 1 + ((7 * i) % 16), 1 + ((29 * i) % 79), 4 + ((113 * i) % 761)];
const SAMPLES = 18;

for (const [p, place] of ["pre", "post", "bare"].entries())
  for (const [w, width] of [660, 700, 780, 860, 912, 1052, 1352].entries())
    test(`stream, ${place}-norm at ${width} pixels: models of every size are legible`, () => {
      const found = [];
      const first = SAMPLES * (7 * p + w);
      const sizes = [...ENDS, ...Array.from({ length: SAMPLES }, (_, i) => sample(first + i))];
      for (const [blocks, heads, tokens, numbers] of sizes) {
        const machine = gpt({ blocks, heads, tokens, width: numbers, place });
        for (const zoom of ["", `blocks.${blocks - 1}`, `blocks.${(blocks - 1) >> 1}.attention:${heads - 1}`]) {
          const picture = stream(machine, { ...LOOK, width, zoom });
          const what = `${blocks} blocks, ${heads} heads, ${tokens} tokens of ${numbers}, zoom ${zoom}`;
          found.push(...[...faults(picture), ...overCells(picture)].map((fault) => `${what}: ${fault}`));
          assert.equal(picture.height, 486, "the same in each zoom");
        }
      }
      assert.deepEqual(found, []);
    });

test("stream: two blocks of two and of four heads are whole from 700 pixels on", () => {
  for (const heads of [2, 4]) {
    const machine = gpt({ heads, width: 128 });
    for (let width = 700; width < 1100; width += 15) {
      const picture = stream(machine, { ...LOOK, width });
      const zones = picture.marks.filter(({ key }) => / zone$/.test(key)).map(({ key }) => key);
      assert.deepEqual(zones, ["blocks.0 zone", "blocks.1 zone"], `${heads} heads at ${width}`);
      assert.deepEqual([...faults(picture), ...overCells(picture)], []);
    }
  }
});

test("stream: numbers from -1 to 1 as bars on both sides of a line", () => {
  const { spec } = gpt({ words: 5 });
  const nodes = spec.nodes.map((node) => (node.kind === "word" ? { ...node, signed: true, was: "before" } : node));
  const numbers = Float32Array.from({ length: 1e4 }, (_, i) => Math.sin(i));
  const { offset } = spec.tensors["next/out"];
  numbers.set([-1, -0.4, 0, 0.6, 1, 1, 0.4, 0, -0.6, -1], offset);
  for (const width of [700, 1052]) {
    const picture = stream(readMachine({ ...spec, nodes }, numbers), { ...LOOK, width });
    assert.deepEqual(faults(picture), []);
    const bars = [0, 1, 2, 3, 4].map((i) => picture.marks.find(({ key }) => key === `bar ${i}`));
    const zero = bars[4].x;
    assert.ok(Math.abs(bars[0].x + bars[0].width - zero) < 0.01 && Math.abs(bars[3].x - zero) < 0.01);
    assert.ok(Math.abs(bars[0].width - bars[4].width) < 0.01 && Math.abs(bars[1].width / bars[4].width - 0.4) < 0.01);
    assert.ok(picture.marks.some(({ text }) => text === "−0.40"));
    assert.ok(picture.marks.some(({ text }) => text === "dashed: before"));
  }
});

test("logits: a cell beside each word but the others, told with the arithmetic of its chance where they give it", () => {
  const machine = gpt({ words: 5 });
  const picture = stream(machine, LOOK);
  const { x, y, height, says, sums, table, part } = picture.marks.find(({ key }) => key === "logits");
  const bars = picture.marks.filter(({ key }) => /^bar \d/.test(key));
  bars.slice(0, -1).forEach((bar, i) => {
    const middle = y + (height * (i + 0.5)) / 4;
    assert.ok(Math.abs(middle - bar.y - bar.height / 2) < 0.01, "on one height with its bar");
  });
  assert.ok(x + 8 < Math.min(...picture.marks.filter(({ key }) => /^word \d/.test(key)).map((word) => word.x)));
  assert.equal(says(1), `sings, ${table.data[1].toFixed(2).replace("-", "−")}`);
  assert.equal(sums(1), null, "numbers that no model made");
  const [chances, logits] = ["out", "logits"].map((name) => machine.tensor(`next/${name}`).data);
  chances.slice(0, 4).forEach((p, i) => (logits[i] = Math.log(p) + 2));
  const told = stream(machine, LOOK)
    .marks.find(({ key }) => key === "logits")
    .sums(2);
  assert.ok(told.endsWith(`by the sum of all 90 of the row: ${chances[2].toFixed(2)}`), told);
  const { from, into } = picture.parts.find(({ id }) => id === part);
  assert.deepEqual([from, into], [["output"], ["next"]]);
});

test("stream: without a residual connection every line begins and ends at a station", () => {
  for (const zoom of ["", "blocks.0"]) {
    const { marks, parts } = stream(gpt({ place: "bare", blocks: 1 }), { ...LOOK, width: 1052, zoom });
    assert.equal(marks.filter(({ key }) => / (plus|tap)$/.test(key)).length, 0, "nothing is tapped, nothing added");
    const box = (id) => parts.find((part) => part.id === id).box; // a station, and 3 pixels around
    const [first, middle, last] = [
      zoom ? "embed/out" : "embed",
      "blocks.0.attention/out",
      "blocks.0.feed_forward/out",
    ].map(box);
    const ends = (key) =>
      marks
        .find((mark) => mark.key === `blocks.0.${key}`)
        .d.match(/-?[\d.]+/g)
        .map(Number);
    assert.equal(ends("attention reads")[0], first[0] + first[2] - 3);
    assert.equal(ends("attention:0 adds").at(-1), middle[0] + 2);
    assert.equal(ends("feed_forward reads")[0], middle[0] + middle[2] - 3);
    assert.equal(ends("feed_forward adds").at(-1), last[0] + 2);
  }
});

test("stream: an attention to a source reads a second line, below everything", () => {
  for (const width of [700, 1052])
    for (const zoom of ["", "blocks.0"]) {
      const picture = stream(gpt({ memory: "encoder/out", heads: 4 }), { ...LOOK, width, zoom });
      assert.deepEqual(faults(picture), []);
      assert.ok(picture.marks.some(({ text }) => /from the source|the source/.test(text)));
    }
});

test("stream: of two stacks the last is drawn", () => {
  const { spec } = gpt({ blocks: 1 });
  const numbers = new Float32Array(1e5);
  const encoder = [
    { id: "encoder.embed", kind: "embed", label: "source" },
    { id: "encoder.blocks.0", kind: "block", in: "", label: "encoder block 1" },
    { id: "encoder.blocks.0.feed_forward", kind: "feed_forward", in: "encoder.blocks.0", label: "feed-forward" },
  ];
  const both = readMachine({ ...spec, nodes: [spec.nodes[0], ...encoder, ...spec.nodes.slice(1)] }, numbers);
  const names = stream(both, LOOK).parts.map(({ id }) => id);
  assert.ok(names.includes("blocks.0 zone") && !names.includes("encoder.blocks.0 zone"));
});

test("stream: a branch that is off is dotted, and its switch says so", () => {
  const picture = stream(gpt(), { ...LOOK, off: new Set(["blocks.1.attention:1"]) });
  const branch = (key) => picture.marks.find((mark) => mark.key === key);
  assert.equal(branch("blocks.1.attention:1 adds").dash, "2 4");
  assert.equal(branch("blocks.1.attention:0 adds").dash, undefined);
  const knob = (id) => picture.parts.find((part) => part.id === `${id} switch`);
  assert.equal(knob("blocks.1.attention:1").checked, false);
  assert.equal(knob("blocks.1.attention:0").checked, true);
});

test("stream: of many heads all are ink, and the one that is seen from near has a colour", () => {
  const look = (zoom) => ({ ...LOOK, zoom });
  const colour = (heads, zoom) =>
    stream(gpt({ heads, width: 2 * heads }), look(zoom)).marks.find(({ key }) => key === "head").colour;
  assert.equal(colour(4, "blocks.0.attention:3"), "head4");
  assert.equal(colour(6, "blocks.0.attention:5"), "head1");
  const coloured = (heads) =>
    stream(gpt({ heads, width: 2 * heads }), LOOK).marks.filter((mark) =>
      [mark.stroke, mark.fill, mark.colour].some((name) => /^head\d/.test(name)),
    );
  assert.ok(coloured(4).length);
  assert.deepEqual(coloured(6), []);
});

test("stream: a model without blocks is refused in a sentence", () => {
  assert.throws(() => stream(readMachine({ nodes: [], tensors: {} }, new Float32Array()), LOOK), /Expected blocks/);
});

const BOXES = [["blocks.1"], ["blocks.1.attention"], ["blocks.0.feed_forward", "blocks.2"], ["blocks.0", "blocks.1"]];

test("stream: a part that is not known is a plain box, legible at every size", () => {
  const found = [];
  for (const boxes of BOXES)
    for (const width of [660, 700, 860, 1052, 1352])
      for (const size of [
        { tokens: 6, width: 8, place: "pre", blocks: 3 },
        { tokens: 40, width: 100, place: "post", blocks: 3 },
        { tokens: 70, width: 768, place: "bare", blocks: 9 },
      ])
        for (const zoom of ["", "blocks.0", "blocks.1", "blocks.2"]) {
          const picture = stream(gpt({ boxes, ...size }), { ...LOOK, width, zoom });
          const what = `${boxes} of ${size.blocks} blocks, ${size.tokens} tokens of ${size.width}, ${width} pixels, zoom ${zoom}`;
          found.push(...[...faults(picture), ...overCells(picture)].map((fault) => `${what}: ${fault}`));
        }
  assert.deepEqual(found, []);
});

test("stream: a box on the line says its class, its shapes, and what nobody knows; its change has its arithmetic", () => {
  const machine = gpt({ boxes: ["blocks.1"], blocks: 3 });
  const [before, adds, after] = ["blocks.0.feed_forward.sum/out", "blocks.1/adds", "blocks.1/out"].map(
    (name) => machine.tensor(name).data,
  );
  after.forEach((_, i) => (after[i] = before[i] + adds[i]));
  const { marks, parts } = stream(machine, { ...LOOK, width: 1352 });
  const words = marks.filter(({ key, kind }) => kind === "text" && key.startsWith("blocks.1 ")).map(({ text }) => text);
  assert.match(
    words.join(" ").replaceAll("\u00a0", " "),
    /^MyBlock 6 tokens × 8 in and out whether the stream runs past it is not known out − in$/,
  );
  assert.ok(!marks.some(({ key }) => /^blocks\.1 (plus|tap)/.test(key)), "no sign says that it reads and adds");
  const told = marks.find(({ key }) => key === "blocks.1/out station").sums(2, 3);
  assert.match(told, /^\S+ \(stream\) [+−] \S+ \(MyBlock\) = \S+$/);
  const { from, into } = parts.find(({ id }) => id === "blocks.1");
  assert.deepEqual([from, into], [["blocks.0.feed_forward.sum/out"], ["blocks.1/out"]]);
});

test("stream: a box of another shape has no difference, and one that begins the machine makes the stream", () => {
  const { spec } = gpt({ boxes: ["blocks.1"] });
  const { "blocks.1/adds": _, ...tensors } = spec.tensors;
  const nodes = spec.nodes.filter(({ id }) => !id.startsWith("embed"));
  const first = { id: "embed", kind: "box", label: "MyEmbed", shape: "6 tokens → 6 tokens × 8" };
  const machine = readMachine(
    { ...spec, tensors, nodes: [nodes[0], first, ...nodes.slice(1)] },
    waves(1e5).map((x) => x / 40),
  );
  const { marks } = stream(machine, { ...LOOK, width: 1052 });
  assert.deepEqual(faults(stream(machine, LOOK)), []);
  assert.ok(
    marks.some(({ key, text }) => key === "embed" && text === "MyEmbed"),
    "a pill on the way to the stream",
  );
  const notes = marks.filter(({ key }) => /^blocks\.1 note/.test(key)).map(({ text }) => text);
  assert.equal(notes.join(" "), "what comes out is of another shape");
});

test("stream: in a block a box reads and adds as every part there", () => {
  for (const zoom of ["", "blocks.0"]) {
    const machine = gpt({ boxes: ["blocks.0.attention"], blocks: 1 });
    const [before, out, after] = ["embed/out", "blocks.0.attention/out", "blocks.0.attention.sum/out"].map(
      (name) => machine.tensor(name).data,
    );
    after.forEach((_, i) => (after[i] = before[i] + out[i]));
    const { marks } = stream(machine, { ...LOOK, zoom });
    const keys = marks.map(({ key }) => key);
    for (const sign of ["plus", "tap", "adds", "box"])
      assert.ok(keys.some((key) => key.startsWith(`blocks.0.attention ${sign}`)));
    const told = marks.find(({ key }) => key === "blocks.0.attention.sum/out station").sums(5, 1);
    assert.match(told, /^\S+ \(stream\) [+−] \S+ \(BilinearAttention\) = \S+$/);
  }
});

// Scores, weights, context and sums that follow from q, k, v and what the heads add, as in a model.
function computed(machine) {
  const one = "blocks.0.attention";
  const of = (name, ...index) => matrix(machine.tensor(`${one}/${name}`), ...index);
  const at = ({ columns, data }, i, j) => data[i * columns + j];
  const mask = of("mask");
  for (const h of [0, 1]) {
    const [q, k, v, scores, weights, context] = ["q", "k", "v", "scores", "weights", "context"].map((x) => of(x, h));
    for (let i = 0; i < q.rows; i++) {
      for (let j = 0; j < k.rows; j++) {
        mask.data[i * k.rows + j] = Number(j <= i);
        let dot = 0;
        for (let d = 0; d < q.columns; d++) dot += at(q, i, d) * at(k, j, d);
        scores.data[i * k.rows + j] = dot / Math.sqrt(q.columns);
      }
      const all = [...scores.data.subarray(i * k.rows, i * k.rows + i + 1)].map(Math.exp);
      const total = all.reduce((a, b) => a + b);
      weights.data.subarray(i * k.rows, (i + 1) * k.rows).fill(0);
      weights.data.set(
        all.map((x) => x / total),
        i * k.rows,
      );
      for (let d = 0; d < v.columns; d++)
        context.data[i * v.columns + d] = all.reduce((sum, x, j) => sum + (x / total) * at(v, j, d), 0);
    }
  }
  const [before, out, after] = ["embed/out", `${one}/out`, `${one}.sum/out`].map((x) => machine.tensor(x).data);
  const adds = [of("adds", 0).data, of("adds", 1).data];
  out.forEach((_, i) => (out[i] = adds[0][i] + adds[1][i] + 0.25));
  after.forEach((_, i) => (after[i] = before[i] + out[i]));
  return machine;
}

const value = (text) => Number(text.replace("−", "-"));

test("stream: a number is told with the arithmetic that gives it, where the numbers give it", () => {
  const machine = computed(gpt());
  const mark = (zoom, key) => stream(machine, { ...LOOK, zoom }).marks.find((one) => one.key === key);
  const head = (name) => mark("blocks.0.attention:1", `blocks.0.attention/${name}:1`);
  const tell = ({ sums }, row, column) => sums(row, column);
  const [q, k] = ["q", "k"].map((name) => matrix(machine.tensor(`blocks.0.attention/${name}`), 1));
  const terms = Array.from({ length: 4 }, (_, d) => q.data[20 + d] * k.data[8 + d]);
  const [, written, dot, score] = /^(.*) = (\S+), by √4 (\S+)$/.exec(tell(head("scores"), 5, 2));
  assert.equal(written.split(" + ").length, 4);
  assert.ok(Math.abs(value(dot) - terms.reduce((a, b) => a + b)) < 0.006);
  assert.ok(Math.abs(value(score) - head("scores").table.data[32]) < 0.006);
  assert.match(tell(head("weights"), 3, 1), /^e to the power of \S+, by the sum of all 4 of the row: 0\.\d\d$/);
  assert.match(tell(head("context"), 5, 0), /( \+ .*){5} = \S+$/);
  assert.equal(head("weights").says(3, 1), "“instances” with “cats”");
  assert.equal(head("k").says(1, 2), "“near”, number 2", "each key is a column");
  const sum = /^(\S+) \(stream\) ([+−]) (\S+) \(head 1\) ([+−]) (\S+) \(head 2\) \+ 0\.25? \(bias\) = (\S+)$/;
  for (const zoom of ["", "blocks.0"]) {
    const station = mark(zoom, "blocks.0.attention.sum/out station");
    assert.match(tell(station, 2, 3), sum);
    assert.equal(value(sum.exec(tell(station, 2, 3))[1]).toFixed(1), machine.tensor("embed/out").data[19].toFixed(1));
  }
});

// What a norm of this kind makes of each row of a table.
function normed({ rows, columns, data }, kind) {
  return Array.from({ length: rows }, (_, r) => {
    const row = [...data.subarray(r * columns, (r + 1) * columns)];
    const mean = kind === "layer" ? row.reduce((a, b) => a + b) / columns : 0;
    const size = Math.sqrt(row.reduce((all, x) => all + (x - mean) ** 2, 0) / columns);
    return row.map((x) => (x - mean) / size);
  }).flat();
}

test("stream: a number behind a norm is told with the row’s own numbers, unless a gain has changed it", () => {
  for (const [place, given, made, shown] of [
    ["pre", "embed/out", "attention_norm/out", "attention_norm numbers"],
    ["post", "blocks.0.attention.sum/out", "attention_norm/out", "attention_norm/out station"],
  ])
    for (const [kind, wanted] of /** @type {[string, RegExp][]} */ ([
      ["layer", /^\(\S+ − \S+, the row’s mean\) by its standard deviation \S+ = (\S+)$/],
      ["rms", /^\S+ by the root \S+ of the row’s mean square = (\S+)$/],
    ])) {
      const machine = gpt({ place });
      const { data } = machine.tensor(`blocks.0.${made}`);
      data.set(normed(matrix(machine.tensor(given)), kind));
      const mark = () =>
        stream(machine, { ...LOOK, zoom: "blocks.0" }).marks.find(({ key }) => key === `blocks.0.${shown}`);
      const { columns } = mark().table;
      assert.ok(Math.abs(value(wanted.exec(mark().sums(2, 3))[1]) - data[2 * columns + 3]) < 0.051, `${place} ${kind}`);
      data.forEach((x, i) => (data[i] = 1.3 * x + 0.2));
      assert.equal(mark().sums(2, 3), null, "a gain and a shift");
    }
});

test("stream: behind a sublayer stands the line that makes the stream there", () => {
  for (const [place, id, line] of [
    ["pre", "attention.sum/out", "attention.sum(x)"],
    ["post", "attention_norm/out", "attention_norm(x)"],
    ["bare", "attention/out", "attention(x)"],
  ])
    for (const zoom of ["", "blocks.0"]) {
      const { parts } = stream(gpt({ blocks: 1, place }), { ...LOOK, zoom });
      assert.equal(parts.find((part) => part.id === `blocks.0.${id}`).line, `blocks.0.${line}`);
    }
});

test("stream: what the picture's numbers do not give has no arithmetic", () => {
  const machine = gpt();
  for (const zoom of ["", "blocks.0", "blocks.0.attention:1"])
    for (const { sums, key } of stream(machine, { ...LOOK, zoom }).marks)
      if (sums) assert.equal(sums(4, 1), null, `${key} in zoom ${zoom}`);
});

test("stream: a head says that it is masked where it is", () => {
  for (const mask of [0, 1]) {
    const machine = gpt();
    machine.tensor("blocks.0.attention/mask").data.fill(1).set([mask], 1);
    const { marks, parts } = stream(machine, { ...LOOK, zoom: "blocks.0.attention:0" });
    assert.equal(
      marks.some(({ text }) => text?.includes("masked")),
      !mask,
    );
    assert.equal(parts.find(({ id }) => id === "blocks.0.attention/weights:0").line.includes("mask"), !mask);
  }
});

test("stream: of more than 64 tokens the last 64 are drawn, as queries and as keys", () => {
  const machine = gpt({ tokens: 80 });
  for (const [zoom, key] of [
    ["", "blocks.0.attention:1 weights"],
    ["blocks.0", "blocks.0.attention/weights:1"],
    ["blocks.0.attention:1", "blocks.0.attention/weights:1"],
  ]) {
    const picture = stream(machine, { ...LOOK, zoom });
    assert.deepEqual(faults(picture), []);
    assert.ok(picture.marks.some(({ text }) => text === "the last 64 of 80 tokens"));
    const { table, mask, says } = picture.marks.find((mark) => mark.key === key);
    assert.deepEqual([table.rows, table.columns, mask.rows, mask.columns], [64, 64, 64, 64]);
    const whole = matrix(machine.tensor("blocks.0.attention/weights"), 1);
    assert.equal(table.data[3 * 64 + 1], whole.data[19 * 80 + 17]);
    assert.equal(says(3, 1), "“␣↵” with “near”", "tokens 20 and 18");
  }
});

test("of many products the largest are written, the others as one number", () => {
  const numbers = [1, -0.1, 2, 0.1, -3, 4, 5, 6];
  assert.equal(
    products(
      8,
      (i) => numbers[i],
      () => 0.5,
      7.5,
    ),
    "2.0 · 0.5 + (−3.0) · 0.5 + 4.0 · 0.5 + 5.0 · 0.5 + 6.0 · 0.5 + 0.5 of 3 others = 7.5",
  );
});

// A ViT as an explorer hands it over: a class token and patches of an image, read at the first row.
function patches({ side = 4, blocks = 2 } = {}) {
  const { spec, tensor } = gpt({ tokens: side ** 2 + 1, width: 64, heads: 4, words: 10, blocks });
  const names = Object.keys(spec.tensors);
  const numbers = Float32Array.from([...names.flatMap((name) => [...tensor(name).data]), ...new Array(784).fill(0.5)]);
  let offset = 0;
  const tensors = {};
  for (const name of names) {
    tensors[name] = { ...spec.tensors[name], offset };
    offset += tensor(name).data.length;
  }
  tensors.image = { shape: [28, 28], offset, limit: 1 };
  const token = [
    "class",
    ...Array.from({ length: side ** 2 }, (_, i) => `${1 + Math.floor(i / side)}, ${1 + (i % side)}`),
  ];
  const labels = { ...spec.labels, token };
  return readMachine({ ...spec, tensors, labels, read: 0, image: { grid: [side, side], first: 1 } }, numbers);
}

test("a stream of patches is legible at every size, whichever is followed", () => {
  const found = [];
  for (const width of [660, 700, 860, 1052])
    for (const blocks of [1, 3])
      for (const row of [null, 0, 1, 6, 16])
        for (const zoom of ["", "blocks.0", "blocks.0.attention:1"]) {
          const chosen = row === null ? [] : [`row ${row}`, "query"];
          const picture = stream(patches({ blocks }), { ...LOOK, width, zoom, chosen });
          found.push(...faults(picture).map((fault) => `${width}, ${blocks} blocks, row ${row}, ${zoom}: ${fault}`));
        }
  assert.deepEqual(found, []);
});

test("a patch that is chosen is outlined in the image and in every station, on one height", () => {
  const picture = stream(patches({ blocks: 1 }), { ...LOOK, chosen: ["row 6", "query"] });
  const rows = picture.marks.filter(({ key }) => key.endsWith(" followed outline") || / followed$/.test(key));
  const heights = rows.filter(({ kind }) => kind === "rect").map(({ y }) => y);
  assert.ok(heights.length >= 4);
  assert.equal(new Set(heights).size, 1);
  const at = (key) => picture.marks.find((one) => one.key === key);
  const [image, patch] = [at("image"), at("patch chosen")];
  assert.ok(Math.abs(patch.x + 1.25 - image.x - image.width / 4) < 1e-6, "row 6 is the second row's second patch");
  assert.ok(Math.abs(patch.y + 1.25 - image.y - image.height / 4) < 1e-6);
});

test("the answer is read from the row that the spec names, and a head's chosen query too", () => {
  const machine = patches({ blocks: 1 });
  const top = 212;
  const { d } = stream(machine, LOOK).marks.find(({ key }) => key === "fan");
  assert.equal(Number(d.match(/^M[\d.]+ ([\d.]+)/)[1]), top);
  const head = (chosen) => stream(machine, { ...LOOK, zoom: "blocks.0.attention:1", chosen });
  const query = (picture) => picture.marks.find(({ key }) => key === "chosen query").y;
  assert.ok(query(head(["row 6", "query"])) > query(head([])) + 40);
});
