// Today's figure in our look, ready for plotly.

import { context2d } from "../../base/js/dom.js";
import { spread } from "../../base/js/numbers.js";
import { css } from "../../base/js/theme.js";
import { cellOf, isCurve, isEmpty, isShown, lengthOf, merge, unpack } from "./trace.js";
import { describe, readable, titleOf } from "./words.js";

// A finger that goes over a chart scrolls the page, and a mouse's tools would lie over the title.
export const byFinger = () => matchMedia("(hover: none)").matches;

// Our look as a plotly template: what a figure says itself comes before it.
function template(t) {
  const words = { family: t.font, size: 12, color: t.ink };
  const small = { ...words, color: t.ink2 };
  const axis = {
    automargin: true,
    gridcolor: t.grid,
    zerolinecolor: t.grid2,
    zerolinewidth: 1,
    showline: false,
    ticks: "",
    tickfont: small,
    ticklabelstandoff: 4,
    ticklabeloverflow: "allow", // there is room for all (automargin): to look whether one is cut took a fifth of a picture
    title: { font: small, standoff: 8 },
    exponentformat: "none",
  };
  const space = { ...axis, backgroundcolor: "rgba(0,0,0,0)", gridcolor: t.grid2 };
  const steps = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const sequential = steps.map((x) => [x, css(t.weights(x))]);
  const diverging = [-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1].map((x) => [(x + 1) / 2, css(t.scores(x, 1))]);
  const bar = { thickness: 10, outlinewidth: 0, tickfont: small, ticks: "" };
  const marks = Object.values(t.mark);
  const shaded = { colorscale: sequential, colorbar: bar };
  return {
    layout: {
      font: words,
      paper_bgcolor: css(t.page),
      plot_bgcolor: "rgba(0,0,0,0)",
      colorway: [css(t.weights(t.dark ? 0.62 : 0.82)), css(t.scores(-0.75, 1)), t.ink2, css(t.weights(0.42)), ...marks],
      colorscale: { sequential, diverging },
      coloraxis: { colorbar: bar, colorscale: sequential },
      xaxis: { ...axis, showgrid: false, zeroline: false },
      yaxis: { ...axis, hoverformat: ".5~r" },
      scene: { xaxis: space, yaxis: space, zaxis: space },
      title: {
        x: 0,
        xref: "paper",
        xanchor: "left",
        y: 1,
        yref: "container",
        yanchor: "top",
        pad: { t: 6 },
        font: { family: t.font, size: 13, color: t.ink, weight: 600 },
      },
      legend: { orientation: "h", x: 0, xanchor: "left", y: 1, yanchor: "bottom", font: words },
      hoverlabel: {
        bgcolor: css(t.page),
        bordercolor: t.ink2,
        align: "left",
        namelength: -1,
        font: words,
      },
      modebar: { bgcolor: css(t.page), color: t.ink2, activecolor: t.brand },
      hovermode: "closest",
      bargap: 0.35,
      dragmode: byFinger() ? false : "zoom",
      annotationdefaults: { font: words, showarrow: false },
      shapedefaults: { line: { color: t.ink2 } },
    },
    data: {
      scatter: [{ line: { width: 2 }, marker: { size: 7 }, textfont: words }],
      // plotly chooses the ink of a text in a bar by its colour, and forgets that it may be transparent
      bar: [{ hoverinfo: "x+y+name", marker: { line: { width: 0 } }, textfont: words, error_y: { color: t.ink } }],
      heatmap: [shaded],
      contour: [shaded],
      surface: [shaded],
    },
  };
}

const axisOf = (layout, ref) => layout[ref.replace(/^[xy]/, "$&axis")];

// Words on a logarithmic axis stand at the logarithm of their number.
const placeOn = (layout, ref, value) => (axisOf(layout, ref)?.type === "log" ? Math.log10(value) : value);

// Zero and less have no place there.
const standsOn = (layout, ref, value) => axisOf(layout, ref)?.type !== "log" || value > 0;

