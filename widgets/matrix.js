// Matrix, part 3 of 3: what is to be seen, the hand and the keyboard, the text behind the picture.
// Parts: the view (traits -> `v` of the painter), the pen, reading a cell, editing, pointer, keys, table and PNG, render.

const identity = (n) => Array.from({ length: n }, (_, i) => i);
const isOrder = (order, n) => order?.length === n && new Set(order).size === n && order.every((i) => i >= 0 && i < n);
const editName = (panel, query) => (panel ? `${panel}:${query}` : `${query}`);
const same = (a, b) => a.length === b.length && a.every((x, i) => Object.is(x, b[i]));

// A packed array with leading axes of length 1 up to `axes`; its numbers are unpacked once.
const unpacked = new WeakMap();
function unpack(packed, axes) {
  if (!packed) return null;
  if (!unpacked.has(packed)) unpacked.set(packed, floats(packed));
  const shape = [...Array(Math.max(0, axes - packed.shape.length)).fill(1), ...packed.shape];
  return { shape, data: unpacked.get(packed) };
}

// The next of 1, 1.5, 2, 3, 5, 7 times a power of ten: a limit that need not change with every answer.
function niceLimit(data) {
  let most = 0;
  for (const x of data) if (Number.isFinite(x)) most = Math.max(most, Math.abs(x));
  if (!most) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 1.5, 2, 3, 5, 7, 10].find((n) => n * power >= most * 0.999) * power;
}

// The row after one weight was set by hand: the others shrink or grow in proportion, the sum stays 1.
// Where the others are all zero, their proportions are the model's own.
function renormalised(base, own, key, weight, allowed) {
  const total = (row) => row.reduce((sum, x, k) => (k === key || !allowed(k) ? sum : sum + x), 0);
  let others = base;
  if (total(others) < 1e-6) others = own;
  if (total(others) < 1e-6) others = own.map(() => 1);
  const rest = total(others);
  const w = rest ? clamp(weight, 0, 1) : 1;
  return Array.from(others, (x, k) => (k === key ? w : allowed(k) ? (x * (1 - w)) / rest : 0));
}

// Places of a group's members; null where its rows no longer stand together.
function placedGroups(groups, order) {
  return groups.flatMap(([first, stop, name]) => {
    const places = order.flatMap((item, place) => (item >= first && item < stop ? [place] : []));
    const [low, high] = [Math.min(...places), Math.max(...places)];
    return places.length && high - low + 1 === places.length ? [[low, high + 1, String(name)]] : [];
  });
}

// Places of stronger lines: the ends of groups, else around blanks.
function borders(groups, labels, order) {
  if (groups.length) return new Set(groups.flatMap(([first, stop]) => [first, stop]));
  return new Set(order.flatMap((item, place) => (labels[item] === " " ? [place, place + 1] : [])));
}

const special = (x) => (Number.isNaN(x) ? "not a number" : Number.isFinite(x) ? number(x) : x < 0 ? "minus infinite" : "infinite");

class Picture {
  constructor(model, el, signal) {
    Object.assign(this, { model, el, signal, hover: null, drag: null, focus: false, told: "", layoutFor: [], memo: {}, limit: 0, held: false });
    el.classList.add("attnlab", "matrix");
    this.build();
    const { get, schedule } = picture(model, () => this.draw(), signal);
    Object.assign(this, { get, schedule });
    el.attnlab = {
      painted: 0, paintedAt: 0, values: () => this.seen(), geometry: () => this.g,
      cell: (panel, query, key) => this.middle(panel, query, key),
    };
    watchLook(el, () => { this.refreshLook(); schedule(); }, signal);
    this.refreshLook();
    this.listen();
    schedule();
  }

  build() {
    this.canvas = make("canvas", { tabindex: 0, role: "application", "aria-roledescription": "matrix" });
    this.ctx = this.canvas.getContext("2d");
    this.action = make("button", { class: "go action", hidden: true, onclick: () => tell(this.model, { kind: "action" }) });
    this.restore = make("button", { class: "quiet", hidden: true, onclick: () => this.restoreAll() }, "undo");
    this.toggle = make("button", { class: "quiet", "aria-expanded": "false", onclick: () => this.toggleTable() }, "numbers");
    this.copy = make("button", { class: "quiet", "aria-label": "copy the picture as PNG", onclick: () => this.copyPicture() }, "copy");
    this.tools = make("div", { class: "tools" }, this.restore, this.toggle, this.copy);
    this.figure = make("div", { class: "figure" }, this.canvas, this.action, this.tools);
    this.live = make("div", { class: "sr-only", "aria-live": "polite", role: "status" });
    this.table = make("div", { class: "numbers", hidden: true, tabindex: 0, role: "region", "aria-label": "the numbers of the matrix" });
    this.el.append(this.figure, this.table, this.live);
  }

