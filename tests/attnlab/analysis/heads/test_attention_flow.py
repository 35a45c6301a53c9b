"""Flow: by hand, against all cuts, and its laws."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.analysis.heads.attention_flow import attention_flow
from attnlab.analysis.heads.rollout import attention_rollout
from attnlab.specs.analysis.heads import attention_flow as loops


def drawn(seed, layers, tokens, batch=1, heads=2):
    generator = torch.Generator().manual_seed(seed)
    scores = 2 * torch.randn(layers, batch, heads, tokens, tokens, generator=generator)
    return list(scores.softmax(-1))


@pytest.mark.parametrize(("layers", "tokens"), [(1, 3), (2, 3), (3, 3), (2, 5)])
def test_is_the_narrowest_cut(layers, tokens):
    weights = drawn(7, layers, tokens)
    for token in (0, tokens - 1):
        expected = loops.attention_flow([layer[0] for layer in weights], token)
        assert attention_flow(weights, token)[0].tolist() == pytest.approx(expected, abs=1e-5)


def test_by_hand():
    """From 0 to 2 there is one way, as wide as its narrowest pipe; for roll-out its widths would be multiplied."""
    first = torch.tensor([[1.0, 0, 0], [0, 0.4, 0.6], [0, 0, 1]])
    last = torch.tensor([[0.0, 1, 0], [0, 1, 0], [0, 0, 1]])
    flow = attention_flow([first[None, None], last[None, None]])
    assert flow[0].tolist() == pytest.approx([0.5, 0.5, 0.3])


@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 10**6), layers=st.integers(1, 3))
def test_between_0_and_1_and_at_least_the_rollout(seed, layers):
    weights = drawn(seed, layers, 4)
    flow, rollout = attention_flow(weights, 2), attention_rollout(weights)[:, 2]
    assert (flow <= 1 + 1e-5).all()
    assert (flow >= rollout - 1e-5).all()  # the shares of the inputs are one flow of all together


def test_each_picture_alone():
    weights = drawn(3, 2, 4, batch=3)
    together = attention_flow(weights)
    alone = torch.cat([attention_flow([layer[i : i + 1] for layer in weights]) for i in range(3)])
    assert torch.equal(together, alone)
    assert attention_flow([layer[:0] for layer in weights]).shape == (0, 4)


def test_on_every_device(device):
    weights = drawn(3, 2, 4)
    found = attention_flow([layer.to(device) for layer in weights])
    assert found.device.type == device.type
    torch.testing.assert_close(found.cpu(), attention_flow(weights))


def test_a_token_that_is_not_there():
    with pytest.raises(ValueError, match="token from 0 to 3, got 4"):
        attention_flow(drawn(0, 1, 4), 4)
    with pytest.raises(ValueError, match="one layer or more"):
        attention_flow([])
