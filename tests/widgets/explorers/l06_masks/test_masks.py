"""MasksExplorer shows what attend gives under a mask that was chosen, joined or painted."""

import numpy as np
import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab import attend, causal, document, padding, prefix, window
from widgets.explorers.l06_masks.masks import COUNT, DOCUMENTS, KEY, KINDS, QUERY, MasksExplorer

WANTED = {
    "everything": torch.ones(8, 8, dtype=torch.bool),
    "causal": causal(8),
    "window": window(8, radius=2),
    "prefix": prefix(8, length=2),
    "document": document(DOCUMENTS),
    "padding": padding(torch.tensor([6]), 8)[0].expand(8, 8),
}


@pytest.fixture
def explorer():
    return MasksExplorer(size=2, first="everything")


def said(explorer):
    return repr(explorer.parts["caption"])


def test_every_control(explorer):
    drive(explorer)
    for join in ("and (&)", "or (|)"):
        explorer.join = join
        drive(explorer)


@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("second", KINDS)
def test_masks_and_their_joins(explorer, first, second):
    explorer.change(first=first, second=second)
    for join, wanted in (
        ("alone", WANTED[first]),
        ("and (&)", WANTED[first] & WANTED[second]),
        ("or (|)", WANTED[first] | WANTED[second]),
    ):
        explorer.join = join
        assert torch.equal(explorer.mask, wanted)
        torch.testing.assert_close(explorer.weights, attend(QUERY, KEY, KEY, mask=wanted).weights)
        code_gives_the_picture(explorer)


def test_what_is_masked_goes_to_the_others_in_proportion(explorer):
    free = explorer.weights[4].clone()
    explorer.change(first="padding", cell=[0, 4, 6])
    kept = explorer.weights[4, :6]
    torch.testing.assert_close(kept / free[:6], torch.full((6,), 1 / free[:6].sum().item()))
    assert f"are {1 / free[:6].sum():.2f} times what they were; the row sums to 1.00" in said(explorer)


def paint(explorer, *cells):
    mask = explorer.parts["matrix"].mask.copy()
    for query, key in cells:
        mask[0, query, key] = 1 - mask[0, query, key]
    explorer.parts["matrix"].mask = mask


def test_a_mask_that_is_taken_away_hides_nothing(explorer):
    explorer.parts["matrix"].mask = None
    assert (explorer.first, explorer.join) == ("painted", "alone")
    assert explorer.mask.all()
    assert explorer.parts["matrix"].mask.all()


def test_a_painted_cell(explorer):
    explorer.first = "causal"
    paint(explorer, (2, 0), (2, 5))
    assert (explorer.first, explorer.join) == ("painted", "alone")
    wanted = causal(8)
    wanted[2, 0], wanted[2, 5] = False, True
    assert torch.equal(explorer.mask, wanted)
    torch.testing.assert_close(explorer.weights, attend(QUERY, KEY, KEY, mask=wanted).weights)
    code_gives_the_picture(explorer)
    paint(explorer, (2, 0))
    assert explorer.mask[2, 0]
    explorer.change(join="and (&)", second="window")
    assert torch.equal(explorer.mask, (wanted | (causal(8) & ~wanted)) & window(8, radius=2))
    explorer.reset()
    assert (explorer.first, explorer.painted) == ("everything", None)
    assert explorer.mask.all()


def test_an_empty_row_is_zero_and_said_so(explorer):
    paint(explorer, *((3, key) for key in range(COUNT)))
    explorer.cell = [0, 3, 0]
    assert (explorer.weights[3] == 0).all()
    assert (explorer.result.context[3] == 0).all()
    assert np.isfinite(explorer.parts["matrix"].values).all()
    assert "“fish” may look at nothing" in said(explorer)


def test_it_begins_wide_open():
    explorer = MasksExplorer()
    assert explorer.mask.all()
    explorer.size = 0
    assert torch.equal(explorer.weights, torch.eye(8))


def test_only_what_has_a_size_has_a_slider(explorer):
    def idle():
        return {name: change["disabled"] for name, change in explorer.parts["controls"].changes.items()}

    assert idle() == {"size": True, "second": True}
    explorer.first = "window"
    assert idle() == {"size": False, "second": True}
    explorer.change(first="causal", join="or (|)", second="prefix")
    assert idle() == {"size": False, "second": False}
    explorer.second = "document"
    assert idle() == {"size": True, "second": False}


def test_a_column_may_be_selected(explorer):
    explorer.cell = [0, -1, 3]
    assert "64 of 64 pairs are allowed" in said(explorer)
