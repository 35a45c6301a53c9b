from functools import partial
from math import erf, exp, pi, sqrt, tanh

import pytest
import torch
from shaken import shaken
from torch import nn
from torch.nn.functional import gelu, relu

from attnlab.blocks import (
    NORMS,
    RESIDUALS,
    AttentionBlock,
    BatchNorm,
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    GatedFeedForward,
    LayerNorm,
    NormedQueriesKeys,
    RMSNorm,
    UnitRMS,
    bare,
    into_stream,
    post_norm,
    pre_norm,
    squared_relu,
    start_at_zero,
    tanh_gelu,
)
from attnlab.masks import causal, padding
from attnlab.multihead import Cache, MultiHeadAttention
from attnlab.positions import POSITIONS, Rotary
from attnlab.specs import blocks as specs
from attnlab.training import fit, in_bfloat16

close = partial(torch.testing.assert_close, atol=1e-5, rtol=1e-5)
both_orders = pytest.mark.parametrize("norm_first", [False, True])


@pytest.fixture(autouse=True)
def seeded():
    """A test that is red is red again: in float32, gradients of some numbers differ by more than `close` allows."""
    torch.manual_seed(0)


def vectors(*shape):
    return 3 * torch.randn(*shape) + 1


# Feed-forward


ACTIVATIONS = {
    relu: lambda x: max(0.0, x),
    gelu: lambda x: x * (1 + erf(x / sqrt(2))) / 2,
    tanh_gelu: lambda x: x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2,
    squared_relu: lambda x: max(0.0, x) ** 2,
    nn.SiLU(): lambda x: x / (1 + exp(-x)),
}


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_feed_forward_loops(activation):
    module, x = FeedForward(5, 13, activation), vectors(3, 7, 5)
    weights = [parameter.detach() for parameter in module.parameters()]
    expected = [specs.feed_forward(vector, *weights, ACTIVATIONS[activation]) for vector in x.flatten(0, 1)]
    close(module(x).flatten(0, 1), torch.stack(expected))


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_gated_feed_forward_loops(activation):
    module, x = GatedFeedForward(5, 13, activation), vectors(3, 7, 5)
    weights = [linear.weight.detach() for linear in (module.gate, module.expand, module.contract)]
    expected = [specs.gated_feed_forward(vector, *weights, ACTIVATIONS[activation]) for vector in x.flatten(0, 1)]
    close(module(x).flatten(0, 1), torch.stack(expected))
    assert sum(parameter.numel() for parameter in module.parameters()) == 3 * 5 * 13, "no biases"


def test_the_printed_network_names_its_activation():
    assert "activation=squared_relu" in repr(FeedForward(5, 13, squared_relu))
    assert "SiLU" in repr(FeedForward(5, 13, nn.SiLU()))


def test_the_tanh_stays_near_the_exact_curve():
    x = torch.linspace(-10, 10, 10_001, dtype=torch.float64)
    assert 1e-4 < (tanh_gelu(x) - gelu(x)).abs().max() < 5e-4


# Norms


@pytest.mark.parametrize("epsilon", [1e-5, 0.3])
def test_norms_loop(epsilon):
    x = vectors(3, 7, 5)
    layer, rms, batch = (shaken(norm(5, epsilon)).train() for norm in (LayerNorm, RMSNorm, BatchNorm))
    rows = x.flatten(0, 1)
    close(layer(rows), torch.stack([specs.layer_norm(v, layer.gain, layer.shift, epsilon) for v in rows]))
    close(rms(rows), torch.stack([specs.rms_norm(v, rms.gain, epsilon) for v in rows]))
    close(UnitRMS(5, epsilon)(rows), torch.stack([specs.rms_norm(v, torch.ones(5), epsilon) for v in rows]))
    close(batch(x).flatten(0, 1), specs.batch_norm(rows, batch.gain, batch.shift, epsilon))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (LayerNorm, nn.LayerNorm),
        (RMSNorm, partial(nn.RMSNorm, eps=1e-6)),
        (UnitRMS, partial(nn.RMSNorm, eps=1e-6, elementwise_affine=False)),
        (BatchNorm, nn.BatchNorm1d),
    ],
)
def test_norms_are_torchs(ours, theirs):
    ours, theirs = shaken(ours(5)).train(), theirs(5)
    for own, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        other.data.copy_(own)
    for _ in range(3):  # running averages need several steps to go wrong
        x = vectors(21, 5).requires_grad_()
        y, direction = x.detach().clone().requires_grad_(), torch.randn(21, 5)
        close(ours(x), theirs(y))
        (ours(x) * direction).sum().backward()
        (theirs(y) * direction).sum().backward()
        close(x.grad, y.grad, atol=1e-4)
        for own, other in zip(ours.parameters(), theirs.parameters(), strict=True):
            close(own.grad, other.grad, atol=1e-4)
    close(ours.eval()(x), theirs.eval()(y))


