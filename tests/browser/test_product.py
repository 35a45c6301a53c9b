"""Product in a real browser: every number drawn, mouse and keyboard change and select, the arithmetic is right."""

import numpy as np
import pytest
import torch
from hands import fingers

from attnlab import attend
from widgets.explorers.l04_query_key_value.additive_to_scaled import AdditiveToScaledExplorer
from widgets.explorers.l04_query_key_value.query_key_value import QueryKeyValueExplorer
from widgets.instruments.product.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.kept_page]

FIGURE = ".product .figure"


@pytest.fixture
def explorer(bridge):
    torch.set_num_threads(1)
    return bridge.show(QueryKeyValueExplorer())


def number(text):
    return float(text.replace("−", "-"))


def shown(page, name, rows, columns):
    """A table's numbers as the page writes them."""
    read = "all => Object.fromEntries(all.map((cell) => [cell.dataset.cell, cell.textContent]))"
    cells = page.locator(".product [data-cell]").evaluate_all(read)
    return np.array([[number(cells[f"{name} {r} {c}"]) for c in range(columns)] for r in range(rows)])


def centre(page, cell):
    """Where a cell is in the window, `cell` as in "queries 1 0"."""
    box = page.locator(f".product [data-cell='{cell}']").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def arithmetic(page):
    return [text.replace("\xa0", " ") for text in page.locator(".product .sum > *").all_text_contents()]


def press(bridge, page, *keys):
    for key in keys:
        page.keyboard.press(key)
    bridge.settle(20)


def test_every_number_is_drawn(page, explorer):
    product = explorer.parts["product"]
    for name, table in [
        ("queries", product.query),
        ("keys", product.key.T),
        ("values", product.value),
        ("context", product.context),
    ]:
        assert np.abs(shown(page, name, *table.shape) - table).max() < 0.006, name
    assert np.abs(shown(page, "scores", 4, 4) - product.scores[:, :4]).max() < 0.006
    assert np.abs(shown(page, "weights", 4, 4) - product.weights[:, :4]).max() < 0.006
    assert page.locator(".product [data-cell='weights 0 4']").count() == 0, "the padding is hatched, without a number"


def test_the_lectures_arithmetic(page, explorer):
    words = arithmetic(page)
    assert words[0] == "cat · chat"
    assert "0.8 · 1.2" in words[1]
    assert "(−0.3) · 0.5" in words[1]
    results = [words[i] for i in range(3, len(words), 5)]
    assert results == ["1.14", "0.66", "0.41", "(0.41, 0.17)"]
    assert words[-1] == "of (0.47, 0.21)"


# The least contrast of a number in a coloured cell with that cell.
CONTRAST = """() => {
    const luminance = (colour) => {
        const [r, g, b] = colour.match(/[\\d.]+/g).map((x) => x / 255)
            .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const cells = document.querySelectorAll(".product [data-cell^='scores'], .product [data-cell^='weights']");
    return Math.min(...[...cells].map((cell) => {
        const [a, b] = [cell, cell.previousElementSibling].map((el) => luminance(getComputedStyle(el).fill));
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    }));
}"""


@pytest.mark.parametrize("dark", [False, True])
def test_numbers_can_be_read_on_every_colour(bridge, page, dark):
    bridge.wear(dark)
    rows = np.linspace(0, 1, 36).reshape(6, 6)
    numbers = {"query": np.ones((6, 2)), "key": np.ones((6, 2)), "value": np.ones((6, 2)), "context": np.ones((6, 2))}
    bridge.show(Product(**numbers, scores=6 * rows - 3, weights=rows, limit=3.0))
    assert page.evaluate(CONTRAST) > 4.5


def test_a_click_selects(bridge, page, explorer):
    page.mouse.click(*centre(page, "weights 2 0"))
    bridge.settle()
    assert explorer.cell == [2, 0]
    assert arithmetic(page)[0] == "is · le"
    page.mouse.click(*centre(page, "scores 0 3"))
    bridge.settle()
    assert explorer.cell == [0, 3]


def test_a_masked_cell_says_so(bridge, page, explorer):
    explorer.cell = [1, 4]
    bridge.settle()
    assert any("−∞" in words for words in arithmetic(page))
    dashes = page.locator(".product svg line[stroke-dasharray='3 2']")
    assert dashes.count() == 4, "nothing stands over a masked key"


