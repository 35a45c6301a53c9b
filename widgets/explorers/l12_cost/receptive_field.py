"""Which inputs an output depends on after one layer, and after several: measured by derivatives."""

from functools import lru_cache

import torch

from attnlab.analysis import random_layers
from attnlab.analysis.learning.jacobians import Sensitivity, at_input, one_layer_further
from attnlab.costs import contiguous_path, dilated_path, restricted_attention
from widgets.base.controls import select, selected_cell, stepper
from widgets.base.explorer import Explorer
from widgets.base.words import counted, key, percent, query, say
from widgets.instruments.matrix.matrix import Matrix

DIM = 4
NEAR = {
    "convolution": "convolution",
    "dilated convolution": "convolution",
    "restricted attention": "restricted_attention",
}  # the layer in the middle, and its kind
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
    """The receptive field of every output, for three kinds of layers, with random maps."""

    layers = stepper(1, 1, 12, help="how many layers lie on top of each other")
    near = select(NEAR, help="the layer in the middle, which takes few tokens together; dilated: 1, k, k² ... apart")
    sees = select([3, 5, 7], help="k and r: how many tokens the layer in the middle takes together")
    tokens = select([25, 12], help="n: how many tokens")
    show = select(SHOW, help="whether there is any derivative, or how large it is beside the panel's largest")
    cell = selected_cell([1, 5, 0], help="panel, output and input that are selected")

    shows = {"field": ("matrix", "values")}

    @property
    def field(self) -> torch.Tensor:
        """[3 kinds of layers, outputs, inputs], as shown."""
        return self.result

    def views(self) -> dict:
        return {
            "matrix": Matrix(torch.zeros(3, 2, 2), query_title="output", key_title="input", measure="reached"),
        }

    def compute(self, state) -> torch.Tensor:
        kinds = ["recurrent", NEAR[state.near], "self_attention"]
        sizes = torch.stack([
            through(kind, state.layers, state.tokens, state.sees, growth(state)).norms for kind in kinds
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
                "panel_names": names(state),
                "query_labels": places,
                "key_labels": places,
                "measure": "reached" if state.show == "whether" else "effect",
                "selected": state.cell if fits else [],
            }
        }

    def sentence(self, state, result) -> list:
        n, sees = state.tokens, state.sees
        runs: list = [f"After {counted(state.layers, 'layer')} the last of {n} outputs depends on "]
        for name, field in zip(names(state), result, strict=True):
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
        paths = {
            "convolution": contiguous_path(n, sees),
            "dilated convolution": dilated_path(n, sees),
            "restricted attention": restricted_attention(n, DIM, neighbourhood=sees).path,
        }
        return say(*runs, "With ", query(state.near), f", it takes {paths[state.near]} layers to reach the first.")

    def code(self, state) -> str:
        last = "(sizes != 0).double()" if state.show == "whether" else "sizes / sizes.amax(dim=(1, 2), keepdim=True)"
        return "\n".join([
            "import torch",
            "from attnlab.analysis import jacobian_norms, random_layers",
            "",
            f"x = torch.randn({state.tokens}, {DIM}, generator=torch.Generator().manual_seed(99), dtype=torch.float64)",
            "sizes = []  # of the derivative of each output vector with respect to each input vector",
            f'for kind in ["recurrent", "{NEAR[state.near]}", "self_attention"]:',
            "    # growth: how much farther apart a convolution's tokens stand in each layer",
            f"    layers = random_layers(kind, {state.layers}, dim={DIM}, sees={state.sees}, growth={growth(state)})",
            "    sizes.append(jacobian_norms(layers, x))",
            "sizes = torch.stack(sizes)  # [kinds, outputs, inputs]",
            f"field = {last}",
        ])


def names(state) -> list[str]:
    """Of the panels."""
    return ["recurrent", state.near, "self-attention"]


def growth(state) -> int:
    """How many times farther apart a convolution's tokens stand in each layer than in the one below."""
    return state.sees if state.near == "dilated convolution" else 1