// A curve is named at its end, not in a legend.
function endNames(data, layout, t, shifts) {
  if (layout.showlegend) return [];
  const named = data.filter((trace) => isCurve(trace) && isShown(trace) && trace.name && trace.showlegend !== true);
  return named.flatMap((trace) => {
    const [xref, yref] = [trace.xaxis ?? "x", trace.yaxis ?? "y"];
    const hasPlace = (i) =>
      Number.isFinite(trace.y[i]) && standsOn(layout, yref, trace.y[i]) && standsOn(layout, xref, cellOf(trace.x, i));
    let last = lengthOf(trace) - 1;
    while (last >= 0 && !hasPlace(last)) last -= 1;
    if (last < 0) return [];
    const index = data.indexOf(trace);
    const colour = trace.line?.color ?? t.way[index % t.way.length];
    const role = Object.keys(t.mark).find((name) => t.mark[name].toLowerCase() === String(colour).toLowerCase());
    return [
      {
        name: `curve ${index}`,
        text: trace.name,
        x: placeOn(layout, xref, cellOf(trace.x, last)),
        y: placeOn(layout, yref, trace.y[last]),
        xref,
        yref,
        xanchor: "left",
        yanchor: "middle",
        xshift: 7,
        yshift: shifts[index] ?? 0,
        showarrow: false,
        align: "left",
        font: { family: t.font, size: 12, color: role ? t.text[role] : colour },
      },
    ];
  });
}

const pen = context2d(document.createElement("canvas"));

function widest(texts, font) {
  pen.font = `12px ${font}`;
  return Math.max(0, ...texts.map((text) => pen.measureText(readable(text)).width));
}

const NARROW = 480; // px of a picture whose title begins at its edge: above the plot it would have too little room
const MOST_NAMES = 1 / 3; // of a narrow picture's width; longer names of curves stand in a legend below
const ROW = 19; // px of a legend
const AXIS = 48; // px below a plot, for the numbers of its axis and their name
const BESIDE = 56; // px that a title cannot have elsewhere: it begins above the plot, right of the numbers of the y axis
const LINE = 17; // px from one line of a title to the next

// A title that is wider than its picture, as on a phone, goes on below.
function lines(title, width, font) {
  pen.font = `600 13px ${font}`;
  const found = [];
  for (const word of title.split(/ (?![^<]*>)/)) {
    const longer = found.length ? `${found.at(-1)} ${word}` : word;
    if (found.length && pen.measureText(readable(longer)).width <= width - (width < NARROW ? 8 : BESIDE))
      found.splice(-1, 1, longer);
    else found.push(word);
  }
  return found;
}

// The y axis is named where its numbers end, to be read without turning the head.
function levelName(layout, t) {
  const text = layout.yaxis?.title?.text;
  const plain = !layout.scene && !layout.polar && !Object.keys(layout).some((name) => /^[xy]axis\d/.test(name));
  if (!text || !plain) return null;
  return {
    name: "y axis",
    text,
    xref: "paper",
    yref: "paper",
    x: 0,
    y: 1,
    xanchor: "left",
    yanchor: "bottom",
    yshift: 7,
    showarrow: false,
    font: { family: t.font, size: 12, color: t.ink2 },
  };
}

const withoutTitle = ({ title, ...axis }) => axis;

// Plotly writes powers of ten a quarter larger than an axis's other numbers.
const asOthers = (axis, look) =>
  axis?.type === "log" && axis.exponentformat === "power"
    ? { ...axis, tickfont: { ...look.layout.xaxis.tickfont, size: 0.8 * look.layout.xaxis.tickfont.size } }
    : axis;

// From the first to the last point of all curves, as an axis of that type has its range. Plotly's own range would make room
// for their names a second time.
function spans(data, type) {
  const scale = { linear: (x) => x, log: Math.log10 }[type];
  if (!scale) return null;
  const ends = [];
  for (const trace of data.filter(isShown)) {
    if ((trace.type ?? "scatter") !== "scatter" || (trace.xaxis ?? "x") !== "x") return null;
    const xs = Array.from(trace.x ?? Array.from({ length: lengthOf(trace) }, (_, i) => i));
    if (xs.some((x) => typeof x !== "number")) return null;
    const finite = xs.map(scale).filter(Number.isFinite);
    if (finite.length)
      ends.push(
        finite.reduce((a, b) => Math.min(a, b)),
        finite.reduce((a, b) => Math.max(a, b)),
      );
  }
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  if (!(low < high)) return null;
  const room = data.every((trace) => isCurve(trace) && !trace.mode?.includes("markers")) ? 0 : 0.03 * (high - low);
  return [low - room, high + room];
}

const HEIGHT = 300;

// How high the picture will be: its place is kept until Plotly has come.
export const heightOf = (get) => get("figure_layout")?.height ?? get("spec").layout?.height ?? HEIGHT;

