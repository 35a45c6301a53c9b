"""AtomMappingExplorer: weights are the model's, right ones are the known ones, and a broken line is told."""

import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab import record
from attnlab.tasks.reactions import WRITINGS, encode, equation, reactions
from attnlab.trained import atom_mapping, mapping_shares, rxnmapper
from widgets.explorers.l17_real_models.atom_mapping import EACH, KINDS, AtomMappingExplorer, groups

CHANCE = atom_mapping()["without model"]["any_atom"]


@pytest.fixture(scope="module")
def mapper():
    return rxnmapper()


@pytest.fixture
def explorer(mapper):
    return AtomMappingExplorer(mapper, mapping_shares(), CHANCE)


def test_every_control(explorer):
    drive(explorer)


def test_weights_are_the_recorded_ones_between_atoms(explorer, mapper):
    explorer.change(kind="urea", example=3, number=4, head=2)
    reaction = reactions()[KINDS.index("urea") * EACH + 2]
    read = equation(reaction.text)
    with torch.no_grad(), record(mapper.model) as trace:
        mapper.model(encode(read.tokens, mapper.vocabulary))
    weights = trace["encoder.blocks.0.attention"][3].weights[0, 1]
    for row, place in enumerate(read.rows):
        for column, other in enumerate(read.columns):
            assert float(explorer.atoms[row, column]) == pytest.approx(float(weights[place, other]), abs=1e-5)


def test_what_is_right_is_marked(explorer):
    explorer.change(kind="amide", example=9)
    reaction = reactions()[8]
    marked = explorer.parts["matrix"].marked
    assert all([row, source] in marked for row, source in enumerate(reaction.sources))
    assert len(marked) > len(reaction.sources), "equal atoms are equally right"
    assert all(reaction.alike[column] == reaction.alike[reaction.sources[row]] for row, column in marked)
    right = sum([row, column] in marked for row, column in enumerate(explorer.parts["molecules"].found))
    assert f"{right} of {len(reaction.sources)} atoms of the product give most weight to" in repr(explorer)
    assert "over all 110 reactions 93" in repr(explorer)


def test_the_other_writings_have_their_own_shares(explorer):
    explorer.writing = WRITINGS[2]
    assert "over all 110 reactions 75" in repr(explorer)
    assert explorer.line(explorer.state) == reactions(WRITINGS[2])[KINDS.index("Suzuki") * EACH].text


def test_all_heads_stand_in_one_matrix_and_a_press_chooses_one(explorer):
    heads, shares = explorer.parts["heads"], mapping_shares()
    assert heads.values[0, 0].tolist() == shares["canonical"].tolist()
    assert (heads.marked, heads.selected) == ([[8, 5]], [0, 8, 5])
    assert "best of all 96 is head 6 in pass 9 with 93\u202f%; a blind guess has 8\u202f%" in repr(explorer)
    heads.selected = [0, 2, 2]
    assert (explorer.number, explorer.head) == (3, 3)
    assert f"over all 110 reactions {100 * float(shares['canonical'][2, 2]):.0f}" in repr(explorer)
    explorer.head = 6
    assert heads.selected == [0, 2, 5]
    heads.selected = [0, 2, 2]  # once more, after the slider went away from it
    assert explorer.head == 3
    heads.selected = [0, 7, -1]  # a whole row is no head
    assert (explorer.number, explorer.head) == (3, 3)
    explorer.writing = WRITINGS[2]
    assert heads.values[0, 0].tolist() == shares[WRITINGS[2]].tolist()


def test_one_atom(explorer):
    explorer.change(kind="Diels-Alder", example=4, atom=6)
    assert "Atom N7 of the product has 28" in repr(explorer)
    assert "an N: the atom that it was." in repr(explorer)
    explorer.atom = 2
    assert "it was another one, the circled one" in repr(explorer)
    assert explorer.parts["matrix"].selected == [0, 2, -1]
    explorer.parts["molecules"].selected = 4
    assert explorer.atom == 4
    explorer.change(kind="Boc removal", atom=8)
    assert "Head 6" in repr(explorer), "a product with fewer atoms: none is chosen"


def test_your_own_reaction(explorer):
    explorer.own = " CC(=O)O.OCC>>CC(=O)OCC "
    assert "the truth of your own reaction is not known here" in repr(explorer)
    assert explorer.parts["matrix"].marked == explorer.parts["molecules"].right == []
    assert explorer.atoms.shape == (6, 7)
    code_gives_the_picture(explorer)


def test_a_reaction_drawn_by_hand(explorer):
    """From an acid and an alcohol to their ester, and one atom more on both sides."""
    molecules = explorer.parts["molecules"]
    explorer.change(own="CC(=O)O.OC>>CC(=O)OC", atom=1)
    molecules.draw("C", 0, 5)
    molecules.draw("C", 1, 4)
    assert (explorer.own, explorer.atom) == ("CC(=O)O.OCC>>CC(=O)OCC", -1)
    assert explorer.atoms.shape == (6, 7)
    molecules.draw("benzene ring", 1)
    assert explorer.own == "CC(=O)O.OCC>>CC(=O)OCC.c1ccccc1"
    molecules.draw("take away", 0, 2)
    molecules.draw("take away", 0)
    assert explorer.own.startswith("CCO.OCC>>")
    molecules.draw("=O", 0, 2)
    assert "this O has no bond left" in molecules.refused
    assert explorer.own.startswith("CCO.OCC>>")
    molecules.draw("C", 0, 2)
    assert (molecules.refused, explorer.own.startswith("CCOC.OCC>>")) == ("", True)
    code_gives_the_picture(explorer)
    assert AtomMappingExplorer.from_moment(explorer.moment, *explorer._made_with[0]).own == explorer.own
    for pen, side, atom in (("Xe", 0, 0), ("C", 2, 0), ("C", 0, 99), ("C", 1, -2)):
        said = rf"expected one of the pens .* side 0 or 1 of .* got '{pen}', {side}, {atom}$"
        with pytest.raises(ValueError, match=said):
            molecules.draw(pen, side, atom)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("CC(=O)O", "expected one reaction, precursors>>product"),
        ("CC(=O>>CC", "a bracket is left open"),
        ("CC?>>CC", "expected an atom"),
        ("C[nonsense]>>CC", "expected an atom, such as C, Cl or [Na+]"),
        ("[+]>>C", "a molecule begins with an atom, such as C, Cl or [Na+]"),
        ("C" * 61 + ">>C", "at most 60 atoms"),
        (
            "C" + "(" * 300 + "C" + ")" * 300 + ">>C",
            "expected at most 512 tokens, for which there are positions, got 606",
        ),
    ],
)
def test_a_line_that_is_no_reaction(explorer, line, words):
    before = explorer.parts["molecules"].product
    explorer.own = line
    assert words in explorer.parts["caption"].error
    assert explorer.parts["molecules"].product == before, "the last good picture stays"
    explorer.own = ""
    assert not explorer.parts["caption"].error


def test_a_border_between_molecules():
    read = equation("CC.O.[Na+]~[Cl-]>>C").precursors
    assert groups(read) == [[0, 2, ""], [2, 3, ""], [3, 4, ""], [4, 5, ""]]
    assert groups(equation("CC>>C").precursors) == []
