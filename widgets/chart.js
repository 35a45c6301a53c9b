
// Chart. Plotly itself arrives in the hidden library widget; it is evaluated once a page, for each version.
const libraries = (globalThis.__attnlabPlotly ??= {});

// A page that is reloaded gets the kernel's widgets in any order: the library may come after the chart.
async function libraryOf(model, patience = 40) {
  try {
    return await model.widget_manager.get_model(model.get("library"));
  } catch (error) {
    if (patience === 0) throw error;
    await new Promise((later) => setTimeout(later, 250));
    return libraryOf(model, patience - 1);
  }
}

async function plotlyOf(model) {
  const library = await libraryOf(model);
  const version = library.get("version");
  libraries[version] ??= evaluate(library.get("script")).catch((error) => { delete libraries[version]; throw error; });
  return libraries[version];
}

async function evaluate(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const source = await new Response(stream).text();
  const before = Object.getOwnPropertyDescriptor(globalThis, "Plotly");
  const module = { exports: {} };
  try {
    // The page may have module systems of its own: they are shadowed, so that the script answers to us.
    new Function("module", "exports", "define", "require", source).call(globalThis, module, module.exports);
  } finally {
    delete globalThis.Plotly;
    if (before) Object.defineProperty(globalThis, "Plotly", before);
  }
  return module.exports;
}

const CONFIG = {
  displaylogo: false, showSendToCloud: false, plotlyServerURL: "", doubleClick: "reset",
  modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"], toImageButtonOptions: { scale: 2, filename: "chart" },
};

// Values as plotly takes them: packed arrays become typed arrays, and rows of typed arrays.
const unpacked = new WeakMap();
const KINDS = { float32: Float32Array, float64: Float64Array };

function unpack(value) {
  if (Array.isArray(value)) return value.map(unpack);
  if (!value || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
  if (unpacked.has(value)) return unpacked.get(value);
  const plain = value.shape && value.data ? typed(value)
    : Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unpack(inner)]));
  unpacked.set(value, plain);
  return plain;
}

function typed({ shape, type, data }) {
  const flat = new KINDS[type](data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
  if (shape.length === 1) return flat;
  return Array.from({ length: shape[0] }, (_, row) => flat.subarray(row * shape[1], (row + 1) * shape[1]));
}

const isDict = (value) => value && typeof value === "object" && !Array.isArray(value) && !ArrayBuffer.isView(value);
function merge(old, changes) {
  const both = { ...old };
  for (const [name, value] of Object.entries(changes ?? {})) {
    both[name] = isDict(value) && isDict(both[name]) ? merge(both[name], value) : value;
  }
  return both;
}

// Our look as a plotly template: what a figure says itself comes before it.
function template(t) {
  const small = { family: t.font, size: 12, color: t.ink2 };
  const axis = {
    automargin: true, gridcolor: t.grid, zerolinecolor: t.grid2, zerolinewidth: 1, showline: false, ticks: "", tickfont: small, ticklabelstandoff: 4,
    title: { font: small, standoff: 8 }, exponentformat: "none",
  };
  const space = { ...axis, backgroundcolor: "rgba(0,0,0,0)", gridcolor: t.grid2 };
  const steps = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const sequential = steps.map((x) => [x, css(t.weights(x))]);
  const diverging = [-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1].map((x) => [(x + 1) / 2, css(t.scores(x, 1))]);
  const bar = { thickness: 10, outlinewidth: 0, tickfont: small, ticks: "" };
  const shaded = { colorscale: sequential, colorbar: bar };
  return {
    layout: {
      font: { family: t.font, size: 12, color: t.ink }, paper_bgcolor: css(t.page), plot_bgcolor: "rgba(0,0,0,0)",
      colorway: [css(t.weights(t.dark ? 0.62 : 0.82)), css(t.scores(-0.75, 1)), t.ink2, ...Object.values(t.mark)],
      colorscale: { sequential, diverging }, coloraxis: { colorbar: bar, colorscale: sequential },
      xaxis: { ...axis, showgrid: false, zeroline: false }, yaxis: { ...axis, hoverformat: ".5~r" },
      scene: { xaxis: space, yaxis: space, zaxis: space },
      title: { x: 0, xref: "paper", xanchor: "left", y: 1, yref: "container", yanchor: "top", pad: { t: 6 },
        font: { family: t.font, size: 13, color: t.ink, weight: 600 } },
      legend: { orientation: "h", x: 0, xanchor: "left", y: 1, yanchor: "bottom", font: { ...small, color: t.ink } },
      hoverlabel: { bgcolor: css(t.page), bordercolor: t.ink2, align: "left", namelength: -1,
        font: { family: t.font, size: 12, color: t.ink } },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: t.ink2, activecolor: t.brand },
      hovermode: "closest", bargap: 0.35, dragmode: "zoom",
      annotationdefaults: { font: { family: t.font, size: 12, color: t.ink }, showarrow: false },
    },
    data: {
      scatter: [{ line: { width: 2 }, marker: { size: 7 }, textfont: { family: t.font, size: 12, color: t.ink } }],
      bar: [{ hoverinfo: "x+y+name", marker: { line: { width: 0 } }, textfont: { family: t.font, size: 12 } }],
      heatmap: [shaded], contour: [shaded], surface: [shaded],
    },
  };
}

