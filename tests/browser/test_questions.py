"""Questions in a real browser: chosen by mouse and keyboard, a sentence kept and announced, read in both themes."""

import re

import pytest
from axe import serious
from playwright.sync_api import expect

from attnlab.exercises.questions import QUESTIONS, UNSURE, answer, answers
from widgets.explorers.course import six_questions
from widgets.explorers.course.six_questions import SixQuestions
from widgets.instruments.questions.questions import NOTHING, Questions

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("home")]

EVIL = "<b>bold</b> & <img src=x onerror=alert(1)>"
ASKED = [("Which?", ["a", "b", "c"]), ("Why?", []), ("And which?", ["d", "e"])]
LISTEN = """() => {
    window.heard = [];
    document.addEventListener("keydown", ({ key, ctrlKey }) => heard.push(`${ctrlKey ? "Control+" : ""}${key}`), true);
    window.spoken = [];
    new MutationObserver(() => {
        const words = document.querySelector(".standing").textContent;
        if (words) spoken.push(words);
    }).observe(document.querySelector(".standing"), { childList: true, characterData: true, subtree: true });
}"""
CUT = """() => {
    const right = document.getElementById("stage").getBoundingClientRect().right;
    const cut = (el) => el.scrollWidth > el.clientWidth + 1 && el.clientWidth;
    const out = (el) => el.getBoundingClientRect().right > right + 1;
    return [...document.querySelectorAll(".attnlab-questions *")].filter((el) => cut(el) || out(el))
        .map((el) => el.outerHTML.slice(0, 80));
}"""
# Of the dot of a chosen one, and of the page.
BACKGROUNDS = """(el) => [[el.querySelector(".mark"), "::after"], [document.body]]
    .map(([one, part]) => getComputedStyle(one, part).backgroundColor)"""
FOCUSED = "document.activeElement.textContent"


@pytest.fixture(autouse=True)
def no_drafts(monkeypatch):
    monkeypatch.setattr(six_questions, "DRAFTS", {})


@pytest.fixture
def view(bridge):
    shown = bridge.show(Questions(ASKED))
    bridge.page.evaluate(LISTEN)
    return shown


def press(bridge, *keys):
    for key in keys:
        bridge.page.keyboard.press(key)
    bridge.settle()


def radio(page, number, name):
    return page.get_by_role("radiogroup").nth(number - 1).get_by_role("radio", name=name, exact=True)


def named(question, number):
    return re.compile(f"^{number}\\. {re.escape(question)}$")


def test_by_mouse_an_answer_is_kept_and_may_be_changed(bridge, page, view):
    for name in ("a", "c"):
        radio(page, 1, name).click()
        bridge.settle()
        assert view.answers == [name, "", ""]
        expect(page.get_by_role("radio", checked=True)).to_have_text([name])
    expect(page.get_by_role("status")).to_have_text("1 of 3 answered")
    assert page.evaluate("spoken")[-1] == "1 of 3 answered"


def test_an_answer_that_the_kernel_has_not_heard_stands_though_an_older_one_is_heard(bridge, page, view):
    page.evaluate("""() => {
        const hears = window.kernel;
        window.held = [];
        window.kernel = (message) => new Promise((done) => held.push(() => hears(message).then(done)));
        window.goOn = () => { const go = held.shift(); return go?.(); };
    }""")
    for name in ("a", "b"):
        radio(page, 1, name).click()
    page.evaluate("goOn()")
    page.evaluate("() => new Promise((seen) => setTimeout(seen, 100))")
    assert page.get_by_role("radio", checked=True).all_inner_texts() == ["b"]
    page.evaluate("async () => { while (held.length) await goOn(); }")
    bridge.settle()
    assert view.answers[0] == "b"


def test_by_keyboard_each_question_is_one_stop(bridge, page, view):
    press(bridge, "Tab")
    assert page.evaluate(FOCUSED) == "a"
    press(bridge, "Space")
    assert view.answers[0] == "a"
    press(bridge, "ArrowDown", "ArrowRight")
    assert (view.answers[0], page.evaluate(FOCUSED)) == ("c", "c")
    press(bridge, "ArrowDown")
    assert view.answers[0] == "a"
    press(bridge, "ArrowUp", "ArrowLeft")
    assert view.answers[0] == "b"
    press(bridge, "Tab")
    assert page.evaluate("document.activeElement.localName") == "textarea"
    press(bridge, "Tab")
    assert page.evaluate(FOCUSED) == "keep it"
    press(bridge, "Tab", "ArrowDown")
    assert view.answers == ["b", "", "e"]
    press(bridge, "Shift+Tab", "Shift+Tab", "Shift+Tab")
    assert page.evaluate(FOCUSED) == "b"
    assert not [key for key in page.evaluate("heard") if "Arrow" in key or key == " "], "the notebook has none of them"


