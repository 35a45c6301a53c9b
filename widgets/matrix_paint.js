// Matrix, part 2 of 3: painting on the canvas.
// Each function takes the pen (`ctx`, `look`), the geometry `g` and the view `v`: what is to be seen now.
// In `v`, cells are [panel, query, key] of the data; `v.rows[r]` and `v.columns[c]` say which stands at a place.

const FADED = 0.26;
const FADED_LABEL = 0.38;
const SHADES = 1024;

function write(pen, text, x, y, { font, colour, align = "left", alpha = 1 } = {}) {
  const { ctx, look } = pen;
  ctx.font = font ?? `12px ${look.font}`;
  ctx.fillStyle = colour ?? look.ink;
  ctx.textAlign = align;
  ctx.globalAlpha = alpha;
  ctx.fillText(text, x, y);
  ctx.globalAlpha = 1;
}

// A line along the pixels, so that it is sharp at every pixel ratio. `thick` in CSS pixels.
function rule(pen, x, y, width, height, colour) {
  const { ctx, g } = pen;
  const thick = Math.max(1, Math.round(g.ratio)) / g.ratio;
  ctx.fillStyle = colour;
  ctx.fillRect(g.snap(x), g.snap(y), width || thick, height || thick);
}

function outline(pen, x, y, width, height, colour, line, radius = 0) {
  const { ctx } = pen;
  ctx.strokeStyle = colour;
  ctx.lineWidth = line;
  ctx.beginPath();
  ctx.roundRect(x, y, width, height, radius);
  ctx.stroke();
}

// Colours of SHADES steps, weights 0..1 or scores -limit..limit: as packed pixels, plain and faded, and the ink on them.
function palette(look, scale) {
  const plain = new Uint32Array(SHADES + 1);
  const faded = new Uint32Array(SHADES + 1);
  const inks = [];
  const pack = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  for (let i = 0; i <= SHADES; i++) {
    const rgb = scale === "weights" ? look.weights(i / SHADES) : look.scores((2 * i) / SHADES - 1, 1);
    plain[i] = pack(rgb);
    inks.push(inkOn(rgb));
    faded[i] = pack(rgb.map((x, c) => Math.round(look.page[c] + FADED * (x - look.page[c]))));
  }
  return { plain, faded, inks, page: pack(look.page) };
}

const share = (v, x) => (v.scale === "weights" ? x : x / v.limit / 2 + 0.5);
const shade = (v, x) => clamp(Math.round(share(v, x) * SHADES), 0, SHADES);
const isFaded = (v, query) => v.produced >= 0 && query > v.produced;

// All cells of a panel as one small picture of a pixel a cell, enlarged without smoothing.
function paintCells(pen, v, panel) {
  const { ctx, g, shades, small } = pen;
  const { queries, keys } = g;
  const picture = small.picture(keys, queries);
  const pixels = new Uint32Array(picture.data.buffer);
  for (let r = 0, at = 0; r < queries; r++) {
    const query = v.rows[r];
    const colours = isFaded(v, query) ? shades.faded : shades.plain;
    const start = (panel * queries + query) * keys;
    for (let c = 0; c < keys; c++, at++) {
      const key = v.columns[c];
      const x = v.shown[start + key];
      const off = Number.isNaN(x) || (v.mask && !v.allowed(panel, query, key));
      pixels[at] = off ? shades.page : colours[shade(v, x)];
    }
  }
  small.put(picture);
  const box = g.boxes[panel];
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(small.canvas, 0, 0, keys, queries, box.x, box.y, box.right - box.x, g.body);
}

