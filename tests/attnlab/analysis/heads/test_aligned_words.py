"""Shares of weight on the right words, against loops."""

import pytest
import torch

from attnlab import record
from attnlab.analysis import aligned_shares, even_aligned_share
from attnlab.tasks.phrasebook import Phrasebook
from attnlab.transformer import transformer


@pytest.fixture(scope="module")
def task():
    return Phrasebook(pairs=10, tests=8)


@pytest.fixture(scope="module")
def model(task):
    torch.manual_seed(0)
    return transformer(len(task.source_vocabulary), len(task.target_vocabulary), dim=12, heads=3, layers=2).eval()


def test_shares_are_those_of_loops(model, task):
    batch = task.collate(task.test)
    with torch.no_grad(), record(model) as trace:
        model(batch.source, batch.source_lengths, batch.target[:, :-1])
    wanted = torch.zeros(2, 3)
    for layer in range(2):
        weights = trace[f"decoder.blocks.{layer}.cross_attention"][0].weights
        for head in range(3):
            shares = []
            for i, example in enumerate(task.test):
                for row, places in enumerate(task.alignment(example)):
                    if places:
                        shares.append(sum(weights[i, head, row, place].item() for place in places))
            wanted[layer, head] = sum(shares) / len(shares)
    torch.testing.assert_close(aligned_shares(model, task, task.test), wanted)


def test_even_weights_give_the_even_share(task):
    silenced = transformer(len(task.source_vocabulary), len(task.target_vocabulary), dim=12, heads=3, layers=1).eval()
    torch.nn.init.zeros_(silenced.decoder.blocks[0].cross_attention.query.weight)
    silenced.decoder.blocks[0].cross_attention.query.bias.data.zero_()
    even = even_aligned_share(task, task.test)
    torch.testing.assert_close(aligned_shares(silenced, task, task.test), torch.full((1, 3), even))


def test_no_example_is_told(model, task):
    for measure in (lambda: aligned_shares(model, task, []), lambda: even_aligned_share(task, [])):
        with pytest.raises(ValueError, match="expected examples whose words"):
            measure()
