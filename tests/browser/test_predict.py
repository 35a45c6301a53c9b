"""Predict in the page: guess by mouse and keyboard, the reply, what follows; nothing is read as markup."""

import numpy as np
import pytest
from bridge import Bridge, kernel

from widgets.base.words import key, say
from widgets.instruments.matrix.matrix import Matrix
from widgets.instruments.predict.predict import Predict, PredictCell, PredictNumber

pytestmark = pytest.mark.browser

QUESTION = say("What if every ", key("key"), " doubles?")
CHOICES = [("nothing", "The scores double."), ("sharper", "Softmax exaggerates."), ("flatter", "The other way round.")]


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def reply(page):
    return page.locator(".why").inner_text().split("\n\n")


def test_a_wrong_choice_gets_its_own_explanation_and_the_answer(bridge):
    page = bridge.page
    predict = bridge.show(Predict(QUESTION, CHOICES, answer=1, then=Matrix(np.eye(3, 5))))
    press(page, "flatter")
    bridge.settle()
    assert predict.guess == 2
    assert predict.children[-1].layout.display is None
    assert reply(page) == ["Not so. The other way round.", "It is: sharper. Softmax exaggerates."]
    pressed = page.get_by_role("button", pressed=True)
    assert pressed.all_inner_texts() == ["flatter"]
    page.get_by_role("button", name="nothing", exact=True).dispatch_event("click")  # it was answered
    bridge.settle()
    assert predict.guess == 2


def test_a_right_choice_and_again(bridge):
    page = bridge.page
    predict = bridge.show(Predict(QUESTION, CHOICES, answer=1))
    press(page, "sharper")
    bridge.settle()
    assert reply(page) == ["Yes. Softmax exaggerates."]
    press(page, "again")
    bridge.settle()
    assert predict.guess is None
    assert reply(page) == [""]
    press(page, "nothing")
    bridge.settle()
    assert predict.guess == 0


def test_who_skips_is_told_the_answer(bridge):
    predict = bridge.show(Predict(QUESTION, CHOICES, answer=1, then=Matrix(np.eye(3, 5))))
    press(bridge.page, "skip")
    bridge.settle()
    assert reply(bridge.page) == ["It is: sharper. Softmax exaggerates."]
    assert (predict.guess, predict.ask.skipped, predict.children[-1].layout.display) == (None, True, None)


def test_by_keyboard_alone_and_named_for_a_screen_reader(bridge):
    page = bridge.page
    predict = bridge.show(Predict(QUESTION, CHOICES, answer=1))
    group = page.get_by_role("group", name="Guess first: What if every key doubles?")
    assert group.get_by_role("button").all_inner_texts() == ["nothing", "sharper", "flatter", "skip"]
    assert page.locator(".why").get_attribute("aria-live") == "polite"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    bridge.settle()
    assert predict.guess == 1
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    bridge.settle()
    assert predict.guess is None


@pytest.mark.parametrize(
    ("typed", "guess", "said"),
    [
        ("80", 80, "Not so. You said 80 %, it is 98.70 %: 18.70 % too low. So it is."),
        (" 99,5 ", 99.5, "Yes. You said 99.50 %, it is 98.70 %: 0.80 % too high. So it is."),
        ("−3", -3, "Not so. You said −3 %, it is 98.70 %: 101.70 % too low. So it is."),
    ],
)
def test_a_number_says_how_far_off(bridge, typed, guess, said):
    page = bridge.page
    predict = bridge.show(PredictNumber("How many?", answer=lambda: 98.7, unit="%", why="So it is."))
    page.get_by_role("textbox", name="your guess in %").fill(typed)
    page.keyboard.press("Enter")
    bridge.settle()
    assert predict.guess == guess
    assert reply(page) == [said]
    assert not page.get_by_role("textbox").is_editable(), "what was said stays"
    press(page, "again")
    assert page.get_by_role("textbox").evaluate("(el) => el === document.activeElement")