// What a figure says in words
const readable = (text) => String(text ?? "").replace(/<[^>]*>/g, " ")
  .replace(/&(lt|gt|amp|quot|#39);/g, (_, name) => ({ lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" })[name]).trim();
const titleOf = (part) => readable(part?.title?.text ?? (typeof part?.title === "string" ? part.title : ""));
const brief = (x) => (typeof x !== "number" ? readable(x) : Number.isInteger(x) ? number(x, 0)
  : number(x, Math.abs(x) >= 100 ? 1 : Math.abs(x) >= 0.01 || x === 0 ? 3 : 6));
const isCurve = (trace) => (trace.type ?? "scatter") === "scatter" && (trace.mode ?? "lines").includes("lines");
const isShown = (trace) => trace.visible !== false && trace.visible !== "legendonly";
const lengthOf = (trace) => (trace.z ?? trace.y ?? trace.x ?? trace.values ?? []).length;
const isEmpty = (data) => data.every((trace) => lengthOf(trace) === 0);
const cellOf = (values, i) => (values && i < values.length ? values[i] : i);

function describe(data, layout) {
  const parts = data.filter(isShown).map((trace, i) => {
    const name = readable(trace.name) || `${trace.type ?? (isCurve(trace) ? "curve" : "points")} ${i + 1}`;
    if (trace.z?.length) return `${name}: ${trace.z.length} rows of ${trace.z[0].length ?? 1} numbers`;
    const seen = Array.from(trace.y ?? []).filter((y) => typeof y === "number" && Number.isFinite(y));
    if (!seen.length) return `${name}: no numbers`;
    if (seen.length === 1) return `${name}: ${brief(seen[0])}`;
    return `${name}: ${seen.length} numbers, first ${brief(seen[0])}, last ${brief(seen.at(-1))}, `
      + `lowest ${brief(seen.reduce((a, b) => Math.min(a, b)))}, highest ${brief(seen.reduce((a, b) => Math.max(a, b)))}`;
  });
  const axes = [titleOf(layout.yaxis), titleOf(layout.xaxis)].filter(Boolean).join(" over ");
  return [titleOf(layout) || axes || "chart", titleOf(layout) && axes, ...parts].filter(Boolean).join(". ");
}

const axisOf = (layout, ref) => layout[ref.replace(/^[xy]/, "$&axis")];
// Words on a logarithmic axis stand at the logarithm of their number.
const placeOn = (layout, ref, value) => (axisOf(layout, ref)?.type === "log" ? Math.log10(value) : value);

// A curve is named at its end, not in a legend.
function endNames(data, layout, t, shifts) {
  if (layout.showlegend) return [];
  const named = data.filter((trace) => isCurve(trace) && isShown(trace) && trace.name && trace.showlegend !== true);
  return named.flatMap((trace) => {
    let last = lengthOf(trace) - 1;
    while (last >= 0 && !Number.isFinite(trace.y[last])) last -= 1;
    if (last < 0) return [];
    const index = data.indexOf(trace);
    const colour = trace.line?.color ?? t.way[index % t.way.length];
    const role = Object.keys(t.mark).find((name) => t.mark[name].toLowerCase() === String(colour).toLowerCase());
    return [{
      name: `curve ${index}`, text: trace.name,
      x: placeOn(layout, trace.xaxis ?? "x", cellOf(trace.x, last)), y: placeOn(layout, trace.yaxis ?? "y", trace.y[last]),
      xref: trace.xaxis ?? "x", yref: trace.yaxis ?? "y", xanchor: "left", yanchor: "middle", xshift: 7,
      yshift: shifts[index] ?? 0, showarrow: false, align: "left",
      font: { family: t.font, size: 12, color: role ? t.text[role] : colour },
    }];
  });
}

const pen = document.createElement("canvas").getContext("2d");
function widest(texts, font) {
  pen.font = `12px ${font}`;
  return Math.max(0, ...texts.map((text) => pen.measureText(readable(text)).width));
}

// The y axis is named where its numbers end, to be read without turning the head.
function levelName(layout, t) {
  const text = layout.yaxis?.title?.text;
  const plain = !layout.scene && !layout.polar && !Object.keys(layout).some((name) => /^[xy]axis\d/.test(name));
  if (!text || !plain) return null;
  return {
    name: "y axis", text, xref: "paper", yref: "paper", x: 0, y: 1, xanchor: "left", yanchor: "bottom", yshift: 7,
    showarrow: false, font: { family: t.font, size: 12, color: t.ink2 },
  };
}

const withoutTitle = ({ title, ...axis }) => axis;

// From the first to the last point of all curves. Plotly's own range would make room for their names a second time.
function spans(data) {
  const ends = [];
  for (const trace of data.filter(isShown)) {
    if ((trace.type ?? "scatter") !== "scatter" || (trace.xaxis ?? "x") !== "x") return null;
    const xs = Array.from(trace.x ?? Array.from({ length: lengthOf(trace) }, (_, i) => i));
    if (xs.some((x) => typeof x !== "number")) return null;
    const finite = xs.filter(Number.isFinite);
    if (finite.length) ends.push(finite.reduce((a, b) => Math.min(a, b)), finite.reduce((a, b) => Math.max(a, b)));
  }
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  if (!(low < high)) return null;
  const room = data.every((trace) => isCurve(trace) && !trace.mode?.includes("markers")) ? 0 : 0.03 * (high - low);
  return [low - room, high + room];
}

// Today's figure in our look, ready for plotly.
function compose(get, t, width, shifts) {
  const spec = unpack(get("spec"));
  const changes = unpack(get("traces"));
  const data = spec.data.map((trace, i) => merge(trace, changes[i]));
  const layout = merge(spec.layout, unpack(get("figure_layout")));
  const look = template(t);
  t.way = layout.colorway ?? look.layout.colorway;
  const names = endNames(data, layout, t, shifts);
  const level = levelName(layout, t);
  const span = names.length && (layout.xaxis?.type ?? "linear") === "linear" && spans(data);
  const nothing = isEmpty(data) && { text: "nothing to show yet", xref: "paper", yref: "paper", x: 0.5, y: 0.5,
    showarrow: false, font: { family: t.font, size: 12, color: t.ink2 } };
  const others = data.filter((trace) => isShown(trace) && trace.name && !isCurve(trace)).length;
  const legend = layout.showlegend ?? others > 1;
  const shown = merge({
    showlegend: legend, height: 300, uirevision: "a zoom by hand is kept",
    margin: {
      l: 8, r: 16 + Math.ceil(widest(names.map((name) => name.text), t.font)),
      b: 8, t: (titleOf(layout) ? 26 : 4) + (level || legend ? 26 : 6),
    },
  }, layout);
  return { words: describe(data, layout), data, axes: layout, layout: {
    ...shown, template: look, width: Math.min(width, layout.width ?? 900),
    xaxis: { ...(span && { range: span }), showticklabels: !nothing, ...shown.xaxis },
    yaxis: { showticklabels: !nothing, ...(level ? withoutTitle(shown.yaxis) : shown.yaxis) },
    annotations: [...(layout.annotations ?? []), ...names, ...(level ? [level] : []), ...(nothing ? [nothing] : [])],
  } };
}

// How far names at the ends of curves must move apart, in pixels: { index of the curve: shift upwards }.
const pixel = (axis, y) => (axis.type === "log" ? axis.l2p(y) : axis.d2p(y));
function apart(plot) {
  const full = plot._fullLayout;
  const names = (full.annotations ?? []).filter((a) => a.name?.startsWith("curve ") && full[a.yref.replace("y", "yaxis")])
    .map((a) => ({ index: a.name.slice(6), at: pixel(full[a.yref.replace("y", "yaxis")], a.y) }))
    .filter((a) => Number.isFinite(a.at)).sort((a, b) => a.at - b.at);
  const placed = names.map((a) => a.at);
  for (let i = 1; i < placed.length; i += 1) placed[i] = Math.max(placed[i], placed[i - 1] + 16);
  for (let i = placed.length - 1, floor = full._size.h + 4; i >= 0; i -= 1, floor = placed[i + 1] - 16) placed[i] = Math.min(placed[i], floor);
  return Object.fromEntries(names.map((a, i) => [a.index, Math.round(a.at - placed[i])]));
}

// The table behind the picture.
const MOST_ROWS = 200;
function table(trace, number_, layout) {
  const caption = readable(trace.name) || `trace ${number_ + 1}`;
  const rows = trace.z?.length && trace.z[0].length !== undefined
    ? Array.from(trace.z, (row, i) => [readable(cellOf(trace.y, i)), ...Array.from(row, brief)])
    : Array.from({ length: Math.min(lengthOf(trace), MOST_ROWS) }, (_, i) => [brief(cellOf(trace.x, i)), brief(cellOf(trace.y, i))]);
  const head = trace.z ? ["", ...Array.from(trace.x ?? trace.z[0] ?? [], (x, i) => brief(trace.x ? x : i))]
    : [titleOf(layout.xaxis) || "x", titleOf(layout.yaxis) || "y"];
  const cells = (kind, row) => make("tr", {}, ...row.map((text) => make(kind, kind === "th" ? { scope: "col" } : {}, text)));
  const more = lengthOf(trace) - rows.length;
  return make("table", {}, make("caption", {}, more > 0 ? `${caption} (first ${rows.length} of ${lengthOf(trace)})` : caption),
    make("thead", {}, cells("th", head)), make("tbody", {}, ...rows.map((row) => cells("td", row))));
}

// Arrow keys walk over the points: { trace, point } after a key, or null to leave.
function walk(at, key, data) {
  const traces = data.map((trace, i) => i).filter((i) => isShown(data[i]) && lengthOf(data[i]) && !data[i].z);
  if (!traces.length || key === "Escape") return null;
  const order = traces.indexOf(at?.trace ?? traces[0]);
  const trace = traces[clamp(order + ({ ArrowUp: -1, ArrowDown: 1 }[key] ?? 0), 0, traces.length - 1)];
  const last = lengthOf(data[trace]) - 1;
  if (!at) return { trace, point: key === "End" || key === "ArrowLeft" ? last : 0 };
  const point = { ArrowLeft: at.point - 1, ArrowRight: at.point + 1, PageUp: at.point + 10, PageDown: at.point - 10, Home: 0, End: last }[key];
  return { trace, point: clamp(point ?? at.point, 0, last) };
}

export default { render({ model, el, signal }) {
  el.classList.add("attnlab", "attnlab-chart");
  const plot = make("div", { class: "plot", tabindex: 0, role: "application", "aria-roledescription": "chart" });
  const failed = make("div", { class: "failed", role: "alert" });
  const said = make("div", { class: "sr-only", "aria-live": "polite" });
  const numbers = make("div", { class: "table", tabindex: 0, role: "region", "aria-label": "numbers of the chart" });
  const behind = make("details", {}, make("summary", {}, "numbers"), numbers);
  el.append(plot, failed, said, behind);

  let Plotly = null, now = null, at = null, shifts = {}, later = 0, revision = 0;

  const draw = async () => {
    if (!Plotly || !el.clientWidth) return;
    try { await paint(); failed.textContent = ""; } catch (error) { fail(error); }
  };
  const paint = () => {
    now = compose(get, theme(el), el.clientWidth, shifts);
    now.layout.datarevision = revision += 1;
    plot.setAttribute("aria-label", now.words);
    if (behind.open) fill();
    clearTimeout(later);
    later = setTimeout(settle, 120);
    return Plotly.react(plot, now.data, now.layout, CONFIG);
  };
  // When the hand rests: names that overlap move apart.
  const settle = () => {
    if (signal.aborted || !plot._fullLayout) return;
    const wanted = apart(plot);
    if (JSON.stringify(wanted) !== JSON.stringify(shifts)) { shifts = wanted; schedule(); }
  };
  const fill = () => numbers.replaceChildren(...now.data.filter(isShown).map((trace, i) => table(trace, i, now.axes)));
  const fail = (error) => { failed.textContent = `The chart could not be drawn: ${error.message ?? error}`; };

  const { get, schedule } = picture(model, draw, signal);
  watchLook(el, schedule, signal);
  behind.addEventListener("toggle", () => { if (behind.open && now) fill(); });

  ownKeys(plot, (event) => {
    if (event.target !== plot || !now || !/^(Arrow|Page|Home|End|Escape)/.test(event.key)) return false;
    at = walk(at, event.key, now.data);
    if (!at) { Plotly.Fx.unhover(plot); said.textContent = ""; return true; }
    const trace = now.data[at.trace];
    said.textContent = [readable(trace.name), `${titleOf(now.axes.xaxis) || "x"} ${brief(cellOf(trace.x, at.point))}`,
      `${titleOf(now.axes.yaxis) || "y"} ${brief(cellOf(trace.y, at.point))}`].filter(Boolean).join(", ");
    Plotly.Fx.hover(plot, [{ curveNumber: at.trace, pointNumber: at.point }]);
    return true;
  }, signal);

  plotlyOf(model).then((loaded) => { Plotly = loaded; schedule(); }, fail);
  signal.addEventListener("abort", () => { clearTimeout(later); if (Plotly && plot._fullLayout) Plotly.purge(plot); });
} };
