import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import bilinear, cosine_similarity

from attnlab.alignment import (
    SCORES,
    Additive,
    Concat,
    ContentWithGain,
    General,
    Location,
    Perceptron,
    content,
    dot,
    scaled_dot,
)
from attnlab.attention import attend
from attnlab.seq2seq import AttentionSeq2Seq, teacher_forcing
from attnlab.specs import alignment as specs

SIZES = (5, 5, 7)  # query_dim, key_dim, dim


def is_of_one_size(name):
    """Whether a score refuses queries and keys of different sizes, as a product must."""
    try:
        SCORES[name](3, 5, 7)
    except ValueError:
        return True
    return False


ONE_SIZE = [name for name in SCORES if is_of_one_size(name)]
ANY_SIZES = [name for name in SCORES if name not in ONE_SIZE]
names = pytest.mark.parametrize("name", SCORES)


@names
def test_scores_of_single_numbers(name):
    assert name in specs.SCORES, f"write the loops of {name} into attnlab/specs/alignment.py"
    score = SCORES[name](*SIZES)
    query, key = torch.randn(2, 3, 5), torch.randn(2, 11, 5)
    expected = specs.SCORES[name](score)
    scores = score(query, key)
    for b in range(2):
        for i in range(3):
            for j in range(11):
                wanted = expected(query[b, i], key[b, j], j).item()
                assert scores[b, i, j].item() == pytest.approx(wanted, abs=1e-5)


@names
def test_gradients(name):
    score = SCORES[name](*SIZES)
    if isinstance(score, torch.nn.Module):
        score = score.double()
    leaves = [torch.randn(2, 3, 5).double().requires_grad_(), torch.randn(2, 2, 5).double().requires_grad_()]
    parameters = list(score.parameters()) if isinstance(score, torch.nn.Module) else []
    assert torch.autograd.gradcheck(lambda query, key, *parameters: score(query, key), (*leaves, *parameters))


@names
def test_every_axis_before_the_last_two_is_a_batch(name):
    score = SCORES[name](*SIZES)
    query, key = torch.randn(2, 3, 5, 5), torch.randn(2, 1, 7, 5)
    scores = score(query, key)
    assert scores.shape == (2, 3, 5, 7)
    torch.testing.assert_close(scores[1, 2], score(query[1, 2], key[1, 0]))
    many_keys = score(query[1, 2], torch.randn(2, 3, 7, 5))
    assert many_keys.shape == (2, 3, 5, 7)


@names
def test_on_every_device(name, device):
    score = SCORES[name](*SIZES)
    query, key = torch.randn(2, 3, 5), torch.randn(2, 11, 5)
    expected = score(query, key)
    if isinstance(score, torch.nn.Module):
        score = score.to(device)
    scores = score(query.to(device), key.to(device))
    assert scores.device.type == device.type
    torch.testing.assert_close(scores.cpu(), expected, atol=1e-4, rtol=1e-4)


@names
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_dtypes(name, dtype):
    score = SCORES[name](*SIZES)
    if isinstance(score, torch.nn.Module):
        score = score.to(dtype)
    assert score(torch.randn(3, 5).to(dtype), torch.randn(7, 5).to(dtype)).dtype == dtype


@names
def test_no_queries_and_no_keys(name):
    score = SCORES[name](*SIZES)
    assert score(torch.randn(2, 0, 5), torch.randn(2, 7, 5)).shape == (2, 0, 7)
    assert score(torch.randn(2, 3, 5), torch.randn(2, 0, 5)).shape == (2, 3, 0)


@pytest.mark.parametrize("name", [name for name in SCORES if name != "location"])
@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), queries=st.integers(1, 5), keys=st.integers(1, 7))
def test_scores_follow_the_order_of_queries_and_keys(name, seed, queries, keys):
    """Not so for location, whose scores belong to places: see the tests below."""
    torch.manual_seed(seed)
    score, query, key = SCORES[name](*SIZES), torch.randn(queries, 5), torch.randn(keys, 5)
    rows, columns = torch.randperm(queries), torch.randperm(keys)
    expected = score(query, key)[rows][:, columns]
    torch.testing.assert_close(score(query[rows], key[columns]), expected, atol=1e-5, rtol=1e-4)


# One by one.


