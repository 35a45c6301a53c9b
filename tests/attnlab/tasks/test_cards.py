"""Cards with letters and digits, and the model that reads them."""

import pytest
import torch

from attnlab import SCORES
from attnlab.tasks.cards import CardReader, answers_of, deal, loss_at_cards, right_at_cards


@pytest.fixture
def cards():
    return deal(40, torch.Generator().manual_seed(3))


def test_the_right_card_answers_its_question(cards):
    answers = answers_of(cards)
    for letters, digits, answered in zip(
        *(part.tolist() for part in (cards.letters, cards.digits, answers)), strict=True
    ):
        assert sorted(letters) == [0, 1, 2, 3, 4], "each letter once"
        assert answered[0] == digits, "by place"
        assert answered[1] == [digits[letters.index(letter)] for letter in range(5)], "by letter"


def test_the_same_seed_deals_the_same_cards(cards):
    again = deal(40, torch.Generator().manual_seed(3))
    assert all(torch.equal(one, other) for one, other in zip(cards, again, strict=True))
    assert not torch.equal(cards.digits, deal(40, torch.Generator().manual_seed(4)).digits)


def test_a_reader_is_right_where_its_logits_say_so(cards):
    torch.manual_seed(0)
    model = CardReader(SCORES["dot"], dim=7)
    logits, seen = model(cards.letters, cards.digits)
    assert logits.shape == (40, 2, 5, 10)
    assert seen.weights.shape == (40, 2, 5, 5)
    answers = answers_of(cards)
    right = [(logits[:, kind].argmax(-1) == answers[:, kind]).float().mean() for kind in (0, 1)]
    torch.testing.assert_close(right_at_cards(model, cards), torch.stack(right))
    wanted = -logits.log_softmax(-1).gather(3, answers.unsqueeze(3)).mean()
    torch.testing.assert_close(loss_at_cards(model, cards), wanted)
    assert not torch.equal(
        right_at_cards(model, cards, temperature=0.01), right_at_cards(model, cards, temperature=9.0)
    )


def test_a_reader_knows_where_a_card_lies(cards):
    torch.manual_seed(0)
    model = CardReader(SCORES["dot"], dim=7)
    logits, _ = model(cards.letters, cards.digits)
    turned, _ = model(cards.letters.flip(1), cards.digits.flip(1))
    assert not torch.allclose(turned, logits, atol=0.1)
