"""Molecules written as a line of text (SMILES): its tokens, which of them are atoms, and who is bound to whom.

`CC(=O)O`: a letter is an atom, small where it is part of an aromatic ring; neighbours in the line are bound, with =
twice and with # thrice; brackets hold a branch; two equal digits close a ring; a dot stands between molecules. Hydrogen
is left out.
"""

import re
from typing import NamedTuple

from attnlab.checks import checked
from attnlab.registry import Table

TOKEN = re.compile(r"\[[^][]+\]|Br|Cl|%\d\d|>>|.", re.DOTALL)
ATOM = re.compile(r"\[.+\]|Br|Cl|[BCNOPSFIbcnops*]")
ELEMENT = re.compile(r"\[?\d*([A-Z][a-z]?|[a-z]{1,2}|\*)")
RING = re.compile(r"%?\d+")
BONDS = Table({"-": 1.0, "/": 1.0, "\\": 1.0, ":": 1.5, "=": 2.0, "#": 3.0, "$": 4.0})
APART = (".", "~")  # ~ between the ions of one salt, as the model of `attnlab.trained.rxnmapper` has read it


class Molecule(NamedTuple):
    """What a line says. It may hold several molecules.

    tokens: the line in pieces. atoms: the places of those that are atoms. bonds: (one atom, another, how often bound),
    atoms counted from 0 in the order of the line; 1.5 is the bond of an aromatic ring.
    """

    tokens: list[str]
    atoms: list[int]
    bonds: list[tuple[int, int, float]]

    @property
    def elements(self) -> list[str]:
        """Of each atom: `[nH]` and `n` are N."""
        return [ELEMENT.match(self.tokens[place])[1].capitalize() for place in self.atoms]  # type: ignore[index]


@checked
def pieces(text: str) -> list[str]:
    """The line in tokens: `CC(=O)[O-]` -> C C ( = O ) [O-]. Nothing is lost: joined, they are the line again."""
    return TOKEN.findall(text)


@checked
def read(text: str) -> Molecule:
    """Raises ValueError for a line that is none: an unknown sign, a bracket or a ring left open, a bond to nothing.

    **Source:** Weininger 1988, "SMILES, a Chemical Language and Information System".
    """
    tokens = pieces(text)
    atoms: list[int] = []
    bonds: list[tuple[int, int, float]] = []
    branches: list[int] = []  # where each open bracket began
    rings: dict[str, tuple[int, float | None]] = {}  # open ones: the atom, and its bond where it was said
    last, bond = None, None  # the atom that the next one is bound to, and how, where it is said
    for place, token in enumerate(tokens):
        if ATOM.fullmatch(token):
            if last is not None:
                bonds.append((last, len(atoms), bond or _usual(tokens[atoms[last]], token)))
            elif bond:
                raise _wrong(text, tokens, place - 1, "a bond needs an atom before it")
            last, bond = len(atoms), None
            atoms.append(place)
        elif token in APART:
            if last is None or bond:
                raise _wrong(text, tokens, place, "a dot stands behind an atom")
            last = None
        elif last is None:
            raise _wrong(text, tokens, place, "a molecule begins with an atom, such as C, Cl or [Na+]")
        elif token in BONDS:
            bond = BONDS[token]
        elif RING.fullmatch(token):
            if token in rings:
                other, said = rings.pop(token)
                bonds.append((other, last, bond or said or _usual(tokens[atoms[other]], tokens[atoms[last]])))
            else:
                rings[token] = last, bond
            bond = None
        elif token == "(":
            branches.append(last)
        elif token == ")":
            if not branches:
                raise _wrong(text, tokens, place, "this bracket was never opened")
            last = branches.pop()
        else:
            raise _wrong(text, tokens, place, "expected an atom, such as C, Cl or [Na+], a bond, a bracket or a digit")
    if last is None or bond or branches or rings:
        left = f"ring {next(iter(rings))}" if rings else "a bracket" if branches else "the end"
        raise ValueError(f"expected a whole molecule, got {text!r}: {left} is left open")
    return Molecule(tokens, atoms, bonds)


def _usual(one: str, other: str) -> float:
    """The bond that nobody writes: aromatic between two small letters, else a single one."""
    return 1.5 if all(token.strip("[]")[0].islower() for token in (one, other)) else 1.0


def _wrong(text: str, tokens: list[str], place: int, why: str) -> ValueError:
    before = sum(map(len, tokens[:place]))
    return ValueError(f"{why}; got {tokens[place]!r} at place {before + 1} of {text!r}")
