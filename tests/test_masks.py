from inspect import unwrap

import oracles
import pytest
import torch

from attnlab.masks import MASKS, causal, padding


@pytest.mark.parametrize("sizes", [(3, 7), (7, 3), (1, 1), (0, 5)])
@pytest.mark.parametrize("name", MASKS)
def test_loops(name, sizes):
    expected = oracles.MASKS[name](*sizes).reshape(sizes)
    assert torch.equal(MASKS[name](*sizes), expected)
    assert MASKS[name](*sizes).dtype == torch.bool


@pytest.mark.parametrize("name", MASKS)
def test_as_many_keys_as_queries_unless_given(name):
    assert torch.equal(MASKS[name](5), MASKS[name](5, 5))


def test_causal_is_what_torch_calls_causal():
    query, key, value = torch.randn(5, 3), torch.randn(5, 3), torch.randn(5, 2)
    attention = torch.nn.functional.scaled_dot_product_attention
    expected = attention(query, key, value, is_causal=True)
    torch.testing.assert_close(attention(query, key, value, attn_mask=causal(5)), expected)


def test_padding():
    assert torch.equal(padding(torch.tensor([3, 0, 5]), 5), oracles.padding([3, 0, 5], 5))


def test_masks_combine():
    both = causal(3, 5) & padding(torch.tensor([2, 5]), 5)
    assert both.shape == (2, 3, 5)
    assert both[0, 2].tolist() == [True, True, False, False, False]


@pytest.mark.parametrize("lengths", [[6], [-1, 3]])
def test_lengths_that_do_not_fit(lengths):
    with pytest.raises(ValueError, match=rf"lengths from 0 to 5, got \[{lengths[0]}"):
        padding(torch.tensor(lengths), 5)


def test_sizes_below_zero():
    with pytest.raises(ValueError, match="got -1 queries and 5 keys"):
        unwrap(causal)(-1, 5)
