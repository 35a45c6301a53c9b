// The layout "product" of the Machine: legible at every size, what is followed, and where the plane's points lie.
import assert from "node:assert/strict";
import { test } from "node:test";
import { followed } from "../../widgets/instruments/machine/follow.js";
import { lay } from "../../widgets/instruments/machine/product/product.js";
import { readMachine } from "../../widgets/instruments/machine/tensors.js";
import { faults, LOOK } from "../support/layouts.js";

// One head as `projection_graph` gives it, with numbers that no model made.
function head({ tokens = 4, width = 4, dim = 2, values = 2, labels = {} } = {}) {
  const shapes = {
    x: [tokens, width],
    W_q: [width, dim],
    W_k: [width, dim],
    W_v: [width, values],
    q: [tokens, dim],
    k: [tokens, dim],
    v: [tokens, values],
    scores: [tokens, tokens],
    weights: [tokens, tokens],
    context: [tokens, values],
    ...(values === 2 && { hull: [tokens, 2], "context/was": [tokens, 2] }),
  };
  const tensors = {};
  let offset = 0;
  for (const [name, shape] of Object.entries(shapes)) {
    tensors[name] = { shape, offset, limit: name === "hull" ? 1.5 : 3 };
    offset += shape[0] * shape[1];
  }
  const numbers = Float32Array.from({ length: offset }, (_, i) => 1.4 * Math.sin(i));
  const { offset: from, shape } = tensors.weights;
  numbers.fill(1 / tokens, from, from + shape[0] * shape[1]);
  const token = Array.from({ length: tokens }, (_, i) => ["cats", "watch", "one", "instances"][i % 4]);
  const nodes = Object.keys(shapes).map((id) => ({ id, line: `${id} = ...` }));
  return readMachine({ nodes, tensors, labels: { token, ...labels } }, numbers);
}

const NAMED = {
  width: ["noun", "verb", "animal", "plural"],
  q: ["thing?", "count?"],
  k: ["thing", "count"],
  v: ["animal", "plural"],
};
const follow = (id) => ({ ...LOOK, chosen: [id, "query"] });

for (const width of [652, 812, 1052, 1352])
  test(`at ${width} pixels heads of every size are legible`, () => {
    const found = [];
    for (const tokens of [2, 3, 4, 6])
      for (const size of [{ width: 2 }, { labels: NAMED }, { width: 6 }, { dim: 3, values: 3 }, { dim: 1, values: 1 }])
        for (const chosen of ["q 0", "k 1", "v 1"]) {
          const picture = lay(head({ tokens, ...size }), { ...follow(chosen), width });
          const wrong = faults(picture);
          if (picture.width > width) wrong.push(`${picture.width} pixels wide`);
          found.push(...wrong.map((fault) => `${tokens} tokens, ${JSON.stringify(size)}, ${chosen}: ${fault}`));
        }
    assert.deepEqual(found, []);
  });

test("through the softmax only the direct way is followed, and a map lights its own lane", () => {
  const { parts } = lay(head(), LOOK);
  const lit = (id) => followed(parts, id);
  assert.ok(lit("scores 1 2").has("weights 1 2") && !lit("scores 1 2").has("weights 1 3"));
  assert.ok(lit("weights 1 2").has("scores 1 2") && !lit("weights 1 2").has("scores 1 3"));
  assert.ok(lit("W_v 0 1").has("context 3 1") && !lit("W_v 0 1").has("context 3 0"));
  assert.ok(!lit("W_v 0 1").has("weights 0 0"), "no weight hangs on a value");
  assert.ok(lit("q 3").has("scores 3 0") && !lit("q 3").has("scores 2 0"), "a row asks for itself");
  assert.ok(lit("v 2").has("weights 0 2"), "a value goes where its weights are");
  assert.ok(lit("k 2").has("x 2 0") && !lit("k 2").has("W_q 0 0"));
});

