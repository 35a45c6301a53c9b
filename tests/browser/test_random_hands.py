"""Blind hands: mouse, wheel and keys anywhere on the explorers of a lesson, with models that have learned nothing.

After each event nothing was raised, in the page or here; now and then, and at the end, the page has the state of the
kernel, and each explorer shows what a fresh one in its state shows. `--events 500` is the long run.
"""

import json
from random import Random

import pytest
from date_reader import TEXT, DateReader
from machines import reader_of_letters, translators
from seen import all_that_is_seen
from wander import shows_what_a_fresh_one_shows

import widgets
from attnlab.analysis.heads.head_patterns import back
from attnlab.tasks import Dates, Progressives

pytestmark = [pytest.mark.browser, pytest.mark.timeout(3600)]

LOOK = 25  # events between two looks at all numbers


def looking_back():
    dates, progressives = Dates(), Progressives()
    return [
        widgets.DecoderStepExplorer(),
        widgets.EncoderDecoderExplorer(translators(progressives), progressives, text="we are eating bread", step=6),
        widgets.DateTranslationExplorer(DateReader(dates), dates, text=TEXT, step=7),
    ]


def many_heads():
    model, task = reader_of_letters()
    patterns = {f"{steps} before": back(steps) for steps in range(3)}
    return [
        *[widgets.OneOrTwoHeadsExplorer(), widgets.HeadByHandExplorer(), widgets.NumberOfHeadsExplorer()],
        widgets.TextHeadAblationExplorer(model, task, task.test(64, 5), patterns, text="the cats"),
    ]


def gpts():
    model, task = reader_of_letters()
    kinds = [widgets.NextTokenExplorer, widgets.GPTMachineExplorer, widgets.HeadViewExplorer]
    return [kind(model, task, begin="the cats") for kind in kinds]


def made_of_nothing(*names: str):
    return lambda: [getattr(widgets, f"{name}Explorer")() for name in names]


LESSONS = {
    "02": looking_back,
    "04": made_of_nothing(
        "SoftLookup", "QueryKeyValue", "AdditiveToScaled", "Projections", "ScoreVariance", "KernelRegression"
    ),
    "06": made_of_nothing("Masks", "MaskPlacement", "Permutation", "ThreeScalars"),
    "07": made_of_nothing("PositionSchemes", "Sinusoids", "ShiftMatrix", "RotaryHands"),
    "08": many_heads,
    "11": gpts,
}
KEYS = [
    *["Tab"] * 6, "Shift+Tab", *["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"] * 3, "Enter", "Space", "Escape",
    "Home", "End", "PageUp", "PageDown", "Delete", "Backspace", "Control+a", "Control+z", "a", "7", "-", ".", "<",
]  # fmt: skip
WIDTH, HEIGHT = 1100, 900
SHOWN = """() => Object.fromEntries([...models].map(([id, model]) => [id, JSON.parse(JSON.stringify(
    Object.fromEntries(Object.entries(model.state).filter(([name, value]) => !take(value)[1].length))
))]))"""


class Hand:
    """One that does something, each method something else."""

    def __init__(self, page, chance: Random) -> None:
        self._page, self._chance = page, chance

    def _somewhere(self) -> tuple[int, int]:
        return self._chance.randrange(WIDTH), self._chance.randrange(HEIGHT)

    def _at_something(self) -> tuple[float, float]:
        """In the middle of a control or part of a picture that is in sight."""
        boxes = self._page.evaluate("""() => [...document.querySelectorAll(
            "#stage :is(input, button, select, canvas, summary, svg [role], [tabindex])")]
            .map((el) => el.getBoundingClientRect()).filter((box) => box.width && box.y > 0 && box.y < innerHeight)
            .map(({ x, y, width, height }) => [x, y, width, height])""")
        if not boxes:
            return self._somewhere()
        x, y, width, height = self._chance.choice(boxes)
        return x + self._chance.random() * width, y + self._chance.random() * height

    def clicks(self):
        self._page.mouse.click(*self._at_something())

    def clicks_anywhere(self):
        self._page.mouse.click(*self._somewhere(), click_count=self._chance.choice([1, 1, 2]))

    def drags(self):
        self._page.mouse.move(*self._at_something())
        self._page.mouse.down()
        self._page.mouse.move(*self._chance.choice([self._at_something, self._somewhere])(), steps=5)
        self._page.mouse.up()

    def moves(self):
        self._page.mouse.move(*self._at_something(), steps=2)

    def turns_the_wheel(self):
        self._page.mouse.wheel(0, self._chance.choice([-600, -200, 200, 600]))

    def presses_a_key(self):
        self._page.keyboard.press(self._chance.choice(KEYS))

    def presses_keys(self):
        for _ in range(4):
            self._page.keyboard.press(self._chance.choice(KEYS))

    def types(self):
        self._page.keyboard.type(self._chance.choice(["dog bites", "<b>x</b>", "0.5", "  ", "é☃"]))


@pytest.fixture
def events(request):
    """Asked for first: nothing is built only to be skipped."""
    return request.config.getoption("--events") or pytest.skip("only with --events, for it takes minutes")


@pytest.mark.parametrize("lesson", LESSONS)
def test_blind_hands_break_nothing(events, bridge, page, lesson, caplog):
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    page.on("filechooser", lambda chooser: pytest.fail("a hand opened a file"))
    explorers = [bridge.show(explorer) for explorer in LESSONS[lesson]()]
    chance = Random(f"hands of {lesson}")
    hand, deeds = Hand(page, chance), [name for name in vars(Hand) if not name.startswith("_")]
    before, done = [all_that_is_seen(explorer) for explorer in explorers], []
    for event in range(1, events + 1):
        done.append(chance.choice(deeds))
        getattr(hand, done[-1])()
        bridge.settle()
        if event % LOOK == 0 or event == events:
            look(bridge, explorers, done)
            assert caplog.records == []
    assert events < LOOK or [all_that_is_seen(explorer) for explorer in explorers] != before


def look(bridge, explorers, done):
    page = bridge.page.evaluate(SHOWN)
    for explorer in explorers:
        shows_what_a_fresh_one_shows(explorer, own=("selected", "hovered", "chosen"))
        for part in explorer.parts.values():
            for trait in part.shown_traits():
                if trait in page[part.model_id]:
                    due = json.loads(json.dumps(part.get_state([trait])[trait], default=str))
                    assert page[part.model_id][trait] == due, f"{type(part).__name__}.{trait} after {done[-LOOK:]}"
