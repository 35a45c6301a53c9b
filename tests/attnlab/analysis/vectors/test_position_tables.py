"""Tables of positions: what the classes of `attnlab.positions` hold."""

import pytest
import torch

from attnlab.analysis.vectors.position_tables import POSITION_TABLES, untrained
from attnlab.positions import Learned, Sinusoidal
from attnlab.training import seeded


def test_learned_positions_begin_like_this():
    with seeded(0):
        assert torch.equal(untrained(37, 8), Learned(8, 37).table.detach())


def test_tables_by_name():
    assert list(POSITION_TABLES) == ["sinusoidal", "learned"]
    torch.testing.assert_close(POSITION_TABLES["sinusoidal"](5, 6), Sinusoidal(6)(torch.zeros(5, 6)))
    assert POSITION_TABLES["learned"](5, 3).shape == (5, 3)
    with pytest.raises(ValueError, match="expected sizes of 0 or more, got -1 places and dim 3"):
        untrained(-1, 3)
