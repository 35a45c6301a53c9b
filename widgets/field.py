"""FieldExplorer: which inputs an output depends on after one layer, and after several: measured by derivatives."""

from functools import lru_cache

import torch

from attnlab.attention import attend
from attnlab.costs import contiguous_path, dilated_path, restricted_attention
from attnlab.masks import window

from .controls import held, select, slider, stepper, switch
from .explorer import Explorer
from .matrix import Matrix
from .words import key, number, percent, query, say

DIM = 4
PANELS = ["recurrent", "convolution", "self-attention", "restricted"]
SHOW = ["whether", "how strongly"]


def maps(layer: int) -> torch.Tensor:
    """[7, dim, dim]: the same for the same layer."""
    drawn = torch.randn(7, DIM, DIM, generator=torch.Generator().manual_seed(layer), dtype=torch.float64)
    return drawn / DIM**0.5


def recurrent(x, W, sees, gap):
    state, states = torch.zeros_like(x[0]), []
    for row in x:
        state = torch.tanh(row @ W[0] + state @ W[1])
        states.append(state)
    return torch.stack(states)


def convolution(x, W, sees, gap):
    """Each place sees its own token and those `gap`, 2 `gap` ... before it."""
    before = [torch.cat([torch.zeros_like(x[: j * gap]), x])[: len(x)] for j in range(sees)]
    return sum(seen @ W[j] for j, seen in enumerate(before))


def self_attention(x, W, sees, gap):
    return attend(x @ W[0], x @ W[1], x @ W[2]).context


def restricted(x, W, sees, gap):
    return attend(x @ W[0], x @ W[1], x @ W[2], mask=window(len(x), radius=sees // 2)).context


LAYERS = [recurrent, convolution, self_attention, restricted]


@lru_cache(maxsize=1024)
def stream(kind: int, layers: int, tokens: int, sees: int, dilated: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """[tokens, dim] after these layers, and its derivative [tokens * dim, tokens * dim] with respect to the input: by
    the chain rule, so that the next layer costs one product more."""
    if not layers:
        x = torch.randn(tokens, DIM, generator=torch.Generator().manual_seed(99), dtype=torch.float64)
        return x, torch.eye(tokens * DIM, dtype=torch.float64)
    x, before = stream(kind, layers - 1, tokens, sees, dilated)
    W, gap = maps(layers - 1), sees ** (layers - 1) if dilated else 1

    def layer(x):
        return LAYERS[kind](x, W, sees, gap)

    here = torch.autograd.functional.jacobian(layer, x, vectorize=True)  # [tokens, dim, tokens, dim]
    return layer(x), here.reshape(before.shape) @ before


def touch(kind: int, *sizes) -> torch.Tensor:
    """[outputs, inputs]: the size of each derivative of one output vector with respect to one input vector."""
    jacobian = stream(kind, *sizes)[1]
    return jacobian.unflatten(1, (-1, DIM)).unflatten(0, (-1, DIM)).square().sum(dim=(1, 3)).sqrt()


class FieldExplorer(Explorer):
    """The receptive field of every output, for four kinds of layers, with random maps."""

    layers = stepper(1, 1, 12, help="how many layers lie on top of each other")
    tokens = slider(25, 6, 32, help="n: how many tokens")
    sees = select([3, 5, 7], help="k and r: how many tokens a convolution, or restricted attention, takes together")
    dilated = switch(False, help="the convolution's tokens stand ever farther apart: 1, k, k² ... places")
    show = select(SHOW, help="whether there is any derivative, or how large it is beside the panel's largest")
    cell = held([1, 5, 0], help="panel, output and input that are selected")

    shows = {"field": ("matrix", "values")}
    follows = {"cell": ("matrix", "selected")}

    @property
    def field(self) -> torch.Tensor:
        """[4 kinds of layers, outputs, inputs], as shown."""
        return self.result

    def views(self):
        return {"matrix": Matrix(torch.zeros(4, 2, 2), panel_names=PANELS, query_title="output", key_title="input",
                                 measure="reached")}

    def compute(self, state):
        sizes = torch.stack([touch(kind, state.layers, state.tokens, state.sees, state.dilated) for kind in range(4)])
        if state.show == "whether":
            return (sizes != 0).double()
        return sizes / sizes.amax(dim=(1, 2), keepdim=True)

    def picture(self, state, result):
        places = [str(place + 1) for place in range(state.tokens)]
        fits = state.cell and max(state.cell[1:]) < state.tokens
        return {"matrix": {"values": result, "query_labels": places, "key_labels": places,
                           "measure": "reached" if state.show == "whether" else "effect",
                           "selected": state.cell if fits else []}}

    def sentence(self, state, result):
        n, sees = state.tokens, state.sees
        paths = [1, dilated_path(n, sees) if state.dilated else contiguous_path(n, sees), 1,
                 restricted_attention(n, DIM, neighbourhood=sees).path]
        told = [f"After {state.layers} layer{'s' if state.layers > 1 else ''} the last of {n} outputs depends on "]
        for name, field in zip(PANELS, result, strict=True):
            told += [key(f"{int((field[-1] != 0).sum())} inputs"), " (", query(name), "), "]
        told[-1] = "). "
        if state.show == "how strongly":
            faint = float(result[0, -1, 0] / result[0, -1].max())
            said = "less than a millionth" if faint < 1e-6 else percent(faint)
            return say(*told, "In the recurrent layer the first input has ", key(said),
                       " of the effect of the strongest one.")
        return say(*told, "Layers until it depends on the first: ",
                   ", ".join(number(path, 0) for path in paths), ".")

    def code(self, state):
        gap = f"{state.sees}**layer" if state.dilated else "1"
        last = ["field = (sizes != 0).double()"] if state.show == "whether" else [
            "field = sizes / sizes.amax(dim=(1, 2), keepdim=True)"]
        return "\n".join([
            "import torch",
            "from attnlab import attend, window",
            "",
            f"n, sees = {state.tokens}, {state.sees}",
            "",
            "def random(*shape, seed):",
            "    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)",
            "",
            "def recurrent(x, W, layer):",
            "    states = [torch.zeros_like(x[0])]",
            "    for row in x:",
            "        states.append(torch.tanh(row @ W[0] + states[-1] @ W[1]))",
            "    return torch.stack(states[1:])",
            "",
            "def convolution(x, W, layer):",
            f"    gap = {gap}",
            "    before = [torch.cat([torch.zeros_like(x[:j * gap]), x])[:n] for j in range(sees)]",
            "    return sum(seen @ W[j] for j, seen in enumerate(before))",
            "",
            "def self_attention(x, W, layer, mask=None):",
            "    return attend(x @ W[0], x @ W[1], x @ W[2], mask=mask).context",
            "",
            "def restricted(x, W, layer):",
            "    return self_attention(x, W, layer, mask=window(n, radius=sees // 2))",
            "",
            "def sizes_of(kind):",
            "    def stack(x):",
            f"        for layer in range({state.layers}):",
            f"            x = kind(x, random(7, {DIM}, {DIM}, seed=layer) / {DIM} ** 0.5, layer)",
            "        return x",
            f"    jacobian = torch.autograd.functional.jacobian(stack, random(n, {DIM}, seed=99), vectorize=True)",
            "    return jacobian.square().sum(dim=(1, 3)).sqrt()  # [outputs, inputs]",
            "",
            "sizes = torch.stack([sizes_of(kind) for kind in (recurrent, convolution, self_attention, restricted)])",
            *last,
        ])
