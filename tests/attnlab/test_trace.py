import pytest
import torch
from torch import nn
from torch.nn.functional import relu

from attnlab.alignment import SCORES, Additive
from attnlab.attention import attend, masked_softmax
from attnlab.blocks import RESIDUALS, AttentionBlock, EncoderBlock, FeedForward, NormedQueriesKeys
from attnlab.masks import causal, padding
from attnlab.multihead import Cache, MultiHeadAttention
from attnlab.positions import POSITIONS, Rotary
from attnlab.seq2seq import CELLS, AttentionSeq2Seq, FixedContext, LuongSeq2Seq
from attnlab.trace import naming_nan, override, record, record_weights
from attnlab.transformer import GPT, Embed, masked_encoder, modern_gpt, shared_transformer, tied, universal

SOURCE, LENGTHS, TARGET = torch.randint(3, 11, (2, 7)), torch.tensor([7, 5]), torch.randint(3, 13, (2, 3))


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = (Looking() for _ in range(2))

    def forward(self, x):
        return self.second(self.first(x).context).context


class Looking(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = Additive(5, 5, 3)

    def forward(self, x):
        return attend(x, x, x, self.score)


def test_every_module_by_its_name():
    model, x = Twice(), torch.randn(2, 3, 5)
    with record(model) as trace:
        model(x)
        model(x)
    assert trace.names == ["first", "second"]
    first = attend(x, x, x, model.first.score)
    second = attend(first.context, first.context, first.context, model.second.score)
    for name, expected in [("first", first), ("second", second)]:
        assert len(trace[name]) == 2
        for got, wanted in zip(trace[name][1], expected, strict=True):
            torch.testing.assert_close(got, wanted, atol=1e-5, rtol=0)
            assert not got.requires_grad


def test_a_decoder_attends_once_a_step():
    model = AttentionSeq2Seq(11, 13, hidden=5, embedding=3)
    with record(model) as trace:
        model(SOURCE, LENGTHS, TARGET)
    heard = trace["decoder.attention"]
    assert len(heard) == 3
    memory = model.encode(SOURCE, LENGTHS)
    state = model.start(memory)
    for previous, got in zip(TARGET.unbind(1), heard, strict=True):
        score, query = model.decoder.attention.score, state.hidden[:, None]
        expected = attend(query, memory.keys, memory.keys, score, memory.mask[:, None])
        for a, b in zip(got, expected, strict=True):
            torch.testing.assert_close(a, b, atol=1e-5, rtol=0)
        _, state, _ = model.step(previous, state, memory)
    assert repr(trace) == "Trace('decoder.attention': 3 calls)"


def test_nothing_stays_behind():
    model = AttentionSeq2Seq(11, 13, hidden=5, embedding=3)
    with record(model) as trace:
        model(SOURCE, LENGTHS, TARGET)
    with pytest.raises(RuntimeError), record(model):
        raise RuntimeError
    model(SOURCE, LENGTHS, TARGET)
    assert len(trace["decoder.attention"]) == 3
    assert not any(module._forward_hooks for module in model.modules())


def test_gradients_still_flow_while_recording():
    model = AttentionSeq2Seq(11, 13, hidden=5, embedding=3)
    with record(model):
        model(SOURCE, LENGTHS, TARGET).sum().backward()
    assert model.decoder.attention.score.combine.weight.grad.any()


def test_two_recordings_at_once():
    model = Twice()
    with record(model) as outer:
        with record(model.second) as inner:
            model(torch.randn(3, 5))
        model(torch.randn(3, 5))
    assert len(outer["second"]) == 2
    assert len(inner[""]) == 1


def test_a_name_that_did_not_attend():
    model = FixedContext(11, 13, hidden=5, embedding=3)
    with record(model) as trace:
        model(SOURCE, LENGTHS, TARGET)
    assert trace.names == []
    with pytest.raises(ValueError, match=r"'decoder' attended while recording; expected one of \[\]"):
        trace["decoder"]


# Many heads


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = MultiHeadAttention(15, 3)

    def forward(self, x):
        return x + self.attention(x, mask=causal(x.shape[1]))


def blocks():
    return nn.Sequential(Block(), Block())


def heads(module):
    return [attention for attention in module.modules() if isinstance(attention, MultiHeadAttention)]


def test_every_head_by_its_modules_name():
    model, x = blocks(), torch.randn(2, 7, 15)
    unseen = model(x)
    with record(model) as trace:
        seen = model(x)
    assert trace.names == ["0.attention", "1.attention"]
    torch.testing.assert_close(seen, unseen, atol=1e-5, rtol=0)
    first, inner = trace["0.attention"][0], model[0].attention
    query, key, value = (inner.split(map_(x)) for map_ in (inner.query, inner.key, inner.value))
    for got, expected in zip(first, attend(query, key, value, mask=causal(7)), strict=True):
        torch.testing.assert_close(got, expected, atol=1e-5, rtol=0)
        assert not got.requires_grad
    assert first.weights.shape == (2, 3, 7, 7)


def test_many_heads_are_as_they_were_after_the_block():
    model, x = blocks(), torch.randn(2, 7, 15)
    with record(model):
        assert all(len(module.listeners) == 1 for module in heads(model))
    with pytest.raises(RuntimeError), record(model), override(model, {"0.attention": torch.zeros(7, 7)}):
        raise RuntimeError
    for module in heads(model):
        assert module.listeners == []
        assert module.given is None
    assert not any(module._forward_hooks for module in model.modules())
    with record(model) as trace:
        pass
    model(x)
    assert trace.names == []


def test_recordings_of_many_heads_that_overlap():
    model, x = blocks(), torch.randn(2, 7, 15)
    first, second = record(model), record(model[1])
    outer = first.__enter__()
    model(x)
    inner = second.__enter__()
    model(x)
    first.__exit__(None, None, None)  # the one that began first ends first
    model(x)
    second.__exit__(None, None, None)
    model(x)
    assert len(outer["1.attention"]) == 2
    assert len(inner["attention"]) == 2
    assert not any(module.listeners for module in heads(model))


def test_a_module_in_two_places_is_heard_under_its_first_name():
    block, x = Block(), torch.randn(2, 7, 15)
    model = nn.Sequential(block, block)
    with record(model) as trace:
        model(x)
    assert trace.names == ["0.attention"]
    assert len(trace["0.attention"]) == 2
    with record(block.attention) as trace:
        block(x)
    assert trace.names == [""]


def test_gradients_of_many_heads_still_flow_while_recording():
    model, x = blocks(), torch.randn(2, 7, 15)
    model(x).square().sum().backward()
    expected = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    with record(model):
        model(x).square().sum().backward()
    for parameter, wanted in zip(model.parameters(), expected, strict=True):
        torch.testing.assert_close(parameter.grad, wanted, atol=1e-4, rtol=1e-4)


def test_given_weights_replace_the_models():
    model, x = blocks(), torch.randn(2, 7, 15)
    weights = torch.full((2, 3, 7, 7), torch.nan)
    weights[1, 2, 4] = torch.eye(7)[2]
    weights[0, 1] = 0.0  # a head switched off
    with record(model) as before:
        plain = model(x)
    with override(model, {"1.attention": weights}), record(model) as after:
        changed = model(x)
    own, used = before["1.attention"][0], after["1.attention"][0]
    expected = torch.where(weights.isnan(), own.weights, weights)
    torch.testing.assert_close(used.weights, expected)
    torch.testing.assert_close(used.scores, own.scores)
    value = model[1].attention.split(model[1].attention.value(model[0](x)))
    torch.testing.assert_close(used.context, expected @ value, atol=1e-5, rtol=0)
    torch.testing.assert_close(used.context[1, 2, 4], value[1, 2, 2], atol=1e-5, rtol=0)
    assert not used.context[0, 1].any()
    same = torch.ones(2, 7, dtype=torch.bool)
    same[0], same[1, 4] = False, False
    torch.testing.assert_close(changed[same], plain[same], atol=1e-5, rtol=0)
    assert not torch.isclose(changed[~same], plain[~same]).all(dim=-1).any()
    torch.testing.assert_close(model(x), plain)


def test_given_weights_broadcast_and_need_no_recording():
    model, x = blocks(), torch.randn(2, 7, 15)
    with override(model, {"0.attention": torch.eye(7)}):
        inner = model[0].attention
        torch.testing.assert_close(inner(x), inner.output(inner.value(x)), atol=1e-5, rtol=0)
        with override(model, {"0.attention": torch.zeros(1, 3, 1, 7)}):
            torch.testing.assert_close(inner(x), inner.output.bias.expand(2, 7, 15))
        torch.testing.assert_close(inner(x), inner.output(inner.value(x)), atol=1e-5, rtol=0)
    assert inner.given is None


def test_a_row_with_one_nan_is_the_models_own():
    module, x, weights = MultiHeadAttention(15, 3), torch.randn(2, 7, 15), torch.eye(7)
    weights[4, 2] = torch.nan
    with override(module, {"": weights}):
        got = module(x)
    torch.testing.assert_close(got[:, 4], module(x)[:, 4], atol=1e-5, rtol=0)
    torch.testing.assert_close(got[:, 3], module.output(module.value(x))[:, 3], atol=1e-5, rtol=0)


def test_gradients_flow_around_given_weights():
    module, x = MultiHeadAttention(15, 3), torch.randn(2, 7, 15)
    weights = torch.full((2, 3, 7, 7), torch.nan)
    weights[:, :, 3] = 1 / 7
    with override(module, {"": weights}):
        module(x).square().sum().backward()
    for parameter in module.parameters():
        assert parameter.grad.isfinite().all()
    assert module.query.weight.grad.any()
    assert module.value.weight.grad.any()


@torch.no_grad()
def test_a_mask_has_the_number_of_the_call_that_was_given_it():
    module, x = MultiHeadAttention(15, heads=3), torch.randn(2, 7, 15)
    with record(module) as trace:
        module(x)
        module(x, mask=causal(7))
        module(x)
    assert [name for name in trace.tensors if name.endswith("/mask")] == ["#1/mask"]
    assert torch.equal(trace.calls("/mask")[0], causal(7)[None, None])
    with record(module) as trace:
        module(x)
    with pytest.raises(ValueError, match="expected a tensor that was heard"):
        trace.calls("/mask")


@torch.no_grad()
def test_one_call_of_a_block_that_comes_again():
    block = blocks()[0]
    model, x = nn.Sequential(block, block, block), torch.randn(2, 7, 15)
    even, first = torch.full((7, 7), 1 / 7), torch.eye(7)
    with override(model, {"0.attention": even, "0.attention#1": first}), record(model) as trace:
        model(x)
    weights = [call.weights for call in trace["0.attention"]]
    for found, wanted in zip(weights, (even, first, even), strict=True):
        torch.testing.assert_close(found, wanted.expand(2, 3, 7, 7))
    assert block.attention.given is None
    last = first.roll(1, dims=0)
    with (
        override(model, {"0.attention": even}),
        override(model, {"0.attention#0": first, "0.attention#2": last}),
        override(model, {"0.attention#2": first}),
        record(model) as trace,
    ):
        model(x)
    weights = [call.weights for call in trace["0.attention"]]
    for found, wanted in zip(weights, (first, even, first), strict=True):
        torch.testing.assert_close(found, wanted.expand(2, 3, 7, 7))
    assert block.attention.given is None
    for wrong in ("0.attention#3", "0.attention#x"):
        with (
            pytest.raises(ValueError, match=f"nothing called '{wrong}' attended.* 3 times"),
            override(model, {wrong: even}),
        ):
            model(x)


def test_given_weights_that_do_not_fit():
    model, x = blocks(), torch.randn(2, 7, 15)
    with (
        pytest.raises(ValueError, match=r"names out of \['0.attention', '1.attention'\], got 'attention'"),
        override(model, {"0.attention": torch.eye(7), "attention": torch.eye(7)}),
    ):
        pass
    assert model[0].attention.given is None
    for wrong in (-1.0, torch.inf):
        with (
            pytest.raises(ValueError, match=r"weights of 0 or more, or NaN, for '0\.attention', got"),
            override(model, {"0.attention": torch.full((7, 7), wrong)}),
        ):
            pass
    with (
        override(model, {"0.attention": torch.eye(5)}),
        pytest.raises(ValueError, match=r"queries, keys\] = \[2, 3, 7, 7\], got \[5, 5\]"),
    ):
        model(x)


def test_many_heads_on_every_device(device):
    model, x = blocks(), torch.randn(2, 7, 15)
    with record(model) as expected:
        model(x)
    model.to(device)
    with record(model) as trace, override(model, {"1.attention": expected["1.attention"][0].weights}):
        model(x.to(device))
    for name in trace.names:
        for got, wanted in zip(trace[name][0], expected[name][0], strict=True):
            assert got.device.type == device.type
            torch.testing.assert_close(got.cpu(), wanted, atol=1e-4, rtol=1e-4)


# Tensors by name


def close(got, wanted, atol=1e-5):
    torch.testing.assert_close(got, wanted, atol=atol, rtol=0)


def placed(name, dim=12, heads=3):
    """Positions that do not start at zero."""
    positions = POSITIONS[name](dim, heads, 31)
    for parameter in positions.parameters():
        nn.init.normal_(parameter, std=0.3)
    return positions


def two_blocks(residual="pre_norm", positions="none"):
    """A GPT of which every number is anything but 0 or 1."""
    code, table = placed(positions), nn.Embedding(11, 12)
    blocks = [
        EncoderBlock(MultiHeadAttention(12, 3, code), FeedForward(12, 17), nn.LayerNorm, RESIDUALS[residual])
        for _ in range(2)
    ]
    model = GPT(Embed(table, code), blocks, nn.LayerNorm(12), tied(table), longest=31)
    for block in blocks:
        for norm in (block.attention_norm, block.feed_forward_norm):
            nn.init.normal_(norm.weight)
            nn.init.normal_(norm.bias)
    return model.eval()


def heard(model, *inputs):
    with torch.no_grad(), record(model) as trace:
        model(*inputs)
    return trace


TOKENS = torch.randint(0, 11, (2, 7))


def attention_part(trace, name):
    """What the heads and the bias add."""
    return trace.tensor(f"{name}/adds").sum(1) + trace.tensor(f"{name}/bias")


@pytest.mark.parametrize("positions", POSITIONS)
def test_the_parts_add_up_to_the_stream(positions):
    trace = heard(two_blocks("pre_norm", positions), TOKENS)
    stream = trace.tensor("embed.tokens/out") + trace.tensor("embed.positions/adds")
    close(trace.tensor("embed/out"), stream)
    for name in ("blocks.0", "blocks.1"):
        close(trace.tensor(f"{name}/in"), stream)
        stream = stream + attention_part(trace, f"{name}.attention")
        close(trace.tensor(f"{name}.feed_forward_norm/in"), stream)
        stream = stream + trace.tensor(f"{name}.feed_forward/out")
        close(trace.tensor(f"{name}/out"), stream)
    close(trace.tensor("norm/in"), stream)
    close(trace.tensor("output/in"), trace.tensor("norm/out"))


def test_the_parts_add_up_before_each_norm_where_it_stands_in_the_stream():
    trace = heard(two_blocks("post_norm", "learned"), TOKENS)
    for name in ("blocks.0", "blocks.1"):
        attended = trace.tensor(f"{name}/in") + attention_part(trace, f"{name}.attention")
        close(trace.tensor(f"{name}.attention_norm/in"), attended)
        stream = trace.tensor(f"{name}.attention_norm/out")
        close(trace.tensor(f"{name}.feed_forward_norm/in"), stream + trace.tensor(f"{name}.feed_forward/out"))
        close(trace.tensor(f"{name}.feed_forward_norm/out"), trace.tensor(f"{name}/out"))


def test_without_residuals_the_stream_is_the_last_part_alone():
    trace = heard(two_blocks("bare", "sinusoidal"), TOKENS)
    for name in ("blocks.0", "blocks.1"):
        close(trace.tensor(f"{name}.feed_forward_norm/in"), attention_part(trace, f"{name}.attention"))
        close(trace.tensor(f"{name}/out"), trace.tensor(f"{name}.feed_forward/out"))


def test_embeddings_of_three_kinds_add_up():
    model = masked_encoder(11, 12, 3, 1, longest=9, segments=2).eval()
    trace = heard(model, TOKENS)
    parts = ("encoder.embed.tokens/out", "encoder.embed.positions/adds", "encoder.embed.segments/out")
    close(trace.tensor("encoder.embed.norm/in"), sum(trace.tensor(part) for part in parts))


def test_a_modern_gpt_adds_up_too():
    model = modern_gpt(11, 12, 3, 2, longest=9).eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.3)  # what writes into the stream starts at 0
    trace = heard(model, TOKENS)
    stream = trace.tensor("blocks.0/out")
    for name in ("blocks.1", "blocks.2"):
        stream = stream + attention_part(trace, f"{name}.attention") + trace.tensor(f"{name}.feed_forward/out")
    close(trace.tensor("norm/in"), stream)


