"""What a head's weights say of atoms: in loops, on weights that are known, and on a small model of random numbers."""

from math import log

import pytest
import torch

from attnlab.analysis.heads.atom_mapping import (
    atom_weights,
    likeliest_sources,
    mapping_accuracy,
    name_hidden_atoms,
    right_sources,
    weights_of_passes,
    where_it_goes,
    without_model,
)
from attnlab.huggingface.albert import new_albert
from attnlab.tasks.reactions import Reaction, encode, equation
from attnlab.training import seeded

ESTER = Reaction("ester", "CC(=O)O.OCC>>CC(=O)OCC", [0, 1, 2, 4, 5, 6], [0, 1, 2, 3, 4, 5, 6])
NITRO = Reaction("nitro", "C[N+](=O)[O-]>>CN", [0, 1], [0, 1, 2, 2])
VOCABULARY = ["[UNK]", "[MASK]", "[CLS]", "[SEP]", ">>", *"CNO().=", "[N+]", "[O-]"]


@pytest.fixture(scope="module")
def model():
    with seeded(0):
        return new_albert(len(VOCABULARY), 6, 10, 7, heads=2, depth=3, longest=40, segments=2).eval()


def perfect(reaction):
    """Weights of a head that looks where each atom was; what is no atom of the product looks at the first token."""
    read = equation(reaction.text)
    weights = torch.zeros(len(read.tokens), len(read.tokens))
    weights[:, 0] = 1
    for row, source in zip(read.rows, reaction.sources, strict=True):
        weights[row, 0] = 0.25
        weights[row, read.columns[source]] = 0.75
    return read, weights


@pytest.mark.parametrize("reaction", [ESTER, NITRO])
def test_a_perfect_head(reaction):
    read, weights = perfect(reaction)
    found = atom_weights(weights, read)
    assert found.shape == (len(reaction.sources), len(reaction.alike))
    assert likeliest_sources(found).tolist() == reaction.sources
    assert right_sources(likeliest_sources(found), reaction).all()
    goes = where_it_goes(weights, read)
    assert {name: float(share) for name, share in goes.items()} == pytest.approx({
        "atoms of the precursors": 0.75,
        "signs of the precursors": 0,
        "product": 0,
        "first token": 0.25,
    })


def test_equal_atoms_are_equally_right():
    twice = Reaction("oxygens", "O=[N+]([O-])C>>CO", [3, 0], [0, 1, 0, 3])
    assert right_sources(torch.tensor([[3, 0], [3, 2], [3, 1], [0, 0]]), twice).tolist() == [
        [True, True],
        [True, True],
        [True, False],
        [False, True],
    ]


def test_passes_are_the_calls_of_the_one_block(model):
    tokens = encode(equation(ESTER.text).tokens, VOCABULARY)
    weights = weights_of_passes(model, tokens)
    assert weights.shape == (3, 2, tokens.shape[1], tokens.shape[1])
    x, block = model.encoder.embed(tokens), model.encoder.blocks[0]
    for each in weights:
        query, key, _ = block.attention.project(x, x, x)
        torch.testing.assert_close(each, ((query @ key.mT) / 5**0.5).softmax(-1)[0], atol=1e-5, rtol=1e-4)
        x = block(x)


def test_accuracy_in_loops(model):
    found = mapping_accuracy(model, VOCABULARY, [ESTER, NITRO])
    assert found.atoms.tolist() == [6, 2]
    for one, reaction in enumerate([ESTER, NITRO]):
        read = equation(reaction.text)
        weights = weights_of_passes(model, encode(read.tokens, VOCABULARY))
        for number in range(3):
            for head in range(2):
                right = 0
                for row, source in zip(read.rows, reaction.sources, strict=True):
                    looks = [float(weights[number, head, row, column]) for column in read.columns]
                    right += reaction.alike[looks.index(max(looks))] == reaction.alike[source]
                assert found.right[one, number, head] == right
    torch.testing.assert_close(found.share, found.right.sum(0) / 8)


def test_chance_and_the_simple_rule():
    [nitro] = [without_model([NITRO])]
    assert nitro.any_atom == pytest.approx((1 / 4 + 1 / 4) / 2)
    assert nitro.same_element == nitro.first == 1
    ester = without_model([ESTER])
    assert ester.any_atom == pytest.approx(1 / 7)
    assert ester.same_element == pytest.approx((4 * 1 / 4 + 2 * 1 / 3) / 6)
    assert ester.first == pytest.approx(2 / 6)  # the first C and the first O
    assert without_model([ESTER, NITRO]).first == pytest.approx(4 / 8)


@torch.no_grad()
def test_hidden_atoms_in_loops(model):
    found = name_hidden_atoms(model, VOCABULARY, [ESTER, NITRO], torch.Generator().manual_seed(0))
    generator, right, loss = torch.Generator().manual_seed(0), 0, 0.0
    for reaction, count in ((ESTER, 2), (NITRO, 1)):
        read = equation(reaction.text)
        hidden = [read.rows[i] for i in torch.randperm(len(read.rows), generator=generator)[:count]]
        asked = ["[MASK]" if place in hidden else token for place, token in enumerate(read.tokens)]
        chances = model(encode(asked, VOCABULARY))[0].softmax(-1)
        for place in hidden:
            wanted = VOCABULARY.index(read.tokens[place])
            right += int(chances[place].argmax()) == wanted
            loss -= log(chances[place, wanted])
    assert found == pytest.approx((right / 3, loss / 3, 3), abs=1e-4)


def test_a_model_that_copies_names_every_hidden_atom(model, monkeypatch):
    """Where all atoms are C, always saying C is right."""
    only = Reaction("none", "CC.C>>CCC", [0, 1, 2], [0, 1, 2])

    def says_c(tokens):
        return torch.eye(len(VOCABULARY))[VOCABULARY.index("C")].expand(*tokens.shape, -1) * 50

    monkeypatch.setattr(model, "forward", says_c)
    assert name_hidden_atoms(model, VOCABULARY, [only], torch.Generator()) == pytest.approx((1, 0, 1))


def test_what_does_not_fit(model):
    read, weights = perfect(ESTER)
    with pytest.raises(ValueError, match="weights of 12 tokens, got 23"):
        atom_weights(weights, equation(NITRO.text))
    with pytest.raises(ValueError, match="a source for each of 2 atoms, got 6"):
        right_sources(likeliest_sources(atom_weights(weights, read)), NITRO)
    with pytest.raises(ValueError, match="expected sources from 0 to 3, got 1 to 4"):
        right_sources(torch.tensor([1, 4]), NITRO)
    for measure in (
        lambda none: mapping_accuracy(model, VOCABULARY, none),
        without_model,
        lambda none: name_hidden_atoms(model, VOCABULARY, none, torch.Generator()),
    ):
        with pytest.raises(ValueError, match="at least one reaction, got none"):
            measure([])


def test_where_the_weight_goes_place_by_place():
    read = equation(ESTER.text)
    weights = torch.randn(len(read.tokens), len(read.tokens)).softmax(-1)
    mean, arrow = weights[read.rows].mean(0), read.tokens.index(">>")
    signs = [place for place in range(1, arrow) if place not in read.columns]
    wanted = [mean[read.columns].sum(), mean[signs].sum(), mean[arrow + 1 : -1].sum(), mean[0]]
    torch.testing.assert_close(list(where_it_goes(weights, read).values()), wanted)
