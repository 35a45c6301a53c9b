from inspect import unwrap

import oracles
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from attnlab.alignment import SCORES, Additive, dot, scaled_dot
from attnlab.attention import attend

plain = unwrap(attend)  # as a learner meets it: without the shape checks of the tests


def inputs(*batch, queries=3, keys=7, query_dim=5, key_dim=5, value_dim=11):
    return [torch.randn(*batch, rows, dim)
            for rows, dim in [(queries, query_dim), (keys, key_dim), (keys, value_dim)]]


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("name", SCORES)
def test_loops(name, masked, temperature):
    query, key, value = inputs()
    score = SCORES[name](5, 5, 13)
    mask = torch.rand(3, 7) < 0.5 if masked else None
    if masked:
        mask[1] = False
    expected = oracles.attend(query, key, value, oracles.SCORES[name](score), mask, temperature)
    for got, wanted in zip(attend(query, key, value, score, mask, temperature), expected, strict=True):
        torch.testing.assert_close(got, wanted, atol=1e-5, rtol=1e-5)


def test_torch():
    query, key, value = inputs(2, 3)
    mask = torch.rand(2, 3, 3, 7) < 0.5
    mask[..., 0] = True
    expected = scaled_dot_product_attention(query, key, value, attn_mask=mask)
    torch.testing.assert_close(attend(query, key, value, mask=mask).context, expected)


def test_masks_broadcast():
    query, key, value = inputs(2)
    mask = torch.tensor([[[True, True, False, True, False, True, True]], [[False] * 6 + [True]]])
    attention = attend(query, key, value, mask=mask)
    assert torch.equal(attention.weights[1], torch.tensor([[0.0] * 6 + [1.0]]).expand(3, 7))
    torch.testing.assert_close(attention.context[1], value[1, 6].expand(3, 11))


def test_nothing_to_attend_to():
    query, key, value = (part.requires_grad_() for part in inputs())
    score, mask = Additive(5, 5, 13), torch.ones(3, 7, dtype=torch.bool)
    mask[1] = False
    attention = attend(query, key, value, score, mask)
    assert not attention.weights[1].any()
    assert not attention.context[1].any()
    with torch.autograd.set_detect_anomaly(True):  # no NaN on the way back, not even one that is hidden later
        attend(query, key, value, score, mask).context.square().sum().backward()
    for leaf in (query, key, value, *score.parameters()):
        assert leaf.grad.isfinite().all()
    assert not query.grad[1].any()
    assert query.grad[0].any()


def test_a_score_of_minus_infinity_is_a_mask():
    query, key, value = inputs()
    mask = torch.rand(3, 7) < 0.5
    mask[2] = False
    query.requires_grad_()

    def masking(query, key):
        return dot(query, key).masked_fill(~mask, -torch.inf)

    attention = attend(query, key, value, masking)
    torch.testing.assert_close(attention.context, attend(query, key, value, dot, mask).context)
    attention.context.sum().backward()
    assert query.grad.isfinite().all()


def test_scores_are_those_before_mask_and_temperature():
    query, key, value = inputs()
    mask = torch.zeros(3, 7, dtype=torch.bool)
    assert torch.equal(attend(query, key, value, dot, mask, temperature=3.0).scores, dot(query, key))


def test_gradients():
    query, key, value = (part.double().requires_grad_() for part in inputs(2, query_dim=3))
    score, mask = Additive(3, 5, 2).double(), torch.rand(2, 3, 7) < 0.6
    mask[1, 2] = False
    parameters = tuple(score.parameters())

    def context(query, key, value, *parameters):
        return attend(query, key, value, score, mask, temperature=0.7)[:2]

    assert torch.autograd.gradcheck(context, (query, key, value, *parameters))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision(dtype):
    query, key, value = (part.to(dtype) for part in inputs())
    mask = torch.rand(3, 7) < 0.5
    mask[1] = False
    attention = attend(query, key, value, mask=mask)
    assert attention.context.dtype == dtype
    assert attention.context.isfinite().all()


def test_very_large_scores():
    query, key, value = inputs()
    weights = attend(query * 1e15, key * 1e15, value, dot).weights
    torch.testing.assert_close(weights.sum(-1), torch.ones(3))


def test_no_keys():
    query, key, value = inputs(keys=0)
    assert torch.equal(attend(query, key, value).context, torch.zeros(3, 11))


