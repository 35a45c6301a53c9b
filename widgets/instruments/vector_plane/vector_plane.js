// VectorPlane: arrows from one point. The query's tip is dragged, or turned with the arrow keys; the keys stay. Where all
// have been turned, what they were is pale.

import style from "./style.css";
import { make, ownKeys, svg } from "../../base/js/dom.js";
import { showing } from "../../base/js/showing.js";
import { clamp, floats } from "../../base/js/numbers.js";
import { joinPage } from "../../base/js/page.js";
import { theme, wear } from "../../base/js/theme.js";
import { number } from "../../base/js/words.js";

wear(style);

const WIDEST = 340; // pixels
const PALE = 0.3;

// A shaft and a head, from the middle to x, y. Short arrows have short heads.
function arrow(x, y, width, colour, opacity) {
  const length = Math.hypot(x, y);
  const head = Math.min(8 + 1.5 * width, length);
  const half = 3 + 0.9 * width;
  if (length < 0.5) return svg("g");
  const [u, v] = [x / length, y / length];
  const [bx, by] = [x - head * u, y - head * v];
  const corners = [
    [x, y],
    [bx - half * v, by + half * u],
    [bx + half * v, by - half * u],
  ];
  return svg(
    "g",
    { opacity },
    svg("line", { class: "arrow", x1: 0, y1: 0, x2: bx, y2: by, stroke: colour, "stroke-width": width }),
    svg("polygon", { points: corners.map((p) => p.map((c) => c.toFixed(2)).join()).join(" "), fill: colour }),
  );
}

const round = (x, step) => Number((Math.round(x / step) * step).toFixed(6));

function grid(longest, unit, half) {
  const rings = Array.from({ length: Math.floor(longest) }, (_, i) =>
    svg("circle", { class: "ring", r: (i + 1) * unit }),
  );
  return [
    svg("line", { class: "axis", x1: -half, x2: half, y1: 0, y2: 0 }),
    svg("line", { class: "axis", y1: -half, y2: half, x1: 0, x2: 0 }),
    ...rings,
  ];
}

// A point of the plane in pixels from its middle, downwards.
const pixels = (numbers, i, unit) => [numbers[2 * i] * unit, -numbers[2 * i + 1] * unit];

// The name of an arrow, beyond its tip.
function named(text, role, [x, y], gap) {
  const away = gap / (Math.hypot(x, y) || 1);
  return svg("text", { class: `name ${role}`, x: x * (1 + away), y: y * (1 + away) }, text);
}

// An arrow and a name for each key; the more weight, the thicker.
function keys(numbers, labels, weights, unit, colour) {
  return Array.from({ length: numbers.length / 2 }, (_, i) => {
    const [x, y] = pixels(numbers, i, unit);
    const strength = weights ? weights[i] : 1;
    const shaft = arrow(x, y, 1.5 + 7 * strength, colour, 0.45 + 0.55 * strength);
    return svg("g", {}, shaft, named(labels[i] ?? String(i + 1), "key", [x, y], 14));
  });
}

// The angle from the first key to the query, both as they are turned.
function arc(numbers, unit) {
  const [query, key] = [0, 1].map((i) => Math.atan2(-numbers[2 * i + 1], numbers[2 * i]));
  const swept = ((query - key + 3 * Math.PI) % (2 * Math.PI)) - Math.PI;
  const radius = 0.3 * unit;
  const at = (angle) => `${(radius * Math.cos(angle)).toFixed(2)} ${(radius * Math.sin(angle)).toFixed(2)}`;
  return svg("path", { class: "between", d: `M${at(key)}A${radius} ${radius} 0 0 ${swept > 0 ? 1 : 0} ${at(query)}` });
}

// The query and the keys where they have been turned to. The names of two arrows that nearly coincide stand at their sides.
function turnedArrows(numbers, labels, unit, mark) {
  const tips = Array.from({ length: numbers.length / 2 }, (_, i) => pixels(numbers, i, unit));
  const parts = tips.map(([x, y], i) => {
    const [role, name] = i ? ["key", labels[i - 1] ?? String(i)] : ["query", "q"];
    const [otherX, otherY] = tips[i ? 0 : 1] ?? [0, 0];
    const side = x * otherY - y * otherX > 0 || (x * otherY === y * otherX && i) ? -1 : 1;
    const near = Math.hypot(x - otherX, y - otherY) < 20 ? (side * 10) / (Math.hypot(x, y) || 1) : 0;
    const away = svg("g", { transform: `translate(${-y * near} ${x * near})` }, named(name, role, [x, y], 14));
    return svg("g", {}, arrow(x, y, 3, mark[role], 1), away);
  });
  return parts.length > 1 ? [arc(numbers, unit), ...parts] : parts;
}

