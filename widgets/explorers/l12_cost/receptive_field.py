"""Which inputs an output depends on after one layer, and after several: measured by derivatives."""

from functools import lru_cache

import torch

from attnlab.analysis import LAYER_KINDS, random_layers
from attnlab.analysis.jacobians import Sensitivity, at_input, one_layer_further
from attnlab.costs import contiguous_path, dilated_path, restricted_attention
from widgets.base.controls import select, selected_cell, slider, stepper, switch
from widgets.base.explorer import Explorer
from widgets.base.words import key, number, percent, query, say
from widgets.instruments.matrix.matrix import Matrix

DIM = 4
PANELS = {
    "recurrent": "recurrent",
    "convolution": "convolution",
    "self_attention": "self-attention",
    "restricted_attention": "restricted",
}
SHOW = ["whether", "how strongly"]


@lru_cache(maxsize=1024)  # one layer more costs one layer, not all of them
def through(kind: str, layers: int, tokens: int, sees: int, growth: int) -> Sensitivity:
    """The input after these layers, and its derivatives."""
    if not layers:
        generator = torch.Generator().manual_seed(99)
        return at_input(torch.randn(tokens, DIM, generator=generator, dtype=torch.float64))
    *_, last = random_layers(kind, layers, DIM, sees, growth)
    return one_layer_further(last, through(kind, layers - 1, tokens, sees, growth))


class ReceptiveFieldExplorer(Explorer):
    """The receptive field of every output, for four kinds of layers, with random maps."""

    layers = stepper(1, 1, 12, help="how many layers lie on top of each other")
    tokens = slider(25, 6, 32, help="n: how many tokens")
    sees = select([3, 5, 7], help="k and r: how many tokens a convolution, or restricted attention, takes together")
    dilated = switch(False, help="the convolution's tokens stand ever farther apart: 1, k, k² ... places")
    show = select(SHOW, help="whether there is any derivative, or how large it is beside the panel's largest")
    cell = selected_cell([1, 5, 0], help="panel, output and input that are selected")

    shows = {"field": ("matrix", "values")}

    @property
    def field(self) -> torch.Tensor:
        """[4 kinds of layers, outputs, inputs], as shown."""
        return self.result

    def views(self) -> dict:
        return {
            "matrix": Matrix(
                torch.zeros(4, 2, 2),
                panel_names=list(PANELS.values()),
                query_title="output",
                key_title="input",
                measure="reached",
            )
        }

    def compute(self, state) -> torch.Tensor:
        growth = state.sees if state.dilated else 1
        sizes = torch.stack([
            through(kind, state.layers, state.tokens, state.sees, growth).norms for kind in LAYER_KINDS
        ])
        if state.show == "whether":
            return (sizes != 0).double()
        return sizes / sizes.amax(dim=(1, 2), keepdim=True)

    def picture(self, state, result) -> dict:
        places = [str(place + 1) for place in range(state.tokens)]
        fits = state.cell and max(state.cell[1:]) < state.tokens
        return {
            "matrix": {
                "values": result,
                "query_labels": places,
                "key_labels": places,
                "measure": "reached" if state.show == "whether" else "effect",
                "selected": state.cell if fits else [],
            }
        }

    def sentence(self, state, result) -> list:
        n, sees = state.tokens, state.sees
        paths = [
            1,
            dilated_path(n, sees) if state.dilated else contiguous_path(n, sees),
            1,
            restricted_attention(n, DIM, neighbourhood=sees).path,
        ]
        after = f"After {state.layers} layer{'s' if state.layers > 1 else ''}"
        runs: list = [f"{after} the last of {n} outputs depends on "]
        for name, field in zip(PANELS.values(), result, strict=True):
            runs += [key(f"{int((field[-1] != 0).sum())} inputs"), " (", query(name), "), "]
        runs[-1] = "). "
        if state.show == "how strongly":
            faint = float(result[0, -1, 0] / result[0, -1].max())
            effect = "less than a millionth" if faint < 1e-6 else percent(faint)
            return say(
                *runs,
                "In the recurrent layer the first input has ",
                key(effect),
                " of the effect of the strongest one.",
            )
        return say(*runs, "Layers until it depends on the first: ", ", ".join(number(path, 0) for path in paths), ".")

    def code(self, state) -> str:
        growth = state.sees if state.dilated else 1
        last = "(sizes != 0).double()" if state.show == "whether" else "sizes / sizes.amax(dim=(1, 2), keepdim=True)"
        return "\n".join([
            "import torch",
            "from attnlab.analysis import LAYER_KINDS, jacobian_norms, random_layers",
            "",
            f"x = torch.randn({state.tokens}, {DIM}, generator=torch.Generator().manual_seed(99), dtype=torch.float64)",
            "sizes = []  # of the derivative of each output vector with respect to each input vector",
            "for kind in LAYER_KINDS:  # growth: how much farther apart a convolution's tokens stand in each layer",
            f"    layers = random_layers(kind, {state.layers}, dim={DIM}, sees={state.sees}, growth={growth})",
            "    sizes.append(jacobian_norms(layers, x))",
            "sizes = torch.stack(sizes)  # [kinds, outputs, inputs]",
            f"field = {last}",
        ])