  // --- the pen ---

  refreshLook() {
    this.look = theme(this.el);
    this.layoutFor = [];
    this.memo = {};
  }

  // A value that is made again only when one of its causes changed.
  once(name, causes, build) {
    const known = this.memo[name];
    if (known && same(known.causes, causes)) return known.value;
    const value = build();
    this.memo[name] = { causes, value };
    return value;
  }

  hatch() {
    return this.once("hatch", [this.look, devicePixelRatio], () => {
      const scale = Math.max(1, Math.round(devicePixelRatio * 2));
      const tile = document.createElement("canvas");
      tile.width = tile.height = 6 * scale;
      const pen = tile.getContext("2d");
      pen.fillStyle = this.look.hatch;
      pen.fillRect(0, 0, 1.6 * scale, tile.height);
      const pattern = this.ctx.createPattern(tile, "repeat");
      pattern.setTransform(new DOMMatrix().rotate(45).scale(1 / scale));
      return pattern;
    });
  }

  // One sheet of hatch for all panels, or one a panel, as the mask has it.
  hatched(pen, v, panel) {
    if (!v.mask) return null;
    const own = v.mask.shape[0] > 1 ? panel : 0;
    return this.once(`hatched ${own}`, [v.mask.data, v.rows, v.columns, pen.g], () => hatchedCells(pen, v, own, this.hatch()));
  }

  // One pixel a cell; the painter enlarges it.
  small() {
    return this.once("small", [], () => {
      const canvas = document.createElement("canvas");
      const ctx = canvas.getContext("2d");
      let image = null;
      const picture = (width, height) => {
        if (image?.width !== width || image.height !== height) {
          Object.assign(canvas, { width, height });
          image = ctx.createImageData(width, height);
        }
        return image;
      };
      return { canvas, picture, put: (image) => ctx.putImageData(image, 0, 0) };
    });
  }

  // --- the view: what the traits say is to be seen ---

  view() {
    const { get } = this;
    const values = unpack(get("values"), 4);
    if (!values || values.data.length === 0) return null;
    const [frames, panels, queries, keys] = values.shape;
    const frame = clamp(get("frame"), 0, frames - 1);
    const size = panels * queries * keys;
    const own = this.once("own", [values.data, frame], () => values.data.subarray(frame * size, (frame + 1) * size));
    const edits = get("edits") ?? {};
    const shown = this.once("shown", [own, edits], () => this.withEdits(own, edits, panels, queries, keys));
    const scores = unpack(get("scores"), 4);
    const rows = this.once("rows", [get("query_order"), queries], () => (isOrder(get("query_order"), queries) ? get("query_order") : identity(queries)));
    const columns = this.once("columns", [get("key_order"), keys], () => (isOrder(get("key_order"), keys) ? get("key_order") : identity(keys)));
    const inside = ([p, q, k]) => p >= 0 && p < panels && q < queries && k < keys && (q >= 0 || k >= 0);
    const cell = (c) => (c?.length === 3 && inside(c) ? c : null);
    const selected = cell(get("selected"));
    const hover = cell(this.hover);
    const current = get("current") < queries ? get("current") : -1;
    const scale = get("scale");
    const probabilities = unpack(get("distribution"), 2);
    const v = {
      frames, panels, queries, keys, frame, own, shown, rows, columns, selected, hover, current, scale, edits,
      limit: scale === "scores" ? this.limitOf(get("values"), values.data) : 1,
      scores: scores && scores.data.length === values.data.length ? scores.data.subarray(frame * size, (frame + 1) * size) : null,
      produced: get("produced"), editing: get("editing"), focus: this.focus,
      queryLabels: this.labels("query_labels", queries), keyLabels: this.labels("key_labels", keys),
      queryTitle: shorten(get("query_title"), LONGEST_LABEL), keyTitle: shorten(get("key_title"), LONGEST_LABEL), panelNames: this.panelNames(panels),
      barRow: selected && selected[1] >= 0 ? selected[1] : current,
      distributionTitle: get("distribution_title"), distributionLabels: get("distribution_labels"), distributionChosen: get("distribution_chosen"),
      probabilities: probabilities?.data.subarray(clamp(frame, 0, probabilities.shape[0] - 1) * probabilities.shape[1]),
      frameName: get("frame_names")[frame] ?? "", measure: shorten(get("measure"), LONGEST_LABEL),
      edited: (p, q) => editName(p, q) in edits,
    };
    this.addMask(v, unpack(get("mask"), 3));
    v.queryGroups = this.once("queryGroups", [get("query_groups"), rows], () => placedGroups(get("query_groups"), rows));
    v.keyGroups = this.once("keyGroups", [get("key_groups"), columns], () => placedGroups(get("key_groups"), columns));
    v.queryBorders = this.once("queryBorders", [v.queryGroups, v.queryLabels, rows], () => borders(v.queryGroups, v.queryLabels, rows));
    v.keyBorders = this.once("keyBorders", [v.keyGroups, v.keyLabels, columns], () => borders(v.keyGroups, v.keyLabels, columns));
    v.pointed = hover ?? selected;
    return v;
  }

