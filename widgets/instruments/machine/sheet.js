// What layouts put on: marks and parts, and the signs that all machines share. Colours are names (see colours.js).

export const hundredths = (x) => Math.round(x * 100) / 100;
const DIMS = "\u2009×\u2009";

// Shapes in words: "6 tokens × 8".
export const by = (...sizes) => sizes.join(DIMS);

// A line through points, its corners rounded; `head` ends it with a small open arrow head.
export function line(points, { head = false, radius = 0 } = {}) {
  const [first, ...rest] = points;
  let d = `M${hundredths(first[0])} ${hundredths(first[1])}`;
  rest.forEach(([x, y], i) => {
    const next = rest[i + 1];
    if (!next || !radius) {
      d += `L${hundredths(x)} ${hundredths(y)}`;
      return;
    }
    const [from, to] = [points[i], next].map(([a, b]) => {
      const far = Math.hypot(a - x, b - y) || 1;
      const part = Math.min(radius, far / 2) / far;
      return [hundredths(x + (a - x) * part), hundredths(y + (b - y) * part)];
    });
    d += `L${from.join(" ")}Q${hundredths(x)} ${hundredths(y)} ${to.join(" ")}`;
  });
  return head ? d + arrowHead(points.at(-2), points.at(-1)) : d;
}

// The open head of a wire that comes from `from` and ends at `to`.
export function arrowHead(from, to) {
  const far = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  const [u, v] = [(to[0] - from[0]) / far, (to[1] - from[1]) / far];
  const side = (s) => `${hundredths(to[0] - 5.5 * u + s * 3 * v)} ${hundredths(to[1] - 5.5 * v - s * 3 * u)}`;
  return `M${side(1)}L${hundredths(to[0])} ${hundredths(to[1])}L${side(-1)}`;
}

export class Sheet {
  marks = [];
  parts = [];

  part(part) {
    this.parts.push(part);
    return part;
  }

  rect(key, x, y, width, height, how = {}) {
    this.marks.push({ kind: "rect", key, x, y, width, height, ...how });
  }

  path(key, d, how = {}) {
    this.marks.push({ kind: "path", key, d, ...how });
  }

  text(key, x, y, text, how = {}) {
    this.marks.push({ kind: "text", key, x, y, text: String(text), size: 13, colour: "ink", ...how });
  }

  // A table of numbers as cells; `scale`: "scores", "weights", or a role, whose cells hold a number and a bar.
  cells(key, x, y, width, height, table, how = {}) {
    if (table) this.marks.push({ kind: "cells", key, x, y, width, height, table, scale: "scores", limit: 1, ...how });
  }

  // The same with its outline around it, which names the role.
  station(key, x, y, width, height, table, { role = "grid2", thick = role === "grid2" ? 1 : 1.75, ...how } = {}) {
    this.cells(key, x, y, width, height, table, how);
    this.outline(`${key} outline`, x, y, width, height, role, thick, how);
  }

  // Around a box, so that the line covers none of it.
  outline(key, x, y, width, height, stroke, thick, { part, opacity } = /** @type {any} */ ({})) {
    const at = [x - thick / 2, y - thick / 2, width + thick, height + thick];
    this.rect(key, at[0], at[1], at[2], at[3], { stroke, thick, part, opacity });
  }

  wire(key, points, { head = true, radius = 0, ...how } = /** @type {any} */ ({})) {
    this.path(key, line(points, { head, radius }), { stroke: "wire", thick: 1.5, ...how });
  }

  // Where a branch reads the stream, and where it adds.
  tap(key, x, y, how = {}) {
    this.rect(key, x - 2.5, y - 2.5, 5, 5, { radius: 2.5, fill: "ink2", ...how });
  }

  plus(key, x, y, how = {}) {
    this.rect(`${key} circle`, x - 8.5, y - 8.5, 17, 17, {
      radius: 8.5,
      fill: "page",
      stroke: "ink2",
      thick: 1.25,
      ...how,
    });
    this.path(key, `M${x - 4} ${y}H${x + 4}M${x} ${y - 4}V${y + 4}`, { stroke: "ink", thick: 1.5, ...how });
  }

  // A norm: a pill with its name, `x`, `y` its middle.
  pill(key, x, y, width, name, how = {}) {
    this.rect(`${key} pill`, x - width / 2, y - 9, width, 18, {
      radius: 9,
      fill: "page",
      stroke: "ink2",
      thick: 1.25,
      ...how,
    });
    this.text(key, x, y + 4, name, { size: 12, anchor: "middle", ...how });
  }

  // A norm that stands across the rows of a station, without room for its name.
  upright(key, x, top, tall, how = {}) {
    const box = { radius: 4, fill: "page", stroke: "ink2", thick: 1.25 };
    this.rect(`${key} pill`, x - 4, top + 1, 8, tall - 2, { ...box, ...how });
  }

  // The switch of a part: the mark, and the part that a hand presses. `x`, `y`: its upper left corner, 22 x 12 large.
  knob(id, x, y, off, name) {
    const part = `${id} switch`;
    this.rect(part, x, y, 22, 12, { radius: 6, fill: off ? "ink2" : "brand", opacity: off ? 0.6 : 1 });
    this.rect(`${part} knob`, x + (off ? 1.8 : 11.8), y + 1.8, 8.4, 8.4, { radius: 4.2, fill: "page" });
    this.part({ id: part, role: "switch", name, box: [x - 3, y - 6, 28, 24], off: id, checked: !off });
  }

  // Behind what a click enlarges.
  zone(id, x, y, width, height, { strength = 0.035, radius = 4 } = {}) {
    this.rect(`${id} zone`, x, y, width, height, { below: true, fill: "ink", opacity: strength, radius });
  }
}
