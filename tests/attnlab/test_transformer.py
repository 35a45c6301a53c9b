from copy import deepcopy
from functools import partial
from itertools import pairwise

import oracles_decoding as oracles
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from shaken import shaken
from torch import nn
from torch.nn.functional import gelu

from attnlab.attention import attend
from attnlab.blocks import (
    NORMS,
    AttentionBlock,
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    LayerNorm,
    UnitRMS,
    squared_relu,
)
from attnlab.decoding import beam, best, exact, greedy, select, tokens, translate
from attnlab.masks import causal, everything, padding
from attnlab.multihead import Cache, MultiHeadAttention
from attnlab.positions import POSITIONS, Learned, Sinusoidal, sinusoidal
from attnlab.seq2seq import teacher_forcing
from attnlab.specs import blocks as specs
from attnlab.trace import override, record
from attnlab.training import seeded
from attnlab.transformer import (
    GPT,
    DecoderStack,
    Embed,
    EncoderStack,
    MaskedEncoder,
    ScaledEmbedding,
    SoftCap,
    TextClassifier,
    TokenShift,
    Transformer,
    UniversalTransformer,
    gpt,
    masked_encoder,
    modern_gpt,
    shared_transformer,
    transformer,
    universal,
)

BOS, EOS = 1, 2
SOURCE, LENGTHS = torch.randint(3, 11, (3, 7)), torch.tensor([5, 7, 1])
TARGET = torch.tensor([[1, 4, 12, 5, 2], [1, 7, 2, 0, 0], [1, 3, 3, 2, 0]])
TEXT = torch.randint(0, 11, (3, 13))

close = partial(torch.testing.assert_close, atol=1e-5, rtol=1e-5)


def positioned(name):
    """A GPT of 2 blocks with one of the position codes."""
    positions = POSITIONS[name](12, 3, 17)
    blocks = [EncoderBlock(MultiHeadAttention(12, 3, positions), FeedForward(12, 29)) for _ in range(2)]
    return GPT(Embed(nn.Embedding(11, 12), positions), blocks, LayerNorm(12), nn.Linear(12, 11), 17)


def attention_only():
    positions = POSITIONS["rotary"](12, 3, 17)
    blocks = [AttentionBlock(MultiHeadAttention(12, 3, positions)) for _ in range(2)]
    return GPT(Embed(nn.Embedding(11, 12)), blocks, None, nn.Linear(12, 11), 17)


GPTS = {
    "gpt": lambda: gpt(11, 12, 3, 2, 17),
    "modern_gpt": lambda: modern_gpt(11, 12, 3, 2, 17),
    "attention_only": attention_only,
    **{name: partial(positioned, name) for name in POSITIONS},
}
TRANSLATORS = {
    "transformer": lambda: transformer(11, 13, 12, 3, 2),
    "shared_transformer": lambda: shared_transformer(13, 12, 3, 2),
    "universal": lambda: universal(11, 13, 12, 3, 3),
}
ENCODERS = {
    "masked_encoder": lambda: masked_encoder(11, 12, 3, 2, 17),
    "with_segments": lambda: masked_encoder(11, 12, 3, 2, 17, segments=5),
}

gpts = pytest.mark.parametrize("build", GPTS.values(), ids=GPTS)
translators = pytest.mark.parametrize("build", TRANSLATORS.values(), ids=TRANSLATORS)
encoders = pytest.mark.parametrize("build", ENCODERS.values(), ids=ENCODERS)


def placed(name):
    """An encoder-decoder that has the position code in every place: embeddings, self- and cross-attention."""
    positions = POSITIONS[name](12, 3, 17)

    def attention():
        return MultiHeadAttention(12, 3, positions)

    encoder = [EncoderBlock(attention(), FeedForward(12, 29))]
    decoder = [DecoderBlock(attention(), attention(), FeedForward(12, 29)) for _ in range(2)]
    tables = [nn.Embedding(size, 12) for size in (11, 13)]
    return Transformer(
        EncoderStack(Embed(tables[0], positions), encoder, LayerNorm(12)),
        DecoderStack(Embed(tables[1], positions), decoder, LayerNorm(12)),
        nn.Linear(12, 13),
    )


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("name", POSITIONS)
@torch.no_grad()
def test_decoding_with_caches_is_forward_with_every_position_code(name, width):
    """Also where the source is longer than the target: a query's place is the target's, not the source's length."""
    model = shaken(placed(name))
    expected, memory = model(SOURCE, LENGTHS, TARGET), model.encode(SOURCE, LENGTHS)
    state = model.start(memory)
    pieces = [model.output(model.decoder(piece, memory, state)) for piece in TARGET.split(width, dim=1)]
    close(torch.cat(pieces, dim=1), expected)
    state, steps = model.start(memory), []
    for previous in TARGET.unbind(dim=1):
        logits, state, _ = model.step(previous, state, memory)
        steps.append(logits)
    close(torch.stack(steps, dim=1), expected)


