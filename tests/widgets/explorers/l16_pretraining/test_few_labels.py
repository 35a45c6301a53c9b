"""FewLabelsExplorer: the numbers of the table."""

import pytest
from explorers import drive

from attnlab.trained import pretraining_runs
from widgets.explorers.l16_pretraining.few_labels import EACH, WAYS, FewLabelsExplorer


def test_every_control():
    drive(FewLabelsExplorer())


def test_rings_and_words_follow_the_choice():
    explorer = FewLabelsExplorer()
    table = pretraining_runs()["few_labels"]
    assert explorer.parts["controls"].changes["labels"]["names"] == ["1", "2", "4", "8", "16", "32"]
    for at, each in enumerate(EACH):
        explorer.labels = at
        rings = explorer.parts["chart"].trace(len(WAYS))
        assert list(rings["x"]) == [each] * len(WAYS)
        means = [sum(table[way][str(each)]) / 3 for way in WAYS]
        assert list(rings["y"]) == pytest.approx(means)
        for way, mean in zip(WAYS.values(), means, strict=True):
            assert f"{way[0]} {100 * mean:.0f}\u202f%" in repr(explorer.parts["caption"])


def test_the_bars_of_the_spread_are_lowest_and_highest():
    explorer = FewLabelsExplorer()
    runs = pretraining_runs()["few_labels"]["masked"]["4"]
    trace = explorer.parts["chart"].trace(0)
    at = EACH.index(4)
    assert trace["y"][at] + trace["error_y"]["array"][at] == pytest.approx(max(runs))
    assert trace["y"][at] - trace["error_y"]["arrayminus"][at] == pytest.approx(min(runs))


def test_all_of_the_table_is_offered():
    assert [list(map(int, row)) for row in pretraining_runs()["few_labels"].values()] == [EACH] * len(WAYS)
