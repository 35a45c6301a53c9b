from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from attnlab.alignment import SCORES, Additive, Location, dot, scaled_dot
from attnlab.attention import attend, masked_softmax
from attnlab.specs import alignment, attention


def inputs(*batch, queries=3, keys=7, query_dim=5, key_dim=5, value_dim=11):
    return [torch.randn(*batch, rows, dim) for rows, dim in [(queries, query_dim), (keys, key_dim), (keys, value_dim)]]


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("name", SCORES)
def test_loops(name, masked, temperature):
    query, key, value = inputs()
    score = SCORES[name](5, 5, 13)
    mask = torch.rand(3, 7) < 0.5 if masked else None
    if masked:
        mask[1] = False
    expected = attention.attend(query, key, value, alignment.SCORES[name](score), mask, temperature)
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


@pytest.mark.parametrize("name", SCORES)
def test_gradients(name):
    query, key, value = (part.double().requires_grad_() for part in inputs(2, query_dim=3, key_dim=3))
    score, mask = SCORES[name](3, 3, 2), torch.rand(2, 3, 7) < 0.6
    mask[1, 2] = False
    parameters = tuple(score.double().parameters()) if isinstance(score, torch.nn.Module) else ()

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


@pytest.mark.parametrize("name", SCORES)
def test_no_keys(name):
    query, key, value = (part.requires_grad_() for part in inputs(2, keys=0))
    for mask in (None, torch.ones(2, 1, 0, dtype=torch.bool)):
        attention = attend(query, key, value, SCORES[name](5, 5, 13), mask)
        assert torch.equal(attention.context, torch.zeros(2, 3, 11))
        assert attention.weights.shape == (2, 3, 0)
    attention.context.sum().backward()


def test_no_queries():
    query, key, value = inputs(2, queries=0)
    assert attend(query, key, value, mask=torch.ones(1, 7, dtype=torch.bool)).context.shape == (2, 0, 11)


@pytest.mark.parametrize("name", SCORES)
def test_on_every_device(name, device):
    parts, score = inputs(2), SCORES[name](5, 5, 13)
    mask = torch.rand(2, 3, 7) < 0.5
    expected = attend(*parts, score, mask, temperature=0.7)
    score = score.to(device) if isinstance(score, torch.nn.Module) else score
    attention = attend(*(part.to(device) for part in parts), score, mask.to(device), temperature=0.7)
    for got, wanted in zip(attention, expected, strict=True):
        assert got.device.type == device.type
        torch.testing.assert_close(got.cpu(), wanted, atol=1e-4, rtol=1e-4)


# masked_softmax, and other ways to weigh.


def test_masked_softmax_is_torchs_softmax_where_something_is_allowed():
    scores, allowed = torch.randn(2, 3, 7), torch.rand(2, 3, 7) < 0.5
    allowed[..., 0], allowed[1, 2] = True, False
    expected = scores.masked_fill(~allowed, -torch.inf).softmax(-1).nan_to_num(0.0)
    torch.testing.assert_close(masked_softmax(scores, allowed), expected)


def test_masked_softmax_broadcasts():
    scores, allowed = torch.randn(2, 3, 7), torch.rand(1, 7) < 0.5
    assert torch.equal(masked_softmax(scores, allowed), masked_softmax(scores, allowed.expand(2, 3, 7)))


@pytest.mark.parametrize("rubbish", [torch.nan, torch.inf, -torch.inf, 3e38])
def test_masked_softmax_does_not_look_at_forbidden_scores(rubbish):
    scores, allowed = torch.randn(3, 7), torch.rand(3, 7) < 0.5
    allowed[1] = False
    expected = masked_softmax(scores, allowed)
    scores = scores.masked_fill(~allowed, rubbish).requires_grad_()
    weights = masked_softmax(scores, allowed)
    assert torch.equal(weights, expected)
    weights.square().sum().backward()
    assert scores.grad.isfinite().all()
    assert not scores.grad[~allowed].any()