// The hatch of a panel's masked cells, as a picture that is painted once and then laid over the cells.
function hatchedCells(pen, v, panel, hatch) {
  const { g } = pen;
  const sheet = document.createElement("canvas");
  Object.assign(sheet, { width: Math.round(g.keys * g.c * g.ratio), height: Math.round(g.body * g.ratio) });
  const ctx = sheet.getContext("2d");
  ctx.scale(g.ratio, g.ratio);
  for (let r = 0; r < g.queries; r++) {
    for (let c = 0, run = 0; c <= g.keys; c++) {
      if (c < g.keys && !v.allowed(panel, v.rows[r], v.columns[c])) { run++; continue; }
      if (run) ctx.rect((c - run) * g.c, r * g.h, run * g.c, g.h);
      run = 0;
    }
  }
  ctx.fillStyle = hatch;
  ctx.fill();
  return sheet;
}

// Masked cells hatched; not-a-number crossed out; infinite cells with their sign.
function paintSpecial(pen, v, panel) {
  const { ctx, g, look } = pen;
  const box = g.boxes[panel];
  const sheet = pen.hatched(panel);
  if (sheet) ctx.drawImage(sheet, box.x, box.y, sheet.width / g.ratio, sheet.height / g.ratio);
  const crosses = new Path2D();
  let crossed = false;
  for (let r = 0; r < g.queries; r++) {
    for (let c = 0; c < g.keys; c++) {
      const [query, key] = [v.rows[r], v.columns[c]];
      const x = v.shown[(panel * g.queries + query) * g.keys + key];
      if (Number.isFinite(x) || !v.allowed(panel, query, key)) continue;
      const [left, top, inset] = [box.x + c * g.c, box.y + r * g.h, Math.min(6, g.c / 5, g.h / 5)];
      if (Number.isNaN(x)) {
        crosses.moveTo(left + inset, top + inset);
        crosses.lineTo(left + g.c - inset, top + g.h - inset);
        crosses.moveTo(left + inset, top + g.h - inset);
        crosses.lineTo(left + g.c - inset, top + inset);
        crossed = true;
      } else if (g.c >= 12) {
        const font = `600 13px ${look.font}`;
        write(pen, number(x), left + g.c / 2, top + g.h / 2 + 4.5, { font, align: "center", colour: pen.shades.inks[shade(v, x)] });
      }
    }
  }
  if (!crossed) return;
  ctx.strokeStyle = look.error;
  ctx.lineWidth = g.c < 12 ? 1 : 1.5;
  ctx.stroke(crosses);
}

// Lines between cells; the matrix's own border and the borders of groups and words are stronger.
function paintGrid(pen, v, panel) {
  const { g, look } = pen;
  const box = g.boxes[panel];
  const dense = g.keys > 64 || g.c < 8;
  const [width, height] = [box.right - box.x, g.body];
  for (let c = 0; c <= g.keys; c++) {
    const strong = c === 0 || c === g.keys || v.keyBorders.has(c);
    if (strong || !dense) rule(pen, box.x + c * g.c, box.y, 0, height, strong ? look.grid2 : look.grid);
  }
  for (let r = 0; r <= g.queries; r++) {
    const strong = r === 0 || r === g.queries || v.queryBorders.has(r);
    if (strong || !(dense || g.h < 8)) rule(pen, box.x, box.y + r * g.h, width, 0, strong ? look.grid2 : look.grid);
  }
}

// The number in a cell as short as its width asks; "" where it does not fit.
function cellNumber(v, g, x, font) {
  const room = g.c - 4;
  const forms = v.scale === "weights"
    ? g.c < 38 ? [shortNumber(x)] : g.keys <= 8 ? [number(x), shortNumber(x)] : [shortNumber(x)]
    : g.c < 38 ? [number(x, 1), number(x, 0)] : [number(x), number(x, 1), number(x, 0)];
  return forms.find((text) => textWidth(text, font) <= room) ?? "";
}

