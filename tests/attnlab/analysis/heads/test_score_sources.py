"""Scores split by source: in loops, exact for every score and every kind of position, refused where nothing sums."""

import pytest
import torch
from torch import nn

from attnlab import override, trained
from attnlab.analysis.heads.score_sources import over_mean_key, score_sources, weights_without
from attnlab.blocks import AttentionBlock, EncoderBlock, FeedForward, LayerNorm, no_norm
from attnlab.masks import causal
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import ALiBi, Learned, Rotary
from attnlab.specs.analysis.heads import score_sources as loops
from attnlab.trace import record
from attnlab.transformer import GPT, Embed, EncoderStack

DIM, HEADS, TOKENS = 12, 2, 7


def blocks(count=3, positions=None, block=AttentionBlock, norm=no_norm):
    feed_forward = (FeedForward(DIM, 5),) if block is EncoderBlock else ()
    return [block(MultiHeadAttention(DIM, HEADS, positions), *feed_forward, norm) for _ in range(count)]


def small(positions=None, inside=None, **changed):
    torch.manual_seed(0)
    embed = Embed(nn.Embedding(11, DIM), positions)
    model = GPT(embed, blocks(positions=inside, **changed), None, nn.Linear(DIM, 11), 13)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.4)
    return model.eval()


@pytest.fixture
def tokens():
    return torch.randint(11, (1, TOKENS), generator=torch.Generator().manual_seed(1))


def heads(map, h):
    """Weights and shift of one head's part of a map."""
    width = DIM // HEADS
    return map.weight.detach()[h * width : (h + 1) * width], map.bias.detach()[h * width : (h + 1) * width]


def test_in_loops(tokens):
    model = small(Learned(DIM, 13))
    with record(model) as trace:
        model(tokens)
    token, position = model.embed.tokens(tokens)[0], model.embed.positions.table[:TOKENS]
    earlier = [adds for i in range(2) for adds in trace.tensor(f"blocks.{i}.attention/adds")[0]]
    shift = sum(model.blocks[i].attention.output.bias for i in range(2)).expand(TOKENS, DIM)
    sources = [part.detach() for part in (token, position, *earlier, shift)]
    split = score_sources(model, tokens, 2)
    assert split.names == ["token", "position", "head 1.1", "head 1.2", "head 2.1", "head 2.2", "constant"]
    attention = model.blocks[2].attention
    for h in range(HEADS):
        expected = loops.score_parts(sources, *heads(attention.query, h), *heads(attention.key, h))
        torch.testing.assert_close(split.parts[h], expected, atol=1e-5, rtol=1e-5)
        cut = torch.zeros(7, 7, dtype=torch.bool)
        cut[0, 2] = cut[1, 6] = True
        for i in range(TOKENS):
            left = loops.without(split.scores[h], expected, [(0, 2), (1, 6)], i)
            torch.testing.assert_close(weights_without(split, cut)[h, i], left, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("layer", [0, 1, 2])
@pytest.mark.parametrize(
    ("outside", "inside"), [(Learned(DIM, 13), None), (None, Rotary(DIM // HEADS)), (None, ALiBi(HEADS))], ids=str
)
def test_the_parts_sum_to_the_score(tokens, layer, outside, inside):
    model = small(outside, inside)
    split = score_sources(model, tokens, layer)
    with record(model) as trace:
        model(tokens)
    found = trace[f"blocks.{layer}.attention"][0]
    torch.testing.assert_close(split.parts.sum((1, 2)), found.scores[0], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(split.weights, found.weights[0])
    assert torch.equal(split.allowed, causal(TOKENS))


def test_an_encoder_too(tokens):
    torch.manual_seed(0)
    model = EncoderStack(Embed(nn.Embedding(11, DIM), Learned(DIM, 13)), blocks(2)).eval()
    split = score_sources(model, tokens, 1)
    torch.testing.assert_close(split.parts.sum((1, 2)), split.scores, atol=1e-5, rtol=1e-5)
    assert split.allowed.all()


def test_over_the_mean_key_the_weights_are_the_same(tokens):
    split = score_sources(small(Learned(DIM, 13)), tokens, 2)
    lead = over_mean_key(split)
    again = lead.sum((1, 2)).masked_fill(~split.allowed, -torch.inf).softmax(-1)
    torch.testing.assert_close(again, split.weights, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(lead.sum(-1), torch.zeros_like(lead.sum(-1)), atol=1e-4, rtol=0)
    assert not lead[..., ~split.allowed].any()


def test_a_constant_of_the_keys_favours_none(tokens):
    lead = over_mean_key(score_sources(small(Learned(DIM, 13)), tokens, 2))
    assert lead[:, :, -1].abs().max() < 1e-4 < lead[:, :, :-1].abs().max()


# The model that is shipped


def asked(text):
    return torch.tensor([[trained.LETTERS.index(letter) for letter in text]])


def test_the_induction_head_looks_by_what_the_earlier_head_brought():
    """The present token is compared with the token before each key, which the earlier head brought there. Without that
    part weight and answer fall; without any other part of the score the answer stands."""
    model, ids, wanted = trained.induction().model, asked("mozart plays mozart pl"), 9  # the "a" after the first "pl"
    split = score_sources(model, ids, 1)
    assert split.names == ["token", "position", "head 1.1", "constant"]
    lead = over_mean_key(split)[0, :, :, -1, wanted]
    assert int(lead.argmax()) == 2  # token, head 1.1
    weight, chance = {}, {}
    for pair in [(a, b) for a in range(4) for b in range(4)]:
        cut = torch.zeros(4, 4, dtype=torch.bool)
        cut[pair] = True
        weights = weights_without(split, cut)
        with override(model, {"blocks.1.attention": weights[None]}), torch.no_grad():
            chances = model(ids)[0, -1].softmax(-1)
        weight[pair], chance[pair] = float(weights[0, -1, wanted]), float(chances[trained.LETTERS.index("a")])
    assert float(split.weights[0, -1, wanted]) > 0.7
    assert weight.pop((0, 2)) < 0.1
    assert chance.pop((0, 2)) < 0.1
    assert min(weight.values()) > 0.6
    assert min(chance.values()) > 0.95


# Bad input


def test_a_layer_that_is_not_there(tokens):
    with pytest.raises(ValueError, match="expected a layer below 3, got 3"):
        score_sources(small(), tokens, 3)


@pytest.mark.parametrize("changed", [{"norm": LayerNorm}, {"block": EncoderBlock}], ids=["norm", "feed-forward"])
def test_what_is_no_sum(tokens, changed):
    with pytest.raises(ValueError, match=r"a model of attention alone, .* the parts miss the score by"):
        score_sources(small(**changed), tokens, 2)


def test_a_query_without_a_key_favours_none(tokens):
    split = score_sources(small(), tokens, 1)
    split = split._replace(allowed=split.allowed.index_fill(0, torch.tensor([2]), False))
    assert not over_mean_key(split)[..., 2, :].any()


def test_scores_of_nothing_are_split_into_nothing(tokens):
    model = small()
    for parameter in model.blocks[1].attention.query.parameters():
        nn.init.zeros_(parameter)
    assert not score_sources(model, tokens, 1).parts.any()


def test_what_positions_add_to_a_score_stands_at_position_and_position(tokens):
    split = score_sources(small(inside=ALiBi(HEADS)), tokens, 0)
    torch.testing.assert_close(split.parts[:, 1, 1], ALiBi(HEADS).bias(TOKENS, TOKENS))
