// Plane: arrows from one point. The query's tip is dragged, or turned with the arrow keys; the keys stay.

const HALF = 170; // half the picture's width, in its own units

function svg(tag, attributes = {}, ...children) {
  const el = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) el.setAttribute(name, value);
  el.append(...children);
  return el;
}

// A shaft and a head, from the middle to x, y. Short arrows have short heads.
function arrow(x, y, width, colour, opacity) {
  const length = Math.hypot(x, y), head = Math.min(8 + 1.5 * width, length), half = 3 + 0.9 * width;
  if (length < 0.5) return svg("g");
  const [u, v] = [x / length, y / length], [bx, by] = [x - head * u, y - head * v];
  const corners = [[x, y], [bx - half * v, by + half * u], [bx + half * v, by - half * u]];
  return svg("g", { opacity },
    svg("line", { class: "arrow", x1: 0, y1: 0, x2: bx, y2: by, stroke: colour, "stroke-width": width }),
    svg("polygon", { points: corners.map((p) => p.map((c) => c.toFixed(2)).join()).join(" "), fill: colour }));
}

const round = (x, step) => Number((Math.round(x / step) * step).toFixed(6));

export default { render({ model, el, signal }) {
  el.classList.add("attnlab", "attnlab-plane");
  const stage = svg("g");
  const touch = svg("circle", { r: 18, class: "touch" }), dot = svg("circle", { r: 6.5, class: "dot" });
  const tip = svg("g", { class: "tip", role: "slider", tabindex: 0, "aria-label": "query: turn and stretch" },
    touch, svg("circle", { r: 12, class: "focus" }), dot);
  const plane = svg("svg", { viewBox: `${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}` }, stage, tip);
  el.append(plane, make("p", { class: "hint" }, "drag the dot"));
  const { get, schedule } = picture(model, draw, signal);
  watchLook(el, schedule, signal);

  const scale = () => HALF / (1.12 * get("longest"));

  function draw() {
    const look = theme(el), unit = scale();
    const parts = [svg("line", { class: "axis", x1: -HALF, x2: HALF, y1: 0, y2: 0 }),
                   svg("line", { class: "axis", y1: -HALF, y2: HALF, x1: 0, x2: 0 })];
    for (let r = 1; r <= get("longest"); r++) parts.push(svg("circle", { class: "ring", r: r * unit }));
    const keys = get("vectors"), numbers = keys ? floats(keys) : [], labels = get("labels");
    const weights = get("weights") ? floats(get("weights")) : null;
    for (let i = 0; i < numbers.length / 2; i++) {
      const [x, y] = [numbers[2 * i] * unit, -numbers[2 * i + 1] * unit], away = 14 / (Math.hypot(x, y) || 1);
      const strength = weights ? weights[i] : 1;
      parts.push(arrow(x, y, 1.5 + 7 * strength, look.mark.key, 0.45 + 0.55 * strength));
      const name = svg("text", { class: "name key", x: x * (1 + away), y: y * (1 + away) });
      name.textContent = labels[i] ?? String(i + 1);
      parts.push(name);
    }
    const angle = get("angle"), length = get("length"), at = (angle * Math.PI) / 180;
    const [x, y] = [Math.cos(at) * length * unit, -Math.sin(at) * length * unit];
    parts.push(arrow(x, y, 3, look.mark.query, 1));
    const far = length * unit + 19;
    const name = svg("text", { class: "name query", x: Math.cos(at) * far, y: -Math.sin(at) * far });
    name.textContent = "q";
    parts.push(name);
    stage.replaceChildren(...parts);
    tip.setAttribute("transform", `translate(${x} ${y})`);
    tip.setAttribute("aria-valuemin", 0);
    tip.setAttribute("aria-valuemax", 360);
    tip.setAttribute("aria-valuenow", angle);
    tip.setAttribute("aria-valuetext", `${number(angle, 0)} degrees, length ${number(length, 1)}`);
  }

  function set(angle, length) {
    const turn = get("turn"), longest = get("longest");
    model.set({ angle: round(((angle % 360) + 360) % 360, turn) % 360, length: round(clamp(length, 0, longest), get("stretch")) });
    model.save_changes();
  }

  function follow(event) {
    const box = plane.getBoundingClientRect(), unit = (scale() * box.width) / (2 * HALF);
    const x = (event.clientX - box.x - box.width / 2) / unit, y = (box.y + box.height / 2 - event.clientY) / unit;
    set(Math.hypot(x, y) ? (Math.atan2(y, x) * 180) / Math.PI : get("angle"), Math.hypot(x, y));
  }

  tip.addEventListener("pointerdown", (event) => { tip.setPointerCapture(event.pointerId); tip.focus(); event.preventDefault(); }, { signal });
  tip.addEventListener("pointermove", (event) => { if (tip.hasPointerCapture(event.pointerId)) follow(event); }, { signal });
  ownKeys(el, (event) => {
    const moves = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return false;
    set(get("angle") + move[0] * get("turn"), get("length") + move[1] * get("stretch"));
    return true;
  }, signal);
  draw();
} };
