"""GradientAtStartExplorer: without residuals the gradient fades; the numbers are those of `backward`."""

import pytest
import torch
from explorers import drive
from torch import nn

from attnlab.blocks import EncoderBlock, FeedForward, pre_norm
from attnlab.multihead import MultiHeadAttention
from attnlab.tasks import TAGGINGS
from widgets.explorers.l09_block.gradient_at_start import GradientAtStartExplorer, in_words


class Model(nn.Module):
    def __init__(self, depth, residual, norm):
        super().__init__()
        self.embedding = nn.Embedding(16, 8)
        self.blocks = nn.ModuleList(
            EncoderBlock(MultiHeadAttention(8, heads=2), FeedForward(8, 16), norm, residual) for _ in range(depth)
        )
        self.answer = nn.Linear(8, 16)

    def forward(self, letters):
        x = self.embedding(letters)
        for block in self.blocks:
            x = block(x)
        return self.answer(x)


@pytest.fixture(scope="module")
def example():
    return TAGGINGS["mirrored"](16).batch(4, 6, torch.Generator().manual_seed(0))


def test_every_control(example):
    drive(GradientAtStartExplorer(Model, *example, depth=4), Reverser=Model, example=example)


def test_without_residuals_the_gradient_fades(example):
    explorer = GradientAtStartExplorer(Model, *example, norm="none")
    pre, _, bare = explorer.gradients
    assert bare[-1] > 1000 * bare[0]
    assert pre.max() < 100 * pre.min()
    assert "next to nothing" in repr(explorer.parts["caption"])


def test_two_blocks_by_hand(example):
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    explorer = GradientAtStartExplorer(Model, *example, depth=2)
    assert torch.equal(torch.rand(3), expected), "the learner's random numbers go on undisturbed"
    torch.manual_seed(0)
    model = Model(2, pre_norm, nn.LayerNorm)
    logits = model(example.inputs)
    nn.functional.cross_entropy(logits.flatten(0, 1), example.targets.flatten()).backward()
    by_hand = torch.stack([block.feed_forward.contract.weight.grad.norm() for block in model.blocks])
    torch.testing.assert_close(explorer.gradients[0], by_hand, atol=1e-5, rtol=1e-4)


def test_the_two_norms_are_compared_block_by_block(example):
    explorer = GradientAtStartExplorer(Model, *example, depth=2)
    pre, post, _ = explorer.gradients.tolist()
    least, most = sorted(after / before for before, after in zip(pre, post, strict=True))
    assert f"Post-norm gets {least:.1f} to {most:.1f} times as much" in repr(explorer.parts["caption"])
    explorer.norm = "none"
    assert "times as much" not in repr(explorer.parts["caption"])


def test_ratios_in_words():
    assert [in_words(x) for x in (1.26, 12.3, 5432, 1e14)] == [
        "1.3 times",
        "12 times",
        "over 5,000 times",
        "over a million times",
    ]
