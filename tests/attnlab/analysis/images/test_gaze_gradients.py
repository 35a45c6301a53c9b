"""The gradients against a closed form and against each other; the spread in loops."""

import pytest
import torch
from seeds import seeded
from shapes import unchecked

from attnlab.analysis.images.gaze_gradients import along_and_across, gaze_gradients, spread
from attnlab.vision.glimpses import RecurrentAttention, drawn_gaze, hybrid_loss, right_or_wrong

PICTURES, LABELS = torch.rand(11, 13, 13, generator=torch.Generator().manual_seed(0)), torch.arange(11) % 5


def model(expected=0.0):
    """Untrained; its baseline network says `expected` whatever it sees."""
    torch.manual_seed(0)
    own = RecurrentAttention(5, 3, 2, 7)
    torch.nn.init.zeros_(own.baseline.weight)
    torch.nn.init.constant_(own.baseline.bias, expected)
    return own


def always_one(logits, labels):
    return torch.ones(len(labels))


@pytest.mark.parametrize("expected", [0.0, 0.7])
def test_a_draw_is_the_gradient_that_training_takes(expected):
    own = model(expected)
    found = gaze_gradients(own, PICTURES, LABELS, right_or_wrong, 0.3, 2, 3, seeded())
    generator, parameters = seeded(), list(own.location.parameters())
    for without, steadied in zip(*found, strict=True):
        seen = own(PICTURES, drawn_gaze(own.location, 0.3, generator), 2)
        rewards = right_or_wrong(seen.logits[:, -1], LABELS)
        for row, baseline in [(without, 0.0), (steadied, seen.baselines)]:
            loss = hybrid_loss(seen, LABELS, rewards, baseline)
            gradient = torch.autograd.grad(loss, parameters, retain_graph=True)
            torch.testing.assert_close(row, torch.cat([part.flatten() for part in gradient]))


def test_a_baseline_that_is_always_right_leaves_no_spread():
    without, steadied = gaze_gradients(model(1.0), PICTURES, LABELS, always_one, 0.3, 2, 10, seeded())
    assert not steadied.any()
    assert spread(steadied) == 0
    assert spread(without) > 0.01


def test_with_and_without_agree_in_the_mean():
    with unchecked():
        without, steadied = gaze_gradients(model(0.8), PICTURES, LABELS, always_one, 0.3, 2, 100, seeded())
    assert spread(steadied) == pytest.approx(0.04 * spread(without), rel=1e-3)  # (1 - 0.8)^2: all rewards are 1
    error = (spread(without) / 100) ** 0.5
    assert (without.mean(0) - steadied.mean(0)).norm() < 2 * error  # both true gradients are 0


def test_spread_in_loops():
    gradients = torch.randn(7, 5, generator=seeded())
    total = 0.0
    for column in gradients.T.tolist():
        mean = sum(column) / 7
        total += sum((number - mean) ** 2 for number in column) / 6
    assert spread(gradients) == pytest.approx(total)


def test_one_draw_has_no_spread():
    with pytest.raises(ValueError, match="at least two draws, got 1"):
        spread(torch.zeros(1, 3))


def test_along_and_across():
    gradients = torch.randn(7, 30, generator=torch.Generator().manual_seed(0)) + 0.5
    plane = along_and_across(gradients)
    mean = gradients.mean(0)
    torch.testing.assert_close(plane.mean(0), torch.stack([mean.norm(), torch.zeros(())]), atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(plane[:, 0], gradients @ (mean / mean.norm()), atol=1e-4, rtol=1e-4)
    rest = gradients - plane[:, :1] * mean / mean.norm()
    most = torch.linalg.matrix_norm(rest, ord=2)  # the largest singular value
    torch.testing.assert_close(plane[:, 1].norm(), most, atol=1e-3, rtol=1e-4)
    with pytest.raises(ValueError, match="at least two draws"):
        along_and_across(gradients[:1])
