// Pictures from the kernel: each value once in a table, all bytes in one buffer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Parts, pictures } from "../../widgets/base/js/parts.js";

const bytes = (view) => [...new Uint8Array(view.buffer, view.byteOffset, view.byteLength)];

test("values and bytes come to their places", () => {
  const buffer = new DataView(Uint8Array.of(9, 1, 2, 3, 4).buffer, 1);
  const message = {
    table: [{ shape: [2], data: { bytes: [1, 3] } }, "said"],
    frames: [[7, { a: { values: 0, text: 1 }, b: { text: 1 } }]],
  };
  const [[index, picture]] = pictures(message, [buffer]);
  assert.equal(index, 7);
  assert.deepEqual(bytes(picture.a.values.data), [2, 3]);
  assert.deepEqual(picture.a.values.shape, [2]);
  assert.deepEqual([picture.a.text, picture.b.text], ["said", "said"]);
});

test("a refusal has no pictures", () =>
  assert.deepEqual(pictures(/** @type {any} */ ({ refused: "slow" }), /** @type {any} */ ([])), []));

test("parts are found once, and a closed one is said", async () => {
  let asked = 0;
  const models = { a: {} };
  const manager = {
    get_model: async (id) => {
      asked += 1;
      if (!models[id]) throw new Error("no such model");
      return models[id];
    },
  };
  const parts = new Parts({ widget_manager: manager });
  assert.equal(await parts.find(["a"]), true);
  assert.equal(await parts.find(["a"]), true);
  assert.equal(asked, 1);
  assert.equal(await parts.find(["a", "gone"]), false);
});
