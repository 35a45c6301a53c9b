"""The site from a plain server of files, with the network closed: two lessons, one of them made for these tests.

Each time: what every kind of view does without a kernel. With `-m whole_site`: every lesson is made, every explorer's
first control is moved, and axe-core reads the page.
"""

import json
import shutil
from contextlib import ExitStack
from itertools import chain, zip_longest
from types import SimpleNamespace

import numpy as np
import pytest
from axe import serious
from hands import move
from ipywidgets import HBox
from playwright.sync_api import expect

from lessons import site
from lessons.build import LESSONS, pairs
from widgets import TemperatureExplorer, Training
from widgets.base.offline import family, write
from widgets.instruments.matrix.matrix import Matrix

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1200)]

SMALL = """
# %% [markdown]
# # Does a small lesson live without a kernel?
#
# ## What it holds
#
# A view of each kind. Zymurgy is a word that only this lesson has.

# %%
from types import SimpleNamespace
import numpy as np
from attnlab.exercises import check
from ipywidgets import IntSlider
from widgets import Predict, QueryKeyValueExplorer, SixQuestions, Table, ThreeScalarsExplorer, Training

# %% tags=["hide-input"]
Predict("Which?", {"this one": "It is.", "that one": "It is the other."}, 0, then=QueryKeyValueExplorer())

# %%
ThreeScalarsExplorer()

# %%
at = 0

def start():
    global at
    for at in range(1, 41):
        yield SimpleNamespace(step=at, loss=1 / at, metrics={})

Training(start, 40, lambda: np.full((2, 2), at / 40), film_every=10, query_labels=["a", "b"], key_labels=["c", "d"],
         summary=lambda last: "All forty steps.")

# %%
Table({"score": ["b", "a"], "right": [0.5, 1.0]})

# %%
IntSlider(3)

# %%
SixQuestions("after")

# %%
mine = None  # WIDE
check("00.weights", mine)
""".replace("WIDE", "a line that is wider than its place " * 5)
SLUG = "98_small"
ALIKE = "how alike two words are in meaning"  # a choice of the first of the six questions
KINDS = ["guess", "explorer", "training", "table", "slider", "questions"]  # in this order on the small lesson's page

# What is seen of an explorer, its bar and caption aside; and whether it is what was seen before.
SEEN = """(root) => {
    const views = [...root.children].filter((one) => !one.matches(".controls, .caption, .note"));
    const drawn = views.flatMap((view) => [...view.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL()));
    return views.map((view) => view.innerHTML).concat(drawn).join();
}"""
SAID = "(root) => root.querySelector('.caption .say').textContent"
AT_REST = f"""(root) => {{
    const now = ({SEEN})(root), same = now === root.seenBefore;
    root.seenBefore = now;
    return same;
}}"""

# What the page's models hold, arrays as their numbers.
TRAITS = """async (names) => {
    const plain = (value) => {
        if (value instanceof DataView)
            return Array.from({ length: value.byteLength / 4 }, (_, i) => value.getFloat32(4 * i, true));
        if (Array.isArray(value)) return value.map(plain);
        if (!value || typeof value !== "object") return value;
        return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
    };
    const { models } = await attnlabPage;
    return names.map(([model, trait]) => plain(models.get(model).get(trait)));
}"""
PRODUCT = "[...(await attnlabPage).models.values()].find((model) => model.get('editable')?.length)"


# How many explorers a page shows: one may stand in two places, behind its question and where it is read again.
SHOWN = "() => new Set([...document.querySelectorAll('.attnlab-explorer')].map((one) => one.dataset.model)).size"

# From top to bottom, as one who reads.
SCROLL = """async () => {
    for (let y = 0; y < document.documentElement.scrollHeight; y += 400) {
        scrollTo(0, y);
        for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
    }
}"""

