// Layout "towers": models of every size are legible, beams are as wide as their weights, and who asks is seen.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readMachine } from "../../widgets/instruments/machine/tensors.js";
import { lay } from "../../widgets/instruments/machine/towers/towers.js";
import { LOOK, faults } from "../support/layouts.js";

const WORDS = ["we", "instances", "las", "manzanas", "is"];
const some = (n) => Array.from({ length: n }, (_, i) => WORDS[i % WORDS.length]);

// Encoder and decoder as `machine_spec` gives them, with numbers that no model made; weights are a softmax.
function translator({ layers = 2, source = 7, target = 7, width = 8, place = "post", head = undefined } = {}) {
  const nodes = /** @type {any[]} */ ([{ id: "", label: "whole machine", line: "logits = model(source, written)" }]);
  const tensors = {};
  const numbers = [];
  const tensor = (name, shape, values) => {
    tensors[name] = { shape, offset: numbers.length, limit: 2 };
    numbers.push(...(values ?? Array.from({ length: shape[0] * shape[1] }, (_, i) => Math.sin(i + shape[1]))));
  };
  const memory =
    place === "pre" ? "encoder.norm/out" : `encoder.blocks.${layers - 1}.${end(place, "feed_forward")}/out`;
  for (const [stack, rows] of [
    ["encoder", source],
    ["decoder", target],
  ]) {
    for (const part of ["tokens", "positions"])
      nodes.push({ id: `${stack}.embed.${part}`, kind: "embed", label: part });
    nodes.push({ id: `${stack}.embed`, kind: "sum", label: "the stream" });
    tensor(`${stack}.embed/out`, [rows, width]);
    for (let b = 0; b < layers; b++) {
      const block = `${stack}.blocks.${b}`;
      nodes.push({ id: block, kind: "block", in: "", label: `${stack} block ${b + 1}` });
      for (const name of stack === "encoder"
        ? ["attention", "feed_forward"]
        : ["attention", "cross_attention", "feed_forward"]) {
        const one = `${block}.${name}`;
        const norm = { id: `${one}_norm`, kind: "norm", in: block, label: "norm" };
        const looks = name === "cross_attention";
        if (place === "pre") nodes.push(norm);
        const kind = looks ? "attention" : name;
        nodes.push({ id: one, kind, in: block, label: name, line: `y = ${name}(x)`, ...(looks && { memory }) });
        if (place !== "bare") nodes.push({ id: `${one}.sum`, kind: "sum", in: block, label: "sum" });
        if (place === "post") nodes.push(norm);
        tensor(`${block}.${end(place, name)}/out`, [rows, width]);
        if (kind === "feed_forward") tensor(`${one}/hidden`, [rows, 2 * width]);
        else
          tensor(`${one}/weights`, [rows, looks ? source : rows], weights(rows, looks ? source : rows, stack, looks));
      }
    }
    if (place === "pre") {
      nodes.push({ id: `${stack}.norm`, kind: "norm", in: "", label: "norm" });
      tensor(`${stack}.norm/out`, [rows, width]);
    }
  }
  nodes.push({ id: "output", kind: "unembed", label: "unembed" }, { id: "next", kind: "word", label: "next word" });
  for (const name of ["out", "was"]) tensor(`next/${name}`, [target, 12], weights(target, 12));
  tensor("next/logits", [target, 11]);
  const labels = { source: some(source), target: some(target), vocabulary: some(12) };
  const film = Array.from({ length: target + 1 }, () => ({ group: "", ms: 600 }));
  const lit = ["source", "target", "cross"];
  return readMachine({ nodes, tensors, labels, film, lit, head }, Float32Array.from(numbers));
}

const end = (place, name) => ({ post: `${name}_norm`, pre: `${name}.sum`, bare: name })[place];

function weights(rows, columns, stack, looks) {
  const isCausal = stack === "decoder" && !looks;
  return Array.from({ length: rows }, (_, row) => {
    const scores = Array.from({ length: columns }, (_, i) =>
      isCausal && i > row ? 0 : Math.exp(2 * Math.sin(3 * row + i)),
    );
    const sum = scores.reduce((all, x) => all + x);
    return scores.map((x) => x / sum);
  }).flat();
}

const at = (machine, look = {}) => lay(machine, { ...LOOK, frame: 5, ...look });
const mark = (picture, key) => picture.marks.find((one) => one.key === key);
const part = (picture, id) => picture.parts.find((one) => one.id === id);
const beams = (picture, id) =>
  picture.marks.filter(({ key, opacity }) => key.startsWith(`${id} beam`) && !key.endsWith("edge") && !opacity);

