"""OneOrTwoHeadsExplorer: which pairs of letters one head confuses, and two heads do not."""

import pytest
import torch
from explorers import drive

from widgets.explorers.l08_many_heads.one_or_two_heads import PAIRS, OneOrTwoHeadsExplorer


def said(explorer) -> str:
    return repr(explorer.parts["caption"])


def test_every_control():
    drive(OneOrTwoHeadsExplorer())


def test_half_and_half_loses_the_order_and_two_heads_keep_it():
    explorer = OneOrTwoHeadsExplorer()
    assert "nine pairs have 6 different contexts" in said(explorer)
    assert "nine pairs have 5 different contexts" in said(explorer)
    explorer.share = 1.0
    assert "nine pairs have 3 different contexts" in said(explorer)
    assert "all nine pairs differ, the closest two by 1.00" in said(explorer)


def test_no_share_of_one_head_keeps_the_pairs_as_far_apart_as_two_heads():
    explorer = OneOrTwoHeadsExplorer()
    gaps = []
    for share in explorer.positions("share"):
        explorer.share = share
        gaps.append(torch.pdist(explorer.one).min().item())
    assert max(gaps) == pytest.approx(0.52, abs=0.01)
    assert torch.pdist(explorer.two).min().item() == pytest.approx(1)


@pytest.mark.parametrize("name", ["one", "two"])
def test_each_point_bears_the_names_of_all_pairs_there(name):
    explorer = OneOrTwoHeadsExplorer()
    for share in (0.0, 0.5, 0.7):
        explorer.share = share
        trace, found = explorer.parts[name].trace(0), getattr(explorer, name)
        named = [names.split(", ") for names in trace["text"]]
        assert sorted(pair for names in named for pair in names if pair) == PAIRS
        for at, names in enumerate(named):
            for pair in filter(None, names):
                torch.testing.assert_close(found[at], found[PAIRS.index(pair)])
