"""DecoderStepExplorer: four scores by hand become weights and a context."""

import pytest
import torch
from explorers import drive

from widgets.explorers.l02_looking_back.decoder_step import STATES, DecoderStepExplorer


def test_by_pencil():
    explorer = DecoderStepExplorer()
    drive(explorer)
    by_pencil = [1 / 12.107, 2.718 / 12.107, 7.389 / 12.107, 1 / 12.107]
    assert explorer.weights[0].tolist() == pytest.approx(by_pencil, abs=1e-3)
    torch.testing.assert_close(explorer.context, explorer.weights[0] @ STATES)
    explorer.change(we=1.0, are=2.0, eating=3.0, bread=1.0)
    assert explorer.weights[0, 2].item() == pytest.approx(7.389 / 12.107, abs=1e-3)
    sizes = torch.tensor(explorer.parts["plane"].trace(1)["marker"]["size"])
    assert sizes.argsort().tolist()[2:] == [1, 2], "a state's dot grows with its weight"
