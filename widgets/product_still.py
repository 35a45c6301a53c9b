"""The still picture of a Product: six tables, in the colours of the light look."""

from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from .matrix_still import SCORES, WEIGHTS, fonts, word

ROLES = {"query": ("#E69F00", "#8A5A00"), "key": ("#56B4E9", "#10659A"), "value": ("#009E73", "#00704F"),
         "context": ("#CC79A7", "#96467A")}
TITLES = {"query": "queries Q", "key": "keys Kᵀ", "value": "values V", "scores": "scores", "weights": "weights",
          "context": "context"}


def draw(product, axes):
    """All tables with their numbers, each where the page has it: K over the scores, V over the context."""
    tables = {name: getattr(product, name) for name in TITLES}
    tables["key"] = tables["key"].T
    queries, keys = tables["scores"].shape
    dim, value_dim = tables["query"].shape[1], tables["value"].shape[1]
    places = {"query": (0, 0), "scores": (dim + 0.6, 0), "weights": (dim + keys + 1.6, 0),
              "context": (dim + 2 * keys + 3.2, 0)}
    places["key"] = (places["scores"][0], -dim - 1.0)
    places["value"] = (places["context"][0], -keys - 1.0)
    top = min(-dim, -keys) - 1.6
    axes.set(xlim=(-1.6, places["context"][0] + value_dim + 0.2), ylim=(queries + 0.9, top))
    axes.set_axis_off()
    for name, (x, y) in places.items():
        cells(axes, product, name, tables[name], x, y)
        above = name in ("key", "value")
        height = y - (0.55 if name == "key" else 0.15) if above else queries + 0.15
        title = product.titles.get(name, [TITLES[name]])[0]
        text(axes, x, height, title, ROLES.get(name, ("", "#212121"))[1], weight="bold", ha="left",
             va="bottom" if above else "top")
    names(axes, product, places, queries, keys)


def cells(axes, product, name, table, x, y):
    limit = max(float(abs(table).max()), 1e-9)
    for (row, column), number in ((at, float(table[at])) for at in ((r, c) for r in range(table.shape[0])
                                                                    for c in range(table.shape[1]))):
        masked = name in ("scores", "weights") and product.mask is not None and not product.mask[row, column]
        if name in ROLES:
            colour = tuple(1 - 0.13 * (1 - part) for part in to_rgb(ROLES[name][0]))
        else:
            colour = WEIGHTS(number) if name == "weights" else SCORES((number / limit + 1) / 2)
        look = {"facecolor": "#FFFFFF", "hatch": "////"} if masked else {"facecolor": colour}
        axes.add_patch(Rectangle((x + column, y + row), 1, 1, edgecolor="#BBBBBB", linewidth=0.6, **look))
        if masked:
            continue
        bright = sum(share * part**2.2 for share, part in zip((0.2126, 0.7152, 0.0722), colour, strict=False)) > 0.179
        ink = "#000000" if bright else "#FFFFFF"
        written = f"{number:.2f}".replace("-", "−")
        text(axes, x + column + 0.5, y + row + 0.5, written, ink, size=6.5, ha="center", va="center")


def names(axes, product, places, queries, keys):
    query_names = product.query_labels or [str(i + 1) for i in range(queries)]
    key_names = product.key_labels or [str(i + 1) for i in range(keys)]
    for row, name in enumerate(query_names):
        text(axes, -0.15, row + 0.5, word(name), ROLES["query"][1], ha="right", va="center")
    for column, name in enumerate(key_names):
        text(axes, places["key"][0] + column + 0.5, places["key"][1] - 0.1, word(name, 9), ROLES["key"][1], ha="center")
        text(axes, places["weights"][0] + column + 0.5, -0.1, word(name, 9), ROLES["key"][1], ha="center")
        text(axes, places["value"][0] - 0.15, places["value"][1] + column + 0.5, word(name), ROLES["value"][1],
             ha="right", va="center")


def text(axes, x, y, words, colour, size=8.0, **more):
    axes.text(x, y, words, family=fonts()[0], size=size, color=colour, parse_math=False, in_layout=False, **more)
