"""How large a gradient each block gets before the first step of training."""

import numpy as np
import torch

from attnlab.analysis import block_gradients, scale_weights
from attnlab.blocks import NORMS, RESIDUALS
from attnlab.training import seeded
from widgets.base.controls import select, slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, query, say
from widgets.explorers.l09_block.log_axis import log_axis
from widgets.instruments.chart.chart import Chart, curve, figure

NAMES = {"pre_norm": "pre-norm", "post_norm": "post-norm", "bare": "no residual"}
ROLES = {"pre_norm": "context", "post_norm": "query", "bare": "key"}
LEAST = 1e-30  # what is below has no place on a logarithmic axis


def in_words(ratio: float) -> str:
    """A ratio in words."""
    if ratio >= 1e6:
        return "over a million times"
    if ratio >= 1000:
        return f"over {int(ratio) // 1000 * 1000:,} times"
    return f"{ratio:.0f} times" if ratio >= 10 else f"{ratio:.1f} times"


class GradientAtStartExplorer(Explorer):
    """The gradient of each block's feed-forward matrix, with pre-norm, with post-norm and without residuals.

    make: `(depth, residual, norm) -> model` with its `blocks`; inputs, targets: one batch.
    """

    depth = slider(12, 2, 24, step=2, help="how many blocks the model has")
    norm = select(["layer", "rms", "batch", "none"], help="what normalises the vectors")
    weights = slider(1.0, 0.5, 3.0, step=0.25, help="times the weights of a fresh nn.Linear, in all blocks")

    shows = {"gradients": lambda parts: np.stack([parts["chart"].trace(name)["y"] for name in NAMES.values()])}

    def __init__(self, make, inputs, targets, lock=None, **state) -> None:
        self.make, self.inputs, self.targets = make, inputs, targets
        super().__init__(lock=lock, **state)

    @property
    def gradients(self) -> torch.Tensor:
        """[3 ways, blocks]."""
        return self.result

    def views(self) -> dict:
        curves = [curve([1.0, 1.0], [1, 2], NAMES[name], ROLES[name], line_width=3) for name in NAMES]
        return {
            "chart": Chart(
                figure(
                    *curves,
                    x="block, the first one at the left",
                    y="norm of the gradient",
                    yaxis_type="log",
                    yaxis_exponentformat="power",
                    height=320,
                )
            )
        }

    def compute(self, state) -> torch.Tensor:
        return torch.stack([self._gradients(state, name) for name in NAMES]).clamp(min=LEAST)

    def _gradients(self, state, residual: str) -> torch.Tensor:
        with seeded(0):
            model = self.make(state.depth, RESIDUALS[residual], NORMS[state.norm])
        scale_weights(model.blocks, state.weights)
        return block_gradients(model, self.inputs, self.targets)

    def picture(self, state, result) -> dict:
        blocks = list(range(1, state.depth + 1))
        traces = {name: {"x": blocks, "y": heights} for name, heights in zip(NAMES.values(), result, strict=True)}
        return {
            "chart": {
                "traces": traces,
                "figure_layout": {"xaxis": {"range": [1, state.depth * 1.02]}, "yaxis": log_axis(result)},
            }
        }

    def sentence(self, state, result) -> list:
        lost = [name for name, heights in zip(NAMES.values(), result, strict=True) if not heights.isfinite().all()]
        if lost:
            told = " and ".join(lost)
            return say(f"Without a norm, numbers have grown until the gradient is no number any more: {told}.")
        pre, post, bare = (in_words(float(heights.max() / heights.min())) for heights in result)
        runs: list = [
            "From the least to the largest gradient: ",
            context(f"pre-norm {pre}"),
            ", ",
            query(f"post-norm {post}"),
            ", ",
            key(f"no residual {bare}"),
            ".",
        ]
        if float(result[2, -1] / result[2, 0]) > 1000:
            runs.append(" Without residuals the first blocks hear next to nothing of the loss.")
        if torch.equal(result[0], result[1]):
            runs.append(" Without a norm, pre-norm and post-norm are one and the same.")
        else:
            least, most = (f"{times:.1f}" for times in torch.aminmax(result[1] / result[0]))
            times = least if least == most else f"{least} to {most}"
            runs.append(f" Post-norm gets {times} times as much as pre-norm.")
        return say(*runs)

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "from attnlab.analysis import block_gradients, scale_weights",
            "from attnlab.blocks import NORMS, RESIDUALS",
            "",
            "gradients = []",
            f"for name in {list(NAMES)}:",
            "    torch.manual_seed(0)",
            f"    model = Reverser({state.depth}, RESIDUALS[name], NORMS[{state.norm!r}])",
            f"    scale_weights(model.blocks, {state.weights})",
            "    gradients.append(block_gradients(model, example.inputs, example.targets))",
            "gradients = torch.stack(gradients)  # [ways, blocks]",
        ])
