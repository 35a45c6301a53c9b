// Rails: what there is in a frame, where it stands, and what it is drawn with.

import { once } from "../tensors.js";

export const STRIP = 20; // height
export const LEFT = 4; // room for the outline of the first strip
export const HEIGHT = 486;
export const Y = {
  word: 30,
  state: 64,
  context: 142,
  weight: 300,
  score: 334,
  key: 366,
  input: 408,
  source: 446,
  note: 464,
  second: 481,
};
const SIZES = [
  { from: 1000, strip: 90, right: 62, gap: 12 },
  { from: 820, strip: 78, right: 48, gap: 12 },
  { from: 0, strip: 60, right: 40, gap: 10 },
];
const [WIDEST, NARROWEST] = [1052, 660];
const PITCH = { most: 158, least: 60 };
const [BETWEEN, SLACK] = [20, 16]; // from a strip to the next, at least, and from the last to the margin: what of it may be used
export const MOST_ROWS = 8; // of a sum in the margin
const ORDER = ["ask", "weigh", "add", "pass on", "write"];
const DASH = "3 3";

// What there is.
export function present({ spec, tensor }, { frame, p, chosen }) {
  const film = spec.film[Math.min(frame, spec.film.length - 1)];
  const of = (name) => (film.step >= 0 ? row(tensor(name), film.step) : null);
  const weights = of("decoder.attention/weights");
  const best = weights ? weights.data.indexOf(Math.max(...weights.data)) : -1;
  const followed = /^key (\d+)$/.exec(chosen[0] ?? "")?.[1];
  return {
    ...film,
    p,
    looksBack: Boolean(tensor("decoder.attention/weights")),
    source: spec.labels.source,
    target: spec.labels.target,
    inputs: tensor("encoder.recurrent/in"),
    keys: tensor("encoder/out"),
    states: tensor("decoder.cell/out"),
    scores: of("decoder.attention/scores"),
    weights,
    context: weights ? of("decoder.attention/context") : row(tensor("encoder/hidden"), 0),
    chances: of("decoder.output/out"),
    was: of("decoder.output/was"),
    pick: followed === undefined ? best : Number(followed),
    is: (phase) => film.phase === phase,
    shows: (phase) => ORDER.indexOf(film.phase) >= ORDER.indexOf(phase),
    during: (phase) => (film.phase === phase ? p : 1),
  };
}

// One row of a tensor's last two axes, further axes by their index; `of` as the tensor has it.
export function row(tensor, ...index) {
  if (!tensor) return null;
  return once(tensor, `row ${index}`, () => {
    const columns = tensor.shape.at(-1);
    const start = index.reduce((start, i, axis) => start * tensor.shape[axis] + i, 0) * columns;
    return { rows: 1, columns, of: tensor.of, limit: tensor.limit, data: tensor.data.subarray(start, start + columns) };
  });
}

// Where it stands.
export function places({ spec }, { width: room, measure }, now) {
  const width = Math.max(NARROWEST, Math.min(WIDEST, room));
  const [{ strip: wide, right, gap }] = SIZES.filter(({ from }) => width >= from);
  const keys = now.looksBack ? now.keys.shape[0] : 0;
  const others = keys > MOST_ROWS ? [`${keys - MOST_ROWS + 1} others: 0.00`] : [];
  const rows = [...now.source.map((word) => `0.00 · ${word}`), ...spec.labels.vocabulary, ...others];
  const labels = Math.min(120, Math.max(90, ...rows.map((text) => measure(text, 13, true))));
  const rails = width - wide - right - gap - labels - 24 - LEFT;
  const wanted = Math.max(now.source.length, now.target.length);
  const columns = Math.min(wanted, Math.floor((rails - 40) / PITCH.least));
  const loose = (rails + SLACK - wide) / columns; // with room for a whole strip in the last column, else for a narrower one
  const closer = (rails + SLACK + BETWEEN) / (columns + 1);
  const pitch = Math.min(PITCH.most, Math.floor(loose < wide + BETWEEN ? closer : loose));
  const strip = Math.min(wide, pitch - BETWEEN);
  const step = Math.max(0, now.step);
  return {
    width,
    columns,
    pitch,
    strip,
    labels,
    gap,
    margin: width - right - strip,
    firstKey: Math.max(0, now.source.length - columns),
    firstWord: Math.max(0, step + 1 - columns),
    x: (column) => LEFT + pitch * (column + 1),
    middle: (column) => LEFT + pitch * (column + 1) + strip / 2,
  };
}

export const keysShown = ({ at, now }) => indices(at.firstKey, Math.min(now.source.length, at.firstKey + at.columns));
export const wordsShown = ({ at, now }) =>
  indices(at.firstWord, Math.min(now.target.length, at.firstWord + at.columns));
const indices = (from, to) => Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
export const keyColumn = ({ at }, i) => i - at.firstKey;
export const wordColumn = ({ at }, t) => t - at.firstWord;

export const sum = (numbers) => numbers.reduce((all, x) => all + x, 0);

// What it is drawn with.
export function pens(sheet, at, look) {
  return {
    // `outlined`: how strong its outline is, where that says something; what its cells say never fades with it.
    strip(key, x, y, table, role, { outlined = 1, ...how } = /** @type {any} */ ({})) {
      sheet.cells(key, x, y, at.strip, STRIP, table, { limit: table.limit, ...how });
      const opacity = outlined * (how.opacity ?? 1);
      sheet.outline(`${key} outline`, x, y, at.strip, STRIP, role, 1.75, { part: how.part, opacity });
    },
    empty(key, x, y, opacity) {
      sheet.rect(key, x, y, at.strip, STRIP, { stroke: "grid2", thick: 1, dash: DASH, opacity });
    },
    word(key, middle, y, text, role, how = /** @type {any} */ ({})) {
      const size = at.pitch >= 84 ? 15 : 12;
      const shown = look.fit(text, at.pitch - 6, size, true);
      sheet.text(key, middle, y, shown, { size, colour: role, anchor: "middle", ...how });
    },
  };
}

export const quoted = (text) => `“${text}”`;

// The place of a number of a vector in words.
export const says =
  (name, { of }) =>
  (_, column) =>
    `${name}, ${of ? "share" : "number"} ${column + 1}`;
