import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.alignment import General, dot
from attnlab.attention import attend, masked_softmax
from attnlab.local_attention import Centre, local_m, local_p
from attnlab.masks import padding
from attnlab.specs import local_attention as specs


def drawn(seed, queries, keys, *batch):
    """Scores in double precision, which keys are allowed, and a centre for each query."""
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(*batch, queries, keys, dtype=torch.float64, generator=generator)
    allowed = torch.rand(*batch, queries, keys, generator=generator) < 0.7
    return scores, allowed, keys * torch.rand(*batch, queries, dtype=torch.float64, generator=generator)


sizes = {"seed": st.integers(0, 10**6), "queries": st.integers(0, 5), "keys": st.integers(0, 11)}


@settings(deadline=None, max_examples=50)
@given(**sizes, radius=st.integers(0, 12), start=st.integers(0, 9))
def test_local_m_in_loops(seed, queries, keys, radius, start):
    scores, allowed, _ = drawn(seed, queries, keys)
    expected = specs.local_m(scores, allowed, radius, start)
    torch.testing.assert_close(local_m(radius, start)(scores, allowed), expected)


@settings(deadline=None, max_examples=50)
@given(**sizes, radius=st.floats(0.1, 12))
def test_local_p_in_loops(seed, queries, keys, radius):
    scores, allowed, centres = drawn(seed, queries, keys)
    expected = specs.local_p(scores, allowed, centres, radius)
    torch.testing.assert_close(local_p(centres, radius)(scores, allowed), expected)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6), radius=st.integers(1, 12))
def test_rows_sum_to_one_or_less(seed, radius):
    scores, allowed, centres = drawn(seed, 5, 11, 2)
    for weigh, exact in [(local_m(radius), True), (local_p(centres, radius), False)]:
        weights = weigh(scores, allowed)
        sums = weights.sum(-1)
        assert ((sums <= 1 + 1e-12) & (sums >= 0)).all()
        assert not weights[~allowed].any()
        assert not exact or ((sums - 1).abs() < 1e-12).eq(sums > 0).all()


def test_a_window_that_holds_everything():
    scores, allowed, centres = drawn(0, 5, 11, 2)
    torch.testing.assert_close(local_m(11)(scores, allowed), masked_softmax(scores, allowed))
    torch.testing.assert_close(local_p(centres, 1e6)(scores, allowed), masked_softmax(scores, allowed))


def test_radius_0_looks_at_the_own_place():
    scores = torch.randn(3, 7)
    everything = torch.ones(3, 7, dtype=torch.bool)
    assert torch.equal(local_m(0, start=2)(scores, everything), torch.eye(7)[2:5])


def test_step_by_step_is_all_at_once():
    scores, allowed, _ = drawn(1, 5, 11, 2)
    together = local_m(2)(scores, allowed)
    for step in range(5):
        alone = local_m(2, start=step)(scores[:, step : step + 1], allowed[:, step : step + 1])
        assert torch.equal(alone, together[:, step : step + 1])


def test_a_query_beyond_the_keys_sees_nothing():
    query, key = torch.randn(2, 3, requires_grad=True), torch.randn(5, 3)
    attention = attend(query, key, key, weigh=local_m(1, start=5))
    assert attention.weights.tolist()[0] == [0, 0, 0, 0, 1]
    assert not attention.weights[1].any()
    assert not attention.context[1].any()
    attention.context.sum().backward()
    assert query.grad.isfinite().all()


def test_the_gaussian_is_not_made_to_sum_to_one():
    """With equal scores a row is the Gaussian divided by the number of keys in the window."""
    weights = local_p(torch.tensor([3.0]), radius=2)(torch.zeros(1, 7), torch.ones(1, 7, dtype=torch.bool))
    gaussian = torch.tensor([0, -4 / 2, -1 / 2, 0, -1 / 2, -4 / 2, 0]).exp()  # sigma is 1
    gaussian[[0, 6]] = 0
    torch.testing.assert_close(weights, (gaussian / 5).unsqueeze(0))
    assert weights.sum() < 0.5


def test_nothing_comes_from_beyond_the_window():
    query, key, value = (torch.randn(2, rows, 3) for rows in (5, 11, 11))
    centres = 11 * torch.rand(2, 5)
    places = torch.arange(11)
    near = {
        local_m(2): (places - torch.arange(5).unsqueeze(-1)).abs() <= 2,
        local_p(centres, 2.5): (places - centres.unsqueeze(-1)).abs() <= 2.5,
    }
    for weigh, window in near.items():
        before = attend(query, key, value, dot, weigh=weigh)
        for j in range(11):
            changed = [part.index_fill(1, torch.tensor(j), 1e3) for part in (key, value)]
            after = attend(query, *changed, dot, weigh=weigh)
            unseen = ~window[..., j].expand(2, 5)
            assert torch.equal(after.context[unseen], before.context[unseen])


