// The layout "product" before anything is drawn: its tables, their sizes, and where each of them stands.

import { clamp } from "../../../base/js/numbers.js";
import { shorten } from "../../../base/js/text.js";
import { visible } from "../../../base/js/words.js";
import { matrix, once } from "../tensors.js";

export const LANES = ["q", "k", "v"];
export const ROLES = { q: "query", k: "key", v: "value" };
export const TABLES = ["x", "W_q", "W_k", "W_v", "q", "k", "v", "scores", "weights", "context"];
export const PLANE = "the plane of the values";
const HEIGHT = 498;
const WIDE = 38; // the widest cell
const LONGEST = 10; // letters of a token
const PHONE = 480; // px: less, and the figure is wider anyway and scrolls, so its numbers may have room

const counted = [];
export const upTo = (n) => (counted[n] ??= [...Array(n).keys()]);

export const cellId = (name, row, column) => `${name} ${row} ${column}`;

// The ids of all cells of a table.
export const cellsOf = ({ tables }, name) =>
  once(tables[name], "ids", () =>
    upTo(tables[name].rows).flatMap((row) => upTo(tables[name].columns).map((column) => cellId(name, row, column))),
  );

// The tables by name, their sizes, and what their rows and columns are called.
export function read(machine, { chosen }) {
  const names = [...TABLES, "hull", "context/was"];
  const tables = Object.fromEntries(names.map((name) => [name, matrix(machine.tensor(name))]));
  const missing = TABLES.find((name) => !tables[name]);
  if (missing) throw new Error(`Expected a tensor called ${missing}.`);
  const { labels = {} } = machine.spec;
  const named = (name, n) => labels[name] ?? upTo(n).map((i) => String(i + 1));
  const [tokens, width] = [tables.x.rows, tables.x.columns];
  const words = named("token", tokens);
  return {
    tables,
    tokens,
    width,
    dims: Object.fromEntries(LANES.map((lane) => [lane, tables[lane].columns])),
    limit: (name) => machine.tensor(name).limit,
    reach: tables.hull && machine.tensor("hull").limit,
    node: (name) => machine.node(name) ?? {},
    token: once(words, "short", () => words.map((text) => shorten(visible(text), LONGEST))),
    number: {
      width: named("width", width),
      ...Object.fromEntries(LANES.map((lane) => [lane, named(lane, tables[lane].columns)])),
    },
    followed: chosen.length ? { lane: chosen[0][0], at: Number(chosen[0].slice(2)) } : null,
  };
}

// From left to right, for cells of one width.
function columns({ width, tokens, dims }, { token, numbers, wire }, c) {
  const widest = Math.max(...LANES.map((lane) => dims[lane])) * c;
  const x = { x: token };
  x.W = x.x + width * c + wire + numbers + 8;
  x.q = x.W + widest + 2 * wire + token;
  x.scores = x.q + widest + 2 * wire + 8;
  x.context = Math.max(x.scores + ((tokens - dims.v) * c) / 2, x.q + dims.v * c + wire + token + 16);
  return { x, right: Math.max(x.scores + tokens * c + 30, x.context + dims.v * c) };
}

// Where everything stands. Cells shrink before anything else does; where the plane has no room beside, it goes below.
export function places(data, { width, measure }) {
  const { tokens, tables, number } = data;
  const widest = (texts, size, bold) => Math.ceil(Math.max(0, ...texts.map((text) => measure(text, size, bold))));
  const gaps = {
    token: widest(data.token, 13, true) + 12,
    numbers: widest(number.width, 12) + 12,
    wire: clamp(Math.round((width - 652) / 14), 14, 36),
  };
  const beyond = widest([number.v[0]], 12) + 8;
  const most = (room, least) => {
    let c = WIDE;
    while (c > least && columns(data, gaps, c).right > room) c -= 1;
    return c;
  };
  const least = Math.max(150, widest([PLANE], 13, true) - beyond); // of the plane's side
  const hasRoom = most(width - 10 - least - beyond, 0) >= 28;
  const isBeside = Boolean(tables.hull) && hasRoom;
  const c = isBeside ? most(width - 10 - least - beyond, 28) : most(width, width < PHONE ? 24 : 20);
  const { x, right } = columns(data, gaps, c);
  const over = widest([...data.token, ...Object.values(number).flat()], 11);
  const isTurned = over > c;
  const head = isTurned ? Math.ceil(over * 0.71) + 14 : 17;
  const rows = Math.max(tokens, data.width);
  const h = clamp(Math.floor((HEIGHT - 3 * head - 123) / (3 * rows)), 15, isBeside ? 27 : 20); // with the plane below it is tall enough
  const [top, pitch] = [head + 27, rows * h + head + 33];
  const y = { q: top, k: top + pitch, v: top + 2 * pitch };
  return {
    ...gaps,
    x,
    y,
    c,
    h,
    head,
    isTurned,
    right,
    isBeside,
    beyond,
    room: width,
    side: isBeside ? clamp(width - right - 10 - beyond, least, 220) : 160,
    bottom: y.v + rows * h + 30,
    size: c < 28 || h < 18 ? 10 : c < 34 || h < 23 ? 11 : 12,
  };
}
