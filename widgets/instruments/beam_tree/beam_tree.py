"""BeamTree: a beam search drawn as it grew, one column a step; what was kept, what was dropped, what is finished."""

import math

from traitlets import Float, Int, List, TraitError, Unicode, validate

from widgets.base.instrument import Instrument
from widgets.base.words import counted, number

STATUSES = ("kept", "dropped", "finished", "greedy")
ABOVE = {"kept": 23, "dropped": 11, "finished": 23, "greedy": 23}  # pixels a node takes over its line
BELOW = {"kept": 25, "dropped": 11, "finished": 41, "greedy": 41}  # and under it: numbers
SLACK = 1.25  # height of the picture over that of its fullest column: room for paths to run straight


def arrange(nodes: list[dict], sweeps: int = 12) -> list[dict]:
    """Gives every node its place: the same nodes, each with `y`, the height in pixels of its line.

    Columns are sorted by their parents' order, then by log-probability, so that no two edges cross. A path wants to run
    straight: where it can not, the one with the longer future gives way less, the winner's least of all. Each sweep
    goes once over all columns.
    """
    columns = ordered(nodes)
    future = futures(nodes)
    heirs = {}  # per parent the child with the longest future
    for node in (node for column in columns for node in column):
        if node["parent"] not in heirs or future[node["id"]] > future[heirs[node["parent"]]]:
            heirs[node["parent"]] = node["id"]
    height = SLACK * max((sum(map(size, column)) for column in columns), default=0)
    places = {-1: height / 2}
    for _ in range(sweeps):
        for column in columns:
            offsets = {node["id"]: offset for node, offset in zip(column, stack(column), strict=True)}
            wanted = []
            for node in column:
                # Siblings keep to the heir; the heir stands between its parent and its own heir.
                heir = heirs[node["parent"]]
                near = [places[i] for i in (node["parent"], heirs.get(heir)) if i in places]
                wanted.append(sum(near) / len(near) - offsets[heir])
            free = height - sum(map(size, column))
            shifts = increasing(wanted, [1 + future[node["id"]] ** 2 for node in column])
            for node, shift in zip(column, shifts, strict=True):
                places[node["id"]] = min(max(shift, 0.0), free) + offsets[node["id"]]
        places[-1] = places[heirs[-1]] if heirs else 0
    top = min((places[n["id"]] - ABOVE[n["status"]] for n in nodes), default=0)
    return [{**node, "y": round(places[node["id"]] - top)} for node in nodes]


def ordered(nodes: list[dict]) -> list[list[dict]]:
    """The columns, each from top to bottom."""
    columns, order = [], {-1: 0}
    for step in sorted({node["step"] for node in nodes}):
        column = [node for node in nodes if node["step"] == step]
        column.sort(key=lambda n: (order[n["parent"]], -n["log_probability"], n["id"]))
        order = {node["id"]: rank for rank, node in enumerate(column)}
        columns.append(column)
    return columns


def size(node: dict) -> int:
    """The height of a node in pixels."""
    return ABOVE[node["status"]] + BELOW[node["status"]]


def stack(column: list[dict]) -> list[int]:
    """The lines' heights of nodes that stand one upon the other without a gap."""
    return [sum(map(size, column[:i])) + ABOVE[node["status"]] for i, node in enumerate(column)]


def futures(nodes: list[dict]) -> dict[int, int]:
    """Per node the number of steps of the longest path that runs on from it; the winner's path is longer than any."""
    depth = {node["id"]: 0 for node in nodes}
    for node in sorted(nodes, key=lambda n: -n["step"]):
        if node["parent"] in depth:
            depth[node["parent"]] = max(depth[node["parent"]], depth[node["id"]] + 1)
    finished = [node for node in nodes if node["status"] == "finished"]
    winner = max(finished, key=lambda n: n["score"], default=None)
    longest, parents = max(depth.values(), default=0), {node["id"]: node["parent"] for node in nodes}
    id = winner["id"] if winner else -1
    while id in depth:
        depth[id] += longest
        id = parents[id]
    return depth


