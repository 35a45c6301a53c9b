import pytest
import torch
from torch import nn

from attnlab.alignment import Additive
from attnlab.attention import attend
from attnlab.masks import causal
from attnlab.multihead import MultiHeadAttention
from attnlab.seq2seq import AttentionSeq2Seq, FixedContext
from attnlab.trace import override, record

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


def test_given_weights_that_do_not_fit():
    model, x = blocks(), torch.randn(2, 7, 15)
    with pytest.raises(ValueError, match=r"names out of \['0.attention', '1.attention'\], got 'attention'"), \
            override(model, {"0.attention": torch.eye(7), "attention": torch.eye(7)}):
        pass
    assert model[0].attention.given is None
    for wrong in (-1.0, torch.inf):
        with pytest.raises(ValueError, match=r"weights of 0 or more, or NaN, for '0\.attention', got"), \
                override(model, {"0.attention": torch.full((7, 7), wrong)}):
            pass
    with override(model, {"0.attention": torch.eye(5)}), \
            pytest.raises(ValueError, match=r"queries, keys\] = \[2, 3, 7, 7\], got \[5, 5\]"):
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
