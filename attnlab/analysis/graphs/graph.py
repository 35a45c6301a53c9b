"""A graph of named parts, as plain data: what a model is drawn from."""

from collections import Counter
from typing import NamedTuple

from torch import Tensor, nn

from attnlab.checks import checked
from attnlab.trace import called


class Part(NamedTuple):
    """What nodes that do the same in several places have in common.

    kind: embed, stream, norm, attention, linear, cell, feed_forward, sum, unembed, state or word; box where nothing but
    the class is known. label: its name in words. line: the line of code that it stands for.
    heads: how many, 0 where there are none. also: suffixes of the tensors that a node has beside the one it shows.
    """

    kind: str
    label: str
    line: str = ""
    heads: int = 0
    also: tuple[str, ...] = ()


class Node(NamedTuple):
    """One part of a model in its place.

    id: the name of its module, with the number of the call ("cell#2") where it is not the first; of a sum, and of what
    else is no module, the name of its tensor, which has a slash. part: its number in the list of parts.
    """

    id: str
    part: int

    @property
    def tensor(self) -> str:
        """The name under which `record` hears what comes out of it."""
        return self.id if "/" in self.id else f"{self.id}/out"


class Block(NamedTuple):
    """Nodes that belong together: those from number `first` up to, but not with, number `end`."""

    id: str
    label: str
    first: int
    end: int


@checked
class Graph(NamedTuple):
    """Nodes in the order of the data. JSON takes all of it as it is.

    wires: role -> pairs (from, to) of numbers of nodes: what flows in the role of a query, key, value or context, and
    as hidden what is none of these. A wire carries the tensor of the node that it comes from.
    """

    parts: list[Part]
    nodes: list[Node]
    wires: dict[str, list[tuple[int, int]]]
    blocks: list[Block]

    def part(self, node: int) -> Part:
        """What the node of this number is."""
        return self.parts[self.nodes[node].part]

    def tensors(self, node: int) -> list[str]:
        """The names of all tensors of the node of this number, the one that it shows first."""
        shown = self.nodes[node].tensor
        return [shown, *(f"{shown.rpartition('/')[0]}/{suffix}" for suffix in self.part(node).also)]

    def block(self, node: int) -> Block | None:
        """The block that the node of this number belongs to, None where it belongs to none."""
        return next((block for block in self.blocks if block.first <= node < block.end), None)


@checked
class Builder:
    """Puts a graph together, node by node. It gives modules their names, and numbers to calls of the same module.

    memory: the number of the node that a decoder's blocks look back at, once there is one.
    """

    def __init__(self, model: nn.Module) -> None:
        self.graph = Graph([], [], {}, [])
        self.memory: int | None = None
        self._names = {module: name for name, module in model.named_modules()}
        self._calls: Counter[nn.Module] = Counter()

    def name(self, module: nn.Module) -> str:
        """The name of a module of the model."""
        return self._names[module]

    def call(self, module: nn.Module) -> str:
        """The name of the next call of a module of the model."""
        self._calls[module] += 1
        return called(self.name(module), self._calls[module] - 1)

    def add(self, name: str, part: Part, *sources: int | None, **roles: int | None) -> int:
        """A new node, and a wire from each node whose number is given: those without a role are hidden.

        Returns its own number.
        """
        if part not in self.graph.parts:
            self.graph.parts.append(part)
        number = len(self.graph.nodes)
        self.graph.nodes.append(Node(name, self.graph.parts.index(part)))
        for role, source in [*(("hidden", source) for source in sources), *roles.items()]:
            if source is not None:
                self.wire(source, number, role)
        return number

    def wire(self, source: int, target: int, role: str = "hidden") -> None:
        """One more wire, between two nodes that are there."""
        self.graph.wires.setdefault(role, []).append((source, target))


@checked
def shape_in_words(name: str, tensor: Tensor) -> str:
    """What `record` heard under this name, for each sequence: "6 tokens × 8", "2 heads × 6 × 6", "8 numbers"."""
    suffix = name.rpartition("/")[2]
    sizes = list(tensor.shape if suffix == "bias" else tensor.shape[1:])
    if suffix == "mask":
        return " × ".join(map(str, sizes[-2:]))
    if not tensor.is_floating_point():
        return _counted(sizes[0] if sizes else 1, "token")
    if len(sizes) < 2:
        return _counted(sizes[0] if sizes else 1, "number")
    heads, (rows, columns) = sizes[:-2], sizes[-2:]
    tokens = str(rows) if suffix in ("scores", "weights") else _counted(rows, "token")
    return " × ".join([*(_counted(number, "head") for number in heads), tokens, str(columns)])


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
