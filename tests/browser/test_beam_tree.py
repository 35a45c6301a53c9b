"""BeamTree in a real browser: what is drawn, what mouse, keyboard and a screen reader get, and frames."""

import pytest
import torch
from bridge import Bridge, kernel
from playwright.sync_api import expect
from search_nodes import NODES as SEARCH
from search_nodes import node

from attnlab.seq2seq import AttentionSeq2Seq
from attnlab.tasks import TASKS
from widgets.explorers.l02_looking_back.beam_search import BeamSearchExplorer
from widgets.instruments.beam_tree.beam_tree import BeamTree

pytestmark = pytest.mark.browser

QUERY = "#E69F00"


# With a last word of greedy's, where no beam went on.
NODES = [*SEARCH, node(8, 6, 4, "más", -2.0, "greedy")]


@pytest.fixture
def tree(bridge):
    return bridge.show(BeamTree(NODES, best=5, greedy=[0, 3, 6, 8]))


def at(page, id):
    return page.locator(f".attnlab-tree [data-id='{id}']")


def texts(page, selector):
    return page.locator(f".attnlab-tree {selector}").all_text_contents()


def drawn(page, which=""):
    nodes = page.locator(f".attnlab-tree .node{which}")
    return sorted(map(int, nodes.evaluate_all("all => all.map(n => n.dataset.id)")))


def test_every_node_is_drawn_with_token_and_log_probability(page, tree):
    assert drawn(page) == list(range(9))
    assert "espacio" in at(page, 2).text_content()
    assert "−1.00" in at(page, 2).text_content()
    assert at(page, 5).locator(".end").count() == 1
    assert "score −0.37" in at(page, 5).text_content()
    assert "dropped" in at(page, 4).get_attribute("class")


def test_places_are_the_kernels(page, tree):
    for n in tree.nodes:
        top = at(page, n["id"]).locator(".hit").evaluate("hit => hit.getBBox().y")
        assert top == pytest.approx(30 + n["y"] - (11 if n["status"] == "dropped" else 22), abs=0.01)


def test_bars_are_probabilities_of_the_token(page, tree):
    def bar(id):
        return float(at(page, id).locator("rect[fill]").first.get_attribute("width"))

    assert bar(2) / bar(1) == pytest.approx(0.9048 / 0.4066, rel=1e-3)


def test_best_path_in_the_query_colour_and_greedy_dashed(page, tree):
    assert page.locator(f".attnlab-tree path[stroke='{QUERY}']").count() == 4  # three edges and the start
    assert page.locator(".attnlab-tree .edge.greedy").count() == 5
    assert texts(page, ".name") == ["best", "greedy"]
    assert drawn(page, ".best") == [1, 2, 5]


def test_unrolling_draws_no_later_column_and_keeps_the_size(bridge, page, tree):
    size = page.locator(".attnlab-tree svg[role=tree]").bounding_box()
    tree.show(step=2, best=2)
    bridge.settle()
    assert drawn(page) == [0, 1, 2, 3, 4]
    assert page.locator(".attnlab-tree svg[role=tree]").bounding_box() == size
    tree.show(step=0, best=-1)
    bridge.settle()
    assert drawn(page) == []
    assert "start" in texts(page, ".name")


def test_click_selects_and_reads_out(bridge, page, tree):
    at(page, 4).locator(".hit").click()
    bridge.settle()
    assert tree.selected == 4
    assert "la casa" in page.locator(".says").text_content()
    facts = page.locator(".facts").text_content()
    assert "probability 0.27" in facts
    assert "log-probability −1.90 = −0.60 + log 0.27" in facts
    assert "score −0.95 = −1.90 / 2" in facts
    assert page.locator(".why").text_content().startswith("dropped: step 2 had 2 places")
    at(page, 4).locator(".hit").click()
    bridge.settle()
    assert tree.selected == -1


def test_a_picture_drawn_during_a_click_does_not_lose_it(bridge, page, tree):
    box = at(page, 4).locator(".hit").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 10)
    bridge.settle()
    page.mouse.down()
    tree.more = [0, 7]
    bridge.settle()
    page.mouse.up()
    bridge.settle()
    assert tree.selected == 4


def test_a_screen_reader_presses_without_a_pointer(bridge, page, tree):
    at(page, 3).dispatch_event("click")
    bridge.settle()
    assert tree.selected == 3


def test_hover_reads_out_without_selecting(bridge, page, tree):
    assert "el espacio" in page.locator(".says").text_content()  # nothing chosen: the best
    at(page, 3).locator(".hit").hover()
    bridge.settle()
    assert "la zona" in page.locator(".says").text_content()
    assert tree.selected == -1
    page.mouse.move(2, 2)
    bridge.settle()
    assert "el espacio" in page.locator(".says").text_content()


