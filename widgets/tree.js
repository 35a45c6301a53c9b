// Tree: an SVG of one beam search. Every place in it comes from the kernel (`y`) or from the step; tokens are text nodes.

const SVG = "http://www.w3.org/2000/svg";
const TOP = 30, START = 64, EDGE = 24, END = 16, TEXT_SIZE = 13, ENOUGH = 92;

function draw(tag, attributes, parent, text) {
  const el = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) el.setAttribute(name, value);
  if (text !== undefined) el.textContent = text;
  parent?.append(el);
  return el;
}

const ordinal = (n) => (n === 1 ? "best" : `${n}${n % 100 - n % 10 === 10 ? "th" : ["th", "st", "nd", "rd"][n % 10] ?? "th"} best`);
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
  const alive = ids(shown.filter((n) => n.status === "finished" || (n.status === "kept" && n.step === step)).flatMap((n) => path(n.id)));
  const text = (id) => path(id).filter((n) => n.token !== get("end")).map((n) => n.token).join(get("separator"));
  return {
    all, last, step, byId, shown, columns, path, alive, text,
    best: ids(path(get("best"))), greedy: new Set(get("greedy")),
    parentLog: (n) => (n.parent < 0 ? 0 : logOf(byId.get(n.parent))),
    probability: (n) => (n.log_probability === null ? 0 : Math.exp(n.log_probability - (n.parent < 0 ? 0 : logOf(byId.get(n.parent))))),
    children: (id) => shown.filter((n) => n.parent === id).sort((a, b) => logOf(b) - logOf(a)),
  };
}

// Why a node is where it is, in words.
function reason(tree, node) {
  const candidates = tree.columns[node.step].filter((n) => n.status !== "greedy");
  const rank = 1 + candidates.filter((n) => logOf(n) > logOf(node)).length;
  const through = candidates.filter((n) => n.status !== "dropped");
  if (node.status === "greedy") return "never seen by the beam: greedy search went on here alone";
  if (node.status === "finished") return `finished: it leaves the beam with its end mark, the ${ordinal(rank)} of step ${node.step}`;
  if (node.status === "kept") {
    const ended = tree.step > node.step && !tree.alive.has(node.id);
    return `kept: the ${ordinal(rank)} of step ${node.step}${ended ? "; later all that follows from it was dropped" : ""}`;
  }
  const worst = number(Math.min(...through.map(logOf)));
  const gone = tree.all.filter((n) => n.status === "finished" && n.step < node.step).length;
  const places = `${through.length} ${gone ? "still free " : ""}place${through.length === 1 ? "" : "s"}`;
  return `dropped: step ${node.step} had ${places} in the beam, and better ones took ${through.length === 1 ? "it" : "them"}, the last with ${worst}`;
}

