// Numbers of a grid that the hand changes.

import { cellsBetween, clamp } from "../../base/js/numbers.js";

// The weights after that of `from`, and of the cells up to `reach` around it, was carried to `to`: what stood there gets it
// in addition, the sum stays. Beyond the edge it stays at the edge; what may not be attended to takes nothing.
// Cells are [row, column]; `allowed(i)` is of cell i, counted row by row.
export function carried(weights, [rows, columns], from, to, reach, allowed) {
  const next = Array.from(weights);
  const inside = ([row, column]) => clamp(row, 0, rows - 1) * columns + clamp(column, 0, columns - 1);
  const taken = around(from, reach, rows, columns).map((cell) => {
    const goal = inside([cell[0] + to[0] - from[0], cell[1] + to[1] - from[1]]);
    return { at: inside(cell), goal: allowed(goal) ? goal : inside(cell) };
  });
  for (const { at } of taken) next[at] = 0;
  for (const { at, goal } of taken) next[goal] += weights[at];
  return next;
}

// The cells up to `reach` around one that lie within the grid.
export function around([row, column], reach, rows, columns) {
  const cells = [];
  for (let r = Math.max(0, row - reach); r <= Math.min(rows - 1, row + reach); r++) {
    for (let c = Math.max(0, column - reach); c <= Math.min(columns - 1, column + reach); c++) cells.push([r, c]);
  }
  return cells;
}

// The largest number and its place; what is not a number is counted.
export function most(numbers) {
  let [best, bad] = [-1, 0];
  numbers.forEach((x, i) => {
    if (Number.isNaN(x)) bad++;
    else if (best < 0 || x > numbers[best]) best = i;
  });
  return { best, bad };
}

// All places on the way from one to another.
export function between(from, to, columns) {
  const [a, b] = [from, to].map((place) => [Math.floor(place / columns), place % columns]);
  return cellsBetween(a, b).map(([row, column]) => row * columns + column);
}