@pytest.mark.parametrize("positions", POSITIONS)
def test_what_a_head_adds_in_two_ways(positions):
    """Through its columns of the output map, and as what is left when every other head is off."""
    module, x = MultiHeadAttention(12, 3, placed(positions, 12)), torch.randn(2, 7, 12)
    adds = heard(module, x, None, None, causal(7)).tensor("/adds")
    for head in range(3):
        weights = torch.full((1, 3, 1, 1), 0.0)
        weights[:, head] = torch.nan
        with torch.no_grad(), override(module, {"": weights}):
            close(adds[:, head], module(x, mask=causal(7)) - module.output.bias)


@pytest.mark.parametrize("positions", [*POSITIONS, "normed"])
def test_queries_and_keys_are_those_of_the_score(positions):
    code = NormedQueriesKeys(Rotary(4), 4) if positions == "normed" else placed(positions)
    module, x = MultiHeadAttention(12, 3, code), torch.randn(2, 7, 12)
    mask = causal(7) & padding(torch.tensor([7, 4]), 7)
    trace = heard(module, x, None, None, mask)
    query, key, value = (trace.tensor(f"/{part}") for part in "qkv")
    scores = query @ key.mT / 2
    bias = code.bias(7, 7)
    close(trace.tensor("/scores"), scores if bias is None else scores + bias)
    assert torch.equal(trace.tensor("/mask"), mask[:, None])
    weights = masked_softmax(trace.tensor("/scores"), mask[:, None].expand(2, 3, 7, 7))
    close(trace.tensor("/weights"), weights)
    close(trace.tensor("/context"), weights @ value)
    close(trace.tensor("/out"), attention_part(trace, ""))


