"""Two learners of one class at once, behind the hub that the page for teachers describes: only with `-m hub`.

Each logs in as a hand does, runs lesson 02, answers its first guess and moves the slider that comes with it; what one
does the other never sees. It needs what lessons/classroom/README.md installs.
"""

import json

import pytest
from playwright.sync_api import expect

from lessons.classroom.hub import Hub
from lessons.lab import PATIENCE

pytestmark = [pytest.mark.browser, pytest.mark.hub, pytest.mark.timeout(1800)]

SCREEN = {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def hub():
    with Hub() as hub:
        yield hub


class Learner:
    """Their page, from the form of the hub to lesson 02, whose cells run."""

    def __init__(self, hub: Hub, browser, name: str) -> None:
        self.name, self.errors = name, []
        self.page = page = browser.new_context(viewport=SCREEN).new_page()
        page.set_default_timeout(PATIENCE * 1000)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(hub.url)
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(hub.password)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"**/user/{name}/lab/tree/00_start_here.ipynb")
        page.goto(f"{hub.url}/user/{name}/lab/workspaces/second/tree/02_looking_back.ipynb")  # it alone is open
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        self.at_work = page.locator(".jp-InputPrompt", has_text="[*]")
        self.at_work.first.wait_for()
        self.guess = page.locator(".attnlab.predict", has_text="All four scores rise by 1")
        self.explorer = page.locator(".attnlab-explorer:has(input[type=range])").first
        self.caption = self.explorer.locator(".attnlab.caption")


def test_two_learners_are_at_work_and_neither_sees_the_other(hub, browser, tmp_path):
    learners = anna, ben = [Learner(hub, browser, name) for name in ("anna", "ben")]
    for learner in learners:
        expect(learner.at_work).to_have_count(0)
        learner.guess.locator(".answers button").first.click()
        expect(learner.caption).to_contain_text("takes 61\u202f% from “eating”")
    anna.explorer.get_by_role("slider", name="we", exact=True).focus()
    for _ in range(3):
        anna.page.keyboard.press("ArrowRight")
    expect(anna.caption).to_contain_text("takes 47\u202f% from “eating”")
    expect(ben.caption).to_contain_text("takes 61\u202f% from “eating”")
    for learner in learners:
        learner.page.screenshot(path=tmp_path / f"{learner.name}.png")
        expect(learner.page.get_by_text("Jupyter news")).to_have_count(0)
        kept = hub.home / "class" / learner.name / "progress" / "progress.json"
        hub.until(kept.exists, f"the guess of {learner.name} is not kept")
        assert any(name.startswith("guess.") for name in json.loads(kept.read_text(encoding="utf-8")))
        assert learner.errors == []
