// The layout "product": one attention as the products it is made of. Data from left to right, the lanes of queries,
// keys and values from top to bottom; rows of queries and rows of scores on one height. Beside it the plane of values.
//
// Tensors: x [tokens, width]; W_q, W_k, W_v [width, dim]; q, k, v [tokens, dim]; scores, weights [tokens, tokens];
// context [tokens, dim]. For values of two numbers also hull [corners, 2], whose limit is how far the plane reaches,
// and context/was [tokens, 2], before any number was dragged. `labels`: token, width, and the columns of q, k and v.
// Nodes are called as their tensors. `chosen`: a row, so ["q 3", "query"] is the query of the fourth token.

import { cellId, cellsOf, LANES, places, read, ROLES, TABLES, upTo } from "./places.js";
import { plane } from "./plane.js";
import { outlines, wires } from "./wires.js";
import { arithmetic } from "./words.js";
import { memo } from "../../../base/js/memo.js";
import { by, Sheet } from "../sheet.js";
import { cellsIn } from "../tensors.js";

export function lay(machine, look) {
  const data = read(machine, look);
  const place = places(data, look);
  const view = { ...data, place, sheet: new Sheet(), measure: look.measure };
  const { x, y } = place;
  wires(view);
  table(view, "x", x.x, y.k, { scale: "hidden", rows: "token", columns: "width" });
  for (const lane of LANES) {
    table(view, `W_${lane}`, x.W, y[lane], { scale: ROLES[lane], rows: "width", columns: lane });
    table(view, lane, x.q, y[lane], { scale: ROLES[lane], rows: "token", columns: lane });
  }
  table(view, "scores", x.scores, y.q, { scale: "scores", columns: "token" });
  table(view, "weights", x.scores, y.k, { scale: "weights", columns: "token" });
  table(view, "context", x.context, y.v, { scale: "context", rows: "token", columns: "v", bare: true });
  titles(view);
  outlines(view);
  const end = view.tables.hull ? plane(view) : { right: 0, bottom: 0 };
  return {
    width: Math.ceil(Math.max(place.right, end.right)),
    height: Math.ceil(Math.max(place.bottom, end.bottom)),
    hint: "click a row to follow it",
    parts: view.sheet.parts,
    marks: view.sheet.marks,
  };
}

const rowOf = ({ tables }, name, row) => upTo(tables[name].columns).map((column) => cellId(name, row, column));
const columnOf = ({ tables }, name, column) => upTo(tables[name].rows).map((row) => cellId(name, row, column));

// What flows into each cell and where it goes, by its id: the same for all numbers of one size.
const kept = memo();
function flows(view) {
  const { tokens, width, dims, tables } = view;
  return kept.once("flows", [tokens, width, dims.q, dims.k, dims.v], () => {
    const all = new Map();
    for (const name of TABLES)
      for (const row of upTo(tables[name].rows))
        for (const column of upTo(tables[name].columns))
          all.set(cellId(name, row, column), flow(view, name, row, column));
    return all;
  });
}

// Through the softmax only the direct way counts: else all would be one.
function flow(view, name, row, column) {
  const lane = name.at(-1);
  if (name === "x") return { into: LANES.flatMap((one) => rowOf(view, one, row)) };
  if (name.startsWith("W_")) return { into: columnOf(view, lane, column) };
  if (name === "scores")
    return { from: [...rowOf(view, "q", row), ...rowOf(view, "k", column)], into: [cellId("weights", row, column)] };
  if (name === "weights") return { from: [cellId("scores", row, column)], into: rowOf(view, "context", row) };
  if (name === "context") return { from: [...rowOf(view, "weights", row), ...columnOf(view, "v", column)] };
  const from = [...rowOf(view, "x", row), ...columnOf(view, `W_${lane}`, column)];
  const into = { q: () => rowOf(view, "scores", row), k: () => columnOf(view, "scores", row) }[lane];
  return { from, into: into ? into() : columnOf(view, "context", column) };
}

// What a click on a cell follows: the row it belongs to, in the role it has there.
function rowToFollow({ followed }, name, row) {
  const lane = LANES.includes(name) ? name : name === "x" ? (followed?.lane ?? "q") : "q";
  return name.startsWith("W_") ? undefined : [`${lane} ${row}`, ROLES[lane]];
}

// Of weights and contexts two where there is room; of words that are mostly whole numbers none.
function decimals({ tables, place }, name, value) {
  if (/^(weights|context)$/.test(name)) return place.c < 34 && Math.abs(value) >= 1 ? 1 : 2;
  const { data } = tables.x;
  const isWhole = name === "x" && Number.isInteger(value) && data.filter(Number.isInteger).length > data.length / 2;
  return isWhole ? 0 : 1;
}