def test_where_an_answer_is_final_arrows_reach_every_choice(bridge, page):
    view = bridge.show(Questions(ASKED, final=True))
    press(bridge, "Tab", "ArrowDown", "ArrowDown")
    assert (view.answers[0], page.evaluate(FOCUSED)) == ("", "c")
    press(bridge, "ArrowUp", "Space")
    assert (view.answers[0], page.evaluate(FOCUSED)) == ("b", "b")
    press(bridge, "Tab", "Shift+Tab")
    assert page.evaluate(FOCUSED) == "b"


def test_what_has_the_focus_keeps_it_when_its_question_is_closed(bridge, page):
    view = bridge.show(SixQuestions("after"))
    press(bridge, "Tab", "ArrowDown", "Space")
    chosen = sorted(QUESTIONS[0].choices)[1]
    assert view.answers[0] == chosen
    assert page.evaluate(FOCUSED) == chosen
    press(bridge, "ArrowDown", "Space")
    assert view.answers[0] == chosen
    radio(page, 1, UNSURE).dispatch_event("click")
    bridge.settle()
    assert answers("after") == {1: chosen}
    expect(page.get_by_role("radiogroup").first).to_have_attribute("aria-disabled", "true")


def test_names_in_the_accessibility_tree(bridge, page):
    bridge.show(SixQuestions("before"))
    expect(page.get_by_role("group", name="six questions, before the course")).to_be_visible()
    for number, question in enumerate(QUESTIONS[:5], 1):
        group = page.get_by_role("radiogroup", name=named(question.text, number))
        choices = [*sorted(question.choices), UNSURE]
        expect(group.get_by_role("radio")).to_have_text(choices)
        for choice in choices:
            expect(group.get_by_role("radio", name=choice, exact=True)).to_have_count(1)
    expect(page.get_by_role("textbox", name=named(QUESTIONS[5].text, 6))).to_be_editable()
    expect(page.get_by_role("button", name="keep it")).to_have_count(1)
    assert serious(page, ".attnlab-questions") == []


def test_a_sentence_is_kept_by_the_button_and_announced(bridge, page):
    view = bridge.show(SixQuestions("before"))
    page.evaluate(LISTEN)
    page.get_by_role("textbox").fill("by asking")
    page.get_by_role("button", name="keep it").click()
    bridge.settle()
    assert answers("before") == {6: "by asking"}
    assert view.drafts[5] == "by asking"
    count = len(page.evaluate("spoken"))
    page.get_by_role("button", name="keep it").click()  # the same once more is said once more
    bridge.settle()
    assert page.evaluate("spoken")[count:] == ["1 of 6 answered"]


def test_an_empty_sentence_is_refused_in_words(bridge, page):
    answer("before", 6, "by asking")
    bridge.show(SixQuestions("before"))
    page.get_by_role("textbox").fill(" \n")
    page.get_by_role("button", name="keep it").click()
    bridge.settle()
    expect(page.get_by_role("status")).to_have_text(NOTHING)
    expect(page.get_by_role("textbox")).to_be_focused()
    assert answers("before") == {6: "by asking"}


def test_what_is_written_and_not_kept_is_there_in_another_view(bridge, page):
    bridge.show(SixQuestions("before"))
    page.get_by_role("textbox").press_sequentially("by ask")
    bridge.settle(1000)  # a rest, without leaving the field
    bridge.show(SixQuestions("before"))
    expect(page.get_by_role("textbox").nth(1)).to_have_value("by ask")
    page.get_by_role("textbox").nth(1).press_sequentially("ing")
    page.keyboard.press("Tab")
    bridge.settle()
    assert SixQuestions("before").drafts[5] == "by asking"
    assert answers("before") == {}


def test_a_text_field_has_all_its_keys(bridge, page, view):
    area = page.get_by_role("textbox")
    area.click()
    page.keyboard.type("one")
    press(bridge, "Enter")
    page.keyboard.type("three")
    press(bridge, "ArrowUp", "Home")
    page.keyboard.type("d ")
    expect(area).to_have_value("d one\nthree")
    press(bridge, "Control+z")
    assert area.input_value() != "d one\nthree"
    press(bridge, "Control+Shift+z")
    expect(area).to_have_value("d one\nthree")
    assert [key for key in page.evaluate("heard") if key not in ("Control", "Shift")] == []
    area.press("Control+s")
    assert page.evaluate("heard")[-1] == "Control+s", "but for the one that saves the notebook"