  labels(name, count) {
    const given = this.get(name);
    return this.once(name, [given, count], () => identity(count).map((i) => (i < given.length ? String(given[i]) : given.length ? "" : String(i + 1))));
  }

  panelNames(panels) {
    const given = this.get("panel_names");
    return this.once("names", [given, panels], () => (panels > 1 || given.length ? identity(panels).map((p) => String(given[p] ?? `${p + 1}`)) : null));
  }

  addMask(v, mask) {
    const fits = mask && mask.shape[1] === v.queries && mask.shape[2] === v.keys && [1, v.panels].includes(mask.shape[0]);
    v.mask = fits ? mask : null;
    const step = fits && mask.shape[0] > 1 ? v.queries * v.keys : 0;
    v.allowed = fits ? (p, q, k) => mask.data[p * step + q * v.keys + k] !== 0 : () => true;
  }

  withEdits(own, edits, panels, queries, keys) {
    if (!Object.keys(edits).length) return own;
    const shown = own.slice();
    for (let p = 0; p < panels; p++) {
      for (let q = 0; q < queries; q++) {
        const row = edits[editName(p, q)];
        if (row?.length === keys) shown.set(row, (p * queries + q) * keys);
      }
    }
    return shown;
  }

  // The scores' limit stands still while a hand is down anywhere on the page.
  limitOf(packed, data) {
    const given = this.get("limit");
    if (given > 0) return given;
    if (!this.held || !this.limit) this.limit = this.once("limit", [packed], () => niceLimit(data));
    return this.limit;
  }

  layout(v) {
    const { get, el, look } = this;
    const ratio = devicePixelRatio || 1;
    const bars = get("row_bars") || (v.panels === 1 && v.keys > 24 && v.keys <= 64);
    const distribution = v.probabilities ? v.distributionLabels : null;
    const causes = [
      el.clientWidth, ratio, look, v.panels, v.queries, v.keys, v.queryLabels, v.keyLabels, v.queryTitle, v.keyTitle,
      v.queryGroups, v.keyGroups, v.panelNames, bars, distribution, Boolean(v.scores), Boolean(get("action")),
    ];
    if (!same(causes, this.layoutFor)) {
      this.layoutFor = causes;
      this.g = matrixLayout({
        width: el.clientWidth || 700, ratio, look, panels: v.panels, queries: v.queries, keys: v.keys,
        queryLabels: v.queryLabels, keyLabels: v.keyLabels, queryTitle: v.queryTitle, keyTitle: v.keyTitle,
        queryGroups: v.queryGroups, keyGroups: v.keyGroups, names: Boolean(v.panelNames), bars, distribution,
        scores: Boolean(v.scores), action: Boolean(get("action")),
      });
      el.dispatchEvent(new CustomEvent("matrix-layout", { bubbles: true })); // who stands on the same columns listens
    }
    return this.g;
  }

  // --- drawing ---

