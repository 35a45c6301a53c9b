// Words, by the table of cases that holds for Python, too (tests/widgets/base/test_words.py).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { number, percent, shortNumber, visible } from "../../widgets/base/js/words.js";

const cases = JSON.parse(readFileSync(new URL("../support/word_cases.json", import.meta.url), "utf8"));

for (const [name, rule] of Object.entries({ visible, percent, number })) {
  test(name, () => {
    assert.ok(cases[name].length > 3);
    for (const [...given] of cases[name]) {
      const expected = given.pop();
      assert.equal(rule(...given), expected, `${name}(${JSON.stringify(given)})`);
    }
  });
}

test("numbers that are none, and numbers without the zero before the point", () => {
  assert.deepEqual(
    [NaN, Infinity, -Infinity].map((x) => number(x)),
    ["NaN", "∞", "−∞"],
  );
  assert.deepEqual(
    [0.25, -0.25, 1.25, 0].map((x) => shortNumber(x)),
    [".25", "−.25", "1.25", ".00"],
  );
});