@pytest.mark.parametrize("norm", [LayerNorm, UnitRMS, RMSNorm, BatchNorm])
def test_gradients_of_norms(norm):
    module = shaken(norm(5).double()).train()
    torch.autograd.gradcheck(module, torch.randn(2, 3, 5, dtype=torch.float64, requires_grad=True))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(LayerNorm, nn.LayerNorm), (RMSNorm, partial(nn.RMSNorm, eps=1e-6)), (BatchNorm, nn.BatchNorm1d)],
)
def test_norms_of_half_precision_are_torchs(ours, theirs, dtype):
    x = (300 * vectors(9, 6)).to(dtype)
    ours, theirs = ours(6).to(dtype), theirs(6).to(dtype)
    torch.testing.assert_close(ours(x), theirs(x), rtol=4e-2, atol=1e-2)
    torch.testing.assert_close(ours.eval()(x), theirs.eval()(x), rtol=4e-2, atol=1e-2)
    assert ours(x).dtype == dtype
    assert UnitRMS(6)(x).dtype == dtype


def test_a_batch_normed_where_maps_compute_in_bfloat16():
    model = nn.Sequential(nn.Linear(6, 6), BatchNorm(6))
    loss = in_bfloat16(lambda g: model(torch.randn(9, 6, generator=g)).square().mean(), torch.device("cpu"))
    list(fit(model, loss, 2))
    assert model[1].mean.any()
    assert model[1].mean.dtype == torch.float32


def test_a_vector_of_one_number_stays_finite():
    x = torch.full((2, 3, 5), 7.0, requires_grad=True)
    LayerNorm(5)(x).sum().backward()
    assert not LayerNorm(5)(x).any()
    assert x.grad.isfinite().all()
    assert UnitRMS(5)(torch.zeros(2, 5)).isfinite().all()


@pytest.mark.parametrize("name", NORMS)
def test_each_vector_is_normed_alone_but_by_the_batch(name):
    norm, x = shaken(NORMS[name](5)).train(), vectors(3, 7, 5)
    changed = x.clone()
    changed[1, 4] = vectors(5)
    differs = (norm(x) != norm(changed)).any(dim=-1)
    assert differs[1, 4]
    assert (differs.sum() == 1) == (name != "batch")


def test_a_batch_normed_while_training():
    norm, x = BatchNorm(5), vectors(3, 7, 5)
    padded = torch.cat([x, torch.zeros(3, 2, 5)], dim=1)
    assert not torch.allclose(norm(x), norm(padded)[:, :7], atol=0.1)  # padding counts
    assert torch.allclose(LayerNorm(5)(x), LayerNorm(5)(padded)[:, :7])
    close(norm(x[:1]).mean(dim=(0, 1)), torch.zeros(5))  # one sequence is compared with itself alone
    with pytest.raises(ValueError, match="at least 2 vectors while training, got 1"):
        norm(x[:1, :1])
    norm.eval()
    close(norm(x)[0, :1], norm(x[:1, :1])[0])


def test_names_of_norms_and_residuals():
    assert torch.equal(NORMS["none"](5)(torch.ones(2, 5)), torch.ones(2, 5))
    with pytest.raises(ValueError, match="none, layer, rms, unit_rms, batch; got 'layr'"):
        NORMS["layr"]
    with pytest.raises(ValueError, match="pre_norm, post_norm, bare; got 'norm'"):
        RESIDUALS["norm"]


def test_normed_queries_and_keys_bound_the_scores():
    codes = NormedQueriesKeys(Rotary(6), 6)
    query, key = (100 * torch.randn(2, 3, 7, 6) for _ in range(2))
    close(codes.rotate(query).square().mean(dim=-1), torch.ones(2, 3, 7))
    close(codes.rotate(query, 4), Rotary(6).rotate(UnitRMS(6)(query), 4))
    scores = codes.rotate(query) @ codes.rotate(key).mT / sqrt(6)
    assert scores.abs().max() <= sqrt(6) + 1e-4
    assert codes.bias(7, 7) is None
    alibi = POSITIONS["alibi"](6, 3, 7)
    assert torch.equal(NormedQueriesKeys(alibi, 2).bias(2, 7, 5), alibi.bias(2, 7, 5))
    learned = POSITIONS["learned"](6, 3, 7)
    x = torch.randn(2, 3, 6)
    assert torch.equal(NormedQueriesKeys(learned, 2)(x, 4), learned(x, 4))


