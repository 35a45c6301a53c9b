"""The pooled reader, word by word in loops; its votes; and weights that are given."""

import pytest
import torch
from torch import nn

from attnlab import override, record
from attnlab.pooling import PooledReader, TwoWay, even_weights

TOKENS, ASKED = torch.tensor([[0, 3, 1, 5], [2, 2, 4, 1]]), torch.tensor([3, 2])


@pytest.fixture(params=["two ways", "words alone"])
def reader(request):
    torch.manual_seed(0)
    return PooledReader(7, 6, TwoWay(6) if request.param == "two ways" else nn.Identity())


@torch.no_grad()
def test_in_loops(reader):
    found = reader.read(TOKENS, ASKED)
    states, score = reader.states(reader.embedding(TOKENS)), reader.attention.score
    for text in range(2):
        query = reader.embedding.weight[ASKED[text]]
        scores = [
            float(score.combine.weight[0] @ torch.tanh(score.query(query) + score.key(state))) for state in states[text]
        ]
        weights = torch.tensor(scores).softmax(0)
        torch.testing.assert_close(found.weights[text], weights, atol=1e-6, rtol=1e-5)
        context = sum(weight * state for weight, state in zip(weights, states[text], strict=True))
        assert float(found.logits[text]) == pytest.approx(float(reader.output(context)), abs=1e-5)
        for word in range(4):
            assert float(found.votes[text, word]) == pytest.approx(float(reader.output(states[text, word])), abs=1e-5)
    torch.testing.assert_close(reader(TOKENS, ASKED), found.logits)


@torch.no_grad()
def test_other_weights(reader):
    own = reader.read(TOKENS, ASKED)
    for row, answer in ((torch.tensor([0.0, 0, 1, 0]), own.votes[:, 2]), (even_weights(4), own.votes.mean(1))):
        with override(reader, {"attention": row}):
            found = reader.read(TOKENS, ASKED)
        torch.testing.assert_close(found.weights, row.expand(2, 4))
        torch.testing.assert_close(found.logits, answer)
        assert not torch.allclose(found.logits, own.logits, atol=1e-4)
    torch.testing.assert_close(reader(TOKENS, ASKED), own.logits)


@torch.no_grad()
def test_it_is_heard(reader):
    with record(reader) as trace:
        found = reader.read(TOKENS, ASKED)
    (heard,) = trace["attention"]
    assert torch.equal(heard.weights[:, 0], found.weights)
    torch.testing.assert_close(reader.output(heard.context)[:, 0, 0], found.logits)


@torch.no_grad()
def test_who_knows_of_whom():
    other = TOKENS.clone()
    other[:, 0] = 6
    for states, knows in ((TwoWay(6), True), (nn.Identity(), False)):
        torch.manual_seed(0)
        reader = PooledReader(7, 6, states)
        before, after = (reader.read(tokens, ASKED).votes[:, -1] for tokens in (TOKENS, other))
        assert torch.equal(before, after) != knows


def test_bad_input():
    reader = PooledReader(7, 6, nn.Identity())
    with pytest.raises(ValueError, match="tokens from 0 to 6, got 7"):
        reader(TOKENS + 2, ASKED)
    with pytest.raises(ValueError, match="asked from 0 to 6, got 9"):
        reader(TOKENS, ASKED + 6)
    with pytest.raises(ValueError, match="even width, half of it for each direction, got 5"):
        TwoWay(5)
    with pytest.raises(ValueError, match="expected vectors of"):
        TwoWay(4)(torch.zeros(1, 2, 4, dtype=torch.float64))