function paintNumbers(pen, v, panel) {
  const { g, look } = pen;
  if (g.keys > 24 || g.c < 22 || g.h < 18) return;
  const some = g.keys > 8;
  const size = some ? (g.c < 28 ? 10.5 : 12) : g.c < 36 ? 11 : 13;
  const font = `${size}px ${look.font}`;
  const box = g.boxes[panel];
  for (let r = 0; r < g.queries; r++) {
    const query = v.rows[r];
    if (some && query !== v.current && !(v.selected && v.selected[1] === query)) continue;
    const alpha = isFaded(v, query) ? FADED_LABEL : 1;
    for (let c = 0; c < g.keys; c++) {
      const x = v.shown[(panel * g.queries + query) * g.keys + v.columns[c]];
      if (!Number.isFinite(x) || (v.mask && !v.allowed(panel, query, v.columns[c]))) continue;
      if (some && v.scale === "weights" && x < 0.045) continue;
      const colour = alpha < 1 ? look.ink : pen.shades.inks[shade(v, x)];
      write(pen, cellNumber(v, g, x, font), box.x + (c + 0.5) * g.c, box.y + (r + 0.5) * g.h + size * 0.36, { font, colour, align: "center", alpha });
    }
  }
}

// Titles in the corner, labels of rows and columns, underlines of the keys that the current row reads.
function paintLabels(pen, v, panel) {
  const { g, look } = pen;
  const box = g.boxes[panel];
  if (g.named) write(pen, fitText(v.panelNames[panel], `600 13px ${look.font}`, box.right - box.x), box.x, box.y - g.head + 14, { font: `600 13px ${look.font}` });
  if (box.first) {
    write(pen, `${v.keyTitle} →`, box.x - 10, box.y - 23, { align: "right", colour: look.text.key });
    write(pen, `${v.queryTitle} ↓`, box.x - 10, box.y - 6, { align: "right", colour: look.text.query });
    paintQueryLabels(pen, v, box);
  }
  paintKeyLabels(pen, v, panel, box);
  paintGroups(pen, v, box);
}

// Labels that are drawn although only every n-th is: of what is hovered or selected. They push their neighbours out.
function labelPlaces(count, every, wanted) {
  const places = new Set();
  for (let i = 0; i < count; i += every) places.add(i);
  if (every === 1) return places;
  for (const i of wanted) for (let j = i - every + 1; j < i + every; j++) places.delete(j);
  for (const i of wanted) places.add(i);
  return places;
}

const placesOf = (order, ...items) => items.map((item) => order.indexOf(item)).filter((i) => i >= 0);

function paintQueryLabels(pen, v, box) {
  const { ctx, g, look } = pen;
  const { query } = g;
  const wanted = placesOf(v.rows, v.hover?.[1], v.selected?.[1], v.current);
  for (const r of labelPlaces(g.queries, query.every, wanted)) {
    const item = v.rows[r];
    const name = query.names[item] ?? "";
    const y = box.y + (r + 0.5) * g.h;
    const current = item === v.current;
    const strong = current || v.selected?.[1] === item;
    const font = strong ? query.bold : query.font;
    const wide = query.single ? 24 : textWidth(name, font) + 10;
    const high = Math.min(22, Math.max(g.h, 14));
    if (current) {
      ctx.fillStyle = look.mark.query;
      ctx.beginPath();
      ctx.roundRect(box.x - (query.single ? 8 : 4) - wide, y - high / 2, wide, high, 2);
      ctx.fill();
    }
    const colour = current ? "#111" : name === "␣" ? look.ink2 : query.single ? look.ink : look.text.query;
    const alpha = isFaded(v, item) ? FADED_LABEL : 1;
    if (query.single && query.size > 11) write(pen, name, box.x - 20, y + query.size / 3, { font, colour, alpha, align: "center" });
    else write(pen, name, box.x - (query.single ? 8 : 9), y + query.size * 0.35, { font, colour, alpha, align: "right" });
  }
}

