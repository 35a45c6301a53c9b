"""Molecules and reactions as lines: what is read, what is refused and how, and the 110 whose truth is known."""

import importlib.util
import random
import time

import pytest

from attnlab.tasks import make_reactions
from attnlab.tasks.reactions import FILE, WRITINGS, encode, equation, reactions
from attnlab.tasks.smiles import Molecule, grown, pieces, read, without_atom

ACETIC, NITRO = "CC(=O)O", "O=[N+]([O-])c1ccc(Cl)cc1"


def test_tokens():
    assert pieces(NITRO) == [
        "O", "=", "[N+]", "(", "[O-]", ")", "c", "1", "c", "c", "c", "(", "Cl", ")", "c", "c", "1",
    ]  # fmt: skip
    assert pieces("C%12Br>>Cl") == ["C", "%12", "Br", ">>", "Cl"]
    assert pieces("") == []


def test_atoms_and_bonds():
    acid = read(ACETIC)
    assert acid.atoms == [0, 1, 4, 6]
    assert acid.elements == ["C", "C", "O", "O"]
    assert acid.bonds == [(0, 1, 1.0), (1, 2, 2.0), (1, 3, 1.0)]
    ring = read("c1cc[nH]c1")
    assert ring.elements == ["C", "C", "C", "N", "C"]
    assert ring.bonds == [(0, 1, 1.5), (1, 2, 1.5), (2, 3, 1.5), (3, 4, 1.5), (0, 4, 1.5)]
    assert read("C1CC=1").bonds == read("C=1CC1").bonds == [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 2.0)]
    assert read("c1ccccc1C").bonds[-1] == (5, 6, 1.0)
    assert read("[Na+].[Cl-]") == (["[Na+]", ".", "[Cl-]"], [0, 2], [])
    assert read("[13CH3]/C=C/[Si]#[se]").elements == ["C", "C", "C", "Si", "Se"]
    assert read("CC(C)(C)O").bonds == [(0, 1, 1.0), (1, 2, 1.0), (1, 3, 1.0), (1, 4, 1.0)]


@pytest.mark.parametrize(
    ("line", "piece", "at", "expected"),
    [
        ("C", "C", 0, "CC"),
        ("CC(=O)O", "C", 3, "CC(=O)OC"),
        ("CCO", "=O", 1, "CC(O)=O"),
        ("c1ccccc1", "N", 2, "c1cc(ccc1)N"),
        ("CBr", "c1ccccc1", 0, "C(Br)c1ccccc1"),
        ("c1ccccc1", "c1ccccc1", 5, "c1ccccc1-c1ccccc1"),
        ("C1CC=1", "O", 0, "C=1(CC1)O"),
        ("CCO", "N", None, "CCO.N"),
    ],
)
def test_an_atom_more(line, piece, at, expected):
    assert grown(read(line), piece, at) == expected
    read(expected)


@pytest.mark.parametrize(
    ("line", "atom", "expected"),
    [
        ("CC(=O)O", 2, "CCO"),
        ("CC(=O)O", 1, "C.O.O"),
        ("c1ccccc1C", 6, "c1ccccc1"),
        ("Cc1ccccc1", 1, "C.CCCCC"),
        ("c1cc[nH]c1", 0, "CCNC"),
        ("c1ccc2ccccc2c1", 0, "CCc1ccccc1C"),
    ],
)
def test_an_atom_less(line, atom, expected):
    assert without_atom(read(line), atom) == expected


@pytest.mark.parametrize("writing", WRITINGS)
def test_what_is_drawn_leaves_the_line_as_it_stands(writing):
    """Another molecule beside each known one, and away again."""
    for one in reactions(writing):
        for side in equation(one.text):
            line = "".join(side.tokens).replace("~", ".")
            more = grown(side, "C")
            assert more == f"{line}.C"
            assert without_atom(read(more), len(side.atoms)) == line


@pytest.mark.parametrize(
    ("line", "piece", "at", "words"),
    [
        ("CBr", "C", 1, "this Br has no bond left"),
        ("C=O", "C", 1, "this O has no bond left"),
        ("Cc1ccccc1", "C", 1, "this C has no bond left"),
        ("C", "=", 0, "the end is left open"),
        ("o1cccc1", "C", 0, "this O has no bond left"),
        ("[nH]1cccc1", "C", 0, "this N has no bond left"),
        ("CCO", "C", -1, "expected an atom from 0 to 2, got -1"),
        ("CC", "C", 5, "expected an atom from 0 to 1, got 5"),
    ],
)
def test_an_atom_that_cannot_be_bound(line, piece, at, words):
    with pytest.raises(ValueError, match=words):
        grown(read(line), piece, at)
    with pytest.raises(ValueError, match="expected an atom to be left"):
        without_atom(read("C"), 0)
    for atom in (-1, 3):
        with pytest.raises(ValueError, match=f"expected an atom from 0 to 2, got {atom}"):
            without_atom(read("CCO"), atom)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("CC(=O", "a bracket is left open"),
        ("c1ccccc", "ring 1 is left open"),
        ("CC=", "the end is left open"),
        ("CC.", "the end is left open"),
        ("", "the end is left open"),
        ("CC)O", r"never opened; got '\)' at place 3 of 'CC\)O'"),
        ("=O", "begins with an atom, such as C, Cl or .*; got '=' at place 1"),
        ("C.=O", "begins with an atom"),
        ("C..O", "a dot stands behind an atom; got '.' at place 3"),
        ("CX", "expected an atom, .* got 'X' at place 2"),
        ("C[NaC", r"expected an atom, .* got '\[' at place 2"),
        ("(C)", r"begins with an atom.*got '\('"),
        ("C11", "between two atoms that are not bound yet; got '1' at place 3"),
        ("C12CC12", "between two atoms that are not bound yet; got '2' at place 7"),
        ("C=1CC#1", "the two ends of a ring name different bonds"),
        ("C==C", "one sign says how two atoms are bound; got '=' at place 3"),
        ("C(=)C", r"a bond needs an atom behind it; got '\)'"),
        ("C=(C)C", r"the sign of a bond stands within the bracket.*got '\('"),
        ("C()C", "a bracket holds an atom or more"),
        ("C=.C", "a dot stands behind an atom"),
    ],
)
def test_what_is_no_molecule(text, words):
    with pytest.raises(ValueError, match=words):
        read(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("CCO", "expected one reaction, precursors>>product, such as .* got 'CCO'"),
        ("C>>C>>C", "expected one reaction"),
        (">>CC", "molecules on both sides"),
        ("CC>>", "molecules on both sides"),
        ("CC>O>CC", "expected one reaction"),
        ("CC>>C1C", "expected a whole molecule, got 'C1C': ring 1"),
    ],
)
def test_what_is_no_reaction(text, words):
    with pytest.raises(ValueError, match=words):
        equation(text)