def test_on_every_device(device):
    scores, allowed, centres = drawn(2, 5, 11, 2)
    for weigh, there in [(local_m(2), local_m(2)), (local_p(centres, 3), local_p(centres.to(device), 3))]:
        found = there(scores.to(device), allowed.to(device))
        assert found.device.type == device.type
        torch.testing.assert_close(found.cpu(), weigh(scores, allowed), atol=1e-4, rtol=1e-4)
    centre, query, lengths = Centre(3, 7), torch.randn(2, 5, 3), torch.tensor([11, 4])
    expected = centre(query, lengths)
    found = centre.to(device)(query.to(device), lengths.to(device))
    torch.testing.assert_close(found.cpu(), expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_dtypes(dtype):
    query, key = torch.randn(2, 5, 3).to(dtype), torch.randn(2, 11, 3).to(dtype)
    centres = Centre(3, 7).to(dtype)(query, torch.tensor([11, 4]))
    for weigh in (local_m(2), local_p(centres, 3)):
        attention = attend(query, key, key, weigh=weigh)
        assert attention.weights.dtype == attention.context.dtype == dtype


# The predicted centre.


def test_centres_in_loops():
    centre, query, lengths = Centre(3, 7), torch.randn(2, 5, 3), torch.tensor([11, 4])
    found = centre(query, lengths)
    W, [v] = centre.hidden.weight.tolist(), centre.combine.weight.tolist()
    for b in range(2):
        for i in range(5):
            expected = specs.centre(query[b, i].tolist(), lengths[b].item(), W, v)
            assert found[b, i].item() == pytest.approx(expected, abs=1e-5)
    torch.testing.assert_close(centre(query, 11)[0], found[0])
    heads = centre(query.unsqueeze(1).expand(2, 13, 5, 3), lengths.unsqueeze(-1))
    torch.testing.assert_close(heads, found.unsqueeze(1).expand(2, 13, 5))


def test_centres_lie_between_0_and_the_length():
    centre, query = Centre(3, 7), 1e4 * torch.randn(5, 11, 3)
    with torch.no_grad():
        centre.combine.weight.mul_(1e4)
    found = centre(query, torch.tensor([0, 1, 2, 5, 11]))
    assert ((found >= 0) & (found <= torch.tensor([0, 1, 2, 5, 11]).unsqueeze(-1))).all()


def test_a_length_of_zero():
    query, key = torch.randn(2, 3, 3), torch.randn(2, 5, 3)
    lengths = torch.tensor([0, 5])
    weigh = local_p(Centre(3, 7)(query, lengths), 2)
    assert not attend(query, key, key, dot, padding(lengths, 5), weigh=weigh).context[0].any()


def test_gradients_reach_the_centre():
    torch.manual_seed(0)  # no key on the edge of a window, where the weights jump
    centre, score = Centre(3, 5).double(), General(3, 2).double()
    query, key, value = (torch.randn(2, rows, dim).double().requires_grad_() for rows, dim in [(3, 3), (7, 2), (7, 3)])
    lengths = torch.tensor([7, 4])
    mask, parameters = padding(lengths, 7), (*centre.parameters(), *score.parameters())

    def context(query, key, value, *parameters):
        return attend(query, key, value, score, mask, 0.7, local_p(centre(query, lengths), 2.3))[:2]

    assert torch.autograd.gradcheck(context, (query, key, value, *parameters))
    context(query, key, value)[0].sum().backward()
    assert all(parameter.grad.any() for parameter in parameters)


def test_local_m_gradients():
    query, key, value = (torch.randn(2, rows, 3).double().requires_grad_() for rows in (3, 7, 7))

    def context(query, key, value):
        return attend(query, key, value, dot, weigh=local_m(1))[:2]

    assert torch.autograd.gradcheck(context, (query, key, value))


def equal(query, key):
    return torch.zeros(*query.shape[:-1], key.shape[-2])


def test_centres_learn_where_to_look():
    """All scores are equal, so only the centre can tell that query i wants key 2 i + 1."""
    torch.manual_seed(0)
    centre, query, key = Centre(5, 16), torch.eye(5), torch.eye(11)
    wanted = 2 * torch.arange(5) + 1
    optimiser = torch.optim.Adam(centre.parameters(), lr=0.05)
    for _ in range(60):
        found = attend(query, key, key, equal, weigh=local_p(centre(query, 11), radius=6))
        loss = -found.context[torch.arange(5), wanted].log().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert (centre(query, 11) - wanted).abs().max() < 0.5


def test_a_key_beyond_the_window_cannot_call_the_centre():
    centres = torch.tensor([5.5], requires_grad=True)
    key = torch.eye(11)
    attend(torch.eye(1, 5), key, key, equal, weigh=local_p(centres, radius=4)).context[0, 1].backward()
    assert centres.grad.item() == 0


# Bad inputs.


@pytest.mark.parametrize("radius", [-1, -0.5, torch.nan])
def test_local_m_needs_a_radius(radius):
    with pytest.raises(ValueError, match=f"radius to be a whole number of 0 or more, got {radius}"):
        local_m(radius)


@pytest.mark.parametrize("radius", [0, -2, torch.nan, torch.inf])
def test_local_p_needs_a_radius(radius):
    with pytest.raises(ValueError, match=f"radius above 0, got {radius}"):
        local_p(torch.zeros(3), radius)


@pytest.mark.parametrize("shape", [(4,), (3, 5), (2, 1, 3)])
def test_centres_of_another_shape(shape):
    with pytest.raises(ValueError, match=r"\[..., queries\] = \[2, 3\], got \[" + str(shape[0])):
        local_p(torch.zeros(shape), 2)(torch.zeros(2, 3, 5), torch.ones(2, 3, 5, dtype=torch.bool))


def test_centres_of_wrong_inputs():
    with pytest.raises(ValueError, match="queries of size 3, got 5"):
        Centre(3, 7)(torch.randn(2, 5), 11)
    with pytest.raises(ValueError, match=r"lengths of 0 or more, got \[4, -1\]"):
        Centre(3, 7)(torch.randn(2, 5, 3), torch.tensor([4, -1]))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_a_window_far_behind(dtype):
    weights = local_p(torch.tensor([500.0], dtype=dtype), 3)(
        torch.zeros(1, 600, dtype=dtype), torch.ones(1, 600).bool()
    )
    assert weights.nonzero()[:, 1].tolist() == list(range(497, 504))
    assert weights.dtype == dtype