function paintKeyLabels(pen, v, panel, box) {
  const { ctx, g, look } = pen;
  const { key } = g;
  const reading = v.current >= 0 && v.scale === "weights";
  const lift = reading ? 22 : 8;
  const wanted = placesOf(v.columns, v.hover?.[2], v.selected?.[2]);
  const places = labelPlaces(g.keys, key.every, wanted);
  for (let c = 0; c < g.keys; c++) {
    const item = v.columns[c];
    const read = reading ? v.shown[(panel * g.queries + v.current) * g.keys + item] : 0;
    const x = box.x + (c + 0.5) * g.c;
    if (read > 0.02) {
      ctx.globalAlpha = Math.min(1, 0.12 + read * 2);
      ctx.fillStyle = look.mark.key;
      const inset = g.c < 12 ? 0.5 : 2;
      ctx.fillRect(g.snap(box.x + c * g.c + inset), box.y - 12, g.snap(g.c - 2 * inset), 5);
      ctx.globalAlpha = 1;
    }
    if (!places.has(c)) continue;
    const name = key.names[item] ?? "";
    const strong = read > 0.08 || v.selected?.[2] === item;
    const font = strong ? key.bold : key.font;
    const colour = name === "␣" ? look.ink2 : key.single ? look.ink : look.text.key;
    if (!key.angle) write(pen, name, x, box.y - lift, { font, colour, align: "center" });
    else {
      ctx.save();
      ctx.translate(x + (key.angle === 90 ? key.size * 0.35 : 3), box.y - lift + (reading ? 6 : 1));
      ctx.rotate((-key.angle * Math.PI) / 180);
      write(pen, name, 0, 0, { font, colour });
      ctx.restore();
    }
  }
}

// Groups are named where their rows and columns stand.
function paintGroups(pen, v, box) {
  const { ctx, g, look } = pen;
  const caption = `12px ${look.font}`;
  for (const [first, last, name] of v.queryGroups) {
    if (!box.first) break;
    const x = box.x - 8 - g.labelWidth - 6;
    const alpha = isFaded(v, v.rows[first]) ? FADED_LABEL : 1;
    ctx.globalAlpha = alpha;
    ctx.fillStyle = look.mark.query;
    ctx.fillRect(g.snap(x - 1), box.y + first * g.h + 5, 2, (last - first) * g.h - 10);
    write(pen, shorten(name, LONGEST_LABEL), x - 6, box.y + ((first + last) / 2) * g.h + 4, { font: caption, colour: look.text.query, align: "right", alpha });
  }
  for (const [first, last, name] of v.keyGroups) {
    const y = box.y - g.head + (g.named ? 24 : 0) + 16;
    const [x, wide] = [box.x + first * g.c + 3, (last - first) * g.c - 6];
    ctx.fillStyle = look.mark.key;
    ctx.fillRect(x, y, wide, 2);
    write(pen, fitText(name, caption, Math.max(wide, 24)), x + wide / 2, y - 5, { font: caption, colour: look.text.key, align: "center" });
  }
}

// Row and column under 5 % ink, the cell outlined.
function paintHover(pen, v) {
  const { ctx, g, look } = pen;
  if (!v.hover) return;
  const [panel, query, key] = v.hover;
  const box = g.boxes[panel];
  const [r, c] = [v.rows.indexOf(query), v.columns.indexOf(key)];
  ctx.fillStyle = look.ink;
  ctx.globalAlpha = 0.05;
  if (r >= 0) ctx.fillRect(box.x, box.y + r * g.h, box.right - box.x, g.h);
  if (c >= 0) ctx.fillRect(box.x + c * g.c, box.y, g.c, g.body);
  ctx.globalAlpha = 1;
  if (r >= 0 && c >= 0) outline(pen, box.x + c * g.c + 0.5, box.y + r * g.h + 0.5, g.c, g.h, look.ink, Math.min(1.5, g.c / 3));
}

function paintCurrent(pen, v) {
  const { g, look } = pen;
  const r = v.rows.indexOf(v.current);
  if (r < 0) return;
  for (const box of g.boxes) outline(pen, box.x - 0.5, box.y + r * g.h - 0.5, box.right - box.x + 2, g.h + 2, look.mark.query, g.h < 12 ? 1.5 : 2.5);
}

