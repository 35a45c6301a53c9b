"""A model that has just run, as a page draws it: its graph with the shapes that it had, and its numbers by name."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from attnlab.analysis.graphs.graph import Block, Graph, Node, shape_in_words
from attnlab.analysis.heads.head_patterns import without
from attnlab.blocks import BatchNorm, LayerNorm, RMSNorm
from attnlab.checks import checked
from attnlab.trace import Trace, naming_nan, record

_ADDED = ("attention/adds", "feed_forward/out")  # ends of names of tensors that branches add to the stream
_INSIDE = ("/q", "/k", "/v", "/context", "/hidden", "/scores")  # of tensors that are no part of the stream


class MachineSpec(NamedTuple):
    """What a machine is drawn from.

    nodes: `id`, `kind`, `in` (what holds it, "" for the whole), `label`, `line`, `shape` in words, and `tensor`, the
    name of what comes out of it; of an attention that looks at something else than its queries, `memory`, the name of
    that. A block stands before what it holds, each head of an attention behind it: "blocks.0.attention:1".
    wires: `from` and `to`, ids of nodes, `tensor` and `role`.
    tensors: the numbers by name, without the axis of the batch; not the ids of tokens.
    """

    nodes: list[dict[str, Any]]
    wires: list[dict[str, str]]
    tensors: dict[str, Tensor]


@checked
def machine_spec(graph: Graph, trace: Trace) -> MachineSpec:
    """The graph of a model with what `record` heard of the first sequence: its masks too, where it had any.

    A part of a module that is not known may not have run: it has no numbers, and its shape says so. Raises ValueError
    where nothing of the graph was heard: the model has to run inside of `record`.
    """
    heard = _with_changes(graph, _recorded(graph, trace))
    nodes: list[dict[str, Any]] = []
    for number in range(len(graph.nodes)):
        nodes += [_block(graph, heard, block) for block in graph.blocks if block.first == number]
        nodes += _node(graph, heard, number)
    vectors = {name: t for name, t in heard.items() if t.is_floating_point() or name.endswith("/mask")}
    return MachineSpec(nodes, _wires(graph), {name: _of_first(name, tensor) for name, tensor in vectors.items()})


@checked
def outside_boxes(spec: MachineSpec) -> MachineSpec:
    """The same without what is inside of a part that is not known: where its numbers come from and go, nobody knows."""
    boxes = tuple(f"{node['id'].partition('#')[0]}." for node in spec.nodes if node["kind"] == "box")
    nodes = [node for node in spec.nodes if not node["id"].startswith(boxes)]
    kept = {node["id"] for node in nodes}
    wires = [wire for wire in spec.wires if {wire["from"], wire["to"]} <= kept]
    tensors = {name: tensor for name, tensor in spec.tensors.items() if not name.startswith(boxes)}
    return MachineSpec(nodes, wires, tensors)


@checked
def run_machine(
    model: nn.Module, graph: Graph, off: Iterable[str | tuple[str, int]], *inputs: Tensor
) -> tuple[Any, MachineSpec]:
    """What a model gives without what is `off` (see `without`), and what a machine of this run is drawn from, which has
    nothing of the inside of a part that is not known.

    graph: that of the model. Raises ValueError for a part that is not there, and for a NaN that reaches an attention,
    by the name of the first tensor that holds one.
    """
    with torch.no_grad(), without(model, off), record(model) as trace:
        result = naming_nan(model, lambda: model(*inputs))
    return result, with_gains(outside_boxes(machine_spec(graph, trace)), model)


@checked
def with_gains(spec: MachineSpec, model: nn.Module) -> MachineSpec:
    """The same, where the words of each norm say whether it has learned a gain or a shift: one that is not 1, or 0.

    Of norms of attnlab and of torch; another may mean something else by a weight.
    """
    norms = {name: module for name, module in model.named_modules() if type(module) in _WITH_GAIN}
    nodes = [
        {**node, "shape": node["shape"] + _gain_in_words(norms[name])}
        if node["kind"] == "norm" and (name := node["id"].partition("#")[0]) in norms
        else node
        for node in spec.nodes
    ]
    return spec._replace(nodes=nodes)


_WITH_GAIN = (LayerNorm, RMSNorm, BatchNorm, nn.LayerNorm, nn.RMSNorm, nn.BatchNorm1d)


def _gain_in_words(norm: nn.Module) -> str:
    """What a norm does to each number when it is normed: ", then a learned gain and shift"."""
    numbers = dict(norm.named_parameters(recurse=False))
    gain, shift = (numbers.get(ours, numbers.get(torchs)) for ours, torchs in (("gain", "weight"), ("shift", "bias")))
    learned = [
        name
        for name, parameter, at_first in (("gain", gain, 1), ("shift", shift, 0))
        if parameter is not None and bool((parameter != at_first).any())
    ]
    return f", then a learned {' and '.join(learned)}" if learned else ""


def _recorded(graph: Graph, trace: Trace) -> dict[str, Tensor]:
    """What of the graph was heard, by name, and the masks."""
    names = [name for number in range(len(graph.nodes)) for name in graph.tensors(number)]
    names += [name.replace("/weights", "/mask") for name in names if name.endswith("/weights")]
    known = set(trace.tensors)
    heard = {name: trace.tensor(name) for name in names if name in known}
    if not heard:
        trace.tensor(names[0])  # raises, and says what there is
    return heard


def _with_changes(graph: Graph, heard: dict[str, Tensor]) -> dict[str, Tensor]:
    """With what each box that stands in no block, so between two places of a stream, makes of it: `/adds` is what comes
    out of it minus what goes in, where the two are of one shape."""
    changes = {}
    for number, node in enumerate(graph.nodes):
        if graph.part(number).kind == "box" and graph.block(number) is None:
            made, given = (heard.get(name) for name in graph.tensors(number))
            if made is not None and given is not None and made.shape == given.shape and made.is_floating_point():
                changes[f"{node.id}/adds"] = made - given
    return {**heard, **changes}


def _of_first(name: str, tensor: Tensor) -> Tensor:
    """Of the first sequence; a mask that is the same for all heads has no axis for them."""
    if name.endswith("/bias"):
        return tensor
    if not name.endswith("/mask"):
        return tensor[0]
    same = tensor.ndim == 4 and bool((tensor[0] == tensor[0, :1]).all())
    return tensor[0, 0] if same else tensor[0].squeeze(0)


def _id(block: Block) -> str:
    return block.id or "block"  # a model that is one block has no name


def _shape(heard: dict[str, Tensor], *names: str) -> str:
    """What goes in and out, in words, of what was heard."""
    return " → ".join(shape_in_words(name, heard[name]) for name in names if name in heard) or "did not run"


def _block(graph: Graph, heard: dict[str, Tensor], block: Block) -> dict[str, Any]:
    """A block as a node."""
    looks = any(block.first <= target < block.end for _, target in graph.wires.get("key", []))
    return {
        "id": _id(block),
        "kind": "block",
        "in": "",
        "label": block.label,
        "line": "x = block(x, memory)" if looks else "x = block(x)",
        "shape": _shape(heard, graph.nodes[block.end - 1].tensor),
    }


def _node(graph: Graph, heard: dict[str, Tensor], number: int) -> list[dict[str, Any]]:
    """A node, and its heads behind it."""
    node, part = graph.nodes[number], graph.part(number)
    holder = graph.block(number)
    ends = reversed(graph.tensors(number)) if part.kind == "box" else [node.tensor]
    described = {
        "id": node.id,
        "kind": part.kind,
        "in": "" if holder is None else _id(holder),
        "label": part.label,
        "line": part.line,
        "shape": _shape(heard, *ends),
        "tensor": node.tensor,
    }
    keys = [graph.nodes[source].tensor for source, target in graph.wires.get("key", []) if target == number]
    if keys:
        described["memory"] = keys[0]
    if "adds" not in part.also:  # its heads are not told apart
        return [described]
    where = "" if holder is None else f"{holder.label}, "
    return [described, *(_head(node, heard, head, where) for head in range(part.heads))]


def _head(node: Node, heard: dict[str, Tensor], head: int, where: str) -> dict[str, Any]:
    """One head as a node; where: the label of its block, with a comma."""
    module = node.tensor.rpartition("/")[0]
    weights = f"{module}/weights"
    return {
        "id": f"{module}:{head}",
        "kind": "head",
        "in": node.id,
        "label": f"{where}head {head + 1}",
        "line": f"context = attend(q, k, v{', mask=mask' * (f'{module}/mask' in heard)}).context",
        "shape": " × ".join(map(str, heard[weights].shape[-2:])) if weights in heard else "did not run",
    }


def _wires(graph: Graph) -> list[dict[str, str]]:
    ids = [node.id for node in graph.nodes]
    return [
        {"from": ids[source], "to": ids[target], "tensor": graph.nodes[source].tensor, "role": role}
        for role, pairs in graph.wires.items()
        for source, target in pairs
    ]


# How it is drawn


@checked
def colour_limits(spec: MachineSpec, cells: int = 16) -> dict[str, float]:
    """Per tensor the number of the strongest colour, the same for all of a kind.

    Twice their root mean square; for scores, weights, masks and logits the largest. Vectors of more numbers than
    `cells` are drawn as so many shares, each the root mean square of its numbers: for them the largest share.
    """
    kinds = {node["tensor"]: node["kind"] for node in spec.nodes if node["kind"] in ("norm", "unembed")}
    kinds |= {f"{node['id']}/in": "given" for node in spec.nodes if node["kind"] == "box"}
    kinds |= {name: name.rpartition("/")[2] for name in spec.tensors if name.endswith((*_INSIDE, "/weights", "/mask"))}
    groups: dict[str, list[Tensor]] = {}
    for name, tensor in spec.tensors.items():
        groups.setdefault(kinds.get(name, "stream"), []).append(tensor.float().nan_to_num(0.0, 0.0, 0.0))
    limits = {kind: float(f"{_strongest(kind, tensors, cells):.2g}") or 1.0 for kind, tensors in groups.items()}
    return {name: limits[kinds.get(name, "stream")] for name in spec.tensors}


def _strongest(kind: str, tensors: list[Tensor], cells: int) -> float:
    numbers = torch.cat([tensor.flatten() for tensor in tensors])
    if kind in ("scores", "unembed", "weights", "mask"):  # no vectors
        return float(numbers.abs().max())
    wide = [tensor for tensor in tensors if tensor.ndim > 1 and tensor.shape[-1] > cells]
    shares = [share.square().mean(-1).sqrt().max() for tensor in wide for share in tensor.tensor_split(cells, -1)]
    return float(torch.stack(shares).max() if shares else 2 * numbers.square().mean().sqrt())


@checked
def largest_branch(spec: MachineSpec) -> float:
    """The root mean square of the largest thing that is added to the stream, by a head or by a feed-forward network."""
    added = [tensor for name, tensor in spec.tensors.items() if name.endswith(_ADDED)]
    parts = [part for tensor in added for part in (tensor if tensor.ndim == 3 else [tensor])]
    return max((float(part.square().mean().sqrt()) for part in parts), default=1.0)
