"""Probability and surprise of the token that follows, against loops and torch's own loss."""

import math

import pytest
import torch
from torch.nn.functional import cross_entropy

from attnlab.analysis.words.next_token import probability, surprise, with_others

LOGITS = torch.randn(2, 5, 7, generator=torch.Generator().manual_seed(0))
FOLLOWING = torch.tensor([[0, 6, 3, 3, 1], [2, 2, 5, 0, 4]])


def test_probability_by_loop():
    found = probability(LOGITS, FOLLOWING)
    for b in range(2):
        for t in range(5):
            exponentials = [math.exp(x) for x in LOGITS[b, t].tolist()]
            assert float(found[b, t]) == pytest.approx(exponentials[FOLLOWING[b, t]] / sum(exponentials), rel=1e-5)


def test_the_mean_surprise_is_the_loss():
    loss = cross_entropy(LOGITS.flatten(0, 1), FOLLOWING.flatten())
    torch.testing.assert_close(surprise(LOGITS, FOLLOWING).mean(), loss)


def test_what_is_out_of_the_question_is_endlessly_surprising_and_not_nan():
    logits = torch.tensor([[0.0, -torch.inf], [200.0, 0.0]])
    assert surprise(logits, torch.tensor([1, 0])).tolist() == [torch.inf, 0]
    assert probability(logits, torch.tensor([1, 0])).tolist() == [0, 1]


def test_unknown_tokens_are_told():
    with pytest.raises(ValueError, match="expected tokens from 0 to 6, got -100"):
        surprise(LOGITS[0, :2], torch.tensor([6, -100]))
    for token in (7, -1):
        with pytest.raises(ValueError, match=f"expected tokens from 0 to 6, got {token}"):
            with_others(LOGITS.softmax(-1), [0, token])


def test_some_tokens_and_all_others_together():
    chances = LOGITS.softmax(-1)
    found = with_others(chances, [4, 1])
    assert torch.equal(found[..., :2], chances[..., [4, 1]])
    torch.testing.assert_close(found[..., 2], chances[..., [0, 2, 3, 5, 6]].sum(-1))
    assert with_others(torch.tensor([0.75, 0.25 + 1e-6]), [0, 1]).tolist()[2] == 0
