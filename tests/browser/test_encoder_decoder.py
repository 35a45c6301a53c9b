"""The encoder and decoder of lessons 01 and 02 in a real browser: the page shows torch's numbers, hands move them."""

from itertools import pairwise

import pytest
import torch
from machines import OVERLAPS, marks, part, translators

from attnlab.tasks import BOS, Progressives
from widgets.base.words import number
from widgets.explorers.l02_looking_back.encoder_decoder import FIXED, LOOKING, WEIGHTS, EncoderDecoderExplorer

pytestmark = [pytest.mark.browser, pytest.mark.kept_page]


@pytest.fixture(scope="module")
def task():
    return Progressives()


@pytest.fixture(scope="module")
def models(task):
    return translators(task)


@pytest.fixture(autouse=True)
def still(page):
    page.emulate_media(reduced_motion="reduce")  # each frame stands at once


@pytest.fixture
def explorer(bridge, models, task):
    return bridge.show(EncoderDecoderExplorer(models, task, text="we are eating bread"))


def go(bridge, explorer, phase, word):
    """Show a phase of a word, counted from 0."""
    film = explorer.result.film
    explorer.step = next(i for i, frame in enumerate(film) if (frame["phase"], frame["step"]) == (phase, word))
    bridge.settle()
    return marks(bridge.page)


def test_the_pages_numbers_are_torchs(bridge, explorer):
    steps = explorer.result.steps
    for word in (0, 2):
        drawn = go(bridge, explorer, "write", word)
        for i in range(4):
            assert drawn[f"input {i}"]["table"] == pytest.approx(steps.embedded[i].tolist(), abs=1e-5)
            assert drawn[f"key {i}"]["table"] == pytest.approx(steps.keys[i].tolist(), abs=1e-5)
            assert drawn[f"weight {i}"]["table"] == pytest.approx([float(steps.weights[word, i])], abs=1e-5)
            assert drawn[f"score {i}"]["text"] == number(float(steps.scores[word, i]))
            width = float(steps.weights[word, i]) * drawn["context"]["width"]
            assert drawn[f"beam {i}"]["thick"] == pytest.approx(width, abs=0.01)
        assert drawn["context"]["table"] == pytest.approx(steps.contexts[word].tolist(), abs=1e-5)
        assert drawn[f"state {word + 1}"]["table"] == pytest.approx(steps.states[word + 1].tolist(), abs=1e-5)
        for i, name in enumerate(explorer.parts["machine"].spec["labels"]["vocabulary"]):
            token = explorer.task.target_vocabulary.index("<EOS>" if name == "end" else name)
            long = float(steps.probabilities[word, token]) * drawn["context"]["width"]
            assert drawn[f"chance {i}"]["width"] == pytest.approx(max(1, long), abs=0.001)


def test_through_one_fixed_vector_the_pages_numbers_are_torchs(bridge, explorer):
    explorer.mode = FIXED
    model, source = explorer.models[FIXED], explorer.task.read(explorer.text)
    with torch.no_grad():
        memory = model.encode(source[None], torch.tensor([len(source)]))
        state, token = model.start(memory), torch.tensor([BOS])
        for word in range(3):
            logits, state = model.step(token, state, memory)[:2]
            token = logits.argmax(-1)
            chances = logits[0].softmax(-1)
            drawn = go(bridge, explorer, "write", word)
            assert drawn["context"]["table"] == pytest.approx(memory.summary[0].tolist(), abs=1e-4)
            assert drawn[f"state {word + 1}"]["table"] == pytest.approx(state.hidden[0].tolist(), abs=1e-4)
            for i, name in enumerate(explorer.parts["machine"].spec["labels"]["vocabulary"]):
                at = explorer.task.target_vocabulary.index("<EOS>" if name == "end" else name)
                long = float(chances[at]) * drawn["context"]["width"]
                assert drawn[f"chance {i}"]["width"] == pytest.approx(max(1, long), abs=0.01)


def test_a_weight_is_dragged_and_the_words_after_it_follow(bridge, page, explorer):
    own = explorer.result.steps
    go(bridge, explorer, "add", 1)
    box = part(page, "weight 3").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 24, steps=4)
    bridge.settle()
    page.mouse.up()
    bridge.settle()
    wanted = round(float(own.weights[1, 3]) + 0.6, 1)
    assert explorer.edits == [[WEIGHTS, 1, 3, wanted]]
    drawn = marks(page)
    shown = [drawn[f"weight {i}"]["table"][0] for i in range(4)]
    assert shown[3] == pytest.approx(wanted)
    assert sum(shown) == pytest.approx(1)
    assert drawn["context"]["table"] == pytest.approx(explorer.result.steps.contexts[1].tolist(), abs=1e-5)
    assert not torch.allclose(explorer.result.steps.states[2], own.states[2])
    part(page, "weight 0").focus()
    page.keyboard.press("ArrowUp")
    bridge.settle()
    assert [edit[:3] for edit in explorer.edits] == [[WEIGHTS, 1, 3], [WEIGHTS, 1, 0]]
    drawn = marks(page)
    shown = [drawn[f"weight {i}"]["table"][0] for i in range(4)]
    assert shown == pytest.approx(explorer.result.steps.weights[1].tolist(), abs=1e-5)


