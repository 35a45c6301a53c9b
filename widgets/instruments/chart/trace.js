// A figure's traces and layout as plotly takes them, and what is asked of a trace.

// Values as plotly takes them: packed arrays become typed arrays, and rows of typed arrays.
const unpacked = new WeakMap();

const KINDS = { float32: Float32Array, float64: Float64Array };

export function unpack(value) {
  if (Array.isArray(value)) return value.map(unpack);
  if (!value || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
  if (unpacked.has(value)) return unpacked.get(value);
  const plain =
    value.shape && value.data
      ? typed(value)
      : Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unpack(inner)]));
  unpacked.set(value, plain);
  return plain;
}

function typed({ shape, type, data }) {
  const flat = new KINDS[type](data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
  if (shape.length === 1) return flat;
  return Array.from({ length: shape[0] }, (_, row) => flat.subarray(row * shape[1], (row + 1) * shape[1]));
}

const isDict = (value) => value && typeof value === "object" && !Array.isArray(value) && !ArrayBuffer.isView(value);

export function merge(old, changes) {
  const both = { ...old };
  for (const [name, value] of Object.entries(changes ?? {})) {
    both[name] = isDict(value) && isDict(both[name]) ? merge(both[name], value) : value;
  }
  return both;
}

export const isCurve = (trace) => (trace.type ?? "scatter") === "scatter" && (trace.mode ?? "lines").includes("lines");

export const isShown = (trace) => trace.visible !== false && trace.visible !== "legendonly";

export const lengthOf = (trace) => (trace.z ?? trace.y ?? trace.x ?? trace.values ?? []).length;

export const isEmpty = (data) => data.every((trace) => lengthOf(trace) === 0);

export const cellOf = (values, i) => (values && i < values.length ? values[i] : i);
