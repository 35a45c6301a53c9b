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
# [13CH3], [NH4+], [C@@H]
IN_BRACKETS = r"\[\d*(?:[A-Z][a-z]?|[a-z]{1,2}|\*)@{0,2}(?:H\d?)?(?:[+-]+|[+-]\d)?(?::\d+)?\]"
ATOM = re.compile(IN_BRACKETS + "|Br|Cl|[BCNOPSFIbcnops*]")
ELEMENT = re.compile(r"\[?\d*([A-Z][a-z]?|[a-z]{1,2}|\*)")
RING = re.compile(r"%?\d+")
BONDS = Table({"-": 1.0, "/": 1.0, "\\": 1.0, ":": 1.5, "=": 2.0, "#": 3.0, "$": 4.0})
MOST = Table({"C": 4, "N": 3, "O": 2, "F": 1, "Cl": 1, "Br": 1, "I": 1})  # bonds of an atom that bears no charge
AROMATIC = Table({"o": 2, "s": 2, "[nH]": 2})  # neighbours of an atom in an aromatic ring; of all others three
SIGNS = {1.0: "-", 1.5: ":", 2.0: "=", 3.0: "#", 4.0: "$"}
DIGITS = [*map(str, range(1, 10)), *(f"%{number}" for number in range(10, 100))]  # of rings
MOST_ATOMS = 200  # of a line that is written here; a molecule drawn by hand needs no more
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
    """Raises ValueError for a line that is none: an unknown sign, a bracket or a ring left open, a bond to nothing, two
    bonds between the same atoms.

    **Source:** Weininger 1988, "SMILES, a Chemical Language and Information System".
    """
    reader = _Reader(text)
    for place in range(len(reader.tokens)):
        reader.take(place)
    return reader.whole()