// All arrows, and where the tip of the query is.
function arrows(get, look, unit) {
  const numbersOf = (name) => (get(name) ? floats(get(name)) : null);
  const turned = numbersOf("turned");
  const labels = get("labels");
  const angle = (get("angle") * Math.PI) / 180;
  const along = [Math.cos(angle), -Math.sin(angle)];
  const [x, y] = along.map((part) => part * get("length") * unit);
  const [nameX, nameY] = along.map((part) => part * (get("length") * unit + 19));
  const query = arrow(x, y, 3, look.mark.query, 1);
  const names = turned ? labels.map(() => "") : labels;
  const before = keys(numbersOf("vectors") ?? [], names, numbersOf("weights"), unit, look.mark.key);
  const parts = turned
    ? [svg("g", { opacity: PALE }, ...before, query), ...turnedArrows(turned, labels, unit, look.mark)]
    : [...before, query, svg("text", { class: "name query", x: nameX, y: nameY }, "q")];
  return { parts, x, y };
}

// The query's tip, to be dragged.
function handle() {
  return svg(
    "g",
    { class: "tip", role: "slider", tabindex: 0 },
    svg("circle", { r: 18, class: "touch" }),
    svg("circle", { r: 12, class: "focus" }),
    svg("circle", { r: 6.5, class: "dot" }),
  );
}

// The keys' vectors and the tip in words.
function describe(plane, tip, get) {
  const vectors = get("vectors") ? floats(get("vectors")) : [];
  const keys = get("labels").map(
    (label, i) => `${label} (${number(vectors[2 * i], 1)}, ${number(vectors[2 * i + 1], 1)})`,
  );
  plane.setAttribute("aria-label", ["a plane", ...keys].join(", "));
  const [angle, length] = [get("angle"), get("length")];
  tip.setAttribute("aria-label", ["query: turn and stretch", get("title")].filter(Boolean).join(", "));
  tip.setAttribute("aria-valuemin", 0);
  tip.setAttribute("aria-valuemax", 360);
  tip.setAttribute("aria-valuenow", angle);
  tip.setAttribute("aria-valuetext", `${number(angle, 0)} degrees, length ${number(length, 1)}`);
}

// Where in the plane the mouse is, from its centre, up and to the right, in pixels.
function pointedAt(plane, { clientX, clientY }) {
  const { x, y, width, height } = plane.getBoundingClientRect();
  return [clientX - x - width / 2, y + height / 2 - clientY];
}

export function render({ model, el, signal }) {
  el.classList.add("attnlab", "attnlab-plane");
  const stage = svg("g");
  const tip = handle();
  const plane = svg("svg", { role: "group" }, stage, tip);
  const [title, note] = [make("p", { class: "title" }), make("p", { class: "hint" })];
  el.append(title, plane, note);
  const { get, schedule } = showing(model, draw, signal);
  joinPage(el, schedule, signal);

  const half = () => Math.min(WIDEST, el.clientWidth || WIDEST) / 2;
  const scale = () => half() / (1.12 * get("longest"));

  function draw() {
    const look = theme(el);
    const unit = scale();
    const { parts, x, y } = arrows(get, look, unit);
    const around = half();
    plane.setAttribute("viewBox", `${-around} ${-around} ${2 * around} ${2 * around}`);
    stage.replaceChildren(...grid(get("longest"), unit, around), ...parts);
    title.textContent = get("title");
    note.textContent = get("note");
    tip.setAttribute("transform", `translate(${x} ${y})`);
    describe(plane, tip, get);
  }

  function set(angle, length) {
    const turn = get("turn");
    const longest = get("longest");
    model.set({
      angle: round(((angle % 360) + 360) % 360, turn) % 360,
      length: round(clamp(length, 0, longest), get("stretch")),
    });
    model.save_changes();
  }

  function follow(event) {
    const [x, y] = pointedAt(plane, event).map((part) => part / scale());
    set(Math.hypot(x, y) ? (Math.atan2(y, x) * 180) / Math.PI : get("angle"), Math.hypot(x, y));
  }

  tip.addEventListener(
    "pointerdown",
    (event) => {
      tip.setPointerCapture(event.pointerId);
      tip.focus();
      event.preventDefault();
    },
    { signal },
  );
  tip.addEventListener(
    "pointermove",
    (event) => {
      if (tip.hasPointerCapture(event.pointerId)) follow(event);
    },
    { signal },
  );
  ownKeys(
    el,
    (event) => {
      const moves = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
      const move = moves[event.key];
      if (!move || event.ctrlKey || event.metaKey || event.altKey) return false;
      set(get("angle") + move[0] * get("turn"), get("length") + move[1] * get("stretch"));
      return true;
    },
    signal,
  );
  draw();
}