  draw() {
    const start = performance.now();
    const v = this.view();
    this.v = v;
    this.figure.classList.toggle("empty", !v);
    if (!v) { this.canvas.width = this.canvas.height = 1; return; }
    const g = this.layout(v);
    v.read = v.pointed && this.readLines(v, v.pointed);
    this.fitCanvas(g);
    this.canvas.dataset.editing = v.editing;
    this.paint(this.ctx, g, v);
    this.placeTools(g, v);
    this.describe(v);
    if (!this.table.hidden) this.fillTableSoon();
    this.el.attnlab.painted += 1;
    this.el.attnlab.paintedAt = performance.now();
    this.el.attnlab.paintedIn = this.el.attnlab.paintedAt - start;
  }

  fitCanvas(g) {
    const [width, height] = [Math.round(g.width * g.ratio), Math.round(g.height * g.ratio)];
    if (this.canvas.width === width && this.canvas.height === height) return;
    Object.assign(this.canvas, { width, height });
    this.canvas.style.width = `${width / g.ratio}px`;
    this.canvas.style.height = `${height / g.ratio}px`;
  }

  paint(ctx, g, v) {
    const { look } = this;
    const shades = this.once("shades", [look, v.scale], () => palette(look, v.scale));
    const pen = { ctx, g, look, shades, small: this.small(), hatched: (panel) => this.hatched(pen, v, panel) };
    ctx.setTransform(g.ratio, 0, 0, g.ratio, 0, 0);
    ctx.clearRect(0, 0, g.width + 1, g.height + 1);
    ctx.textBaseline = "alphabetic";
    for (let p = 0; p < v.panels; p++) {
      paintCells(pen, v, p);
      paintSpecial(pen, v, p);
      paintGrid(pen, v, p);
      paintNumbers(pen, v, p);
      paintLabels(pen, v, p);
    }
    paintCurrent(pen, v);
    paintHover(pen, v);
    paintSelected(pen, v);
    paintReadout(pen, v);
    paintDistribution(pen, v);
    paintBars(pen, v);
    if (v.frameName && g.beside) write(pen, fitText(v.frameName, `12px ${look.font}`, g.read.width), g.read.x, g.boxes[0].y - 12, { colour: look.ink2 });
  }

  placeTools(g, v) {
    const changed = Object.keys(v.edits).length > 0 || (v.editing === "order" && !(same(v.rows, identity(v.queries)) && same(v.columns, identity(v.keys))));
    const label = this.get("action");
    if (this.action.textContent !== label) this.action.textContent = label;
    hide(this.action, !(label && changed), this.canvas);
    hide(this.restore, !changed, this.canvas);
    const place = [g.aside.x, g.aside.y, g.width, g.height, g.beside];
    if (this.placed && same(place, this.placed)) return;
    this.placed = place;
    this.action.style.left = `${g.aside.x}px`;
    this.action.style.top = `${g.aside.y - 4}px`;
    this.figure.style.width = `${g.width}px`;
    this.figure.classList.toggle("beside", g.beside);
    this.el.style.setProperty("--picw", `${g.width}px`);
  }

  // --- reading ---

  readLines(v, [panel, query, key]) {
    const lines = [];
    if (v.panelNames) lines.push({ name: "panel", text: v.panelNames[panel] });
    if (query >= 0) lines.push({ name: v.measure ? v.queryTitle : "query", text: shownLabel(v.queryLabels[query]), role: "query", mono: this.g.query.single, most: this.g.read.queryLines, after: `row ${query + 1}` });
    if (key >= 0) lines.push({ name: v.measure ? v.keyTitle : "key", text: shownLabel(v.keyLabels[key]), role: "key", mono: this.g.key.single, most: this.g.read.keyLines, after: `column ${key + 1}` });
    return lines.concat(query >= 0 && key >= 0 ? this.cellLines(v, panel, query, key) : this.mostLine(v, panel, query, key));
  }

  cellLines(v, panel, query, key) {
    const at = (panel * v.queries + query) * v.keys + key;
    const masked = !v.allowed(panel, query, key);
    const lines = v.scores ? [{ name: "score", text: masked ? "masked" : special(v.scores[at]) }] : [];
    const changed = v.edited(panel, query) && v.shown[at] !== v.own[at];
    const after = changed ? `was ${special(v.own[at])}` : "";
    return [...lines, { name: v.measure || (v.scale === "weights" ? "weight" : "score"), text: masked ? "masked" : special(v.shown[at]), after }];
  }

