"""The pages of the site: what a lesson's text becomes, and what the search and the first page are made of."""

import re

import nbformat
import pytest
from bs4 import BeautifulSoup
from PIL import Image

from lessons import build, site
from lessons.build import LESSONS, from_source, pairs

SLUGS = [source.stem for source, _ in pairs()]


def rendered(text):
    return site.markdown2html(text)


def test_formulas_become_mathml():
    html = rendered("The score $q \\cdot k / \\sqrt{d}$, and\n\n$$\\sum_i w_i v_i$$\n")
    inline, block = BeautifulSoup(html, "html.parser").find_all("math")
    assert inline.msqrt is not None
    assert block["display"] == "block"
    assert "$" not in html


@pytest.mark.parametrize("slug", SLUGS)
def test_every_formula_of_a_lesson_can_be_set(slug):
    cells = from_source(LESSONS / "sources" / f"{slug}.py").cells
    html = "".join(rendered(cell.source) for cell in cells if cell.cell_type == "markdown")
    bare = BeautifulSoup(html, "html.parser")
    for code in bare.find_all(["code", "pre", "math"]):
        code.extract()
    assert not re.search(r"\\[a-z]{2,}", bare.get_text()), "a command of TeX is left in the text"


def test_functions_stand_off_from_their_arguments_and_signs_at_their_numbers():
    formulas = BeautifulSoup(rendered(r"$\ln 0.6 = -0.51$ $\tanh(x)$ $\tanh^2 x - 1$"), "html.parser").find_all("math")
    assert [len(formula.find_all("mspace")) for formula in formulas] == [1, 0, 0]
    assert [len(formula.find_all("mo", form="prefix")) for formula in formulas] == [1, 0, 0]


def test_a_number_stays_in_one_line_with_its_sign_and_code_stays_code():
    assert "10\u00a0% of 4\u00a0×\u00a04, <code>5 % 2</code>" in rendered("10 % of 4 × 4, `5 % 2`")


def test_headings_can_be_linked_to_and_lessons_lead_to_pages():
    html = rendered(
        "## 2. The *whole* layer\n\n[next](05_self_attention.ipynb) and [elsewhere](https://example.org/a.ipynb)"
    )
    assert '<h2 id="2.-The-whole-layer">' in html
    assert 'href="05_self_attention.html"' in html
    assert 'href="https://example.org/a.ipynb"' in html


def small_lesson():
    code = nbformat.v4.new_code_cell('check("00.mean", mine)', metadata={"exercise": True})
    question = nbformat.v4.new_code_cell('guess("00.more")', metadata={"tags": ["hide-input"]})
    view = {"text/plain": 'A view of "words" & <more>', site.WIDGET_VIEW: {"model_id": "1"}}
    shown = {"attnlab": {"name": "m7", "room": 348, "still": "pictures/a.png", "width": 500, "height": 321}}
    shown["attnlab"]["alt"] = "A view, <later>"
    question.outputs = [nbformat.v4.new_output("execute_result", data=view, metadata=shown)]
    asked = {"text/plain": "Guess first: What?\nMatrix(0.7)", "text/markdown": "**What?**", site.WIDGET_VIEW: {}}
    room = {"attnlab": {"name": "m8", "room": 140, "narrow": 190}}
    question.outputs.append(nbformat.v4.new_output("execute_result", data=asked, metadata=room))
    cells = [nbformat.v4.new_markdown_cell("# A?\n\nText.\n\n## One\n\nMore of it."), code, question]
    return nbformat.v4.new_notebook(cells=cells)


@pytest.fixture
def page():
    html = site.page_of(small_lesson(), "A?", "a.views.bin")
    return html, BeautifulSoup(html, "html.parser")


def test_a_view_has_its_place_its_picture_and_its_words(page):
    _, soup = page
    assert soup.body["data-views"] == "a.views.bin"
    figure = soup.select_one("figure.view")
    assert figure["data-view"] == "m7"
    assert figure["style"] == "--room: 348px", "what its still takes, since no phone was measured"
    still = figure.noscript.img
    assert (still["src"], still["width"], still["height"]) == ("pictures/a.png", "500", "321")
    assert still["alt"] == "A view, <later>", "what the still shows"
    assert figure["aria-label"] == 'A view of "words" & <more>', "what stands there first"


