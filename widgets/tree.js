// Tree: an SVG of one beam search. Every place in it comes from the kernel (`y`) or from the step; tokens are text nodes.

const SVG = "http://www.w3.org/2000/svg";
const TOP = 30, START = 64, EDGE = 24, END = 16, TEXT_SIZE = 13, ENOUGH = 92;
const BELOW = { kept: 25, dropped: 11, finished: 41, greedy: 41 };  // as in tree.py

function draw(tag, attributes, parent, text) {
  const el = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) el.setAttribute(name, value);
  if (text !== undefined) el.textContent = text;
  parent?.append(el);
  return el;
}

const ordinal = (n) => (n === 1 ? "best" : `${n}${n % 100 - n % 10 === 10 ? "th" : ["th", "st", "nd", "rd"][n % 10] ?? "th"} best`);
const brief = (token, length) => (token.length > length ? `${token.slice(0, length)}…` : visible(token));
const logOf = (node) => node?.log_probability ?? -Infinity;

// What the nodes mean together: parents, children, ranks, which paths live on, what each hypothesis says.
function readTree(get) {
  const all = get("nodes");
  const last = Math.max(0, ...all.map((n) => n.step));
  const step = get("step") < 0 ? last : Math.min(get("step"), last);
  const byId = new Map(all.map((n) => [n.id, n]));
  const shown = all.filter((n) => n.step <= step);
  const columns = Array.from({ length: last + 1 }, () => []);
  for (const n of all) columns[n.step].push(n);
  for (const column of columns) column.sort((a, b) => a.y - b.y);
  const path = (id) => { const out = []; for (let n = byId.get(id); n; n = byId.get(n.parent)) out.unshift(n); return out; };
  const ids = (nodes) => new Set(nodes.map((n) => n.id));
  const tips = shown.filter((n) => n.status === "finished" || (n.status === "kept" && n.step === step));
  const alive = ids(tips.flatMap((n) => path(n.id)));
  const text = (id) => path(id).filter((n) => n.token !== get("end")).map((n) => n.token).join(get("separator"));
  const parentLog = (n) => (n.parent < 0 ? 0 : logOf(byId.get(n.parent)));
  return {
    all, last, step, byId, shown, columns, path, alive, text,
    best: ids(path(get("best"))), greedy: new Set(get("greedy")),
    parentLog, probability: (n) => (n.log_probability === null ? 0 : Math.exp(n.log_probability - parentLog(n))),
    children: (id) => shown.filter((n) => n.parent === id).sort((a, b) => logOf(b) - logOf(a)),
  };
}

// Why a node is where it is, in words.
function reason(tree, node) {
  const place = `step ${node.step}`;
  const candidates = tree.columns[node.step].filter((n) => n.status !== "greedy");
  const rank = 1 + candidates.filter((n) => logOf(n) > logOf(node)).length;
  const through = candidates.filter((n) => n.status !== "dropped");
  if (node.status === "greedy") return "never seen by the beam: greedy search went on here alone";
  if (node.status === "finished") return `finished: it leaves the beam with its end mark, the ${ordinal(rank)} of ${place}`;
  if (node.status === "kept") {
    const ended = tree.step > node.step && !tree.alive.has(node.id);
    return `kept: the ${ordinal(rank)} of ${place}${ended ? "; later all that follows from it was dropped" : ""}`;
  }
  const worst = number(Math.min(...through.map(logOf)));
  const gone = tree.all.filter((n) => n.status === "finished" && n.step < node.step).length;
  const free = `${gone ? "still free " : ""}place`;
  return through.length === 1 ? `dropped: ${place} had 1 ${free} in the beam, and a better one took it, with ${worst}`
    : `dropped: ${place} had ${through.length} ${free}s in the beam, and better ones took them, the last with ${worst}`;
}

function announcement(tree, node) {
  const parts = [brief(node.token, 60), `step ${node.step}`, node.status,
    `probability ${number(tree.probability(node))}`, `log-probability ${number(logOf(node))}`];
  if (node.status === "finished") parts.push(`score ${number(node.score)}`);
  if (tree.best.has(node.id)) parts.push("on the best path");
  if (tree.greedy.has(node.id)) parts.push("on the greedy path");
  return parts.join(", ");
}

