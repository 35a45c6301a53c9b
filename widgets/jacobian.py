"""JacobianExplorer: which input reaches which output, in each part of a block."""

import torch
from torch import nn

from attnlab.blocks import NORMS, EncoderBlock, FeedForward
from attnlab.masks import MASKS
from attnlab.multihead import MultiHeadAttention

from .controls import held, select, stepper
from .explorer import Explorer
from .matrix import Matrix
from .words import context, key, number, query, quote, say

TOKENS = ["the", "cat", "sat", "on", "the", "mat"]
DIM = 8
PARTS = ["norm", "feed-forward", "attention", "block"]
LOOKS = {"everything": "everything", "causal": "causal", "window of 1": "window"}


def touch(function, x: torch.Tensor) -> torch.Tensor:
    """[outputs, inputs]: the size of each derivative of one output vector with respect to one input vector."""
    jacobian = torch.autograd.functional.jacobian(function, x)  # [tokens, dim, tokens, dim]
    return jacobian.pow(2).sum(dim=(1, 3)).sqrt()


def stack(norm: str, blocks: int) -> nn.ModuleList:
    """Fresh blocks, pre-norm; in training, so that a BatchNorm looks at its batch."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return nn.ModuleList(
            EncoderBlock(MultiHeadAttention(DIM, heads=2), FeedForward(DIM, 4 * DIM), NORMS[norm])
            for _ in range(blocks)
        ).double()


class JacobianExplorer(Explorer):
    """How strongly each output vector answers to each input vector: norm, feed-forward, attention, the whole block."""

    norm = select(["layer", "rms", "batch", "none"], help="what normalises the vectors")
    mask = select(LOOKS, help="who may look at whom")
    blocks = stepper(1, 1, 6, help="how many blocks the last panel goes through")
    cell = held([3, 2, 1], help="panel, output and input that are selected")

    shows = {"sizes": ("matrix", "values")}
    follows = {"cell": ("matrix", "selected")}

    @property
    def sizes(self) -> torch.Tensor:
        """[4 parts, outputs, inputs]: the norm of each derivative."""
        return self.result

    def views(self):
        count = len(TOKENS)
        return {"matrix": Matrix(torch.zeros(4, count, count), panel_names=PARTS, query_labels=TOKENS,
                                 key_labels=TOKENS, query_title="output", key_title="input", scale="scores",
                                 measure="effect")}

    def compute(self, state):
        x = torch.randn(len(TOKENS), DIM, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
        mask = self._mask(state)
        modules = stack(state.norm, state.blocks)
        first = modules[0]

        def whole(x):
            x = x.unsqueeze(0)
            for module in modules:
                x = module(x, mask)
            return x[0]

        return torch.stack([
            touch(first.attention_norm, x),
            touch(first.feed_forward, x),
            touch(lambda x: first.attention(x.unsqueeze(0), mask=mask)[0], x),
            touch(whole, x),
        ])

    @staticmethod
    def _mask(state):
        if state.mask == "window of 1":
            return MASKS["window"](len(TOKENS), radius=1)
        return MASKS[state.mask](len(TOKENS))

    def picture(self, state, result):
        last = "block" if state.blocks == 1 else f"{state.blocks} blocks"
        return {"matrix": {"values": result, "panel_names": [*PARTS[:3], last]}}

    def sentence(self, state, result):
        panel, output, at = state.cell or (3, 2, 1)
        output, at = max(output, 0), max(at, 0)
        size = float(result[panel, output, at])
        name = PARTS[panel] if panel < 3 else "block" if state.blocks == 1 else "stack of blocks"
        told = [f"In the {name}, the output of ", query(quote(TOKENS[output])), f" (place {output + 1})",
                " answers to the input ", key(quote(TOKENS[at])), f" (place {at + 1}) with ",
                context(number(size, 3) if size else "exactly 0"), ". "]
        off = result.clone()
        off.diagonal(dim1=1, dim2=2).zero_()
        alone = [PARTS[i] for i in range(2) if not off[i].any()]
        if len(alone) == 2:
            told.append("Norm and feed-forward hold nothing but their diagonal: each vector is alone there.")
        else:
            told.append("The batch norm is full: every vector moves the mean and deviation of all others"
                        + (", those before it too." if state.mask == "causal" else "."))
        return say(*told)

    def code(self, state):
        mask = {"everything": "everything(6)", "causal": "causal(6)"}.get(state.mask, "window(6, radius=1)")
        return "\n".join([
            "import torch",
            f"from attnlab import MultiHeadAttention, {mask.partition('(')[0]}",
            "from attnlab.blocks import NORMS, EncoderBlock, FeedForward",
            "",
            f"x = torch.randn({len(TOKENS)}, {DIM}, generator=torch.Generator().manual_seed(0), dtype=torch.float64)",
            f"mask = {mask}",
            "torch.manual_seed(0)",
            f"blocks = [EncoderBlock(MultiHeadAttention({DIM}, 2), FeedForward({DIM}, {4 * DIM}),",
            f"                       NORMS[{state.norm!r}]).double() for _ in range({state.blocks})]",
            "first = blocks[0]",
            "",
            "def whole(x):",
            "    for block in blocks:",
            "        x = block(x.unsqueeze(0), mask)[0]",
            "    return x",
            "",
            "def attention(x):",
            "    return first.attention(x.unsqueeze(0), mask=mask)[0]",
            "",
            "parts = [first.attention_norm, first.feed_forward, attention, whole]",
            "jacobians = [torch.autograd.functional.jacobian(part, x) for part in parts]",
            "sizes = torch.stack([j.pow(2).sum(dim=(1, 3)).sqrt() for j in jacobians])  # [parts, outputs, inputs]",
        ])
