"""Which atom of the precursors became which atom of the product? A head of a chemistry model says it, unasked."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import torch
from torch import Tensor
from traitlets import observe

from attnlab.analysis import (
    atom_weights,
    likeliest_sources,
    right_sources,
    weights_of_passes,
    where_it_goes,
)
from attnlab.tasks.molecule_layout import molecule_layout
from attnlab.tasks.reactions import ARROW, WRITINGS, Equation, Reaction, encode, equation, reactions
from attnlab.tasks.smiles import Molecule, grown, without_atom
from widgets.base.controls import held, select, selected_cell, slider, stepper, text
from widgets.base.explorer import Explorer
from widgets.base.words import key, percent, query, say
from widgets.instruments.matrix.matrix import Matrix
from widgets.instruments.molecules.molecules import Molecules

KINDS = list(dict.fromkeys(one.kind for one in reactions()))
EACH = len(reactions()) // len(KINDS)
PENS = {"C": "C", "N": "N", "O": "O", "=O": "=O", "Br": "Br", "benzene ring": "c1ccccc1", "take away": ""}
LONGEST = 2000  # letters of a line
MOST = 60  # atoms of the precursors or of the product: more could not bear their names


class Once(NamedTuple):
    """A reaction as it is read, its [passes, heads, tokens, tokens], and both sides as they are drawn."""

    read: Equation
    passes: Tensor
    precursors: dict[str, list]
    product: dict[str, list]


class Mapped(NamedTuple):
    """reaction: None for one that was typed. weights: [tokens, tokens] of the head; atoms: [product, precursors] of
    them. found: for each atom of the product the one that it weighs most. right: which of these are; None: unknown."""

    once: Once
    reaction: Reaction | None
    weights: Tensor
    atoms: Tensor
    found: Tensor
    right: Tensor | None


class AtomMappingExplorer(Explorer):
    """Point at an atom of the product: the atoms light up that the head looks at. Choose head and pass, also by a click
    on the matrix of all heads; draw your own reaction with the pens, or type it.

    mapper: as `attnlab.trained.rxnmapper` gives it. shares: {writing: [passes, heads]}, the share of all atoms that
    each head maps right, as `attnlab.trained.mapping_shares` gives it. chance: the share that a blind guess maps right.
    """

    kind = select(KINDS, "Suzuki", help="what kind of reaction it is; ten of each have a known truth")
    example = stepper(1, 1, EACH, label="reaction", help="which of the ten")
    number = slider(9, 1, 12, label="pass", help="the one block is used twelve times: which time")
    head = slider(6, 1, 8, help="which of its heads")
    own = text(
        "",
        label="or your own",
        width=34,
        help="precursors>>product as SMILES, such as CC(=O)O.OCC>>CC(=O)OCC",
        optional=True,
    )
    writing = select(WRITINGS, help="the order in which the atoms are written down")
    chosen = selected_cell([0, 8, 5], view="heads", help="[0, pass, head] from 0: the head that is shown")
    atom = held(-1, help="the atom of the product that was chosen, from 0; -1: none", follows=("molecules", "selected"))

    shows = {"atoms": ("matrix", "values")}

    def __init__(self, mapper, shares: Mapping[str, Tensor], chance: float, lock=None, **state) -> None:
        self.mapper, self.shares, self.chance = mapper, shares, chance
        self._read: dict[str, Once] = {}
        super().__init__(lock=lock, **state)

    @property
    def atoms(self) -> Tensor:
        """[product, precursors]: the weights of the head that is shown, between atoms alone."""
        return self.result.atoms

    def views(self) -> dict:
        molecules = Molecules(pens=[*PENS])
        molecules.on_draw(self._draw)
        return {
            "molecules": molecules,
            "matrix": Matrix(torch.zeros(1, 1), query_title="product", key_title="precursors"),
            "heads": Matrix(
                self.shares[WRITINGS[0]],
                query_labels=[str(number) for number in range(1, 13)],
                key_labels=[str(head) for head in range(1, 9)],
                query_title="pass",
                key_title="head",
                panel_names=[f"atoms right, over all {len(reactions())} reactions"],
                measure="right",
            ),
        }

    @observe("chosen")
    def _turn_to_the_cell(self, change) -> None:
        """A cell of the matrix of all heads was pressed."""
        if change.new and min(change.new) >= 0:
            _, number, head = change.new
            self.set_state({"number": number + 1, "head": head + 1})

    def _draw(self, pen: str, side: int, atom: int) -> None:
        """A pen has touched an atom, or the blank beside them: what is seen, so changed, is the learner's own."""
        at, piece = atom if atom >= 0 else None, PENS[pen]
        try:
            read = self.result.once.read
            sides = ["".join(molecule.tokens) for molecule in read]
            if piece:
                sides[side] = grown(read[side], piece, at)
            elif at is not None:
                sides[side] = without_atom(read[side], at)
        except ValueError as error:
            self.parts["molecules"].refused = str(error)
        else:
            self.change(own=ARROW.join(sides), atom=-1)

    def reaction(self, state) -> Reaction | None:
        """The one whose truth is known, or None where another was typed."""
        if state.own.strip():
            return None
        return reactions(state.writing)[KINDS.index(state.kind) * EACH + state.example - 1]

    def line(self, state) -> str:
        """The reaction as it is read."""
        known = self.reaction(state)
        return state.own.strip() if known is None else known.text

    def once(self, line: str) -> Once:
        """What a line is, whatever head is shown; kept while sliders move. Raises ValueError for no reaction."""
        if line not in self._read:
            if len(line) > LONGEST:
                raise ValueError(f"expected a line of at most {LONGEST:,} letters, got {len(line):,}")
            read = equation(line)
            if max(len(side.atoms) for side in read) > MOST:
                raise ValueError(f"expected at most {MOST} atoms on each side: more could not be told apart here")
            passes = weights_of_passes(self.mapper.model, encode(read.tokens, self.mapper.vocabulary))
            self._read = {line: Once(read, passes, *map(drawing, read))}
        return self._read[line]

    def compute(self, state) -> Mapped:
        once, known = self.once(self.line(state)), self.reaction(state)
        weights = once.passes[state.number - 1, state.head - 1]
        atoms = atom_weights(weights, once.read)
        found = likeliest_sources(atoms)
        return Mapped(once, known, weights, atoms, found, None if known is None else right_sources(found, known))

    def picture(self, state, result) -> dict:
        precursors, product = result.once.read
        right = [] if result.reaction is None else equals(result.reaction)
        chosen = state.atom if state.atom < len(product.atoms) else -1
        return {
            "molecules": {
                "precursors": result.once.precursors,
                "product": result.once.product,
                "weights": result.atoms,
                "right": right,
                "selected": chosen,
                "refused": "",
            },
            "matrix": {
                "values": result.atoms,
                "query_labels": named(product),
                "key_labels": precursors.elements,
                "key_groups": groups(precursors),
                "marked": [[row, column] for row, columns in enumerate(right) for column in columns],
                "selected": [0, chosen, -1] if chosen >= 0 else [],
            },
            "heads": {
                "values": self.shares[state.writing],
                "marked": [self.best(state)],
                "selected": [0, state.number - 1, state.head - 1],
            },
        }

    def best(self, state) -> list[int]:
        """[pass, head], from 0, of the head that maps the most atoms right, as the reactions are written."""
        shares = self.shares[state.writing]
        return [*divmod(int(shares.argmax()), shares.shape[1])]

    def sentence(self, state, result) -> list:
        if 0 <= state.atom < len(result.found):
            return self.of_one(state.atom, result)
        goes = {name: float(share) for name, share in where_it_goes(result.weights, result.once.read).items()}
        rest = (
            f"Of the weight of the product's atoms {percent(goes['atoms of the precursors'])} lies on atoms of the "
            "precursors, "
            f"{percent(goes['product'])} on the product itself, {percent(goes['first token'])} on the first token, "
            "which stands for nothing."
        )
        start = f"Head {state.head} in pass {state.number}: "
        if result.right is None:
            return say(start, "the truth of your own reaction is not known here; look whether it makes sense. ", rest)
        shares, (number, head) = self.shares[state.writing], self.best(state)
        best = f"is head {head + 1} in pass {number + 1} with {percent(float(shares[number, head]))}"
        return say(
            start,
            query(f"{int(result.right.sum())} of {len(result.right)} atoms of the product"),
            " give most weight to ",
            key("the atom that they were"),
            f"; over all {len(reactions())} reactions {percent(float(shares[state.number - 1, state.head - 1]))}. The "
            f"best of all {shares.numel()} {best}; a blind guess has {percent(self.chance)}. {rest} "
            "Outlined: the atom that it was, and those that cannot be told from it.",
        )

    def of_one(self, atom: int, result) -> list:
        """The sentence about one atom of the product."""
        precursors, product = result.once.read
        at = int(result.found[atom])
        element = precursors.elements[at]
        verdict = f"{'an' if element[0] in 'AEFHILMNORSX' else 'a'} {element}"
        if result.right is not None:
            verdict += ": the atom that it was" if result.right[atom] else "; it was another one, the circled one"
        return say(
            "Atom ",
            query(named(product)[atom]),
            " of the product has ",
            key(percent(float(result.atoms[atom, at]))),
            f" of its weight on one atom of the precursors, {verdict}.",
        )

    def code(self, state) -> str:
        return "\n".join([
            "from attnlab.analysis import atom_weights, weights_of_passes",
            "from attnlab.tasks.reactions import encode, equation",
            "from attnlab.trained import rxnmapper",
            "",
            "model, vocabulary, _ = rxnmapper()",
            f"read = equation({self.line(state)!r})",
            "weights = weights_of_passes(model, encode(read.tokens, vocabulary))  # [passes, heads, tokens, tokens]",
            f"atoms = atom_weights(weights[{state.number - 1}, {state.head - 1}], read)  # [product, precursors]",
        ])


def equals(reaction: Reaction) -> list[list[int]]:
    """For each atom of the product, those that it may have been: the one that it was, and its equals."""
    alike = reaction.alike
    return [[at for at, one in enumerate(alike) if one == alike[source]] for source in reaction.sources]


def named(molecule: Molecule) -> list[str]:
    """Each atom's element and number: the drawing counts as the line does."""
    return [f"{element}{number}" for number, element in enumerate(molecule.elements, 1)]


def groups(molecule: Molecule) -> list[list[Any]]:
    """One group for each molecule of a line, without a name: a border shows where the next begins."""
    between = [place for place, token in enumerate(molecule.tokens) if token in ".~"]
    starts = [0, *(sum(at < place for at in molecule.atoms) for place in between), len(molecule.atoms)]
    return [[start, stop, ""] for start, stop in pairwise(starts)] if between else []


def drawing(molecule: Molecule) -> dict[str, list]:
    """As `Molecules` draws it."""
    places = molecule_layout(len(molecule.atoms), molecule.bonds)
    return {
        "labels": molecule.elements,
        "places": [[round(float(x), 3) for x in place] for place in places],
        "bonds": [list(bond) for bond in molecule.bonds],
    }