# Parts


def test_embeddings_are_a_sum():
    words, texts, places = nn.Embedding(11, 12), nn.Embedding(5, 12), Learned(12, 17)
    embed, segments = Embed(words, places, texts, UnitRMS(12)), torch.randint(0, 5, (3, 7))
    got = embed(SOURCE, 4, segments)
    for row in range(3):
        for token in range(7):
            total = words.weight[SOURCE[row, token]] + places.table[4 + token] + texts.weight[segments[row, token]]
            close(got[row, token], UnitRMS(12)(total))
    close(embed(SOURCE), embed(SOURCE, 0, torch.zeros_like(SOURCE)))
    close(Embed(words)(SOURCE), words.weight[SOURCE])
    assert not Embed(words, dropout=1.0)(SOURCE).any()


def test_bad_tokens():
    embed = Embed(nn.Embedding(11, 12), segments=nn.Embedding(2, 12))
    for wrong, message in [
        (torch.tensor([[3, 11]]), "from 0 to 10, got 11"),
        (torch.tensor([[-1, 5]]), "from 0 to 10, got -1"),
    ]:
        with pytest.raises(ValueError, match=f"token ids {message}"):
            embed(wrong)
    with pytest.raises(ValueError, match="segments from 0 to 1, got 2"):
        embed(torch.tensor([[3, 4]]), 0, torch.tensor([[0, 2]]))
    with pytest.raises(ValueError, match="expected no segments"):
        Embed(nn.Embedding(11, 12))(SOURCE, 0, SOURCE)
    assert embed(SOURCE[:, :0]).shape == (3, 0, 12)


def test_a_scaled_table_embeds_at_size_one():
    table = ScaledEmbedding(1009, 64)
    assert table.weight.std().item() == pytest.approx(1 / 8, rel=0.02)
    close(table(SOURCE), table.weight[SOURCE] * 8)


def test_token_shift_loops():
    x = torch.randn(3, 7, 5)
    shift = TokenShift(5, reach=3, share=0.7)
    assert [share.tolist() for share in shift.shares] == [pytest.approx([share] * 5) for share in (0.7, 0, 0)]
    for share in shift.shares:
        nn.init.normal_(share)
    expected = torch.stack([specs.token_shift(row, list(shift.shares)) for row in x])
    close(shift(x), expected)
    cache = Cache()
    pieces = [shift(piece, None, cache) for piece in (x[:, :1], x[:, 1:3], x[:, 3:3], x[:, 3:])]
    close(torch.cat(pieces, dim=1), expected)
    assert cache.length == 7


def test_a_soft_cap():
    x = torch.tensor([-1e4, -15, -0.1, 0, 0.1, 15, 1e4])
    close(SoftCap(15)(x), torch.tensor([-15, -11.42391, -0.1, 0, 0.1, 11.42391, 15]), atol=1e-4)


# GPT


@gpts
@torch.no_grad()
def test_the_future_is_invisible(build):
    model = shaken(build())
    logits = model(TEXT)
    for place in (1, 6, 12):
        changed = TEXT.clone()
        changed[:, place:] = (changed[:, place:] + 1) % 11
        after = model(changed)
        close(after[:, :place], logits[:, :place])
        assert not torch.allclose(after[:, place], logits[:, place], atol=1e-3)


@gpts
@settings(deadline=None, max_examples=5)
@given(cuts=st.lists(st.integers(0, 13), max_size=5))
@torch.no_grad()
def test_a_cache_changes_nothing(build, cuts):
    model = shaken(build())
    caches, pieces = model.caches(), []
    for start, end in pairwise([0, *sorted(cuts), 13]):
        pieces.append(model(TEXT[:, start:end], caches))
    close(torch.cat(pieces, dim=1), model(TEXT), atol=1e-4)
    assert [cache.length for cache in caches] == [13] * len(model.blocks)


