"""Reviews: read back from their words, the answer is what the text says of the thing that is asked about."""

import pytest
import torch
from seeds import seeded

from attnlab.tasks.reviews import ABOUT, BAD, GOOD, VOCABULARY, WORDS, film_reviews, in_words, reviews


@pytest.mark.parametrize("task", [reviews, film_reviews])
def test_the_text_says_the_answer(task):
    batch = task(200, seeded())
    assert batch.tokens.shape == (200, WORDS)
    for i in range(200):
        clauses = [clause.split() for clause in " ".join(in_words(batch.tokens[i])).split(" , ")]
        assert [len(clause) for clause in clauses] == [4, 4, 4]
        assert all(clause[0] == "the" and clause[2] == "was" for clause in clauses)
        said = {clause[1]: clause[3] for clause in clauses}
        assert len(said) == 3
        assert set(said) <= set(ABOUT)
        assert set(said.values()) <= {*GOOD, *BAD}
        asked = VOCABULARY[int(batch.asked[i])]
        assert float(batch.good[i]) == (said[asked] in GOOD)
        assert in_words(batch.tokens[i])[int(batch.places[i])] == said[asked]


def test_what_is_asked_about():
    anything, film = reviews(2000, seeded()), film_reviews(2000, seeded())
    assert {VOCABULARY[token] for token in film.asked} == {"film"}
    assert torch.bincount(anything.asked - 3).min() > 250
    for batch in (anything, film):
        assert set(batch.places.tolist()) == {3, 8, 13}
        assert abs(float(batch.good.mean()) - 0.5) < 0.05


def test_the_other_opinions_tell_nothing():
    batch = reviews(4000, seeded(1))
    opinions = batch.tokens[:, [3, 8, 13]]
    others = (opinions < 3 + len(ABOUT) + len(GOOD)).float()
    others[torch.arange(4000), (batch.places - 3) // 5] = 0
    for good in (0, 1):
        assert abs(float(others[batch.good == good].sum(1).mean()) - 1) < 0.06


def test_the_same_seed_the_same_reviews():
    assert torch.equal(reviews(7, seeded(5)).tokens, reviews(7, seeded(5)).tokens)


def test_bad_input():
    with pytest.raises(ValueError, match="tokens from 0 to 16, got 17"):
        in_words(torch.tensor([17]))
