"""Explorers of lesson 17 in the page, as a hand uses them."""

import pytest

from attnlab import trained
from widgets.explorers.l17_real_models.score_sources import ScoreSourcesExplorer

pytestmark = pytest.mark.browser


def said(page):
    return page.locator(".attnlab.caption .say").inner_text()


def test_a_part_is_chosen_and_cut_by_hand(bridge):
    """By the pointer and by keys: the weight falls with one part of its score, and stands without another."""
    explorer = bridge.show(ScoreSourcesExplorer(trained.induction().model, trained.LETTERS))
    page = bridge.page
    assert "most of it, 3.7, is made by the query's token with the key's head 1.1." in said(page)
    page.get_by_role("switch", name="cut the chosen part").click()
    bridge.settle()
    assert "on “a” (letter 10), not 79" in said(page)
    page.locator("canvas").last.focus()
    page.keyboard.press("ArrowDown")  # the query's position, in place of its token
    bridge.settle()
    assert explorer.part == [0, 1, 2]
    assert "Without the query's position with the key's head 1.1" in said(page)
    page.get_by_role("textbox", name="text").fill("potter harry po")
    page.keyboard.press("Enter")
    bridge.settle()
    assert explorer.text == "potter harry po"
    assert "“o” (letter 15)" in said(page)


def test_a_text_that_cannot_be_read_says_why(bridge):
    explorer = bridge.show(ScoreSourcesExplorer(trained.induction().model, trained.LETTERS))
    before = said(bridge.page)
    bridge.page.get_by_role("textbox", name="text").fill("mozart 1756")
    bridge.page.keyboard.press("Enter")
    bridge.settle()
    assert bridge.page.get_by_role("alert").inner_text() == (
        "expected letters from a to z and blanks, as in training, got “1”"
    )
    assert said(bridge.page) == before
    assert explorer.text == "mozart 1756"