@pytest.mark.parametrize("width", [480, 584, 700, 1000])
def test_the_read_out_is_whole_at_every_width(page, width):
    with kernel():
        bridge = Bridge(page, width=width)
        bridge.show(BeamTree(NODES, best=5, greedy=[0, 3, 6, 8]))
        for id in (4, 8):
            at(page, id).locator(".hit").hover()
            bridge.settle()
            assert not page.locator(".facts").evaluate("""(el) => { const box = el.getBoundingClientRect();
                const boxes = [...el.children].map((child) => child.getBoundingClientRect());
                return boxes.some((b) => b.right > box.right + 4 || b.bottom > box.bottom + 4); }""")


def test_read_out_never_changes_the_height(bridge, page, tree):
    height = page.locator(".attnlab-tree").bounding_box()["height"]
    for id in range(9):
        at(page, id).locator(".hit").hover()
        bridge.settle()
        assert page.locator(".attnlab-tree").bounding_box()["height"] == height


def test_arrows_walk_the_tree_and_are_announced(bridge, page, tree):
    svg = page.locator(".attnlab-tree svg[role=tree]")
    svg.focus()
    walk = [
        ("ArrowRight", 0),
        ("ArrowRight", 3),
        ("ArrowDown", 4),
        ("ArrowUp", 3),
        ("ArrowLeft", 0),
        ("ArrowDown", 1),
        ("ArrowDown", 1),
        ("End", 5),
        ("Home", -1),
    ]
    for key, expected in walk:
        page.keyboard.press(key)
        bridge.settle(20)
        assert tree.selected == expected, key
    page.keyboard.press("End")
    bridge.settle()
    said = page.locator("[aria-live]").text_content()
    assert "<EOS>, step 3, finished" in said
    assert "on the best path" in said
    assert svg.get_attribute("aria-activedescendant") == at(page, 5).get_attribute("id")
    assert at(page, 5).get_attribute("aria-selected") == "true"


def test_selection_from_the_kernel(bridge, page, tree):
    tree.selected = 7
    bridge.settle()
    assert "el espacio europeo" in page.locator(".says").text_content()
    tree.step = 2  # the chosen node is not drawn: nothing is chosen
    bridge.settle()
    assert page.locator(".attnlab-tree .chosen").count() == 0


def test_numbers_table(bridge, page, tree):
    button = page.get_by_role("button", name="numbers")
    assert page.locator(".attnlab-tree table").count() == 0
    button.press("Enter")
    bridge.settle()
    assert button.get_attribute("aria-expanded") == "true"
    assert texts(page, "tbody tr:nth-child(1) td") == ["1", "la", "la", "0.55", "−0.60", "−0.60", "kept, greedy"]
    assert page.locator(".attnlab-tree tbody tr").count() == 9
    tree.show(step=1, best=0)
    bridge.settle()
    assert page.locator(".attnlab-tree tbody tr").count() == 2, "what is not unrolled yet is not told"
    button.click()
    expect(page.locator(".attnlab-tree .numbers")).to_be_hidden()


def play(page, tree, sequence, state):
    message = {"kind": "frame", "sequence": sequence, "state": state}
    page.evaluate("([id, message]) => models.get(id).trigger('msg:custom', message)", [tree.model_id, message])


def test_a_frame_plays_until_the_kernel_has_caught_up(bridge, page, tree):
    play(page, tree, 3, {"step": 1, "best": 0})
    bridge.settle()
    assert drawn(page) == [0, 1]
    tree.show(step=3, sequence=2)  # an answer to an older position
    bridge.settle()
    assert drawn(page) == [0, 1]
    tree.show(step=2, sequence=3)
    bridge.settle()
    assert drawn(page) == [0, 1, 2, 3, 4]


def test_tokens_are_text(bridge, page):
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    bad = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "🎉", "سلام", "x" * 10000, " ", ""]
    nodes = [node(i, -1, 1, token, -1.0 - i, "kept" if i % 2 else "dropped") for i, token in enumerate(bad)]
    tree = bridge.show(BeamTree(nodes))
    page.get_by_role("button", name="numbers").click()
    for id in range(len(bad)):
        tree.selected = id
        bridge.settle(20)
    assert page.locator(".attnlab-tree :is(script, img)").count() == 0
    assert page.locator(".attnlab-tree").bounding_box()["width"] <= 1000
    assert page.locator(".attnlab-tree svg[role=tree]").bounding_box()["width"] <= 1000


def chain(length, width=5, token="económico"):
    """A full beam: every step keeps `width` and drops three."""
    nodes, id, kept = [], 0, [-1]
    for step in range(1, length + 1):
        grown = []
        for i in range(width + 3):
            parent = kept[min(i, len(kept) - 1)]
            nodes.append(node(id, parent, step, token, -step - i / 10, "kept" if i < width else "dropped"))
            grown += [id] if i < width else []
            id += 1
        kept = grown
    return nodes