def test_a_feed_forward_network_with_its_hidden_numbers():
    model = two_blocks()
    trace, inner = heard(model, TOKENS), model.blocks[1].feed_forward
    hidden = relu(inner.expand(trace.tensor("blocks.1.feed_forward_norm/out")))
    close(trace.tensor("blocks.1.feed_forward/hidden"), hidden)
    close(trace.tensor("blocks.1.feed_forward/out"), inner.contract(hidden))


def test_keys_of_a_cache_are_heard_with_the_call_that_uses_them():
    module, x, cache = MultiHeadAttention(12, 3, placed("rotary")), torch.randn(2, 7, 12), Cache()
    with torch.no_grad(), record(module) as trace:
        module(x[:, :5], mask=causal(5), cache=cache)
        module(x[:, 5:], mask=causal(2, start=5), cache=cache)
    whole = heard(module, x, None, None, causal(7))
    for part in ("q", "adds", "out"):
        close(torch.cat(trace.calls(f"/{part}"), -2), whole.tensor(f"/{part}"))
    for part in ("k", "v"):
        close(trace.tensor(f"/{part}"), whole.tensor(f"/{part}")[:, :, :5])
        close(trace.tensor(f"#1/{part}"), whole.tensor(f"/{part}"))


def test_a_head_that_is_off_adds_nothing():
    model, weights = two_blocks(), torch.full((1, 3, 1, 1), torch.nan)
    weights[:, 1] = 0.0
    with override(model, {"blocks.0.attention": weights}):
        trace = heard(model, TOKENS)
    adds = trace.tensor("blocks.0.attention/adds")
    assert not adds[:, 1].any()
    assert adds[:, 0].any()
    close(trace.tensor("blocks.0.attention/out"), attention_part(trace, "blocks.0.attention"))