  // Of a whole row or column: where its largest value stands.
  mostLine(v, panel, query, key) {
    let [best, most] = [-1, -Infinity];
    for (let i = 0; i < (query >= 0 ? v.keys : v.queries); i++) {
      const [q, k] = query >= 0 ? [query, i] : [i, key];
      const x = v.shown[(panel * v.queries + q) * v.keys + k];
      if (x > most && v.allowed(panel, q, k)) [best, most] = [i, x];
    }
    if (best < 0) return [{ name: "all", text: "masked" }];
    const [label, role] = query >= 0 ? [v.keyLabels[best], "key"] : [v.queryLabels[best], "query"];
    const name = v.measure ? "most" : query >= 0 ? "reads" : "read by";
    return [{ name, text: shownLabel(label), role, mono: this.g[role].single, after: v.measure ? special(most) : `most, ${special(most)}` }];
  }

  describe(v) {
    const cells = `${v.queryTitle} ${v.queries} by ${v.keyTitle} ${v.keys}`;
    const name = `${v.measure || v.scale}: ${v.panels > 1 ? `${v.panels} panels of ` : ""}${cells}. Arrow keys select a cell, Enter its row and column, Escape nothing.${HELP[v.editing] ?? ""}`;
    if (this.canvas.getAttribute("aria-label") !== name) this.canvas.setAttribute("aria-label", name);
    if (!v.selected || !this.spoken(v)) return;
    const words = this.readLines(v, v.selected).map(({ name: what, text, after }) => `${what} ${text}${/^(was|most)/.test(after ?? "") ? `, ${after}` : ""}`).join(", ");
    this.say(words.slice(0, 300));
  }

  // Announced is what this page's hand did, not what the kernel selects by itself.
  spoken() {
    return this.el.contains(document.activeElement);
  }

  say(words) {
    if (words === this.told) return;
    this.told = words;
    this.live.textContent = words;
  }

  seen() {
    const { v } = this;
    return v && { shape: [v.panels, v.queries, v.keys], data: Array.from(v.shown), frame: v.frame, rows: [...v.rows], columns: [...v.columns] };
  }

  middle(panel, query, key) {
    const box = this.g.boxes[panel];
    const rect = this.canvas.getBoundingClientRect();
    const [r, c] = [this.v.rows.indexOf(query), this.v.columns.indexOf(key)];
    return { x: rect.x + box.x + (c + 0.5) * this.g.c, y: rect.y + box.y + (r + 0.5) * this.g.h };
  }

  // --- changing ---

  set(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
    this.schedule();
  }

  select(cell) {
    if (!same(cell, this.get("selected") ?? [])) this.set("selected", cell);
  }

  rowOf(data, panel, query) {
    const start = (panel * this.v.queries + query) * this.v.keys;
    return Array.from(data.subarray(start, start + this.v.keys));
  }

  // Weights by hand; `base` is the row as it was when the hand came.
  setWeight([panel, query, key], weight, base) {
    const { v } = this;
    const own = this.rowOf(v.own, panel, query);
    if (v.scale !== "weights" || !v.allowed(panel, query, key) || !own.every(Number.isFinite)) return;
    const row = renormalised(base, own, key, weight, (k) => v.allowed(panel, query, k));
    this.set("edits", { ...this.get("edits"), [editName(panel, query)]: row });
  }

  nudge(by) {
    const [panel, query, key] = this.v.selected;
    if (query < 0 || key < 0) return;
    const row = this.rowOf(this.v.shown, panel, query);
    this.setWeight([panel, query, key], Math.round((row[key] + by) * 1000) / 1000, row);
  }

  restoreRow() {
    const [panel, query] = this.v.selected;
    const edits = { ...this.get("edits") };
    delete edits[editName(panel, query)];
    this.set("edits", edits);
  }

  restoreAll() {
    if (this.v.editing === "order") { this.set("query_order", []); this.set("key_order", []); }
    if (Object.keys(this.v.edits).length) this.set("edits", {});
    this.canvas.focus();
    this.say("as the model has it");
  }

  maskCopy() {
    const { mask, queries, keys } = this.v;
    return mask ? { shape: [...mask.shape], data: mask.data.slice() } : { shape: [1, queries, keys], data: new Float32Array(queries * keys).fill(1) };
  }