@gpts
@torch.no_grad()
def test_token_by_token(build):
    model = shaken(build())
    caches = model.caches()
    close(torch.cat([model(token, caches) for token in TEXT.split(1, dim=1)], dim=1), model(TEXT), atol=1e-4)


@torch.no_grad()
def test_caches_in_another_order():
    model, rows = shaken(modern_gpt(11, 12, 3, 2, 17)), torch.tensor([2, 0, 0])
    caches = model.caches()
    model(TEXT[:, :6], caches)
    close(model(TEXT[rows][:, 6:], select(caches, rows)), model(TEXT[rows])[:, 6:], atol=1e-4)


@torch.no_grad()
def test_a_gpt_is_a_composition():
    model = shaken(gpt(11, 12, 3, 2, 17))
    x, mask = model.embed.tokens.weight[TEXT] + model.embed.positions.table[:13], torch.ones(13, 13).tril().bool()
    for block in model.blocks:
        y, attention = block.attention_norm(x), block.attention
        heads = [attention.split(part(y)) for part in (attention.query, attention.key, attention.value)]
        x = x + attention.output(attention.merge(attend(*heads, mask=mask).context))
        maps = block.feed_forward
        x = x + maps.contract(gelu(maps.expand(block.feed_forward_norm(x))))
    close(model(TEXT), model.norm(x) @ model.embed.tokens.weight.T)


@torch.no_grad()
def test_a_modern_gpt_is_a_composition():
    model = shaken(modern_gpt(11, 12, 3, 2, 17))
    norm, mask = UnitRMS(12), torch.ones(13, 13).tril().bool()
    x = norm(model.embed.tokens.weight[TEXT])
    x = x + sum(
        share * torch.cat([torch.zeros(3, back, 12), x[:, :-back]], dim=1)
        for back, share in enumerate(model.blocks[0].shares, 1)
    )
    rotate, of_head = POSITIONS["rotary"](12, 3, 17).rotate, UnitRMS(4)
    for block in model.blocks[1:]:
        y, attention = norm(x), block.attention
        query, key, value = (attention.split(part(y)) for part in (attention.query, attention.key, attention.value))
        found = attend(rotate(of_head(query)), rotate(of_head(key)), value, mask=mask).context
        x = x + attention.output(attention.merge(found))
        maps = block.feed_forward
        x = x + maps.contract(squared_relu(maps.expand(norm(x))))
    logits = norm(x) @ model.output[0].weight.T
    close(model(TEXT), 15 * torch.tanh(logits / 15))


def test_how_gpts_start():
    plain, modern = gpt(101, 64, 4, 8, 17), modern_gpt(101, 64, 4, 2, 17)
    block = plain.blocks[3]
    for weight, deviation in [
        (plain.embed.tokens.weight, 0.02),
        (plain.embed.positions.table, 0.02),
        (block.attention.query.weight, 0.02),
        (block.feed_forward.expand.weight, 0.02),
        (block.attention.output.weight, 0.005),
        (block.feed_forward.contract.weight, 0.005),
    ]:
        assert weight.std().item() == pytest.approx(deviation, rel=0.1)
    assert plain.output.weight is plain.embed.tokens.weight
    assert not modern(TEXT).any()
    x = torch.randn(3, 7, 64)
    assert torch.equal(modern.blocks[1](x), x)


def test_too_long_a_text():
    with pytest.raises(ValueError, match="at most 17 tokens"):
        gpt(11, 12, 3, 2, 17)(torch.zeros(1, 18, dtype=torch.long))
    assert modern_gpt(11, 12, 3, 2, 17)(torch.zeros(1, 18, dtype=torch.long)).shape == (1, 18, 11)


# Encoder-decoder


@translators
@torch.no_grad()
def test_the_targets_future_is_invisible(build):
    model = shaken(build(), 0.1)
    logits = model(SOURCE, LENGTHS, TARGET)
    for place in (1, 4):
        changed = TARGET.clone()
        changed[:, place:] = (changed[:, place:] + 1) % 13
        after = model(SOURCE, LENGTHS, changed)
        close(after[:, :place], logits[:, :place])
        assert not torch.allclose(after[:, place], logits[:, place], atol=1e-3)


