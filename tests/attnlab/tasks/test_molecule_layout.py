"""Drawings of molecules: bonds of one length, even rings, nobody on top of another, and always the same."""

from itertools import combinations

import pytest
import torch

from attnlab.tasks.molecule_layout import molecule_layout
from attnlab.tasks.reactions import equation, reactions
from attnlab.tasks.smiles import read


def drawn(text):
    molecule = read(text)
    return molecule, molecule_layout(len(molecule.atoms), molecule.bonds)


def lengths(molecule, places):
    return torch.stack([(places[one] - places[other]).norm() for one, other, _ in molecule.bonds])


@pytest.mark.parametrize("ring", ["C1CC1", "C1CCC1", "c1ccsc1", "c1ccccc1", "C1CCCCCC1"])
def test_a_ring_is_even(ring):
    molecule, places = drawn(ring)
    torch.testing.assert_close(lengths(molecule, places), torch.ones(len(places)), atol=0.02, rtol=0)
    radii = (places - places.mean(0)).norm(dim=1)
    torch.testing.assert_close(radii, radii.mean().expand(len(radii)), atol=0.02, rtol=0)


def test_a_chain_goes_zigzag_and_lies():
    _, places = drawn("CCCCCC")
    steps = places.diff(dim=0)
    torch.testing.assert_close(steps.norm(dim=1), torch.ones(5), atol=0.02, rtol=0)
    assert (steps[:-1] * steps[1:]).sum(1) == pytest.approx(torch.full((4,), 0.5), abs=0.05)  # 120 degrees
    assert places[:, 0].std() > 3 * places[:, 1].std()


@pytest.mark.parametrize("text", ["CC#N", "CN=C=O"])
def test_straight_where_it_is_straight(text):
    _, places = drawn(text)
    assert (places[-1] - places[-3]).norm() == pytest.approx(2, abs=0.05)


def test_molecules_stand_side_by_side():
    molecule, places = drawn("CCO.[Na+].c1ccccc1")
    left, middle, right = places[:3], places[3:4], places[4:]
    assert left[:, 0].max() + 2 < middle[0, 0]
    assert middle[0, 0] + 2 < right[:, 0].min()
    assert len(molecule.atoms) == 10


def test_all_shipped_reactions_can_be_read():
    """No two atoms of a molecule touch, and bonds are of about one length."""
    lines = {line for one in reactions()[::4] for side in one.text.split(">>") for line in side.split(".")}
    for line in sorted(lines):
        molecule, places = drawn(line)
        assert torch.pdist(places).min() > 0.7 if len(places) > 1 else True, line
        if molecule.bonds:
            assert 0.75 < lengths(molecule, places).min() <= lengths(molecule, places).max() < 1.35, line


def test_the_same_every_time():
    product = equation(reactions()[0].text).product
    bonds = product.bonds
    assert torch.equal(molecule_layout(len(product.atoms), bonds), molecule_layout(len(product.atoms), bonds))
    assert molecule_layout(0, []).shape == (0, 2)
    assert molecule_layout(1, []).tolist() == [[0, 0]]


def test_bonds_to_nobody():
    with pytest.raises(ValueError, match=r"bonds between atoms from 0 to 1, got \[\(0, 2\)\]"):
        molecule_layout(2, [(0, 2, 1.0)])


def test_stress_is_no_larger_than_of_other_places():
    """What is drawn is a minimum: every small shift of one atom makes the distances less right."""
    _, places = drawn("CC(C)CO")
    steps = {
        (0, 1): 1,
        (1, 2): 1,
        (1, 3): 1,
        (3, 4): 1,
        (0, 2): 2,
        (0, 3): 2,
        (2, 3): 2,
        (1, 4): 2,
        (0, 4): 3,
        (2, 4): 3,
    }
    assert set(steps) == set(combinations(range(5), 2))

    def stress(at):
        wanted = {1: 1.0, 2: 3**0.5, 3: 7**0.5}
        return sum(((at[a] - at[b]).norm() / wanted[n] - 1) ** 2 for (a, b), n in steps.items())

    for atom in range(5):
        for shift in ([0.05, 0], [-0.05, 0], [0, 0.05], [0, -0.05]):
            moved = places.clone()
            moved[atom] += torch.tensor(shift)
            assert stress(moved) > stress(places)
