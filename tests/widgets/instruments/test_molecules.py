"""Molecules: drawings are checked, and it is named in words."""

import pytest
from traitlets import TraitError

from widgets.instruments.molecules.molecules import Molecules

ACID = {"labels": ["C", "O", "O"], "places": [[0, 0], [1, 0], [0, 1]], "bonds": [[0, 1, 2.0], [0, 2, 1.0]]}
WATER = {"labels": ["O"], "places": [[0, 0]], "bonds": []}


@pytest.fixture
def molecules():
    molecules = Molecules()
    molecules.show(precursors=ACID, product=WATER, weights=[[0.1, 0.2, 0.6]], right=[[1, 2]])
    return molecules


def test_in_words(molecules):
    assert repr(Molecules()) == "Molecules(empty)"
    assert repr(molecules) == "Molecules(1 atoms of the product, 3 of the precursors; 1 of 1 right)"
    assert molecules.found == [2]
    molecules.right = [[0]]
    assert "0 of 1 right" in repr(molecules)
    molecules.right = []
    assert repr(molecules) == "Molecules(1 atoms of the product, 3 of the precursors)"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("precursors", {"labels": ["C"], "places": [], "bonds": []}, "a place for each"),
        ("precursors", {"labels": []}, "labels, a place for each, and bonds"),
        ("product", WATER | {"bonds": [[0, 1, 1.0]]}, "bonds between atoms from 0 to 0"),
        ("weights", [[1, 2]], r"expected shape \(1, 3\), got \(1, 2\)"),
        ("right", [[1], [2]], "a list for each of 1 atoms"),
        ("selected", 1, "an atom from 0 to 0, or -1, got 1"),
    ],
)
def test_a_misfit_is_told_and_nothing_changes(molecules, name, value, words):
    with pytest.raises(TraitError, match=f"{name}: expected .*{words}|{words}"):
        setattr(molecules, name, value)
    assert repr(molecules) == "Molecules(1 atoms of the product, 3 of the precursors; 1 of 1 right)"


def test_another_reaction_comes_as_one(molecules):
    molecules.selected = 0
    molecules.show(precursors=WATER, product=ACID, weights=[[0.5], [0.1], [0]], right=[[0], [], []], selected=2)
    assert repr(molecules) == "Molecules(3 atoms of the product, 1 of the precursors; 1 of 3 right)"
