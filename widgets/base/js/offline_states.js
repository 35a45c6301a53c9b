// The states of an explorer whose pictures a page holds, as widgets/base/states.py packs them, and the ways between them.

import { ofHalves } from "./halves.js";
import { unpack } from "./parts.js";

const [MISSING, FIRST] = [0xffff, 0xfffe]; // no place in the table: no picture, or what the page came with

const words = (view) => {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  return new Uint16Array(bytes.slice().buffer);
};

export class States {
  // first: { id of a view: its traits }, as the page came.
  constructor(packed, first = {}) {
    this.packed = packed;
    this.first = first;
    this.names = packed.names;
    this.nodes = words(packed.nodes);
    this.shown = words(packed.shown);
    this.count = this.nodes.length / this.names.length;
    this.rows = new Map(); // places of a state's values, joined -> its row
    for (let row = 0; row < this.count; row++) this.rows.set(this.placesOf(row).join(), row);
    this.places = Object.fromEntries(
      this.names.map((name) => [name, new Map(packed.values[name].map((value, i) => [textOf(value), i]))]),
    );
    this.edges = new Map(packed.edges.map(([from, name, place, to]) => [`${from.join()}|${name}|${place}`, to]));
    this.values = new Map(); // place in the table -> what stands there, unpacked: the same object each time
  }

  placesOf(row) {
    return this.names.map((_, i) => this.nodes[i * this.count + row]);
  }

  // The state of a row: {name: value}.
  state(row) {
    const places = this.placesOf(row);
    return Object.fromEntries(this.names.map((name, i) => [name, this.packed.values[name][places[i]]]));
  }

  // The row of a state; undefined where there is no picture of it.
  row(state) {
    return this.rows.get(this.key(state));
  }

  key(state) {
    return this.names.map((name) => this.places[name].get(textOf(state[name])) ?? "?").join();
  }

  // Where a hand leads that gives one part of the state another value: a row, or undefined.
  after(state, name, value) {
    const place = this.places[name].get(textOf(value));
    const way = this.edges.get(`${this.key(state)}|${name}|${place}`);
    return way === undefined ? this.row({ ...state, [name]: value }) : this.rows.get((way ?? []).join());
  }

  // Of a slider, the value next to the wanted one at which there is a picture, where it goes: a hand that moves on leaves
  // the picture where it stands, unless there is none on that side. undefined where there is no picture at all.
  nearest(state, name, value) {
    if (!["slider", "stepper"].includes(this.packed.axes[name]) || typeof value !== "number") return undefined;
    const there = this.packed.values[name].filter((one) => this.after(state, name, one) !== undefined);
    const onward = there.filter((one) => (one - state[name]) * (value - state[name]) > 0);
    const near = onward.length ? onward : there;
    return near.sort((a, b) => Math.abs(a - value) - Math.abs(b - value))[0];
  }

  // What is seen in a row: {id of a view: {trait: value}}.
  picture(row) {
    const seen = {};
    this.packed.columns.forEach(([part, trait], i) => {
      const place = this.shown[i * this.count + row];
      if (place === MISSING) return;
      (seen[part] ??= {})[trait] = place === FIRST ? this.first[part][trait] : this.value(place);
    });
    return seen;
  }

  value(place) {
    if (!this.values.has(place)) this.values.set(place, inFull(unpack(this.packed.table[place], this.packed.bytes)));
    return this.values.get(place);
  }
}

// A value with its arrays as the views know them: `halved` of states.py has made numbers of two bytes of theirs.
export function inFull(value) {
  if (Array.isArray(value)) return value.map(inFull);
  if (!value || typeof value !== "object" || value instanceof DataView) return value;
  if (!value.halves) return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inFull(one)]));
  const { halves, power, ...rest } = value;
  return { ...rest, data: new DataView(ofHalves({ halves, power }).buffer) };
}

// The same text for what is the same to Python: the order of names in a dict does not count.
export function textOf(value) {
  if (value instanceof DataView || ArrayBuffer.isView(value)) return "bytes";
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  if (!value || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${textOf(value[name])}`).join()}}`;
}