const known = new Map(); // models of the sweep, by their sizes
function made(sizes) {
  const key = JSON.stringify(sizes);
  if (!known.has(key)) known.set(key, translator(sizes));
  return known.get(key);
}

// Sizes of models, the words that are read, how far the newest has come, and the block that is open.
function* sweep(place) {
  for (const layers of [1, 2, 6])
    for (const [source, target] of [
      [1, 1],
      [7, 7],
      [3, 16],
      [16, 2],
      [16, 16],
    ])
      // prettier-ignore
      for (const frame of new Set([0, 1, target]))
        for (const zoom of layers > 2 ? ["", "encoder.blocks.2", "decoder.blocks.3"] : [""])
          for (const p of frame === 1 ? [0, 0.5, 1] : [1])
            yield { sizes: { layers, source, target, place, width: target === 2 ? 16 : 4 }, look: { frame, zoom, p } };
}

for (const place of ["pre", "post", "bare"])
  for (const width of [660, 700, 860, 1052, 1352])
    test(`towers, ${place}-norm at ${width} pixels: models of every size are legible`, () => {
      const found = [];
      for (const { sizes, look } of sweep(place)) {
        const picture = lay(made(sizes), { ...LOOK, width, ...look });
        const where = JSON.stringify({ ...sizes, ...look });
        found.push(...faults(picture).map((fault) => `${where}: ${fault}`));
        assert.equal(picture.height, 500);
        assert.ok(picture.width <= width, `${where}: ${picture.width} pixels wide`);
      }
      assert.deepEqual(found, []);
    });

test("beams are as wide as their weights, and those of one word fill its row", () => {
  const machine = translator();
  const picture = at(machine);
  for (const id of ["encoder.blocks.0.attention", "decoder.blocks.1.attention", "decoder.blocks.1.cross_attention"]) {
    const found = beams(picture, id);
    const [, , row] = found[0].key.match(/(.*) beam (\d+) (\d+)$/);
    const table = machine.tensor(`${id}/weights`);
    const tall = part(picture, "encoder.embed/out:0").box[3];
    for (const { key, thick } of found) {
      const [query, other] = key
        .match(/(\d+) (\d+)$/)
        .slice(1)
        .map(Number);
      assert.equal(query, Number(row), "one word asks");
      const weight = table.data[query * table.shape[1] + other];
      assert.ok(Math.abs(thick - weight * tall) < 0.01, `${key}: ${thick}`);
    }
    const context = mark(picture, `${id} context`);
    assert.ok(Math.abs(context.height - tall) < 0.5, "they fill the row");
  }
});

const askers = (picture) =>
  picture.marks.filter(({ key }) => key.endsWith(" asker")).map(({ key }) => key.replace(" asker", ""));

test("the word that writes asks in every block of the decoder, and the word that it reads most in the encoder", () => {
  const machine = translator();
  assert.equal(askers(at(machine)).length, 6);
  const row = machine.tensor("decoder.blocks.1.cross_attention/weights").data.subarray(4 * 7, 5 * 7);
  const best = row.indexOf(Math.max(...row));
  assert.ok(beams(at(machine), "encoder.blocks.1.attention")[0].key.includes(` ${best} `));
  const first = at(machine, { frame: 0 });
  assert.deepEqual(askers(first), ["encoder.blocks.0.attention", "encoder.blocks.1.attention"]);
  assert.ok(beams(first, "encoder.blocks.1.attention")[0].key.includes(" 6 "), "before any word the last one asks");
});

test("a chosen word asks in its block, in self- and cross-attention; from the left in all blocks", () => {
  const machine = translator();
  const seen = (choose) => askers(at(machine, { chosen: [choose, "query"] }));
  const { choose, checked } = part(at(machine), "decoder.blocks.0.cross_attention_norm/out:2");
  assert.deepEqual([choose, checked], [["decoder.blocks.0 2", "query"], false]);
  assert.deepEqual(seen(choose[0]), ["decoder.blocks.0.attention", "decoder.blocks.0.cross_attention"]);
  assert.deepEqual(part(at(machine), "encoder.embed/out:3").choose, ["source 3", "query"]);
  assert.deepEqual(seen("source 3"), ["encoder.blocks.0.attention", "encoder.blocks.1.attention"]);
  assert.equal(seen("target 6").length, 6, "a word that is not there yet is not asked for");
});