def test_what_is_being_written_stays_when_the_kernel_answers(bridge, page, view):
    page.get_by_role("textbox").press_sequentially("half a sen")
    view.answer(0, "b")
    bridge.settle()
    expect(page.get_by_role("textbox")).to_have_value("half a sen")
    expect(page.get_by_role("textbox")).to_be_focused()
    page.keyboard.press("Tab")
    bridge.settle()
    assert view.drafts[1] == "half a sen"
    page.get_by_role("textbox").press_sequentially("ten")
    view.drafts = ["", "of another view", ""]
    bridge.settle()
    assert page.get_by_role("textbox").input_value() == "half a senten"


def test_after_the_course_both_answers_stand_there_as_text(bridge, page):
    answer("before", 6, EVIL)
    bridge.show(SixQuestions("after"))
    expect(page.get_by_role("rowheader")).to_have_count(0)
    page.get_by_role("textbox").fill(f"now {EVIL}")
    page.get_by_role("button", name="keep it").focus()
    press(bridge, "Enter")
    expect(page.get_by_role("rowheader")).to_have_text(["before the course", "now", "compare"])
    expect(page.get_by_role("cell")).to_have_text([EVIL, f"now {EVIL}", QUESTIONS[5].why])
    assert page.locator(".attnlab-questions :is(b, img)").count() == 0
    expect(page.get_by_role("button", name="keep it")).to_have_count(0)
    expect(page.get_by_role("textbox")).to_be_focused()  # its button had the focus, and is gone
    assert not page.get_by_role("textbox").is_editable()
    radio(page, 1, QUESTIONS[0].right).click()
    bridge.settle()
    expect(page.locator(".reply").first).to_contain_text(QUESTIONS[0].why)
    expect(page.get_by_role("status")).to_have_text("2 of 6 answered")


def test_markup_in_questions_and_choices_is_text(bridge, page):
    bridge.show(Questions([(EVIL, [EVIL, "b"])], replies=[[[EVIL, EVIL]]]))
    assert page.locator(".attnlab-questions :is(b, img)").count() == 0
    expect(page.get_by_role("radiogroup", name=f"1. {EVIL}")).to_have_count(1)


def test_two_views_of_one_agree(bridge, page, view):
    page.evaluate("(id) => render(id, document.getElementById('stage'))", view.model_id)
    bridge.settle()
    page.get_by_role("radio", name="b", exact=True).nth(1).click()
    bridge.settle()
    assert page.get_by_role("radio", checked=True).all_inner_texts() == ["b", "b"]
    assert page.evaluate("new Set([...document.querySelectorAll('.question')].map((el) => el.id)).size") == 6


def test_a_kernel_that_was_restarted_keeps_nothing_and_the_page_says_so(bridge, page, view):
    page.evaluate("""() => {
        document.querySelector(".attnlab-questions").parentElement.classList.add("jupyter-widgets-disconnected");
        for (const model of models.values()) model.trigger("comm_live_update");
    }""")
    bridge.settle()
    expect(page.get_by_role("status")).to_contain_text("The kernel was restarted")
    radio(page, 1, "b").click()
    bridge.settle()
    assert view.answers[0] == ""
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [342, 700, 1400])
def test_nothing_is_cut(bridge, page, dark, width):
    """342: a phone of 390 pixels."""
    page.set_viewport_size({"width": width + 48, "height": 900})
    bridge.wear(dark, width)
    answer("before", 6, "x" * 200)
    bridge.show(SixQuestions("after"))
    radio(page, 2, UNSURE).click()
    page.get_by_role("textbox").fill("a longer sentence " * 20 + "y" * 200)
    page.get_by_role("button", name="keep it").click()
    bridge.settle()
    assert page.get_by_role("table").count() == 2
    assert page.evaluate(CUT) == []
    heights = page.get_by_role("radio").evaluate_all("(all) => all.map((el) => el.getBoundingClientRect().height)")
    assert min(heights) >= 28
    tops = page.get_by_role("radio").evaluate_all("(all) => all.map((el) => el.getBoundingClientRect().top)")
    assert tops == sorted(set(tops)), "each on a line of its own"
    assert page.locator(".attnlab-questions").evaluate("(el) => el.clientWidth") <= 46 * 13
    assert serious(page, ".attnlab-questions") == []


def test_colours_that_the_system_forces(bridge, page, view):
    radio(page, 1, "b").click()
    bridge.settle()
    page.emulate_media(forced_colors="active")
    backgrounds = radio(page, 1, "b").evaluate(BACKGROUNDS)
    page.emulate_media(forced_colors="none")
    assert backgrounds[0] != backgrounds[1]