// Selected: a gap in the page's colour, then ink; with the keyboard's focus the brand's ring around it.
// In a dense matrix the ring stands on the edge and the gap inside, so that no neighbour's number is covered.
function paintSelected(pen, v) {
  const { g, look } = pen;
  const page = css(look.page);
  if (!v.selected) {
    const box = g.boxes[0];
    if (v.focus) outline(pen, box.x - 2.5, box.y - 2.5, box.right - box.x + 6, g.body + 6, look.brand, 2.5, 3);
    return;
  }
  const [panel, query, key] = v.selected;
  const box = g.boxes[panel];
  const x = key < 0 ? box.x : box.x + v.columns.indexOf(key) * g.c;
  const y = query < 0 ? box.y : box.y + v.rows.indexOf(query) * g.h;
  const [w, h] = [key < 0 ? box.right - box.x : g.c, query < 0 ? g.body : g.h];
  if (Math.min(g.c, g.h) < 12) {
    outline(pen, x - 1, y - 1, w + 2, h + 2, page, 2);
    outline(pen, x - 2.5, y - 2.5, w + 5, h + 5, v.focus ? look.brand : look.ink, v.focus ? 2.5 : 1.5);
  } else if (g.c < (g.numbers ? 38 : 28)) {
    outline(pen, x + 0.5, y + 0.5, w, h, page, 5.5);
    outline(pen, x + 0.5, y + 0.5, w, h, v.focus ? look.brand : look.ink, v.focus ? 2.5 : 2, 1);
  } else {
    outline(pen, x + 0.5, y + 0.5, w, h, page, 5);
    outline(pen, x - 0.5, y - 0.5, w + 2, h + 2, look.ink, 2, 1);
    if (v.focus) outline(pen, x - 3.5, y - 3.5, w + 8, h + 8, look.brand, 2.5, 3.5);
  }
}

// Query, key, score and weight of the hovered or selected cell, tied to its row by a hairline outside the matrix.
function paintReadout(pen, v) {
  const { ctx, g, look } = pen;
  const lines = v.read;
  const read = { ...g.read, y: g.readTop(v.pointed?.[0] ?? 0) };
  if (!lines) {
    write(pen, g.c < 12 ? "point at the matrix to read it" : "point at a cell to read it", read.x, read.y + 13, { colour: look.ink2 });
    return;
  }
  let y = read.y + 13;
  for (const { name, text, role, after, mono, most = 1 } of lines) {
    write(pen, name, read.x, y, { colour: look.ink2 });
    const font = `600 13px ${mono ? look.mono : look.font}`;
    const parts = wrapText(text, font, read.width - 58, most);
    const colour = role ? look.text[role] : look.ink;
    parts.forEach((part, i) => write(pen, part, read.x + 54, y + i * LINE, { font, colour }));
    const end = read.x + 54 + Math.max(8, textWidth(parts.at(-1), font)) + 8;
    const last = y + (parts.length - 1) * LINE;
    if (after && end + textWidth(after, `12px ${look.font}`) <= read.x + read.width + 8) write(pen, after, end, last, { colour: look.ink2 });
    y = last + LINE;
  }
  const [panel, query] = v.pointed;
  if (!g.beside) return;
  const box = g.boxes[panel];
  const r = v.rows.indexOf(query);
  const [top, foot] = [read.y, y - LINE + 1];
  const level = r < 0 ? top : box.y + (r + 0.5) * g.h;
  const tied = r >= 0 && box.last && box.right === g.right;
  ctx.strokeStyle = look.ink2;
  ctx.lineWidth = 1.25;
  ctx.beginPath();
  if (tied) { ctx.moveTo(g.right + 8, level); ctx.lineTo(read.x - 10, level); }
  ctx.moveTo(read.x - 10, tied ? Math.min(top, level) : top);
  ctx.lineTo(read.x - 10, tied ? Math.max(foot, level) : foot);
  ctx.stroke();
}