test("rows of queries and of scores lie on one height, and every cell stands in its table", () => {
  const { parts } = lay(head({ tokens: 5, width: 3 }), LOOK);
  const top = (id) => parts.find((part) => part.id === id).box[1];
  for (const row of [0, 4]) assert.equal(top(`q ${row} 0`), top(`scores ${row} 2`));
  assert.equal(parts.filter(({ id }) => id.startsWith("weights ")).length, 25);
  const map = parts.find(({ id }) => id === "W_k 2 1");
  assert.deepEqual([map.role, map.edit], ["spinbutton", ["W_k", 2, 1]]);
  assert.deepEqual(parts.find(({ id }) => id === "context 1 0").choose, ["q 1", "query"]);
});

test("the words of a cell are its arithmetic", () => {
  const machine = head({ labels: NAMED });
  const at = (name, row, column) => machine.tensor(name).data[row * machine.tensor(name).shape[1] + column];
  const { parts } = lay(machine, LOOK);
  const part = parts.find(({ id }) => id === "q 1 0");
  assert.equal(part.name, "thing? of “watch”");
  assert.match(part.shape(), new RegExp(` = ${at("q", 1, 0).toFixed(2).replace("-", "−")}$`));
  assert.equal(part.shape().split(" + ").length, 4);
});

test("a score is divided by the root of the size of queries and keys", () => {
  const { parts } = lay(head({ dim: 3, values: 2 }), LOOK);
  assert.match(parts.find(({ id }) => id === "scores 0 1").shape(), /, by √3 /);
});

test("of a key that is followed the column of scores and of weights is outlined, of a query the row", () => {
  for (const [chosen, cells] of /** @type {[string, string[]][]} */ ([
    ["k 1", ["0 1", "3 1"]],
    ["q 1", ["1 0", "1 3"]],
  ])) {
    const { parts, marks } = lay(head(), follow(chosen));
    for (const name of ["scores", "weights"]) {
      const { x, y, width, height, thick } = /** @type {any} */ (marks.find(({ key }) => key === `followed ${name}`));
      const [first, last] = cells.map((cell) => parts.find(({ id }) => id === `${name} ${cell}`).box);
      const wanted = [first[0], first[1], last[0] + last[2] - first[0], last[1] + last[3] - first[1]];
      assert.deepEqual([x + thick / 2, y + thick / 2, width - thick, height - thick], wanted, `${chosen}, ${name}`);
    }
  }
});

test("a line of the plane is as wide as its weight, and none is drawn for a key", () => {
  const machine = head();
  const beams = (chosen) => lay(machine, follow(chosen)).marks.filter(({ key }) => key.startsWith("beam"));
  assert.deepEqual(
    beams("q 1").map(({ key, thick }) => [key, thick]),
    [0, 1, 2, 3].map((j) => [`beam 1 ${j}`, 14 / 4]),
  );
  assert.equal(beams("v 2").length, 4);
  assert.equal(beams("k 2").length, 0);
});

test("two words with one value are named once, in bold where one is followed", () => {
  const machine = head({ labels: { token: ["the", "dog", "man", "the"] } });
  const { data } = machine.tensor("v");
  data.set(data.subarray(0, 2), 6);
  const names = (chosen) => lay(machine, follow(chosen)).marks.filter(({ key }) => key.startsWith("name of value"));
  for (const chosen of ["q 0", "v 3"])
    assert.deepEqual(
      names(chosen)
        .map(({ text }) => text)
        .sort(),
      ["dog", "man", "the"],
    );
  assert.deepEqual(
    names("v 3")
      .filter(({ bold }) => bold)
      .map(({ text }) => text),
    ["the"],
  );
});

test("values that are no points have no plane", () => {
  const picture = lay(head({ values: 3 }), LOOK);
  assert.ok(!picture.marks.some(({ key }) => key.startsWith("plane")));
});

test("a machine without its tensors is refused in a sentence", () => {
  assert.throws(() => lay(readMachine({ nodes: [], tensors: {} }, new Float32Array()), LOOK), /tensor called x/);
});
