// Where molecules stand on the page: side by side, in as many rows as they need, each drawing in the middle.

import { identity } from "../../base/js/numbers.js";

export const RADIUS = 12; // of an atom
const UNIT = 40; // px a bond
const APART = 56; // between molecules
const ROW = 34; // between rows

// `{ labels, places, bonds }` -> the atoms of each molecule.
function moleculesOf({ labels, bonds }) {
  const of = identity(labels.length);
  for (const [one, other] of bonds) {
    const [to, from] = [of[one], of[other]];
    if (to !== from) of.forEach((name, atom) => name === from && (of[atom] = to));
  }
  return [...new Set(of)].map((name) => identity(labels.length).filter((atom) => of[atom] === name));
}

// Atoms' centres [x, y] in a strip of `width`, from `top` down; where it ends; and the middles of the gaps in a row.
export function placed(drawing, width, top) {
  const rows = [];
  for (const atoms of moleculesOf(drawing)) {
    const at = atoms.map((atom) => drawing.places[atom].map((x) => x * UNIT));
    const [left, high] = [0, 1].map((axis) => Math.min(...at.map((place) => place[axis])) - RADIUS);
    const [right, low] = [0, 1].map((axis) => Math.max(...at.map((place) => place[axis])) + RADIUS);
    const box = { atoms, at, left, high, width: right - left, height: low - high };
    const row = rows.at(-1);
    const used = row ? row.reduce((sum, one) => sum + one.width + APART, 0) : 0;
    if (row && used + box.width <= width) row.push(box);
    else rows.push([box]);
  }
  const centres = [];
  const gaps = [];
  let y = top;
  for (const row of rows) {
    const height = Math.max(...row.map((box) => box.height));
    let x = Math.max(0, (width - row.reduce((sum, box) => sum + box.width + APART, -APART)) / 2);
    for (const box of row) {
      if (box !== row[0]) gaps.push([x - APART / 2, y + height / 2]);
      const down = y + (height - box.height) / 2;
      box.atoms.forEach((atom, i) => {
        centres[atom] = [x + box.at[i][0] - box.left, down + box.at[i][1] - box.high];
      });
      x += box.width + APART;
    }
    y += height + ROW;
  }
  return { centres, gaps, end: y - ROW };
}

// The atom at a place, or -1.
export function atomAt(x, y, centres) {
  return centres.findIndex(([across, down]) => Math.hypot(across - x, down - y) <= RADIUS + 4);
}

// Where something small stands beside an atom: in the middle of the widest angle between its bonds.
export function beside(atom, centres, bonds) {
  const [x, y] = centres[atom];
  const ends = bonds.flatMap(([one, other]) => (one === atom ? [other] : other === atom ? [one] : []));
  const angles = ends.map((end) => Math.atan2(centres[end][1] - y, centres[end][0] - x)).sort((a, b) => a - b);
  if (!angles.length) angles.push(Math.PI);
  const gaps = angles.map((angle, i) => (angles[i + 1] ?? angles[0] + 2 * Math.PI) - angle);
  const widest = gaps.indexOf(Math.max(...gaps));
  const middle = angles[widest] + gaps[widest] / 2;
  return [x + Math.cos(middle) * (RADIUS + 10), y + Math.sin(middle) * (RADIUS + 9)];
}

// The strokes of one bond, [x1, y1, x2, y2, kind]: as many as it counts, an aromatic one with dots inside of the ring.
export function strokes([one, other, times], centres, bonds) {
  const [[x1, y1], [x2, y2]] = [centres[one], centres[other]];
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const across = [(y1 - y2) / length, (x2 - x1) / length];
  const moved = (by, kind = "") => [
    x1 + by * across[0],
    y1 + by * across[1],
    x2 + by * across[0],
    y2 + by * across[1],
    kind,
  ];
  if (times === 1.5) return [moved(0), moved(4 * inside(one, other, centres, bonds, across), "aromatic")];
  return { 2: [-2.2, 2.2], 3: [-4, 0, 4], 4: [-6, -2, 2, 6] }[times]?.map((by) => moved(by)) ?? [moved(0)];
}

// On which side of a bond the neighbours of its ends lie, and with them the ring: 1 or -1.
function inside(one, other, centres, bonds, across) {
  let side = 0;
  for (const [a, b] of bonds) {
    for (const [end, next] of [
      [a, b],
      [b, a],
    ])
      if ((end === one && next !== other) || (end === other && next !== one))
        side += (centres[next][0] - centres[one][0]) * across[0] + (centres[next][1] - centres[one][1]) * across[1];
  }
  return side < 0 ? -1 : 1;
}
