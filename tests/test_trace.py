import pytest
import torch
from torch import nn

from attnlab.alignment import Additive
from attnlab.attention import attend
from attnlab.seq2seq import AttentionSeq2Seq, FixedContext
from attnlab.trace import record

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