export default {
  render({ model, el, signal }) {
    el.classList.add("attnlab", "attnlab-tree");
    const uid = `tree-${Math.random().toString(36).slice(2)}`;
    const scroller = make("div", { class: "scroller" });
    const label = "beam search: arrows move along the tree";
    const svg = draw("svg", { role: "tree", tabindex: 0, "aria-label": label }, scroller);
    const said = make("div", { class: "says" });
    const facts = make("div", { class: "facts" });
    const why = make("div", { class: "why" });
    const live = make("div", { class: "sr-only", "aria-live": "polite" });
    const table = make("div", { class: "numbers", role: "region", "aria-label": "all hypotheses", tabindex: 0, hidden: true });
    const toggle = make("button", { class: "quiet", type: "button", "aria-expanded": "false", onclick: () => {
      table.hidden = !table.hidden;
      toggle.setAttribute("aria-expanded", String(!table.hidden));
      schedule();
    } }, "numbers");
    el.append(scroller, make("div", { class: "readout" }, make("div", {}, said, facts, why), toggle), table, live);

    let hovered = -1, tree = null, seenStep = -1;
    const { get, schedule } = picture(model, paint, signal);
    const measure = document.createElement("canvas").getContext("2d");

    function choose(id) {
      model.set("selected", id);
      model.save_changes();
      const node = tree.byId.get(id);
      live.textContent = node ? `${announcement(tree, node)}. ${reason(tree, node)}` : "start";
      svg.querySelector(`[data-id="${id}"]`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
      schedule();
    }

    const current = () => { const id = get("selected"); return tree.byId.get(id)?.step <= tree.step ? id : -1; };

    ownKeys(svg, (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return false;
      const node = tree.byId.get(current());
      const column = node ? tree.columns[node.step] : [];
      const beside = (by) => column[clamp(column.indexOf(node) + by, 0, column.length - 1)]?.id ?? -1;
      const moves = {
        ArrowRight: () => tree.children(node?.id ?? -1)[0]?.id ?? node?.id ?? -1,
        ArrowLeft: () => node?.parent ?? -1,
        ArrowUp: () => beside(-1), ArrowDown: () => beside(1),
        Home: () => -1, End: () => [...tree.best].at(-1) ?? -1, Escape: () => -1,
      };
      if (!moves[event.key]) return false;
      choose(moves[event.key]());
      return true;
    }, signal);
    const idOf = (target) => Number(target.closest?.("[data-id]")?.dataset.id ?? -1);
    const press = (id) => choose(id === get("selected") ? -1 : id);
    // A picture drawn between press and release replaces what was pressed, and then the browser makes no click of them.
    let pressed = null;
    svg.addEventListener("pointerdown", ({ button, clientX, clientY }) => {
      pressed = button ? null : [clientX, clientY];
    }, { signal });
    svg.addEventListener("pointerup", ({ target, clientX, clientY }) => {
      if (pressed && Math.hypot(clientX - pressed[0], clientY - pressed[1]) < 6) press(idOf(target));
      pressed = null;
    }, { signal });
    // A screen reader presses without a pointer.
    svg.addEventListener("click", ({ detail, target }) => { if (detail === 0) press(idOf(target)); }, { signal });
    svg.addEventListener("pointermove", ({ target }) => hover(idOf(target)), { signal });
    svg.addEventListener("pointerleave", () => hover(-1), { signal });
    function hover(id) { if (id !== hovered) { hovered = id; schedule(); } }

    // A column is as wide as its words ask, as long as all columns fit; under that it stays readable and scrolls.
    function widths(th) {
      const space = Math.max(0, el.clientWidth) - START - END - 4;
      const words = tree.all.filter((n) => n.status === "kept" || n.status === "greedy");
      const asked = 20 + Math.max(36, ...words.map((n) => textWidth(visible(n.token), TEXT_SIZE, th)));
      const column = clamp(Math.floor(space / Math.max(1, tree.last)), Math.min(asked, ENOUGH), 150);
      return { column, rail: clamp(column - EDGE - 8, 28, 96) };
    }

    function textWidth(text, size, th, bold) {
      measure.font = `${bold ? 600 : 400} ${size}px ${th.font}`;
      return measure.measureText(text.slice(0, 200)).width;
    }

    function shorten(text, width, size, th, bold) {
      if (textWidth(text, size, th, bold) <= width && text.length <= 200) return text;
      const letters = [...text.slice(0, 200)];
      while (letters.length > 1 && textWidth(letters.join("") + "…", size, th, bold) > width) letters.pop();
      return letters.join("") + "…";
    }

    function paint() {
      const th = theme(el);
      tree = readTree(get);
      const { column, rail } = widths(th);
      const more = (step) => get("more")[step - 1] ?? 0;
      const foot = (nodes) => Math.max(0, ...nodes.map((n) => n.y + BELOW[n.status]));
      const height = TOP + Math.max(60, foot(tree.all) + 4, ...tree.columns.map((nodes, step) => more(step) && foot(nodes) + 18));
      const width = START + tree.last * column + END;
      const left = (step) => START + (step - 1) * column + EDGE;
      const at = (n) => ({ x: left(n.step), y: TOP + n.y });
      const start = { x: START, y: TOP + (tree.columns[1]?.[0]?.y ?? height / 2 - TOP) };
      const focus = current(), lit = new Set(tree.path(hovered >= 0 ? hovered : focus).map((n) => n.id));

      svg.replaceChildren();
      const size = { width, height, viewBox: `0 0 ${width} ${height}` };
      for (const [name, value] of Object.entries(size)) svg.setAttribute(name, value);
      const lines = draw("g", { "aria-hidden": "true" }, svg);
      for (let step = 1; step <= tree.last; step++) {
        const now = step === tree.step ? " now" : "";
        draw("text", { x: left(step), y: 14, class: `head${now}` }, lines, step === 1 ? "step 1" : step);
        if (more(step) > 0 && step <= tree.step) {
          draw("text", { x: left(step), y: TOP + foot(tree.columns[step]) + 12, class: "more" }, lines, `${more(step)} more`);
        }
      }
      const depth = (n) => (tree.best.has(n.id) ? 2 : tree.alive.has(n.id) ? 1 : 0);
      for (const n of [...tree.shown].sort((a, b) => depth(a) - depth(b))) {
        const parent = tree.byId.get(n.parent);
        edge(n, th, parent ? { x: at(parent).x + rail, y: at(parent).y } : start, at(n), rail, lines);
      }
      root(th, start.y, focus);
      for (const n of tree.shown) nodeMark(n, th, at(n), column, rail, focus, lit);
      svg.setAttribute("aria-activedescendant", `${uid}-${focus}`);
      const seen = tree.byId.get(hovered)?.step <= tree.step ? hovered : focus;
      readOut(tree.byId.get(seen) ?? tree.byId.get([...tree.best].at(-1)), th);
      if (!table.hidden) writeTable();
      if (seenStep !== tree.step) { seenStep = tree.step; if (get("step") >= 0) follow(column); }
    }

    // From the end of the parent's line to the node, and on along the node's own line; greedy search runs below it.
    function edge(n, th, from, to, rail, parent) {
      const best = tree.best.has(n.id), alive = tree.alive.has(n.id), dropped = n.status === "dropped";
      const bend = (to.x - from.x) * 0.6;
      const curve = (shift, end) => {
        const [y1, y2] = [from.y + shift, to.y + shift];
        return `M${from.x} ${y1}C${from.x + bend} ${y1} ${to.x - bend} ${y2} ${to.x} ${y2}H${to.x + end}`;
      };
      if (n.status !== "greedy") {
        draw("path", { d: curve(0, dropped ? 5 : rail), class: "edge", stroke: best ? th.mark.query : th.ink,
          "stroke-width": best ? 3 : alive ? 1.5 : 1, "stroke-opacity": best ? 1 : alive ? 0.45 : 0.2 }, parent);
      }
      if (tree.greedy.has(n.id)) {
        const end = dropped && !tree.children(n.id).length ? 5 : rail;
        draw("path", { d: curve(4.5, end), class: "edge greedy", stroke: th.ink }, parent);
      }
    }

    // The step that is unrolled stays in sight.
    function follow(column) {
      const right = START + tree.step * column + END, { scrollLeft, clientWidth } = scroller;
      if (right > scrollLeft + clientWidth || right - column < scrollLeft) scroller.scrollLeft = right - clientWidth;
    }

    function root(th, y, focus) {
      const best = tree.best.size > 0;
      const g = draw("g", { role: "treeitem", id: `${uid}--1`, "data-id": -1, "aria-level": 1, "aria-label": "start" }, svg);
      draw("path", { d: `M8 ${y}H${START}`, class: "edge", stroke: best ? th.mark.query : th.ink,
        "stroke-width": best ? 3 : 1.5, "stroke-opacity": best ? 1 : 0.45 }, g);
      draw("text", { x: 8, y: y - 8, class: best ? "name query" : "name" }, g, best ? "best" : "start");
      if (focus < 0) draw("rect", { x: 2, y: y - 24, width: START - 4, height: 50, rx: 4, class: "ring" }, g);
      if (tree.greedy.size) {
        draw("path", { d: `M8 ${y + 4.5}H${START}`, class: "edge greedy", stroke: th.ink }, g);
        draw("text", { x: 8, y: y + 20, class: "name" }, g, "greedy");
      }
    }

    function nodeMark(n, th, { x, y }, column, rail, focus, lit) {
      const best = tree.best.has(n.id), alive = tree.alive.has(n.id), bold = best || lit.has(n.id);
      const ends = n.status === "finished" || (n.status === "greedy" && n.token === get("end"));
      const g = draw("g", { role: "treeitem", id: `${uid}-${n.id}`, "data-id": n.id, "aria-level": n.step + 1,
        "aria-selected": String(n.id === focus), "aria-label": announcement(tree, n),
        class: `node ${n.status}${best ? " best" : ""}${alive ? " alive" : ""}${bold ? " bold" : ""}` }, svg);
      const [left, top, width, height] = n.status === "dropped" ? [x - 2, y - 11, column - EDGE + 4, 22]
        : [x - 4, y - 22, rail + 8, ends ? 61 : 45];
      draw("rect", { x: left, y: top, width, height, rx: 2, class: n.id === hovered ? "hit lit" : "hit" }, g);
      if (n.id === focus) {
        draw("rect", { x: left + 1, y: top + 1, width: width - 2, height: height - 2, rx: 2, class: "chosen" }, g);
        draw("rect", { x: left - 2, y: top - 2, width: width + 4, height: height + 4, rx: 4, class: "ring" }, g);
      }
      const value = number(logOf(n));
      if (n.status === "dropped") {
        const space = column - EDGE - 12;
        const word = shorten(visible(n.token), space, 12, th, bold), wide = textWidth(word, 12, th, bold) + 6;
        draw("path", { d: `M${x + 5} ${y - 4}V${y + 4}`, class: "edge stop", stroke: th.ink }, g);
        const line = y + (tree.children(n.id).length ? -3 : 4);  // greedy search goes on below the word
        draw("text", { x: x + 11, y: line, class: "token" }, g, word);
        if (wide + textWidth(value, 11, th) <= space) draw("text", { x: x + 11 + wide, y: line, class: "value" }, g, value);
        return;
      }
      if (n.status !== "greedy") {
        const fill = best ? th.mark.query : css(th.weights(alive ? 0.5 : 0.3));
        draw("rect", { x, y: y - 3, width: Math.max(1, clamp(tree.probability(n), 0, 1) * rail), height: 6, fill }, g);
      }
      const word = shorten(visible(n.token), column - (ends ? 4 : EDGE / 2), TEXT_SIZE, th, bold);
      draw("text", { x, y: y - 8, class: "token" }, g, word);
      draw("text", { x, y: y + 18, class: "value" }, g, value);
      if (!ends) return;
      const look = n.status === "greedy" ? { fill: css(th.page), stroke: th.ink2, "stroke-width": 1.5 }
        : { fill: best ? th.mark.query : th.ink2 };
      draw("rect", { x: x + rail - 5, y: y - 5, width: 10, height: 10, class: "end", ...look }, g);
      const named = `score ${number(n.score)}`, fits = textWidth(named, 12, th, true) <= column - EDGE / 2;
      draw("text", { x, y: y + 34, class: "score" }, g, fits ? named : number(n.score));
    }

    const hint = (...words) => make("span", { class: "hint" }, ...words);

    // Always three lines: the picture must not jump when the hand moves over it.
    function readOut(node, th) {
      if (!node) { for (const line of [said, facts, why]) line.replaceChildren(); return; }
      const ends = node.token === get("end"), own = ends ? "" : brief(node.token, 60);
      let before = tree.text(node.parent).slice(-400) + (own && node.parent >= 0 ? get("separator") : "");
      const space = said.clientWidth - 180 - textWidth(own, 15, th, true);
      if (textWidth(before, 15, th) > space) {
        while (before.length > 1 && textWidth(`…${before}`, 15, th) > space) before = before.slice(1);
        before = `…${before}`;
      }
      said.replaceChildren(hint("text so far "), before, make("b", {}, own), ends ? hint(` then ${brief(node.token, 60)}`) : "");
      const p = number(tree.probability(node)), log = number(logOf(node)), penalty = get("length_penalty");
      const sum = node.step > 1 ? `= ${number(tree.parentLog(node))} + log ${p}` : `= log ${p}`;
      const power = penalty === 0 ? [] : [` / ${node.step}`, penalty === 1 ? "" : make("sup", {}, number(penalty, 1))];
      const fact = (name, value, ...how) => make("span", {}, hint(`${name} `), make("b", {}, value), hint(" ", ...how));
      facts.replaceChildren(
        fact("probability", p, `of ${brief(node.token, 14)}`),
        fact("log-probability", log, sum),
        fact("score", number(node.score ?? -Infinity), `= ${log}`, ...power));
      why.textContent = reason(tree, node);
    }

    function writeTable() {
      const names = ["step", "text so far", "token", "probability", "log-probability", "score", ""];
      const head = make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name)));
      const kinds = (n) => [n.status, tree.best.has(n.id) && "best", tree.greedy.has(n.id) && n.status !== "greedy" && "greedy"];
      const cells = (n) => [n.step, tree.text(n.id).slice(-200), brief(n.token, 60), number(tree.probability(n)), number(logOf(n)),
        number(n.score ?? -Infinity), kinds(n).filter(Boolean).join(", ")];
      const rows = [...tree.shown].sort((a, b) => a.step - b.step || logOf(b) - logOf(a));
      const body = rows.map((n) => make("tr", { class: n.status }, ...cells(n).map((cell) => make("td", {}, String(cell)))));
      table.replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)));
    }

    watchLook(el, schedule, signal);
    schedule();
  },
};
