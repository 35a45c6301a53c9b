"""Roll-out: products of layers, by hand, in loops, and its laws."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from shapes import unchecked

from attnlab import specs
from attnlab.analysis.heads.rollout import attention_rollout, with_identity
from attnlab.specs.analysis.heads import rollout as loops
from attnlab.trace import record
from attnlab.vision.vit import vit


def drawn(seed=0, layers=3, batch=2, heads=3, tokens=5):
    generator = torch.Generator().manual_seed(seed)
    return [2 * torch.randn(batch, heads, tokens, tokens, generator=generator).double() for _ in range(layers)]


def softened(scores):
    return [layer.softmax(-1) for layer in scores]


@pytest.mark.parametrize(("layers", "heads"), [(1, 1), (2, 3), (3, 2)])
def test_in_loops(layers, heads):
    weights = softened(drawn(layers=layers, heads=heads))
    expected = specs.each(lambda *one: loops.attention_rollout(one), *weights)
    torch.testing.assert_close(attention_rollout(weights), expected)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6), layers=st.integers(1, 5), tokens=st.integers(1, 7))
def test_rows_sum_to_one(seed, layers, tokens):
    rollout = attention_rollout(softened(drawn(seed, layers, tokens=tokens)))
    torch.testing.assert_close(rollout.sum(-1), torch.ones(2, tokens).double())
    assert (rollout >= 0).all()


def test_by_hand():
    """The last layer looks from 0 to 1, the first one from 1 to 2: a quarter of token 0 comes from input 2."""
    first = torch.tensor([[1.0, 0, 0], [0, 0, 1], [0, 0, 1]])
    last = torch.tensor([[0.0, 1, 0], [0, 1, 0], [0, 0, 1]])
    rollout = attention_rollout([first[None, None], last[None, None]])
    assert rollout[0, 0].tolist() == [0.5, 0.25, 0.25]
    assert rollout[0, 1].tolist() == [0, 0.5, 0.5]


def test_nobody_looks_elsewhere():
    weights = torch.eye(5).expand(2, 3, 5, 5)
    assert torch.equal(attention_rollout([weights] * 4), torch.eye(5).expand(2, 5, 5))


def test_heads_are_averaged_before_the_product():
    """One head of each layer looks to the left: both ways through the heads count, also from one head to the other."""
    left = torch.eye(3).roll(1, 0)
    heads = torch.stack([left, torch.eye(3)])[None]
    mixed = attention_rollout([heads, heads])[0]
    alone = torch.stack([attention_rollout([head[None, None]] * 2)[0] for head in heads[0]]).mean(0)
    assert mixed[0].tolist() == [9 / 16, 1 / 16, 6 / 16]
    assert not torch.equal(mixed, alone)


def test_of_a_model():
    torch.manual_seed(0)
    model = vit(8, 4, 12, 3, 2)
    with record(model) as trace:
        model(torch.randn(2, 1, 8, 8))
    rollout = attention_rollout([trace[name][0].weights for name in trace.names])
    assert rollout.shape == (2, 5, 5)
    torch.testing.assert_close(rollout.sum(-1), torch.ones(2, 5))


def test_on_every_device(device):
    weights = [layer.float() for layer in softened(drawn())]
    found = attention_rollout([layer.to(device) for layer in weights])
    torch.testing.assert_close(found.cpu(), attention_rollout(weights))


# Bad input


@pytest.mark.parametrize(
    "shapes", [[], [(2, 3, 5, 4)], [(2, 3, 5, 5), (1, 3, 5, 5)], [(2, 3, 5, 5), (2, 3, 4, 4)]], ids=str
)
def test_layers_that_do_not_fit(shapes):
    with unchecked(), pytest.raises(ValueError, match=r"one layer or more, \[batch, heads, tokens, tokens\], got \["):
        attention_rollout([torch.zeros(shape) for shape in shapes])


def test_no_heads():
    with pytest.raises(ValueError, match=r"at least one head, got weights \[2, 0, 5, 5\]"):
        with_identity(torch.zeros(2, 0, 5, 5))