def test_calls_of_one_module_by_number():
    model = universal(11, 13, 12, 3, depth=3).eval()
    trace = heard(model, SOURCE, LENGTHS, TARGET)
    blocks = trace.calls("encoder.blocks.0/out")
    assert len(blocks) == 3
    close(trace.tensor("encoder.blocks.0#2/out"), blocks[2])
    close(trace.tensor("encoder.blocks.0#1/in"), blocks[0])
    close(trace.tensor("encoder.norm/in"), blocks[2])
    assert len(trace.calls("decoder.blocks.0.cross_attention/adds")) == 3


def test_a_table_of_two_stacks_by_number():
    model = shared_transformer(13, 12, 3, 1).eval()
    trace = heard(model, SOURCE, LENGTHS, TARGET)
    close(trace.tensor("encoder.embed.tokens/out"), model.encoder.embed.tokens(SOURCE))
    close(trace.tensor("encoder.embed.tokens#1/out"), model.encoder.embed.tokens(TARGET))


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("kind", [FixedContext, AttentionSeq2Seq])
def test_a_translation_step_by_step(kind, cell):
    model = kind(11, 13, hidden=5, embedding=3, cell=CELLS[cell]).eval()
    trace = heard(model, SOURCE, LENGTHS, TARGET)
    memory = model.encode(SOURCE, LENGTHS)
    state = model.start(memory)
    close(trace.tensor("encoder.embedding/out"), model.encoder.embedding(SOURCE))
    close(trace.tensor("encoder/out"), memory.keys)
    close(trace.tensor("encoder.recurrent/out"), memory.keys)
    close(trace.tensor("encoder/hidden"), state.hidden)
    for step, previous in enumerate(TARGET.unbind(1)):
        logits, after, attention = model.step(previous, state, memory)
        close(trace.calls("decoder.embedding/out")[step], model.decoder.embedding(previous))
        if attention is not None:
            close(trace.calls("decoder.attention/q")[step], state.hidden[:, None])
            close(trace.calls("decoder.attention/v")[step], memory.keys)
            for part in ("scores", "weights", "context"):
                close(trace.calls(f"decoder.attention/{part}")[step], getattr(attention, part))
        close(trace.calls("decoder.cell/out")[step], after.hidden)
        close(trace.calls("decoder.output/out")[step], logits)
        state = after
    assert len(trace.calls("decoder.cell/out")) == 3


