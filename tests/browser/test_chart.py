"""Chart in a real page: plotly once, today's numbers drawn, films over it, keyboard, theme, text that is only text."""

from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
import pytest
from bridge import Bridge, kernel

from benchmarks.lessons import watching
from widgets.chart import Chart, bars, curve, figure, points
from widgets.film import wire

pytestmark = pytest.mark.browser


def show(bridge, chart):
    bridge.show(chart)
    bridge.page.wait_for_function("(n) => [...document.querySelectorAll('.attnlab-chart .plot')].at(-1)?._fullData",
                                  arg=0, timeout=20_000)
    bridge.settle()
    return chart


def drawn(bridge, trace=0, side="y", chart=0):
    """The numbers that plotly has drawn."""
    program = "([c, t, s]) => Array.from(document.querySelectorAll('.plot')[c]._fullData[t][s] ?? [])"
    return bridge.page.evaluate(program, [chart, trace, side])


def two_curves():
    curves = curve([3.0, 2.0, 1.0], name="with", role="query"), curve([3.0, 2.5, 2.0], name="without")
    return Chart(figure(*curves, x="step", y="loss"))


def test_numbers_of_the_kernel_are_drawn(bridge):
    chart = show(bridge, two_curves())
    assert drawn(bridge) == [3, 2, 1]
    chart.update(traces={"without": {"y": np.array([0.5, 0.25, 0.125, 0.0625])}})
    bridge.settle()
    assert drawn(bridge, 1) == [0.5, 0.25, 0.125, 0.0625]
    assert drawn(bridge) == [3, 2, 1]


def test_plotly_is_evaluated_once_and_leaves_no_trace(bridge):
    bridge.page.evaluate("""() => { window.made = 0; const old = window.Function;
        const construct = (f, a) => { if (a.includes("exports")) made += 1; return new f(...a); };
        window.Function = new Proxy(old, { construct });
        window.Plotly = "of the page"; }""")
    for _ in range(3):
        show(bridge, two_curves())
    assert bridge.page.evaluate("made") == 1
    assert bridge.page.evaluate("window.Plotly") == "of the page"
    assert bridge.page.locator(".main-svg").count() >= 3


def test_a_matrix_of_numbers_is_drawn_by_rows(bridge):
    z = np.arange(15, dtype=np.float32).reshape(3, 5)
    chart = show(bridge, Chart(go.Figure(go.Heatmap(z=z))))
    rows = "() => document.querySelector('.plot')._fullData[0].z.map((row) => Array.from(row))"
    assert bridge.page.evaluate(rows) == z.tolist()
    chart.update(traces={0: {"z": -z}})
    bridge.settle()
    assert bridge.page.evaluate(rows) == (-z).tolist()


def test_a_film_plays_until_the_kernel_answers(bridge):
    chart = show(bridge, two_curves())
    bridge.page.evaluate("""([id, traces]) => models.get(id).trigger("msg:custom",
        { kind: "film", stamp: 7, state: { traces } })""", [chart.model_id, as_in_the_page(chart, [9.0, 8.0, 7.0])])
    bridge.settle()
    assert drawn(bridge, 1) == [9, 8, 7]
    chart.show(stamp=6, traces={"without": {"y": [6.0, 6.0, 6.0]}})
    bridge.settle()
    assert drawn(bridge, 1) == [9, 8, 7]
    chart.show(stamp=7, traces={"without": {"y": [5.0, 5.0, 5.0]}})
    bridge.settle()
    assert drawn(bridge, 1) == [5, 5, 5]


def as_in_the_page(chart, numbers):
    """A film's state without bytes, which the page gets as lists."""
    packed = wire(chart, "traces", {"without": {"y": np.array(numbers)}})
    return {index: {side: list(numbers) for side in change} for index, change in packed.items()}


def test_a_new_page_shows_todays_numbers(bridge, browser):
    """The state is asked for again when a page is reloaded; it holds what changed since."""
    chart = show(bridge, two_curves())
    chart.update(traces={0: {"y": [7.0, 7.5]}}, layout={"yaxis_range": [0, 9]})
    bridge.settle()
    page = browser.new_page()
    again = Bridge(page)
    from widgets.chart import library

    for widget in (library(), chart):
        again.outbox.append({"id": widget.model_id, "kind": "open", **opened(widget)})
    show(again, chart)
    assert drawn(again) == [7, 7.5]
    assert page.evaluate("document.querySelector('.plot')._fullLayout.yaxis.range") == [0, 9]
    page.close()


