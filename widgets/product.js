// Product: attention as the matrix product it is. All places come from `layout`, in CSS pixels; a cell is known by its
// table and its row and column on the screen, where the keys stand as columns.

const SVG = "http://www.w3.org/2000/svg";
const ROLES = { queries: "query", keys: "key", values: "value", context: "context" }; // and the names of their traits
const traitOf = (name) => ROLES[name] ?? name;
const GAP = 20; // between the upper tables and those below them
const PULL = 6; // pixels of a drag for one step of a number
const STEP = 0.1;
const TITLES = {
  queries: ["queries Q", ""], keys: ["keys Kᵀ", "each key a column"], values: ["values V", ""],
  scores: ["scores", "Q Kᵀ"], weights: ["weights", "softmax of each row"], context: ["context", "weights · V"],
};
// Where an arrow key leads from the edge of a table.
const NEXT = {
  queries: { ArrowRight: "scores" },
  scores: { ArrowLeft: "queries", ArrowRight: "weights", ArrowUp: "keys" },
  weights: { ArrowLeft: "scores", ArrowRight: "context" },
  context: { ArrowLeft: "weights", ArrowUp: "values" },
  keys: { ArrowDown: "scores", ArrowLeft: "queries", ArrowRight: "values" },
  values: { ArrowDown: "context", ArrowLeft: "keys" },
};

function draw(tag, attributes, parent, text) {
  const el = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) el.setAttribute(name, value);
  if (text !== undefined) el.textContent = text;
  parent.append(el);
  return el;
}

// A trait of two axes as it stands on the screen: rows, columns, at(row, column).
function readTable(get, name) {
  const packed = get(traitOf(name));
  if (!packed) return null;
  const data = floats(packed);
  const [rows, columns] = packed.shape;
  if (name === "keys") return { data, rows: columns, columns: rows, at: (r, c) => data[c * columns + r] };
  return { data, rows, columns, at: (r, c) => data[r * columns + c] };
}

const exactly = (table, decimals) => table.data.every((x) => Math.abs(x - Number(x.toFixed(decimals))) < 1e-4);
const largest = (...tables) => Math.max(0, ...tables.flatMap((t) => [...t.data].filter(Number.isFinite).map(Math.abs)));

function productLayout({ width, tables, query, key, room }) {
  const narrow = width < 800;
  const [g1, g2, g3, sums] = narrow ? [16, 40, 24, 40] : [24, 60, 44, 42];
  const [dim, keys, dims] = [tables.keys.rows, tables.keys.columns, tables.values.columns];
  const left = Math.ceil(Math.max(28, query.widest + 14));
  const c = clamp(Math.floor((width - left - g1 - g2 - g3 - sums - 12) / (dim + 2 * keys + dims)), 28, 66);
  const h = clamp(Math.round(c * 0.72), 28, 36);
  const angle = key.widest + 4 > c ? 45 : 0;
  const head = angle ? Math.ceil(key.widest * 0.71) + 14 : 20;
  const y = GAP + Math.max(keys * h + 32, dim * h + head + 30, head + 92);
  const xQ = left, xS = xQ + dim * c + g1, xW = xS + keys * c + g2, xV = xW + keys * c + sums + g3;
  const box = (x, top, table) => ({ x, y: top, rows: table.rows, columns: table.columns, right: x + table.columns * c, bottom: top + table.rows * h });
  const boxes = {
    queries: box(xQ, y, tables.queries), keys: box(xS, y - GAP - dim * h, tables.keys), scores: box(xS, y, tables.scores),
    weights: box(xW, y, tables.weights), values: box(xV, y - GAP - keys * h, tables.values), context: box(xV, y, tables.context),
  };
  const foot = y + Math.max(tables.queries.rows, room) * h;
  return { c, h, angle, head, narrow, boxes, y, sums, left, width: boxes.context.right + 4, foot, height: boxes.queries.bottom + 46 + (foot - boxes.queries.bottom), size: c < 36 ? 11 : 13 };
}

