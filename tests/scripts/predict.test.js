// Guesses of a number: how they are read, and how near they are told to be.
import assert from "node:assert/strict";
import { test } from "node:test";
import { asGuessed, replies, typed } from "../../widgets/instruments/predict/replies.js";

test("a number as it is typed", () => {
  const read = { "10,000": 10000, "1,234,567.5": 1234567.5, "0,5": 0.5, " −2.5 ": -2.5, "–1.25": -1.25, 3: 3, 0: 0 };
  const grouped = { "1 250": 1250, "1'000": 1000, "12\u202f345": 12345, "0,125": 0.125, "00,125": 0.125, "3e9": 3e9 };
  for (const [text, number] of Object.entries({ ...read, ...grouped })) assert.equal(typed(text), number, text);
  for (const text of ["", "about 3", "1,2,3", "-", "0x10", "40 %", "1 2"]) assert.ok(Number.isNaN(typed(text)), text);
  for (const text of ["40 %", "40%", " 40\u202f% ", "40"]) assert.equal(typed(text, "%"), 40, text);
  assert.equal(typed("1,500 steps", "steps"), 1500);
  assert.ok(Number.isNaN(typed("%", "%")));
});

test("with as many decimals as the guess, two or more, unless it is whole", () => {
  assert.deepEqual(
    [
      [5, 5],
      [5, 4.9999],
      [0.25, 1 / 3],
      [0.004, 0.0031],
    ].map(([guess, x]) => asGuessed(guess, x)),
    ["5", "5.00", "0.33", "0.003"],
  );
});

test("how far a guess is off", () => {
  const said = (guess, answer) =>
    replies((name) => ({ kind: "number", guess, answer, tolerance: 0.1, unit: "", replies: [[]] })[name])[0]
      .map(([text]) => text)
      .join("");
  assert.equal(said(0.004, 0.0031), "Yes. You said 0.004, it is 0.003: 0.001 too high. ");
  assert.equal(said(0.1, 0), "Yes. You said 0.10, it is 0: 0.10 too high. "); // as near as it must be
  assert.equal(said(0.33, 1 / 3), "Yes. You said 0.33, it is 0.33: as near as can be. ");
  assert.equal(said(5, 5), "Yes. You said 5, it is 5: exactly so. ");
  assert.equal(said(2, 5), "Not so. You said 2, it is 5: 3 too low. ");
});
