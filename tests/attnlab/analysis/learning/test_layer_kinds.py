"""Four kinds of layers, against loops over single tokens, and against what they should be able to see."""

import math

import oracles_costs
import pytest
import torch

from attnlab.analysis.learning.jacobians import jacobian_norms
from attnlab.analysis.learning.layer_kinds import LAYER_KINDS, random_layers
from attnlab.costs import LAYERS

TOKENS, DIM = 7, 3


@pytest.fixture(scope="module")
def x():
    return torch.randn(2, TOKENS, DIM, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


@pytest.fixture(scope="module")
def maps():
    return torch.randn(5, DIM, DIM, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def attention_by_hand(x, maps, radius):
    out = torch.zeros_like(x)
    for text in range(len(x)):
        for place in range(TOKENS):
            near = [other for other in range(TOKENS) if abs(other - place) <= radius]
            scores = [float((x[text, place] @ maps[0]) @ (x[text, other] @ maps[1])) / math.sqrt(DIM) for other in near]
            total = sum(math.exp(score) for score in scores)
            for other, score in zip(near, scores, strict=True):
                out[text, place] += math.exp(score) / total * (x[text, other] @ maps[2])
    return out


def recurrent_by_hand(x, maps):
    out = torch.zeros_like(x)
    for text in range(len(x)):
        state = torch.zeros(DIM, dtype=x.dtype)
        for place in range(TOKENS):
            state = torch.tanh(x[text, place] @ maps[0] + state @ maps[1])
            out[text, place] = state
    return out


def convolution_by_hand(x, maps, sees, gap):
    out = torch.zeros_like(x)
    for text in range(len(x)):
        for place in range(TOKENS):
            for step in range(sees):
                if place - step * gap >= 0:
                    out[text, place] += x[text, place - step * gap] @ maps[step]
    return out


def test_recurrent(x, maps):
    torch.testing.assert_close(LAYER_KINDS["recurrent"](x, maps), recurrent_by_hand(x, maps))


@pytest.mark.parametrize(("sees", "gap"), [(2, 1), (3, 2), (5, 1), (3, 9)])
def test_convolution(x, maps, sees, gap):
    torch.testing.assert_close(LAYER_KINDS["convolution"](x, maps, sees, gap), convolution_by_hand(x, maps, sees, gap))


def test_attention(x, maps):
    torch.testing.assert_close(LAYER_KINDS["self_attention"](x, maps), attention_by_hand(x, maps, TOKENS))
    torch.testing.assert_close(LAYER_KINDS["restricted_attention"](x, maps, 5), attention_by_hand(x, maps, 2))


def test_the_kinds_are_those_whose_costs_are_counted():
    assert set(LAYER_KINDS) == set(LAYERS)


@pytest.mark.parametrize("dilated", [False, True])
@pytest.mark.parametrize("sees", [3, 5])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_what_they_see_is_what_following_the_layers_gives(depth, sees, dilated):
    tokens, growth = 16, sees if dilated else 1
    x = torch.randn(tokens, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    gaps = [growth**layer for layer in range(depth)]
    ways = {
        "recurrent": [lambda place: range(place + 1)] * depth,
        "convolution": [lambda place, gap=gap: [place - gap * step for step in range(sees)] for gap in gaps],
        "self_attention": [lambda place: range(tokens)] * depth,
        "restricted_attention": [lambda place: range(place - sees // 2, place + sees // 2 + 1)] * depth,
    }
    for kind, way in ways.items():
        seen = jacobian_norms(random_layers(kind, depth, 2, sees, growth), x)[-1].nonzero()[:, 0]
        assert set(seen.tolist()) == oracles_costs.reach(tokens, way), kind


def test_each_layer_has_its_own_maps_and_they_are_the_same_again(x):
    one, other = random_layers("convolution", 2, DIM)
    assert not torch.allclose(one(x), other(x))
    assert torch.equal(random_layers("convolution", 1, DIM)[0](x), one(x))


@pytest.mark.parametrize("sizes", [{"depth": 0}, {"dim": 0}, {"sees": 0}, {"growth": 0}])
def test_sizes_below_1_are_refused(sizes):
    (name,) = sizes
    with pytest.raises(ValueError, match=f"expected {name} of at least 1, got 0"):
        random_layers(**{"kind": "recurrent", "depth": 1, "dim": 2, **sizes})


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match=r"expected one of recurrent, .*; got 'lstm'"):
        random_layers("lstm", 1, 2)
