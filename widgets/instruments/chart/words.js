// What a chart says in words: its name, its numbers as a table, the point at which the keys stand.

import { make } from "../../base/js/dom.js";
import { clamp } from "../../base/js/numbers.js";
import { number } from "../../base/js/words.js";
import { cellOf, isCurve, isShown, lengthOf } from "./trace.js";

export const readable = (text) =>
  String(text ?? "")
    .replace(/<[^>]*>/g, " ")
    .replace(/&(lt|gt|amp|quot|#39);/g, (_, name) => ({ lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" })[name])
    .trim();

export const titleOf = (part) => readable(part?.title?.text ?? (typeof part?.title === "string" ? part.title : ""));

const brief = (x) =>
  typeof x !== "number"
    ? readable(x)
    : Number.isInteger(x)
      ? number(x, 0)
      : number(x, Math.abs(x) >= 100 ? 1 : Math.abs(x) >= 0.01 || x === 0 ? 3 : 6);

// What is written at each point, where something is.
const namesOf = ({ text, mode }) => (mode?.includes("text") && Array.isArray(text) ? text.map(readable) : null);

export function describe(data, layout) {
  const parts = data.filter(isShown).map((trace, i) => {
    const name =
      readable(trace.name) || namesOf(trace)?.join(", ") || `${isCurve(trace) ? "curve" : "points"} ${i + 1}`;
    if (trace.z?.length) return `${name}: ${trace.z.length} rows of ${trace.z[0].length ?? 1} numbers`;
    const seen = Array.from(trace.y ?? []).filter((y) => typeof y === "number" && Number.isFinite(y));
    if (!seen.length) return `${name}: no numbers`;
    if (seen.length === 1) return `${name}: ${brief(seen[0])}`;
    return (
      `${name}: ${seen.length} numbers, first ${brief(seen[0])}, last ${brief(seen.at(-1))}, ` +
      `lowest ${brief(seen.reduce((a, b) => Math.min(a, b)))}, highest ${brief(seen.reduce((a, b) => Math.max(a, b)))}`
    );
  });
  const axes = [titleOf(layout.yaxis), titleOf(layout.xaxis)].filter(Boolean).join(" over ");
  return [titleOf(layout) || axes || "chart", titleOf(layout) && axes, ...parts].filter(Boolean).join(". ");
}

// The table behind the picture.
const MOST_ROWS = 200;

export function table(trace, number_, layout) {
  const names = namesOf(trace);
  const caption = readable(trace.name) || names?.join(", ") || `trace ${number_ + 1}`;
  const rows =
    trace.z?.length && trace.z[0].length !== undefined
      ? Array.from(trace.z, (row, i) => [readable(cellOf(trace.y, i)), ...Array.from(row, brief)])
      : Array.from({ length: Math.min(lengthOf(trace), MOST_ROWS) }, (_, i) => [
          ...(names ? [names[i] ?? ""] : []),
          brief(cellOf(trace.x, i)),
          brief(cellOf(trace.y, i)),
        ]);
  const head = trace.z
    ? ["", ...Array.from(trace.x ?? trace.z[0] ?? [], (x, i) => brief(trace.x ? x : i))]
    : [...(names ? ["name"] : []), titleOf(layout.xaxis) || "x", titleOf(layout.yaxis) || "y"];
  const cells = (kind, row) =>
    make("tr", {}, ...row.map((text) => make(kind, kind === "th" ? { scope: "col" } : {}, text)));
  const more = lengthOf(trace) - rows.length;
  return make(
    "table",
    {},
    make("caption", {}, more > 0 ? `${caption} (first ${rows.length} of ${lengthOf(trace)})` : caption),
    make("thead", {}, cells("th", head)),
    make("tbody", {}, ...rows.map((row) => cells("td", row))),
  );
}

// Arrow keys walk over the points: { trace, point } after a key, or null to leave.
export function walk(at, key, data) {
  const traces = data.map((trace, i) => i).filter((i) => isShown(data[i]) && lengthOf(data[i]) && !data[i].z);
  if (!traces.length || key === "Escape") return null;
  const order = traces.indexOf(at?.trace ?? traces[0]);
  const trace = traces[clamp(order + ({ ArrowUp: -1, ArrowDown: 1 }[key] ?? 0), 0, traces.length - 1)];
  const last = lengthOf(data[trace]) - 1;
  if (!at) return { trace, point: key === "End" || key === "ArrowLeft" ? last : 0 };
  const point = {
    ArrowLeft: at.point - 1,
    ArrowRight: at.point + 1,
    PageUp: at.point + 10,
    PageDown: at.point - 10,
    Home: 0,
    End: last,
  }[key];
  return { trace, point: clamp(point ?? at.point, 0, last) };
}

export function pointInWords({ data, axes }, { trace, point }) {
  const { name, x, y } = data[trace];
  const across = `${titleOf(axes.xaxis) || "x"} ${brief(cellOf(x, point))}`;
  const up = `${titleOf(axes.yaxis) || "y"} ${brief(cellOf(y, point))}`;
  return [readable(name), namesOf(data[trace])?.[point], across, up].filter(Boolean).join(", ");
}
