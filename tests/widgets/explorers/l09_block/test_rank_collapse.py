"""RankCollapseExplorer: without a residual connection all words become one; the first block by hand."""

import pytest
import torch
from explorers import drive

from attnlab.analysis import mean_cosine
from attnlab.attention import attend
from attnlab.multihead import MultiHeadAttention
from widgets.explorers.l09_block.rank_collapse import RankCollapseExplorer


def test_every_control():
    drive(RankCollapseExplorer())


def test_without_a_residual_all_words_become_one():
    explorer = RankCollapseExplorer(depth=3)
    caption = explorer.parts["caption"]
    assert mean_cosine(explorer.stream[3]) > 0.999
    assert "one vector" in repr(caption)
    explorer.around = "pre-norm"
    assert mean_cosine(explorer.stream[3]) < 0.1
    assert "still itself" in repr(caption)
    assert explorer.parts["alike"].trace(1)["y"] == pytest.approx([float(mean_cosine(explorer.stream[3]))])


def test_the_first_block_by_hand():
    explorer = RankCollapseExplorer(depth=1, words="red green blue")
    torch.manual_seed(0)
    attention = MultiHeadAttention(32, heads=1)
    query, key, value = (explorer.stream[0] @ m.weight.T for m in (attention.query, attention.key, attention.value))
    by_hand = attend(query, key, value).context @ attention.output.weight.T
    torch.testing.assert_close(explorer.stream[1], by_hand, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("words", ["", "alone", "a b c d e f g h i j k l m"])
def test_too_few_and_too_many_words_are_refused(words):
    explorer = RankCollapseExplorer()
    explorer.words = words
    assert explorer.parts["caption"].error.startswith("expected 2 to 12 words")


def test_markup_is_text():
    explorer = RankCollapseExplorer(words="<b>cat</b> <img/src=x>")
    assert explorer.parts["matrix"].query_labels == ["<b>cat</b>", "<img/src=x>"]


def test_the_global_generator_is_left_alone():
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    RankCollapseExplorer(depth=2, words="words that no other test has asked for")
    assert torch.equal(torch.rand(3), expected)


def test_vectors_that_are_nearly_gone_have_their_cosines():
    explorer = RankCollapseExplorer(around="no residual", norm="batch", weights=0.5, depth=7)
    assert explorer.cosines.abs().max() <= 1.00001
    explorer.depth = 16
    assert "All vectors are 0: nothing is left to compare." in repr(explorer.parts["caption"])
    assert explorer.parts["size"].trace(0)["y"][8] > 0


def test_equal_words_are_not_themselves_alone():
    explorer = RankCollapseExplorer(words="the the cat sat", around="pre-norm", depth=0)
    assert "Some words point the same way." in repr(explorer.parts["caption"])