test("only the attentions that are lit have beams, none that is off", () => {
  const machine = translator();
  const ids = (look) =>
    new Set(
      at(machine, look)
        .marks.filter(({ key }) => key.includes(" beam "))
        .map(({ key }) => key.split(" ")[0]),
    );
  const all = ids({});
  assert.equal(all.size, 6);
  const { lit } = machine.spec;
  machine.spec.lit = ["cross"];
  assert.deepEqual([...ids({})], ["decoder.blocks.0.cross_attention", "decoder.blocks.1.cross_attention"]);
  machine.spec.lit = ["source"];
  const isSaid = ({ key, bold }) => key.startsWith("answer ") || (key.startsWith("target word ") && bold);
  assert.ok(!at(machine).marks.some(isSaid), "no word of the target asks");
  machine.spec.lit = lit;
  assert.ok(at(machine).marks.some(isSaid));
  assert.equal(ids({ off: new Set(["cross"]) }).size, 4);
  assert.equal(ids({ off: new Set(["encoder.blocks.0.attention"]) }).size, 5);
});

test("three switches for all blocks, and one at each attention: of the head that is seen, where one is", () => {
  const offs = (machine, look) =>
    at(machine, look)
      .parts.filter(({ role }) => role === "switch")
      .map(({ off }) => off);
  const one = offs(translator({ layers: 1 }));
  const kinds = ["source", "target", "cross"];
  const [source, target, cross] = ["encoder.blocks.0.attention", "decoder.blocks.0.attention", "decoder.blocks.0.cross_attention"]; // prettier-ignore
  assert.deepEqual(one, [source, target, cross, ...kinds]);
  assert.ok(offs(translator({ layers: 1, head: 2 })).includes(`${cross}:2`));
  assert.ok(!offs(translator({ layers: 1 }), { off: new Set(["cross"]) }).includes(cross), "off in all blocks");
});

test("all keys and values of a cross-attention come from the top of the encoder", () => {
  const picture = at(translator());
  const reads = (block) => part(picture, `decoder.blocks.${block}.cross_attention_norm/out:4`).from;
  const top = "encoder.blocks.1.feed_forward_norm/out";
  assert.ok(reads(0).every((id) => id.startsWith(`${top}:`) || id === "decoder.blocks.0.attention_norm/out:4"));
  const taps = reads(1).filter((id) => !id.startsWith("decoder.blocks.1.attention_norm"));
  assert.ok(taps.length && taps.every((id) => id.startsWith(`decoder.blocks.1.cross_attention ${top}:`)));
  assert.deepEqual(part(picture, taps[0]).from, [`${top}:${taps[0].split(":")[1]}`]);
});

test("the rail of keys and values is named in whole words at every width", () => {
  for (const width of [700, 830, 860, 900, 1100, 1400]) {
    const { text } = mark(at(translator(), { width }), "rail name");
    assert.match(text, /keys and values( for every block)?$/, `at ${width}`);
  }
});

test("the newest word runs along its row, and its chances come last", () => {
  const machine = translator();
  const rows = (p, key) => mark(at(machine, { p }), `${key} station`).table.rows;
  assert.deepEqual(
    [0.1, 1].map((p) => rows(p, "decoder.blocks.1.feed_forward_norm/out")),
    [4, 5],
  );
  assert.equal(rows(0.1, "decoder.embed/out"), 5);
  assert.ok(!part(at(machine, { p: 0.9 }), "next"));
  assert.ok(part(at(machine), "next"));
});

test("blocks that do not fit are folded, and a click opens one", () => {
  const machine = translator({ layers: 6 });
  const folded = (zoom) =>
    at(machine, { zoom })
      .parts.filter(({ id }) => id.endsWith(" fold"))
      .map((one) => [one.id, one.zoom, one.name]);
  const [[id, zoom]] = folded("");
  assert.equal(id, `${zoom} fold`);
  assert.ok(!part(at(machine), `${zoom}.attention`));
  assert.ok(part(at(machine, { zoom }), `${zoom}.attention`), "open");
  assert.ok(part(at(machine, { zoom }), "encoder.blocks.5.attention"), "the last stays");
});

test("a model without two towers is refused in a sentence", () => {
  const machine = translator();
  const nodes = machine.spec.nodes.filter(({ id }) => !id.startsWith("encoder"));
  const numbers = Float32Array.from({ length: 9999 });
  for (const wrong of [nodes, machine.spec.nodes.filter(({ memory }) => !memory)])
    assert.throws(
      () => at(readMachine({ ...machine.spec, nodes: wrong }, numbers)),
      /Expected an encoder and a decoder/,
    );
});
