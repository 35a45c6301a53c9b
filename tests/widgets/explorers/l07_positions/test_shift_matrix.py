"""ShiftMatrixExplorer: the matrix that shifts a code, and the clocks that it turns."""

import pytest
import torch
from explorers import drive

from attnlab.positions import frequencies, shift, sinusoidal
from widgets.explorers.l07_positions.shift_matrix import ShiftMatrixExplorer, bound_above


@pytest.mark.parametrize("k", [0, 7])
def test_every_control(k):
    drive(ShiftMatrixExplorer(k=k))


@pytest.mark.parametrize("k", [0, 3, 20])
def test_the_solved_matrix_is_attnlabs(k):
    explorer = ShiftMatrixExplorer(k=k)
    torch.testing.assert_close(explorer.M, shift(k, 8).double(), atol=1e-4, rtol=0)
    assert explorer.result.inside < 1e-4
    assert explorer.result.outside < 1e-4
    P = sinusoidal(130, 8)
    torch.testing.assert_close(explorer.result.later.float(), P[5 + k])


def test_a_learned_table_has_no_such_matrix():
    explorer = ShiftMatrixExplorer(table="learned")
    assert explorer.result.inside > 1


def test_hands_have_turned_by_their_own_angle():
    explorer = ShiftMatrixExplorer(place=40, k=9)
    traces = explorer.parts["clocks"].traces
    for i, f in enumerate(frequencies(8).tolist()):
        angles = []
        for j in (0, 1):
            x, y = traces[str(4 + 2 * i + j)]["x"], traces[str(4 + 2 * i + j)]["y"]
            angles.append(torch.atan2(torch.tensor(x[1] - x[0]), torch.tensor(y[1])))
        turned = angles[1] - angles[0] - 9 * f
        assert abs((turned + torch.pi) % (2 * torch.pi) - torch.pi) < 1e-4


def test_an_error_is_named_by_the_power_of_ten_above_it():
    assert [bound_above(error) for error in (3e-7, 2e-6, 5e-5)] == ["10⁻⁶", "10⁻⁵", "10⁻⁴"]
