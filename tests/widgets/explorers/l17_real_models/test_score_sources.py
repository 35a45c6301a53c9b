"""ScoreSourcesExplorer: the parts of a weight's score, and what is left of it without one of them."""

import pytest
import torch
from explorers import drive

from attnlab import GPT, MultiHeadAttention, trained
from attnlab.analysis import score_sources
from attnlab.blocks import AttentionBlock, no_norm
from attnlab.positions import Learned
from attnlab.transformer import Embed
from widgets.explorers.l17_real_models.score_sources import ScoreSourcesExplorer


@pytest.fixture(scope="module")
def model():
    return trained.induction().model


@pytest.fixture
def explorer(model):
    return ScoreSourcesExplorer(model, trained.LETTERS)


def said(explorer):
    return repr(explorer.parts["caption"])


def test_every_control(explorer, model):
    drive(explorer, model=model, letters=trained.LETTERS)


def test_one_part_makes_the_score(explorer):
    """The last letter finds what followed it before: by what the earlier head read there."""
    assert "“l” (letter 22) puts" in said(explorer)
    assert "on “a” (letter 10)" in said(explorer)
    assert "made by the query's token with the key's head 1.1. There head 1.1 reads “l” (letter 9)" in said(explorer)
    parts = explorer.parts["parts"].values[0, 0]
    assert explorer.parts["parts"].query_labels == ["token", "position", "head 1.1", "constant"]
    assert parts.argmax() == 2
    assert parts[0, 2] > 0.6 * parts.sum()


def test_cut_out_it_takes_weight_and_answer_along_and_others_do_not(explorer):
    whole = float(explorer.result.weights[0, 21, 9])
    explorer.cut = True
    left = float(explorer.result.weights[0, 21, 9])
    before, now = explorer.result.chances[:, trained.LETTERS.index("a")]
    assert whole > 0.6
    assert left < 0.2 * whole
    assert before > 0.95
    assert now < 0.2
    assert said(explorer).startswith("Without the query's token with the key's head 1.1, “l” (letter 22) puts")
    assert (explorer.parts["parts"].mask[0] == 0).tolist()[0] == [False, False, True, False]
    others = [[0, asking, part] for asking in range(4) for part in range(4) if (asking, part) != (0, 2)]
    for part in others:
        explorer.part = part
        assert float(explorer.result.chances[1, trained.LETTERS.index("a")]) > 0.9, part


def test_a_whole_side_can_be_cut(explorer):
    explorer.change(cut=True, part=[0, -1, 2])
    assert "Without the key's head 1.1, “l”" in said(explorer)
    assert explorer.result.cut[:, 2].all()
    explorer.part = [0, 0, -1]
    assert "Without the query's token, “l”" in said(explorer)


def test_any_weight_can_be_asked_about(explorer):
    explorer.parts["weights"].selected = [0, 15, 0]
    assert "“z” (letter 16) puts" in said(explorer)
    assert "on “m” (letter 1). That key's score is" in said(explorer)
    assert "below the mean of the keys that it may look at; the largest part, −" in said(explorer)
    explorer.cell = [0, 15, 20]  # it may not look ahead
    assert "on “a” (letter 4)" in said(explorer)
    explorer.cell = [0, -1, 4]
    assert "“l” (letter 22) puts" in said(explorer)
    explorer.cell = [0, 0, 0]
    assert "“m” (letter 1) is the first: it can look at itself alone" in said(explorer)


def test_the_first_layer_has_no_heads_before_it(explorer):
    explorer.layer = "1"
    assert explorer.parts["parts"].query_labels == ["token", "position", "constant"]
    assert "the query's position with the key's position" in said(explorer)
    assert explorer.part == [0, 0, 2]
    explorer.change(layer="2", part=[0, 3, 3])
    explorer.layer = "1"
    assert explorer.part == []
    explorer.cut = True
    torch.testing.assert_close(explorer.result.weights, explorer.result.split.weights)


def test_more_heads_and_layers():
    torch.manual_seed(0)
    blocks = [AttentionBlock(MultiHeadAttention(12, 3), no_norm) for _ in range(2)]
    model = GPT(Embed(torch.nn.Embedding(27, 12), Learned(12, 20)), blocks, None, torch.nn.Linear(12, 27), 20).eval()
    explorer = ScoreSourcesExplorer(model, trained.LETTERS, text="two heads", cell=[2, 7, 3])
    assert explorer.parts["weights"].panel_names == ["head 2.1", "head 2.2", "head 2.3"]
    split = score_sources(model, explorer.ids("two heads"), 1)
    torch.testing.assert_close(explorer.result.split.parts, split.parts)
    assert explorer.result.head == 2


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("naïve", "expected letters from a to z and blanks, as in training, got “ï”"),
        ("", "expected 2 to 32 letters, as in training, got 0"),
        ("a" * 33, "expected 2 to 32 letters, as in training, got 33"),
    ],
)
def test_texts_that_the_model_cannot_read(explorer, text, error):
    explorer.text = text
    assert said(explorer) == error
    explorer.text = "Mozart Mo"
    assert "“o” (letter 9)" in said(explorer)