@translators
@torch.no_grad()
def test_padding_is_invisible(build):
    model = shaken(build(), 0.1)
    together = model(SOURCE, LENGTHS, TARGET)
    for row, length in enumerate(LENGTHS.tolist()):
        alone = model(SOURCE[row : row + 1, :length], LENGTHS[row : row + 1], TARGET[row : row + 1])
        close(together[row], alone[0])
    other = SOURCE.where(padding(LENGTHS, 7).squeeze(1), 3 + (SOURCE + 1) % 7)
    close(model(other, LENGTHS, TARGET), together)
    other[0, 4] = 3 + (SOURCE[0, 4] + 1) % 7
    assert not torch.allclose(model(other, LENGTHS, TARGET)[0], together[0], atol=1e-4)


@translators
@torch.no_grad()
def test_teacher_forcing_is_a_loop_over_steps(build):
    model = shaken(build(), 0.1)
    memory = model.encode(SOURCE, LENGTHS)
    assert memory.keys.shape == (3, 7, 12)
    assert torch.equal(memory.mask.sum(1), LENGTHS)
    state, logits = model.start(memory), model(SOURCE, LENGTHS, TARGET)
    for place in range(5):
        step_logits, after, attention = model.step(TARGET[:, place], state, memory)
        close(step_logits, logits[:, place])
        assert attention.weights.shape == attention.scores.shape == (3, 1, 7)
        assert attention.context.shape == (3, 1, 12)
        close(attention.weights.sum(-1), torch.ones(3, 1))
        assert not attention.weights[~memory.mask.unsqueeze(1)].any()
        again, _, _ = model.step(TARGET[:, place], state, memory)
        close(again, step_logits)  # the state before is as it was
        state = after


@translators
@torch.no_grad()
def test_two_ways_to_go_on_from_one_state(build):
    model = shaken(build(), 0.1)
    memory = model.encode(SOURCE, LENGTHS)
    _, state, _ = model.step(TARGET[:, 0], model.start(memory), memory)
    _, one, _ = model.step(TARGET[:, 1], state, memory)
    expected, _, _ = model.step(TARGET[:, 2], one, memory)
    model.step((TARGET[:, 1] + 1) % 13, state, memory)
    close(model.step(TARGET[:, 2], one, memory)[0], expected)


@torch.no_grad()
def test_states_in_another_order():
    model, rows = shaken(transformer(11, 13, 12, 3, 2), 0.1), torch.tensor([2, 0, 0, 1])
    memory = model.encode(SOURCE, LENGTHS)
    state = model.start(memory)
    for place in range(2):
        _, state, _ = model.step(TARGET[:, place], state, memory)
    state, memory = select(state, rows), select(memory, rows)
    logits, _, _ = model.step(TARGET[rows, 2], state, memory)
    close(logits, model(SOURCE[rows], LENGTHS[rows], TARGET[rows])[:, 2])


@translators
@pytest.mark.parametrize("seed", range(3))
def test_decoding(build, seed):
    torch.manual_seed(seed)
    model, source = shaken(build(), 0.3), SOURCE[1, :5]
    assert [step.token for step in greedy(model, source, BOS, EOS, 9)] == oracles.greedy(model, source, BOS, EOS, 9)
    steps = list(beam(model, source, BOS, EOS, 3, 5, 0.7))
    assert tokens(steps, best(steps)) == oracles.beam(model, source, BOS, EOS, 3, 5, 0.7)
    together = translate(model, SOURCE, LENGTHS, BOS, EOS, 6)
    for row, length, got in zip(SOURCE, LENGTHS.tolist(), together.tolist(), strict=True):
        alone = [step.token for step in greedy(model, row[:length], BOS, EOS, 6)]
        assert got == alone + [EOS] * (together.shape[1] - len(alone))
    ended = (together == EOS).cumsum(1) - (together == EOS).long() > 0
    target = torch.cat([torch.full((3, 1), BOS), together.masked_fill(ended, 0)], dim=1)
    assert exact(model, SOURCE, LENGTHS, target).all()
    target[1, 1] = 4 if target[1, 1] == 3 else 3
    assert exact(model, SOURCE, LENGTHS, target).tolist() == [True, False, True]
    assert teacher_forcing(model, SOURCE, LENGTHS, TARGET).isfinite()


