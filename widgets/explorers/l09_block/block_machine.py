"""Blocks as a machine: the vectors of some words run through, and what each part adds to them is seen."""

from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor, nn

from attnlab.analysis import (
    Graph,
    MachineSpec,
    colour_limits,
    cosine_similarities,
    heads_in,
    largest_branch,
    mean_cosine,
    model_graph,
    run_machine,
    scale_weights,
)
from attnlab.tasks import word_vectors
from widgets.base.controls import choice, held, select, slider, stepper, text
from widgets.base.explorer import Explorer
from widgets.base.typed import words_in
from widgets.base.words import context, counted, most_read, number, query, quote, say
from widgets.explorers.l09_block.fresh_blocks import fresh_blocks
from widgets.explorers.l09_block.rank_collapse import AROUND, MOST_WORDS
from widgets.instruments.machine.machine import Machine, pack

DIM, HEADS, MOST_BLOCKS = 16, 2, 4
UNDRAWN = "/bias"  # end of names of tensors that no zoom shows


class BlockMachine(NamedTuple):
    """before, after: the words' vectors, [words, DIM]; with_all: after, with all heads. spec: what the machine is drawn
    from, without the heads that are off. limits, branch: of its colours and of its largest branch, as they are with all
    heads."""

    before: Tensor
    after: Tensor
    with_all: Tensor
    spec: MachineSpec
    limits: dict[str, float]
    branch: float


@lru_cache(maxsize=32)
def scaled_blocks(count: int, norm: str, residual: str, weights: float) -> nn.Sequential:
    """Fresh blocks, the matrices of their parts `weights` times as large and without biases."""
    blocks = fresh_blocks(count, DIM, HEADS, norm, residual)
    for block in blocks:
        scale_weights(block.attention, weights, others=0)
        scale_weights(block.feed_forward, weights, others=0)
    return nn.Sequential(*blocks)


