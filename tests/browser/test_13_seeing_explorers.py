"""The explorers of lesson 13 in a real browser: the page's numbers are torch's, hands move weights and hide parts."""

import pytest
import torch
from axe import serious

from attnlab import SCORES
from attnlab.tasks.base import EOS
from attnlab.tasks.scenes import Scenes
from attnlab.vision import Answerer, Captioner, FixedCaptioner, HardCaptioner
from widgets.explorers.l13_seeing.captions import FIXED, HARD, HIDE, SOFT, CaptionExplorer
from widgets.explorers.l13_seeing.gaze_path import GazePathExplorer
from widgets.explorers.l13_seeing.one_map import OneMapExplorer
from widgets.explorers.l13_seeing.questions import QuestionExplorer

pytestmark = [pytest.mark.browser, pytest.mark.kept_page]

CUT = """() => [...document.querySelectorAll('.controls button, .controls span, .caption p, .picture p')].filter((el) =>
    el.clientWidth > 2 && el.scrollWidth > el.clientWidth + 1 && getComputedStyle(el).overflow === 'hidden').length"""
BESIDE = """() => {
    const boxes = [...document.querySelectorAll('.attnlab')].filter((el) => el.offsetHeight)
        .map((el) => el.getBoundingClientRect());
    const wrong = [];
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
        const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (x > 1 && y > 1) wrong.push([a.x, a.y, b.x, b.y]);
    }));
    return wrong;
}"""


@pytest.fixture(scope="module")
def task():
    return Scenes(size=20, tests=4)


def talkative(model):
    """Untrained, but not one that stops at once."""
    torch.nn.init.constant_(model.decoder.output.bias[EOS : EOS + 1], -1.0)
    return model.eval()


@pytest.fixture(scope="module")
def models(task):
    torch.manual_seed(3)
    kinds = {SOFT: Captioner, HARD: HardCaptioner, FIXED: FixedCaptioner}
    return {name: talkative(kind(len(task.vocabulary), hidden=16)) for name, kind in kinds.items()}


@pytest.fixture
def explorer(bridge, models, task):
    return bridge.show(CaptionExplorer(models, task, task.test))


def cell(page, picture, row, column, panel=0):
    root = f"document.querySelector('[data-model=\"{picture.model_id}\"]')"
    place = page.evaluate(f"{root}.attnlab.cell({panel}, {row}, {column})")
    return place["x"], place["y"]


def read(page, row, column, picture, panel=0):
    """The weight that the page tells under the pointer."""
    page.mouse.move(*cell(page, picture, row, column, panel))


def told(page, picture):
    return page.locator(f'[data-model="{picture.model_id}"] .read').inner_text().split()


def drag(bridge, page, picture, start, end):
    page.mouse.move(*cell(page, picture, *start))
    page.mouse.down()
    page.mouse.move(*cell(page, picture, *end), steps=5)
    bridge.settle()
    page.mouse.up()
    bridge.settle()


def test_the_pages_numbers_are_torchs(bridge, page, explorer):
    picture = explorer.parts["picture"]
    explorer.word = 2
    bridge.settle()
    weights = explorer.result.steps.weights[2]
    place = int(weights.argmax())
    read(page, place // 8, place % 8, picture)
    bridge.settle()
    assert float(told(page, picture)[1]) == pytest.approx(float(weights.max()), abs=0.005)
    bars = page.evaluate("[...document.querySelector('.js-plotly-plot').data[0].y]")
    chances = explorer.result.steps.probabilities[2]
    assert bars == pytest.approx([*chances[3:-1].tolist(), chances[EOS].item()], abs=1e-3)
    assert page.locator(".controls .at").nth(1).inner_text() == explorer.result.words[2]


def test_weight_is_dragged_and_the_next_words_follow(bridge, page, explorer):
    picture, own = explorer.parts["picture"], explorer.result.steps
    drag(bridge, page, picture, (1, 1), (6, 6))
    assert list(explorer.edits) == ["0"]
    row = explorer.result.steps.weights[0]
    assert float(row[0:3, 0:3].sum()) == pytest.approx(0, abs=1e-6), "what lay around went along"
    assert float(row.sum()) == pytest.approx(1, abs=1e-5)
    assert not torch.allclose(explorer.result.steps.probabilities[0], own.probabilities[0])
    assert "weights by hand" in repr(picture)
    page.locator(".picture").hover()
    page.get_by_label("reset").or_(page.get_by_text("reset")).first.click()
    bridge.settle()
    assert explorer.edits == {}
    torch.testing.assert_close(explorer.result.steps.weights, own.weights)


def test_a_part_is_hidden_by_hand(bridge, page, explorer):
    explorer.hand = HIDE
    bridge.settle()
    picture = explorer.parts["picture"]
    drag(bridge, page, picture, (2, 2), (2, 5))
    assert (explorer.mask[0, 2, 2:6] == 0).all()
    assert float(explorer.result.steps.weights[:, 2, 2:6].max()) == 0
    explorer.look = FIXED
    bridge.settle()
    assert picture.weights[0, 0, 2, 3] == 0


def test_a_press_draws_other_places(bridge, page, explorer):
    explorer.look = HARD
    bridge.settle()
    before = explorer.result.steps.weights[0]
    page.get_by_role("button", name="draw again").click()
    bridge.settle()
    assert explorer.again == 1
    assert not torch.equal(before, explorer.result.steps.weights[0])


def answering(task):
    torch.manual_seed(3)
    model = Answerer(len(task.question_vocabulary), len(task.vocabulary), hidden=16).eval()
    return QuestionExplorer(model, task, task.test)


def test_a_question_is_chosen_and_answered(bridge, page, task):
    explorer = bridge.show(answering(task))
    page.get_by_role("combobox").select_option("what shape is the red thing")
    bridge.settle()
    assert explorer.question == "what shape is the red thing"
    bars = page.evaluate("[...document.querySelector('.js-plotly-plot').data[0].y]")
    assert bars == pytest.approx(explorer.result.probabilities[explorer.shown].tolist(), abs=1e-3)
    drag(bridge, page, explorer.parts["picture"], (0, 0), (0, 3))
    assert float(explorer.weights[0, :4].max()) == 0


def two_maps(models, task):
    torch.manual_seed(1)
    concat = talkative(Captioner(len(task.vocabulary), hidden=16, score=SCORES["concat"]))
    return OneMapExplorer({"additive": models[SOFT], "concat": concat}, task, task.test)


def test_a_panel_is_read_word_by_word(bridge, page, models, task):
    explorer = bridge.show(two_maps(models, task))
    picture, weights = explorer.parts["second"], explorer.weights
    for word in (0, 3):
        read(page, 4, 2, picture, panel=word)
        bridge.settle()
        assert float(told(page, picture)[1]) == pytest.approx(float(weights[word, 4, 2]), abs=0.005)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [700, 900, 1100, 1400])
def test_nothing_overlaps_or_is_cut_and_axe_finds_nothing_serious(bridge, page, models, task, dark, width):
    bridge.wear(dark, width)
    for make in (
        lambda: CaptionExplorer(models, task, task.test),
        lambda: two_maps(models, task),
        lambda: GazePathExplorer(models[SOFT], task, task.test, looks=3),
        lambda: answering(task),
    ):
        bridge.clear()
        bridge.show(make())
        bridge.settle()
        assert page.evaluate(BESIDE) == []
        assert page.evaluate(CUT) == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= max(width + 48, 1100)
        if width == 1100:
            assert serious(page, "#stage") == []