@torch.no_grad()
def test_given_weights_replace_those_of_every_head_and_block():
    model = shaken(transformer(11, 13, 12, 3, 2), 0.1)
    memory, weights = model.encode(SOURCE, LENGTHS), torch.rand(3, 1, 7)
    with record(model) as trace:
        logits, _, attention = model.step(TARGET[:, 0], model.start(memory), memory, weights)
    for block in range(2):
        heard = trace[f"decoder.blocks.{block}.cross_attention"][0]
        close(heard.weights, weights.unsqueeze(1).expand(3, 3, 1, 7))
    close(attention.weights, weights)
    assert not torch.allclose(logits, model.step(TARGET[:, 0], model.start(memory), memory)[0], atol=1e-4)
    close(logits, model.step(TARGET[:, 0], model.start(memory), memory, weights)[0])
    assert all(block.cross_attention.given is None for block in model.decoder.blocks)
    assert not any(block.cross_attention.listeners for block in model.decoder.blocks)


@torch.no_grad()
def test_own_weights_given_back_change_nothing():
    model = shaken(transformer(11, 13, 12, 1, 1), 0.1)
    memory = model.encode(SOURCE, LENGTHS)
    logits, _, attention = model.step(TARGET[:, 0], model.start(memory), memory)
    again, _, given = model.step(TARGET[:, 0], model.start(memory), memory, attention.weights)
    close(again, logits)
    close(given.scores, attention.scores)
    mask = memory.mask.unsqueeze(1)
    close(attention.weights, attention.scores.masked_fill(~mask, -torch.inf).softmax(-1))


@torch.no_grad()
def test_the_attention_of_a_step_is_the_mean_of_the_last_blocks_heads():
    model = shaken(transformer(11, 13, 12, 3, 2), 0.1)
    memory = model.encode(SOURCE, LENGTHS)
    with record(model) as trace:
        _, _, attention = model.step(TARGET[:, 0], model.start(memory), memory)
    assert trace.names == [
        "decoder.blocks.0.attention",
        "decoder.blocks.0.cross_attention",
        "decoder.blocks.1.attention",
        "decoder.blocks.1.cross_attention",
    ]
    heard = trace["decoder.blocks.1.cross_attention"][0]
    close(attention.weights, sum(heard.weights[:, head] for head in range(3)) / 3)
    close(attention.scores, sum(heard.scores[:, head] for head in range(3)) / 3)
    close(attention.context[:, 0], torch.cat([heard.context[:, head, 0] for head in range(3)], dim=-1))


def test_one_table_for_two_languages():
    model = shared_transformer(13, 12, 3, 2)
    assert model.encoder.embed.tokens is model.decoder.embed.tokens
    assert model.output.weight is model.encoder.embed.tokens.weight
    apart = transformer(13, 13, 12, 3, 2)
    assert apart.encoder.embed.tokens is not apart.decoder.embed.tokens
    assert count(apart) - count(model) == 13 * 12


@torch.no_grad()
def test_the_papers_embeddings():
    model = transformer(11, 13, 12, 3, 2)
    embed = model.encoder.embed
    close(embed(SOURCE), embed.tokens.weight[SOURCE] * 12**0.5 + sinusoidal(7, 12))
    assert isinstance(embed.positions, Sinusoidal)
    dropped = transformer(11, 13, 12, 3, 2, dropout=1.0)
    assert not dropped.encoder.embed(SOURCE).any()
    assert dropped.decoder.blocks[1].dropout.p == 1.0


@pytest.mark.parametrize("lengths", [[0, 7, 1], [5, 8, 1]])
def test_lengths_that_do_not_fit(lengths):
    with pytest.raises(ValueError, match=rf"lengths from 1 to 7, got \[{lengths[0]}, {lengths[1]}"):
        transformer(11, 13, 12, 3, 2).encode(SOURCE, torch.tensor(lengths))


# Universal


@pytest.mark.parametrize("depth", [1, 2, 5])
@torch.no_grad()
def test_depth_is_the_same_block_again(depth):
    model = shaken(universal(11, 13, 12, 3, 3), 0.1)
    blocks = [[deepcopy(stack.blocks[0]) for _ in range(depth)] for stack in (model.encoder, model.decoder)]
    deep = Transformer(
        EncoderStack(model.encoder.embed, blocks[0]), DecoderStack(model.decoder.embed, blocks[1]), model.output
    )
    expected = deep(SOURCE, LENGTHS, TARGET)
    close(model(SOURCE, LENGTHS, TARGET, depth), expected)
    close(model.at(depth)(SOURCE, LENGTHS, TARGET), expected)
    assert isinstance(model.at(depth), UniversalTransformer)
    assert count(model.at(depth)) == count(model)
    assert {*model.at(depth).parameters()} == {*model.parameters()}