  // Paint cells of a mask copy; `allow` is what they become.
  paintMask(mask, cells, allow) {
    const { queries, keys } = this.v;
    for (const [panel, query, key] of cells) {
      const start = mask.shape[0] > 1 ? panel * queries * keys : 0;
      mask.data[start + query * keys + key] = allow ? 1 : 0;
    }
    this.set("mask", { shape: mask.shape, data: new DataView(mask.data.slice().buffer) });
  }

  move(trait, order, from, to) {
    const next = [...order];
    next.splice(to, 0, ...next.splice(from, 1));
    this.set(trait, next);
  }

  // --- the pointer ---

  listen() {
    const { canvas, signal } = this;
    const on = (target, name, f, more = {}) => target.addEventListener(name, f, { signal, ...more });
    on(window, "pointerdown", () => { this.held = true; }, { capture: true });
    for (const end of ["pointerup", "pointercancel"]) on(window, end, () => { this.held = false; this.schedule(); }, { capture: true });
    on(canvas, "pointerdown", (event) => this.press(event));
    on(canvas, "pointermove", (event) => this.glide(event));
    on(canvas, "pointerup", () => { this.drag = null; });
    on(canvas, "pointercancel", () => this.cancelDrag());
    on(canvas, "pointerleave", () => { this.hover = null; this.schedule(); });
    on(canvas, "dblclick", () => { if (this.v?.editing === "weights" && this.v.selected && this.over === "bars") this.restoreRow(); });
    on(canvas, "focus", () => { this.focus = canvas.matches(":focus-visible"); this.schedule(); });
    on(canvas, "blur", () => { this.focus = false; this.schedule(); });
    ownKeys(this.el, (event) => event.target === canvas && this.v && this.key(event), signal);
  }

