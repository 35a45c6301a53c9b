"""The graph of a model that any library has written: found in what it did; plain boxes where it does not add up."""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

import torch
from torch import Tensor, nn

from attnlab.analysis.graphs.block_graph import OF_HEADS
from attnlab.analysis.graphs.graph import Block, Builder, Graph, Part
from attnlab.checks import checked
from attnlab.trace import Trace, called

EXACT, COARSE = 1e-3, 3e-2  # how far apart two sums that are one may be, as a share of the largest number; of 16 bits


@checked
def heard_graph(model: nn.Module, trace: Trace) -> Graph:
    """The blocks of a model that has just run inside `record`: each attention with its heads, feed-forward network,
    norms, and the stream that they add to.

        with record(model) as trace:
            look_inside(model, tokenizer, text)
        graph = heard_graph(model, trace)

    Nobody says what a foreign model does between its modules. So two arrangements are tried with the numbers that were
    heard, x + attention(norm(x)) and norm(x + attention(x)), the feed-forward network after it in the same way, and
    what is drawn is the one whose sums are the model's own. Where neither is (attention and feed-forward network side
    by side, norms behind the branches, two attentions, tokens before texts as torch's layers have them without
    `batch_first=True`), the block is a plain box with its class name. A block is the innermost module with a number, as
    in an `nn.ModuleList`; a norm is known by its name or its class's: "norm", "rms" or "ln". Where the output map is a
    module beside the attention (BERT, ALBERT), the node of the attention holds what enters that map.
    Raises ValueError where a block is not given what the one before it made (attention to another text, something that
    is added in between), and where nothing attended.
    """
    blocks: dict[tuple[str, int], list[_Heard]] = {}  # one run of a block -> the attentions that ran in it
    for name, call in _in_order(trace):
        heard = _Heard(model, trace, name, call)
        blocks.setdefault((heard.block, heard.run), []).append(heard)
    if not blocks:
        raise ValueError(f"nothing attended in {type(model).__name__} while it was recorded")
    builder, x, stream = Builder(model), None, None
    for heard, *others in blocks.values():
        if not heard.is_of_one_stream(stream):
            raise ValueError(
                f"the blocks of {type(model).__name__} do not pass one stream on, as far as its numbers tell, at "
                f"{heard.called(heard.block or heard.name)} (a block is a module with a number, as in nn.ModuleList): "
                "HeadsExplorer shows its heads without a machine"
            )
        x = builder.add(f"{heard.block}/in", _STREAM) if x is None else x
        parts = None if others else _before(heard) or _behind(heard)
        x = _box(builder, heard, x) if parts is None else _draw(builder, heard, parts, x)
        stream = heard.y
    return builder.graph


_STREAM = Part("stream", "the stream", "x = what the first block is given")


def _in_order(trace: Trace) -> list[tuple[str, int]]:
    """Every attention, as a module and the number of its call, in the order in which they ran."""
    place = {name: number for number, name in enumerate(trace.tensors)}
    found = [(name, call) for name in trace.names for call in range(len(trace[name]))]
    return sorted(found, key=lambda one: place[f"{called(*one)}/weights"])


@checked
def hidden_numbers(graph: Graph, trace: Trace) -> dict[str, Tensor]:
    """Of each feed-forward network the numbers between its maps, `{"h.0.mlp/hidden": [tokens, hidden]}`, of the first
    sequence: what the last of its modules was given that made its output of another number of numbers."""
    found = {}
    for node in (node for node in graph.nodes if node.tensor in trace.tensors):
        if graph.parts[node.part].kind != "feed_forward":
            continue
        module, sign, call = node.id.partition("#")
        made = trace.tensor(node.tensor)
        for name in reversed(trace.tensors):
            path, _, suffix = name.rpartition("/")
            own = f"{path.partition('#')[0]}.".startswith(f"{module}.") and path.partition("#")[1:] == (sign, call)
            if not own or suffix != "in" or trace.tensor(name).shape[-1] == made.shape[-1]:
                continue
            if torch.equal(trace.tensor(f"{path}/out"), made):
                found[f"{node.id}/hidden"] = trace.tensor(name)[0]
                break
    return found


class _Parts(NamedTuple):
    """Names of a block's modules. norm: before attention, None where there is none. middle: the norm that reads the sum
    behind attention. worker: what is added next, the feed-forward network. last: the norm at the end, None before."""

    norm: str | None
    middle: str
    worker: str
    last: str | None