shapes = st.tuples(*[st.integers(1, 7)] * 4)


def drawn(shape, seed):
    generator = torch.Generator().manual_seed(seed)
    queries, keys, dim, value_dim = shape
    parts = [torch.randn(*size, generator=generator) for size in [(queries, dim), (keys, dim), (keys, value_dim)]]
    return *parts, torch.rand(queries, keys, generator=generator) < 0.6


@settings(deadline=None)
@given(shapes, st.integers(0, 10**6), st.floats(0.05, 20))
def test_rows_sum_to_one_or_are_zero(shape, seed, temperature):
    query, key, value, mask = drawn(shape, seed)
    weights = attend(query, key, value, mask=mask, temperature=temperature).weights
    torch.testing.assert_close(weights.sum(-1), mask.any(-1).float())
    assert (weights >= 0).all()
    assert not weights[~mask].any()


@settings(deadline=None)
@given(shapes, st.integers(0, 10**6), st.floats(-1e6, 1e6))
def test_a_masked_key_changes_nothing(shape, seed, change):
    query, key, value, mask = drawn(shape, seed)
    mask[:, 0] = False
    before = attend(query, key, value, mask=mask)
    key[0] += change
    value[0] += change
    after = attend(query, key, value, mask=mask)
    assert torch.equal(before.context, after.context)
    assert torch.equal(before.weights, after.weights)


@settings(deadline=None)
@given(shapes, st.integers(0, 10**6))
def test_the_order_of_keys_does_not_matter(shape, seed):
    query, key, value, mask = drawn(shape, seed)
    order = torch.randperm(len(key), generator=torch.Generator().manual_seed(seed))
    expected = attend(query, key, value, mask=mask)
    got = attend(query, key[order], value[order], mask=mask[:, order])
    torch.testing.assert_close(got.context, expected.context, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(got.weights, expected.weights[:, order], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("mask", [torch.ones(3, 7), torch.ones(3, 7, dtype=torch.int64)])
def test_a_mask_that_is_not_boolean(mask):
    with pytest.raises(ValueError, match=f"expected a boolean mask .* got {mask.dtype}"):
        plain(*inputs(), mask=mask)


@pytest.mark.parametrize("shape", [(7, 3), (3, 5), (2, 3, 7), (2,)])
def test_a_mask_of_another_shape(shape):
    with pytest.raises(ValueError, match=r"broadcasts to the scores \[3, 7\], got \[" + str(shape[0])):
        plain(*inputs(), mask=torch.ones(shape, dtype=torch.bool))


def test_shapes_that_do_not_fit():
    query, key, value = inputs(2)
    with pytest.raises(ValueError, match=r"one value for every key; got .* value \[2, 5, 11\]"):
        plain(query, key, value[:, :5])
    with pytest.raises(ValueError, match=r"keys of size 5, got 4"):
        plain(query, key[..., :4], value, score=unwrap(dot))
    with pytest.raises(ValueError, match=r"expected query \[..., queries, dim\], .* got query \[5\]"):
        plain(query[0, 0], key, value)
    with pytest.raises(ValueError, match=r"the same, or 1; got query \[3, 3, 5\], key \[2"):
        plain(torch.randn(3, 3, 5), key, value)


def test_a_score_of_another_shape():
    with pytest.raises(ValueError, match=r"\[..., 3, 7\], got \[7, 3\]"):
        plain(*inputs(), score=lambda query, key: dot(key, query))


@pytest.mark.parametrize("wrong", [torch.nan, torch.inf])
def test_scores_that_are_no_numbers(wrong):
    def broken(query, key):
        scores = scaled_dot(query, key)
        scores[1, 2] = wrong
        return scores

    with pytest.raises(ValueError, match=f"got {wrong} in 1 of 21 places"):
        attend(*inputs(), score=broken)


def test_a_temperature_too_low_for_the_scores():
    query, key, value = (part.half() for part in inputs())
    with pytest.raises(ValueError, match="got inf in "):
        attend(query.abs() * 60, key.abs() * 60, value, dot, temperature=0.01)


@pytest.mark.parametrize("temperature", [0.0, -1.0, torch.nan, torch.inf])
def test_a_temperature_that_is_none(temperature):
    with pytest.raises(ValueError, match=f"expected a temperature above 0, got {temperature}"):
        plain(*inputs(), temperature=temperature)
