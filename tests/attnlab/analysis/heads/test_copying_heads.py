"""Heads that copy, in a model built by hand of which it is known: its second layer copies, its first does not."""

import pytest
import torch
from shaken import shaken
from torch.nn.functional import cross_entropy

from attnlab import record
from attnlab.analysis.heads.copying_heads import copy_scores, copy_study, second_round
from attnlab.analysis.heads.head_patterns import without
from attnlab.transformer import gpt

TOKENS = torch.tensor([[9, 1, 4, 6, 2, 1, 4, 6, 2], [9, 7, 3, 5, 8, 7, 3, 5, 8]])


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return shaken(gpt(10, dim=12, heads=3, layers=2, longest=16), 0.4)


@torch.no_grad()
def test_scores_in_loops(model):
    names, scores = copy_scores(model, TOKENS)
    with record(model) as trace:
        model(TOKENS)
    assert names == trace.names
    for layer, name in enumerate(names):
        for head in range(3):
            weights = trace[name][0].weights[:, head]
            seen = [float(weights[text, query, query - 3]) for text in range(2) for query in range(5, 9)]
            assert float(scores[layer, head]) == pytest.approx(sum(seen) / len(seen), abs=1e-6)


@torch.no_grad()
def test_the_second_round_in_loops(model):
    off = [("blocks.1.attention", 2), ("blocks.0.attention", 0)]
    found = second_round(model, TOKENS, off)
    with without(model, off):
        logits = model(TOKENS)
    later = [(text, place) for text in range(2) for place in range(6, 9)]
    first = [(text, place) for text in range(2) for place in range(2, 5)]
    losses = {
        (text, place): float(cross_entropy(logits[text, place - 1], TOKENS[text, place]))
        for text, place in later + first
    }
    assert found.loss == pytest.approx(sum(losses[at] for at in later) / 6, abs=1e-5)
    assert found.first == pytest.approx(sum(losses[at] for at in first) / 6, abs=1e-5)
    right = [int(logits[text, place - 1].argmax()) == int(TOKENS[text, place]) for text, place in later]
    assert found.right == pytest.approx(sum(right) / 6)


def test_a_study(model):
    study = copy_study(model, TOKENS, list("914621462"), most=2, draws=3)
    names, scores = copy_scores(model, TOKENS)
    ranked = sorted(
        ((float(scores[layer, head]), layer, head) for layer in range(2) for head in range(3)), reverse=True
    )
    assert study.heads == [(layer, head) for _, layer, head in ranked[:2]]
    assert study.off[0] == second_round(model, TOKENS)
    assert study.off[2] == second_round(model, TOKENS, [(names[layer], head) for layer, head in study.heads])
    assert len(study.others) == 3
    assert all(len(run) == 3 and run[0] == study.off[0] for run in study.others)
    assert len({run[2] for run in study.others}) > 1  # drawn, not always the same
    assert study.weights.shape == (9, 9)


def test_bad_input(model):
    for tokens in (TOKENS[:, :-1], TOKENS.flip(1), TOKENS[:, :3]):
        with pytest.raises(ValueError, match="at least two words twice"):
            second_round(model, tokens)
    with pytest.raises(ValueError, match="at least 8 heads, got 6"):
        copy_study(model, TOKENS, list("914621462"), most=4, draws=1)


@torch.no_grad()
def test_the_share_foreseen_in_loops(model):
    words = torch.randint(9, (50, 4), generator=torch.Generator().manual_seed(0))
    tokens = torch.cat([torch.full((50, 1), 9), words, words], dim=1)
    guess = model(tokens).argmax(-1)
    right = [bool(guess[text, place - 1] == tokens[text, place]) for text in range(50) for place in range(6, 9)]
    assert second_round(model, tokens).right == pytest.approx(sum(right) / 150)
    assert any(right)


def test_the_other_heads_are_none_of_those_that_copy(model):
    study = copy_study(model, TOKENS, list("914621462"), most=3, draws=3)
    names, _ = copy_scores(model, TOKENS)
    others = [(names[layer], head) for layer in range(2) for head in range(3) if (layer, head) not in study.heads]
    assert all(run[3] == second_round(model, TOKENS, others) for run in study.others)
