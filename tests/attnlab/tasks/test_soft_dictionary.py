"""A dictionary that is asked in another language, and the attention that answers."""

import pytest
import torch

from attnlab import scaled_dot
from attnlab.tasks.soft_dictionary import ENTRIES, NOISE, Finder, Questions, ask, found_by, language, losses_of


@pytest.fixture
def questions():
    return ask(language(16, seed=1), 60, torch.Generator().manual_seed(2))


def test_a_language_turns_and_nothing_else():
    turn = language(16, seed=1)
    torch.testing.assert_close(turn @ turn.mT, torch.eye(16), atol=1e-5, rtol=0)
    assert not torch.equal(turn, language(16, seed=2))


def test_a_question_is_the_right_name_turned_with_noise(questions):
    meant = questions.names[torch.arange(60), questions.right]
    turned_back = questions.asked.squeeze(1) @ language(16, seed=1).mT
    assert (turned_back - meant).std().item() == pytest.approx(NOISE, rel=0.1)
    assert set(questions.right.tolist()) == set(range(ENTRIES))


def test_a_finder_that_knows_the_language_finds(questions):
    finder = Finder(16, scaled_dot)
    with torch.no_grad():
        finder.W_q.weight.copy_(6 * language(16, seed=1))  # back from the other language, and sure of itself
        finder.W_k.weight.copy_(torch.eye(16))
    assert found_by(finder, questions) > 0.9
    context = finder(questions.asked, questions.names).context.tolist()
    wanted = [
        sum((number - (place == right)) ** 2 for place, number in enumerate(row[0]))
        for row, right in zip(context, questions.right.tolist(), strict=True)
    ]
    torch.testing.assert_close(losses_of(finder, questions), torch.tensor(wanted), atol=1e-4, rtol=1e-4)


def test_no_question_is_told():
    none = Questions(torch.zeros(0, 1, 4), torch.zeros(0, 8, 4), torch.zeros(0, dtype=torch.long))
    with pytest.raises(ValueError, match="expected one question or more"):
        found_by(Finder(4, scaled_dot), none)