@pytest.mark.parametrize("score", SCORES)
def test_a_look_back_is_heard_with_what_its_score_compares(score):
    model = LuongSeq2Seq(11, 13, hidden=6, embedding=3, score=SCORES[score], bidirectional=False).eval()
    trace = heard(model, SOURCE, LENGTHS, TARGET)
    look, name = model.decoder.attention, "decoder.attention"
    query, key, value = (trace.tensor(f"{name}/{part}") for part in "qkv")
    close(query, trace.tensor("decoder.recurrent/out"))
    compare = look.score.compare if hasattr(look.score, "compare") else look.score
    close(trace.tensor(f"{name}/scores"), compare(query, key))
    close(trace.tensor(f"{name}/context"), trace.tensor(f"{name}/weights") @ value)
    assert torch.equal(trace.tensor(f"{name}/mask"), model.encode(SOURCE, LENGTHS).mask[:, None])


def test_a_look_back_may_be_called_by_name():
    model = AttentionSeq2Seq(11, 13, hidden=5, embedding=3).eval()
    memory, look = model.encode(SOURCE, LENGTHS), model.decoder.attention
    query = torch.randn(2, 1, 5)
    with torch.no_grad(), record(look) as trace:
        look(memory=memory, query=query)
    close(trace.tensor("/q"), query)
    close(trace.tensor("/v"), memory.keys.detach())