# How far what is seen was moved by what came later: Chromium's layout shift, summed.
SHIFT = """async () => {
    const seen = [];
    const meter = new PerformanceObserver((list) => seen.push(...list.getEntries()));
    meter.observe({ type: "layout-shift", buffered: true });
    for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
    return seen.reduce((sum, { value }) => sum + value, 0);
}"""


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A folder of lessons: the first one as it is, and the small one, executed, with one picture."""
    folder = tmp_path_factory.mktemp("lessons")
    (folder / "sources").mkdir()
    shutil.copy(LESSONS / "sources" / "00_start_here.py", folder / "sources")
    shutil.copy(LESSONS / "00_start_here.ipynb", folder)
    (folder / "sources" / f"{SLUG}.py").write_text(SMALL.strip(), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory, browser, sources):  # without a browser nothing is built
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site, "LESSONS", sources)
        site.site(folder, ["00_start_here", SLUG], browser)
    return folder


@pytest.fixture(scope="module")
def serve():
    """`serve(folder)`: its address."""
    with ExitStack() as servers:
        yield lambda folder: servers.enter_context(site.serving(folder))


@pytest.fixture(scope="module")
def address(serve, folder):
    return serve(folder)


@pytest.fixture
def visit(browser):
    """`visit(address, **options)`: the page, open. What it complains of, and what it asks of another folder, is an
    error of the test."""
    complaints, contexts = [], []

    def open_page(url, **options):
        context = browser.new_context(**{"viewport": {"width": 1100, "height": 900}, **options})
        context.set_default_timeout(180_000)
        contexts.append(context)
        own = (url.rpartition("/")[0] + "/", "blob:", "data:")
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("request", lambda asked: None if asked.url.startswith(own) else complaints.append(asked.url))
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def small(visit, address):
    """The small lesson's page, every view drawn and its question skipped."""
    page = visit(f"{address}/{SLUG}.html")
    bring_to_life(page)
    return page


def bring_to_life(page):
    """Scroll from view to view until each is drawn, and skip the questions: what waits behind them is drawn, too."""
    for place in page.locator("[data-view]").all():
        place.scroll_into_view_if_needed()
        expect(place).to_have_attribute("data-alive", "")  # a view that fails says why in its place
        for skip in place.get_by_role("button", name="skip").all():
            skip.click()
    expect(page.locator("[data-failed]")).to_have_count(0)


# What moves an explorer whose bar takes only a text: switches of heads, or what is chosen of all heads, of a product.
IN_A_VIEW = {".attnlab-switchboard button": "Space", "[role=application]": "ArrowRight"}


def changes(page, explorer):
    """Whether the first control that can be moved changes the picture, or the sentence, which says then that it stays;
    where there is none, a hand in a view."""
    explorer.scroll_into_view_if_needed()
    root = explorer.element_handle()
    page.wait_for_function(AT_REST, arg=root, polling=200)  # names may still be moving apart
    before = page.evaluate(SEEN, root) + page.evaluate(SAID, root)
    bar = explorer.locator(".controls")
    if bar.locator(".control:not(.text)").count():
        move(bar)
    else:
        place = next(place for place in IN_A_VIEW if explorer.locator(place).count())
        explorer.locator(place).first.press(IN_A_VIEW[place])
    page.wait_for_function(f"([root, before]) => ({SEEN})(root) + ({SAID})(root) !== before", arg=[root, before])
    expect(explorer).not_to_have_attribute("data-outside", "")
    return True


def test_every_explorer_is_alive(small, visit, address):
    explorers = small.locator(".attnlab-explorer")
    expect(explorers).to_have_count(2)
    assert all(changes(small, explorer) for explorer in explorers.all())
    for name in ("index", "00_start_here"):
        page = visit(f"{address}/{name}.html")
        bring_to_life(page)
        expect(page.locator(".attnlab-explorer")).to_have_count(1)
        assert changes(page, page.locator(".attnlab-explorer"))


@pytest.mark.whole_site
@pytest.mark.parametrize("slug", [source.stem for source, _ in pairs()])
def test_every_explorer_of_a_lesson_is_alive(tmp_path, serve, browser, visit, slug):
    [told] = site.site(tmp_path, [slug], browser)
    page = visit(f"{serve(tmp_path)}/{slug}.html")
    bring_to_life(page)
    page.wait_for_function(f"({SHOWN})() === {len(told['explorers'])}")
    for explorer in page.locator(".attnlab-explorer").all():
        assert changes(page, explorer)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.reload()
        bring_to_life(page)
        assert serious(page, "html") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "00_start_here", SLUG])
def test_axe_finds_nothing_serious(visit, address, name, scheme):
    page = visit(f"{address}/{name}.html", color_scheme=scheme)
    bring_to_life(page)
    assert serious(page, "html") == []
    if name == SLUG:
        scrolls = "(all) => all.map((one) => [one.scrollWidth > one.clientWidth, one.tabIndex === 0])"
        reached = page.locator(".highlight pre").evaluate_all(scrolls)
        assert [True, True] in reached
        assert [False, False] in reached, "what does not scroll is no stop for Tab"
        assert all(wide == stop for wide, stop in reached)