class BlockMachineExplorer(Explorer):
    """Some fresh blocks as a machine: what attention and feed-forward add to the stream, the norm before or after, and
    what becomes of the words where there is no stream."""

    around = choice(AROUND, "pre-norm", label="around", help="how each part is put into the stream")
    norm = select(["layer", "rms", "none"], help="what normalises the vectors")
    blocks = stepper(2, 1, MOST_BLOCKS, help="how many blocks the words go through")
    weights = slider(1.0, 0.5, 3.0, step=0.25, help="times the weights of a fresh nn.Linear")
    words = text("the cat sat on a mat", label="sentence", width=26, help="a vector of its own for every word")
    off = held([], "ids of the heads that are switched off", ("machine", "off"))
    zoom = held("", "what is seen from near", ("machine", "zoom"))

    shows = {"alike": lambda parts: parts["machine"].tensor("alike/out")}

    @property
    def alike(self) -> Tensor:
        """The cosines of the last word with each of the others, [words - 1], after the last block."""
        return alike(self.result.after)

    def views(self) -> dict:
        return {"machine": Machine("stream")}

    def compute(self, state) -> BlockMachine:
        words = words_in(state.words, MOST_WORDS)
        blocks = scaled_blocks(state.blocks, state.norm, AROUND[state.around], state.weights)
        x, off = word_vectors(words, DIM), heads_off(state)
        asked = (*words, blocks)
        if asked not in self._known:
            self._known = {asked: self._whole(blocks, x)}
        graph, with_all, whole, limits, branch = self._known[asked]
        after, spec = run(blocks, graph, x, off) if off else (with_all, whole)
        return BlockMachine(x, after, with_all, spec, limits, branch)

    @staticmethod
    def _whole(blocks: nn.Module, x: Tensor) -> tuple:
        """Kept, since it is the same whatever is switched off."""
        graph = model_graph(blocks)
        after, whole = run(blocks, graph, x, [])
        return graph, after, whole, colour_limits(whole), largest_branch(whole)

    def picture(self, state, result) -> dict:
        words = words_in(state.words, MOST_WORDS)
        shape = f"{len(words)} words in and out"
        whole = {"id": "", "label": "all blocks", "line": "for block in blocks: x = block(x)", "shape": shape}
        bars = {
            "id": "alike",
            "kind": "word",
            "in": "",
            "label": f"like {quote(words[-1])}",
            "line": "alike = cosine_similarities(x)[-1]",
            "was": "at the start",
            "signed": True,
        }
        spec = {
            "title": f"{len(words)} words run through {counted(state.blocks, 'block')}",
            "nodes": [whole, *result.spec.nodes, bars],
            "labels": {"token": words, "vocabulary": words[:-1]},
            "branch": result.branch,
        }
        drawn = {name: tensor for name, tensor in result.spec.tensors.items() if not name.endswith(UNDRAWN)}
        drawn |= {"alike/out": alike(result.after), "alike/was": alike(result.before)}
        return {"machine": pack(spec, drawn, result.limits)}

    def sentence(self, state, result) -> list:
        near = next((node for node in result.spec.nodes if node["id"] == state.zoom), {"kind": "whole"})
        if near["kind"] == "head":
            return self._of_head(state, result, near)
        off = heads_off(state)
        if off:
            return self._without(state, result, off)
        if near["kind"] == "block":
            return say(
                f"In {near['label']} the words meet in the heads of the attention alone: the feed-forward network and "
                "the norms work on each word by itself."
            )
        pairs, before = (number(float(mean_cosine(x))) for x in (result.after, result.before))
        own = number(kept(result.before, result.after))
        return say(
            f"After {counted(state.blocks, 'block')} ",
            last_word(state),
            f" has the cosine {own} with the vector that it was, and any two words ",
            context(pairs),
            f" on average ({before} at the start): {self._why(state, result)}.",
        )

    def _without(self, state, result, off) -> list:
        """What the heads that are off have done."""
        if not result.after.any():
            return say(f"With {counted(len(off), 'head')} off nothing is left: every vector is 0.")
        now, then = (number(kept(result.before, x)) for x in (result.after, result.with_all))
        pairs, before = (number(float(mean_cosine(x))) for x in (result.after, result.with_all))
        return say(
            f"With {counted(len(off), 'head')} off ",
            last_word(state),
            f" has the cosine {now} with the vector that it was, {then} with all heads; any two words have ",
            context(pairs),
            f" on average, {before} with all.",
        )

    def _of_head(self, state, result, node) -> list:
        """What the last word reads in one head."""
        [(name, head)] = heads_in([node["id"]])
        if (name, head) in heads_off(state):
            return say(context(node["label"].capitalize()), " is off: it still weighs the words, and adds nothing.")
        row = result.spec.tensors[f"{name}/weights"][head, -1].tolist()
        read = most_read(row, len(row) - 1, words_in(state.words, MOST_WORDS))
        return say("In ", context(node["label"]), " ", last_word(state), " reads ", *read, ".")

    @staticmethod
    def _why(state, result) -> str:
        if state.around == "no residual":
            return "nothing runs past a part, so only what the last one makes comes out"
        if state.around == "post-norm" and state.norm != "none":
            size = number(float(result.after.norm(dim=-1).mean()))
            return f"each part adds to the stream, and the norm on the line brings it back to vectors of size {size}"
        if kept(result.before, result.after) < 0.5:
            return "the stream runs past every part, and what the parts add is more than what was there"
        return "the stream runs past every part, and each only adds to it"

    def code(self, state) -> str:
        words, off = words_in(state.words, MOST_WORDS), heads_off(state)
        given = f", without(blocks, {off})" if off else ""
        scaled = [f"scale_weights({part}, {state.weights}, others=0)" for part in PARTS]
        return "\n".join([
            "import torch",
            "from attnlab import MultiHeadAttention",
            f"from attnlab.analysis import cosine_similarities, scale_weights{', without' if off else ''}",
            "from attnlab.blocks import NORMS, RESIDUALS, EncoderBlock, FeedForward",
            "from attnlab.tasks import word_vectors",
            "torch.manual_seed(0)",
            f"def block(): return EncoderBlock({scaled[0]}, {scaled[1]},",
            f"                                NORMS[{state.norm!r}], RESIDUALS[{AROUND[state.around]!r}])",
            f"blocks = torch.nn.Sequential(*(block() for _ in range({state.blocks})))",
            f"with torch.no_grad(){given}:",
            f"    x = blocks(word_vectors({words}, {DIM}).unsqueeze(0))[0]",
            "alike = cosine_similarities(x)[-1, :-1]",
        ])


PARTS = (f"MultiHeadAttention({DIM}, {HEADS})", f"FeedForward({DIM}, {4 * DIM})")


def heads_off(state) -> list[tuple[str, int]]:
    """Those that are off and there: a stepper may have taken their block away. It keeps them, should it come back."""
    return [(name, head) for name, head in heads_in(state.off) if int(name.partition(".")[0]) < state.blocks]


def run(blocks: nn.Module, graph: Graph, x: Tensor, off: list[tuple[str, int]]) -> tuple[Tensor, MachineSpec]:
    """The vectors after the blocks, with these heads off, and what a machine of it is drawn from."""
    after, spec = run_machine(blocks, graph, off, x.unsqueeze(0))
    return after[0], spec


def last_word(state) -> list[str]:
    """The word that is spoken of, in the colour of what asks."""
    return query(quote(words_in(state.words, MOST_WORDS)[-1]))


def kept(before: Tensor, after: Tensor) -> float:
    """The cosine of the last word's vector with what it was."""
    return float(cosine_similarities(torch.stack([before[-1], after[-1]]))[0, 1])


def alike(x: Tensor) -> Tensor:
    """The cosines of the last vector with each of the others."""
    return cosine_similarities(x)[-1, :-1]