# Residual connections


def test_where_the_norm_stands():
    def double(x):
        return 2 * x

    def plus_one(x):
        return x + 1

    x = torch.tensor([[3.0]])
    assert post_norm(x, double, plus_one).item() == 3 + 6 + 1
    assert pre_norm(x, double, plus_one).item() == 3 + 2 * 4
    assert bare(x, double, plus_one).item() == 2 * 4


# Blocks


def encoder_block(residual=pre_norm, activation=relu, **options):
    return EncoderBlock(MultiHeadAttention(10, 5), FeedForward(10, 13, activation), residual=residual, **options)


def decoder_block(residual=pre_norm, **options):
    attentions = MultiHeadAttention(10, 5), MultiHeadAttention(10, 5)
    return DecoderBlock(*attentions, FeedForward(10, 13), residual=residual, **options)


def packed(attention):
    """Our attention's parameters in the order of `nn.MultiheadAttention`."""
    maps = attention.query, attention.key, attention.value
    return [
        torch.cat([part.weight for part in maps]),
        torch.cat([part.bias for part in maps]),
        *attention.output.parameters(),
    ]


def copied(parameters, layer):
    for own, other in zip(parameters, layer.parameters(), strict=True):
        other.data.copy_(own)


@both_orders
@pytest.mark.parametrize("activation", [relu, gelu])
def test_an_encoder_block_is_torchs_layer(norm_first, activation):
    block = shaken(encoder_block(pre_norm if norm_first else post_norm, activation))
    layer = nn.TransformerEncoderLayer(10, 5, 13, 0.0, activation, batch_first=True, norm_first=norm_first)
    copied(
        [
            *packed(block.attention),
            *block.feed_forward.parameters(),
            *block.attention_norm.parameters(),
            *block.feed_forward_norm.parameters(),
        ],
        layer,
    )

    mask = causal(7) & padding(torch.tensor([5, 7, 1]), 7)
    x = vectors(3, 7, 10).requires_grad_()
    y = x.detach().clone().requires_grad_()
    got, expected = block(x, mask), layer(y, ~mask.repeat_interleave(5, dim=0))
    close(got, expected)
    direction = torch.randn_like(got)
    (got * direction).sum().backward()
    (expected * direction).sum().backward()
    close(x.grad, y.grad)
    close(block.attention.key.weight.grad, layer.self_attn.in_proj_weight.grad[10:20], atol=1e-4)
    close(block.feed_forward.expand.weight.grad, layer.linear1.weight.grad, atol=1e-4)
    close(block.attention_norm.gain.grad, layer.norm1.weight.grad, atol=1e-4)


@both_orders
def test_a_decoder_block_is_torchs_layer(norm_first):
    block = shaken(decoder_block(pre_norm if norm_first else post_norm))
    layer = nn.TransformerDecoderLayer(10, 5, 13, 0.0, batch_first=True, norm_first=norm_first)
    copied(
        [
            *packed(block.attention),
            *packed(block.cross_attention),
            *block.feed_forward.parameters(),
            *block.attention_norm.parameters(),
            *block.cross_attention_norm.parameters(),
            *block.feed_forward_norm.parameters(),
        ],
        layer,
    )

    x, memory = vectors(3, 5, 10).requires_grad_(), vectors(3, 7, 10).requires_grad_()
    y, source = (part.detach().clone().requires_grad_() for part in (x, memory))
    there = padding(torch.tensor([5, 7, 1]), 7)
    got = block(x, memory, causal(5), there)
    expected = layer(y, source, ~causal(5), memory_key_padding_mask=~there.squeeze(1))
    close(got, expected)
    direction = torch.randn_like(got)
    (got * direction).sum().backward()
    (expected * direction).sum().backward()
    close(x.grad, y.grad)
    close(memory.grad, source.grad)
    close(block.cross_attention.value.weight.grad, layer.multihead_attn.in_proj_weight.grad[20:], atol=1e-4)
    close(block.cross_attention_norm.shift.grad, layer.norm2.bias.grad, atol=1e-4)