def test_what_is_no_number_is_quoted_back(bridge):
    page = bridge.page
    predict = bridge.show(PredictNumber("How many?", answer=3))
    for typed in ("<b>x</b>", "", "Infinity"):
        page.get_by_role("textbox").fill(typed)
        press(page, "guess")
        assert reply(page) == [f"a number is expected here, not “{typed}”"]
        assert predict.guess is None
    assert page.locator(".why b").count() == 0


def test_a_measurement_that_fails_is_said_in_the_page(bridge):
    page = bridge.page
    bridge.show(PredictNumber("How many?", answer=lambda: 1 / 0))
    page.get_by_role("textbox").fill("3")
    press(page, "guess")
    bridge.settle()
    assert reply(page) == ["The answer could not be measured: ZeroDivisionError: division by zero"]


def test_a_measurement_whose_kernel_was_restarted_is_not_waited_for(bridge):
    page = bridge.page
    bridge.show(PredictNumber("How many?", answer=lambda: 4.7))
    page.evaluate("() => { Model.prototype.save_changes = () => {}; }")  # nobody hears it
    page.get_by_role("textbox").fill("3")
    press(page, "guess")
    bridge.settle()
    assert reply(page) == ["measuring ..."]
    page.evaluate("""() => {
        document.querySelector(".predict").parentElement.classList.add("jupyter-widgets-disconnected");
        for (const model of models.values()) model.trigger("comm_live_update");
    }""")
    bridge.settle()
    assert reply(page) == ["It is measured by the kernel, which was restarted: run all cells again."]


def test_a_cell_is_chosen_in_the_matrix_and_compared(bridge):
    page = bridge.page
    predict = bridge.show(
        PredictCell(
            "Which?",
            np.eye(3, 5),
            [(2, 2), (1, 1)],
            why="So it learned.",
            query_labels=["a", "b", "c"],
            key_labels=list("vwxyz"),
        )
    )
    assert page.get_by_role("button", name="this cell").get_attribute("aria-disabled") == "true"
    predict.matrix.selected = [0, 1, 3]
    bridge.settle()
    assert "b reads y" in page.locator(".chosen").inner_text()
    press(page, "this cell")
    bridge.settle()
    assert (predict.guess, predict.correct) == ([1, 3], False)
    assert reply(page) == ["Not so. c reads x or b reads w. So it learned."]
    press(page, "again")
    predict.matrix.selected = [0, 2, 2]
    bridge.settle()
    page.get_by_role("button", name="this cell").focus()
    page.keyboard.press("Enter")
    bridge.settle()
    assert page.evaluate("document.activeElement.textContent") == "again"  # the button that went away had the focus
    assert predict.correct is True
    assert reply(page) == ["Yes. So it learned."]


def test_a_query_that_may_read_several_keys_is_named_once(bridge):
    page = bridge.page
    bridge.show(
        PredictCell("Which?", np.eye(2, 3), [(1, 0), (1, 1), (1, 2)], query_labels=["a", "b"], key_labels=list("xyz"))
    )
    press(page, "skip")
    bridge.settle()
    assert reply(page) == ["b reads x, y or z."]


def test_nothing_is_read_as_markup(bridge):
    page = bridge.page
    evil = "<img src=x onerror=alert(1)>"
    bridge.show(Predict(evil, [(evil, evil), ("no", evil)], answer=0))
    page.get_by_role("button", name=evil).click()
    bridge.settle()
    assert page.locator("img").count() == 0
    assert reply(page) == [f"Yes. {evil}"]


@pytest.mark.parametrize(("dark", "width"), [(False, 660), (True, 1000)])
def test_long_choices_wrap_inside_the_page(page, dark, width):
    with kernel():
        bridge = Bridge(page, dark=dark, width=width)
        bridge.show(Predict(QUESTION, [("a long choice of many words " * 6, "Why."), ("b", "No.")], answer=0))
        press(page, "b")
        bridge.settle()
        edges = page.locator(".predict *").evaluate_all("(all) => all.map((e) => e.getBoundingClientRect().right)")
        assert max(edges) <= 24 + width