def test_numbers_stay_as_precise_as_the_model():
    trace = heard(two_blocks("pre_norm", "rotary").double(), TOKENS)
    parts = [trace.tensor("embed/out")]
    for name in ("blocks.0", "blocks.1"):
        parts += [attention_part(trace, f"{name}.attention"), trace.tensor(f"{name}.feed_forward/out")]
    close(sum(parts), trace.tensor("norm/in"), atol=1e-12)


def test_what_is_no_number_is_kept_and_named():
    model = two_blocks()
    model.blocks[0].feed_forward.contract.bias.data[3] = torch.nan
    with torch.no_grad(), record(model) as trace, pytest.raises(ValueError, match="got nan"):
        model(TOKENS)
    assert trace.not_numbers[0] == "blocks.0.feed_forward.contract/out"
    assert "blocks.0/out" in trace.not_numbers
    assert "blocks.0/in" not in trace.not_numbers
    assert trace.tensor("blocks.0/out")[..., 3].isnan().all()
    assert heard(two_blocks(), TOKENS).not_numbers == []


def test_what_fails_at_a_nan_is_told_by_where_it_began():
    model = two_blocks()

    def run():
        if bool(model(TOKENS).isnan().any()):
            raise ValueError("expected logits")
        raise ValueError("expected a name")

    with pytest.raises(ValueError, match=r"^expected a name$"):
        naming_nan(model, run)
    model.blocks[0].feed_forward.contract.bias.data[3] = torch.nan
    with pytest.raises(ValueError, match=r"^not a number: blocks\.0\.feed_forward\.contract/out, .*; expected logits$"):
        naming_nan(model, run)
    assert torch.equal(naming_nan(model, lambda: TOKENS), TOKENS)


