// Where the small pictures stand, in CSS pixels: a row for each layer, a column for each head.

import { clamp } from "../../base/js/numbers.js";

const GAP = 4;
const TOP = 20; // the numbers of the heads

// counts: heads of each row. labels: width of the longest row's name.
export function headMapLayout({ width, counts, labels }) {
  const most = Math.max(1, ...counts);
  const left = Math.ceil(labels) + 8; // on a whole dot: lines between two were blurred
  const near = 200; // the head from near stands beside the map where there is room
  const size = clamp(Math.floor((Math.max(320, width - near) - left) / most) - GAP, 12, counts.length > 8 ? 28 : 40);
  const place = (row, head) => ({ x: left + head * (size + GAP), y: TOP + row * (size + GAP) });
  return {
    size,
    left,
    top: TOP,
    place,
    width: left + most * (size + GAP),
    height: TOP + counts.length * (size + GAP),
    at(x, y) {
      const row = Math.floor((y - TOP) / (size + GAP));
      const head = Math.floor((x - left) / (size + GAP));
      return row >= 0 && head >= 0 && head < (counts[row] ?? 0) ? [row, head] : null;
    },
  };
}

// The head that an arrow leads to: rows may be of different lengths.
export function stepFrom([row, head], down, across, counts) {
  const next = clamp(row + down, 0, counts.length - 1);
  return [next, clamp(Math.min(head, counts[next] - 1) + across, 0, counts[next] - 1)];
}
