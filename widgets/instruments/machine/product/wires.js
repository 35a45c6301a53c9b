// The ways between the tables of the layout "product", and the outlines of what is followed.

import { cellsOf, LANES, ROLES } from "./places.js";

// x, y, x, y ... as points.
export const points = (...numbers) => numbers.flatMap((x, i) => (i % 2 ? [] : [[x, numbers[i + 1]]]));

// Which ways the numbers go. A wire is lit when numbers are that have come along it.
export function wires(view) {
  const { sheet, place, dims, tokens, width } = view;
  const { x, y, c, h, wire } = place;
  const [q, k, v] = LANES.map((lane) => y[lane] + (Math.max(tokens, width) * h) / 2); // the middle of each lane
  const drawn = (key, from, role, ...way) =>
    sheet.wire(key, points(...way), {
      radius: 10,
      part: cellsOf(view, from),
      thick: 1.25,
      lit: { stroke: role, thick: 2 },
    });
  const [start, bend] = [x.x + width * c + 8, x.x + width * c + 8 + wire / 2];
  LANES.forEach((lane, i) => {
    const at = [q, k, v][i];
    const across = lane === "k" ? [] : [bend, k, bend, at];
    drawn(`x to W_${lane}`, lane, ROLES[lane], start, k, ...across, start + wire, at);
    const end = x.W + dims[lane] * c + 8;
    drawn(`W_${lane} to ${lane}`, lane, ROLES[lane], end, at, x.q - place.token - 6, at);
  });
  const after = (lane) => x.q + dims[lane] * c + 8;
  const half = x.scores + (tokens * c) / 2;
  const right = x.scores + tokens * c;
  const [up, low] = [x.scores - 14, y.q + tokens * h];
  drawn("q to scores", "q", "query", after("q"), q, x.scores - 8, q);
  drawn("k to scores", "k", "key", after("k"), k, up, k, up, low + 12, half, low + 12, half, low + 4);
  drawn("scores to weights", "scores", "ink2", right + 8, q, right + 26, q, right + 26, k, right + 7, k);
  drawn("weights to context", "weights", "ink2", half, y.k + tokens * h + 6, half, y.v - 28);
  drawn("v to context", "v", "value", after("v"), v, x.context - place.token - 4, v);
}

// What is followed has an outline in its colour, from table to table.
export function outlines(view) {
  const { sheet, place, followed, tokens, width, dims } = view;
  if (!followed) return;
  const { x, y, c, h } = place;
  const { lane, at } = followed;
  const part = `${lane} ${at}`;
  const around = (key, box, role) =>
    sheet.outline(`followed ${key}`, box[0], box[1], box[2], box[3], role, 2.5, { part });
  const row = (left, top, columns) => [left, top + at * h, columns * c, h];
  const column = (top) => [x.scores + at * c, top, c, tokens * h];
  around("x", row(x.x, y.k, width), ROLES[lane]);
  around(lane, row(x.q, y[lane], dims[lane]), ROLES[lane]);
  if (lane === "q") {
    around("scores", row(x.scores, y.q, tokens), "query");
    around("weights", row(x.scores, y.k, tokens), "query");
    around("context", row(x.context, y.v, dims.v), "context");
  } else {
    if (lane === "k") around("scores", column(y.q), "key");
    around("weights", column(y.k), ROLES[lane]);
  }
}
