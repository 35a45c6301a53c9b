// Towers: who asks whom, out of the weights. A view is { machine, look, model, at, lit }.

import { number } from "../../../base/js/words.js";
import { kindOf } from "./places.js";
import { matrix, rowOf } from "../tensors.js";

export const LEAST = 0.005; // a weight below it has no beam
const SEEN = 0.05; // one below this is not followed, and not told

// The part of a word at a station.
export const wordAt = (tensor, row) => `${tensor}:${row}`;

// The weights [queries, keys] of a joint; null where words do not meet.
export const weightsOf = ({ machine }, tower, column) =>
  column?.kind === "joint" && kindOf(tower, column.sublayer)
    ? matrix(machine.tensor(`${column.sublayer.id}/weights`))
    : null;

export const isOff = ({ look }, tower, { sublayer }) =>
  look.off.has(kindOf(tower, sublayer)) || look.off.has(sublayer.id);

// What is asked at joint `i` of a tower: its words, where their strips end, how high each stands, and their parts.
export function asked({ model, at }, tower, i) {
  const { columns, top } = at[tower.name];
  const { sublayer, tap } = columns[i];
  if (!tap) {
    const { tensor, x, width } = columns[i - 1];
    return { words: tower.words, x: x + width, top, id: (key) => wordAt(tensor, key) };
  }
  const prefix = tap.own ? `${sublayer.id} ` : "";
  const id = (key) => `${prefix}${wordAt(sublayer.memory, key)}`;
  return { words: model.source.words, x: tap.x + at.size.station, top: at.source.top, id };
}

// The word that a hand has chosen: { where: a tower or a block, row }; null for none that is there and could be seen asking.
function chosen({ look, at, model, lit }) {
  const [, where, row] = /^(.*) (\d+)$/.exec(look.chosen[0] ?? "") ?? [];
  const tower = [model.source, model.target].find(
    ({ name, blocks }) => name === where || blocks.some(({ id }) => id === where),
  );
  const isSeen = tower && lit.some((kind) => (kind === "source") === (tower.name === "source"));
  return isSeen && Number(row) < at[tower.name].rows ? { where, row: Number(row) } : null;
}

// The row that asks at a joint, null where none is seen asking: the chosen word; else the one that writes, and in the
// encoder the one that it reads most.
export function asker(view, tower, column) {
  const { at, lit } = view;
  if (!lit.includes(kindOf(tower, column.sublayer)) || isOff(view, tower, column)) return null;
  const hand = chosen(view);
  if (hand) return [tower.name, column.block.id].includes(hand.where) ? hand.row : null;
  if (tower.name === "target") return at.target.rows ? at.target.rows - 1 : null;
  const weights = lastRead(view);
  return Math.max(...weights) > 0 ? weights.indexOf(Math.max(...weights)) : at.source.rows - 1;
}

// What the word that asks, or writes, reads of the source in the last block: a weight for each source word.
export function lastRead(view) {
  const { at, model } = view;
  const column = at.target.columns.findLast(({ tap }) => tap);
  const table = at.target.rows ? weightsOf(view, model.target, column) : null;
  return table ? rowOf(table, asker(view, model.target, column) ?? at.target.rows - 1).data : [];
}

// Whom a word has read to become what it is at station `i`, the most first, in words.
export function told(view, tower, i, row) {
  const { columns } = view.at[tower.name];
  const table = weightsOf(view, tower, columns[i - 1]);
  if (!table) return "";
  const weights = rowOf(table, row).data;
  const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a]).filter((key) => weights[key] >= SEEN);
  const { words } = asked(view, tower, i - 1);
  const read = order.slice(0, 3).map((key) => `${words[key]} ${number(weights[key])}`);
  return `: reads ${read.join(", ") || "nothing"}`;
}

// What flows into a word at station `i`, and where it goes.
export function flows(view, tower, i, row) {
  const { columns, rows } = view.at[tower.name];
  const own = (column) => (column ? [wordAt(column.tensor, row)] : []);
  const from = weightsOf(view, tower, columns[i - 1]);
  const keys = from
    ? many(from.columns, (key) => from.data[row * from.columns + key] >= SEEN).map(asked(view, tower, i - 1).id)
    : [];
  const next = columns[i + 1]?.tap ? null : weightsOf(view, tower, columns[i + 1]);
  const asks = next ? many(rows, (query) => next.data[query * next.columns + row] >= SEEN) : [];
  const into = asks.map((query) => wordAt(columns[i + 2].tensor, query));
  return {
    from: [...new Set([...own(columns[i - 2]), ...keys])],
    into: [...new Set([...own(columns[i + 2]), ...into])],
    ends: true,
  };
}

const many = (count, test) => Array.from({ length: count }, (_, i) => i).filter(test);