function announcement(tree, node, get) {
  const parts = [visible(node.token), `step ${node.step}`, node.status,
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
    const svg = draw("svg", { role: "tree", tabindex: 0, "aria-label": "beam search: arrows move along the tree" }, scroller);
    const said = make("div", { class: "says" });
    const facts = make("div", { class: "facts" });
    const why = make("div", { class: "why" });
    const live = make("div", { class: "sr-only", "aria-live": "polite" });
    const table = make("div", { class: "numbers", hidden: true, tabindex: 0, role: "region", "aria-label": "all hypotheses" });
    const toggle = make("button", { class: "quiet", type: "button", "aria-expanded": "false", onclick: () => {
      table.hidden = !table.hidden;
      toggle.setAttribute("aria-expanded", String(!table.hidden));
      schedule();
    } }, "numbers");
    el.append(scroller, make("div", { class: "readout" }, make("div", {}, said, facts, why), toggle), table, live);

    let hovered = -1, tree = null, seenStep = -1;
    const { get, schedule } = picture(model, paint, signal);
    const measure = document.createElement("canvas").getContext("2d");

    function choose(id, speak) {
      model.set("selected", id);
      model.save_changes();
      const node = tree.byId.get(id);
      if (speak) live.textContent = node ? `${announcement(tree, node, get)}. ${reason(tree, node)}` : "start";
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
      choose(moves[event.key](), true);
      return true;
    }, signal);
    svg.addEventListener("click", (event) => {
      const id = Number(event.target.closest("[data-id]")?.dataset.id ?? -1);
      choose(id === get("selected") ? -1 : id, true);
    }, { signal });
    svg.addEventListener("pointermove", (event) => hover(Number(event.target.closest("[data-id]")?.dataset.id ?? -1)), { signal });
    svg.addEventListener("pointerleave", () => hover(-1), { signal });
    function hover(id) { if (id !== hovered) { hovered = id; schedule(); } }

    // A column is as wide as its words ask, as long as all columns fit; under that it stays readable and scrolls.
    function widths(th) {
      const space = Math.max(0, el.clientWidth) - START - END - 4;
      const words = tree.all.filter((n) => n.status === "kept" || n.status === "greedy").map((n) => textWidth(visible(n.token), TEXT_SIZE, th));
      const asked = Math.max(36, ...words) + 20;
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
      const under = { kept: 25, dropped: 11, finished: 41, greedy: 41 };
      const height = TOP + Math.max(60, ...tree.all.map((n) => n.y + under[n.status] + (get("more")[n.step - 1] > 0 ? 18 : 4)));
      const width = START + tree.last * column + END;
      svg.replaceChildren();
      for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) svg.setAttribute(name, value);
      const startY = TOP + (tree.columns[1]?.[0]?.y ?? height / 2 - TOP);
      const at = (n) => ({ x: START + (n.step - 1) * column + EDGE, y: TOP + n.y });
      const exit = (id) => (tree.byId.has(id) ? { x: at(tree.byId.get(id)).x + rail, y: at(tree.byId.get(id)).y } : { x: START, y: startY });
      const curve = (n, shift, end) => {
        const from = exit(n.parent), to = at(n), bend = (to.x - from.x) * 0.6;
        return `M${from.x} ${from.y + shift}C${from.x + bend} ${from.y + shift} ${to.x - bend} ${to.y + shift} ${to.x} ${to.y + shift}H${to.x + end}`;
      };
      const focus = current(), lit = new Set(tree.path(hovered >= 0 ? hovered : focus).map((n) => n.id));

      for (let s = 1; s <= tree.last; s++) {
        draw("text", { x: START + (s - 1) * column + EDGE, y: 14, class: s === tree.step ? "head now" : "head" }, svg, s === 1 ? "step 1" : s);
      }
      tree.columns.slice(1, tree.step + 1).forEach((nodes, i) => {
        const more = get("more")[i], foot = Math.max(...nodes.map((n) => n.y + under[n.status]));
        if (more > 0) draw("text", { x: START + i * column + EDGE, y: TOP + foot + 12, class: "more" }, svg, `${more} more`);
      });
      const edges = draw("g", { "aria-hidden": "true" }, svg);
      const order = (n) => (tree.best.has(n.id) ? 2 : tree.alive.has(n.id) ? 1 : 0);
      for (const n of [...tree.shown].sort((a, b) => order(a) - order(b))) {
        const best = tree.best.has(n.id), alive = tree.alive.has(n.id);
        const end = n.status === "dropped" ? 5 : rail;
        if (n.status !== "greedy") {
          draw("path", { d: curve(n, 0, end), class: "edge", stroke: best ? th.mark.query : th.ink,
            "stroke-width": best ? 3 : alive ? 1.5 : 1, "stroke-opacity": best ? 1 : alive ? 0.45 : 0.2 }, edges);
        }
        if (tree.greedy.has(n.id)) draw("path", { d: curve(n, 4.5, n.status === "dropped" && !tree.children(n.id).length ? end : rail), class: "edge greedy", stroke: th.ink }, edges);
      }
      root(th, startY);
      for (const n of tree.shown) nodeMark(n, th, at(n), column, rail, focus, lit);
      svg.setAttribute("aria-activedescendant", `${uid}-${focus}`);
      readOut(tree.byId.get(hovered >= 0 && tree.byId.get(hovered)?.step <= tree.step ? hovered : focus) ?? tree.byId.get([...tree.best].at(-1)));
      if (!table.hidden) writeTable();
      if (seenStep !== tree.step) { seenStep = tree.step; if (get("step") >= 0) follow(column); }
    }

    // The step that is unrolled stays in sight.
    function follow(column) {
      const right = START + tree.step * column + END;
      if (right > scroller.scrollLeft + scroller.clientWidth || right - column < scroller.scrollLeft) scroller.scrollLeft = right - scroller.clientWidth;
    }

    function root(th, y) {
      const g = draw("g", { role: "treeitem", id: `${uid}--1`, "data-id": -1, "aria-level": 1, "aria-label": "start" }, svg);
      if (tree.best.size) draw("path", { d: `M8 ${y}H${START}`, class: "edge", stroke: th.mark.query, "stroke-width": 3 }, g);
      else draw("path", { d: `M8 ${y}H${START}`, class: "edge", stroke: th.ink, "stroke-width": 1.5, "stroke-opacity": 0.45 }, g);
      draw("text", { x: 8, y: y - 8, class: tree.best.size ? "name query" : "name" }, g, tree.best.size ? "best" : "start");
      if (tree.greedy.size) {
        draw("path", { d: `M8 ${y + 4.5}H${START}`, class: "edge greedy", stroke: th.ink }, g);
        draw("text", { x: 8, y: y + 20, class: "name" }, g, "greedy");
      }
    }

    function nodeMark(n, th, { x, y }, column, rail, focus, lit) {
      const best = tree.best.has(n.id), alive = tree.alive.has(n.id), bold = best || lit.has(n.id);
      const dropped = n.status === "dropped", full = n.status === "finished" || (n.status === "greedy" && n.token === get("end"));
      const g = draw("g", { role: "treeitem", id: `${uid}-${n.id}`, "data-id": n.id, "aria-level": n.step + 1,
        "aria-selected": String(n.id === focus), "aria-label": announcement(tree, n, get),
        class: `node ${n.status}${best ? " best" : ""}${alive ? " alive" : ""}${bold ? " bold" : ""}` }, svg);
      const box = dropped ? { x: x - 2, y: y - 11, width: column - EDGE + 4, height: 22 }
        : { x: x - 4, y: y - 22, width: rail + 8, height: full ? 61 : 45 };
      draw("rect", { ...box, rx: 2, class: n.id === hovered ? "hit lit" : "hit" }, g);
      if (n.id === focus) {
        draw("rect", { x: box.x + 1, y: box.y + 1, width: box.width - 2, height: box.height - 2, rx: 2, class: "chosen" }, g);
        draw("rect", { x: box.x - 2, y: box.y - 2, width: box.width + 4, height: box.height + 4, rx: 4, class: "ring" }, g);
      }
      if (dropped) {
        const space = column - EDGE - 12, value = number(logOf(n)), taken = textWidth(value, 11, th) + 6;
        const word = shorten(visible(n.token), space, 12, th, bold), wide = textWidth(word, 12, th, bold);
        draw("path", { d: `M${x + 5} ${y - 4}V${y + 4}`, class: "edge", stroke: th.ink, "stroke-opacity": 0.35, "stroke-width": 1.5 }, g);
        draw("text", { x: x + 11, y: y + 4, class: "token" }, g, word);
        if (wide + taken <= space) draw("text", { x: x + 11 + wide + 6, y: y + 4, class: "value" }, g, value);
        return;
      }
      const p = tree.probability(n);
      const bar = best ? th.mark.query : css(th.weights(alive ? 0.5 : 0.3));
      if (n.status !== "greedy") draw("rect", { x, y: y - 3, width: Math.max(1, clamp(p, 0, 1) * rail), height: 6, fill: bar }, g);
      draw("text", { x, y: y - 8, class: "token" }, g, shorten(visible(n.token), column - (full ? 4 : EDGE / 2), TEXT_SIZE, th, bold));
      draw("text", { x, y: y + 18, class: "value" }, g, number(logOf(n)));
      if (full) {
        draw("rect", { x: x + rail - 5, y: y - 5, width: 10, height: 10, class: "end",
          ...(n.status === "greedy" ? { fill: css(th.page), stroke: th.ink2, "stroke-width": 1.5 } : { fill: best ? th.mark.query : th.ink2 }) }, g);
        const named = `score ${number(n.score)}`, fits = textWidth(named, 12, th, true) <= column - EDGE / 2;
        draw("text", { x, y: y + 34, class: "score" }, g, fits ? named : number(n.score));
      }
    }

    function readOut(node) {
      if (!node) {
        said.replaceChildren(); facts.replaceChildren();
        why.textContent = "";
        return;
      }
      const text = tree.text(node.id), ends = node.token === get("end"), own = ends ? "" : node.token;
      const before = text.slice(0, text.length - own.length);
      said.replaceChildren(make("span", { class: "hint" }, "text so far "), before.slice(-400), make("b", {}, own.slice(0, 200)));
      if (ends) said.append(make("span", { class: "hint" }, ` then ${node.token.slice(0, 200)}`));
      const fact = (label, value, ...how) => make("span", {}, make("span", { class: "hint" }, `${label} `), make("b", {}, value), make("span", { class: "hint" }, " ", ...how));
      const penalty = get("length_penalty");
      const power = penalty === 0 ? [] : [` / ${node.step}`, penalty === 1 ? "" : make("sup", {}, number(penalty, 1))];
      facts.replaceChildren(
        fact("probability", number(tree.probability(node)), `of ${visible(node.token).slice(0, 40)}`),
        fact("log-probability", number(logOf(node)), node.step > 1 ? `= ${number(tree.parentLog(node))} + log ${number(tree.probability(node))}` : ""),
        fact("score", number(node.score ?? -Infinity), `= ${number(logOf(node))}`, ...power));
      why.textContent = reason(tree, node);
    }

    function writeTable() {
      const head = make("tr", {}, ...["step", "text so far", "token", "probability", "log-probability", "score", ""].map((name) => make("th", { scope: "col" }, name)));
      const rows = [...tree.shown].sort((a, b) => a.step - b.step || logOf(b) - logOf(a)).map((n) => make("tr", { class: n.status },
        ...[n.step, tree.text(n.id).slice(-200), visible(n.token).slice(0, 200), number(tree.probability(n)), number(logOf(n)), number(n.score ?? -Infinity)].map((cell) => make("td", {}, String(cell))),
        make("td", {}, [n.status, tree.best.has(n.id) && "best", tree.greedy.has(n.id) && n.status !== "greedy" && "greedy"].filter(Boolean).join(", "))));
      table.replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
    }

    watchLook(el, schedule, signal);
    schedule();
  },
};