def test_a_guess_comes_before_the_picture(visit, address):
    page = visit(f"{address}/{SLUG}.html")
    place = page.locator("[data-view]").first
    expect(place.locator(".predict")).to_be_visible()
    assert place.locator(".attnlab-explorer").count() == 0, "the picture would give the answer away"
    place.get_by_role("button", name="that one").click()
    expect(place.locator(".attnlab-explorer")).to_be_visible()
    expect(place.locator(".why")).to_contain_text("Not so. It is the other.")


def leaves(value):
    """Numbers and texts of a value on the wire, one after the other; bytes are numbers of four."""
    if isinstance(value, dict):
        return list(chain.from_iterable(leaves(value[name]) for name in sorted(value)))
    if isinstance(value, (list, tuple)):
        return list(chain.from_iterable(map(leaves, value)))
    if isinstance(value, (bytes, memoryview)):
        return np.frombuffer(value, np.float32).tolist()
    return [value]


def seen_by(explorer):
    """{(name on a page that shows nothing else, trait): value on the wire} of all that an explorer shows."""
    names = {widget: f"m{i}" for i, widget in enumerate(family(explorer))}
    return {
        (names[part], trait): value
        for name, part in explorer.parts.items()
        for trait, value in part.get_state(part.shown_traits()).items()
        if name != "controls"
    }


def differences(wanted, found):
    """What the page shows and what the kernel shows, where they are not the same."""
    return [
        f"{name}: the page shows {a!r}, the kernel {b!r}"
        for (name, value), shown in zip(wanted.items(), found, strict=True)
        for a, b in zip_longest(leaves(shown), leaves(value))  # a picture that is still another's may be longer
        if not (a == pytest.approx(b, rel=2**-11) if isinstance(b, float) else a == b)
    ]


@pytest.mark.parametrize(("presses", "sentence"), [(1, 0), (6, 0), (0, 1), (3, 1)])
def test_the_page_shows_what_the_kernel_shows(visit, address, presses, sentence):
    """Not only the numbers: names, sentence and code, too."""
    page = visit(f"{address}/index.html")
    bring_to_life(page)
    bar = page.locator(".controls")
    for _ in range(presses):
        bar.locator("input[type=range]").press("ArrowRight")
    own = TemperatureExplorer()
    choices = own.parts["controls"].spec[1]["options"]
    if sentence:
        bar.locator("select").select_option(choices[sentence])
    own.change(temperature=round(1 + presses / 10, 1), words=choices[sentence])
    expect(page.locator(".attnlab-explorer .number")).to_have_text(f"{own.temperature:.1f}")
    wanted = seen_by(own)
    for _ in range(100):  # the bar shows where the hand is at once, the picture comes when the states' file is there
        if not (wrong := differences(wanted, page.evaluate(TRAITS, [list(name) for name in wanted]))):
            break
        page.wait_for_timeout(100)
    assert not wrong, wrong


def test_a_state_without_a_picture_is_said_and_not_shown(small):
    explorer = small.locator(".attnlab-explorer").first  # every number can be dragged
    explorer.scroll_into_view_if_needed()
    number = f"async () => ({PRODUCT}).get('query').data.getFloat32(0, true)"
    assert small.evaluate(number) == -0.5
    small.mouse.move(4, 300)
    small.mouse.down()
    small.evaluate(f"""async () => {{
        const product = {PRODUCT};
        const {{ shape, data }} = product.get("query");
        const other = new Float32Array(data.byteLength / 4).fill(1);
        product.set("query", {{ shape, data: new DataView(other.buffer) }});
        product.save_changes();
    }}""")
    expect(explorer).to_have_attribute("data-outside", "")
    # Else the picture would leave the hand that drags in it.
    expect(explorer.locator(".caption .banner")).to_be_hidden()
    small.mouse.up()
    expect(explorer.get_by_role("alert")).to_contain_text("make lab")
    tops = [explorer.locator(part).first.bounding_box()["y"] for part in (".controls", ".banner", ".product", ".say")]
    assert tops == sorted(tops), "it is said where the hand is, above a picture that may be tall"
    explorer.get_by_role("button", name="reset").click()
    expect(explorer).not_to_have_attribute("data-outside", "")
    expect(explorer.locator(".caption .banner")).to_be_hidden()
    assert small.evaluate(number) == -0.5, "what was dragged is back, too"


