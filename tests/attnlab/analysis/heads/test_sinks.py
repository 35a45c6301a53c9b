"""Tokens that nobody may look at, against a mask written by hand; and where attention rests."""

import pytest
import torch
from shaken import shaken
from torch import nn
from torch.nn.functional import cosine_similarity, cross_entropy

from attnlab import record
from attnlab.analysis.heads.sinks import forbidden, resting, resting_image, sink_runs
from attnlab.masks import padding
from attnlab.multihead import MultiHeadAttention
from attnlab.transformer import gpt, masked_encoder
from attnlab.vision.vit import vit

TOKENS = torch.tensor([[3, 1, 4, 1, 5, 9, 2]])


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return shaken(gpt(11, dim=12, heads=3, layers=2, longest=16))


@torch.no_grad()
@pytest.mark.parametrize(("key", "since"), [(0, 1), (0, 2), (3, 5)])
def test_the_same_as_a_mask_by_hand(model, key, since):
    mask = torch.ones(7, 7, dtype=torch.bool).tril()
    for query in range(since, 7):
        mask[query, key] = False
    x = model.embed(TOKENS)
    for block in model.blocks:
        x = block(x, mask)
    whole = model(TOKENS)
    with forbidden(model, key, since), record(model) as trace:
        found = model(TOKENS)
    torch.testing.assert_close(found, model.output(model.norm(x)), atol=1e-5, rtol=1e-4)
    assert all(bool((trace[name][0].weights[0, :, since:, key] == 0).all()) for name in trace.names)
    torch.testing.assert_close(model(TOKENS), whole)  # and all is as before
    assert not torch.allclose(found, whole, atol=1e-3)


@torch.no_grad()
def test_an_encoder_without_a_mask():
    torch.manual_seed(0)
    encoder = masked_encoder(11, 12, 3, 2, 16).eval().encoder
    with forbidden(encoder, 2, 0), record(encoder) as trace:
        encoder(TOKENS)
    for name in trace.names:
        weights = trace[name][0].weights
        assert (weights[..., 2] == 0).all()
        torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))


@torch.no_grad()
def test_a_mask_that_is_one_row_for_all_queries_and_one_given_by_its_place():
    torch.manual_seed(0)
    encoder = masked_encoder(11, 12, 3, 2, 16).eval().encoder
    mask, attention, x = padding(torch.tensor([6]), 7), MultiHeadAttention(6, 2), torch.randn(1, 7, 6)
    with forbidden(encoder, 2, 3), record(encoder) as trace:
        encoder(TOKENS, mask)
    for name in trace.names:
        weights = trace[name][0].weights
        assert (weights[:, :, 3:, 2] == 0).all()
        assert (weights[:, :, :3, 2] > 0).all()
    model = nn.Sequential(attention)
    with forbidden(model, 2, 3), record(model) as trace:
        attention(x, None, None, mask)
        attention(x, x[:, :5])  # looks at another sequence: nothing is forbidden
    own, other = (call.weights for call in trace["0"])
    assert (own[:, :, 3:, 2] == 0).all()
    assert (other > 0).all()


@torch.no_grad()
def test_resting_in_loops(model):
    found = resting(model, TOKENS)
    with record(model) as trace:
        logits = model(TOKENS)[0]
    for layer, name in enumerate(trace.names):
        heads = trace[name][0].weights[0]
        for key in range(5):
            seen = [float(heads[head, query, key]) for head in range(3) for query in range(key + 2, 7)]
            assert float(found.weights[layer, key]) == pytest.approx(sum(seen) / len(seen), abs=1e-6)
    for place in range(6):
        assert float(found.losses[place]) == pytest.approx(
            float(cross_entropy(logits[place], TOKENS[0, place + 1])), abs=1e-5
        )


def test_runs_hide_one_token_each(model):
    runs = sink_runs(model, TOKENS, list("3141592"))
    assert runs.pieces == list("3141592")
    assert len(runs.all_after) == len(runs.but_next) == 5
    for key in range(5):
        for found, later in ((runs.all_after, 1), (runs.but_next, 2)):
            with forbidden(model, key, key + later):
                expected = resting(model, TOKENS)
            torch.testing.assert_close(found[key].weights, expected.weights)
            torch.testing.assert_close(found[key].losses, expected.losses)
            assert (found[key].weights[:, key] == 0).all()
    assert torch.equal(runs.whole.losses, resting(model, TOKENS).losses)


@torch.no_grad()
def test_a_picture_in_loops():
    torch.manual_seed(0)
    model, picture = vit(8, size=4, dim=12, heads=3, layers=2).eval(), torch.rand(1, 1, 8, 8)
    found = resting_image(model, picture, hidden=[0, 2])
    x, hidden, said_whole = model.embed(picture), model.embed(picture), model(picture)
    for layer, block in enumerate(model.blocks):
        with record(block) as trace:
            x = block(x)
        for head in range(3):
            for token in range(5):
                given = [float(trace[trace.names[0]][0].weights[0, head, patch, token]) for patch in range(1, 5)]
                assert float(found.weights[layer, head, token]) == pytest.approx(sum(given) / 4, abs=1e-6)
        lengths = sorted(float(x[0, patch].norm()) for patch in range(1, 5))
        assert float(found.longest[layer]) == pytest.approx(lengths[3] / lengths[1], rel=1e-4)  # torch's median
        mask = torch.ones(5, 5, dtype=torch.bool)
        mask[1:, 0] = False  # patches do not see the class token, which sees itself
        hidden = block(hidden, mask)
    said = model.output(model.norm(hidden)[:, 0])
    assert float(found.moved[0]) == pytest.approx(1 - float(cosine_similarity(said, said_whole)), abs=1e-6)
    with forbidden(model, 2, since=0):
        assert float(found.moved[1]) == pytest.approx(
            1 - float(cosine_similarity(model(picture), said_whole)), abs=1e-6
        )
    assert found.moved.min() > 0


def test_bad_input(model):
    with pytest.raises(ValueError, match="at least three tokens, got 2"):
        resting(model, TOKENS[:, :2])
    with pytest.raises(ValueError, match="a piece for each of 7 tokens, got 2"):
        sink_runs(model, TOKENS, ["a", "b"])
    with pytest.raises(ValueError, match="model that attends, got Linear"), forbidden(nn.Linear(2, 2), 0, 1):
        pass