// Bars of a distribution in a fixed order, values at their ends.
function paintDistribution(pen, v) {
  const { ctx, g, look } = pen;
  const d = g.distribution;
  if (!d || !v.probabilities) return;
  let x = d.x;
  for (const [text, role] of v.distributionTitle) {
    const font = role ? `13px ${d.style.single ? look.mono : look.font}` : `12px ${look.font}`;
    const part = fitText(text, font, Math.max(0, d.x + g.read.width - x));
    write(pen, part, x, d.top - 12, { font, colour: role ? look.text[role] : look.ink2 });
    x += textWidth(part, font);
  }
  for (let n = 0; n < d.count; n++) {
    const p = v.probabilities[n];
    const chosen = n === v.distributionChosen;
    const y = d.top + n * d.pitch;
    const size = Math.min(13, d.pitch - 3);
    const font = `${chosen ? "600 " : ""}${size}px ${d.style.single ? look.mono : look.font}`;
    const colour = chosen ? look.ink : look.ink2;
    const name = fitText(d.style.names[n], font, d.bars - d.x - 6);
    write(pen, name, d.style.single ? d.x + 4 : d.bars - 8, y + d.pitch / 2 + size * 0.35, { font, colour, align: d.style.single ? "center" : "right" });
    const long = clamp(Number.isFinite(p) ? p : 0, 0, 1) * d.length;
    ctx.fillStyle = css(look.weights(chosen ? 0.82 : 0.34));
    ctx.fillRect(d.bars, y + 2.5, Math.max(1, long), d.pitch - 5);
    const word = `${chosen ? "600 " : ""}12px ${look.font}`;
    if (!(p < 0.01)) write(pen, number(p), d.bars + long + 6, y + d.pitch / 2 + 4, { font: word, colour });
  }
  rule(pen, d.bars - 0.5, d.top, 0, d.count * d.pitch, look.grid2);
  const more = d.style.names.length - d.count;
  if (more > 0) write(pen, `and ${more} more`, d.bars, d.top + d.count * d.pitch + 14, { colour: look.ink2 });
}

// Height of a value in the row bars, above their foot.
const barHeight = (v, x) => {
  if (!Number.isFinite(x)) return 0;
  return v.scale === "weights" ? clamp(x, 0, 1) * BARS : (clamp(x / v.limit, -1, 1) * BARS) / 2;
};
const barZero = (v, box) => box.bottom + 24 + (v.scale === "weights" ? BARS : BARS / 2);

// The selected row as bars on the matrix's own columns.
function paintBars(pen, v) {
  const { g, look } = pen;
  if (!g.bars) return;
  for (const [panel, box] of g.boxes.entries()) {
    const top = box.bottom + 24;
    const wide = box.right - box.x;
    rule(pen, box.x, top, wide, 0, look.grid);
    rule(pen, box.x, top + BARS, wide, 0, look.grid2);
    if (v.scale !== "weights") rule(pen, box.x, top + BARS / 2, wide, 0, look.grid2);
    if (box.first) {
      const [high, low] = v.scale === "weights" ? ["1", "0"] : [number(v.limit, 1), number(-v.limit, 1)];
      write(pen, high, box.x - 10, top + 4, { align: "right", colour: look.ink2 });
      write(pen, low, box.x - 10, top + BARS + 4, { align: "right", colour: look.ink2 });
      paintBarsName(pen, v, box, top + BARS / 2);
    }
    if (v.barRow < 0) write(pen, "select a cell: its row stands here as bars", box.x + 8, top + BARS / 2 + 4, { colour: look.ink2 });
    else paintRow(pen, v, panel, box);
  }
  paintAside(pen, v);
}

function paintBarsName(pen, v, box, y) {
  const { g, look } = pen;
  if (v.barRow < 0) return;
  const { query } = g;
  const name = fitText(query.names[v.barRow] ?? "", query.bold, g.left - 9);
  const row = `row ${v.barRow + 1}`;
  const one = query.single && box.x >= 84;
  const font = query.single ? `600 15px ${look.mono}` : query.bold;
  if (one) {
    write(pen, name, box.x - 20, y + 5, { font, colour: look.text.query, align: "center" });
    write(pen, row, box.x - 40, y + 4, { colour: look.ink2, align: "right" });
  } else {
    write(pen, name, box.x - 9, y - 1, { font, colour: look.text.query, align: "right" });
    write(pen, row, box.x - 9, y + 14, { colour: look.ink2, align: "right" });
  }
}