def test_places_of_atoms():
    read_ = equation(" CC(=O)O.OC>>CC(=O)OC ")
    assert "".join(read_.tokens) == "[CLS]CC(=O)O.OC>>CC(=O)OC[SEP]"
    assert [read_.tokens[place] for place in read_.columns] == list("CCOOOC")
    assert [read_.tokens[place] for place in read_.rows] == list("CCOOC")
    assert read_.rows[0] == read_.tokens.index(">>") + 1


def test_encoded():
    assert encode(["C", "[Xe]", "C"], ["[UNK]", "C"]).tolist() == [[1, 0, 1]]
    with pytest.raises(ValueError, match=r"a vocabulary with \[UNK\], got 1 tokens without it"):
        encode(["C"], ["C"])


@pytest.mark.parametrize("writing", WRITINGS)
def test_the_truth_fits_the_lines(writing):
    found = reactions(writing)
    assert len(found) == len({one.text for one in found}) == 110
    assert [one.kind for one in found] == [kind for kind in make_reactions.RULES for _ in range(10)]
    assert sum(len(one.sources) for one in found) == 1361
    for one in found:
        sides = equation(one.text)
        precursors, product = sides
        assert [precursors.elements[source] for source in one.sources] == product.elements
        assert len(set(one.sources)) == len(one.sources), "no atom becomes two"
        assert len(one.alike) == len(precursors.atoms)
        assert all(
            precursors.elements[one.alike.index(a)] == e for a, e in zip(one.alike, precursors.elements, strict=True)
        )
        kept = [bond for bond in product.bonds if _joined(precursors, one.sources[bond[0]], one.sources[bond[1]])]
        assert len(kept) >= len(product.bonds) - 2, "a reaction makes a bond or two, the others were there before"


def _joined(molecule, one, other):
    return any({one, other} == {a, b} for a, b, _ in molecule.bonds)


def test_three_ways_to_write_the_same():
    canonical, product, everything = map(reactions, WRITINGS)
    for one, two, three in zip(canonical, product, everything, strict=True):
        assert one.text.split(">>")[0] == two.text.split(">>")[0]
        assert sorted(equation(one.text).product.elements) == sorted(equation(three.text).product.elements)
    assert sum(one.text != two.text for one, two in zip(canonical, product, strict=True)) >= 100
    with pytest.raises(ValueError, match="expected one of canonical, product reordered, all reordered, got 'mine'"):
        reactions("mine")


def test_equal_atoms():
    [phenyl] = [one for one in reactions() if one.text == "CO.NCc1ccccc1.O=C(O)c1ccccc1>>O=C(NCc1ccccc1)c1ccccc1"]
    alike = phenyl.alike[5:10]  # the ring's atoms behind the first, round and back
    assert alike[0] == alike[4]
    assert alike[1] == alike[3]
    assert len(set(alike)) == 3


@pytest.mark.skipif(importlib.util.find_spec("rdkit") is None, reason="rdkit is not installed")
def test_made_anew(monkeypatch, tmp_path):
    monkeypatch.setattr(make_reactions, "FILE", tmp_path / "reactions.json")
    make_reactions.main()
    assert (tmp_path / "reactions.json").read_text(encoding="utf-8") == FILE.read_text(encoding="utf-8")


@pytest.mark.skipif(importlib.util.find_spec("rdkit") is None, reason="rdkit is not installed")
def test_a_rule_that_does_not_fit():
    rule = make_reactions.RULES["amide"][0]
    assert make_reactions.react(rule, ["CCO", "CCN"], [], random.Random(0)) is None


def test_what_is_too_large_to_be_written():
    long = read("C" * 200)
    assert without_atom(long, 199) == "C" * 199
    with pytest.raises(ValueError, match="expected at most 200 atoms, got 201"):
        grown(long, "C", 199)
    bonds = [(one, other, 1.0) for other in range(24) for one in range(other)]
    with pytest.raises(ValueError, match="at most 99 rings that are open at once"):
        grown(Molecule(["[Xe]"] * 24, list(range(24)), bonds), "C")


def test_many_rings_are_read_at_once():
    """Each new bond is looked for among all, and not one by one."""
    line = "C%10CC%10" * 8000
    begun = time.process_time()
    assert len(read(line).bonds) == 8000 * 4 - 1
    assert time.process_time() - begun < 5


def test_an_isotope_stays_in_its_ring():
    assert {times for *_, times in read("c1cc[13cH]cc1").bonds} == {1.5}
