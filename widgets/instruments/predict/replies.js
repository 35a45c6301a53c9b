// What is said after a guess: paragraphs of runs [text, role]. `get` reads the question's traits.

import { number, visible } from "../../base/js/words.js";

const sentence = (...parts) => parts.flat().filter(([text]) => text);
const plainRun = (text) => [[text, ""]];

const GROUPED = /^[-+]?[1-9]\d{0,2}([,'’\s]\d{3})+(\.\d*)?$/;
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e\+?\d+)?$/i;

// A number as it is typed: "1,234" and "1 234" are a thousand and more, "0,5" and "0,125" are less than one; its unit may
// stand behind it. NaN for what is none.
export function typed(text, unit = "") {
  const signed = text.trim().replace(/^[−–]/, "-");
  const bare = unit && signed.endsWith(unit) ? signed.slice(0, -unit.length).trimEnd() : signed;
  const plain = GROUPED.test(bare) ? bare.replace(/[,'’\s]/g, "") : bare.replace(",", ".");
  return NUMBER.test(plain) ? Number(plain) : NaN;
}

// With as many decimals as the guess, two or more, unless it is whole.
export function asGuessed(guess, x) {
  const decimals = Number.isInteger(guess) ? 0 : (String(guess).split(".")[1]?.length ?? 0);
  return number(x, Number.isInteger(x) ? 0 : Math.min(6, Math.max(2, decimals)));
}

const withUnit = (get, shown) => shown + (get("unit") && " ") + get("unit");

// A cell in words: the query that reads the key. `labels(trait)` are the matrix's.
export function named(labels, [query, key]) {
  const labelOf = (trait, i) => visible(labels(trait)?.[i] ?? String(i + 1));
  return [
    [labelOf("query_labels", query), "query"],
    [" reads ", ""],
    [labelOf("key_labels", key), "key"],
  ];
}

// `gone`: why no kernel knows of the question, see `hearOfRestart`; "" where one does.
export function replies(get, labels, gone = "") {
  return { choice: aboutChoice, number: aboutNumber, cell: aboutCell }[get("kind")](get, labels, gone);
}

const MEASURING = {
  "": "measuring ...",
  restarted: "It is measured by the kernel, which was restarted: run all cells again.",
  alone: "It is measured by a kernel, and there is none behind this page.",
};

const lead = (get, right) => [[get("skipped") ? "" : right ? "Yes. " : "Not so. ", "strong"]];

function aboutChoice(get) {
  const guess = get("guess");
  const answer = get("answer");
  const right = sentence(plainRun("It is: "), get("choices")[answer], plainRun(". "), get("replies")[answer]);
  if (get("skipped")) return [right];
  const own = sentence(lead(get, guess === answer), get("replies")[guess]);
  return guess === answer ? [own] : [own, right];
}

function aboutNumber(get, labels, gone) {
  const guess = get("guess");
  const answer = get("answer");
  if (get("error")) return [plainRun(`The answer could not be measured: ${get("error")}`)];
  if (answer === null) return [plainRun(MEASURING[gone])];
  const is = withUnit(get, asGuessed(guess ?? 0, answer));
  if (get("skipped")) return [sentence(plainRun(`It is ${is}. `), get("replies")[0])];
  const off = guess - answer;
  const shown = asGuessed(guess, Math.abs(off));
  const far = Number(shown)
    ? `${withUnit(get, shown)} too ${off > 0 ? "high" : "low"}`
    : off
      ? "as near as can be"
      : "exactly so";
  const facts = `You said ${withUnit(get, asGuessed(guess, guess))}, it is ${is}: ${far}. `;
  return [sentence(lead(get, Math.abs(off) <= get("tolerance")), plainRun(facts), get("replies")[0])];
}

function aboutCell(get, labels) {
  const guess = get("guess");
  const answer = get("answer");
  const right = !get("skipped") && answer.some(([query, key]) => query === guess[0] && key === guess[1]);
  const cells = answer.flatMap((cell, i) => [
    ...(i ? plainRun(i === answer.length - 1 ? " or " : ", ") : []),
    ...named(labels, cell).slice(cell[0] === answer[i - 1]?.[0] ? 2 : 0), // a query that reads several keys is named once
  ]);
  return [sentence(lead(get, right), right ? [] : [...cells, [". ", ""]], get("replies")[0])];
}
