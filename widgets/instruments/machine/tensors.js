// The numbers of a machine: tensors by name in one buffer, and what layouts ask of them.

// What a layout is given: { spec, node(id), tensor(name) }. Throws a sentence where spec and numbers do not fit.
// `held`: the machine whose limits stay, because a hand drags a number of it.
/** @param {{ tensor(name: string): any } | null} held */
export function readMachine(spec, numbers, edits = [], held = null) {
  const places = new Map();
  let end = 0;
  for (const [name, place] of Object.entries(spec.tensors ?? {})) {
    places.set(name, { offset: end, ...place });
    end = places.get(name).offset + size(place.shape);
    if (end > numbers.length) throw new Error(`${name}: expected at least ${end} numbers, got ${numbers.length}.`);
  }
  const nodes = unfolded(spec.nodes ?? []);
  const known = new Map();
  const read = (name) => {
    const place = places.get(name);
    return place ? { ...edited(name, place, numbers, edits), limit: held?.tensor(name)?.limit ?? place.limit } : null;
  };
  const tensor = (name) => {
    if (!known.has(name)) known.set(name, read(name));
    return known.get(name);
  };
  return { spec: { ...spec, nodes: [...nodes.values()] }, node: (id) => nodes.get(id), tensor };
}

// All nodes by id, each with its whole id and label and with `in`, the id of what holds it: `short` in machine.py says how
// they travel.
function unfolded(nodes) {
  const [found, blocks] = [new Map(), new Map()];
  const add = ({ holds = [], ...own }, holder, block = /** @type {any} */ (null)) => {
    const label = block && own.label?.startsWith(", ") ? block.label + own.label : own.label;
    const one = { in: holder?.id ?? "", ...own, ...(holder && { label, id: holder.id + own.id }) };
    found.set(one.id, one);
    for (const each of holds) add(each, one, block ?? one);
  };
  for (const { like, ...own } of nodes) {
    const node = { ...blocks.get(like), ...own };
    blocks.set(node.id, node);
    add(node);
  }
  return found;
}

// The name of what comes out of a node.
export const tensorOf = ({ id, tensor }) => tensor ?? (id.includes("/") ? id : `${id}/out`);

const size = (shape) => shape.reduce((all, n) => all * n, 1);

// A tensor with what a hand has changed in it.
function edited(name, { shape, offset, of }, numbers, edits) {
  const own = edits.filter(([tensor]) => tensor === name);
  const data = numbers[own.length ? "slice" : "subarray"](offset, offset + size(shape));
  for (const [, ...index] of own) {
    const value = index.pop();
    data[place(shape, index)] = value;
  }
  return { name, shape, of, data };
}

// Where a number stands in a tensor's data.
export const place = (shape, index) => index.reduce((at, i, axis) => at * shape[axis] + i, 0);

// An image, [rows, columns] or [rows, columns, 3], as a table whose data are its pixels.
export const imageOf = (tensor) =>
  tensor && once(tensor, "image", () => ({ rows: tensor.shape[0], columns: tensor.shape[1], data: tensor.data }));

const made = new WeakMap(); // tensor or table -> what was made of it, by name

// Made once for each tensor or table: a picture is laid out many times from the same numbers.
export function once(of, name, make) {
  if (!made.has(of)) made.set(of, {});
  return (made.get(of)[name] ??= make());
}

// A tensor's last two axes as { rows, columns, data }, `index` its place along those before; a vector is one row.
export function matrix(tensor, ...index) {
  if (!tensor) return null;
  return once(tensor, `matrix ${index}`, () => {
    const [rows, columns] = [tensor.shape.at(-2) ?? 1, tensor.shape.at(-1) ?? 1];
    const start = place(tensor.shape, index) * rows * columns;
    return { rows, columns, data: tensor.data.subarray(start, start + rows * columns) };
  });
}

export function transposed(table) {
  const { rows, columns, data } = table;
  return once(table, "transposed", () => ({
    rows: columns,
    columns: rows,
    data: data.map((_, i) => data[(i % rows) * columns + Math.floor(i / rows)]),
  }));
}

// One row of a table, as a table.
export const rowOf = (table, row) => table && rowsBetween(table, row, row + 1);

// The rows from one on, up to but not with another.
export function rowsBetween(table, from, to) {
  const { rows, columns, data } = table;
  if (!from && to === rows) return table;
  return once(table, `rows ${from} ${to}`, () => ({
    rows: to - from,
    columns,
    data: data.subarray(from * columns, to * columns),
  }));
}

// Whether any of a table is no number.
export const hasNaN = (table) => once(table, "NaN", () => table.data.some(Number.isNaN));

// Each number of a table, as a table.
export const cellsIn = (table) =>
  once(table, "cells", () => Array.from(table.data, (number) => ({ rows: 1, columns: 1, data: [number] })));

// The last `most` rows.
export const lastRows = (table, most) => rowsBetween(table, Math.max(0, table.rows - most), table.rows);

// How many numbers a vector of it has, also where it holds shares of them.
export const widthOf = (tensor) => tensor && (tensor.of ?? tensor.shape.at(-1));

// The root of the mean square of numbers.
export function rootMeanSquare(numbers) {
  let sum = 0;
  for (const x of numbers) sum += x * x;
  return numbers.length ? Math.sqrt(sum / numbers.length) : 0;
}