def test_a_training_plays_what_was_recorded(small):
    place = small.locator("[data-view]").nth(KINDS.index("training"))
    training = place.locator(".attnlab.training")
    expect(place.locator(".note")).to_contain_text("Recorded when this page was made")
    expect(training.locator(".summary")).to_have_text("")
    training.get_by_role("button", name="Start").click()
    expect(training.locator(".standing")).to_contain_text("done")
    expect(training.locator(".summary")).to_have_text("All forty steps.")
    last = """async () => {
        const film = [...(await attnlabPage).models.values()].find((one) => one.get("key_labels")?.[0] === "c");
        return film.get("values").data.getFloat32(0, true);
    }"""
    assert small.evaluate(last) == 1, "the film has come to its last picture"


def test_a_table_is_sorted_and_an_exercise_says_where_it_is_written(small):
    place = small.locator("[data-view]").nth(KINDS.index("table"))
    expect(place.locator("tbody th").first).to_have_text("b")
    place.get_by_role("button", name="score").click()
    expect(place.locator("tbody th").first).to_have_text("a")
    expect(small.locator(".exercise .hand")).to_contain_text("make lab")


def test_what_a_page_cannot_draw_says_so(small):
    place = small.locator("[data-view]").nth(KINDS.index("slider"))
    expect(place).to_contain_text("IntSlider(value=3")
    expect(place.locator(".note")).to_contain_text("make lab")


def test_six_questions_are_answered_and_stay_in_the_browser(visit, address):
    page = visit(f"{address}/00_start_here.html")
    page.evaluate('localStorage.setItem(\'attnlab.questions\', \'{"before": {"0": "of another course"}, no JSON\')')
    bring_to_life(page)
    six = page.locator(".attnlab-questions")
    expect(six.locator("xpath=..").locator(".note")).to_contain_text("Your answers go no farther than this browser")
    six.get_by_role("radio", name=ALIKE).click()
    six.get_by_role("textbox").fill("by <b>asking</b> ")
    six.get_by_role("button", name="keep it").click()
    expect(six.locator(".standing")).to_have_text("2 of 6 answered")
    expect(six.locator(".reply")).to_have_text([""] * 6)

    page.reload()
    bring_to_life(page)
    expect(six.get_by_role("radio", name=ALIKE)).to_have_attribute("aria-checked", "true")
    expect(six.get_by_role("textbox")).to_have_value("by <b>asking</b>")
    expect(six.locator(".standing")).to_have_text("2 of 6 answered")

    page.get_by_role("button", name="forget these answers").click()
    expect(six.locator(".standing")).to_have_text("0 of 6 answered")
    expect(six.get_by_role("textbox")).to_have_value("")
    expect(six.locator("[aria-checked=true]")).to_have_count(0)
    assert page.evaluate("localStorage.getItem('attnlab.questions')") == '{"before":{}}'


def test_after_the_course_an_answer_is_final_and_stands_beside_the_earlier_one(visit, address):
    page = visit(f"{address}/{SLUG}.html")
    page.evaluate("(sheets) => localStorage.setItem('attnlab.questions', sheets)", json.dumps({"before": {"0": ALIKE}}))
    page.reload()
    bring_to_life(page)
    six = page.locator(".attnlab-questions")
    expect(six.locator(".standing")).to_have_text("0 of 6 answered")
    for place, answer in ((0, "how much of a value goes into the sum"), (1, "I do not know yet")):
        six.get_by_role("radiogroup").nth(place).get_by_role("radio", name=answer).click()
    before = six.locator(".reply").nth(0).locator("tr")
    expect(before.nth(0)).to_have_text(f"before the course{ALIKE}")
    expect(before.nth(1)).to_have_text("nowhow much of a value goes into the sum")
    expect(before.nth(3)).to_contain_text("Weights mix values, that is all.")
    expect(six.locator(".reply").nth(1).locator("tr").nth(0)).to_have_text("before the course(not answered)")
    expect(six.get_by_role("radiogroup").nth(0)).to_have_attribute("aria-disabled", "true")
    expect(six.locator(".standing")).to_have_text("2 of 6 answered")