  // What lies under the pointer, in items of the data.
  under(event) {
    if (!this.v) return null;
    const rect = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - rect.x, event.clientY - rect.y];
    const hit = hitTest(this.g, x, y);
    if (!hit) return { part: null, x, y };
    const query = hit.part === "bars" ? this.v.barRow : hit.row < 0 ? -1 : this.v.rows[hit.row];
    return { ...hit, x, y, cell: [hit.panel, query, hit.column < 0 ? -1 : this.v.columns[hit.column]] };
  }

  press(event) {
    this.v = this.view();
    const at = this.under(event);
    this.focus = false;
    if (!at?.part || event.button) return;
    const { editing } = this.v;
    this.canvas.setPointerCapture(event.pointerId);
    if (at.part === "cell" && editing === "mask") this.startPainting(at);
    else if (at.part === "bars") this.startBars(at);
    else if (editing === "order" && at.part !== "cell") this.startOrder(at);
    if (at.part !== "bars" || at.cell[1] >= 0) this.select(at.cell);
    this.schedule();
  }

  startPainting(at) {
    const mask = this.maskCopy();
    const allow = !this.v.allowed(...at.cell);
    this.drag = { kind: "mask", mask, allow, last: at, panel: at.panel, before: this.get("mask") };
    this.paintMask(mask, [at.cell], allow);
  }

  startBars(at) {
    const [panel, query] = at.cell;
    if (this.v.editing !== "weights" || query < 0) return;
    this.drag = { kind: "bars", cell: at.cell, base: this.rowOf(this.v.shown, panel, query), before: this.get("edits"), from: at.y };
  }

  startOrder(at) {
    const trait = at.part === "key" ? "key_order" : "query_order";
    this.drag = { kind: "order", trait, panel: at.panel, from: at.part === "key" ? at.column : at.row, before: this.get(trait) };
  }

  glide(event) {
    const at = this.under(event);
    if (!at) return;
    if (this.drag) { this.dragTo(at); return; }
    const hover = at.part === "bars" ? (at.cell[1] < 0 ? null : at.cell) : at.part ? at.cell : null;
    this.over = at.part;
    const editable = { cell: this.v.editing === "mask" ? "crosshair" : "default", bars: this.v.editing === "weights" ? "ns-resize" : "default" };
    const grab = this.v.editing === "order" ? "grab" : "default";
    this.canvas.style.cursor = at.part ? editable[at.part] ?? grab : "default";
    if (hover && this.hover && same(hover, this.hover)) return;
    if (!hover && !this.hover) return;
    this.hover = hover;
    this.schedule();
  }

  dragTo(at) {
    const { drag, g, v } = this;
    if (drag.kind === "mask") {
      if (at.part !== "cell" || at.panel !== drag.panel) return;
      this.paintMask(drag.mask, this.between(drag.last, at), drag.allow);
      drag.last = at;
      this.hover = at.cell;
    } else if (drag.kind === "bars") {
      if (Math.abs(at.y - drag.from) < 3 && !drag.moved) return;
      drag.moved = true;
      const foot = g.boxes[drag.cell[0]].bottom + 24 + BARS;
      this.setWeight(drag.cell, clamp((foot - at.y) / BARS, 0, 1), drag.base);
    } else if (drag.kind === "order") {
      const box = g.boxes[drag.panel];
      const keys = drag.trait === "key_order";
      const to = keys ? clamp(Math.floor((at.x - box.x) / g.c), 0, g.keys - 1) : clamp(Math.floor((at.y - box.y) / g.h), 0, g.queries - 1);
      if (to === drag.from) return;
      this.move(drag.trait, keys ? v.columns : v.rows, drag.from, to);
      drag.from = to;
    }
  }

  // All cells on the way from one to another, so that a fast hand leaves no gaps.
  between(from, to) {
    const steps = Math.max(1, Math.abs(to.row - from.row), Math.abs(to.column - from.column));
    return identity(steps + 1).map((i) => [
      to.panel,
      this.v.rows[Math.round(from.row + ((to.row - from.row) * i) / steps)],
      this.v.columns[Math.round(from.column + ((to.column - from.column) * i) / steps)],
    ]);
  }

  cancelDrag() {
    const { drag } = this;
    this.drag = null;
    const trait = { mask: "mask", bars: "edits", order: drag?.trait }[drag?.kind];
    if (trait) this.set(trait, drag.before);
  }

  // --- the keyboard; returns true where the key was used ---

  key(event) {
    this.v = this.view(); // a second key may come before the first one is painted
    this.focus = true;
    this.schedule();
    if (event.key === "Escape") return this.escape();
    if (event.ctrlKey || event.metaKey) return /^(Home|End)$/.test(event.key) && this.corner(event.key);
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (step) return event.altKey ? this.reorder(...step) : this.step(...step);
    if (event.altKey) return false;
    if (event.key === "Home" || event.key === "End") return this.rowEnd(event.key);
    const { editing, selected } = this.v;
    if (!selected) return event.key === "Enter" && this.step(0, 0);
    if (editing === "mask" && (event.key === "Enter" || event.key === " ")) return this.toggleMask();
    if (editing === "weights" && this.weightKey(event.key)) return true;
    if (event.key === "PageUp" || event.key === "PageDown") return this.step(event.key === "PageUp" ? -10 : 10, 0);
    return event.key === "Enter" && this.widen();
  }

  escape() {
    if (this.drag) { this.cancelDrag(); return true; }
    if (!this.v.selected) return false;
    this.select([]);
    this.say("nothing selected");
    return true;
  }

  // A step on the screen; at the side of a panel it goes over to the next one.
  step(down, across) {
    const { v } = this;
    if (!v.selected) { this.select([0, v.current >= 0 ? v.current : v.rows[0], v.columns[0]]); return true; }
    let [panel, query, key] = v.selected;
    if (query >= 0) query = v.rows[clamp(v.rows.indexOf(query) + down, 0, v.queries - 1)];
    if (key >= 0) {
      let c = v.columns.indexOf(key) + across;
      if (c < 0 && panel > 0) { panel -= 1; c = v.keys - 1; }
      else if (c >= v.keys && panel < v.panels - 1) { panel += 1; c = 0; }
      key = v.columns[clamp(c, 0, v.keys - 1)];
    }
    this.select([panel, query, key]);
    return true;
  }

  rowEnd(which) {
    const [panel, query] = this.v.selected ?? [0, this.v.rows[0]];
    this.select([panel, query < 0 ? this.v.rows[0] : query, which === "Home" ? this.v.columns[0] : this.v.columns.at(-1)]);
    return true;
  }

  corner(which) {
    const panel = this.v.selected?.[0] ?? 0;
    this.select(which === "Home" ? [panel, this.v.rows[0], this.v.columns[0]] : [panel, this.v.rows.at(-1), this.v.columns.at(-1)]);
    return true;
  }

  // Enter widens the cell to its row, then to its column, then back to the cell.
  widen() {
    const [panel, query, key] = this.v.selected;
    if (query >= 0 && key >= 0) { this.cell = [panel, query, key]; this.select([panel, query, -1]); }
    else if (key < 0 && this.cell) this.select([panel, -1, this.cell[2]]);
    else this.select(this.cell ?? [panel, Math.max(query, 0), Math.max(key, 0)]);
    return true;
  }

  toggleMask() {
    const [panel, query, key] = this.v.selected;
    if (query < 0 || key < 0) return true;
    this.paintMask(this.maskCopy(), [[panel, query, key]], !this.v.allowed(panel, query, key));
    return true;
  }

  weightKey(key) {
    const by = { "+": 0.05, "=": 0.05, "-": -0.05, "−": -0.05, PageUp: 0.2, PageDown: -0.2 }[key];
    if (by) this.nudge(by);
    else if (key === "Delete" || key === "Backspace") this.restoreRow();
    else return false;
    return true;
  }

  reorder(down, across) {
    const { v } = this;
    if (v.editing !== "order" || !v.selected) return false;
    const [, query, key] = v.selected;
    const [trait, order, item, by] = down ? ["query_order", v.rows, query, down] : ["key_order", v.columns, key, across];
    const from = order.indexOf(item);
    const to = clamp(from + by, 0, order.length - 1);
    if (from >= 0 && to !== from) {
      this.move(trait, order, from, to);
      this.say(`${down ? "row" : "column"} moved to place ${to + 1}`);
    }
    return true;
  }

  // --- the text behind the picture, and the picture for the clipboard ---

  toggleTable() {
    this.table.hidden = !this.table.hidden;
    this.toggle.setAttribute("aria-expanded", String(!this.table.hidden));
    if (!this.table.hidden) this.fillTable();
  }

  // A slider's film need not write the table at every picture.
  fillTableSoon() {
    clearTimeout(this.later);
    this.later = setTimeout(() => { if (!this.signal.aborted && !this.table.hidden) this.fillTable(); }, 150);
  }

  fillTable() {
    const { v } = this;
    if (!v) return;
    const name = (text) => make("bdi", {}, shownLabel(text));
    const tables = identity(v.panels).map((p) => {
      const head = make("tr", {}, make("th", { scope: "col" }, `${v.queryTitle} \\ ${v.keyTitle}`), ...v.columns.map((k) => make("th", { scope: "col" }, name(v.keyLabels[k]))));
      const rows = v.rows.map((q) => make("tr", {}, make("th", { scope: "row" }, name(v.queryLabels[q])), ...v.columns.map((k) => {
        const masked = !v.allowed(p, q, k);
        return make("td", {}, masked ? "masked" : number(v.shown[(p * v.queries + q) * v.keys + k]));
      })));
      return make("table", {}, make("caption", {}, v.panelNames ? `${v.measure || v.scale}, ${v.panelNames[p]}` : v.measure || v.scale), make("thead", {}, head), make("tbody", {}, ...rows));
    });
    this.table.replaceChildren(...tables);
  }

  async copyPicture() {
    const { v, g } = this;
    if (!v) return;
    const sheet = document.createElement("canvas");
    Object.assign(sheet, { width: this.canvas.width, height: this.canvas.height });
    const ctx = sheet.getContext("2d");
    ctx.fillStyle = css(this.look.page);
    ctx.fillRect(0, 0, sheet.width, sheet.height);
    ctx.drawImage(this.canvas, 0, 0);
    const blob = await new Promise((done) => sheet.toBlob(done, "image/png"));
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
      this.say("copied as PNG");
    } catch {
      const link = make("a", { href: URL.createObjectURL(blob), download: `matrix-${g.queries}x${g.keys}.png` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      this.say("saved as PNG");
    }
    this.copy.textContent = this.told.startsWith("copied") ? "copied" : "saved";
    setTimeout(() => { this.copy.textContent = "copy"; }, 1500);
  }
}

const HELP = {
  mask: " Space masks and unmasks the cell.",
  weights: " Plus and minus change the weight, Delete restores the row.",
  order: " Alt and an arrow key move the row or the column.",
};

export default {
  render({ model, el, signal }) {
    new Picture(model, el, signal);
  },
};