def test_the_arithmetic_knows_the_temperature(bridge, page, explorer):
    explorer.temperature = 0.5
    bridge.settle()
    scores = explorer.parts["product"].scores[1, :4] / 0.5
    told = "".join(arithmetic(page))
    assert all(f"{x:.2f}" in told for x in np.exp(scores))


def test_a_number_of_the_context_term_by_term(bridge, page, explorer):
    page.mouse.click(*centre(page, "context 1 1"))
    bridge.settle()
    words = arithmetic(page)
    assert words[-5] == "context, number 2"
    assert words[-2] == "0.21"
    page.mouse.click(*centre(page, "weights 1 1"))
    bridge.settle()
    assert arithmetic(page)[-5] == "adds to the context"


@pytest.mark.parametrize(
    ("cell", "name", "place"),
    [("queries 1 0", "query", (1, 0)), ("keys 2 1", "key", (1, 2)), ("values 3 1", "value", (3, 1))],
)
def test_dragging_a_number(bridge, page, explorer, cell, name, place):
    before = getattr(explorer, name)[place[0]][place[1]]
    context = explorer.context.clone()
    x, y = centre(page, cell)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 30, steps=3)
    bridge.settle()
    page.mouse.up()
    bridge.settle()
    assert getattr(explorer, name)[place[0]][place[1]] == pytest.approx(before + 0.5)
    assert (explorer.context - context).abs().max() > 0.01, "the context follows"
    product = explorer.parts["product"]
    assert np.abs(shown(page, "context", 4, 2) - product.context).max() < 0.006
    tables = [torch.tensor(rows) for rows in (explorer.query, explorer.key, explorer.value)]
    mask = torch.tensor([True, True, True, True, False])
    torch.testing.assert_close(explorer.context, attend(*tables, mask=mask).context)


def test_a_drag_is_taken_back_by_escape(bridge, page, explorer):
    before, (x, y) = explorer.query, centre(page, "queries 1 0")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 30, steps=3)
    bridge.settle()
    assert explorer.query != before
    press(bridge, page, "Escape")
    page.mouse.up()
    bridge.settle()
    assert explorer.query == before


def test_colours_keep_their_scale_while_a_hand_is_down(bridge, page, explorer):
    cell = page.locator(".product [data-cell='scores 0 0']")
    fill = lambda: cell.evaluate("(el) => el.previousElementSibling.getAttribute('fill')")  # noqa: E731
    before, (x, y) = fill(), centre(page, "queries 1 0")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 132, steps=3)
    bridge.settle()
    assert explorer.query[1][0] == 3
    assert fill() == before
    page.mouse.up()
    bridge.settle()
    assert fill() != before


def test_a_second_finger_changes_nothing(bridge, page, explorer):
    key, query = explorer.key[1][0], explorer.query[1][0]
    (x, y), (u, v) = centre(page, "queries 1 0"), centre(page, "keys 0 1")
    fingers(page, ["down", 1, x, y], ["down", 2, u, v], ["move", 1, x, y - 30], ["move", 2, u, 0], ["up", 2, u, 0])
    fingers(page, ["up", 1, x, y - 30])
    bridge.settle()
    assert explorer.query[1][0] == pytest.approx(query + 0.5)
    assert explorer.key[1][0] == key


def test_a_hand_elsewhere_paints_nothing(bridge, page, explorer):
    page.evaluate("""() => {
        window.painted = 0;
        const count = new MutationObserver((all) => { window.painted += all.length; });
        count.observe(document.querySelector(".product svg"), { childList: true });
    }""")
    page.mouse.click(5, 5)
    bridge.settle()
    assert page.evaluate("painted") == 0
    page.mouse.click(*centre(page, "weights 2 0"))
    bridge.settle()
    assert page.evaluate("painted") > 0


def test_a_narrow_figure_scrolls_to_the_chosen_number(bridge, page, explorer):
    bridge.wear(width=400)
    bridge.settle()
    page.locator(FIGURE).focus()
    for key, table in [("ArrowRight", "context 0 1"), ("ArrowLeft", "queries 0 0")]:
        press(bridge, page, *[key] * 16)
        box = page.locator(FIGURE).bounding_box()
        x, _ = centre(page, table)
        assert box["x"] < x < box["x"] + box["width"], table


