"""Which input reaches which output, in each part of a block."""

from functools import partial

import torch

from attnlab.analysis import jacobian_norms
from attnlab.analysis.learning.jacobians import Layer
from attnlab.masks import MASKS
from widgets.base.controls import select, selected_cell, stepper
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, number, query, quote, say
from widgets.explorers.l09_block.fresh_blocks import fresh_blocks
from widgets.instruments.matrix.matrix import Matrix

TOKENS = ["the", "cat", "sat", "on", "the", "mat"]
DIM, HEADS = 8, 2
PARTS = ["norm", "feed-forward", "attention", "block"]
REACHES = {"everything": ("everything", {}), "causal": ("causal", {}), "window of 1": ("window", {"radius": 1})}


class JacobianExplorer(Explorer):
    """How strongly each output vector answers to each input vector: norm, feed-forward, attention, the whole block."""

    norm = select(["layer", "rms", "batch", "none"], help="what normalises the vectors")
    mask = select(REACHES, help="who may look at whom")
    blocks = stepper(1, 1, 6, help="how many blocks the last panel goes through")
    cell = selected_cell([3, 2, 1], help="panel, output and input that are selected")

    shows = {"sizes": ("matrix", "values")}

    @property
    def sizes(self) -> torch.Tensor:
        """[4 parts, outputs, inputs]: the norm of each derivative."""
        return self.result

    def views(self) -> dict:
        count = len(TOKENS)
        return {
            "matrix": Matrix(
                torch.zeros(4, count, count),
                panel_names=PARTS,
                query_labels=TOKENS,
                key_labels=TOKENS,
                query_title="output",
                key_title="input",
                scale="scores",
                measure="effect",
            )
        }

    def compute(self, state) -> torch.Tensor:
        x = torch.randn(len(TOKENS), DIM, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
        name, sizes = REACHES[state.mask]
        mask = MASKS[name](len(TOKENS), **sizes)
        blocks = fresh_blocks(state.blocks, DIM, HEADS, state.norm)  # in training: a BatchNorm looks at its batch
        first, *others = (block.double() for block in blocks)
        parts: list[list[Layer]] = [
            [first.attention_norm],
            [first.feed_forward],
            [partial(first.attention, mask=mask)],
            [partial(block, mask=mask) for block in (first, *others)],
        ]
        return torch.stack([jacobian_norms(part, x) for part in parts])

    def picture(self, state, result) -> dict:
        last = "block" if state.blocks == 1 else f"{state.blocks} blocks"
        return {"matrix": {"values": result, "panel_names": [*PARTS[:3], last]}}

    def sentence(self, state, result) -> list:
        panel, output, at = state.cell or (3, 2, 1)
        output, at = max(output, 0), max(at, 0)
        size = float(result[panel, output, at])
        name = PARTS[panel] if panel < 3 else "block" if state.blocks == 1 else "stack of blocks"
        runs: list = [
            f"In the {name}, the output of ",
            query(quote(TOKENS[output])),
            f" (place {output + 1})",
            " answers to the input ",
            key(quote(TOKENS[at])),
            f" (place {at + 1}) with ",
            context("exactly 0" if not size else number(size, 2) if size >= 0.005 else "less than 0.01"),
            ". ",
        ]
        off = result.clone()
        off.diagonal(dim1=1, dim2=2).zero_()
        alone = [PARTS[i] for i in range(2) if not off[i].any()]
        if len(alone) == 2:
            runs.append("Norm and feed-forward hold nothing but their diagonal: each vector is alone there.")
        else:
            runs.append(
                "The batch norm is full: every vector moves the mean and deviation of all others"
                + (", those before it too." if state.mask == "causal" else ".")
            )
        return say(*runs)

    def code(self, state) -> str:
        name, sizes = REACHES[state.mask]
        mask = ", ".join([str(len(TOKENS)), *(f"{size}={value}" for size, value in sizes.items())])
        parts = f"MultiHeadAttention({DIM}, {HEADS}), FeedForward({DIM}, {4 * DIM}), NORMS[{state.norm!r}]"
        return "\n".join([
            "from functools import partial",
            "import torch",
            f"from attnlab import MultiHeadAttention, {name}",
            "from attnlab.analysis import jacobian_norms",
            "from attnlab.blocks import NORMS, EncoderBlock, FeedForward",
            "",
            "torch.manual_seed(0)",
            f"blocks = [EncoderBlock({parts}).double() for _ in range({state.blocks})]",
            f"x, mask = torch.randn({len(TOKENS)}, {DIM}, generator=torch.Generator().manual_seed(0), "
            f"dtype=torch.float64), {name}({mask})",
            "whole = [partial(block, mask=mask) for block in blocks]",
            "parts = [[blocks[0].attention_norm], [blocks[0].feed_forward], [partial(blocks[0].attention, mask=mask)], "
            "whole]",
            "sizes = torch.stack([jacobian_norms(part, x) for part in parts])  # [parts, outputs, inputs]",
        ])