def test_a_universal_transformer_repeats_one_block():
    model = transformer(11, 13, 12, 3, layers=2)
    with pytest.raises(ValueError, match="expected one block of an encoder to repeat, got 2"):
        UniversalTransformer(model.encoder, model.decoder, model.output, 3)


def test_no_caches_are_not_caches_for_every_block():
    with pytest.raises(ValueError, match="expected caches for 2 blocks, got 0"):
        gpt(11, 12, 3, 2, 9)(torch.tensor([[1, 2]]), [])


def test_depth_of_the_constructor():
    model = shaken(universal(11, 13, 12, 3, 3), 0.1)
    close(model(SOURCE, LENGTHS, TARGET), model(SOURCE, LENGTHS, TARGET, 3))
    assert not torch.allclose(model(SOURCE, LENGTHS, TARGET), model(SOURCE, LENGTHS, TARGET, 2), atol=1e-4)
    assert not model.at(2).training
    assert model.train().at(2).training
    with pytest.raises(ValueError, match="depth to be a whole number of at least 1, got 0"):
        model(SOURCE, LENGTHS, TARGET, 0)


# Masked encoder


@encoders
@torch.no_grad()
def test_padding_is_invisible_to_an_encoder(build):
    model = shaken(build())
    together = model(SOURCE, padding(LENGTHS, 7))
    for row, length in enumerate(LENGTHS.tolist()):
        close(together[row, :length], model(SOURCE[row : row + 1, :length])[0])
    assert not torch.allclose(model(SOURCE)[0], together[0], atol=1e-3)


@settings(deadline=None, max_examples=10)
@given(order=st.permutations(range(7)))
@torch.no_grad()
def test_an_encoder_without_positions_does_not_know_the_order(order):
    blocks = [EncoderBlock(MultiHeadAttention(12, 3), FeedForward(12, 29)) for _ in range(2)]
    model = shaken(MaskedEncoder(EncoderStack(Embed(nn.Embedding(11, 12)), blocks), nn.Linear(12, 11)))
    close(model(SOURCE[:, order]), model(SOURCE)[:, order])


@torch.no_grad()
def test_an_encoder_with_positions_does():
    model, order = shaken(masked_encoder(11, 12, 3, 2, 17)), [6, 0, 1, 2, 3, 4, 5]
    assert not torch.allclose(model(SOURCE[:, order]), model(SOURCE)[:, order], atol=1e-3)


@torch.no_grad()
def test_segments_are_seen():
    model = shaken(masked_encoder(11, 12, 3, 2, 17, segments=5))
    close(model(SOURCE), model(SOURCE, None, torch.zeros_like(SOURCE)))
    assert not torch.allclose(model(SOURCE), model(SOURCE, None, torch.ones_like(SOURCE)), atol=1e-3)
    with pytest.raises(ValueError, match="expected no segments"):
        masked_encoder(11, 12, 3, 2, 17)(SOURCE, None, SOURCE)


@torch.no_grad()
def test_bert_is_a_composition():
    model = shaken(masked_encoder(11, 12, 3, 2, 17))
    encoder, output = model.encoder, model.output
    x = encoder.embed.norm(encoder.embed.tokens.weight[SOURCE] + encoder.embed.positions.table[:7])
    for block in encoder.blocks:
        x = block.attention_norm(x + block.attention(x))
        maps = block.feed_forward
        x = block.feed_forward_norm(x + maps.contract(gelu(maps.expand(x))))
    close(encoder(SOURCE), x)
    expected = output.norm(gelu(output.transform(x))) @ encoder.embed.tokens.weight.T + output.output.bias
    close(model(SOURCE), expected)
    assert "activation=gelu" in repr(model)


# All


def count(model):
    return sum(parameter.numel() for parameter in model.parameters())


