"""FirstGradientExplorer: how large a gradient each block gets before the first step of training."""

import torch
from torch.nn.functional import cross_entropy

from attnlab.blocks import NORMS, RESIDUALS

from .chart import Chart, curve, figure
from .collapse import decades
from .controls import select, slider
from .explorer import Explorer
from .words import context, key, query, say

NAMES = {"pre_norm": "pre-norm", "post_norm": "post-norm", "bare": "no residual"}
ROLES = {"pre_norm": "context", "post_norm": "query", "bare": "key"}
LEAST = 1e-30  # what is below has no place on a logarithmic axis


class Profiles(Chart):
    """A chart of curves of one length."""

    @property
    def heights(self) -> torch.Tensor:
        """[curves, blocks] as they are seen now."""
        return torch.stack([torch.as_tensor(trace["y"]) for trace in self._today()["data"]])


def times(number: float) -> str:
    """A ratio in words."""
    if number >= 1e6:
        return "over a million times"
    if number >= 1000:
        return f"over {int(number) // 1000 * 1000:,} times"
    return f"{number:.0f} times" if number >= 10 else f"{number:.1f} times"


class FirstGradientExplorer(Explorer):
    """The gradient of each block's feed-forward matrix, with pre-norm, with post-norm and without residuals.

    make: `(depth, residual, norm) -> model` with its `blocks`; inputs, targets: one batch.
    """

    depth = slider(12, 2, 24, step=2, help="how many blocks the model has")
    norm = select(["layer", "rms", "batch", "none"], help="what normalises the vectors")
    weights = slider(1.0, 0.5, 3.0, step=0.25, help="times torch's fresh weights of all matrices in the blocks")

    shows = {"gradients": ("chart", "heights")}

    def __init__(self, make, inputs, targets, lock=None, **state):
        self.make, self.inputs, self.targets = make, inputs, targets
        super().__init__(lock=lock, **state)

    @property
    def gradients(self) -> torch.Tensor:
        """[3 ways, blocks]."""
        return self.result

    def views(self):
        curves = [curve([1.0, 1.0], [1, 2], NAMES[name], ROLES[name], line_width=3) for name in NAMES]
        return {"chart": Profiles(figure(*curves, x="block, the first one at the left", y="norm of the gradient",
                                         yaxis_type="log", yaxis_exponentformat="power", height=320))}

    def compute(self, state):
        return torch.stack([self._profile(state, RESIDUALS[name]) for name in NAMES])

    def _profile(self, state, residual):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            model = self.make(state.depth, residual, NORMS[state.norm])
        with torch.no_grad():
            for parameter in model.blocks.parameters():
                if parameter.ndim == 2:
                    parameter.mul_(state.weights)
        matrices = [block.feed_forward.contract.weight for block in model.blocks]
        with torch.enable_grad():
            loss = cross_entropy(model(self.inputs).flatten(0, 1), self.targets.flatten())
            gradients = torch.autograd.grad(loss, matrices)
        return torch.stack([gradient.norm() for gradient in gradients]).clamp(min=LEAST)

    def picture(self, state, result):
        blocks = list(range(1, state.depth + 1))
        traces = {name: {"x": blocks, "y": heights} for name, heights in zip(NAMES.values(), result, strict=True)}
        return {"chart": {"traces": traces, "figure_layout": {
            "xaxis": {"range": [1, state.depth * 1.02]}, "yaxis": decades(result)}}}

    def sentence(self, state, result):
        if not result.isfinite().all():
            return say("Without a norm, numbers have grown until the gradient is no number any more.")
        pre, post, bare = (float(heights.max() / heights.min()) for heights in result)
        told = ["From the least to the largest gradient: ", context(f"pre-norm {times(pre)}"), ", ",
                query(f"post-norm {times(post)}"), ", ", key(f"no residual {times(bare)}"), "."]
        if float(result[2, -1] / result[2, 0]) > 1000:
            told.append(" Without residuals the first blocks hear next to nothing of the loss.")
        elif torch.equal(result[0], result[1]):
            told.append(" Without a norm, pre-norm and post-norm are one and the same.")
        return say(*told)

    def code(self, state):
        return "\n".join([
            "import torch",
            "from torch.nn.functional import cross_entropy",
            "from attnlab.blocks import NORMS, RESIDUALS",
            "",
            "gradients = []",
            f"for name in {list(NAMES)}:",
            "    torch.manual_seed(0)",
            f"    model = Reverser({state.depth}, RESIDUALS[name], NORMS[{state.norm!r}])",
            "    for parameter in model.blocks.parameters():",
            f"        parameter.data *= {state.weights} if parameter.ndim == 2 else 1",
            "    matrices = [block.feed_forward.contract.weight for block in model.blocks]",
            "    loss = cross_entropy(model(example.inputs).flatten(0, 1), example.targets.flatten())",
            "    gradients.append(torch.stack([g.norm() for g in torch.autograd.grad(loss, matrices)]))",
            "gradients = torch.stack(gradients)  # [ways, blocks]",
        ])