@pytest.mark.parametrize("level", [-3e38, -1e5, 0.0, 3e38])
def test_masked_softmax_at_every_level(level):
    """A forbidden score is below every allowed one, however low those are."""
    allowed = torch.tensor([[True, False, True, True, False]])
    expected = torch.tensor([[1, 0, 1, 1, 0]]) / 3
    torch.testing.assert_close(masked_softmax(torch.full((1, 5), level), allowed), expected)


def test_masked_softmax_gradients():
    scores, allowed = torch.randn(3, 7).double().requires_grad_(), torch.rand(3, 7) < 0.5
    assert torch.autograd.gradcheck(lambda scores: masked_softmax(scores, allowed), scores)


def test_weigh_is_given_tempered_scores_and_all_that_forbids():
    query, key, value = inputs(2)
    mask, given = torch.rand(3, 7) < 0.5, []

    def score(query, key):
        return dot(query, key).index_fill(-1, torch.tensor([4]), -torch.inf)

    def weigh(scores, allowed):
        given.append((scores, allowed))
        return scores.masked_fill(~allowed, 0.0)

    attention = attend(query, key, value, score, mask, temperature=2.0, weigh=weigh)
    [(scores, allowed)] = given
    torch.testing.assert_close(scores, score(query, key) / 2)
    assert torch.equal(allowed, (mask & (torch.arange(7) != 4)).expand(2, 3, 7))
    assert torch.equal(attention.weights, scores.masked_fill(~allowed, 0.0))
    torch.testing.assert_close(attention.context, attention.weights @ value)


def test_scores_that_are_whole_numbers():
    query, key, value = inputs()
    rounded = attend(query, key, value, lambda query, key: dot(query, key).round())
    whole = attend(query, key, value, lambda query, key: dot(query, key).round().long())
    assert torch.equal(whole.context, rounded.context)


def test_weights_of_another_shape():
    with pytest.raises(ValueError, match=r"weights for the scores \[3, 7\], got \[7\]"):
        attend(*inputs(), weigh=lambda scores, allowed: scores.softmax(-1)[0])


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


@pytest.mark.parametrize("name", SCORES)
@settings(deadline=None, max_examples=20)
@given(shapes, st.integers(0, 10**6))
def test_nothing_comes_from_a_masked_key(name, shape, seed):
    """Not from its value, not from its key, and no gradient goes there; whatever the score."""
    query, key, value, mask = drawn(shape, seed)
    score = SCORES[name](shape[2], shape[2], 3)
    before = attend(query, key, value, score, mask)
    for i in range(len(query)):
        forbidden = ~mask[i]
        changed = [part + 1e4 * torch.randn_like(part) * forbidden.unsqueeze(-1) for part in (key, value)]
        after = attend(query, *changed, score, mask)
        assert torch.equal(after.context[i], before.context[i])
        assert torch.equal(after.weights[i], before.weights[i])
        leaves = [part.clone().requires_grad_() for part in (key, value)]
        row = attend(query, *leaves, score, mask).context[i].square().sum()
        for gradient in torch.autograd.grad(row, leaves, allow_unused=True):
            assert gradient is None or not gradient[forbidden].any()


def test_weights_get_sharper_as_the_temperature_falls():
    torch.manual_seed(0)  # no two scores almost equal
    query, key, value = inputs(2)
    mask = torch.rand(2, 3, 7) < 0.6
    mask[..., 0] = True

    def weights(temperature):
        return attend(query, key, value, dot, mask, temperature).weights

    highest = dot(query, key).masked_fill(~mask, -torch.inf).argmax(-1)
    assert torch.equal(weights(1e-6), torch.nn.functional.one_hot(highest, 7).float())
    torch.testing.assert_close(weights(1e6), mask / mask.sum(-1, keepdim=True), atol=1e-4, rtol=0)
    entropies = [-torch.special.xlogy(weights(t), weights(t)).sum(-1) for t in (0.1, 0.3, 1, 3, 10)]
    for sharper, flatter in pairwise(entropies):
        assert (sharper <= flatter + 1e-6).all()