def test_parameter_counts():
    block = 12 * 12 * 12 + 13 * 12  # 4 maps of attention, 2 of the feed-forward, with their biases and 2 norms
    cross = block + 4 * (12 * 12 + 12) + 2 * 12
    assert count(gpt(11, 12, 3, 2, 17)) == (11 + 17) * 12 + 2 * block + 2 * 12
    assert count(modern_gpt(11, 12, 3, 2, 17)) == (2 * 11 + 3) * 12 + 2 * (block - 4 * 12)
    assert count(transformer(11, 13, 12, 3, 2)) == (11 + 13) * 12 + 2 * (block + cross)
    assert count(universal(11, 13, 12, 3, 5)) == (11 + 13) * 12 + block + cross
    output = 12 * 12 + 12 + 2 * 12 + 11
    assert count(masked_encoder(11, 12, 3, 2, 17, 5)) == (11 + 17 + 5) * 12 + 2 * 12 + 2 * block + output


def test_parameter_counts_of_known_models():
    with torch.device("meta"):
        assert count(gpt(50257, 768, 12, 12, 1024)) == 124_439_808
        assert count(masked_encoder(30522, 768, 12, 12, 512, 2)) == 109_514_298


CALLS = {
    **{name: (build, lambda model: model(TEXT)) for name, build in GPTS.items()},
    **{name: (build, lambda model: model(SOURCE, LENGTHS, TARGET)) for name, build in TRANSLATORS.items()},
    **{name: (build, lambda model: model(SOURCE)) for name, build in ENCODERS.items()},
}
calls = pytest.mark.parametrize(("build", "call"), CALLS.values(), ids=CALLS)


@calls
def test_every_parameter_learns(build, call):
    model = shaken(build(), 0.1).train()
    logits = call(model)
    nn.functional.cross_entropy(
        logits.flatten(0, 1), torch.randint(0, 11, (logits.shape[0] * logits.shape[1],))
    ).backward()
    for name, parameter in model.named_parameters():
        # A softmax does not see what is added to all its scores, as the bias of the keys does without positions.
        if not name.endswith("attention.key.bias"):
            assert parameter.grad is not None, name
            assert parameter.grad.abs().max() > 1e-7, name


@calls
@torch.no_grad()
def test_in_double_precision(build, call):
    model = shaken(build(), 0.1)
    single = call(model)
    double = call(model.double())
    assert double.dtype == torch.float64
    close(double.float(), single, atol=1e-4, rtol=1e-4)


@calls
@torch.no_grad()
def test_watching_changes_nothing(build, call):
    model = shaken(build(), 0.1)
    unseen = call(model)
    with record(model) as trace:
        close(call(model), unseen, atol=1e-4)
    assert trace.names


@torch.no_grad()
def test_on_every_device(device):
    models = [
        (modern_gpt(11, 12, 3, 2, 17), (TEXT,)),
        (positioned("relative"), (TEXT,)),
        (masked_encoder(11, 12, 3, 2, 17, 5), (SOURCE, padding(LENGTHS, 7), SOURCE % 5)),
        (transformer(11, 13, 12, 3, 2), (SOURCE, LENGTHS, TARGET)),
    ]
    for model, inputs in models:
        expected = shaken(model, 0.1)(*inputs)
        got = model.to(device)(*(part.to(device) for part in inputs))
        assert got.device.type == device.type
        close(got.cpu(), expected, atol=1e-4, rtol=1e-4)
    source, lengths = SOURCE.to(device), LENGTHS.to(device)
    moved = translate(model, source, lengths, BOS, EOS, 6)
    assert torch.equal(moved.cpu(), translate(model.cpu(), SOURCE, LENGTHS, BOS, EOS, 6))


@pytest.mark.parametrize("norm", NORMS)
def test_any_norm_fits(norm):
    blocks = [EncoderBlock(MultiHeadAttention(12, 3), FeedForward(12, 29), NORMS[norm])]
    model = EncoderStack(Embed(nn.Embedding(11, 12)), blocks, NORMS[norm](12))
    assert model(SOURCE).shape == (3, 7, 12)


def test_a_gpt_learns():
    """A text of one rule: after t comes t + 1."""
    torch.manual_seed(0)
    text = (torch.arange(13) + torch.arange(11).unsqueeze(-1)) % 11
    for model in (gpt(11, 12, 3, 1, 17), modern_gpt(11, 12, 3, 1, 17)):
        optimiser = torch.optim.Adam(model.parameters(), 0.02)
        for _ in range(60):
            loss = nn.functional.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        assert loss < 0.1
        assert torch.equal(model(text[:, :-1]).argmax(-1), text[:, 1:])


