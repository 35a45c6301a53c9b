"""A model for each code of positions, asked for letters of strings as long as in training, and longer ones."""

import pytest
import torch
from torch.nn.functional import one_hot

from attnlab.positions import POSITIONS
from attnlab.tasks.letter_places import (
    LONGEST,
    QUESTIONS,
    SYMBOLS,
    Tagger,
    loss_of_places,
    right_at_length,
    right_at_lengths,
    right_by_place,
    taggers,
    wrong_by_distance,
)
from attnlab.tasks.tagging import tagging_loss


class Naming(Tagger):
    """Names the letter so far to the left, from the ninth on another one."""

    def __init__(self, back, later=None):
        super().__init__("none")
        self.back, self.later = back, back if later is None else later

    def forward(self, letters, start=0):
        places = torch.arange(letters.shape[1])
        named = places - torch.where(places < LONGEST, self.back, self.later)
        return one_hot(letters[:, named.clamp(min=0)], SYMBOLS).float()


def test_all_start_with_the_same_letters_and_differ_in_positions_alone():
    models = taggers(3)
    assert list(models) == list(QUESTIONS)
    for question in QUESTIONS:
        assert list(models[question]) == list(POSITIONS)
        first, *others = models[question].values()
        assert all(torch.equal(first.letters.weight, other.letters.weight) for other in others)
    assert not torch.equal(first.letters.weight, taggers(4)["back"]["none"].letters.weight)


@pytest.mark.parametrize("scheme", POSITIONS)
def test_a_later_start_counts_only_for_codes_on_the_letters(scheme):
    letters = torch.randint(SYMBOLS, (2, 6), generator=torch.Generator().manual_seed(1))
    torch.manual_seed(0)
    model = Tagger(scheme)
    assert model(letters).shape == (2, 6, SYMBOLS)
    assert torch.equal(model(letters), model(letters, start=5)) is (scheme not in ("one_hot", "learned", "sinusoidal"))


def test_the_end_mark_is_read():
    torch.manual_seed(0)
    model, letters = Tagger("none"), torch.tensor([[1, 2, 3]])
    before = model(letters)
    model.letters.weight.data[SYMBOLS] *= -1
    assert not torch.allclose(model(letters), before)


@pytest.mark.parametrize("latest", [0, 8])
def test_the_loss_is_that_of_one_length_begun_at_one_place(latest):
    torch.manual_seed(0)
    model = Tagger("learned")
    found = loss_of_places(model, "mirrored", torch.Generator().manual_seed(2), latest)
    generator = torch.Generator().manual_seed(2)
    length = int(torch.randint(4, 9, (), generator=generator))
    start = int(torch.randint(latest + 1, (), generator=generator)) if latest else 0
    batch = QUESTIONS["mirrored"].batch(32, length, generator)
    assert torch.equal(found, tagging_loss(model(batch.inputs, start), batch.targets))
    assert (start > 0) is (latest > 0), "another seed would test nothing"


def test_shares_of_a_model_that_looks_two_back_and_later_eight():
    perfect, lost = Naming(2), Naming(2, 8)
    assert right_at_length(perfect, "back", 12) == 1
    assert right_by_place(perfect, "back", 12).tolist() == [1.0] * 10
    by_place = right_by_place(lost, "back", 12)
    assert by_place[:6].tolist() == [1.0] * 6
    assert by_place[6:].max() < 0.15
    assert right_at_length(lost, "back", 8) == 1
    means = [right_at_length(lost, "back", length) for length in (8, 12)]
    assert right_at_lengths(lost, "back", [8, 12]) == pytest.approx(sum(means) / 2)


def test_wrong_answers_are_told_by_their_distance():
    assert wrong_by_distance(Naming(2), 16).tolist() == [0.0] * 16
    found = wrong_by_distance(Naming(2, 8), 16)
    assert found[8] == 1
    assert found[2] == 0, "what stands two to the left would be right"
    others = torch.cat([found[:2], found[3:8], found[9:]])
    assert others.max() < 0.12
    assert others.min() > 0.02


def test_no_length_is_told():
    with pytest.raises(ValueError, match="expected one length or more, got none"):
        right_at_lengths(Tagger("none"), "back", [])


@pytest.mark.parametrize("scheme", POSITIONS)
@torch.no_grad()
def test_every_code_but_none_tells_the_order_of_the_letters(scheme):
    torch.manual_seed(0)
    model = Tagger(scheme)
    for parameter in model.positions.parameters():
        torch.nn.init.normal_(parameter)
    one, other = model(torch.tensor([[1, 2, 3, 4], [2, 1, 3, 4]]))[:, -1]
    assert torch.allclose(one, other, atol=1e-5) is (scheme == "none")