def test_any_module_is_heard_with_what_goes_in_and_out():
    class Named(nn.Module):
        def forward(self, *, x):
            return {"sum": x + 1, "more": [x]}

    class Around(nn.Module):
        def __init__(self):
            super().__init__()
            self.named, self.recurrent = Named(), nn.LSTM(2, 3, batch_first=True)

        def forward(self, x):
            return self.recurrent(self.named(x=x)["sum"])

    model, x = Around(), torch.randn(2, 5, 2)
    trace = heard(model, x)
    assert trace.tensors == ["named/in", "named/out", "recurrent/in", "recurrent/out", "/in", "/out"]
    close(trace.tensor("named/out"), x + 1)
    close(trace.tensor("/out"), model(x)[0])


def test_tensors_carry_no_gradient_and_are_not_copied():
    model = two_blocks()
    with record(model) as trace:
        logits = model(TOKENS)
    assert logits.requires_grad
    assert not any(trace.tensor(name).requires_grad for name in trace.tensors)
    assert trace.tensor("/out").data_ptr() == logits.data_ptr()
    before = trace.tensor("blocks.0.attention/bias").clone()
    model.blocks[0].attention.output.bias.data += 1
    close(trace.tensor("blocks.0.attention/bias"), before)  # as it was then


def test_listening_to_tensors_ends_with_the_block():
    model = two_blocks()
    with record(model) as trace:
        pass
    model(TOKENS)
    assert trace.tensors == []
    assert not any(module._forward_pre_hooks for module in model.modules())


def test_a_tensor_that_was_not_heard():
    with record(two_blocks()) as silent:
        pass
    with pytest.raises(ValueError, match="the model to run inside `record`, which heard nothing, got 'norm/out'"):
        silent.tensor("norm/out")
    trace = heard(two_blocks(), TOKENS)
    with pytest.raises(ValueError, match=r"such as \['norm/in', 'norm/out'\], got 'norm/hidden'"):
        trace.tensor("norm/hidden")
    with pytest.raises(ValueError, match=r"such as \['blocks.1.attention/\w+', .*got 'block.1.attention/adds'"):
        trace.tensor("block.1.attention/adds")
    with pytest.raises(ValueError, match=r"without a number, got 'norm#0/out'"):
        trace.calls("norm#0/out")


def test_a_block_without_a_feed_forward_network():
    block, x = AttentionBlock(MultiHeadAttention(12, 3)).eval(), torch.randn(2, 7, 12)
    trace = heard(block, x)
    close(trace.tensor("/out"), x + attention_part(trace, "attention"))


def test_weights_of_one_call_are_gone_after_a_call_that_failed():
    model = two_blocks()
    attention = model.blocks[0].attention
    with override(model, {"blocks.0.attention#0": torch.zeros(())}), pytest.raises(ValueError, match=r"width|batch"):
        attention(torch.zeros(1, 2, 5))
    assert attention.given is None


@torch.no_grad()
def test_weights_alone_have_an_axis_of_heads_also_where_there_are_none():
    model = AttentionSeq2Seq(11, 13, hidden=5, embedding=3)
    with record_weights(model) as heard, record(model) as trace:
        model(torch.randint(11, (2, 7)), torch.tensor([7, 4]), torch.randint(13, (2, 4)))
    calls = trace["decoder.attention"]
    assert [list(weights.shape) for _, weights in heard] == [[2, 1, 1, 7]] * len(calls)
    for (_, weights), call in zip(heard, calls, strict=True):
        assert torch.equal(weights, call.weights.view_as(weights))
