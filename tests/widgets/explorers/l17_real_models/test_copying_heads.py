"""CopyingHeadsExplorer: the study's own numbers, head by head."""

import pytest
from explorers import drive

from widgets.explorers.l17_real_models.copying_heads import CopyingHeadsExplorer


def test_every_control(study):
    drive(CopyingHeadsExplorer(study), study=study)


def test_words_and_line_follow_the_heads(study):
    explorer = CopyingHeadsExplorer(study)
    rest = float(study.weights[3:5, 0].mean())
    assert f"rests on “<start>” with {100 * rest:.0f}\u202f% of its weight" in repr(explorer.parts["caption"])
    explorer.off = 3
    layer, head = study.heads[2]
    words = repr(explorer.parts["caption"])
    assert f"layer {layer + 1}, head {head + 1}: {100 * study.off[3].right:.0f}\u202f% foreseen" in words
    least, most = (pick(run[3].loss for run in study.others) for pick in (min, max))
    assert f"{least:.1f} to {most:.1f} nats" in words
    assert list(explorer.parts["chart"].trace(3)["x"]) == [3, 3]


def test_a_study_of_few_heads(study):
    """As many heads as it has can be switched off; drawn once, the others are said without a range."""
    explorer = CopyingHeadsExplorer(study._replace(off=study.off[:3], others=[study.others[0][:3]]), off=2)
    assert explorer.positions("off") == [0, 1, 2]
    other = study.others[0][2]
    said = f"As many others: {100 * other.right:.0f}\u202f%, {other.loss:.1f} nats."
    assert said in repr(explorer.parts["caption"])


def test_another_study_is_refused(study):
    with pytest.raises(ValueError, match="with 1 to 8 heads switched off, got 0"):
        CopyingHeadsExplorer(study._replace(off=study.off[:1]))