def increasing(values: list[float], weights: list[float]) -> list[float]:
    """The sequence nearest to `values` (weighted squares) that never decreases: pool adjacent violators."""
    blocks: list[tuple[float, float, int]] = []  # mean, weight, how many
    for value, weight in zip(values, weights, strict=True):
        blocks.append((value, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (one, first, some), (other, second, more) = blocks.pop(-2), blocks.pop()
            blocks.append(((one * first + other * second) / (first + second), first + second, some + more))
    return [mean for mean, _, count in blocks for _ in range(count)]


def finite(nodes: list[dict], owner=None) -> list[dict]:
    """Nodes as JSON can carry them: a log-probability of minus infinity travels as None."""
    return [{k: None if isinstance(v, float) and math.isinf(v) else v for k, v in n.items()} for n in nodes]


class BeamTree(Instrument):
    """The tree of a beam search, from left to right.

    `nodes` is a list of dicts: `id` (>= 0), `parent` (an id, or -1 for the start), `step` (1 for the first token),
    `token`, `log_probability` (of the whole path, natural logarithm), `score` (the same after length normalisation),
    `status`: "kept", "dropped", "finished" (its token ends the sentence), or "greedy" (only greedy search went there).
    Raises `TraitError` for nodes that make no tree.
    """

    bundle = "beam_tree"

    nodes = List(help="the hypotheses, see above").tag(sync=True, to_json=finite)
    step = Int(-1, help="how many steps are drawn; -1: all").tag(sync=True)
    best = Int(-1, help="id of the node that ends the emphasised path; -1: none").tag(sync=True)
    greedy = List(Int(), help="ids of the nodes that greedy search takes").tag(sync=True)
    selected = Int(-1, help="id of the chosen node; -1: none").tag(sync=True)
    more = List(Int(), help="per step, how many further dropped hypotheses are not drawn").tag(sync=True)
    end = Unicode("<EOS>", help="the token that ends a text; no part of the text itself").tag(sync=True)
    separator = Unicode(" ", help="what stands between two tokens of a text").tag(sync=True)
    length_penalty = Float(1.0, help="score = log-probability / steps ** length_penalty").tag(sync=True)

    def __init__(self, nodes=(), **traits) -> None:
        super().__init__(nodes=list(nodes), **traits)

    @validate("nodes")
    def _check_nodes(self, proposal) -> object:
        if strange := [node for node in proposal["value"] if not isinstance(node, dict)]:
            raise TraitError(f"nodes: expected a dict for each, got {strange[0]!r}")
        nodes = [plain(node) for node in proposal["value"]]
        steps = {-1: 0}
        for node in sorted(nodes, key=lambda n: n["step"]):
            if node["id"] in steps:
                raise TraitError(f"nodes: expected every id once, got {node['id']} twice")
            if node["step"] != steps.get(node["parent"], math.inf) + 1:
                raise TraitError(
                    f"nodes: expected a parent one step before node {node['id']} at step {node['step']}, "
                    f"got parent {node['parent']}"
                )
            steps[node["id"]] = node["step"]
        return nodes if all("y" in node for node in nodes) else arrange(nodes)

    def path(self, id: int) -> list[dict]:
        """The nodes from the first step to node `id`."""
        by_id = {node["id"]: node for node in self.nodes}
        path = []
        while id in by_id:
            path.append(by_id[id])
            id = by_id[id]["parent"]
        return path[::-1]

    def text(self, id: int) -> str:
        """What the hypothesis that ends in node `id` says so far, without the token that ends it."""
        return self.separator.join(n["token"] for n in self.path(id) if n["token"] != self.end)

    @property
    def score(self) -> float | None:
        """The score of the emphasised path, or None where there is none."""
        path = self.path(self.best)
        return path[-1]["score"] if path else None

    @property
    def drawn(self) -> list[dict]:
        """The nodes up to `step`."""
        return [n for n in self.nodes if self.step < 0 or n["step"] <= self.step]

    def __repr__(self) -> str:
        drawn = self.drawn
        if not drawn:
            return "beam tree: empty"
        counts = ", ".join(f"{n} {s}" for s in STATUSES[:3] if (n := sum(d["status"] == s for d in drawn)))
        steps = max(n["step"] for n in drawn)
        words = [f"beam tree: {counted(steps, 'step')}, {counts}"]
        if self.score is not None:
            words.append(f"best “{self.text(self.best)}” with score {number(self.score)}")
        if parts := self.parting():
            words.append(f"greedy leaves the beam at step {parts}")
        return "; ".join(words)

    def parting(self) -> int:
        """The drawn step at which the greedy path is dropped from the beam, or 0."""
        by_id = {n["id"]: n for n in self.drawn}
        return next((by_id[i]["step"] for i in self.greedy if i in by_id and by_id[i]["status"] == "dropped"), 0)


def plain(node: dict) -> dict:
    """One node with plain types. Raises TraitError for a missing field, an unknown status or a number that is none."""
    fields = ("id", "parent", "step", "token", "log_probability", "score", "status")
    if missing := [field for field in fields if field not in node]:
        raise TraitError(f"nodes: expected the fields {', '.join(fields)}, got none of {', '.join(missing)}")
    if node["status"] not in STATUSES:
        raise TraitError(f"nodes: expected a status of {', '.join(STATUSES)}, got {node['status']!r}")
    numbers = {field: float(node[field]) for field in ("log_probability", "score")}
    if any(math.isnan(x) for x in numbers.values()):
        raise TraitError(f"nodes: expected numbers, got NaN in node {node['id']}")
    return {
        **node,
        **numbers,
        **{field: int(node[field]) for field in ("id", "parent", "step")},
        "token": str(node["token"]),
    }
