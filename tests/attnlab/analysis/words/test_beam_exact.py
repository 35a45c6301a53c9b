"""How many translations a search gets right."""

import pytest
import torch

from attnlab import AttentionSeq2Seq, exact, fit, teacher_forcing
from attnlab.analysis import beam_exact
from attnlab.tasks.phrasebook import Phrasebook


@pytest.fixture(scope="module")
def task():
    return Phrasebook(pairs=40, tests=12)


@pytest.fixture(scope="module")
def model(task):
    """Right about the five sentences that it has read, and wrong about others."""
    torch.manual_seed(0)
    model = AttentionSeq2Seq(len(task.source_vocabulary), len(task.target_vocabulary), hidden=32, embedding=16)
    read = task.collate(task.test[:5])
    for _ in fit(model, lambda g: teacher_forcing(model, *read), 20, 3e-2):
        pass
    return model.eval()


def test_width_one_is_greedy_search(model, task):
    greedy = float(exact(model, *task.collate(task.test)).float().mean())
    assert 0 < greedy < 1
    assert beam_exact(model, task, task.test, 1) == pytest.approx(greedy)


def test_no_example_is_told(model, task):
    with pytest.raises(ValueError, match="expected one example or more"):
        beam_exact(model, task, [], 2)
