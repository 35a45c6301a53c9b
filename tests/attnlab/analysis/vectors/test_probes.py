"""A probe finds what lies open in a state; the states are those that a model goes through."""

from inspect import unwrap

import pytest
import torch
from torch.nn.functional import one_hot

from attnlab.analysis.vectors.probes import linear_probe, read_and_write
from attnlab.decoding import greedy
from attnlab.seq2seq import AttentionSeq2Seq, FixedContext
from attnlab.tasks import BOS, EOS

# linear_probe


def test_probe_finds_what_is_there():
    torch.manual_seed(0)
    digits = torch.randint(10, (3000, 2))
    found = linear_probe(one_hot(digits[:, 0], 10).float(), digits, learn=2000)
    assert found[0] == 1
    assert found[1] == pytest.approx(0.1, abs=0.03)


def by_rows(states, labels, learn, ridge):
    """The fit by a solver for least squares, the ridge as further examples; a guess by a loop over the classes."""
    x = torch.cat([states, torch.ones(len(states), 1)], dim=1)
    more = ridge**0.5 * torch.eye(x.shape[1])
    right = []
    for place in labels.unbind(dim=1):
        wanted = torch.cat([one_hot(place[:learn], 3).float(), torch.zeros(len(more), 3)])
        W = torch.linalg.lstsq(torch.cat([x[:learn], more]), wanted).solution
        guesses = [max(range(3), key=lambda c, row=row, W=W: float(row @ W[:, c])) for row in x[learn:]]
        right.append(sum(a == b for a, b in zip(guesses, place[learn:].tolist(), strict=True)) / len(guesses))
    return right


def test_probe_is_least_squares_with_a_ridge():
    torch.manual_seed(1)
    labels, states = torch.randint(3, (200, 2)), torch.randn(200, 4)
    states[:, 0] += 2 * labels[:, 1]
    states[:, 2] -= 2 * labels[:, 0]
    found = {ridge: linear_probe(states, labels, learn=30, ridge=ridge).tolist() for ridge in (0.5, 50.0)}
    for ridge, shares in found.items():
        assert shares == pytest.approx(by_rows(states, labels, 30, ridge))
        assert 0.4 < min(shares) < 0.95, "neither chance nor perfect: a wrong fit would be seen"
    assert found[0.5] != found[50.0], "the ridge counts"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"learn": 0}, "labels for each of 9 states"),
        ({"learn": 9}, "9 to learn from"),
        ({"labels": torch.zeros(8, 1, dtype=torch.long)}, "8 rows of labels"),
        ({"labels": torch.full((9, 1), -1)}, "labels from 0 on, got -1"),
        ({"ridge": 0.0}, "a ridge above 0, got 0.0"),
    ],
)
def test_probe_refuses(wrong, told):
    given = {"states": torch.randn(9, 3), "labels": torch.zeros(9, 1, dtype=torch.long), "learn": 5}
    with pytest.raises(ValueError, match=told):
        unwrap(linear_probe)(**{**given, **wrong})


# read_and_write


@pytest.mark.parametrize("kind", [FixedContext, AttentionSeq2Seq])
def test_states_of_one_source_after_the_other(kind):
    torch.manual_seed(0)
    model = kind(13, 13, 5, 7)
    source = torch.randint(3, 13, (4, 3))
    states, written = read_and_write(model, source)
    assert [len(state) for state in states] == [4] * 7
    assert written.shape == (4, 3)
    memory = model.encode(source, torch.full((4,), 3))
    torch.testing.assert_close(torch.stack(states[:3], dim=1), memory.keys)
    torch.testing.assert_close(states[3], memory.summary)
    for one in range(4):
        tokens = [step.token for step in greedy(model, source[one], BOS, EOS, 3)]
        assert written[one, : len(tokens)].tolist() == tokens
        state, token = model.start(one_memory := model.encode(source[one : one + 1], torch.tensor([3]))), BOS
        for step in range(3):
            _, state, _ = model.step(torch.tensor([token]), state, one_memory)
            torch.testing.assert_close(states[4 + step][one], state.hidden[0])
            token = int(written[one, step])
