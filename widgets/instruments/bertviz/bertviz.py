"""Bertviz: BertViz's head view and model view of any attention, with no network and no token read as markup.

As it ships, BertViz asks a server for three scripts, and writes tokens into a script of the page. Here its page lies in
a frame of its own that may run scripts and nothing else: it reaches neither the notebook nor another machine.
"""

import gzip
import json
import re
import warnings
from functools import cache
from importlib.resources import files

import torch
from jaxtyping import Float
from torch import Tensor
from traitlets import Bytes, Enum, Int, Unicode

from widgets.base.instrument import Instrument
from widgets.base.words import counted, visible

MOST_BYTES = 2_000_000  # of the page of one view

# `MODE` and `COLOURS` are defined by the page that shows the view: they follow its theme.
LOOK = """
:root { color-scheme: var(--scheme); }
body { margin: 0; padding: 4px; overflow-x: auto; color: var(--ink); }
#bertviz, select { font: 13px system-ui, sans-serif !important; color: var(--ink); }
select { background: var(--page); border: 1px solid var(--ink); border-radius: 2px; min-height: 24px; }
svg { display: block; overflow: visible; filter: var(--filter); }
text { fill: var(--ink); }
:is([fill=white], [fill=black]):not(text) { fill: var(--page); }
.background { fill: var(--soft); }
"""
ALONE = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
STAND_IN = """
for (const [name, colour] of Object.entries(COLOURS)) document.documentElement.style.setProperty(`--${name}`, colour);
console.log = () => {};
window.require = { config() {} };
window.requirejs = (names, make) => make(...names.map((name) => ({ jquery: jQuery, d3 })[name]));
"""
SIZE = """
const vis = document.getElementById("vis");
const fit = () => {
  const wide = Number(vis.querySelector("svg")?.getAttribute("width"));
  document.body.style.zoom = wide ? Math.min(1, innerWidth / (wide + 12)) : 1;
  const sticksOut = Math.min(0, ...[...vis.querySelectorAll("#left text")].map((text) => text.getBBox().x));
  vis.style.marginLeft = `${Math.min(240, -sticksOut)}px`;
  parent.postMessage({ bertviz: document.getElementById("bertviz").getBoundingClientRect().bottom }, "*");
};
new ResizeObserver(fit).observe(document.getElementById("bertviz"));
addEventListener("resize", fit);
fit();
"""


class Bertviz(Instrument):
    """BertViz's picture of a model's weights: lines between the tokens that read and the tokens that are read.

        Bertviz([seen.weights for seen in (trace["blocks.0.attention"][0], trace["blocks.1.attention"][0])], tokens)

    weights: one [1, heads, queries, keys] or [heads, queries, keys] for each layer. tokens: one for each query and key.
    view: "head", one layer with all heads on each other; "model", all layers and heads as small pictures to click.
    layers: the layers to show, counted from 0; all unless given.
    Raises ValueError for weights and tokens that do not fit, and for a picture that would be too large for a page.
    """

    bundle = "bertviz"

    view = Enum(["head", "model"], "head").tag(sync=True)
    page = Bytes(help="BertViz's page, gzipped").tag(sync=True)
    name = Unicode(help="what the frame holds, for those who cannot see it").tag(sync=True)
    height = Int(300, help="of the frame before its page has told its own, in pixels").tag(sync=True)

    def __init__(self, weights, tokens, view="head", layers=None, **traits) -> None:
        self._weights = stacked(weights)
        self._tokens = list(tokens)
        self._layers = list(range(len(self._weights))) if layers is None else list(layers)
        html = page(self._weights, self._tokens, view, self._layers)
        super().__init__(
            view=view,
            page=gzip.compress(html.encode(), mtime=0),
            name=f"BertViz, {self._words(view)}",
            height=60 + 23 * len(self._tokens),
            **traits,
        )

    @property
    def html(self) -> str:
        """The page in the frame."""
        return gzip.decompress(self.page).decode()

    def _words(self, view) -> str:
        _, heads, count, _ = self._weights.shape
        layers = counted(len(self._layers), "layer")
        return f"{view} view: {layers} of {counted(heads, 'head')}, {count} tokens"

    def __repr__(self) -> str:
        return f"Bertviz({self._words(self.view)})"