function paintRow(pen, v, panel, box) {
  const { ctx, g, look } = pen;
  const foot = barZero(v, box);
  const inset = g.c < 6 ? 0 : g.c < 20 ? 1 : 4;
  const start = (panel * g.queries + v.barRow) * g.keys;
  const edited = v.edited(panel, v.barRow);
  const chosen = v.selected?.[2] ?? -1;
  for (let c = 0; c < g.keys; c++) {
    const key = v.columns[c];
    const [x, own] = [v.shown[start + key], v.own[start + key]];
    const high = barHeight(v, x);
    const left = box.x + c * g.c + inset;
    const wide = g.c - 2 * inset;
    const colour = v.scale === "weights" ? look.weights(key === chosen ? 0.82 : 0.5) : look.scores((key === chosen ? 0.8 : 0.5) * Math.sign(x) * v.limit, v.limit);
    ctx.fillStyle = css(colour);
    if (high && v.allowed(panel, v.barRow, key)) ctx.fillRect(left, foot - Math.max(high, 0), wide, Math.abs(high));
    if (!edited || Math.abs(x - own) <= 0.008) continue;
    const y = foot - barHeight(v, own) + 0.5;
    if (key === chosen) dashes(pen, left - 2, left + wide + 2, y, page(look), 4, []);
    dashes(pen, left - 2, left + wide + 2, y, look.ink, 1.5, [3, 2]);
  }
  if (v.editing === "weights" && chosen >= 0 && panel === v.selected[0]) {
    paintHandle(pen, box.x + (v.columns.indexOf(chosen) + 0.5) * g.c, foot, barHeight(v, v.shown[start + chosen]));
  }
}

const page = (look) => css(look.page);

function dashes(pen, from, to, y, colour, line, pattern) {
  const { ctx } = pen;
  ctx.setLineDash(pattern);
  ctx.strokeStyle = colour;
  ctx.lineWidth = line;
  ctx.beginPath();
  ctx.moveTo(from, y);
  ctx.lineTo(to, y);
  ctx.stroke();
  ctx.setLineDash([]);
}

// The handle of a weight, with an arrow each way that it can go.
function paintHandle(pen, x, foot, high) {
  const { ctx, look } = pen;
  const y = foot - high;
  const chevron = (tip, way, colour) => {
    ctx.strokeStyle = colour;
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.moveTo(x - 4, tip);
    ctx.lineTo(x, tip + 5 * way);
    ctx.lineTo(x + 4, tip);
    ctx.stroke();
  };
  ctx.fillStyle = page(look);
  ctx.strokeStyle = look.brand;
  ctx.lineWidth = 2.5;
  ctx.beginPath();
  ctx.arc(x, y, 6.5, 0, 2 * Math.PI);
  ctx.fill();
  ctx.stroke();
  if (high < BARS - 1) chevron(y - 12, -1, look.brand);
  if (high > 1) chevron(y + 12, 1, high > 20 ? page(look) : look.brand);
}

// Beside the bars: the sum of the row, and what the dashes mean. The button of the action stands above them.
function paintAside(pen, v) {
  const { g, look } = pen;
  if (v.barRow < 0) return;
  const panel = v.selected?.[0] ?? 0;
  const row = v.shown.subarray((panel * g.queries + v.barRow) * g.keys).subarray(0, g.keys);
  const x = g.aside.x;
  const y = g.beside && !g.distribution ? g.boxes[panel].bottom + 24 : g.aside.y;
  if (v.scale === "weights" && !v.measure) write(pen, `row sum ${number(row.reduce((a, b) => a + b, 0))}`, x, y + BARS - 14, { colour: look.ink2 });
  if (v.edited(panel, v.barRow)) write(pen, "dashed: the model’s own", x, y + BARS + 4, { colour: look.ink2 });
}