@settings(deadline=None)
@given(shapes, st.integers(0, 10**6))
def test_the_order_of_keys_does_not_matter(shape, seed):
    query, key, value, mask = drawn(shape, seed)
    order = torch.randperm(len(key), generator=torch.Generator().manual_seed(seed))
    expected = attend(query, key, value, mask=mask)
    got = attend(query, key[order], value[order], mask=mask[:, order])
    torch.testing.assert_close(got.context, expected.context, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(got.weights, expected.weights[:, order], atol=1e-5, rtol=1e-4)


def test_the_order_of_keys_matters_where_scores_belong_to_places():
    torch.manual_seed(0)
    query, key, _ = inputs()
    score, order = Location(5), torch.arange(7).flip(0)
    before, after = (attend(query, part, part, score) for part in (key, key[order]))
    assert torch.equal(before.weights, after.weights)
    assert (before.context - after.context).abs().max() > 0.01


@pytest.mark.parametrize("mask", [[[True] * 7] * 3, (torch.rand(3, 7) < 0.5).numpy()])
def test_a_mask_that_is_no_tensor(mask):
    with pytest.raises(ValueError, match=f"expected a boolean mask .* got {type(mask).__name__}"):
        attend(*inputs(), mask=mask)


@pytest.mark.parametrize("mask", [torch.ones(3, 7), torch.ones(3, 7, dtype=torch.int64)])
def test_a_mask_that_is_not_boolean(mask):
    with pytest.raises(ValueError, match=f"expected a boolean mask .* got {mask.dtype}"):
        attend(*inputs(), mask=mask)


@pytest.mark.parametrize("shape", [(7, 3), (3, 5), (2, 3, 7), (2,)])
def test_a_mask_of_another_shape(shape):
    with pytest.raises(ValueError, match=r"broadcasts to the scores \[3, 7\], got \[" + str(shape[0])):
        attend(*inputs(), mask=torch.ones(shape, dtype=torch.bool))


@pytest.mark.usefixtures("as_a_learner")
def test_shapes_that_do_not_fit():
    query, key, value = inputs(2)
    with pytest.raises(ValueError, match=r"one value for every key; got .* value \[2, 5, 11\]"):
        attend(query, key, value[:, :5])
    with pytest.raises(ValueError, match=r"keys of size 5, got 4"):
        attend(query, key[..., :4], value, score=dot)
    with pytest.raises(ValueError, match=r"query .* \[..., queries, query_dim\], got torch.float32 of shape \[5\]"):
        attend(query[0, 0], key, value)
    with pytest.raises(ValueError, match=r"the same, or 1; got query \[3, 3, 5\], key \[2"):
        attend(torch.randn(3, 3, 5), key, value)


def test_a_score_of_another_shape():
    with pytest.raises(ValueError, match=r"\[..., 3, 7\], got \[7, 3\]"):
        attend(*inputs(), score=lambda query, key: dot(key, query))


@pytest.mark.parametrize("wrong", [torch.nan, torch.inf])
def test_scores_that_are_no_numbers(wrong):
    def broken(query, key):
        scores = scaled_dot(query, key)
        scores[1, 2] = wrong
        return scores

    with pytest.raises(ValueError, match=f"got {wrong} in 1 of 21 places"):
        attend(*inputs(), score=broken)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_temperature_too_low_for_the_scores(sign):
    query, key, value = (part.half() for part in inputs())
    with pytest.raises(ValueError, match=f"got {sign * torch.inf} in "):
        attend(query.abs() * 60, sign * key.abs() * 60, value, dot, temperature=0.01)


@pytest.mark.parametrize("temperature", [0.0, -1.0, torch.nan, torch.inf])
def test_a_temperature_that_is_none(temperature):
    with pytest.raises(ValueError, match=f"expected temperature above 0, got {temperature}"):
        attend(*inputs(), temperature=temperature)