def test_a_block_of_attention_alone():
    block, x = shaken(AttentionBlock(MultiHeadAttention(10, 5))), vectors(3, 7, 10)
    expected = x + block.attention(block.attention_norm(x), mask=causal(7))
    close(block(x, causal(7)), expected)


@pytest.mark.parametrize("name", RESIDUALS)
def test_dropout_takes_the_sublayers_away_and_not_the_stream(name):
    x = vectors(3, 7, 10)
    for block, call in [
        (encoder_block(RESIDUALS[name], dropout=1.0), lambda block: block(x)),
        (decoder_block(RESIDUALS[name], dropout=1.0), lambda block: block(x, x)),
    ]:
        left = {"pre_norm": x, "post_norm": LayerNorm(10)(x), "bare": torch.zeros_like(x)}[name]
        close(call(block), left, atol=1e-3)
        block.eval()
        assert not torch.allclose(call(block), left, atol=0.1)


@pytest.mark.parametrize("residual", RESIDUALS.values())
def test_blocks_with_caches_see_the_same(residual):
    encoder, decoder = (shaken(build(residual)) for build in (encoder_block, decoder_block))
    x, memory, there = vectors(3, 7, 10), vectors(3, 11, 10), padding(torch.tensor([5, 11, 1]), 11)
    cache, caches = Cache(), (Cache(), Cache())
    in_pieces, across = [], []
    for start, piece in [(0, x[:, :2]), (2, x[:, 2:3]), (3, x[:, 3:])]:
        mask = causal(piece.shape[1], start=start)
        in_pieces.append(encoder(piece, mask, cache))
        across.append(decoder(piece, memory, mask, there, caches))
    close(torch.cat(in_pieces, dim=1), encoder(x, causal(7)))
    close(torch.cat(across, dim=1), decoder(x, memory, causal(7), there))
    assert [cache.length, caches[0].length, caches[1].length] == [7, 7, 11]


def test_blocks_that_write_nothing_into_the_stream_are_the_identity():
    blocks, x = [shaken(encoder_block()), shaken(encoder_block())], vectors(3, 7, 10)
    assert [*map(id, into_stream(blocks))] == [
        id(last) for block in blocks for last in (block.attention.output, block.feed_forward.contract)
    ]
    start_at_zero(blocks[:1])
    assert torch.equal(blocks[0](x), x)
    assert not torch.allclose(blocks[1](x), x, atol=0.1)


def test_a_gated_feed_forward_network_starts_at_zero_without_biases():
    block, x = EncoderBlock(MultiHeadAttention(10, 5), GatedFeedForward(10, 13)), vectors(3, 7, 10)
    start_at_zero([block])
    assert torch.equal(block(x), x)


def test_what_writes_into_the_stream_must_be_known():
    block = EncoderBlock(MultiHeadAttention(10, 5), nn.Identity())
    with pytest.raises(ValueError, match="expected blocks with a FeedForward each, got a Identity"):
        into_stream([block])


def test_attention_is_the_only_meeting_place():
    block = encoder_block()
    x = vectors(1, 7, 10)
    alone = torch.eye(7, dtype=torch.bool)
    for mask, seen in [(alone, alone), (causal(7), causal(7)), (None, torch.ones(7, 7, dtype=torch.bool))]:
        jacobian = torch.autograd.functional.jacobian(lambda x, mask=mask: block(x, mask), x)
        assert torch.equal(jacobian.abs().amax(dim=(0, 2, 3, 5)) > 0, seen)


def test_the_printed_block_names_its_residual():
    assert "residual=post_norm" in repr(encoder_block(post_norm))


def test_on_every_device(device):
    for block in (
        encoder_block(),
        decoder_block(),
        EncoderBlock(
            MultiHeadAttention(10, 5, NormedQueriesKeys(Rotary(2), 2)), FeedForward(10, 13, squared_relu), BatchNorm
        ),
    ):
        x = vectors(3, 7, 10)
        inputs = (x, x[:, :5]) if isinstance(block, DecoderBlock) else (x,)
        expected = block(*inputs, causal(7))
        got = block.to(device)(*(part.to(device) for part in inputs), causal(7).to(device))
        assert got.device.type == device.type
        torch.testing.assert_close(got.cpu(), expected, atol=1e-4, rtol=1e-4)
