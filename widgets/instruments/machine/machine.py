"""Machine: a model as a whole. Its parts as boxes, its tensors as small coloured pictures, its attention as beams.

**What Python hands over.** `spec` says what there is, `numbers` holds every tensor, one after another; `pack` makes
both from arrays by name. With an equal spec only the numbers travel. The view knows no model: a layout (see
view.js) places what the spec names.

- `title`: what the picture is, for a screen reader.
- `nodes`: `{id, kind, in, label, line, shape, tensor}` and what its layout needs; ids are names of modules. `in`: the
  node that holds it, which a zoom leads back to. `line`: its line of code. `shape`: in words. `tensor`: what comes out
  of it, `id/out` unless given. The node "" is the whole machine; a node of kind head needs no line.
- `tensors`: `{name: {shape, offset, limit}}`; `offset` counts numbers, `limit` is that of the strongest colour.
  `of`: how many numbers the last axis stood for, where it holds shares of them.
  Names are `module/suffix`, suffixes `in out q k v scores weights context adds hidden mask logits`; `name#2/out` is a
  module's third call; `output/was` is the untouched model's.
- `labels`: lists of words: `{token: [...], vocabulary: [...]}`.
- `film`: `{group, phase, ms}` for each frame: what it produces, what happens, and how long that moves (0: it jumps).
- `branch`: the root mean square of the largest thing that is added to a stream; its branch is the widest.
- `range`: `[least, most]` of numbers that a hand drags, -9 and 9 unless given.

**What the hand does** comes back in `off`, `edits`, `chosen`, `zoom` and `frame`, which an explorer follows:
`held([], follows=("machine", "off"))`.
"""

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from traitlets import Dict, Int, List, TraitError, Unicode, validate

from widgets.base.fewer_bytes import halved
from widgets.base.instrument import Array, Fitting, numpy_of, pack_array


def short(spec: dict, machine=None) -> dict:
    """The spec as it travels; `readMachine` in `tensors.js` reads it.

    `holds`: what a node holds stands in it, under what its id has behind the holder's, and a label that begins with
    that of the block under the rest. `like`: the id of an earlier block, which holds the same; what is not said is as
    there. A tensor's offset is the end of the one before it. Left out is a `tensor` whose name follows from the id.
    """
    if "nodes" not in spec:
        return spec
    tensors = {
        name: {key: value for key, value in tensor.items() if key != "offset"}
        for name, tensor in spec.get("tensors", {}).items()
    }
    nodes, first = nested(spec["nodes"]), {}
    for i, node in enumerate(nodes):
        if "holds" in node and (other := first.setdefault(f"{[*node]} {node['holds']}", node)) is not node:
            own = {key: value for key, value in node.items() if other.get(key) != value}
            nodes[i] = {**own, "like": other["id"]}
    return {**spec, "nodes": nodes, "tensors": tensors}


def nested(nodes: list[dict]) -> list[dict]:
    """Nodes in those that hold them (`in`), as far as they follow them and are called after them."""
    top: list[dict] = []
    holders: list[tuple[dict, dict]] = []  # each as it is given and as it travels, the outermost first
    for node in nodes:
        one = {key: value for key, value in node.items() if key != "in"}
        if one.get("tensor") == (node["id"] if "/" in node["id"] else f"{node['id']}/out"):
            del one["tensor"]
        within = node.get("in")
        while holders and holders[-1][0]["id"] != within:
            holders.pop()
        if within and holders and node["id"].startswith(tuple(within + mark for mark in ".:/")):
            one["id"] = node["id"][len(within) :]
            block, label = (each.get("label", "") for each in (holders[0][0], node))
            one["label"] = label.removeprefix(block) if label.startswith(f"{block}, ") else label
            holders[-1][1].setdefault("holds", []).append(one)
        else:
            holders = []
            top.append({**one, "in": within} if within else one)
            one = top[-1]
        holders.append((node, one))
    return top


MOST_BYTES = 64 * 1024  # of the numbers of a picture, before two bytes of each have to do


def in_few_bytes(numbers: np.ndarray | None, machine=None) -> dict | None:
    """The numbers as they travel: as they are, and where these are many, three digits of each."""
    packed = pack_array(numbers)
    return halved(packed) if packed is not None and len(packed["data"]) > MOST_BYTES else packed


LAYOUTS = ("stream", "rails", "grid", "glimpses", "product", "towers")