// A table of cells, each a part of its own, with the names of its rows and columns.
function table(view, name, x, y, { scale, rows = "", columns, bare = false }) {
  const { sheet, tables, place, node } = view;
  const { c, h, size } = place;
  const { data, rows: n, columns: m } = tables[name];
  const [cells, ways] = [cellsIn(tables[name]), flows(view)];
  const isEdited = name.startsWith("W_");
  for (const row of upTo(n))
    for (const column of upTo(m)) {
      const id = cellId(name, row, column);
      const at = row * m + column;
      const [left, top] = [x + column * c, y + row * h];
      const digits = decimals(view, name, data[at]);
      sheet.cells(id, left, top, c, h, cells[at], {
        scale,
        limit: name === "weights" ? 1 : view.limit(name),
        numbers: { size, decimals: digits, short: c < (digits === 2 ? 34 : 28) },
        part: id,
      });
      sheet.part({
        id,
        ...arithmetic(view, name, row, column),
        line: node(name).line,
        role: isEdited ? "spinbutton" : "img",
        box: [left, top, c, h],
        ...ways.get(id),
        ...(isEdited ? { edit: [name, row, column] } : { choose: rowToFollow(view, name, row) }),
      });
    }
  ruled(view, name, x, y, n, m);
  if (rows) rowNames(view, name, x, y, rows);
  if (!bare) columnNames(view, name, x, y, columns);
}

function ruled(view, name, x, y, n, m) {
  const { sheet, place } = view;
  const { c, h } = place;
  const across = upTo(n + 1).map((row) => `M${x} ${y + row * h}h${m * c}`);
  const down = upTo(m + 1).map((column) => `M${x + column * c} ${y}v${n * h}`);
  sheet.path(`${name} grid`, across.join("") + down.join(""), { stroke: "grid2", thick: 1 });
  if (!name.startsWith("W_")) return;
  const dots = upTo(n * m).map((i) => `M${x + (i % m) * c + 9} ${y + Math.floor(i / m + 1) * h - 1.5}h${c - 18}`);
  const how = { stroke: "brand", thick: 1.5, dash: "1.5 2", opacity: 0, lit: { opacity: 0.7 } };
  sheet.path(`${name} can change`, dots.join(""), { ...how, part: cellsOf(view, name) });
}

// Of tokens also the parts that follow a whole row.
function rowNames(view, name, x, y, side) {
  const { sheet, place, followed, token } = view;
  const texts = side === "token" ? token : view.number[side];
  const isLane = LANES.includes(name);
  const colour = isLane ? ROLES[name] : name === "context" ? "context" : side === "token" ? "ink" : "ink2";
  texts.forEach((text, row) => {
    const top = y + row * place.h;
    const isChosen =
      followed?.at === row &&
      side === "token" &&
      (name === "x" || name === followed.lane || (name === "context" && followed.lane === "q"));
    const part = isLane ? `${name} ${row}` : undefined;
    sheet.text(`${name} row ${row}`, x - 8, top + place.h / 2 + 4.5, text, {
      size: name === "x" ? 13 : 12,
      colour,
      bold: isChosen,
      anchor: "end",
    });
    if (!isLane) return;
    const own = rowOf(view, name, row);
    const given = name === "v" ? columnOf(view, "weights", row) : [];
    sheet.part({
      id: part,
      name: `${ROLES[name]} of ${text}`,
      shape: by(1, view.dims[name]),
      line: view.node(name).line,
      role: "button",
      box: [x - place.token - 2, top, place.token, place.h],
      from: own,
      into: [...own, ...given],
      choose: [part, ROLES[name]],
    });
  });
}

function columnNames(view, name, x, y, side) {
  const { sheet, place, followed, token } = view;
  const texts = side === "token" ? token : view.number[side];
  texts.forEach((text, column) => {
    const isKey = side === "token";
    const middle = x + (column + 0.5) * place.c;
    sheet.text(`${name} column ${column}`, place.isTurned ? middle - 2 : middle, y - 7, text, {
      size: 11,
      colour: isKey ? "key" : "ink2",
      bold: isKey && followed && followed.lane !== "q" && followed.at === column,
      anchor: place.isTurned ? "start" : "middle",
      turn: place.isTurned ? -45 : undefined,
    });
  });
}

const NAMES = { q: "queries", k: "keys", v: "values" };

// The name of each table above it.
function titles(view) {
  const { sheet, place, tokens, width, dims, measure } = view;
  const { x, y, c, head } = place;
  const above = (key, left, top, name, note, colour) => {
    sheet.text(`${key} title`, left, top - head - 7, name, { bold: true, colour });
    const room = tokens * c + 24 - measure(name, 13, true) - 8;
    if (note && measure(note, 12) < room)
      sheet.text(`${key} note`, left + measure(name, 13, true) + 8, top - head - 7, note, { size: 12, colour: "ink2" });
  };
  above("x", x.x, y.k, "x", `${by(tokens, width)}`, "ink");
  for (const lane of LANES) {
    const top = y[lane] - head - 7;
    sheet.text(`W_${lane} title`, x.W, top, "W", { bold: true, colour: ROLES[lane] });
    const wide = measure("W", 13, true);
    sheet.text(`W_${lane} index`, x.W + wide, top + 3, lane, { size: 10, bold: true, colour: ROLES[lane] });
    sheet.text(`W_${lane} note`, x.W + wide + 14, top, by(width, dims[lane]), { size: 12, colour: "ink2" });
    above(lane, x.q, y[lane], NAMES[lane], "", ROLES[lane]);
  }
  above("scores", x.scores, y.q, "scores", `q · k / √${dims.k}`, "ink");
  above("weights", x.scores, y.k, "weights", "softmax of a row", "ink");
  sheet.text("context title", x.context, y.v - 10, "context", { bold: true, colour: "context" });
  sheet.text("drag", x.W, place.bottom - 10, "drag any number of the three", { size: 12, colour: "ink2" });
}
