"""The light is on after an odd number of presses; whoever flips a bit is right, whoever guesses half the time."""

import pytest
import torch
from torch import nn

from attnlab.tasks.light_switch import RecurrentReader, loss_of_light, presses, right_about_light


class Says(nn.Module):
    """Logits that name what a function finds."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def forward(self, tokens):
        return 10.0 * nn.functional.one_hot(self.answer(tokens), 2)


def flips(pressed):
    lights = []
    for stream in pressed.tolist():
        on = False
        lights.append([int(on := on != bool(press)) for press in stream])
    return torch.tensor(lights)


def test_the_light_follows_the_presses():
    pressed, light = presses(5, 9, torch.Generator().manual_seed(0))
    assert torch.equal(light, flips(pressed))
    assert 0 < pressed.double().mean() < 1
    again, _ = presses(5, 9, torch.Generator().manual_seed(0))
    assert torch.equal(pressed, again)


def test_who_is_right():
    assert right_about_light(Says(flips), 16) == 1
    assert right_about_light(Says(lambda pressed: 1 - flips(pressed)), 16) == 0
    assert right_about_light(Says(torch.zeros_like), 64) == pytest.approx(0.5, abs=0.03)


def test_only_the_second_half_counts():
    late = Says(lambda pressed: flips(pressed) * (torch.arange(16) >= 8))
    assert right_about_light(late, 16) == 1


def test_the_loss_is_that_of_the_answers():
    generator = torch.Generator().manual_seed(0)
    assert loss_of_light(Says(flips), generator).item() < 1e-3
    assert loss_of_light(Says(lambda pressed: 1 - flips(pressed)), generator, steps=64).item() > 9


def test_a_reader_knows_only_the_past():
    torch.manual_seed(0)
    model = RecurrentReader(5, 8)
    tokens = torch.tensor([[1, 2, 3, 4]])
    changed = torch.tensor([[1, 2, 0, 4]])
    assert model(tokens).shape == (1, 4, 5)
    moved = (model(tokens) - model(changed)).abs().amax(dim=(0, 2))
    assert (moved > 0).tolist() == [False, False, True, True]


def test_a_model_of_something_else_is_told():
    with pytest.raises(ValueError, match=r"expected logits \[streams, steps, 2\] = \[32, 16, 2\] from the model"):
        loss_of_light(RecurrentReader(5, 8), torch.Generator().manual_seed(0))
