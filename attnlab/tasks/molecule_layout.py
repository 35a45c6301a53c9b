"""Where the atoms of a molecule are drawn: bonds of one length, rings even, far atoms far apart."""

from collections.abc import Sequence
from itertools import combinations

import networkx
import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.checks import Count, checked

STARTS, STEPS = 4, 120


@checked
def molecule_layout(atoms: Count, bonds: Sequence[tuple[int, int, float]]) -> Float[Tensor, "atoms 2"]:
    """Places in the plane, in bond lengths; molecules that are not bound to each other stand side by side.

    bonds: (one atom, another, how often bound), as `attnlab.tasks.smiles.read` gives them. Each molecule lies on its
    longer side. The same molecule is drawn alike every time. Raises ValueError for bonds to atoms that are not there.

    **Source:** Gansner, Koren and North 2005, "Graph Drawing by Stress Majorization", equation 9; what distances are
    wanted is our own: those of a zigzag chain, of an even ring in a ring, and of a straight line about a triple bond.
    """
    if any(not (0 <= one < atoms and 0 <= other < atoms) for one, other, _ in bonds):
        raise ValueError(f"expected bonds between atoms from 0 to {atoms - 1}, got {[bond[:2] for bond in bonds]}")
    graph = networkx.Graph()
    graph.add_nodes_from(range(atoms))
    graph.add_edges_from((one, other) for one, other, _ in bonds)
    for atom in graph:
        times = sorted(count for *ends, count in bonds if atom in ends)
        graph.nodes[atom]["straight"] = times in ([1.0, 3.0], [2.0, 2.0])  # R-C#N, R-N=C=O
    places, right = torch.zeros(atoms, 2), 0.0
    for molecule in networkx.connected_components(graph):
        members = sorted(molecule)
        drawn = _drawn(networkx.relabel_nodes(graph.subgraph(members), {atom: i for i, atom in enumerate(members)}))
        drawn[:, 0] += right - drawn[:, 0].min()
        right = float(drawn[:, 0].max()) + 2.2
        places[members] = drawn
    return places


def _drawn(graph: networkx.Graph) -> Tensor:
    """One molecule around (0, 0), the best of a few starts."""
    if len(graph) == 1:
        return torch.zeros(1, 2)
    wanted = _wanted(graph)
    weights = 1 / wanted.square().fill_diagonal_(1.0)
    weights.fill_diagonal_(0.0)
    inverse = torch.linalg.pinv(torch.diag(weights.sum(1)) - weights)
    generator = torch.Generator().manual_seed(0)
    found = []
    for _ in range(STARTS):
        places = torch.randn(len(graph), 2, generator=generator, dtype=torch.float64) * wanted.max() / 3
        for _ in range(STEPS):
            ratio = weights * wanted / torch.cdist(places, places).clamp(min=1e-9)
            places = inverse @ (torch.diag(ratio.sum(1)) - ratio) @ places
        stress = (weights * (torch.cdist(places, places) - wanted).square()).sum()
        found.append((float(stress), places - places.mean(0)))
    best = min(found, key=lambda one: one[0])[1]
    axes = torch.linalg.svd(best, full_matrices=False).Vh
    return (best @ axes.mT).float()


def _wanted(graph: networkx.Graph) -> Tensor:
    """How far apart each two atoms should be: along a zigzag of bonds, and across an even ring."""
    steps = torch.zeros(len(graph), len(graph), dtype=torch.float64)
    for atom, reached in networkx.all_pairs_shortest_path_length(graph):
        for other, count in reached.items():
            steps[atom, other] = count
    wanted = (0.75 * steps.square() + 0.25 * (steps % 2)).sqrt()
    for atom in graph:
        if graph.nodes[atom]["straight"]:
            for one, other in combinations(graph[atom], 2):
                wanted[one, other] = wanted[other, one] = 2.0
    for ring in networkx.minimum_cycle_basis(graph):
        ends = torch.tensor(ring)
        angle = steps[ends][:, ends] * torch.pi / len(ring)
        wanted[ends[:, None], ends] = angle.sin() / torch.tensor(torch.pi / len(ring)).sin()
    return wanted
