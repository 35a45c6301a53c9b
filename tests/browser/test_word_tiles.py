"""WordTiles in a real browser: words hidden and shown by mouse and keyboard."""

import pytest

from widgets.instruments.word_tiles.word_tiles import WordTiles

pytestmark = pytest.mark.browser

WORDS = ["if", "the", "<b>object</b>", "is", "none"]
CUT = """() => {
    const right = document.getElementById("stage").getBoundingClientRect().right;
    const cut = (el) => el.scrollWidth > el.clientWidth + 1 || el.getBoundingClientRect().right > right;
    return [...document.querySelectorAll(".attnlab-tiles .tile")].filter(cut).map((el) => el.textContent);
}"""


@pytest.fixture
def tiles(bridge):
    return bridge.show(WordTiles(words=WORDS, below=["", "", "class", "", "it"], right=[4], editing=True))


def buttons(page):
    return page.locator(".attnlab-tiles button")


def press(bridge, place):
    buttons(bridge.page).nth(place).click()
    bridge.settle()


def test_a_press_hides_chooses_and_shows_again(bridge, page, tiles):
    seen = []
    for place in (1, 3, 1, 1):
        press(bridge, place)
        seen.append(list(tiles.hidden))
    assert seen == [[1], [1, 3], [3, 1], [3]]
    assert [one.get_attribute("aria-pressed") for one in buttons(page).all()] == [*["false"] * 3, "true", "false"]


def test_by_keyboard_the_focus_stays(bridge, page, tiles):
    buttons(page).nth(2).focus()
    page.keyboard.press("Space")
    bridge.settle()
    assert tiles.hidden == [2]
    assert page.evaluate("document.activeElement.dataset.place") == "2"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    bridge.settle()
    assert tiles.hidden == [2, 3]
    assert page.locator(".chosen").get_attribute("data-place") == "3", "the last one"


def test_the_kernel_hides_too(bridge, page, tiles):
    tiles.show(hidden=[0], marks=["hidden", "", "", "", ""], below=["it", "", "", "", ""], right=[])
    bridge.settle()
    assert buttons(page).nth(0).get_attribute("aria-label") == "if, hidden, below: it"
    assert page.locator(".chosen").count() == 1


def test_words_are_text_and_have_names(page, tiles):
    assert buttons(page).nth(2).get_attribute("aria-label") == "<b>object</b>, below: class"
    assert buttons(page).nth(4).get_attribute("aria-label") == "none, below: it, right"
    assert page.locator(".attnlab-tiles b").count() == 0


def test_without_editing_there_is_nothing_to_press(bridge, page):
    bridge.show(WordTiles(words=WORDS, marks=["hidden", "replaced", "asked", "", ""]))
    assert buttons(page).count() == 0
    assert page.locator(".attnlab-tiles .sr-only").nth(1).text_content() == "the, replaced"


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [700, 1400])
def test_nothing_is_cut(bridge, page, dark, width):
    page.set_viewport_size({"width": width + 60, "height": 900})
    bridge.wear(dark, width)
    bridge.show(WordTiles(words=["word"] * 64, below=["a_longer_word"] * 64, editing=True))
    page.wait_for_selector(".attnlab-tiles .tile")
    assert page.evaluate(CUT) == []
