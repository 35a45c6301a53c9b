from copy import deepcopy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from attnlab.alignment import scaled_dot
from attnlab.positions import (
    POSITIONS,
    ALiBi,
    Learned,
    OneHot,
    RelativeBias,
    Rotary,
    Sinusoidal,
    backwards,
    both_ways,
    shift,
    sinusoidal,
    slopes,
)
from attnlab.specs import positions as specs

DIM, HEADS, LONGEST = 30, 3, 13  # 10 a head


def made(name, dim=DIM, longest=LONGEST):
    positions = POSITIONS[name](dim, HEADS, longest)
    for parameter in positions.parameters():
        nn.init.normal_(parameter)
    return positions


@pytest.mark.parametrize("start", [0, 5])
@pytest.mark.parametrize("name", POSITIONS)
def test_loops(name, start):
    positions, (embed, rotate, bias) = made(name), specs.POSITIONS[name]
    x, query = torch.randn(2, 7, DIM), torch.randn(2, HEADS, 7, DIM // HEADS)
    with torch.no_grad():
        expected = torch.stack([embed(positions, row, start) for row in x])
        torch.testing.assert_close(positions(x, start), expected, atol=1e-5, rtol=1e-5)
        heads = [rotate(positions, head, start) for head in query.flatten(0, 1)]
        expected = torch.stack(heads).view_as(query)
        torch.testing.assert_close(positions.rotate(query, start), expected, atol=1e-5, rtol=1e-5)
        expected = bias(positions, 3, 11, start)
        if expected is None:
            assert positions.bias(3, 11, start) is None
        else:
            torch.testing.assert_close(positions.bias(3, 11, start), expected)


@pytest.mark.parametrize("name", POSITIONS)
def test_the_start_goes_on_where_the_last_call_ended(name):
    positions, x, query = made(name), torch.randn(2, 7, DIM), torch.randn(2, HEADS, 7, DIM // HEADS)
    for tell, whole in [(positions, x), (positions.rotate, query)]:
        parts = [tell(whole[..., :4, :]), tell(whole[..., 4:5, :], start=4), tell(whole[..., 5:, :], start=5)]
        torch.testing.assert_close(torch.cat(parts, dim=-2), tell(whole), atol=1e-5, rtol=1e-5)
    if (bias := positions.bias(7, 7)) is not None:
        assert torch.equal(positions.bias(2, 7, start=5), bias[:, 5:])


@pytest.mark.parametrize("name", POSITIONS)
def test_on_every_device_and_in_half_precision(name, device):
    positions, x, query = made(name), torch.randn(2, 7, DIM), torch.randn(2, HEADS, 7, DIM // HEADS)
    there = deepcopy(positions).to(device)
    pairs = [(there(x.to(device), 3), positions(x, 3)), (there.rotate(query.to(device), 3), positions.rotate(query, 3))]
    if positions.bias(3, 7) is not None:
        pairs.append((there.bias(3, 7), positions.bias(3, 7)))
    for got, expected in pairs:
        assert got.device.type == device.type
        torch.testing.assert_close(got.cpu(), expected, atol=1e-4, rtol=1e-4)
    half = there.to(torch.bfloat16)
    for got, expected in [
        (half(x.to(device).bfloat16(), 3), positions(x, 3)),
        (half.rotate(query.to(device).bfloat16(), 3), positions.rotate(query, 3)),
    ]:
        assert got.dtype == torch.bfloat16
        torch.testing.assert_close(got.cpu().float(), expected, atol=0.1, rtol=0.05)


@pytest.mark.parametrize("name", POSITIONS)
def test_gradients(name):
    positions = made(name, dim=6, longest=5).double()
    x = torch.randn(2, 3, 6, dtype=torch.float64, requires_grad=True)
    query = torch.randn(2, HEADS, 3, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x, *_: positions(x, 2), (x, *positions.parameters()))
    assert torch.autograd.gradcheck(lambda query: positions.rotate(query, 2), (query,))


# Sinusoids


@pytest.mark.parametrize(("tokens", "dim"), [(7, 2), (13, 6), (1, 10), (0, 4)])
def test_sinusoidal(tokens, dim):
    torch.testing.assert_close(sinusoidal(tokens, dim), specs.sinusoidal(tokens, dim), atol=1e-6, rtol=0)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_waves_are_rounded_once_to_the_dtype_of_the_model(dtype):
    places = torch.arange(40, dtype=torch.float64).unsqueeze(-1) * 10000.0 ** (-torch.arange(3).double() / 3)
    waves = torch.stack([places.sin(), places.cos()], dim=-1).flatten(-2)
    assert torch.equal(sinusoidal(40, 6, dtype), waves.to(dtype))
    added, turned = Sinusoidal(6, longest=7).to(dtype), Rotary(6, longest=7).to(dtype)
    assert torch.equal(added(torch.zeros(40, 6, dtype=dtype)), waves.to(dtype))
    ones = torch.tensor([1.0, 0.0] * 3, dtype=dtype).expand(40, 6)
    expected = torch.stack([places.cos(), places.sin()], dim=-1).flatten(-2)
    torch.testing.assert_close(turned.rotate(ones), expected.to(dtype), atol=torch.finfo(dtype).eps, rtol=0)


def test_sinusoids_stay_exact_far_away():
    torch.testing.assert_close(sinusoidal(20011, 6)[20000:], specs.sinusoidal(20011, 6)[20000:], atol=1e-6, rtol=0)


@settings(deadline=None)
@given(st.integers(-40, 40), st.integers(1, 11), st.integers(0, 60))
def test_a_later_place_is_a_linear_function_of_an_earlier_one(k, half, place):
    table, dim = sinusoidal(101, 2 * half), 2 * half
    if place + k >= 0:
        torch.testing.assert_close(table[place] @ shift(k, dim), table[place + k], atol=1e-5, rtol=0)


@settings(deadline=None)
@given(st.integers(-40, 40), st.integers(-40, 40), st.integers(1, 7))
def test_shifts_add_up(a, b, half):
    together = shift(a, 2 * half) @ shift(b, 2 * half)
    torch.testing.assert_close(together, shift(a + b, 2 * half), atol=1e-5, rtol=0)
    torch.testing.assert_close(shift(a, 2 * half).mT, shift(-a, 2 * half))


def test_products_of_sinusoids_depend_on_the_distance():
    products = sinusoidal(13, 10) @ sinusoidal(13, 10).mT
    for distance in range(13):
        diagonal = products.diagonal(distance)
        torch.testing.assert_close(diagonal, diagonal[:1].expand_as(diagonal), atol=1e-5, rtol=0)


@pytest.mark.parametrize("function", [sinusoidal, shift])
@pytest.mark.parametrize("dim", [7, 1, 0, -2])
def test_an_odd_dim(function, dim):
    with pytest.raises(ValueError, match=f"expected an even dim, .*, got {dim}"):
        function(3, dim)


# One-hot and learned


def test_appending_a_place_is_adding_a_vector_of_its_own():
    """W [x; p] = W^I x + W^P p."""
    positions, x = OneHot(5, longest=11), torch.randn(2, 7, 5)
    expected = x @ positions.inputs.mT + positions.places[:, 3:10].mT
    torch.testing.assert_close(positions(x, start=3), expected, atol=1e-5, rtol=1e-5)


def test_neither_tokens_nor_places_drown_the_other():
    torch.manual_seed(0)
    positions, x = OneHot(64, longest=257), torch.randn(257, 64)
    assert (x @ positions.inputs.mT).std().item() == pytest.approx(1, rel=0.1)
    assert positions.places.std().item() == pytest.approx(1, rel=0.1)
    for code in (Learned(64, 257), Sinusoidal(64, 257)):
        assert code(torch.zeros(257, 64)).square().mean().sqrt().item() == pytest.approx(1, rel=0.3)


@pytest.mark.parametrize("scale", [0.02, 3.0])
def test_scale(scale):
    assert Learned(31, 101, scale).table.std().item() == pytest.approx(scale, rel=0.1)
    assert OneHot(31, 101, scale).places.std().item() == pytest.approx(scale, rel=0.1)
    torch.testing.assert_close(Sinusoidal(6, 7, scale)(torch.zeros(3, 6)), scale * sinusoidal(3, 6))


@pytest.mark.parametrize("code", [OneHot, Learned])
def test_longer_than_the_table(code):
    positions = code(5, longest=7)
    assert positions(torch.randn(2, 3, 5), start=4).shape == (2, 3, 5)
    for tokens, start in [(8, 0), (3, 5)]:
        with pytest.raises(ValueError, match="at most 7 tokens, for which there are positions, got 8"):
            positions(torch.randn(2, tokens, 5), start)


def test_the_others_go_on():
    x = torch.randn(2, 17, 6)
    waves, rotary = Sinusoidal(6, longest=3), Rotary(6, longest=3)
    torch.testing.assert_close(waves(x), x + sinusoidal(17, 6))
    expected = torch.stack([specs.rotary(row, 19) for row in x])
    torch.testing.assert_close(rotary.rotate(x, start=19), expected, atol=1e-5, rtol=1e-5)
    assert not waves.state_dict()
    assert not rotary.state_dict()


# Rotary


def test_another_base_is_kept_beyond_the_longest():
    x = torch.randn(30, 6, generator=torch.Generator().manual_seed(0))
    slow = Rotary(6, longest=4, base=100_000)
    torch.testing.assert_close(slow.rotate(x[:4]), specs.rotary(x[:4], 0, 100_000), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(slow.rotate(x, start=7), specs.rotary(x, 7, 100_000), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(slow.double().rotate(x.double()), specs.rotary(x.double(), 0, 100_000))
    assert not torch.allclose(slow.rotate(x), Rotary(6).rotate(x), atol=1e-2)


def scores(query, key, rotary, i, j):
    return scaled_dot(rotary.rotate(query, start=i), rotary.rotate(key, start=j)).item()


@settings(deadline=None)
@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.integers(1, 5), st.integers(0, 10**6))
def test_a_score_depends_on_the_distance_alone(i, j, further, half, seed):
    query, key = torch.randn(2, 1, 2 * half, generator=torch.Generator().manual_seed(seed)).unbind()
    rotary = Rotary(2 * half)
    assert scores(query, key, rotary, i + further, j + further) == pytest.approx(
        scores(query, key, rotary, i, j), abs=1e-4
    )


def test_turning_keeps_the_length():
    x = torch.randn(2, 3, 7, 10)
    torch.testing.assert_close(Rotary(10).rotate(x, start=11).norm(dim=-1), x.norm(dim=-1))


def test_turning_any_view():
    numbers = torch.randn(78)
    for x in (numbers[:77].view(7, 11)[:, 1:7], numbers[1:43].view(7, 6)):  # rows begin at odd places
        torch.testing.assert_close(Rotary(6).rotate(x), specs.rotary(x, 0), atol=1e-5, rtol=1e-5)


def test_an_odd_head():
    with pytest.raises(ValueError, match=r"expected an even dim, .*, got 5"):
        Rotary(5)


# Biases


@settings(deadline=None)
@given(st.sampled_from(["alibi", "relative"]), st.integers(1, 13), st.integers(1, 13), st.integers(0, 13))
def test_a_bias_depends_on_the_distance_alone(name, queries, keys, start):
    bias = made(name).bias(queries, keys, start)
    for offset in range(-queries + 1, keys):
        diagonal = bias.diagonal(offset, dim1=-2, dim2=-1)
        assert torch.equal(diagonal, diagonal[:, :1].expand_as(diagonal))


@pytest.mark.parametrize("heads", [1, 2, 3, 5, 8, 12, 13, 16])
def test_slopes(heads):
    torch.testing.assert_close(slopes(heads), torch.tensor(specs.slopes(heads), dtype=torch.float32))


def test_slopes_of_eight_heads():
    assert slopes(8).tolist() == [1 / 2**i for i in range(1, 9)]


def test_alibi_has_its_slopes_wherever_it_was_made():
    with torch.device("meta"):
        positions = ALiBi(3)
    positions = positions.to_empty(device="cpu")
    positions.load_state_dict(ALiBi(3).state_dict())
    assert torch.equal(positions.bias(5, 5), ALiBi(3).bias(5, 5))
    assert positions.double().bias(5, 5).dtype == torch.float64


def test_alibi_cannot_tell_left_from_right():
    bias = ALiBi(3).bias(7, 7)
    assert torch.equal(bias, bias.mT)
    assert not bias.diagonal(dim1=-2, dim2=-1).any()


@pytest.mark.parametrize(("buckets", "farthest"), [(32, 128), (8, 20), (4, 3), (16, 101)])
@pytest.mark.parametrize("bucket", [both_ways, backwards])
def test_buckets(bucket, buckets, farthest):
    distance = torch.arange(-211, 212)
    expected = [specs.BUCKETS[bucket.__name__](d, buckets, farthest) for d in distance.tolist()]
    assert bucket(distance, buckets, farthest).tolist() == expected
    assert set(expected) <= set(range(buckets))


# Where a new bucket begins, going back from the query, with 32 buckets and farthest 128, as T5's own code has it.
T5 = {
    both_ways: [*range(9), 12, 16, 23, 32, 46, 64, 91],
    backwards: [*range(17), 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113],
}


@pytest.mark.parametrize("bucket", T5)
def test_buckets_are_those_of_t5(bucket):
    distance = torch.arange(300)
    expected = torch.bucketize(distance, torch.tensor(T5[bucket]), right=True) - 1
    assert torch.equal(bucket(-distance, 32, 128), expected)
    following = (expected + 16) * (distance > 0) if bucket is both_ways else torch.zeros_like(distance)
    assert torch.equal(bucket(distance, 32, 128), following)


def test_relative_bias_learns_each_bucket():
    positions = RelativeBias(2, buckets=8, farthest=20, bucket=backwards)
    assert not positions.bias(5, 5).any()
    positions.bias(3, 3).sum().backward()
    assert positions.table.grad[0].tolist() == [6, 2, 1, 0, 0, 0, 0, 0]  # three at their own place, three that follow


@pytest.mark.parametrize(("buckets", "farthest"), [(2, 128), (6, 128), (32, 16)])
def test_buckets_that_do_not_fit(buckets, farthest):
    with pytest.raises(ValueError, match=f"got {buckets} buckets and farthest {farthest}"):
        RelativeBias(2, buckets, farthest)


def test_no_heads():
    with pytest.raises(ValueError, match="heads to be a whole number of at least 1, got 0"):
        ALiBi(0)


def test_an_unknown_code():
    with pytest.raises(ValueError, match="none, one_hot, learned, sinusoidal, relative, alibi, rotary; got 'rope'"):
        POSITIONS["rope"]


@pytest.mark.parametrize("name", POSITIONS)
def test_only_what_is_learned_is_kept_in_a_file(name):
    positions = made(name)
    assert list(positions.state_dict()) == [name for name, _ in positions.named_parameters()]


def test_distances_are_told_apart_up_to_128_unless_told_otherwise():
    model, told = RelativeBias(HEADS), RelativeBias(HEADS, farthest=128)
    nn.init.normal_(model.table)
    told.load_state_dict(model.state_dict())
    assert torch.equal(model.bias(200, 200), told.bias(200, 200))