def stacked(weights) -> Float[Tensor, "layers heads queries keys"]:
    """The weights of all layers; ValueError where they are not those of self-attention in layers of one size."""
    layers = [torch.as_tensor(layer).detach().cpu() for layer in weights]
    layers = [layer[0] if layer.ndim == 4 and len(layer) == 1 else layer for layer in layers]
    shapes = [list(layer.shape) for layer in layers]
    if not layers or any(len(shape) != 3 or shape[1] != shape[2] or shape != shapes[0] for shape in shapes):
        raise ValueError(f"expected weights [heads, tokens, tokens] for each layer, of one size; got {shapes}")
    return torch.stack(layers)


def page(weights: Float[Tensor, "layers heads queries keys"], tokens: list[str], view: str, layers: list[int]) -> str:
    """BertViz's page for a frame of its own, with all that it needs inside."""
    _check(weights, tokens, layers)
    # Imported here: only this view needs them.
    from bertviz import head_view, model_view

    kind, more = (head_view, {}) if view == "head" else (model_view, {"display_mode": "light"})
    shown = [layer[None].double().round(decimals=4) for layer in weights]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # BertViz does not close the script that it reads
        made = kind(
            shown,
            [visible(token) for token in tokens],
            include_layers=layers,
            prettify_tokens=False,
            html_action="return",
            **more,
        ).data
    made = re.sub(r"bertviz-[0-9a-f]{32}", "bertviz", made)  # a random id: it stands alone in its frame
    body, _, rest = made.partition('<script type="text/javascript">')
    code = _once(rest.rpartition("</script>")[0]).replace('"display_mode": "light"', '"display_mode": MODE')
    body = body.partition("</script>")[2]  # after the tag that asks a server for require.js
    parts = [STAND_IN, *libraries(), code, SIZE]
    policy = f'<meta http-equiv="Content-Security-Policy" content="{ALONE}">'
    html = "".join([
        f'<meta charset="utf-8">{policy}<style>{LOOK}</style>',
        body,
        *(f"<script>{inside(part)}</script>" for part in parts),
    ])
    if len(html.encode()) > MOST_BYTES:
        raise ValueError(
            f"this view would be {len(html.encode()) / 1e6:.1f} MB large, and a page takes at most "
            f"{MOST_BYTES / 1e6:.0f}: show fewer than {len(tokens)} tokens, or name fewer than "
            f"{len(layers)} layers, as in layers=[0]"
        )
    return html


def _check(weights, tokens, layers) -> None:
    count, keys = weights.shape[0], weights.shape[3]
    if len(tokens) != keys:
        raise ValueError(f"expected {keys} tokens, one for each key, got {len(tokens)}")
    if wrong := [layer for layer in layers if not (isinstance(layer, int) and 0 <= layer < count)]:
        raise ValueError(f"expected layers from 0 to {count - 1}, got {wrong[0]!r}")
    if not layers:
        raise ValueError("expected at least one layer, got none")


def _once(code: str) -> str:
    """BertViz writes its numbers into its script, and once more into a comment of the same line: without that."""
    before, start, after = code.partition("const params = ")
    _, end = json.JSONDecoder().raw_decode(after)
    return f"{before}{start}{after[:end]};\n{after[end:].partition(chr(10))[2]}"


def inside(source: str) -> str:
    """A script that nothing in it can end: in JavaScript's strings and patterns the backslash changes nothing."""
    return source.replace("</", r"<\/").replace("<!--", r"<\!--")


@cache
def libraries() -> tuple[str, str]:
    """jQuery and D3 5, which BertViz draws with, from packages that are installed."""
    return (
        (files("xstatic.pkg.jquery") / "data" / "jquery.min.js").read_text(encoding="utf-8"),
        (files("mpld3") / "js" / "d3.v5.min.js").read_text(encoding="utf-8"),
    )
