"""Two questions about letters, and what a bag of them can answer."""

from collections import Counter

import pytest
import torch

from attnlab.tasks.letter_order import (
    best_without_order,
    letters,
    loss_at_letters,
    readers,
    right_at_letters,
)
from attnlab.tasks.tagging import NO_TARGET, accuracy, tagging_loss


@pytest.fixture
def asked():
    return letters(30, torch.Generator().manual_seed(5))


def test_the_answers_are_those_of_the_loops(asked):
    for string, again, back in zip(*(part.tolist() for part in asked), strict=True):
        assert again == [int(string.count(letter) > 1) for letter in string]
        assert back == [NO_TARGET, NO_TARGET, *string[:-2]]


def test_the_best_without_order_names_the_most_frequent_of_the_others(asked):
    shares = []
    for string in asked.inputs.tolist():
        for place in range(2, 10):
            others = Counter(string[:place] + string[place + 1 :])
            shares.append(max(others.values()) / 9)
    assert best_without_order(asked) == pytest.approx(sum(shares) / len(shares))


def test_loss_and_shares_are_those_of_both(asked):
    pair = readers("sinusoidal", seed=1)
    again, back = pair["again"](asked.inputs), pair["back"](asked.inputs)
    wanted = tagging_loss(again, asked.again) + tagging_loss(back, asked.back)
    torch.testing.assert_close(loss_at_letters(pair, asked), wanted)
    assert right_at_letters(pair, asked) == {
        "again": accuracy(again, asked.again),
        "back": accuracy(back, asked.back),
    }


def test_without_positions_the_order_changes_no_answer(asked):
    order = torch.randperm(10, generator=torch.Generator().manual_seed(1))
    for positions, same in (("none", True), ("sinusoidal", False)):
        model = readers(positions)["back"].eval()
        shuffled = model(asked.inputs[:, order])
        assert torch.allclose(shuffled, model(asked.inputs)[:, order], atol=1e-5) is same