def test_typing_a_number(bridge, page, explorer):
    page.mouse.click(*centre(page, "values 1 0"))
    bridge.settle()
    field = page.locator(".product input.field")
    assert field.input_value() == "1.0"
    page.keyboard.type("-2.5")
    press(bridge, page, "Enter")
    assert explorer.value[1][0] == -2.5
    assert field.is_hidden()
    assert page.locator(FIGURE).evaluate("el => el === document.activeElement")
    page.mouse.click(*centre(page, "values 1 0"))
    bridge.settle()
    page.keyboard.type("1.5")
    press(bridge, page, "Shift+Tab")
    assert explorer.value[1][0] == 1.5
    assert field.is_hidden(), "it closes with the focus"


def test_escape_takes_back_and_nonsense_is_refused(bridge, page, explorer):
    page.mouse.click(*centre(page, "queries 0 0"))
    bridge.settle()
    field = page.locator(".product input.field")
    for text in ["<b>", "9e9", "1..2", "∞"]:
        field.fill(text)
        bridge.settle(20)
        assert field.get_attribute("aria-invalid") == "true", text
        assert explorer.query[0][0] == -0.5
    field.fill("2")
    bridge.settle()
    assert explorer.query[0][0] == 2
    press(bridge, page, "Escape")
    assert explorer.query[0][0] == -0.5


def test_arrows_in_the_field_change_the_number(bridge, page, explorer):
    page.mouse.click(*centre(page, "queries 0 0"))
    bridge.settle()
    for _ in range(3):
        press(bridge, page, "ArrowUp")
    assert explorer.query[0][0] == pytest.approx(-0.2)
    assert page.locator(".product input.field").input_value() == "−0.2"
    press_up = "el.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp', bubbles: true }))"
    page.locator(".product input.field").evaluate(
        f"(el) => {{ for (let i = 0; i < 3; i++) {press_up}; }}"
    )  # three within one frame: none is lost
    bridge.settle(20)
    assert explorer.query[0][0] == pytest.approx(0.1)


def test_all_of_it_by_keyboard(bridge, page, explorer):
    page.locator(".attnlab.controls button").last.focus()
    page.keyboard.press("Tab")
    assert page.locator(FIGURE).evaluate("el => el === document.activeElement")
    assert page.locator(".product > [aria-live]").text_content() == "weight of cat to chat: 0.41"
    press(bridge, page, "ArrowRight")
    assert explorer.cell == [1, 2]
    press(bridge, page, "ArrowDown")
    assert explorer.cell == [2, 2]
    said = page.locator(".product > [aria-live]")
    assert said.text_content() == "weight of is to est: 0.52"
    press(bridge, page, *["ArrowLeft"] * 3)  # over the edge, into the scores
    assert said.text_content().startswith("score of is to pad: ") or "masked" in said.text_content()
    press(bridge, page, *["ArrowLeft"] * 5)
    assert said.text_content() == "query of is, number 3: −0.4, Enter to change"
    press(bridge, page, "Shift+ArrowUp")
    assert explorer.query[2][2] == pytest.approx(-0.3)
    assert said.text_content() == "query of is, number 3: −0.3, Enter to change"
    press(bridge, page, "7", "Escape")
    assert explorer.query[2][2] == pytest.approx(-0.3), "a digit opens the field, Escape closes it"
    assert said.text_content() == "query of is, number 3: −0.3, Enter to change"
    press(bridge, page, "3", "Enter", "Shift+ArrowUp")
    assert explorer.query[2][2] == explorer.parts["product"].reach == 3, "there it ends"
    press(bridge, page, "2", "Enter")
    assert explorer.query[2][2] == 2
    press(bridge, page, "ArrowRight", "ArrowUp", "ArrowUp", "ArrowUp")  # scores, up to the keys
    assert said.text_content().startswith("key of ")
    press(bridge, page, "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight")
    assert said.text_content().startswith("value of ")
    press(bridge, page, *["ArrowDown"] * 5)
    assert said.text_content().startswith("context of ")