def test_exercises_and_questions_are_shown_as_such(page):
    _, soup = page
    assert "make lab" in soup.select_one(".exercise .hand").get_text()
    assert soup.select_one("details.code").summary.get_text() == "the code of this question"


def test_nothing_is_asked_of_another_machine(page):
    html, soup = page
    asked = [tag.get("src") or tag.get("href") for tag in soup.select("script, link, img, iframe")]
    assert [one for one in asked if one and "//" in one] == []
    assert "default-src 'self'" in html


def test_sections_for_the_search(page):
    html, _ = page
    assert site.sections("00_a", html) == [
        ["00_a.html", "", "A?", "", " Text."],
        ["00_a.html", "One", "A?", "One", " More of it."],
    ]


def test_what_a_search_shows_is_what_the_page_shows():
    text = "<p>Then (<code>f(x)</code> asks) <em>it</em>.<br>So</p><ul><li>one</li><li>two</li></ul>"
    found = site.sections("00_a", f"<section class='text'><h1>A</h1>{text}</section>")
    assert [section[4] for section in found] == [" Then (f(x) asks) it. So one two"]


def test_the_first_page(tmp_path):
    site.assets(tmp_path)
    site.home(tmp_path, ["02_looking_back"], None)
    soup = BeautifulSoup((tmp_path / "index.html").read_text(encoding="utf-8"), "html.parser")
    rows = soup.select("table.lessons tbody tr")
    assert len(rows) >= len(SLUGS)
    assert [a["href"] for a in soup.select("table.lessons a")] == ["02_looking_back.html"]
    assert f"{len(rows)} lessons" in soup.select_one(".promise").get_text()
    assert "matrix follows" in soup.select_one("main").get_text()
    assert [a["href"] for a in soup.select("a.begin")] == ["02_looking_back.html"]
    assert (tmp_path / "index.views.bin").exists()
    first = [tmp_path / "index.html", *tmp_path.glob("index.*.bin"), *(tmp_path / "assets").glob("[!p]*.js")]
    scripts = [tmp_path / "assets" / f"{name}.bin" for name in ("matrix", "controls", "caption")]
    assert sum(path.stat().st_size for path in [*first, *scripts]) < 300_000


def test_a_question_is_words_until_it_is_drawn(page):
    _, soup = page
    figure = soup.select("figure.view")[1]
    assert figure["style"] == "--room: 140px; --narrow: 190px"
    assert figure.noscript.strong.get_text() == "What?"
    assert "Matrix" not in figure.noscript.get_text()
    assert figure["aria-label"] == "Guess first: What?"


def test_stills_are_without_their_line_and_questions_only_have_a_size(tmp_path, monkeypatch):
    still = build.with_line(Image.new("RGB", (200, 120), "#3B4592"))
    kept = {"image/png": {"alt": "A view.", **build.size(still)}}
    view = {"text/plain": "A view.", "image/png": build.png(still, 1, 256)}
    cell = nbformat.v4.new_code_cell("a", id="one")
    cell.outputs = [
        nbformat.v4.new_output(
            "display_data", data={"text/markdown": "**What?**"}, metadata={"text/markdown": {"height": 9}}
        ),
        nbformat.v4.new_output("display_data", data=view, metadata=kept),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "00_a.ipynb")
    monkeypatch.setattr(site, "LESSONS", tmp_path)
    (tmp_path / "pictures").mkdir()
    [question, shown] = site.stills("00_a", tmp_path)["one"]
    assert question == {"height": 9}
    assert (shown["width"], shown["height"]) == (100, 60)
    with Image.open(tmp_path / shown["still"]) as picture:
        assert picture.size == (200, 120)
        assert picture.convert("RGB").getcolors() == [(200 * 120, (0x3B, 0x45, 0x92))]


def test_a_lesson_without_a_notebook_has_words_in_place_of_pictures(tmp_path):
    assert site.stills("99_nowhere", tmp_path) == {}


def test_a_page_leads_to_the_copy_that_is_named(monkeypatch):
    """Without it, it names none."""
    for address in ("", "https://example.org/me/attnlab"):
        monkeypatch.setattr(site, "repository", lambda address=address: address)
        foot = BeautifulSoup(
            site.page_exporter().environment.get_template("frame.html.j2").module.foot(), "html.parser"
        )
        assert [link["href"] for link in foot.select("a")] == [address] * bool(address)
        assert "in a copy of the project, make lab" in " ".join(foot.footer.get_text().split())
