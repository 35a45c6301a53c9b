"""Hidden words: what is asked for, what becomes of it, and that nothing else changes."""

import pytest
import torch

from attnlab.specs.tasks.hidden_words import hide
from attnlab.tasks.hidden_words import NOT_ASKED, hide_words
from attnlab.tasks.python_topics import HIDDEN, SPECIAL

SIZE = 53


def texts():
    tokens = torch.randint(len(SPECIAL), SIZE, (97, 101), generator=torch.Generator().manual_seed(1))
    tokens[:, ::10] = torch.arange(11) % len(SPECIAL)  # ends, padding and so on
    return tokens


def drawn(*shares, seed=0):
    return hide_words(texts(), SIZE, torch.Generator().manual_seed(seed), *shares)


@pytest.mark.parametrize(
    "shares", [(0.15, 0.8, 0.1), (0.5, 0.3, 0.3), (0.3, 1.0, 0.0), (0.3, 0.0, 1.0), (1.0, 0.0, 0.0)]
)
def test_shares(shares):
    tokens, (inputs, targets) = texts(), drawn(*shares)
    words = tokens >= len(SPECIAL)
    asked = targets != NOT_ASKED
    assert not (asked & ~words).any()
    assert torch.equal(inputs[~asked], tokens[~asked])
    assert torch.equal(targets[asked], tokens[asked])
    assert (asked.sum() / words.sum()).item() == pytest.approx(shares[0], abs=0.02)
    hidden = inputs[asked] == HIDDEN
    replaced = ~hidden & (inputs[asked] != targets[asked])
    assert hidden.float().mean().item() == pytest.approx(shares[1], abs=0.03)
    assert replaced.float().mean().item() == pytest.approx(shares[2] * (1 - 1 / (SIZE - len(SPECIAL))), abs=0.03)


def test_any_word_but_no_special_one_replaces():
    inputs, targets = drawn(1.0, 0.0, 1.0)
    found = inputs[targets != NOT_ASKED].unique()
    assert found.tolist() == list(range(len(SPECIAL), SIZE))


def test_the_same_seed_hides_the_same():
    assert all(torch.equal(a, b) for a, b in zip(drawn(0.15), drawn(0.15), strict=True))
    assert not torch.equal(drawn(0.15).targets, drawn(0.15, seed=1).targets)


def test_more_than_all_is_told():
    with pytest.raises(ValueError, match=r"at most 1 together, got hidden 0\.8 and replaced 0\.3"):
        drawn(0.15, 0.8, 0.3)
    with pytest.raises(ValueError, match="got a vocabulary of 2"):
        hide_words(torch.tensor([[0, 1]]), 2, torch.Generator())


@pytest.mark.parametrize("shares", [(0.8, 0.1), (0.3, 0.5), (1.0, 0.0)])
def test_the_same_as_loops(shares):
    tokens, generator = texts(), torch.Generator().manual_seed(2)
    asked = (torch.rand(tokens.shape, generator=generator) < 0.5) & (tokens >= len(SPECIAL))
    chance = torch.rand(tokens.shape, generator=generator)
    others = torch.randint(len(SPECIAL), SIZE, tokens.shape, generator=generator)
    found = hide_words(tokens, SIZE, torch.Generator().manual_seed(2), 0.5, *shares)
    assert torch.equal(torch.stack(found), hide(tokens, asked, chance, others, *shares))