@pytest.mark.parametrize("name", ANY_SIZES)
def test_learned_scores_take_queries_and_keys_of_different_sizes(name):
    score, query, key = SCORES[name](3, 5, 7), torch.randn(2, 3), torch.randn(11, 5)
    assert score(query, key).shape == (2, 11)
    wanted = specs.SCORES[name](score)(query[1], key[4], 4).item()
    assert score(query, key)[1, 4].item() == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("score", [Additive(3, 5, 7), General(3, 5)])
def test_keys_projected_once(score):
    query, key = torch.randn(2, 3), torch.randn(11, 5)
    projected = score.project(key)
    assert projected.shape == (11, 7 if isinstance(score, Additive) else 3)
    assert torch.equal(score.compare(query, projected), score(query, key))


def test_general_is_torchs_bilinear_map():
    score, query, key = General(3, 5), torch.randn(11, 3), torch.randn(11, 5)
    expected = bilinear(query, key, score.key.weight.unsqueeze(0)).squeeze(-1)
    torch.testing.assert_close(score(query, key).diagonal(), expected, atol=1e-5, rtol=1e-5)


def test_content_is_torchs_cosine():
    query, key = torch.randn(3, 5), torch.randn(11, 5)
    torch.testing.assert_close(content(query, key), cosine_similarity(query[:, None], key[None], dim=-1))


def test_content_of_vectors_without_a_direction():
    query, key = torch.randn(3, 5), torch.randn(7, 5)
    query[1], key[2] = 0, 0
    for part in (query, key):
        part.requires_grad_()
    scores = content(query, key)
    assert not scores[1].any()
    assert not scores[:, 2].any()
    with torch.autograd.set_detect_anomaly(True):
        scores.square().sum().backward()
    assert query.grad.isfinite().all()
    assert key.grad.isfinite().all()
    assert content(query.detach().half(), key.detach().half()).isfinite().all()


def test_content_cannot_point_at_one_of_many_keys():
    key = -torch.eye(1, 5).repeat(20, 1)
    key[7] *= -1  # one key like the query, all others against it: no key can get more
    weights = attend(torch.eye(1, 5), key, key, content).weights
    assert weights[0, 7].item() == pytest.approx(0.28, abs=0.005)


def test_a_gain_is_a_low_temperature():
    query, key, score = torch.randn(3, 5), torch.randn(11, 5), ContentWithGain(gain=5)
    expected = attend(query, key, key, content, temperature=1 / 5).weights
    torch.testing.assert_close(attend(query, key, key, score).weights, expected)
    attend(query, key, key, score).weights[0, 0].backward()
    assert score.gain.grad.item() != 0
    double = ContentWithGain().double()
    inputs = [torch.randn(rows, 5).double().requires_grad_() for rows in (2, 3)]
    assert torch.autograd.gradcheck(lambda query, key, gain: double(query, key), (*inputs, double.gain))


def test_concat_answers_every_query_alike():
    torch.manual_seed(0)
    query, key, score = torch.randn(3, 5), torch.randn(11, 7), Concat(5, 7)
    attention = attend(query, key, key, score)
    torch.testing.assert_close(attention.weights, attention.weights[:1].expand(3, -1))
    assert (attention.scores[0] != attention.scores[1]).all()  # the scores do differ, by one number each


def test_perceptron_and_additive_are_one_function():
    additive, query, key = Additive(3, 5, 7), torch.randn(2, 11, 3), torch.randn(2, 13, 5)
    perceptron = Perceptron.from_additive(additive)
    torch.testing.assert_close(perceptron(query, key), additive(query, key), atol=1e-6, rtol=1e-5)
    count = [sum(parameter.numel() for parameter in score.parameters()) for score in (additive, perceptron)]
    assert count[0] == count[1]
    for score in (additive, perceptron):
        score(query, key).square().sum().backward()
    stacked = torch.cat([additive.query.weight.grad, additive.key.weight.grad], dim=1)
    torch.testing.assert_close(perceptron.hidden.weight.grad, stacked, atol=1e-4, rtol=1e-4)


def test_copied_weights_are_not_shared():
    additive = Additive(3, 5, 7).double()
    perceptron = Perceptron.from_additive(additive)
    assert all(parameter.dtype == torch.float64 and parameter.requires_grad for parameter in perceptron.parameters())
    before = perceptron(torch.ones(1, 3).double(), torch.ones(1, 5).double())
    with torch.no_grad():
        for parameter in additive.parameters():
            parameter.zero_()
    assert torch.equal(perceptron(torch.ones(1, 3).double(), torch.ones(1, 5).double()), before)


