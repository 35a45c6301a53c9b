"""Models of attention alone that learn to copy, and how well they do."""

from math import log

import pytest
import torch

from attnlab.multihead import MultiHeadAttention
from attnlab.tasks.copier import HEADS, copier, foreseen, loss_of_copy
from attnlab.tasks.induction import Repeated, Repeats

TASK = Repeated(symbols=9, length=20, shortest=3, longest=8)


@pytest.fixture
def texts():
    return TASK.batch(30, torch.Generator().manual_seed(1))


@pytest.mark.parametrize("layers", [1, 2])
def test_it_is_attention_and_nothing_else(layers, texts):
    model = copier(TASK, layers, seed=3)
    attentions = [module for module in model.modules() if isinstance(module, MultiHeadAttention)]
    assert [attention.heads for attention in attentions] == [HEADS] * layers
    assert not any("feed_forward" in name for name, _ in model.named_modules())
    again = copier(TASK, layers, seed=3)
    assert torch.equal(model(texts.inputs), again(texts.inputs))
    assert not torch.equal(model(texts.inputs), copier(TASK, layers, seed=4)(texts.inputs))


def test_the_loss_is_that_of_all_places():
    def batch():
        return torch.Generator().manual_seed(5)

    model, drawn = copier(TASK, 1), TASK.batch(32, batch())
    chances = model(drawn.inputs).softmax(-1).gather(2, drawn.targets[..., None])
    assert loss_of_copy(model, TASK, batch()).item() == pytest.approx(-chances.log().mean().item(), rel=1e-4)


def test_only_what_can_be_foreseen_is_counted(texts):
    def knowing(tokens):  # foresees the second round, and nothing else
        logits = torch.zeros(*tokens.shape, 9)
        answers = texts.targets.where(texts.predictable, (texts.targets + 1) % 9)
        return logits.scatter(2, answers[..., None], 50.0)

    model = copier(TASK, 1)
    model.forward = knowing
    assert foreseen(model, texts) == (1.0, pytest.approx(0, abs=1e-6))
    model.forward = lambda tokens: torch.zeros(*tokens.shape, 9)
    assert foreseen(model, texts).loss == pytest.approx(log(9), rel=1e-5)


def test_texts_without_a_second_round_are_refused(texts):
    never = Repeats(*texts[:3], torch.zeros_like(texts.predictable))
    with pytest.raises(ValueError, match="expected texts with a second round, got none"):
        foreseen(copier(TASK, 1), never)
