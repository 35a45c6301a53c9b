"""Chemical reactions as lines of text, precursors>>product, of which it is known where every atom of the product was.

`reactions.json` holds 110 of eleven kinds, each written in three ways; `make_reactions.py` made it.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from attnlab.checks import checked
from attnlab.tasks.smiles import Molecule, read

FILE = Path(__file__).with_name("reactions.json")
WRITINGS = ("canonical", "product reordered", "all reordered")
ARROW, FIRST, LAST, UNKNOWN = ">>", "[CLS]", "[SEP]", "[UNK]"


class Reaction(NamedTuple):
    """One whose truth is known.

    kind: "amide", ... text: `precursors>>product`. sources: for each atom of the product, in the order of the line, the
    atom of the precursors that it was. alike: a number for each atom of the precursors; those that have the same cannot
    be told apart, such as both oxygens of a nitro group, so each is as right as the other.
    """

    kind: str
    text: str
    sources: list[int]
    alike: list[int]


class Equation(NamedTuple):
    """A reaction, read."""

    precursors: Molecule
    product: Molecule

    @property
    def tokens(self) -> list[str]:
        """All that a model reads, its own first and last token included."""
        return [FIRST, *self.precursors.tokens, ARROW, *self.product.tokens, LAST]

    @property
    def columns(self) -> list[int]:
        """Where in `tokens` the atoms of the precursors stand."""
        return [1 + place for place in self.precursors.atoms]

    @property
    def rows(self) -> list[int]:
        """Where in `tokens` the atoms of the product stand."""
        return [2 + len(self.precursors.tokens) + place for place in self.product.atoms]


@checked
@cache
def reactions(writing: str = "canonical") -> list[Reaction]:
    """All 110, kind by kind. writing: one of `WRITINGS`: each line as a rule has it that gives every molecule one line,
    or with the product's atoms, or all atoms, in an order that was drawn.

    Raises ValueError for another writing.
    """
    if writing not in WRITINGS:
        raise ValueError(f"expected one of {', '.join(WRITINGS)}, got {writing!r}")
    return [Reaction(*one) for one in json.loads(FILE.read_text(encoding="utf-8"))[writing]]


@checked
def equation(text: str) -> Equation:
    """A reaction out of its line. Raises ValueError that says what is wrong with it."""
    sides = text.strip().split(ARROW)
    if len(sides) != 2:
        raise ValueError(f"expected one reaction, precursors>>product, such as CC(=O)O.OCC>>CC(=O)OCC; got {text!r}")
    if not all(sides):
        raise ValueError(f"expected molecules on both sides of >>, got {text!r}")
    return Equation(*map(read, sides))


@checked
def encode(tokens: Sequence[str], vocabulary: Sequence[str]) -> Int[Tensor, "1 tokens"]:
    """The numbers of the tokens, as a batch of one; a token that the vocabulary lacks becomes its `[UNK]`.

    Raises ValueError where that is missing.
    """
    ids = {token: i for i, token in enumerate(vocabulary)}
    if UNKNOWN not in ids:
        raise ValueError(f"expected a vocabulary with {UNKNOWN}, got {len(ids)} tokens without it")
    return torch.tensor([[ids.get(token, ids[UNKNOWN]) for token in tokens]], dtype=torch.long)