def test_letters_are_no_commands_of_the_notebook(page, explorer):
    page.evaluate("window.heard = []; window.addEventListener('keydown', e => heard.push(e.key))")
    page.locator(FIGURE).focus()
    for key in ["d", "0", "x", "ArrowDown"]:
        page.keyboard.press(key)
    assert page.evaluate("heard") == []


def test_double_and_reset(bridge, page, explorer):
    page.get_by_role("button", name="double every key").click()
    bridge.settle()
    assert explorer.key[1][0] == 2.4
    assert shown(page, "keys", 3, 5)[0, 1] == 2.4
    page.get_by_role("button", name="reset").click()
    bridge.settle()
    assert explorer.key[1][0] == 1.2
    assert shown(page, "keys", 3, 5)[0, 1] == 1.2


def test_numbers_as_text(bridge, page, explorer):
    page.get_by_role("button", name="all numbers as text").click()
    bridge.settle()
    assert page.locator(".product table").count() == 6
    assert page.locator(".product table").nth(3).locator("td").nth(4).text_content() == "masked"


def play(page, product, sequence, state):
    message = {"kind": "frame", "sequence": sequence, "state": state}
    page.evaluate("([id, message]) => models.get(id).trigger('msg:custom', message)", [product.model_id, message])


def test_a_frame_plays_until_the_kernel_has_caught_up(bridge, page, explorer):
    product = explorer.parts["product"]
    play(page, product, 3, {"other_name": "from the frame"})
    bridge.settle()
    assert page.get_by_text("from the frame").count() == 1
    product.show(temperature=2.0, sequence=2)
    bridge.settle()
    assert page.get_by_text("from the frame").count() == 1
    product.show(temperature=1.5, sequence=3)
    bridge.settle()
    assert page.get_by_text("from the frame").count() == 0


@pytest.mark.parametrize("width", [700, 1000, 1400])
@pytest.mark.parametrize("step", [1, 5])
def test_it_fits(bridge, page, width, step):
    page.set_viewport_size({"width": width + 40, "height": 900})
    page.locator("#stage").evaluate(f"el => el.style.width = '{width}px'")
    for explorer in [QueryKeyValueExplorer(), AdditiveToScaledExplorer(step=step)]:
        bridge.show(explorer)
    for figure in page.locator(FIGURE).all():
        assert figure.evaluate("el => el.scrollWidth <= el.clientWidth")
    crossing = page.evaluate("""() => [...document.querySelectorAll('.product svg')].flatMap(svg => {
      const texts = [...svg.querySelectorAll('text')].filter(t => t.textContent);
      const words = texts.map(t => [t.textContent, t.getBoundingClientRect()]);
      const found = [];
      for (const [i, [a, p]] of words.entries()) for (const [b, q] of words.slice(i + 1)) {
        const x = Math.min(p.right, q.right) - Math.max(p.left, q.left);
        const y = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
        if (x > 1 && y > 4) found.push(`${a} | ${b}`);
      }
      return found;
    })""")
    assert crossing == [], "texts lie on each other"


def test_steps_by_hand(bridge, page):
    explorer = bridge.show(AdditiveToScaledExplorer(step=2))
    x, y = centre(page, "queries 0 0")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 24, steps=2)
    page.mouse.up()
    bridge.settle()
    assert explorer.query[0][0] == pytest.approx(1.2)
    assert len(explorer.query) == 3, "the other queries wait"
    explorer.step = 5
    bridge.settle()
    assert shown(page, "queries", 3, 3)[0, 0] == 1.2
    assert explorer.inputs[1][0] == 1.2, "keys that are made of the inputs do not become inputs"


def test_labels_are_text(bridge, page):
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    words = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "x" * 5000, "🎉", ""]
    found = attend(torch.randn(5, 2), torch.randn(5, 2), torch.randn(5, 2))
    product = Product(query_labels=words, key_labels=words)
    product.show(query=torch.randn(5, 2), key=torch.randn(5, 2), value=torch.randn(5, 2), **found._asdict())
    bridge.show(product)
    assert page.locator(".product :is(script, img)").count() == 0


def test_closing_the_view_lets_go(bridge, page, explorer):
    page.evaluate("controllers.forEach(c => c.abort())")
    assert page.evaluate("id => models.get(id).listeners.length", explorer.parts["product"].model_id) == 0