// The names of curves stand at their ends, or, where they would take most of a narrow picture, in a legend below, which
// has the axis with its name above it.
function placed(atEnds, across, font) {
  const texts = atEnds.map(({ text }) => text);
  const beside = Math.ceil(widest(texts, font));
  if (across >= NARROW || beside <= MOST_NAMES * across)
    return { names: atEnds, below: 0, margin: { r: 16 + beside, b: 8 }, legend: {} };
  const below = ROW * atEnds.length;
  const legend = { orientation: "v", yref: "container", y: 0, yanchor: "bottom" };
  return { names: [], below, margin: { r: 16, b: below + AXIS }, legend };
}

export function compose(get, t, width, shifts) {
  const spec = unpack(get("spec"));
  const changes = unpack(get("traces"));
  const data = spec.data.map((trace, i) => merge(trace, changes[i]));
  const layout = merge(spec.layout, unpack(get("figure_layout")));
  const look = template(t);
  t.way = layout.colorway ?? look.layout.colorway;
  const across = Math.min(width, layout.width ?? 900);
  const atEnds = endNames(data, layout, t, shifts);
  const { names, below, margin, legend: key } = placed(atEnds, across, t.font);
  const isNamed = (i) => atEnds.some(({ name }) => name === `curve ${i}`);
  const level = levelName(layout, t);
  const span = atEnds.length && spans(data, layout.xaxis?.type ?? "linear");
  const nothing = isEmpty(data) && {
    text: "nothing to show yet",
    xref: "paper",
    yref: "paper",
    x: 0.5,
    y: 0.5,
    showarrow: false,
    font: { family: t.font, size: 12, color: t.ink2 },
  };
  const others = data.filter((trace) => isShown(trace) && trace.name && !isCurve(trace)).length;
  const legend = layout.showlegend ?? others > 1;
  const title = titleOf(layout) && lines(layout.title.text ?? layout.title, across, t.font);
  const isCrowded = level && legend; // the legend then stands above the name of the y axis
  const top = (title ? 9 + LINE * title.length : 4) + (level || legend ? 26 : 6) + (isCrowded ? ROW + 4 : 0);
  const tall = (layout.height ?? HEIGHT) - top - AXIS;
  const shown = merge(
    {
      showlegend: legend || below > 0,
      height: HEIGHT,
      uirevision: "a zoom by hand is kept",
      legend: { ...(isCrowded && { y: 1 + (ROW + 7) / tall }), ...key },
      margin: {
        l: 8,
        ...margin,
        t: top,
      },
    },
    layout,
  );
  return {
    words: describe(data, layout),
    data: below ? data.map((trace, i) => ({ ...trace, showlegend: isNamed(i) })) : data,
    axes: layout,
    layout: {
      ...shown,
      height: shown.height + below,
      template: look,
      width: across,
      // Plotly lifts a title by half of each further line.
      ...(title && {
        title: {
          pad: { t: 6 + (LINE / 2) * (title.length - 1) },
          ...(across < NARROW && { xref: "container" }),
          ...(layout.title.text ? layout.title : {}),
          text: title.join("<br>"),
        },
      }),
      xaxis: { ...(span && { range: span }), showticklabels: !nothing, ...asOthers(shown.xaxis, look) },
      yaxis: { showticklabels: !nothing, ...asOthers(level ? withoutTitle(shown.yaxis) : shown.yaxis, look) },
      annotations: [...(layout.annotations ?? []), ...names, ...(level ? [level] : []), ...(nothing ? [nothing] : [])],
    },
  };
}

const pixel = (axis, y) => (axis.type === "log" ? axis.l2p(y) : axis.d2p(y));

// How far names at the ends of curves must move apart, in pixels: { index of the curve: shift upwards }.
export function apart(plot) {
  const full = plot._fullLayout;
  const names = (full.annotations ?? [])
    .filter((a) => a.name?.startsWith("curve ") && full[a.yref.replace("y", "yaxis")])
    .map((a) => ({ index: a.name.slice(6), at: pixel(full[a.yref.replace("y", "yaxis")], a.y) }))
    .filter((a) => Number.isFinite(a.at))
    .map((a) => ({ ...a, y: a.at }));
  spread(names, -Infinity, full._size.h + 4);
  return Object.fromEntries(names.map((a) => [a.index, Math.round(a.at - a.y)]));
}