def test_a_browser_that_keeps_nothing_is_told_of(visit, address):
    page = visit(f"{address}/{SLUG}.html")
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }; }")
    bring_to_life(page)
    six = page.locator(".attnlab-questions")
    six.get_by_role("radio", name="I do not know yet").first.click()
    expect(six.locator(".standing")).to_have_text("This browser keeps nothing: your answers go with the page.")
    six.get_by_role("radio", name="I do not know yet").nth(1).click()
    expect(six.locator("[aria-checked=true]")).to_have_count(2)


def test_search_finds_a_section(visit, address):
    page = visit(f"{address}/index.html")
    page.get_by_role("searchbox").fill("zymurgy")
    expect(page.locator("#found a")).to_have_count(1)
    page.locator("#found a").click()
    page.wait_for_url(f"**/{SLUG}.html#What-it-holds")


def test_search_shows_whole_words(visit, address):
    page = visit(f"{address}/00_start_here.html")
    words = page.locator("main").text_content().split()
    page.get_by_role("searchbox").fill("lesson 11a")
    snippet = page.locator("#found small", has_text="lesson 11a").first
    assert snippet.text_content().startswith("… ")
    assert snippet.text_content().endswith(" …")
    first, *_, last = snippet.text_content().strip("… ").split()
    assert {first, last} <= {*words}


def test_search_on_a_phone_is_whole_and_comes_back(visit, address):
    page = visit(f"{address}/index.html", viewport={"width": 390, "height": 664})
    page.get_by_role("searchbox").fill("zymurgy")
    found = page.locator("#found a")
    expect(found).to_have_count(1)
    box = page.locator("#found").bounding_box()
    assert 0 <= box["x"] < box["x"] + box["width"] <= 390
    page.mouse.click(3, 640)
    expect(found).to_be_hidden()
    page.get_by_role("searchbox").click()
    expect(found).to_be_visible()


