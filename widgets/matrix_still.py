"""The still picture of a Matrix: a heat map in the colours of the light look."""

from functools import cache

import numpy as np
from matplotlib import font_manager, ft2font
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

SHADES = ["#FFFFFF", "#C8CEE9", "#919FD8", "#6271BA", "#3B4592", "#1C215D"]
WEIGHTS = LinearSegmentedColormap.from_list("weights", SHADES)
MINUS, PLUS = ["#7F3117", "#AE5B41", "#D38E78", "#EBC6BA"], ["#C7CEEA", "#919ED7", "#616FB9", "#3A4490"]
SCORES = LinearSegmentedColormap.from_list("scores", [*MINUS, "#FFFFFF", *PLUS])
QUERY, KEY, INK, FAINT = "#8A5A00", "#10659A", "#212121", "#606060"
WIDER = ["Noto Sans CJK JP", "Noto Sans JP", "Hiragino Sans", "Yu Gothic", "Microsoft YaHei", "Noto Emoji"]


@cache
def fonts() -> tuple[list[str], frozenset[int]]:
    """Families to write with, and all characters they have."""
    installed = {entry.name for entry in font_manager.fontManager.ttflist}
    families = ["DejaVu Sans", *(family for family in WIDER if family in installed)]
    files = [font_manager.findfont(family) for family in families]
    return families, frozenset().union(*(ft2font.FT2Font(file).get_charmap() for file in files))


def word(label: str, most: int = 14) -> str:
    """A label that can be written: short, blanks visible, characters that no font has as a box."""
    known = fonts()[1]
    label = {" ": "␣", "": "∅"}.get(label, label)
    label = label if len(label) <= most else label[: most - 1] + "…"
    return "".join(c if c.isprintable() and ord(c) in known else "□" for c in label)


def draw(matrix, axes):
    """The frame that is shown, panels side by side, with labels, and numbers where there are few cells."""
    shown, scale = matrix.shown, matrix.scale
    panels, queries, keys = shown.shape
    gap = max(1.0, keys / 8)
    finite = np.abs(matrix.values[np.isfinite(matrix.values)])
    limit = matrix.limit or float(finite.max(initial=0)) or 1.0
    low, colours = (0.0, WEIGHTS) if scale == "weights" else (-limit, SCORES)
    high = 1.0 if scale == "weights" else limit
    allowed = np.ones_like(shown, bool) if matrix.mask is None else np.broadcast_to(matrix.mask != 0, shown.shape)
    rows, columns = matrix.query_order or range(queries), matrix.key_order or range(keys)
    for panel in range(panels):
        left = panel * (keys + gap)
        cells = np.where(allowed, shown, np.nan)[panel][np.ix_(rows, columns)]
        extent = (left, left + keys, queries, 0)
        axes.imshow(cells, cmap=colours, vmin=low, vmax=high, extent=extent, aspect="auto", interpolation="nearest")
        axes.add_patch(Rectangle((left, 0), keys, queries, fill=False, edgecolor="#BBBBBB", linewidth=0.8))
        hatch(axes, left, ~allowed[panel][np.ix_(rows, columns)])
        if keys <= 24 and queries <= 24 and panels * keys <= 48:
            numbers(axes, left, cells, scale, colours, low, high, 0.045 if keys > 8 else None)
        if matrix.panel_names:
            text(axes, left, queries + 0.15, matrix.panel_names[panel], weight="bold", va="top", ha="left")
    axes.set(xlim=(-0.1, panels * (keys + gap) - gap + 0.1), ylim=(queries + 0.1, -0.1))
    axes.spines[:].set_visible(False)
    ticks(axes, matrix, rows, columns, gap)


def text(axes, x, y, words, size=9.0, colour=INK, **kwargs):
    return axes.text(x, y, word(words, 40), family=fonts()[0], size=size, color=colour, parse_math=False, **kwargs)


def hatch(axes, left, masked):
    """All masked cells as one patch: a box a run of masked cells of a row."""
    boxes = []
    for row, cells in enumerate(masked):
        for start, stop in np.flatnonzero(np.diff([False, *cells, False])).reshape(-1, 2) + left:
            corners = [(start, row), (stop, row), (stop, row + 1), (start, row + 1), (start, row)]
            boxes.append(Path(corners, closed=True))
    if boxes:
        look = {"fill": False, "hatch": "////", "edgecolor": "#BBBBBB", "linewidth": 0}
        axes.add_patch(PathPatch(Path.make_compound_path(*boxes), **look))


def numbers(axes, left, cells, scale, colours, low, high, least):
    size = 8 if cells.shape[1] <= 12 else 6
    for (row, column), x in np.ndenumerate(cells):
        if not np.isfinite(x) or (least is not None and abs(x) < least):
            continue
        red, green, blue, _ = colours((x - low) / (high - low))
        written = f"{x:.2f}".replace("-", "−")
        written = written.replace("0.", ".", 1) if scale == "weights" and cells.shape[1] > 8 else written
        bright = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 > 0.179
        look = {"ha": "center", "va": "center", "size": size, "color": "#000000" if bright else "#FFFFFF"}
        axes.text(left + column + 0.5, row + 0.5, written, parse_math=False, **look)


def ticks(axes, matrix, rows, columns, gap):
    """Labels of queries at the left, of keys above every panel; every n-th where there are many."""
    queries, keys, panels = len(rows), len(columns), matrix.values.shape[1]
    every_row, every_key = -(-queries // 24), -(-keys * panels // 40)
    query_names = [word(matrix.query_labels[i]) if matrix.query_labels else str(i + 1) for i in rows]
    key_names = [word(matrix.key_labels[i]) if matrix.key_labels else str(i + 1) for i in columns]
    axes.set_yticks(np.arange(0, queries, every_row) + 0.5, query_names[::every_row])
    places = [panel * (keys + gap) + k + 0.5 for panel in range(panels) for k in range(0, keys, every_key)]
    turned = 90 if max(map(len, key_names), default=0) > max(1, 90 // (keys * panels)) else 0
    axes.set_xticks(places, key_names[::every_key] * panels, rotation=turned)
    axes.tick_params(length=0, labeltop=True, labelbottom=False, labelleft=True)
    for label, colour in [*((t, QUERY) for t in axes.get_yticklabels()), *((t, KEY) for t in axes.get_xticklabels())]:
        label.set(family=fonts()[0], size=9, color=colour, parse_math=False)
    axes.set_ylabel(word(matrix.query_title, 40), family=fonts()[0], size=9, color=FAINT, parse_math=False)
    axes.set_xlabel(word(matrix.key_title, 40), family=fonts()[0], size=9, color=FAINT, parse_math=False)
    axes.xaxis.set_label_position("top")