def opened(widget):
    import base64

    from ipywidgets.widgets.widget import _remove_buffers

    state, paths, buffers = _remove_buffers(widget.get_state())
    return {"data": {"state": state, "buffer_paths": paths},
            "buffers": [base64.b64encode(bytes(b)).decode() for b in buffers]}


def test_zoom_stays_while_numbers_change(bridge):
    chart = show(bridge, two_curves())
    box = bridge.page.locator(".nsewdrag").first.bounding_box()
    x, y = box["x"] + 40, box["y"] + 30
    bridge.page.mouse.move(x, y)
    bridge.page.mouse.down()
    bridge.page.mouse.move(x + 150, y + 100, steps=4)
    bridge.page.mouse.up()
    bridge.settle()
    ranges = "['xaxis', 'yaxis'].flatMap((name) => document.querySelector('.plot')._fullLayout[name].range)"
    zoomed = bridge.page.evaluate(ranges)
    assert zoomed[0] > 0
    assert zoomed[1] < 2
    chart.update(traces={0: {"y": [1.0, 2.0, 9.0]}})
    bridge.settle()
    assert bridge.page.evaluate(ranges) == pytest.approx(zoomed)


def test_keys_walk_over_points_and_say_them(bridge):
    show(bridge, two_curves())
    bridge.page.locator(".plot").focus()
    said = bridge.page.locator(".attnlab-chart [aria-live]")
    for key, words in [("ArrowRight", "with, step 0, loss 3"), ("ArrowRight", "with, step 1, loss 2"),
                       ("ArrowDown", "without, step 1, loss 2.500"), ("End", "without, step 2, loss 2"),
                       ("Home", "without, step 0, loss 3"), ("ArrowLeft", "without, step 0, loss 3"), ("Escape", "")]:
        bridge.page.keyboard.press(key)
        assert said.text_content() == words
    bridge.page.keyboard.press("ArrowRight")
    assert bridge.page.locator(".hovertext").count() == 1


def test_tools_have_names_and_answer_to_the_keyboard(bridge):
    show(bridge, two_curves())
    bridge.page.locator(".plot").focus()
    names = bridge.page.locator(".modebar-btn").evaluate_all("all => all.map((b) => b.getAttribute('aria-label'))")
    assert {"Zoom in", "Zoom out", "Reset axes"} <= set(names)
    assert not [name for name in names if not name or "loud" in name or "hare" in name]
    before = bridge.page.evaluate("document.querySelector('.plot')._fullLayout.xaxis.range")
    bridge.page.get_by_role("button", name="Zoom in").focus()
    bridge.page.keyboard.press("Enter")
    bridge.settle(300)
    after = bridge.page.evaluate("document.querySelector('.plot')._fullLayout.xaxis.range")
    assert before[0] < after[0] < after[1] < before[1]


def test_description_follows_the_numbers(bridge):
    chart = show(bridge, two_curves())
    plot = bridge.page.get_by_role("application")
    assert plot.get_attribute("aria-label").startswith(
        "loss over step. with: 3 numbers, first 3, last 1, lowest 1, highest 3")
    chart.update(traces={0: {"y": [0.5]}})
    bridge.settle()
    assert "with: 0.500. without" in plot.get_attribute("aria-label")


def test_table_behind_the_picture(bridge):
    chart = show(bridge, two_curves())
    bridge.page.get_by_text("numbers", exact=True).focus()
    bridge.page.keyboard.press("Enter")
    bridge.settle()
    table = bridge.page.get_by_role("table", name="without")
    assert table.locator("tr").all_inner_texts() == ["step\tloss", "0\t3", "1\t2.500", "2\t2"]
    chart.update(traces={"without": {"y": [-1.0]}})
    bridge.settle()
    assert table.locator("tr").all_inner_texts() == ["step\tloss", "0\t−1"]
    chart.update(traces={"without": {"y": np.zeros(10_000)}})
    bridge.settle()
    assert bridge.page.locator("caption").last.inner_text() == "without (first 200 of 10000)"