export default {
  render({ model, el, signal }) {
    el.classList.add("attnlab", "product");
    const uid = `product-${Math.random().toString(36).slice(2)}`;
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("aria-hidden", "true");
    const field = make("input", { class: "field", type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", hidden: true });
    const figure = make("div", { class: "figure", tabindex: 0, role: "application",
      "aria-label": "queries, keys, scores, weights, values and context; arrow keys move, Enter changes a number" }, svg, field);
    const sum = make("div", { class: "sum" });
    const said = make("div", { class: "sr-only", "aria-live": "polite" });
    const button = make("button", { class: "quiet", type: "button", "aria-expanded": "false" }, "all numbers as text");
    const numbers = make("div", { class: "numbers", hidden: true });
    el.replaceChildren(figure, sum, make("div", { class: "foot" }, button), numbers, said);

    let g = null; // the layout of what is painted
    let tables = {};
    let at = null; // the cell that the keys or the pointer chose last: { name, row, column }
    let hover = null;
    let drag = null; // { name, row, column, y, start, moved }
    let typing = null; // { name, row, column, start }
    let held = false; // a hand is on something in the page: colours keep their scale
    let scale = null;

    const { get, schedule } = picture(model, paint, signal);
    const on = (target, event, handler, options) => target.addEventListener(event, handler, { ...options, signal });

    // --- what is chosen ---

    function selected() {
      const [query = 0, key = 0] = get("selected");
      return [clamp(query, 0, tables.weights.rows - 1), clamp(key, 0, tables.weights.columns - 1)];
    }

    // The cell under the keys: what was chosen last, as long as it belongs to what is selected.
    function cursor() {
      const [query, key] = selected();
      const { rows, columns } = at ? tables[at.name] : { rows: 0, columns: 0 };
      if (!at || at.row >= rows || at.column >= columns || String(pairOf(at)) !== String([query, key])) at = { name: "weights", row: query, column: key };
      return at;
    }

    function pairOf({ name, row, column }) {
      const [query, key] = selected();
      return { queries: [row, key], keys: [query, column], scores: [row, column], weights: [row, column], values: [query, row], context: [row, key] }[name];
    }

    function choose(cell) {
      const pair = pairOf(cell);
      at = cell;
      if (String(pair) !== String(get("selected"))) {
        model.set("selected", pair);
        model.save_changes();
      }
      said.textContent = inWords(cell);
      schedule();
    }

    const labelOf = (side, i) => shownLabel(get(`${side}_labels`)[i] ?? String(i + 1));
    const titleOf = (name) => get("titles")[traitOf(name)] ?? TITLES[name];
    const allowed = (query, key) => { const mask = get("mask"); return !mask || floats(mask)[query * tables.weights.columns + key] !== 0; };
    const canEdit = (name) => get("editable").includes(ROLES[name]);

    function inWords({ name, row, column }) {
      const x = tables[name].at(row, column);
      const value = number(x, decimalsOf(name));
      const change = canEdit(name) ? ", Enter to change" : "";
      if (name === "queries") return `query of ${labelOf("query", row)}, number ${column + 1}: ${value}${change}`;
      if (name === "keys") return `key of ${labelOf("key", column)}, number ${row + 1}: ${value}${change}`;
      if (name === "values") return `value of ${labelOf("key", row)}, number ${column + 1}: ${value}${change}`;
      if (name === "context") return `context of ${labelOf("query", row)}, number ${column + 1}: ${value}`;
      const pair = `${labelOf("query", row)} to ${labelOf("key", column)}`;
      return allowed(row, column) ? `${name === "scores" ? "score" : "weight"} of ${pair}: ${value}` : `${pair}: masked`;
    }

    // --- changing numbers ---

    function write({ name, row, column }, value) {
      const x = clamp(Math.round(value * 100) / 100, -get("reach"), get("reach"));
      const { shape } = model.get(ROLES[name]);
      const data = floats(model.get(ROLES[name]));
      const place = name === "keys" ? column * shape[1] + row : row * shape[1] + column;
      if (Math.abs(data[place] - x) < 1e-6) return;
      data[place] = x;
      model.set(ROLES[name], { shape, data: new DataView(data.buffer) });
      model.save_changes();
      schedule();
    }

    const nudge = (cell, steps) => write(cell, Math.round((tables[cell.name].at(cell.row, cell.column) + steps * STEP) / STEP) * STEP);

    function open(cell, first) {
      const { x, y } = g.boxes[cell.name];
      const x0 = tables[cell.name].at(cell.row, cell.column);
      typing = { ...cell, start: x0 };
      const place = svg.getBoundingClientRect(), frame = figure.getBoundingClientRect();
      Object.assign(field.style, { left: `${place.left - frame.left + figure.scrollLeft + x + cell.column * g.c + 1}px`, top: `${place.top - frame.top + y + cell.row * g.h + 1}px`,
        width: `${g.c - 1}px`, height: `${g.h - 1}px` });
      field.setAttribute("aria-label", inWords(cell).replace(", Enter to change", ""));
      field.removeAttribute("aria-invalid");
      field.hidden = false;
      field.value = first ?? number(x0, decimalsOf(cell.name));
      field.focus();
      if (first === undefined) field.select();
      else take();
    }

    const typed = () => Number(field.value.trim().replace("−", "-").replace(",", ".") || NaN);

    function take() {
      const value = typed();
      const unfinished = /^[-−]?[.,]?$/.test(field.value.trim());
      field.setAttribute("aria-invalid", String(!unfinished && !(Math.abs(value) <= get("reach"))));
      if (Math.abs(value) <= get("reach")) write(typing, value);
    }

    function close(back) {
      if (!typing) return;
      const cell = typing;
      typing = null;
      if (back) write(cell, cell.start);
      field.hidden = true;
      choose({ name: cell.name, row: cell.row, column: cell.column });
    }

    on(field, "input", take);
    on(field, "blur", () => close(false));

    // --- the pointer ---

    function cellAt(event) {
      if (!g) return null;
      const frame = svg.getBoundingClientRect();
      const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
      for (const [name, box] of Object.entries(g.boxes)) {
        const [row, column] = [Math.floor((y - box.y) / g.h), Math.floor((x - box.x) / g.c)];
        if (row >= 0 && row < box.rows && column >= 0 && column < box.columns) return { name, row, column };
      }
      return null;
    }

    on(window, "pointerdown", () => { held = true; }, { capture: true });
    for (const end of ["pointerup", "pointercancel"]) on(window, end, () => { held = false; schedule(); }, { capture: true });
    on(svg, "pointerdown", (event) => {
      const cell = event.button ? null : cellAt(event);
      if (!cell) return;
      event.preventDefault(); // no selection of text; the focus is set here
      if (typing) close(false);
      figure.focus({ preventScroll: true, focusVisible: false });
      choose(cell);
      if (!canEdit(cell.name)) return;
      svg.setPointerCapture(event.pointerId);
      drag = { ...cell, y: event.clientY, start: tables[cell.name].at(cell.row, cell.column), moved: false };
    });
    on(svg, "pointermove", (event) => {
      if (drag) {
        const steps = Math.round((drag.y - event.clientY) / PULL);
        if (steps) drag.moved = true;
        if (drag.moved) write(drag, drag.start + steps * STEP);
        return;
      }
      const cell = cellAt(event);
      if (String(Object.values(cell ?? {})) !== String(Object.values(hover ?? {}))) { hover = cell; schedule(); }
    });
    on(svg, "pointerup", () => {
      const cell = drag;
      drag = null;
      if (cell && !cell.moved) open({ name: cell.name, row: cell.row, column: cell.column });
      else if (cell) said.textContent = inWords(cell);
    });
    on(svg, "pointercancel", () => { drag = null; });
    on(svg, "pointerleave", () => { if (hover) { hover = null; schedule(); } });
    on(figure, "focus", schedule);
    on(figure, "blur", schedule);

    // --- the keyboard ---

    function move(key) {
      const { name, row, column } = cursor();
      const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
      const [r, c] = [row + down, column + right];
      if (r >= 0 && r < tables[name].rows && c >= 0 && c < tables[name].columns) { choose({ name, row: r, column: c }); return; }
      const next = NEXT[name][key];
      if (!next) return;
      const { rows, columns } = tables[next];
      const [query] = selected();
      const upper = ["keys", "values"].includes(name) !== ["keys", "values"].includes(next);
      choose({ name: next,
        row: down ? (down < 0 ? rows - 1 : Math.min(query, rows - 1)) : upper ? query : Math.min(row, rows - 1),
        column: right ? (right > 0 ? 0 : columns - 1) : Math.min(column, columns - 1) });
    }

    ownKeys(el, (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return false;
      const { key } = event;
      if (event.target === field) {
        if (key === "Enter" || key === "Escape") { const back = key === "Escape"; close(back); figure.focus(); return true; }
        if (key === "ArrowUp" || key === "ArrowDown") {
          nudge(typing, key === "ArrowUp" ? 1 : -1);
          field.value = number(readTable(model.get.bind(model), typing.name).at(typing.row, typing.column), 1);
          field.removeAttribute("aria-invalid");
          return true;
        }
        return false;
      }
      if (event.target !== figure || !g) return false;
      const cell = cursor();
      if (key.startsWith("Arrow") && event.shiftKey && canEdit(cell.name)) { nudge(cell, { ArrowUp: 1, ArrowDown: -1 }[key] ?? 0); return true; }
      if (key.startsWith("Arrow")) { move(key); return true; }
      if (key === "Enter" && canEdit(cell.name)) { open(cell); return true; }
      if (/^[-−0-9.]$/.test(key) && canEdit(cell.name)) { open(cell, key); return true; }
      return key.length === 1; // letters and digits are commands of the notebook
    }, signal);
    // A letter typed into the field is no command either.
    on(field, "keydown", (event) => event.stopPropagation());
    on(button, "click", () => {
      numbers.hidden = !numbers.hidden;
      button.setAttribute("aria-expanded", String(!numbers.hidden));
      schedule();
    });

    // --- the picture ---

    // As many decimals as a table's numbers need and its cells have room for.
    function decimalsOf(name) {
      const table = tables[name];
      if (["queries", "keys", "values"].includes(name) && exactly(table, 1)) return 1;
      if (name === "weights") return 2;
      const font = `${g?.size ?? 13}px ${theme(el).font}`;
      const widest = number(-largest(table), 2);
      return !g || textWidth(widest, font) <= g.c - 4 ? 2 : 1;
    }

    function paint() {
      const look = theme(el);
      tables = Object.fromEntries(Object.keys(TITLES).map((name) => [name, readTable(get, name)]));
      if (Object.values(tables).some((table) => !table) || !el.clientWidth) { svg.replaceChildren(); sum.replaceChildren(); g = null; return; }
      const query = labelStyle(Array.from({ length: tables.queries.rows }, (_, i) => labelOf("query", i)), 28, look);
      const key = labelStyle(Array.from({ length: tables.keys.columns }, (_, i) => labelOf("key", i)), 28, look);
      g = productLayout({ width: el.clientWidth, tables, query, key, room: get("room") });
      g.paper = Math.max(g.width, el.clientWidth - 8); // words may stand beyond the last table
      if (!held || !scale) scale = { scores: get("limit") || 1.5 * largest(tables.scores) || 1, roles: Math.max(1, largest(tables.queries, tables.keys, tables.values)) };
      el.style.setProperty("--picw", `${Math.ceil(g.width)}px`);
      svg.replaceChildren();
      for (const [name, value] of Object.entries({ width: g.paper, height: g.height })) svg.setAttribute(name, value);
      const pen = { look, query, key, chosen: selected() };
      hatch(look);
      for (const name of Object.keys(ROLES)) roleTable(name);
      scoreTables(pen);
      names(pen);
      captions();
      formula();
      bars(pen);
      arrows(pen);
      lit();
      outlines(pen);
      arithmetic();
      if (!numbers.hidden) writeNumbers();
    }

    const rect = (x, y, width, height, more) => draw("rect", { x, y, width, height, ...more }, svg);
    const text = (x, y, words, kind = "", more = {}) => draw("text", { x, y, class: kind, ...more }, svg, words);
    const line = (x1, y1, x2, y2, stroke = "var(--grid2)") => draw("line", { x1, y1, x2, y2, style: `stroke:${stroke}` }, svg);
    const middle = { "text-anchor": "middle" }, end = { "text-anchor": "end" };

    function hatch(look) {
      const pattern = draw("pattern", { id: uid, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, draw("defs", {}, svg));
      draw("line", { x1: 0, y1: 0, x2: 0, y2: 6, stroke: look.hatch, "stroke-width": 1.6 }, pattern);
    }

    function grid({ x, y, rows, columns }) {
      for (let r = 0; r <= rows; r++) line(x, y + r * g.h + 0.5, x + columns * g.c, y + r * g.h + 0.5);
      for (let c = 0; c <= columns; c++) line(x + c * g.c + 0.5, y, x + c * g.c + 0.5, y + rows * g.h);
    }

    // A number over a small bar from the middle: sign and size in the colour of the role.
    function roleTable(name) {
      const box = g.boxes[name], mark = `var(--${ROLES[name]})`, decimals = decimalsOf(name);
      rect(box.x, box.y, box.columns * g.c, box.rows * g.h, { style: `fill:${mark}`, "fill-opacity": 0.13 });
      for (let r = 0; r < box.rows; r++) {
        for (let c = 0; c < box.columns; c++) {
          const x = tables[name].at(r, c), centre = box.x + (c + 0.5) * g.c, top = box.y + r * g.h;
          const long = Math.min(1, Math.abs(x) / scale.roles) * (g.c / 2 - 4);
          rect(x < 0 ? centre - long : centre, top + g.h - 7, long, 4, { style: `fill:${mark}` });
          text(centre, top + g.h / 2 + 2.5, number(x, decimals), "", { ...middle, style: `font-size:${g.size}px`, "data-cell": `${name} ${r} ${c}` });
          if (canEdit(name)) rect(box.x + c * g.c, top, g.c, g.h, { class: "hit" });
        }
      }
      grid(box);
    }

    function scoreTables({ look }) {
      const { scores, weights } = g.boxes, decimals = decimalsOf("scores");
      const size = { ...middle, style: `font-size:${g.size}px` };
      for (let r = 0; r < scores.rows; r++) {
        for (let c = 0; c < scores.columns; c++) {
          const [xS, xW, top] = [scores.x + c * g.c, weights.x + c * g.c, scores.y + r * g.h];
          if (!allowed(r, c)) {
            for (const x of [xS, xW]) rect(x, top, g.c, g.h, { fill: `url(#${uid})` });
            continue;
          }
          const [score, weight] = [tables.scores.at(r, c), tables.weights.at(r, c)];
          for (const [x, rgb, words, name] of [
            [xS, look.scores(score, scale.scores), number(score, decimals), "scores"],
            [xW, look.weights(weight), g.c < 36 ? shortNumber(weight) : number(weight), "weights"]]) {
            rect(x, top, g.c, g.h, { fill: css(rgb) });
            text(x + g.c / 2, top + g.h / 2 + 4.5, words, "", { ...size, style: `${size.style};fill:${inkOn(rgb)}`, "data-cell": `${name} ${r} ${c}` });
          }
        }
      }
      grid(scores);
      grid(weights);
    }

    function names({ query, key, chosen }) {
      const { queries, scores, keys, weights, values } = g.boxes;
      const size = { style: "font-size:13px" };
      query.names.forEach((name, i) => text(queries.x - 9, queries.y + (i + 0.5) * g.h + 4.5, name, `query${i === chosen[0] ? " b" : ""}`, { ...end, ...size }));
      const hidden = (k) => Array.from({ length: weights.rows }, (_, q) => q).every((q) => !allowed(q, k));
      key.names.forEach((name, k) => {
        const kind = (role) => `${hidden(k) ? "s" : role}${k === chosen[1] ? " b" : ""}`;
        for (const [box, x] of [[keys, scores.x], [weights, weights.x]]) {
          const [cx, y] = [x + (k + 0.5) * g.c, box.y - 8];
          if (g.angle) text(0, 0, name, kind("key"), { ...size, transform: `translate(${cx - 2} ${y}) rotate(-45)` });
          else text(cx, y, name, kind("key"), { ...middle, ...size });
        }
        const short = fitText(name, key.bold, values.x - weights.right - 14);
        text(values.x - 9, values.y + (k + 0.5) * g.h + 4.5, short, kind("value"), { ...end, ...size });
      });
      for (let q = 0; q < weights.rows; q++) {
        let total = 0;
        for (let k = 0; k < weights.columns; k++) total += tables.weights.at(q, k);
        text(weights.right + 9, weights.y + (q + 0.5) * g.h + 4.5, number(total), q === chosen[0] ? "" : "s", { style: `font-size:${g.size}px` });
      }
    }

    function captions() {
      const { queries, keys, scores, weights, values, context } = g.boxes;
      const under = (name, box) => {
        const [title, sub] = titleOf(name);
        text(box.x, g.boxes.queries.bottom + 22, title, `b ${ROLES[name] ?? ""}`, { style: "font-size:13px" });
        const font = `12px ${theme(el).font}`;
        const room = { queries: scores.x, scores: weights.x, weights: weights.right + 4, context: g.paper }[name] - box.x - 10;
        const hints = sub ? [sub] : canEdit(name) ? ["drag or click any number", "drag or click", "drag"] : [];
        const hint = hints.find((words) => textWidth(words, font) <= room) ?? fitText(hints[0] ?? "", font, room);
        text(box.x, g.boxes.queries.bottom + 39, hint, "s");
      };
      under("queries", queries);
      under("scores", scores);
      under("weights", weights);
      under("context", context);
      text(weights.right + 9, queries.bottom + 22, "sum", "s");
      const over = (name, x, y, right) => {
        const [title, sub] = titleOf(name), { font } = theme(el);
        text(x, y, title, `b ${ROLES[name]}`, { style: "font-size:13px" });
        const from = x + textWidth(title, `600 13px ${font}`) + 12;
        if (from + textWidth(sub, `12px ${font}`) <= right) text(from, y, sub, "s");
      };
      over("keys", scores.x, keys.y - g.head - 12, weights.x - 8);
      over("values", values.x, values.y - 12, g.paper);
    }

    // In the free corner, as large as it has room for.
    function formula() {
      const lines = get("formula"), room = g.boxes.scores.x - 14, { font } = theme(el);
      const widest = (size) => Math.max(0, ...lines.map((runs) => textWidth(runs.map(([words]) => words).join(""), `600 ${size}px ${font}`)));
      const size = [16, 15, 14, 13, 12, 11].find((s) => widest(s) <= room) ?? 10;
      lines.forEach((runs, i) => {
        const row = draw("text", { x: 0, y: g.y - 36 - (lines.length - 1 - i) * 26, style: `font-size:${size}px`, class: "formula", "xml:space": "preserve" }, svg);
        for (const [words, role] of runs) draw("tspan", { class: role ? `${role} b` : "" }, row, words);
      });
    }

    // The selected row's weights over their own columns; dashes for the weights to compare with.
    function bars({ look, chosen: [query, key] }) {
      const box = g.boxes.weights, foot = box.y - g.head - 6, high = Math.min(3 * g.h - 18, foot - 24);
      const other = get("other") ? readTable(get, "other") : null;
      line(box.x, foot + 0.5, box.right, foot + 0.5);
      line(box.x, foot - high + 0.5, box.right, foot - high + 0.5, "var(--grid)");
      text(box.x - 7, foot + 4, "0", "s", end);
      text(box.x - 7, foot - high + 4, "1", "s", end);
      for (let k = 0; k < box.columns; k++) {
        if (!allowed(query, k)) continue;
        const [x, wide, tall] = [box.x + (k + 0.2) * g.c, 0.6 * g.c, tables.weights.at(query, k) * high];
        rect(x, foot - tall, wide, tall, { fill: css(look.weights(k === key ? 0.82 : 0.5)) });
        if (!other) continue;
        const y = foot - other.at(query, k) * high + 0.5;
        if (k === key) draw("line", { x1: x - 4, y1: y, x2: x + wide + 4, y2: y, stroke: css(look.page), "stroke-width": 4 }, svg);
        draw("line", { x1: x - 4, y1: y, x2: x + wide + 4, y2: y, stroke: look.ink, "stroke-width": 1.5, "stroke-dasharray": "3 2" }, svg);
      }
      const words = draw("text", { x: box.x, y: foot - high - 10, "xml:space": "preserve" }, svg);
      draw("tspan", { class: "s" }, words, "row ");
      draw("tspan", { class: "query b" }, words, labelOf("query", query));
      if (other) draw("tspan", { class: "s" }, words, `, dashed: ${get("other_name")}`);
    }

    function arrows({ chosen: [query] }) {
      const { scores, weights, context } = g.boxes, y = scores.y + (query + 0.5) * g.h;
      for (const [from, to] of [[scores.right + 8, weights.x - 8], [weights.right + g.sums + 2, context.x - 8]]) {
        draw("path", { class: "line", d: `M${from} ${y}H${to - 1}M${to - 6} ${y - 4.5}l5.5 4.5l-5.5 4.5` }, svg);
      }
      if (!g.narrow) text((scores.right + weights.x) / 2, y - 8, "softmax", "s", { ...middle, style: "font-size:11px" });
    }

    // Under the pointer: the cell, and what it is made of or goes into.
    function lit() {
      if (!hover || drag || !tables[hover.name] || hover.row >= tables[hover.name].rows || hover.column >= tables[hover.name].columns) return;
      const box = g.boxes[hover.name];
      const cell = (b, r, c, rows = 1, columns = 1) => rect(b.x + c * g.c, b.y + r * g.h, columns * g.c, rows * g.h, { class: "under" });
      const { queries, keys, values, weights } = g.boxes;
      if (hover.name === "scores") { cell(queries, hover.row, 0, 1, queries.columns); cell(keys, 0, hover.column, keys.rows); }
      if (hover.name === "context") { cell(weights, hover.row, 0, 1, weights.columns); cell(values, 0, hover.column, values.rows); }
      rect(box.x + hover.column * g.c + 0.5, box.y + hover.row * g.h + 0.5, g.c, g.h, { fill: "none", style: "stroke:var(--ink)", "stroke-width": 1.5 });
    }

    // What belongs to the selected cell, each in the colour of its role; then the cell itself, and the focus.
    function outlines({ look, chosen: [query, key] }) {
      const { queries, keys, scores, weights, values, context } = g.boxes;
      const role = (name, x, y, width, height) => rect(x - 0.5, y - 0.5, width + 2, height + 2, { fill: "none", style: `stroke:var(--${name})`, "stroke-width": 2.5 });
      const row = scores.y + query * g.h;
      role("query", queries.x, row, queries.columns * g.c, g.h);
      role("key", keys.x + key * g.c, keys.y, g.c, keys.rows * g.h);
      role("value", values.x, values.y + key * g.h, values.columns * g.c, g.h);
      role("context", context.x, row, context.columns * g.c, g.h);
      rect(scores.x + key * g.c - 0.5, row - 0.5, g.c + 2, g.h + 2, { fill: "none", stroke: look.ink, "stroke-width": 1.5 });
      const [x, y] = [weights.x + key * g.c, row];
      rect(x + 0.5, y + 0.5, g.c, g.h, { fill: "none", stroke: css(look.page), "stroke-width": 5 });
      rect(x - 0.5, y - 0.5, g.c + 2, g.h + 2, { fill: "none", stroke: look.ink, "stroke-width": 2, rx: 1 });
      if (!figure.matches(":focus-visible")) return;
      const focus = cursor(), box = g.boxes[focus.name];
      rect(box.x + focus.column * g.c - 3.5, box.y + focus.row * g.h - 3.5, g.c + 8, g.h + 8, { fill: "none", stroke: look.brand, "stroke-width": 2.5, rx: 3.5, class: "focus" });
    }

    // --- the arithmetic of the selected cell ---

    const span = (kind, ...inside) => make("span", { class: kind }, ...inside);
    const signed = (x, decimals) => (x < 0 ? `(${number(x, decimals)})` : number(x, decimals));
    const stacked = (kind, upper, lower) => span(kind, make("span", {}, ...upper), make("small", {}, ...lower));
    const plus = (parts) => parts.flatMap((part, i) => (i ? [span("p", "+"), part] : [part]));
    const listed = (numbers) => `(${numbers.join(", ")})`;

    function row(label, expression, result, note) {
      sum.append(span("l", ...label), span("e", ...expression), span("", result.length ? "=" : ""), span("r", ...result), span("n", ...note));
    }

    function arithmetic() {
      const [query, key] = selected();
      const { keys, values, scores, weights, context } = tables;
      const [asks, offers] = [span("query", labelOf("query", query)), span("key", labelOf("key", key))];
      const column = Array.from({ length: keys.rows }, (_, d) => [tables.queries.at(query, d), keys.at(d, key)]);
      const [score, weight] = [scores.at(query, key), weights.at(query, key)];
      sum.replaceChildren();
      if (!allowed(query, key)) {
        row([asks, " · ", offers], ["masked: the score is set to −∞, and e", make("sup", {}, "−∞"), " is nothing"], ["0.00"], ["no weight, nothing added"]);
        return;
      }
      const divisor = get("divisor");
      if (divisor === 0) row(["f(", asks, ", ", offers, ")"], [get("score_name")], [number(score)], ["the score"]);
      else {
        const product = column.reduce((total, [q, k]) => total + q * k, 0);
        const [dq, dk] = [decimalsOf("queries"), decimalsOf("keys")];
        const terms = column.map(([q, k]) => stacked("st big", [span("query", signed(q, dq)), " · ", span("key", signed(k, dk))], [number(q * k)]));
        row([asks, " · ", offers], plus(terms), [number(product)], [divisor === 1 ? "the score" : "the product"]);
        if (divisor !== 1) row([`divide by ${get("divisor_name")}`], [`${number(product)} / ${number(divisor)}`], [number(score)], ["the score"]);
      }
      softmax(query, key, weight);
      const focus = cursor();
      if (["values", "context"].includes(focus.name)) { contextNumber(query, focus.column); return; }
      const value = Array.from({ length: values.columns }, (_, d) => values.at(key, d));
      row(["adds to the context"], [`${number(weight)} ·\u00a0`, span("value", listed(value.map((x) => number(x, decimalsOf("values")))))],
        [span("context", listed(value.map((x) => number(weight * x))))],
        ["of ", span("context", listed(value.map((_, d) => number(context.at(query, d)))))]);
    }

    function softmax(query, key, weight) {
      const { scores, weights } = tables, temperature = get("temperature");
      const visible = Array.from({ length: weights.columns }, (_, k) => k).filter((k) => allowed(query, k));
      const power = (k) => ["e", make("sup", {}, number(scores.at(query, k)), temperature === 1 ? "" : ` / ${number(temperature, 1)}`)];
      const exponential = (k) => Math.exp(scores.at(query, k) / temperature);
      const decimals = Math.max(...visible.map(exponential)) < 1000 ? 2 : 0;
      const part = (k) => stacked(k === key ? "st chosen" : "st", [number(exponential(k), decimals)], power(k));
      row(["softmax share"], [part(key), "\u00a0/\u00a0(\u00a0", ...plus(visible.map(part)), "\u00a0)"], [number(weight)], ["the weight"]);
    }

    // One number of the context, term by term.
    function contextNumber(query, column) {
      const { weights, values, context } = tables;
      const visible = Array.from({ length: weights.columns }, (_, k) => k).filter((k) => allowed(query, k));
      const terms = visible.map((k) => stacked("st", [number(weights.at(query, k)), " · ", span("value", signed(values.at(k, column), decimalsOf("values")))],
        [number(weights.at(query, k) * values.at(k, column))]));
      row([`context, number ${column + 1}`], plus(terms), [span("context", number(context.at(query, column)))], []);
    }

    function writeNumbers() {
      numbers.replaceChildren(...Object.keys(TITLES).map((name) => {
        const table = tables[name];
        const rows = Array.from({ length: table.rows }, (_, r) => make("tr", {}, ...Array.from({ length: table.columns }, (_, c) =>
          make("td", {}, ["scores", "weights"].includes(name) && !allowed(r, c) ? "masked" : number(table.at(r, c), 3)))));
        return make("table", {}, make("caption", { class: ROLES[name] ?? "" }, titleOf(name)[0]), make("tbody", {}, ...rows));
      }));
    }

    watchLook(el, schedule, signal);
    schedule();
  },
};
