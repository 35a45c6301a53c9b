"""The explorers of lesson 09: words that become alike, norms, derivatives, first gradients, a race by depth."""

import math

import pytest
import torch
from explorers import drive
from torch import nn

from attnlab.attention import attend
from attnlab.blocks import EncoderBlock, FeedForward, pre_norm
from attnlab.multihead import MultiHeadAttention
from attnlab.tasks import TAGGINGS
from widgets.collapse import CollapseExplorer, mean_of_pairs
from widgets.first_gradient import FirstGradientExplorer, times
from widgets.jacobian import JacobianExplorer
from widgets.norming import NormExplorer
from widgets.race import RaceExplorer

# Words that become alike


def test_collapse():
    drive(CollapseExplorer())


def said(explorer) -> str:
    return repr(explorer.parts["caption"])


def test_without_a_residual_all_words_become_one():
    explorer = CollapseExplorer(depth=3)
    assert mean_of_pairs(explorer.cosines) > 0.999
    assert "one vector" in said(explorer)
    explorer.around = "pre-norm"
    assert mean_of_pairs(explorer.cosines) < 0.1
    assert "still itself" in said(explorer)


def test_the_first_block_by_hand():
    explorer = CollapseExplorer(depth=1, words="red green blue")
    torch.manual_seed(0)
    attention = MultiHeadAttention(32, heads=1)
    query, key, value = (explorer.stream[0] @ m.weight.T for m in (attention.query, attention.key, attention.value))
    by_hand = attend(query, key, value).context @ attention.output.weight.T
    torch.testing.assert_close(explorer.stream[1], by_hand, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("words", ["", "alone", "a b c d e f g h i j k l m"])
def test_collapse_refuses_too_few_and_too_many_words(words):
    explorer = CollapseExplorer()
    explorer.words = words
    assert explorer.parts["caption"].error.startswith("expected 2 to 12 words")


def test_markup_is_text():
    explorer = CollapseExplorer(words="<b>cat</b> <img/src=x>")
    assert explorer.parts["matrix"].query_labels == ["<b>cat</b>", "<img/src=x>"]


def test_the_global_generator_is_left_alone():
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    CollapseExplorer(depth=2)
    JacobianExplorer()
    assert torch.equal(torch.rand(3), expected)


# Norms


def test_norm():
    drive(NormExplorer())


def test_layer_norm_does_not_notice_the_batch_and_batch_norm_does():
    explorer = NormExplorer(norm="layer")
    usual = explorer.after[0]
    torch.testing.assert_close(usual, torch.nn.functional.layer_norm(torch.tensor([1.0, 3, -1, 2, 0, 1]), (6,)))
    explorer.change(padding=3, sentences=2)
    torch.testing.assert_close(explorer.after[0], usual)
    assert "does not notice" in said(explorer)
    explorer.change(norm="batch", padding=0, sentences=3)
    usual = explorer.after[0]
    explorer.padding = 3
    assert (explorer.after[0] - usual).norm() > 0.3
    assert "does not notice" not in said(explorer)


def test_louder_is_nothing_to_a_norm_of_one_vector():
    explorer = NormExplorer(norm="layer")
    usual = explorer.after.clone()
    explorer.louder = 5.0
    torch.testing.assert_close(explorer.after, usual, atol=1e-4, rtol=0)
    explorer.norm = "batch"
    others = explorer.after[1:].clone()
    explorer.louder = 1.0
    assert (explorer.after[1:] - others).abs().max() > 0.1


def test_one_vector_has_no_deviation_over_the_batch():
    explorer = NormExplorer(norm="batch")
    explorer.sentences = 1
    assert "at least 2 vectors" in explorer.parts["caption"].error
    explorer.norm = "layer"
    assert explorer.parts["caption"].error == ""


# Derivatives


def test_jacobian():
    drive(JacobianExplorer())


def off_diagonal(sizes):
    return sizes - torch.diag(sizes.diagonal())


@pytest.mark.parametrize("norm", ["layer", "rms", "none"])
def test_only_attention_fills_the_rows(norm):
    sizes = JacobianExplorer(norm=norm).sizes
    for part in range(2):
        assert not off_diagonal(sizes[part]).any()
    for part in range(2, 4):
        assert sizes[part].min() > 1e-4


def test_a_causal_mask_leaves_the_lower_triangle_but_batch_norm_looks_ahead():
    explorer = JacobianExplorer(mask="causal", blocks=3)
    assert not explorer.sizes[2:].triu(1).any()
    explorer.norm = "batch"
    assert (explorer.sizes[3].triu(1)[0, 1:] > 0).all()
    assert "is full" in said(explorer)


def test_a_window_reaches_one_word_further_with_each_block():
    explorer = JacobianExplorer(mask="window of 1")
    for blocks in range(1, 5):
        explorer.blocks = blocks
        assert torch.equal(explorer.sizes[3][0] > 0, torch.arange(6) <= blocks)


# First gradients


class Model(nn.Module):
    def __init__(self, depth, residual, norm):
        super().__init__()
        self.embedding = nn.Embedding(16, 8)
        self.blocks = nn.ModuleList(
            EncoderBlock(MultiHeadAttention(8, heads=2), FeedForward(8, 16), norm, residual) for _ in range(depth))
        self.answer = nn.Linear(8, 16)

    def forward(self, letters):
        x = self.embedding(letters)
        for block in self.blocks:
            x = block(x)
        return self.answer(x)


@pytest.fixture
def example():
    return TAGGINGS["mirrored"](16).batch(4, 6, torch.Generator().manual_seed(0))


def test_first_gradient(example):
    drive(FirstGradientExplorer(Model, *example), Reverser=Model, example=example)


def test_without_residuals_the_gradient_fades(example):
    explorer = FirstGradientExplorer(Model, *example, norm="none")
    pre, _, bare = explorer.gradients
    assert bare[-1] > 1000 * bare[0]
    assert pre.max() < 100 * pre.min()
    assert "next to nothing" in said(explorer)


def test_first_gradient_by_hand(example):
    explorer = FirstGradientExplorer(Model, *example, depth=2)
    torch.manual_seed(0)
    model = Model(2, pre_norm, nn.LayerNorm)
    logits = model(example.inputs)
    nn.functional.cross_entropy(logits.flatten(0, 1), example.targets.flatten()).backward()
    by_hand = torch.stack([block.feed_forward.contract.weight.grad.norm() for block in model.blocks])
    torch.testing.assert_close(explorer.gradients[0], by_hand, atol=1e-5, rtol=1e-4)


def test_times():
    assert [times(x) for x in (1.26, 12.3, 5432, 1e14)] == [
        "1.3 times", "12 times", "over 5,000 times", "over a million times"]


# The race


@pytest.fixture
def runs():
    good, bad = [math.exp(-i / 10) for i in range(60)], [2.8] * 80
    return {"pre": {d: good for d in (3, 6, 9, 12)}, "post": {3: good, 6: good, 9: bad, 12: bad}}


def test_race(runs):
    drive(RaceExplorer(runs, 100, 0.1), runs=runs)


def test_race_tells_who_learned(runs):
    explorer = RaceExplorer(runs, 100, 0.1)
    assert "pre: learned in 60 steps. post: not learned." in said(explorer)
    explorer.depth = 6
    assert "post: learned in 60 steps" in said(explorer)
    assert "60" not in repr(explorer)