@pytest.mark.parametrize("text", ["<script>window.hit=1</script>", "<img src=x onerror='window.hit=1'>",
                                  "<a href='javascript:window.hit=1'>x</a>", "a & b", "&lt;b&gt;", "日本 😀 שלום"])
def test_a_learners_text_is_only_text(bridge, text):
    words = bars([1.0, 2.0], [text, "other"]), curve([1.0, 2.0], x=[text, "other"], name=text)
    show(bridge, Chart(figure(*words, x=text, y=text, title=text)))
    bridge.page.get_by_text("numbers", exact=True).click()
    bridge.settle(200)
    assert bridge.page.evaluate("window.hit") is None
    assert bridge.page.locator(".plot img, .plot a[href*=javascript], .plot script").count() == 0
    assert bridge.page.locator(".xtick text").first.text_content() == text
    assert bridge.page.locator(".gtitle").text_content() == text
    assert bridge.page.locator("caption").last.inner_text() == " ".join(text.split())


NUMBERS = {
    "nothing": [], "one": [1.0], "nan": [1.0, np.nan, 3.0], "infinite": [1.0, np.inf, -np.inf, 2.0],
    "all nan": [np.nan] * 3, "many": np.sin(np.arange(10_000) / 50), "same": [2.0] * 5,
}


@pytest.mark.parametrize("case", NUMBERS)
def test_odd_numbers_are_drawn(bridge, case):
    chart = show(bridge, Chart(figure(curve(NUMBERS[case], name="a"), y="loss")))
    chart.update(traces={0: {"y": np.asarray(NUMBERS[case])}})
    bridge.settle()
    assert bridge.page.locator(".failed").inner_text() == ""
    assert bridge.page.locator(".annotation-text", has_text="nothing to show yet").count() == (case == "nothing")


def test_ten_thousand_marks(bridge):
    show(bridge, Chart(figure(points(np.arange(10_000), np.random.default_rng(0).random(10_000)))))
    assert bridge.page.locator(".plot .point").count() == 10_000


def test_names_stand_at_the_ends_and_do_not_overlap(bridge):
    ends = [1.0, 1.01, 1.02, 1.03, 5.0]
    show(bridge, Chart(figure(*[curve([0.0, end], name=f"name {i}") for i, end in enumerate(ends)])))
    bridge.page.wait_for_timeout(300)
    bridge.settle()
    boxes = sorted((a.bounding_box() for a in bridge.page.locator(".annotation-text").all()), key=lambda b: b["y"])
    assert len(boxes) == 5
    assert all(low["y"] - high["y"] >= 14 for high, low in pairwise(boxes))
    picture = bridge.page.locator(".plot").bounding_box()
    assert all(b["x"] + b["width"] <= picture["x"] + picture["width"] for b in boxes)


@pytest.mark.parametrize("dark", [False, True])
def test_colours_come_from_the_page(page, dark):
    with kernel():
        bridge = Bridge(page, dark=dark)
        show(bridge, two_curves())
        full = page.evaluate("""() => { const f = document.querySelector('.plot')._fullLayout;
            return { paper: f.paper_bgcolor, role: document.querySelector('.plot')._fullData[0].line.color,
                     tick: f.xaxis.tickfont.color, size: f.xaxis.tickfont.size,
                     name: f.annotations[0].font.color }; }""")
    assert full["paper"] == ("rgb(33, 33, 33)" if dark else "rgb(255, 255, 255)")
    assert full["role"] == "#E69F00"
    assert full["name"] == ("#F0B73D" if dark else "#8A5A00")
    assert full["tick"].replace(" ", "").startswith("rgba(255" if dark else "rgba(0,0,0")
    assert full["size"] == 12


def test_theme_is_followed(bridge):
    show(bridge, two_curves())
    bridge.page.evaluate("document.body.style.background = '#111111'; document.body.dataset.theme = 'dark'")
    bridge.page.wait_for_timeout(500)
    assert bridge.page.evaluate("document.querySelector('.plot')._fullLayout.paper_bgcolor") == "rgb(17, 17, 17)"


def test_no_upload_and_no_request(bridge):
    asked = []
    bridge.page.on("request", lambda request: asked.append(request.url))
    show(bridge, two_curves())
    assert not [url for url in asked if not url.startswith(("blob:", "data:"))]