class Machine(Fitting):
    """A live diagram of a model; see above for what it is given.

        from widgets.instruments.machine.machine import Machine, pack

        machine = Machine("stream")
        machine.show(**pack({"nodes": [...], ...}, {"blocks.0.attention/weights": weights, ...}))

    drawn: its layout, one of `LAYOUTS`. Raises ValueError for another one, and `TraitError` for a spec whose tensors do
    not fit the numbers.
    """

    spec = Dict(help="what there is: title, nodes, tensors, labels, film; see above").tag(sync=True, to_json=short)
    numbers = Array(ndim=1, help="all tensors, one after another").tag(to_json=in_few_bytes)
    off = List(Unicode(), help="ids of the parts that are switched off").tag(sync=True)
    edits = List(help="dragged numbers: [tensor, index..., value] each").tag(sync=True)
    chosen = List(Unicode(), help="the part that is followed, and as what: [id, role]; [] for none").tag(sync=True)
    zoom = Unicode("", help="id of the node that is seen from near; empty: the whole machine").tag(sync=True)
    frame = Int(0, help="position of the film").tag(sync=True)

    def __init__(self, drawn: str, **traits) -> None:
        if drawn not in LAYOUTS:
            raise ValueError(f"expected one of {', '.join(LAYOUTS)}, got {drawn!r}")
        self.drawn, self.bundle = drawn, f"machine_{drawn}"
        super().__init__(**traits)

    @validate("spec", "numbers")
    def _fits(self, proposal) -> object:
        spec, numbers = (
            proposal.value if proposal.trait.name == name else getattr(self, name) for name in ("spec", "numbers")
        )
        if spec and numbers is not None:
            for name, tensor in spec.get("tensors", {}).items():
                if (end := tensor["offset"] + prod(tensor["shape"])) > len(numbers):
                    raise TraitError(f"{name}: expected at least {end} numbers, got {len(numbers)}")
        return proposal.value

    def offers(self, trait) -> list:
        """Where one may go nearer, and the heads that may be switched off, one at a time."""
        nodes = [(node["id"], node.get("kind")) for node in self.spec.get("nodes", [])]
        heads = [name for name, kind in nodes if kind == "head"]
        if trait == "zoom":
            return ["", *(name for name, kind in nodes if kind == "block"), *heads]
        return [[], *([head] for head in heads)] if trait == "off" else []

    def tensor(self, name: str) -> np.ndarray:
        """The numbers of one tensor as they are shown. Raises ValueError for a name that is not there."""
        tensors = self.spec.get("tensors", {})
        if name not in tensors:
            raise ValueError(f"expected the name of a tensor ({', '.join(tensors)}), got {name!r}")
        shape, offset = tensors[name]["shape"], tensors[name]["offset"]
        return self.numbers[offset : offset + prod(shape)].reshape(shape)

    def __repr__(self) -> str:
        if not self.spec:
            return "Machine(empty)"
        off = f", off: {', '.join(self.off)}" if self.off else ""
        return f"Machine({self.drawn}: {len(self.spec['nodes'])} parts, {len(self.numbers)} numbers{off})"


CELLS = 16  # numbers of a vector that are drawn
WHOLE = ("scores", "weights", "mask", "was", "image")  # of tensors whose last axis is never drawn as shares


def pack(
    spec: Mapping, tensors: Mapping[str, Any], limits: Mapping[str, float] | float = 1.0, most: int = CELLS
) -> dict:
    """`{spec, numbers}` for a Machine: the tensors (arrays, or torch's, of any shape) laid end to end.

    spec: all but `tensors`. limits: the number of the strongest colour, for all tensors or by name; that of weights and
    of tensors without one is 1. most: vectors with more numbers are sent as so many shares of theirs, each the root of
    the mean square of its numbers; what a node of kind word has never. Raises ValueError for a limit that is not above
    0.
    """
    placed, arrays, offset = {}, [], 0
    words = {node["id"] for node in spec.get("nodes", []) if node.get("kind") == "word"}
    for name, tensor in tensors.items():
        array = np.asarray(numpy_of(tensor), dtype=np.float32)
        module, _, suffix = name.rpartition("/")
        limit = limits.get(name, 1.0) if isinstance(limits, Mapping) else limits
        if not limit > 0:
            raise ValueError(f"expected a limit above 0 for {name}, got {limit}")
        width = array.shape[-1] if array.ndim > 1 and suffix not in WHOLE and module not in words else 0
        if shared := width > most:
            array = shares(array, most)
        placed[name] = {
            "shape": list(array.shape),
            "offset": offset,
            "limit": 1.0 if suffix in ("weights", "mask") else float(limit),
            **({"of": width} if shared else {}),
        }
        arrays.append(array.reshape(-1))
        offset += array.size
    return {"spec": {**spec, "tensors": placed}, "numbers": np.concatenate([np.zeros(0, np.float32), *arrays])}


def shares(array: np.ndarray, most: int) -> np.ndarray:
    """[..., width] -> [..., most]: the root of the mean square of each of `most` shares of the width."""
    starts = np.arange(most) * array.shape[-1] // most
    counts = np.diff([*starts, array.shape[-1]])
    return np.sqrt(np.add.reduceat(np.square(array), starts, axis=-1) / counts)
