"""The sinusoidal code, and what is alike in it."""

import torch
from explorers import drive

from attnlab.positions import frequencies
from widgets.explorers.l07_positions.sinusoids import SinusoidsExplorer


def test_every_control():
    drive(SinusoidsExplorer())


def test_alike_depends_on_the_distance_alone():
    alike = SinusoidsExplorer(tokens=40).alike
    for distance in range(40):
        diagonal = alike.diagonal(distance)
        torch.testing.assert_close(diagonal, diagonal[:1].expand_as(diagonal), atol=1e-5, rtol=0)


def test_alike_is_a_mean_of_cosines():
    explorer = SinusoidsExplorer(waves=5)
    distance = torch.arange(32.0)
    expected = torch.cos(distance[:, None] * frequencies(64)[:5].float()).mean(1)
    torch.testing.assert_close(explorer.alike[0], expected, atol=1e-5, rtol=0)
    explorer.alone = True
    torch.testing.assert_close(explorer.alike[0], torch.cos(distance * frequencies(64)[4].float()), atol=1e-5, rtol=0)


def test_the_sentence_says_what_the_waves_that_are_used_do():
    explorer = SinusoidsExplorer(cell=[0, 0, 30])
    assert "place 30 are alike by 0.53" in str(explorer)
    for waves, said in [(3, "come round again"), (8, "false stripes away."), (32, "stands on high ground")]:
        explorer.waves = waves
        assert said in str(explorer)