def test_light_dark_and_a_phone(visit, address):
    page = visit(f"{address}/index.html", color_scheme="dark", viewport={"width": 390, "height": 800})
    for name in ("index", SLUG):
        page.goto(f"{address}/{name}.html")
        bring_to_life(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, "only the views may be wider, in place"
        wide = page.locator(".view").evaluate_all("(all) => all.map((one) => one.scrollWidth - one.clientWidth)")
        assert max(wide) == 0, "a view that must be wider scrolls within"
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.get_by_role("button", name="light or dark").click()
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"


@pytest.mark.parametrize("name", ["index", "00_start_here"])
def test_nothing_moves_while_views_are_drawn(visit, address, name):
    page = visit(f"{address}/{name}.html")
    page.evaluate(SCROLL)
    for place in page.locator("[data-view]").all():
        expect(place).to_have_attribute("data-alive", "")
        page.wait_for_function(AT_REST, arg=place.element_handle(), polling=200)
    assert page.evaluate(SHIFT) < 0.05
    page.evaluate("() => { scrollTo(0, 0); document.querySelector('main').style.marginTop = '300px'; }")
    assert page.evaluate(SHIFT) > 0.05, "this is no measure of it"


# The heights that the parts of views have had, one after the other, in the frames in which they were to be seen.
WATCH = """() => {
    globalThis.heights = new Map();
    const look = () => {
        for (const part of document.querySelectorAll(".attnlab :is(canvas, .plot, .bar)")) {
            if (!part.checkVisibility({ visibilityProperty: true })) continue;
            const height = part.getBoundingClientRect().height;
            const seen = heights.get(part) ?? heights.set(part, []).get(part);
            if (seen.at(-1) !== height) seen.push(height);
        }
        requestAnimationFrame(look);
    };
    look();
}"""


@pytest.mark.parametrize("screen", site.SCREENS)
def test_a_page_keeps_free_what_each_view_takes(visit, address, screen):
    """From the frame on in which it is to be seen: no part is drawn there for another width first."""
    page = visit(f"{address}/{SLUG}.html", viewport=site.SCREENS[screen])
    page.add_init_script(f"({WATCH})()")
    page.reload()
    places = page.locator("[data-view]")
    kept = places.evaluate_all("(all) => all.map((one) => parseFloat(getComputedStyle(one).minHeight))")
    for place in places.all():
        place.scroll_into_view_if_needed()
        expect(place).to_have_attribute("data-alive", "")
        page.wait_for_function(AT_REST, arg=place.element_handle(), polling=200)
    heights = page.evaluate("[...heights].map(([part, seen]) => [part.getAttribute('class') ?? part.nodeName, seen])")
    assert sorted(name for name, _ in heights) == ["CANVAS", "bar", "plot"], "those of the training"
    assert [part for part in heights if len(part[1]) > 1] == []
    taken = "(all) => all.map((one) => (one.style.minHeight = '0', parseFloat(getComputedStyle(one).height)))"
    assert kept == pytest.approx(places.evaluate_all(taken), abs=1)


def test_both_places_of_an_explorer_say_that_the_picture_is_another_states(visit, address, folder):
    explorer = TemperatureExplorer()
    page = visit(page_with(folder, address, "twice", explorer, 2))
    bring_to_life(page)
    both = page.locator(".attnlab-explorer")
    expect(both).to_have_count(2)
    moved = "async ([name, values]) => (await attnlabPage).answers.get(name).told(null, {kind: 'move', values})"
    name = both.first.get_attribute("data-model")
    page.evaluate(moved, [name, {"temperature": 99}])
    for place in both.all():
        expect(place.locator("> .note")).to_contain_text("no picture at 99")
        assert place.locator("> .note").bounding_box()["y"] > place.locator(".caption .say").bounding_box()["y"]
    page.evaluate(moved, [name, {"words": "of no list"}])
    for place in both.all():
        expect(place).to_have_attribute("data-outside", "")


def test_a_training_that_stands_once_more_is_trained_there(visit, address, folder):
    def start():
        for step in range(1, 41):
            yield SimpleNamespace(step=step, loss=1 / step, metrics={})

    link = page_with(folder, address, "again", Training(start, 40), 2)
    file = folder / "again.html"
    apart = "<style>.view { min-height: 300px; margin-bottom: 1200px; }</style>"
    file.write_text(file.read_text(encoding="utf-8").replace("<main>", f"<main>{apart}"), encoding="utf-8")
    page = visit(link)
    first, again = (page.locator("[data-view]").nth(place) for place in (0, 1))
    first.scroll_into_view_if_needed()
    expect(first.locator(".standing")).to_contain_text("40 steps, about")
    again.scroll_into_view_if_needed()
    expect(again.locator(".standing")).to_have_text("done: 40 steps")


def page_with(folder, address, name, view, places=1):
    """The address of a page that shows a view, in so many places."""
    model = write([view.model_id], str(folder), name)["views"][view.model_id]["name"]
    frame = site.page_exporter().environment.get_template("frame.html.j2").module
    figures = f'<figure class="view" data-view="{model}"></figure>' * places
    page = frame.head(name, f"{name}.views.bin") + f"<main>{figures}</main>" + frame.foot()
    (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return f"{address}/{name}.html"


def test_views_side_by_side_have_the_room_that_they_ask_for(visit, address, folder):
    halves = [Matrix(np.eye(3), layout={"flex": "1 1 300px"}) for _ in range(2)]
    beside = HBox(halves, layout={"flex_flow": "row wrap"})
    page = visit(page_with(folder, address, "beside", beside))
    bring_to_life(page)
    left, right = (one.bounding_box() for one in page.locator(".matrix").all())
    assert left["width"] == pytest.approx(right["width"], abs=1)
    assert left["width"] > 400
    assert right["x"] >= left["x"] + left["width"]
    page.set_viewport_size({"width": 390, "height": 800})
    left, right = (one.bounding_box() for one in page.locator(".matrix").all())
    assert left["width"] == right["width"] > 340
    assert right["x"] == left["x"], "on a phone they stand under each other"


def test_opened_as_a_file_it_says_why_it_stands_still(browser, folder):
    page = browser.new_page()
    page.goto((folder / "00_start_here.html").as_uri())
    expect(page.get_by_role("alert")).to_contain_text("python -m http.server")
    shown = page.locator("[data-view]").filter(has=page.locator("img"))  # a question stands there in words
    asked = page.locator("[data-view]").filter(has_text="Guess first:")
    expect(shown.or_(asked)).to_have_count(page.locator("[data-view]").count())
    assert page.locator(".view img").first.evaluate("(img) => img.decode().then(() => img.naturalWidth)") > 100
    page.close()


def test_a_missing_file_is_said_in_the_place_of_the_view(browser, address):
    page = browser.new_page()
    page.route("**/*.views.bin", lambda route: route.fulfill(status=404))
    page.goto(f"{address}/{SLUG}.html")
    expect(page.locator(".note").first).to_contain_text("could not be loaded")
    page.close()
