"""One head at places: what `MultiHeadAttention` gives for tokens behind others, by an independent way."""

import pytest
import torch

from attnlab import POSITIONS, Cache, MultiHeadAttention, causal, record
from attnlab.analysis.vectors.attend_at_places import attend_at_places


@pytest.fixture(params=POSITIONS)
def attention(request):
    torch.manual_seed(0)
    attention = MultiHeadAttention(12, 3, POSITIONS[request.param](12, 3, 17))
    if request.param == "relative":
        torch.nn.init.normal_(attention.positions.table)
    for part in (attention.query, attention.key, attention.value):
        torch.nn.init.zeros_(part.bias)
    return attention


@torch.no_grad()
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("start", [0, 5])
def test_it_is_the_first_head_of_an_attention(attention, start, masked):
    """Behind `start` tokens in its cache, which a mask hides, since they are no part of what the one head reads."""
    x, before = torch.randn(7, 12), torch.randn(start, 12)
    mask = causal(7) if masked else torch.ones(7, 7, dtype=torch.bool)
    maps = torch.stack([part.weight[:4].T for part in (attention.query, attention.key, attention.value)])
    found = attend_at_places(attention.positions, x, maps, start, mask if masked else None)

    cache = Cache()
    if start:
        attention(attention.positions(before)[None], cache=cache)
    hidden = torch.zeros(7, start, dtype=torch.bool)
    with record(attention) as trace:
        attention(attention.positions(x, start)[None], mask=torch.cat([hidden, mask], dim=1), cache=cache)
    seen = trace[""][0]
    torch.testing.assert_close(found.weights, seen.weights[0, 0, :, start:], atol=1e-5, rtol=0)
    torch.testing.assert_close(found.context, seen.context[0, 0], atol=1e-5, rtol=1e-4)