class _Heard:
    """What one attention's block was given, x, and made of it, y, in the run that the attention was a part of.

    call, run: how often the attention and the block had run before. sum: x with what the heads add.
    """

    def __init__(self, model: nn.Module, trace: Trace, name: str, call: int) -> None:
        self.trace, self.name, self.call = trace, name, call
        self.block, self.run = _block_of(name), 0
        self.kind = type(model.get_submodule(self.block)).__name__
        earlier = set(takewhile(lambda heard: heard != f"{called(name, call)}/weights", trace.tensors))
        while f"{called(self.block, self.run)}/out" in earlier:
            self.run += 1
        inside = [(path, module) for path, module in model.named_modules() if path.startswith(f"{self.block}.")]
        self.norms = [path for path, module in inside if _is_norm(path, module)]
        own = f"{self.block}.{name.removeprefix(f'{self.block}.').partition('.')[0]}"
        self.others = [path for path, _ in inside if not f"{path}.".startswith(f"{own}.") and path not in self.norms]
        self.x, self.y = self.tensor(self.block, "in"), self.tensor(self.block, "out")
        self.sum = self._sum()

    def called(self, path: str) -> str:
        """The name of the run of a module that belongs to this run of the block."""
        return called(path, self.call if path == self.name else self.run)

    def is_of_one_stream(self, before: Tensor | None) -> bool:
        """Whether the block is given what the one before it made, and makes something of the same form of it."""
        if self.x is None or self.y is None or self.x.shape != self.y.shape or self.x.ndim != 3:
            return False
        return before is None or self.same(before, self.x)

    def tensor(self, path: str, suffix: str) -> Tensor | None:
        """What a module was given ("in") or made ("out") in this run; None where nobody heard it."""
        name = f"{self.called(path)}/{suffix}"
        return self.trace.tensor(name).float() if name in self.trace.tensors else None

    def _sum(self) -> Tensor | None:
        adds, bias = self.tensor(self.name, "adds"), self.tensor(self.name, "bias")
        if self.x is None or self.y is None or adds is None or adds.sum(1).shape != self.x.shape:
            return None
        return self.x + adds.sum(1) + (0 if bias is None else bias)

    def same(self, a: Tensor | None, b: Tensor | None) -> bool:
        """Whether two tensors hold the same numbers, as exact as the model computes."""
        if a is None or b is None or a.shape != b.shape:
            return False
        heard = self.trace.tensor(f"{self.called(self.block)}/out")
        apart = EXACT if heard.dtype.itemsize > 2 else COARSE
        return bool((a - b).abs().max() <= apart * b.abs().max())

    def added(self, before: Tensor, behind: Tensor | None) -> Iterator[str]:
        """The modules, largest first, whose output is what was added between two tensors."""
        for path in self.others:
            made = self.tensor(path, "out")
            if made is not None and made.shape == before.shape and self.same(before + made, behind):
                yield path

    def norm_of(self, x: Tensor | None) -> str | None:
        """The first norm that was given this."""
        return next((path for path in self.norms if self.same(self.tensor(path, "in"), x)), None)


def _is_norm(path: str, module: nn.Module) -> bool:
    return re.search(r"norm|rms|\bln", f"{path.rpartition('.')[2]} {type(module).__name__}".lower()) is not None


def _block_of(name: str) -> str:
    """The innermost numbered module that holds this one: "h.3" of "h.3.attn"."""
    steps = name.split(".")
    numbered = [end for end, step in enumerate(steps, 1) if step.isdigit() and end < len(steps)]
    return ".".join(steps[: numbered[-1]]) if numbered else ""


def _before(heard: _Heard) -> _Parts | None:
    """The parts of a block that is x + attention(norm(x)), then the same with the feed-forward network."""
    middle = heard.norm_of(heard.sum)
    worker = None if heard.sum is None else next(heard.added(heard.sum, heard.y), None)
    return _Parts(heard.norm_of(heard.x), middle, worker, None) if middle and worker else None


def _behind(heard: _Heard) -> _Parts | None:
    """The parts of a block that is norm(x + attention(x)), then the same with the feed-forward network."""
    middle = heard.norm_of(heard.sum)
    normed = heard.tensor(middle, "out") if middle else None
    for last in heard.norms:
        worker = None if normed is None else next(heard.added(normed, heard.tensor(last, "in")), None)
        if middle and worker and heard.same(heard.tensor(last, "out"), heard.y):
            return _Parts(None, middle, worker, last)
    return None


def _box(builder: Builder, heard: _Heard, x: int) -> int:
    """A block of which nothing but its class is known."""
    return builder.add(heard.called(heard.block), Part("box", heard.kind, f"x = {heard.kind}(x)", 0, ("in",)), x)


def _draw(builder: Builder, heard: _Heard, parts: _Parts, x: int) -> int:
    """The nodes of one block; returns the number of the one that ends it."""
    first = len(builder.graph.nodes)
    short = {path: path.removeprefix(f"{heard.block}.") for path in (*heard.norms, *heard.others)}

    def node(path: str, part: Part, *sources: int) -> int:
        module, slash, suffix = path.partition("/")
        return builder.add(f"{heard.called(module)}{slash}{suffix}", part, *sources)

    def norm(path: str, source: int, made: str) -> int:
        return node(path, Part("norm", "norm", f"{made} = {short[path]}(x)"), source)

    y = norm(parts.norm, x, "y") if parts.norm else x
    own = heard.name.removeprefix(f"{heard.block}.").partition(".")[0]
    heads = heard.trace[heard.name][heard.call].weights.shape[1]
    also = tuple(suffix for suffix in OF_HEADS if heard.tensor(heard.name, suffix) is not None)
    y = node(heard.name, Part("attention", "attention", f"y = {own}({'y' if parts.norm else 'x'})", heads, also), y)
    total = node(f"{parts.middle}/in", Part("sum", "after attention", "x = x + y"), x, y)
    y = norm(parts.middle, total, "x" if parts.last else "y")
    x = y if parts.last else total
    line = f"y = {short[parts.worker]}({'x' if parts.last else 'y'})"
    y = node(parts.worker, Part("feed_forward", "feed-forward", line), y)
    end = f"{parts.last}/in" if parts.last else f"{heard.block}/out"
    x = node(end, Part("sum", "after feed-forward", "x = x + y"), x, y)
    x = norm(parts.last, x, "x") if parts.last else x
    boxes = sum(builder.graph.part(number).kind == "box" for number in range(first))
    label = f"block {len(builder.graph.blocks) + boxes + 1}"
    block = Block(heard.called(heard.block), label, first, len(builder.graph.nodes))
    builder.graph.blocks.append(block)
    return x
