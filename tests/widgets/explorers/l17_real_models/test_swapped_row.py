"""SwappedRowExplorer: the reader's own numbers, a row by hand, and one that is found."""

import pytest
import torch
from explorers import drive
from shaken import shaken

from attnlab import override
from attnlab.analysis import row_difference
from attnlab.pooling import PooledReader, TwoWay
from attnlab.tasks.reviews import VOCABULARY, WORDS, film_reviews, reviews
from widgets.explorers.l17_real_models.swapped_row import SwappedRowExplorer


@pytest.fixture(scope="module")
def readers():
    torch.manual_seed(0)
    made = [shaken(reader, 0.8) for reader in [PooledReader(len(VOCABULARY), 8, TwoWay(8)) for _ in range(2)]]
    tasks = [film_reviews, reviews]
    return {
        name: (reader, task(5, torch.Generator().manual_seed(1)))
        for name, reader, task in zip(["the film", "any thing"], made, tasks, strict=True)
    }


def words(explorer):
    return repr(explorer.parts["caption"])


def test_every_control(readers):
    drive(SwappedRowExplorer(readers), readers=readers)


def test_a_review_and_the_button_come_as_one_message(readers):
    explorer, other = SwappedRowExplorer(readers, about="2"), SwappedRowExplorer(readers, about="2")
    explorer.change(review=3, other=1)
    other.review = 3
    other.other = 1
    assert explorer.weights.tolist() == other.weights.tolist()
    explorer.change(review=99, other=2)
    assert explorer.parts["caption"].error == "expected a review from 1 to 5, got 99"


@torch.no_grad()
def test_a_row_by_hand(readers):
    explorer = SwappedRowExplorer(readers, about="2", review=3)
    reader, batch = readers["any thing"]
    own = reader.read(batch.tokens[2:3], batch.asked[2:3])
    torch.testing.assert_close(explorer.weights, own.weights[0])
    one = [0.0] * WORDS
    one[4] = 1.0
    explorer.parts["matrix"].edits = {"0": one}  # as the page does
    assert explorer.weights.tolist() == one
    with override(reader, {"attention": torch.tensor([one])}):
        assert explorer.result.now == float(reader(batch.tokens[2:3], batch.asked[2:3]).sigmoid())
    assert explorer.result.now == pytest.approx(float(own.votes[0, 4].sigmoid()), abs=1e-6)
    same = (own.votes[0, 4] > 0) == (own.logits[0] > 0)
    assert ("the same answer" if same else "the answer has changed") in words(explorer)
    explorer.review = 2  # the row belonged to the other review
    assert "The model's own row" in words(explorer)
    assert explorer.parts["matrix"].edits == {}
    explorer.review = 3
    explorer.parts["matrix"].edits = {"0": one}
    explorer.own += 1
    torch.testing.assert_close(explorer.weights, own.weights[0])


def test_a_row_that_is_found(readers):
    explorer = SwappedRowExplorer(readers, review=2)
    before = explorer.result
    explorer.other += 1
    after = explorer.result
    assert after.now == pytest.approx(before.before, abs=0.0101)
    assert float(row_difference(after.weights, before.own)) > 0.5
    assert "the same answer" in words(explorer)


def test_a_review_that_is_not_there(readers):
    explorer = SwappedRowExplorer(readers)
    explorer.review = 9
    assert "expected a review from 1 to 5, got 9" in explorer.parts["caption"].error
