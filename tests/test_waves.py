"""WaveExplorer and ClockExplorer: the sinusoidal code, what is alike in it, and the matrix that shifts it."""

import pytest
import torch
from explorers import drive

from attnlab.positions import frequencies, shift, sinusoidal
from widgets.clocks import ClockExplorer
from widgets.waves import WaveExplorer


def test_all_controls_of_the_waves():
    drive(WaveExplorer())


@pytest.mark.parametrize("k", [0, 1, 7, 32])
def test_all_controls_of_the_clocks(k):
    drive(ClockExplorer(k=k))


def test_alike_depends_on_the_distance_alone():
    alike = WaveExplorer(tokens=40).alike
    for distance in range(40):
        diagonal = alike.diagonal(distance)
        torch.testing.assert_close(diagonal, diagonal[:1].expand_as(diagonal), atol=1e-5, rtol=0)


def test_alike_is_a_mean_of_cosines():
    explorer = WaveExplorer(waves=5)
    distance = torch.arange(32.0)
    expected = torch.cos(distance[:, None] * frequencies(64)[:5].float()).mean(1)
    torch.testing.assert_close(explorer.alike[0], expected, atol=1e-5, rtol=0)
    explorer.alone = True
    torch.testing.assert_close(explorer.alike[0], torch.cos(distance * frequencies(64)[4].float()), atol=1e-5, rtol=0)


@pytest.mark.parametrize("k", [0, 3, 20])
def test_the_solved_matrix_is_attnlabs(k):
    explorer = ClockExplorer(k=k)
    torch.testing.assert_close(explorer.M, shift(k, 8).double(), atol=1e-4, rtol=0)
    assert explorer.result.inside < 1e-4
    assert explorer.result.outside < 1e-4
    P = sinusoidal(130, 8)
    torch.testing.assert_close(explorer.result.later.float(), P[5 + k])


def test_a_learned_table_has_no_such_matrix():
    explorer = ClockExplorer(table="learned")
    assert explorer.result.inside > 1


def test_hands_have_turned_by_their_own_angle():
    explorer = ClockExplorer(place=40, k=9)
    traces = explorer.parts["clocks"].traces
    for i, f in enumerate(frequencies(8).tolist()):
        angles = []
        for j in (0, 1):
            x, y = traces[str(4 + 2 * i + j)]["x"], traces[str(4 + 2 * i + j)]["y"]
            angles.append(torch.atan2(torch.tensor(x[1] - x[0]), torch.tensor(y[1])))
        turned = angles[1] - angles[0] - 9 * f
        assert abs((turned + torch.pi) % (2 * torch.pi) - torch.pi) < 1e-4