def test_it_follows_the_width(bridge):
    show(bridge, two_curves())
    width = "document.querySelector('.main-svg').getBoundingClientRect().width"
    assert bridge.page.evaluate(width) == 900
    bridge.page.evaluate("document.getElementById('stage').style.width = '520px'")
    bridge.page.wait_for_timeout(400)
    assert bridge.page.evaluate(width) == 520


def test_taken_off_the_page_it_is_quiet(bridge):
    chart = show(bridge, two_curves())
    bridge.page.evaluate("controllers.forEach((c) => c.abort())")
    chart.update(traces={0: {"y": [1.0]}})
    bridge.settle(200)
    assert bridge.page.evaluate("document.querySelector('.plot')._fullData") is None


def test_a_library_that_comes_late_is_waited_for(bridge):
    chart = two_curves()
    bridge.page.evaluate("""() => { let asked = 0; const own = Map.prototype.get;
        Map.prototype.get = function (id) { const it = own.call(this, id);
            if (it?.state?.script && (asked += 1) < 3) throw new Error("widget model not found"); return it; }; }""")
    show(bridge, chart)
    assert drawn(bridge) == [3, 2, 1]


def test_a_broken_script_is_said(bridge):
    from widgets.chart import library

    library().script = b"not gzip"
    bridge.show(two_curves())
    bridge.page.wait_for_timeout(300)
    assert bridge.page.get_by_role("alert").inner_text().startswith("The chart could not be drawn")


SIX = """import numpy as np
from widgets.chart import Chart, curve, figure
charts = [Chart(figure(curve([3.0, 2.0, float(i)], name="loss"), y="loss")) for i in range(6)]
from IPython.display import display
display(*charts)"""
ENDS = "() => [...document.querySelectorAll('.attnlab-chart .plot')].map((plot) => plot._fullData?.[0].y.at(-1))"


def test_in_jupyterlab(lab, browser):
    """Six charts, one script; an update; the page reloaded while the kernel lives."""
    lab.write("charts.ipynb", [SIX, "import time; time.sleep(3)"])
    sent = []
    with lab.open(watching(browser, sent), "charts.ipynb") as notebook:
        page = notebook.page
        notebook.run_all()
        page.wait_for_function(f"({ENDS})().filter(Number.isFinite).length === 6")
        assert sorted(page.evaluate(ENDS)) == [0, 1, 2, 3, 4, 5]
        assert sum(sent) < 2e6
        notebook.execute("charts[2].update(traces={'loss': {'y': np.array([1.0, 2.0, 77.0])}})")
        page.wait_for_function(f"({ENDS})().includes(77)")
        assert notebook.complaints() == []
        notebook.command("docmanager:save")
        page.reload()
        notebook.wait_for_kernel()
        page.wait_for_function(f"({ENDS})().includes(77)")
        assert [e for e in notebook.complaints() if "was not run" not in e] == []


def test_drag_is_fast(bridge):
    """Plotly's own time for a new curve of 200 points, page side only."""
    chart = show(bridge, two_curves())
    chart.update(traces={0: {"y": np.zeros(200)}})
    bridge.settle()
    millis = bridge.page.evaluate("""async (id) => {
        const times = [], frame = () => new Promise((r) => requestAnimationFrame(r));
        for (let i = 0; i < 30; i += 1) {
            const y = Array.from({ length: 200 }, (_, k) => Math.sin(k / 9 + i));
            await frame();
            const start = performance.now();
            models.get(id).update({ traces: { 0: { y } } });
            await frame();
            times.push(performance.now() - start);
        }
        return times.sort((a, b) => a - b)[15];
    }""", chart.model_id)
    assert millis < 100


def test_curves_on_logarithmic_axes_are_named_at_their_ends(bridge):
    curves = curve([1.0, 1000.0], [1, 1000], name="grows"), curve([1.0, 1.0], [1, 1000], name="stays")
    show(bridge, Chart(figure(*curves, xaxis_type="log", yaxis_type="log")))
    plot = bridge.page.locator(".plot").bounding_box()
    names = bridge.page.locator(".annotation-text")
    grows, stays = (names.filter(has_text=name).bounding_box() for name in ("grows", "stays"))
    assert grows["x"] == stays["x"]
    assert plot["x"] + 500 < grows["x"] < plot["x"] + plot["width"]
    assert stays["y"] - grows["y"] > 150