def classified(may_attend=everything, seed=0):
    model = shaken(masked_encoder(11, 12, 3, 2, 17))
    with seeded(seed):
        return TextClassifier(model.encoder, nn.Linear(12, 3), may_attend).eval()


def test_a_classifier_takes_the_mean_of_each_text_alone():
    model = classified()
    tokens, lengths = (
        torch.tensor([[4, 5, 6, 7, 0, 0], [9, 3, 0, 0, 0, 0], [8, 7, 6, 5, 4, 3]]),
        torch.tensor([4, 2, 6]),
    )
    found = model(tokens, lengths)
    for row, length, logits in zip(tokens, lengths.tolist(), found, strict=True):
        torch.testing.assert_close(logits, model.output(model.encoder(row[None, :length]).mean(1))[0])
    changed = tokens.clone()
    changed[0, 4:], changed[1, 2:] = 10, 2
    torch.testing.assert_close(model(changed, lengths), found)


def test_a_causal_classifier_reads_as_a_left_to_right_model():
    model, tokens = classified(causal), torch.tensor([[4, 5, 6, 7, 0], [9, 3, 8, 2, 1]])
    states = [model.encoder(row[None, :length], causal(length)) for row, length in zip(tokens, (4, 5), strict=True)]
    expected = torch.cat([model.output(x.mean(1)) for x in states])
    torch.testing.assert_close(model(tokens, torch.tensor([4, 5])), expected)
    assert not torch.allclose(classified()(tokens, torch.tensor([4, 5])), expected, atol=1e-3)


def test_a_classifier_of_other_numbers():
    tokens, lengths = torch.tensor([[4, 5, 6, 7, 0], [9, 3, 8, 2, 1]]), torch.tensor([4, 5])
    model = classified()
    expected = model(tokens, lengths).double()  # before the model is made double, in place
    torch.testing.assert_close(model.double()(tokens, lengths), expected, atol=1e-5, rtol=0)


def test_a_classifier_tells_wrong_lengths():
    with pytest.raises(ValueError, match="lengths"):
        classified()(torch.zeros(2, 5, dtype=torch.long), torch.tensor([0, 5]))


def test_the_shares_that_a_token_shift_begins_with():
    assert [share.tolist() for share in TokenShift(2).shares] == [pytest.approx([0.6, 0.6]), [0, 0], [0, 0]]


@torch.no_grad()
def test_a_step_inside_override_uses_the_weights_given_there_and_leaves_them():
    model, given = transformer(11, 7, 12, 3, 2).eval(), torch.tensor([0.2, 0.5, 0.3])
    memory = model.encode(torch.tensor([[3, 9, 4]]), torch.tensor([3]))
    with override(model, {"decoder.blocks.1.cross_attention": given}):
        for _ in range(2):
            _, _, seen = model.step(torch.tensor([1]), model.start(memory), memory)
            torch.testing.assert_close(seen.weights, given.view(1, 1, 3))


def test_how_bert_starts():
    with seeded(0):
        model = masked_encoder(64, 64, 4, 2, longest=64, segments=2)
    embed, block = model.encoder.embed, model.encoder.blocks[0]
    maps = block.attention.query.weight, block.feed_forward.expand.weight
    for table in (embed.tokens.weight, embed.positions.table, *maps):
        assert table.std().item() == pytest.approx(0.02, rel=0.1)
    assert not any(module.bias.any() for module in model.modules() if isinstance(module, nn.Linear))


def test_numbers_are_dropped_out_of_normed_embeddings():
    embed = Embed(nn.Embedding(11, 12), norm=UnitRMS(12), dropout=0.5)
    dropped, whole = embed(SOURCE), embed.eval()(SOURCE)
    close(dropped, torch.where(dropped != 0, 2 * whole, 0))
    assert dropped.any()


@torch.no_grad()
def test_a_universal_transformer_keeps_the_norms_behind_its_blocks():
    plain = transformer(11, 13, 12, 3, 1)
    stacks = plain.encoder, plain.decoder
    for stack in stacks:
        stack.norm = nn.LayerNorm(12)
        nn.init.normal_(stack.norm.weight)
    lengths, target = torch.tensor([7, 4, 2]), torch.randint(3, 13, (3, 5))
    close(UniversalTransformer(*stacks, plain.output, 1)(SOURCE, lengths, target), plain(SOURCE, lengths, target))
