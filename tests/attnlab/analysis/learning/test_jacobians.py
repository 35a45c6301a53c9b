"""Sizes of derivatives, against differences of outputs and against torch's Jacobian of the whole."""

import pytest
import torch
from torch import nn

from attnlab.analysis.learning.jacobians import at_input, jacobian_norms, one_layer_further
from attnlab.blocks import BatchNorm, EncoderBlock, FeedForward
from attnlab.masks import causal
from attnlab.multihead import MultiHeadAttention

TOKENS, DIM = 5, 4


@pytest.fixture(scope="module")
def x():
    return torch.randn(TOKENS, DIM, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


@pytest.fixture(scope="module")
def blocks():
    torch.manual_seed(0)
    blocks = [EncoderBlock(MultiHeadAttention(DIM, 2), FeedForward(DIM, 3)).double() for _ in range(3)]
    return [lambda x, block=block: block(x, causal(TOKENS)) for block in blocks]


def by_differences(layers, x, step=1e-6):
    """[outputs, inputs]: each number of the input a little up and a little down, everything else held."""

    def whole(x):
        x = x.unsqueeze(0)
        for layer in layers:
            x = layer(x)
        return x[0].detach()

    squares = torch.zeros(len(x), len(x), dtype=x.dtype)
    for token in range(len(x)):
        for coordinate in range(x.shape[1]):
            up, down = x.clone(), x.clone()
            up[token, coordinate] += step
            down[token, coordinate] -= step
            slope = (whole(up) - whole(down)) / (2 * step)
            for output in range(len(x)):
                squares[output, token] += sum(number**2 for number in slope[output].tolist())
    return squares.sqrt()


@pytest.mark.parametrize("depth", [1, 3])
def test_norms_are_the_slopes_of_the_outputs(blocks, x, depth):
    found = jacobian_norms(blocks[:depth], x)
    torch.testing.assert_close(found, by_differences(blocks[:depth], x), atol=1e-6, rtol=1e-6)
    assert not found.triu(1).any(), "a causal mask leaves no derivative above the diagonal, not even a small one"
    assert (found.tril() > 0).sum() == TOKENS * (TOKENS + 1) // 2


def test_the_chain_rule_gives_the_jacobian_of_the_whole(blocks, x):
    found = at_input(x)
    for block in blocks:
        found = one_layer_further(block, found)
    whole = torch.autograd.functional.jacobian(lambda x: blocks[2](blocks[1](blocks[0](x[None])))[0], x)
    torch.testing.assert_close(found.jacobian, whole)
    torch.testing.assert_close(found.vectors, blocks[2](blocks[1](blocks[0](x[None])))[0].detach())


def test_a_norm_over_the_batch_joins_all_vectors(x):
    norm = BatchNorm(DIM).double()
    found = jacobian_norms([norm], x)
    torch.testing.assert_close(found, by_differences([norm], x), atol=1e-6, rtol=1e-6)
    assert (found > 0).all()


def test_no_layer_and_a_linear_map(x):
    assert torch.equal(jacobian_norms([], x), DIM**0.5 * torch.eye(TOKENS, dtype=torch.float64))
    linear = nn.Linear(DIM, 2).double()
    expected = linear.weight.detach().norm() * torch.eye(TOKENS, dtype=torch.float64)
    torch.testing.assert_close(jacobian_norms([linear], x), expected)


@pytest.mark.parametrize("shape", [(0, 4), (3, 0)])
def test_an_input_without_numbers_is_refused(shape):
    with pytest.raises(ValueError, match=r"expected vectors \[tokens, dim\]"):
        jacobian_norms([], torch.zeros(shape))