def test_location_reads_the_place_and_not_the_key():
    score, query, key = Location(3, places=11), torch.randn(2, 3), torch.randn(7, 5)
    assert torch.equal(score(query, key), score(query, torch.randn(7, 5)))
    assert torch.equal(score(query, key[torch.randperm(7)]), score(query, key))  # the order of keys does not matter
    assert torch.equal(score(query, key[:4]), score(query, key)[:, :4])
    torch.testing.assert_close(score(query, torch.randn(11, 5)), query @ score.place.weight.T)


# Sizes that do not fit.


@pytest.mark.parametrize("score", [dot, scaled_dot, content])
@pytest.mark.usefixtures("as_a_learner")
def test_sizes_that_differ(score):
    with pytest.raises(ValueError, match="size 5, got 3"):
        score(torch.randn(2, 5), torch.randn(7, 3))


@pytest.mark.parametrize("name", ANY_SIZES)
def test_learned_scores_name_the_size_that_is_wrong(name):
    score = SCORES[name](3, 5, 7)
    with pytest.raises(ValueError, match=rf"this {name} score .* queries of size 3, got 2"):
        score(torch.randn(2, 2), torch.randn(11, 5))
    if name != "location":  # which does not look at keys
        with pytest.raises(ValueError, match=rf"this {name} score .* keys of size 5, got 2"):
            score(torch.randn(2, 3), torch.randn(11, 2))


def test_more_keys_than_places():
    with pytest.raises(ValueError, match="at most 7 keys, got 11; make it with more places"):
        Location(3, places=7)(torch.randn(2, 3), torch.randn(11, 5))
    with pytest.raises(ValueError, match="at most 128 keys, got 129"):
        SCORES["location"](3, 5, 7)(torch.randn(2, 3), torch.randn(129, 5))


def test_products_are_of_one_size():
    assert {"dot", "scaled_dot", "content"} <= set(ONE_SIZE)
    assert {"additive", "general", "concat", "perceptron", "location"} <= set(ANY_SIZES)


@pytest.mark.parametrize("name", ONE_SIZE)
def test_factories_of_products_refuse_different_sizes(name):
    with pytest.raises(ValueError, match=f"{name} needs .* queries of 3, keys of 5"):
        SCORES[name](3, 5, 7)


def test_an_unknown_score():
    with pytest.raises(ValueError, match=f"expected one of {', '.join(SCORES)}; got 'dott'"):
        SCORES["dott"]


# In a model.


@pytest.mark.parametrize(
    ("name", "bidirectional"),
    [
        *[(name, False) for name in SCORES],
        *[(name, True) for name in ANY_SIZES],
    ],
)
def test_a_model_learns_with_every_score(name, bidirectional):
    torch.manual_seed(0)
    model = AttentionSeq2Seq(11, 13, hidden=7, embedding=3, score=SCORES[name], bidirectional=bidirectional)
    source, lengths = torch.randint(3, 11, (3, 5)), torch.tensor([5, 2, 3])
    target = torch.tensor([[1, 4, 12, 5, 2], [1, 7, 2, 0, 0], [1, 3, 3, 2, 0]])
    optimiser, losses = torch.optim.Adam(model.parameters(), lr=0.02), []
    for _ in range(12):
        loss = teacher_forcing(model, source, lengths, target)
        losses.append(loss.item())
        optimiser.zero_grad()
        loss.backward()
        assert all(parameter.grad is not None and parameter.grad.any() for parameter in model.parameters())
        optimiser.step()
    assert losses[-1] < 0.9 * losses[0]


@pytest.mark.parametrize("name", ONE_SIZE)
def test_keys_of_both_directions_are_too_wide_for_a_product(name):
    with pytest.raises(ValueError, match="queries of 7, keys of 14"):
        AttentionSeq2Seq(11, 13, hidden=7, embedding=3, score=SCORES[name])


@pytest.mark.parametrize("length", [1e-18, 1e18])
def test_content_of_very_short_and_very_long_vectors(length):
    query, key = torch.randn(3, 5), torch.randn(7, 5)
    torch.testing.assert_close(content(length * query, length * key), content(query, key))


def test_where_the_gain_starts_unless_given():
    assert ContentWithGain().gain.item() == 8
