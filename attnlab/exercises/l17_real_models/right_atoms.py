"""Exercise 17.right_atoms: how much weight a head puts on the right atoms."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs.analysis.heads import atom_mapping as specs


def right_atoms(weights: Tensor, rows: Tensor, columns: Tensor, sources: Tensor, alike: Tensor) -> Tensor:
    """The solution."""
    atoms = weights[:, rows][:, :, columns]
    atoms = atoms / atoms.sum(-1, keepdim=True)
    right = alike == alike[sources][:, None]
    return (atoms * right).sum(-1).mean(-1)


def _atoms(weights: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    return weights[:, rows][:, :, columns]


def _each(atoms: Tensor) -> Tensor:
    return atoms / atoms.sum(-1, keepdim=True)


def _right(sources: Tensor, alike: Tensor) -> Tensor:
    return alike == alike[sources][:, None]


def _only(sources: Tensor, alike: Tensor) -> Tensor:
    return torch.arange(len(alike)) == sources[:, None]


def _pooled(weights: Tensor, rows: Tensor, columns: Tensor, sources: Tensor, alike: Tensor) -> Tensor:
    atoms = _atoms(weights, rows, columns)
    return (atoms * _right(sources, alike)).sum((-2, -1)) / atoms.sum((-2, -1))


def _backwards(weights: Tensor, rows: Tensor, columns: Tensor, sources: Tensor, alike: Tensor) -> Tensor:
    atoms = weights[:, columns][:, :, rows].transpose(-2, -1)
    return (_each(atoms) * _right(sources, alike)).sum(-1).mean(-1)


def _down(weights: Tensor, rows: Tensor, columns: Tensor, sources: Tensor, alike: Tensor) -> Tensor:
    atoms = _atoms(weights, rows, columns)
    return (atoms / atoms.sum(-2, keepdim=True) * _right(sources, alike)).sum(-1).mean(-1)


def _reaction(heads: int, precursors: int, product: int, seed: int) -> tuple[Tensor, ...]:
    """A made-up reaction whose tokens are atoms and, here and there, other signs, as in a line of SMILES."""
    chance = torch.Generator().manual_seed(seed)
    places = torch.randint(1, 4, (precursors + product,), generator=chance).cumsum(0)
    columns, rows = places[:precursors], places[precursors:] + 2
    tokens = int(rows[-1]) + 2
    alike = torch.arange(precursors)
    alike[-1] = 0  # cannot be told apart from the first, which is wanted
    sources = torch.cat([torch.zeros(1), torch.randint(precursors, (product - 1,), generator=chance)]).long()
    weights = (2 * torch.randn(heads, tokens, tokens, generator=chance)).softmax(-1)
    return weights, rows, columns, sources, alike


RIGHT_ATOMS = Exercise(
    name="17.right_atoms",
    title="How much weight a head puts on the right atoms",
    statement="""Return for each head the share of its weight that lies on the right atoms, from 0 to 1.

Only atoms of the product ask, and only atoms of the precursors count: what each atom of the product gives to all of
them is 1, the rest is left out. Then the mean over the product's atoms.

weights [heads, tokens, tokens]: rows are queries. rows, columns: which tokens are atoms of the product, and of the
precursors. sources: for each atom of the product the atom of the precursors that it was, counted in columns.
alike: a number for each atom of the precursors; atoms with the same number cannot be told apart, so each is right.""",
    axes="[heads]",
    stub="""def right_atoms(weights, rows, columns, sources, alike):
    ...
""",
    hints=(
        "First only the weights between atoms: `weights[:, rows][:, :, columns]` is [heads, product, precursors].",
        "Divide each row by its sum. Then which of its numbers are right? Those whose `alike` is that of the source.",
        "`right = alike == alike[sources][:, None]` is [product, precursors]. Multiply, sum over the precursors, and "
        "take the mean over the product.",
    ),
    solution=right_atoms,
    spec=specs.share_on_right_atoms,
    inputs=lambda: [_reaction(3, 5, 7, 1), _reaction(2, 7, 5, 2)],
    edges=lambda: [_reaction(1, 3, 2, 3), _reaction(5, 4, 3, 4)],
    mistakes=(
        Mistake(
            "atoms that cannot be told apart count as wrong here: both oxygens of a nitro group are right",
            lambda w, r, c, s, a: (_each(_atoms(w, r, c)) * _only(s, a)).sum(-1).mean(-1),
        ),
        Mistake(
            "each row is taken as it is: what went to brackets, to the product and to the first token counts as "
            "wrong; divide each row by its sum over the precursors' atoms",
            lambda w, r, c, s, a: (_atoms(w, r, c) * _right(s, a)).sum(-1).mean(-1),
        ),
        Mistake(
            "the numbers of `alike` were compared with `sources` themselves, which are places in columns: compare "
            "them with those of the sources, `alike[sources]`",
            lambda w, r, c, s, a: (_each(_atoms(w, r, c)) * (a == s[:, None])).sum(-1).mean(-1),
        ),
        Mistake(
            "a softmax in place of a division: these are weights, not scores; divide each row by its sum",
            lambda w, r, c, s, a: (_atoms(w, r, c).softmax(-1) * _right(s, a)).sum(-1).mean(-1),
        ),
        Mistake(
            "rows are not divided, and atoms that cannot be told apart count as wrong",
            lambda w, r, c, s, a: (_atoms(w, r, c) * _only(s, a)).sum(-1).mean(-1),
        ),
        Mistake(
            "all atoms are thrown together before you divide: an atom that gives more to atoms then counts more; "
            "divide each row by its own sum, then take the mean",
            _pooled,
        ),
        Mistake(
            "the precursors ask here and the product answers; rows are queries, and the product asks",
            _backwards,
        ),
        Mistake(
            "each column is divided by its sum: the shares are those of a query, so divide each row",
            _down,
        ),
        Mistake(
            "the heads are averaged: each has its own share",
            lambda w, r, c, s, a: (_each(_atoms(w, r, c)) * _right(s, a)).sum(-1).mean().expand(len(w)),
        ),
        Mistake(
            "the shares of the atoms are summed; take their mean, which is 1 at the most",
            lambda w, r, c, s, a: (_each(_atoms(w, r, c)) * _right(s, a)).sum((-2, -1)),
        ),
        Mistake(
            "the mean goes over the precursors as well, where most shares are 0 because they should be: sum over the "
            "precursors, then take the mean over the product",
            lambda w, r, c, s, a: (_each(_atoms(w, r, c)) * _right(s, a)).mean((-2, -1)),
        ),
    ),
)