def test_film_and_stepper_go_together(bridge, page, explorer):
    page.get_by_label("one step forward").click()
    bridge.settle()
    assert explorer.step == explorer.parts["machine"].frame == 1
    assert page.locator(".controls .at").text_content() == "reads word 1 of 4"
    group = explorer.result.film[1]["group"]
    assert page.locator(".machine .track .now").evaluate_all("all => all.map(s => s.dataset.name)") == [group]
    page.locator(".machine .track input").fill("7")
    bridge.settle()
    assert explorer.step == 7
    assert page.locator(".controls .at").text_content().endswith(": weigh")
    assert part(page, "weight 2").get_attribute("role") == "spinbutton"
    page.evaluate("""() => { window.jupyter = new AbortController(); document.addEventListener("keydown",
        (event) => event.preventDefault(), { capture: true, signal: jupyter.signal }); }""")
    page.locator(".machine .track input").focus()
    for press, wanted in [("ArrowRight", 8), ("ArrowLeft", 7), ("End", len(explorer.result.film) - 1), ("Home", 0)]:
        page.keyboard.press(press)
        bridge.settle()
        assert explorer.step == wanted, "though Jupyter takes the keys"
    page.evaluate("jupyter.abort()")
    page.get_by_label("one step forward").click()
    page.get_by_label("to the first step").click()
    bridge.settle()
    assert page.locator(".controls .at").text_content() == "nothing is read yet"


def test_without_motion_a_step_stands_at_once(bridge, page, explorer):
    go(bridge, explorer, "weigh", 0)
    same = page.evaluate(
        """async (id) => {
            const [model, next] = [models.get(id), () => new Promise(requestAnimationFrame)];
            model.set("frame", model.get("frame") + 1);
            for (let i = 0; i < 3; i++) await next();
            const { picture } = document.querySelector(".machine").attnlab;
            for (let i = 0; i < 4; i++) await next();
            return picture === document.querySelector(".machine").attnlab.picture;
        }""",
        explorer.parts["machine"].model_id,
    )
    assert same


def test_what_a_word_goes_through_is_lit(bridge, page, explorer):
    go(bridge, explorer, "write", 0)
    part(page, "weight 1").hover()
    bridge.settle()
    assert page.locator(".machine .line code").text_content() == "context = softmax(scores) @ keys"
    words = [page.locator(".machine svg text", has_text=word).first for word in ("we", "are", "eating")]
    assert [word.get_attribute("opacity") for word in words] == ["0.4", None, "0.4"]
    part(page, "key 2").click()
    page.mouse.move(0, 0)
    bridge.settle()
    assert explorer.parts["machine"].chosen == ["key 2", "key"]
    assert part(page, "key 2").get_attribute("aria-checked") == "true"


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [700, 900, 1100, 1400])
def test_no_text_is_cut_or_covered(bridge, page, models, task, dark, width):
    bridge.wear(dark, width)
    explorer = bridge.show(EncoderDecoderExplorer(models, task, text="they are not drinking coffee"))
    for mode in (LOOKING, FIXED):
        explorer.mode = mode
        for step in (0, 3, 6, 7, 8, 9):
            explorer.step = step
            bridge.settle()
            assert page.evaluate(OVERLAPS) == [], (mode, step)


def test_names_below_the_film_never_lie_over_each_other(bridge, page, explorer):
    bridge.wear(False, 660)
    bridge.settle()
    assert len(explorer.result.film) > 40, "an untrained decoder does not stop"
    boxes = page.locator(".machine .track span").evaluate_all(
        "all => all.map(el => el.getBoundingClientRect()).map(({ left, right }) => [left, right])"
    )
    assert len(boxes) > 8
    assert all(end <= begin + 0.5 for (_, end), (begin, _) in pairwise(boxes)), boxes


def test_on_a_phone_the_whole_slider_of_the_film_is_at_hand(bridge, page, explorer):
    bridge.wear(False, 356)
    bridge.settle()
    machine, slider = (page.locator(one).bounding_box() for one in (".machine", ".machine .track input"))
    assert slider["x"] + slider["width"] <= machine["x"] + machine["width"]
    assert slider["width"] > 250
