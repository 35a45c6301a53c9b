// What attention, a feed-forward network and a box have in common in a block: where they read the stream and where they add.

import { FRAME, MIDDLE } from "./frame.js";
import { streamSums } from "./words.js";
import { matrix, once, rootMeanSquare } from "../tensors.js";

const [THIN, THICK] = [1.25, 7]; // a branch

// Room for a norm on the line, behind the plus.
export const postWidth = ({ size }, { place }) => (place === "post" ? size.post : 0);

// The size of what a part adds, as a share of the largest there is (`branch` in the spec: that one's root mean square).
export function sizeOf(view, tensor, ...index) {
  const table = matrix(tensor, ...index);
  const largest = view.machine.spec.branch ?? tensor?.limit / 2.5;
  return table ? Math.min(1, once(table, "size", () => rootMeanSquare(table.data)) / largest) : 0;
}

export const branchWidth = (view, tensor, ...index) => Math.max(THIN, THICK * sizeOf(view, tensor, ...index));

// Whether a norm stands between the stream and what reads it.
export const withNorm = ({ norm, place }) => norm && place !== "post";

// The stream behind a sublayer, as a station.
export const behind = (view, one) => ({
  id: one.after,
  tensor: one.after,
  label: one.label && `after ${one.label}`,
  line: one.afterLine,
  sums: streamSums(view, one),
});

// Where a branch comes to: the plus, from above (-1) or from below, or, where there is none, the station behind it.
export const landing = ({ place }, end, side, shift = 0) =>
  place === "bare" ? `V${MIDDLE - shift}H${end.x - 1}` : `V${MIDDLE + 10 * side}`;

// The plus, and behind it the norm of post-norm, which sits on the line.
export function joint(view, one, adds) {
  const { sheet } = view;
  if (one.place === "bare") return;
  sheet.plus(`${one.id} plus`, adds, MIDDLE);
  if (one.place !== "post") return;
  if (postWidth(view, one) > 42) return norm(view, one, adds + 33, MIDDLE, [one.after]);
  const { id } = one.norm;
  sheet.upright(id, adds + 16, FRAME.top, FRAME.tall, { part: id });
  normPart(view, one, [adds + 10, FRAME.top, 12, FRAME.tall], [one.after]);
}

function norm(view, one, x, y, into) {
  view.sheet.pill(one.norm.id, x, y, 42, "norm", { part: one.norm.id });
  normPart(view, one, [x - 24, y - 12, 48, 24], into);
}

function normPart({ sheet, before }, { norm: { id, label = "norm", line, shape } }, box, into) {
  sheet.part({ id, name: label, line, shape, box, from: [before], into });
}

const besideStream = (y) => (y < MIDDLE ? FRAME.top - 26 : FRAME.top + FRAME.tall + 24);

// From the stream to what reads it, by way of the norm where that stands before: a line up or down to `y`.
export function read(view, one, x, y, into, pill = besideStream(y)) {
  stem(view, one, x, y, one.id);
  if (withNorm(one)) norm(view, one, x, pill, into);
}

// The line itself: from a tap, or, where no stream runs past, from the station before.
export function stem({ sheet, edge }, one, x, y, part) {
  const isBare = one.place === "bare";
  sheet.path(`${one.id} reads`, `M${isBare ? edge : x} ${MIDDLE}H${x}V${y}`, { stroke: "wire", thick: 1.5, part });
  if (!isBare) sheet.tap(`${one.id} tap`, x, MIDDLE);
}
