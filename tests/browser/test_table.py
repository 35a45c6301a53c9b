"""Table in a real browser: rows in order, sorting by mouse and keyboard, bars that are the numbers."""

import pytest
from bridge import Bridge, kernel
from playwright.sync_api import expect

from widgets.instruments.table.table import Table

pytestmark = pytest.mark.browser

COLUMNS = {
    "score": ["dot", "general", "location"],
    "parameters": [0, 1024, 192],
    "right": [[0.8, 1.0], [1.0, 1.0], [0.3, 0.32]],
}


@pytest.fixture
def table(bridge):
    return bridge.show(Table(COLUMNS, sort="right", title="two seeds", roles={"right": "context"}))


def rows(page):
    return page.locator(".attnlab-table tbody th").all_text_contents()


def test_rows_and_their_words(page, table):
    assert rows(page) == ["general", "dot", "location"]
    assert page.locator(".attnlab-table tbody tr").nth(1).text_content() == "dot00.900.80 to 1.00"
    assert "1,024" in page.locator(".attnlab-table tbody tr").first.text_content()
    assert page.locator(".attnlab-table caption").text_content() == "two seeds"


def test_what_cannot_be_measured_is_a_dash(page, bridge):
    bridge.show(Table({"score": ["dot", "none"], "right": [[0.8, 1.0], None]}))
    cell = page.locator(".attnlab-table tbody tr").nth(1).locator("td")
    assert cell.text_content() == "–"
    assert cell.get_attribute("aria-label") == "not measured"


def test_five_columns_of_measurements_fit_where_there_is_little_room(page):
    page.set_viewport_size({"width": 760, "height": 400})
    with kernel():
        bridge = Bridge(page, width=700)
        measured = {f"{digits} digits": [[0.37, 0.92], [0.87, 0.95]] for digits in (4, 6, 8, 10, 12)}
        bridge.show(Table({"model": ["32 numbers, 2800 steps", "b"], "parameters": [18477, 20589], **measured}))
        wide, room = page.locator(".attnlab-table").evaluate("(el) => [el.scrollWidth, el.clientWidth]")
        assert wide <= room


def test_a_bar_is_its_mean_and_a_line_its_range(page, table):
    bar = page.locator(".attnlab-table tbody tr").nth(1).locator("svg")
    assert float(bar.locator("rect").nth(1).get_attribute("width")) == pytest.approx(90)
    assert [float(bar.locator("line").first.get_attribute(end)) for end in ("x1", "x2")] == pytest.approx([80, 100])


def test_bars_of_large_numbers_reach_to_the_largest(page, bridge):
    bridge.show(Table({"hidden": ["nothing", "the first"], "loss": [[3.0, 3.2], [6.0, 6.2]]}))
    bars = page.locator(".attnlab-table .measured svg")
    assert [float(bars.nth(i).locator("rect").nth(1).get_attribute("width")) for i in (0, 1)] == pytest.approx(
        [50, 98.4], abs=0.1
    )
    assert float(bars.nth(1).locator("line").first.get_attribute("x2")) == pytest.approx(100)


def test_bars_of_shares_reach_to_one_and_numbers_have_their_minus(page, bridge):
    bridge.show(Table({"score": ["dot"], "right": [[0.301, 0.304]], "gain": [-1.5]}))
    row = page.locator(".attnlab-table tbody tr")
    assert float(row.locator("rect").nth(1).get_attribute("width")) == pytest.approx(30.25)
    assert row.text_content() == "dot0.30−1.5", "no range from 0.30 to 0.30"


def test_a_head_sorts_and_turns_the_order_round(bridge, page, table):
    head = page.get_by_role("button", name="parameters")
    head.click()
    bridge.settle()
    assert (table.sort, table.descending, rows(page)) == ("parameters", True, ["general", "location", "dot"])
    expect(page.get_by_role("columnheader", name="parameters")).to_have_attribute("aria-sort", "descending")
    head.press("Enter")
    bridge.settle()
    assert (table.descending, rows(page)) == (False, ["dot", "location", "general"])
    assert head.evaluate("(el) => el === document.activeElement"), "the focus stays on the head"
    page.get_by_role("button", name="score").click()
    bridge.settle()
    assert rows(page) == ["dot", "general", "location"], "texts from a to z"


def test_what_python_sorts_is_seen(bridge, page, table):
    table.sort = "score"
    bridge.settle()
    assert rows(page) == ["location", "general", "dot"]


@pytest.mark.parametrize(("dark", "width"), [(False, 700), (True, 1000), (False, 1400)])
def test_it_fits(page, dark, width):
    with kernel():
        Bridge(page, dark=dark, width=width).show(Table(COLUMNS, title="a title"))
        assert page.locator(".attnlab-table").evaluate("(el) => el.scrollWidth <= el.clientWidth")