class _Reader:
    """A line, token after token. last: the atom that the next one is bound to. bond: how, where it is said."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.place = text, pieces(text), 0
        self.atoms: list[int] = []
        self.bonds: list[tuple[int, int, float]] = []
        self.bound: set[frozenset[int]] = set()
        self.branches: list[int] = []  # where each open bracket began
        self.rings: dict[str, tuple[int, float | None]] = {}  # open ones: the atom, and its bond where it was said
        self.last: int | None = None
        self.bond: float | None = None

    def take(self, place: int) -> None:
        self.place, token = place, self.tokens[place]
        if ATOM.fullmatch(token):
            self.atom()
        elif token in APART:
            self.refuse(self.last is None or self.bond, "a dot stands behind an atom")
            self.last = None
        elif self.last is None:
            self.refuse(True, "a molecule begins with an atom, such as C, Cl or [Na+]")
        elif token in BONDS:
            self.refuse(self.bond, "one sign says how two atoms are bound")
            self.bond = BONDS[token]
        elif RING.fullmatch(token):
            self.ring(token, self.last)
        elif token == "(":
            self.refuse(self.bond, "the sign of a bond stands within the bracket, as in C(=O)C")
            self.branches.append(self.last)
        elif token == ")":
            self.close()
        else:
            self.refuse(True, "expected an atom, such as C, Cl or [Na+], a bond, a bracket or a digit")

    def atom(self) -> None:
        before, self.last = self.last, len(self.atoms)
        self.atoms.append(self.place)
        if before is not None:
            self.bind(before, self.last)

    def ring(self, digit: str, last: int) -> None:
        """The first of two equal digits opens a ring, the second one closes it."""
        if digit not in self.rings:
            self.rings[digit], self.bond = (last, self.bond), None
            return
        other, said = self.rings.pop(digit)
        self.refuse(
            other == last or {other, last} in self.bound, "a ring is closed between two atoms that are not bound yet"
        )
        self.refuse(said and self.bond and said != self.bond, "the two ends of a ring name different bonds")
        self.bond = self.bond or said
        self.bind(other, last)

    def close(self) -> None:
        self.refuse(not self.branches, "this bracket was never opened")
        self.refuse(self.bond, "a bond needs an atom behind it")
        self.refuse(self.tokens[self.place - 1] == "(", "a bracket holds an atom or more")
        self.last = self.branches.pop()

    def bind(self, one: int, other: int) -> None:
        usual = _usual(*(self.tokens[self.atoms[atom]] for atom in (one, other)))
        self.bonds.append((one, other, self.bond or usual))
        self.bound.add(frozenset({one, other}))
        self.bond = None

    def whole(self) -> Molecule:
        """What was read. ValueError where something is left open."""
        if self.last is None or self.bond or self.branches or self.rings:
            left = f"ring {next(iter(self.rings))}" if self.rings else "a bracket" if self.branches else "the end"
            raise ValueError(f"expected a whole molecule, got {self.text!r}: {left} is left open")
        return Molecule(self.tokens, self.atoms, self.bonds)

    def refuse(self, wrong: object, why: str) -> None:
        """ValueError where that is so at this place."""
        if wrong:
            before = sum(map(len, self.tokens[: self.place]))
            raise ValueError(f"{why}; got {self.tokens[self.place]!r} at place {before + 1} of {self.text!r}")


# Drawn by hand: an atom more, or one less


@checked
def grown(molecule: Molecule, piece: str, at: int | None = None) -> str:
    """The line of a molecule to whose atom `at` a piece is bound by its first atom: `C`, `=O`, `c1ccccc1`. With None
    the piece stands beside it. The order of the line stays; / and \\, the sides of a double bond, are lost.

    Raises ValueError for a piece that is no molecule, for an atom that is not there or has no bond left, and for more
    than 200 atoms.
    """
    times = BONDS.get(piece[:1])
    added = read(piece if times is None else piece[1:])
    signs, count = [*_signs(molecule), *_signs(added)], len(molecule.atoms)
    bonds = [*molecule.bonds, *((one + count, other + count, times) for one, other, times in added.bonds)]
    if at is not None:
        _check_atom(molecule, at)
        bonds.append((at, count, times or 1.0))
        _check_bonds(signs[at], [times for *ends, times in bonds if at in ends])
    return str(_Line(signs, bonds))


@checked
def without_atom(molecule: Molecule, atom: int) -> str:
    """The line of a molecule without one of its atoms; what it held together is two molecules then. A ring that was
    aromatic is so no more, and its bonds are single ones. Raises ValueError for an atom that is not there, where it is
    the only one, and for more than 200 atoms."""
    import networkx  # a fifth of a second, which only this function is worth

    _check_atom(molecule, atom)
    if len(molecule.atoms) == 1:
        raise ValueError("expected an atom to be left: bind another one first")
    signs = [sign for i, sign in enumerate(_signs(molecule)) if i != atom]
    kept = [bond for bond in molecule.bonds if atom not in bond[:2]]
    left = [(one - (one > atom), other - (other > atom), times) for one, other, times in kept]
    rings = networkx.Graph([(one, other) for one, other, times in left if times == 1.5])
    opened = {frozenset(ends) for ends in networkx.bridges(rings)}
    bonds = [(one, other, 1.0 if {one, other} in opened else times) for one, other, times in left]
    in_rings = {end for *ends, times in bonds for end in ends if times == 1.5}
    return str(_Line([sign if i in in_rings else _single(sign) for i, sign in enumerate(signs)], bonds))


def _signs(molecule: Molecule) -> list[str]:
    return [molecule.tokens[place] for place in molecule.atoms]


def _single(sign: str) -> str:
    """The sign of an atom outside of aromatic rings: `c` and `[nH]` are C and N there."""
    element = ELEMENT.match(sign)[1]  # type: ignore[index]
    return element.capitalize() if element.islower() else sign


def _check_atom(molecule: Molecule, atom: int) -> None:
    if not 0 <= atom < len(molecule.atoms):
        raise ValueError(f"expected an atom from 0 to {len(molecule.atoms) - 1}, got {atom}")


def _check_bonds(sign: str, times: list[float]) -> None:
    is_aromatic = sign.islower() or sign in AROMATIC
    full = len(times) > AROMATIC.get(sign, 3) if is_aromatic else sum(times) > MOST.get(sign, len(times) * 4)
    if full:
        raise ValueError(f"this {_single(sign)} has no bond left: take something away from it first")


class _Line:
    """The line of atoms and bonds: always on to the first neighbour that is not written yet, as they stood there."""

    def __init__(self, signs: list[str], bonds: list[tuple[int, int, float]]) -> None:
        if len(signs) > MOST_ATOMS:
            raise ValueError(f"expected at most {MOST_ATOMS} atoms, got {len(signs)}")
        self.signs = signs
        self.beside: list[dict[int, float]] = [{} for _ in signs]
        for one, other, times in bonds:
            self.beside[one][other] = self.beside[other][one] = times
        self.after: list[list[int]] = [[] for _ in signs]  # of each atom those that are written behind it
        self.rings: list[tuple[int, int]] = []  # (where a ring begins, where it ends)
        self.digits: dict[tuple[int, int], str] = {}  # of the rings that are open
        self.seen: set[int] = set()

    def __str__(self) -> str:
        return ".".join(self.molecule(first) for first in range(len(self.signs)) if first not in self.seen)

    def molecule(self, first: int) -> str:
        self.walk(first, -1)
        return self.spelt(first)

    def walk(self, atom: int, before: int) -> None:
        self.seen.add(atom)
        for other in sorted(self.beside[atom]):
            if other not in self.seen:
                self.after[atom].append(other)
                self.walk(other, atom)
            elif other != before and (atom, other) not in self.rings:
                self.rings.append((other, atom))

    def spelt(self, atom: int) -> str:
        """The atom and all that is written behind it, all but the last in brackets."""
        told = self.signs[atom] + self.ended(atom) + self.begun(atom)
        *branches, last = [self.bond(atom, other) + self.spelt(other) for other in self.after[atom]] or [""]
        return told + "".join(f"({branch})" for branch in branches) + last

    def ended(self, atom: int) -> str:
        """The digits of the rings that end here; they are free again."""
        return "".join(self.digits.pop(ring) for ring in [*self.digits] if ring[1] == atom)

    def begun(self, atom: int) -> str:
        """The digits of the rings that begin here."""
        told = ""
        for ring in self.rings:
            if ring[0] == atom:
                free = [digit for digit in DIGITS if digit not in self.digits.values()]
                if not free:
                    raise ValueError(f"expected at most {len(DIGITS)} rings that are open at once, got more")
                self.digits[ring] = free[0]
                told += self.bond(*ring) + self.digits[ring]
        return told

    def bond(self, one: int, other: int) -> str:
        """Its sign, where it is not the one that nobody writes."""
        times = self.beside[one][other]
        return "" if times == _usual(self.signs[one], self.signs[other]) else SIGNS[times]


def _usual(one: str, other: str) -> float:
    """The bond that nobody writes: aromatic between two small letters, else a single one."""
    return 1.5 if all(token.lstrip("[0123456789")[0].islower() for token in (one, other)) else 1.0