@pytest.mark.parametrize(
    ("steps", "token", "width", "fits"),
    [(10, "económico", 1000, True), (11, "7", 700, True), (20, "económico", 700, False), (20, "7", 1400, True)],
)
def test_long_searches_fit_or_scroll(bridge, page, steps, token, width, fits):
    page.locator("#stage").evaluate(f"el => el.style.width = '{width}px'")
    tree = bridge.show(BeamTree(chain(steps, token=token), step=1))
    scroller = page.locator(".attnlab-tree .scroller")
    assert scroller.evaluate("el => el.scrollWidth <= el.clientWidth") is fits
    tree.step = steps
    bridge.settle()
    right = scroller.evaluate("el => el.getBoundingClientRect().right")
    last = at(page, tree.nodes[-1]["id"]).bounding_box()
    assert last["x"] + 30 < right + 1
    page.locator(".attnlab-tree svg[role=tree]").focus()
    for key in ("ArrowRight", "End"):
        page.keyboard.press(key)
        bridge.settle()
    for key in ("ArrowLeft", *["ArrowRight"] * steps):
        page.keyboard.press(key)
        bridge.settle(20)
        box = at(page, tree.selected).bounding_box()
        frame = scroller.bounding_box()
        assert frame["x"] - 1 <= box["x"] < frame["x"] + frame["width"], "a step by a key stays in sight"


def test_nothing_to_draw(bridge, page):
    tree = bridge.show(BeamTree())
    page.locator(".attnlab-tree svg[role=tree]").focus()
    for key in ["ArrowRight", "ArrowDown", "End"]:
        page.keyboard.press(key)
    bridge.settle()
    assert tree.selected == -1


def test_closing_the_view_lets_go(bridge, page, tree):
    page.evaluate("controllers.forEach(c => c.abort())")
    assert page.evaluate("id => models.get(id).listeners.length", tree.model_id) == 0


def test_what_is_not_drawn_is_counted(bridge, page, tree):
    assert texts(page, ".more") == []
    tree.more = [0, 7, 2]
    bridge.settle()
    assert texts(page, ".more") == ["7 more", "2 more"]
    tree.step = 2
    bridge.settle()
    assert texts(page, ".more") == ["7 more"]


def test_the_end_of_greedy_search_outside_the_beam(bridge, page):
    nodes = [*NODES[:-1], node(8, 4, 3, "<EOS>", -2.1, "greedy")]
    bridge.show(BeamTree(nodes, best=5, greedy=[0, 4, 8], selected=8))
    assert "score −0.70" in at(page, 8).text_content()
    assert page.locator(".says").text_content() == "text so far la casa then <EOS>"
    assert "greedy search went on here alone" in page.locator(".why").text_content()


def test_long_texts_keep_their_end_in_sight(bridge, page):
    words = [f"palabra{i}" for i in range(20)]
    nodes = [node(i, i - 1, i + 1, word, -0.1 * (i + 1)) for i, word in enumerate(words)]
    tree = bridge.show(BeamTree(nodes, selected=0))
    height = page.locator(".attnlab-tree").bounding_box()["height"]
    tree.selected = 19
    bridge.settle()
    assert page.locator(".attnlab-tree").bounding_box()["height"] == height
    said = page.locator(".says")
    assert said.evaluate("el => el.scrollWidth <= el.clientWidth")
    assert said.text_content().startswith("text so far …")
    assert said.text_content().endswith("palabra18 palabra19")


@pytest.fixture
def explorer(bridge):
    torch.set_num_threads(1)
    torch.manual_seed(3)
    task = TASKS["phrasebook"]()
    model = AttentionSeq2Seq(len(task.source_vocabulary), len(task.target_vocabulary), hidden=8)
    return bridge.show(BeamSearchExplorer(model, task, "we are eating bread", width=2))


def test_explorer_by_keyboard(bridge, page, explorer):
    columns = len(texts(page, ".head"))
    page.get_by_role("slider", name="beam width").focus()
    page.keyboard.press("ArrowRight")
    bridge.settle()
    assert explorer.width == 3
    assert len(drawn(page)) == len(explorer.parts["tree"].nodes)
    page.locator("[data-model] button:not([disabled])").first.focus()
    page.keyboard.press("Enter")  # to the first step
    bridge.settle()
    assert explorer.step == 1
    assert drawn(page) == sorted(n["id"] for n in explorer.parts["tree"].nodes if n["step"] == 1)
    assert len(texts(page, ".head")) == columns


def test_explorer_says_what_it_does_not_know(bridge, page, explorer):
    before = drawn(page)
    page.get_by_role("textbox").fill("we are eating <img src=x onerror=alert(1)>")
    page.keyboard.press("Enter")
    bridge.settle()
    assert explorer.parts["caption"].error
    assert page.get_by_text("<img src=x").count() >= 1
    assert page.locator("img").count() == 0
    assert drawn(page) == before
