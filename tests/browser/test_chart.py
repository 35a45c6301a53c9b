"""Chart in a real page: plotly once, today's numbers drawn, frames over it, keyboard, theme, text that is only text.

Plotly takes a page long to evaluate: the tests share one page (`kept`), but those of how plotly comes to a page.
"""

from contextlib import closing
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
import pytest
from bridge import Bridge
from ipywidgets import Widget
from playwright.sync_api import expect

from benchmarks.lessons import watching
from widgets.base.frames import wire
from widgets.base.instrument import library
from widgets.instruments.chart.chart import Chart, bars, curve, figure, points

pytestmark = pytest.mark.browser


def show(bridge, chart):
    bridge.show(chart)
    bridge.page.wait_for_function("[...document.querySelectorAll('.attnlab-chart .plot')].at(-1)?._fullData")
    bridge.settle()
    return chart


def drawn(bridge, trace=0, side="y", chart=0):
    """The numbers that plotly has drawn."""
    program = "([c, t, s]) => Array.from(document.querySelectorAll('.plot')[c]._fullData[t][s] ?? [])"
    return bridge.page.evaluate(program, [chart, trace, side])


def two_curves():
    curves = curve([3.0, 2.0, 1.0], name="with", role="query"), curve([3.0, 2.5, 2.0], name="without")
    return Chart(figure(*curves, x="step", y="loss"))


def test_numbers_of_the_kernel_are_drawn(kept):
    chart = show(kept, two_curves())
    assert drawn(kept) == [3, 2, 1]
    chart.update(traces={"without": {"y": np.array([0.5, 0.25, 0.125, 0.0625])}})
    kept.settle()
    assert drawn(kept, 1) == [0.5, 0.25, 0.125, 0.0625]
    assert drawn(kept) == [3, 2, 1]


def test_plotly_is_evaluated_once_asks_nobody_and_leaves_no_trace(bridge):
    asked = []
    bridge.page.on("request", lambda request: asked.append(request.url))
    bridge.page.evaluate("""() => { window.made = 0; const old = window.Function;
        const construct = (f, a) => { if (a.includes("exports")) made += 1; return new f(...a); };
        window.Function = new Proxy(old, { construct });
        window.Plotly = "of the page"; }""")
    for _ in range(3):
        show(bridge, two_curves())
    assert bridge.page.evaluate("made") == 1
    assert bridge.page.evaluate("window.Plotly") == "of the page"
    assert bridge.page.locator(".main-svg").count() >= 3
    assert not [url for url in asked if not url.startswith(("blob:", "data:"))]


def test_a_chart_made_after_everything_was_closed_is_drawn(kept):
    """The widget that holds plotly's script is made again: the page need not ask for the script."""
    show(kept, two_curves())
    Widget.close_all()
    kept.settle()
    chart, asked = two_curves(), []
    chart.on_msg(lambda _, message, buffers: asked.append(message))
    show(kept, chart)
    assert drawn(kept, chart=1) == [3, 2, 1]
    assert asked == []


def test_a_matrix_of_numbers_is_drawn_by_rows(kept):
    z = np.arange(15, dtype=np.float32).reshape(3, 5)
    chart = show(kept, Chart(go.Figure(go.Heatmap(z=z))))
    rows = "() => document.querySelector('.plot')._fullData[0].z.map((row) => Array.from(row))"
    assert kept.page.evaluate(rows) == z.tolist()
    chart.update(traces={0: {"z": -z}})
    kept.settle()
    assert kept.page.evaluate(rows) == (-z).tolist()


def test_a_frame_plays_until_the_kernel_answers(kept):
    chart = show(kept, two_curves())
    kept.page.evaluate(
        """([id, traces]) => models.get(id).trigger("msg:custom",
        { kind: "frame", sequence: 7, state: { traces } })""",
        [chart.model_id, as_in_the_page(chart, [9.0, 8.0, 7.0])],
    )
    kept.settle()
    assert drawn(kept, 1) == [9, 8, 7]
    chart.show(sequence=6, traces={"without": {"y": [6.0, 6.0, 6.0]}})
    kept.settle()
    assert drawn(kept, 1) == [9, 8, 7]
    chart.show(sequence=7, traces={"without": {"y": [5.0, 5.0, 5.0]}})
    kept.settle()
    assert drawn(kept, 1) == [5, 5, 5]


def as_in_the_page(chart, numbers):
    """A frame's state without bytes, which the page gets as lists."""
    packed = wire(chart, "traces", {"without": {"y": np.array(numbers)}})
    return {index: {side: list(numbers) for side in change} for index, change in packed.items()}


def test_a_new_page_shows_todays_numbers(kept, browser):
    """The state is asked for again when a page is reloaded; it holds what changed since."""
    chart = show(kept, two_curves())
    chart.update(traces={0: {"y": [7.0, 7.5]}}, layout={"yaxis_range": [0, 9]})
    kept.settle()
    page = browser.new_page()
    again = Bridge(page)
    for widget in (library("chart"), library("plotly"), chart):
        again.outbox.append({"id": widget.model_id, "kind": "open", **opened(widget)})
    show(again, chart)
    assert drawn(again) == [7, 7.5]
    assert page.evaluate("document.querySelector('.plot')._fullLayout.yaxis.range") == [0, 9]
    page.close()


def opened(widget):
    import base64

    from ipywidgets.widgets.widget import _remove_buffers

    state, paths, buffers = _remove_buffers(widget.get_state())
    return {
        "data": {"state": state, "buffer_paths": paths},
        "buffers": [base64.b64encode(bytes(b)).decode() for b in buffers],
    }


def test_zoom_stays_while_numbers_change(kept):
    chart = show(kept, two_curves())
    box = kept.page.locator(".nsewdrag").first.bounding_box()
    x, y = box["x"] + 40, box["y"] + 30
    kept.page.mouse.move(x, y)
    kept.page.mouse.down()
    kept.page.mouse.move(x + 150, y + 100, steps=4)
    kept.page.mouse.up()
    kept.settle()
    ranges = "['xaxis', 'yaxis'].flatMap((name) => document.querySelector('.plot')._fullLayout[name].range)"
    zoomed = kept.page.evaluate(ranges)
    assert zoomed[0] > 0
    assert zoomed[1] < 2
    chart.update(traces={0: {"y": [1.0, 2.0, 9.0]}})
    kept.settle()
    assert kept.page.evaluate(ranges) == pytest.approx(zoomed)


def test_keys_walk_over_points_and_say_them(kept):
    show(kept, two_curves())
    kept.page.locator(".plot").focus()
    said = kept.page.locator(".attnlab-chart [aria-live]")
    for key, words in [
        ("ArrowRight", "with, step 0, loss 3"),
        ("ArrowRight", "with, step 1, loss 2"),
        ("ArrowDown", "without, step 1, loss 2.500"),
        ("End", "without, step 2, loss 2"),
        ("Home", "without, step 0, loss 3"),
        ("ArrowLeft", "without, step 0, loss 3"),
        ("PageUp", "without, step 2, loss 2"),
        ("PageDown", "without, step 0, loss 3"),
        ("Escape", ""),
    ]:
        kept.page.keyboard.press(key)
        assert said.text_content() == words
    kept.page.keyboard.press("ArrowRight")
    assert kept.page.locator(".hovertext").count() == 1


def test_names_of_points_are_said(kept):
    """They are written in the picture; who hears it must know which point is which."""
    dots = points([1.0, 0.0], [0.0, 1.0], labels=["we", "<b>are</b>"])
    show(kept, Chart(figure(dots, x="first", y="second")))
    plot = kept.page.locator(".plot")
    assert plot.get_attribute("aria-label").startswith("second over first. we, <b>are</b>: 2 numbers")
    plot.focus()
    kept.page.keyboard.press("ArrowRight")
    kept.page.keyboard.press("ArrowRight")
    assert kept.page.locator(".attnlab-chart [aria-live]").text_content() == "<b>are</b>, first 0, second 1"
    kept.page.locator("summary").click()
    kept.page.locator("thead th").first.wait_for()  # the table is made when the browser tells of the opening
    assert kept.page.locator("thead th").all_text_contents() == ["name", "first", "second"]
    assert kept.page.locator("tbody tr").first.locator("td").all_text_contents() == ["we", "1", "0"]


def test_a_legend_and_the_name_of_the_y_axis_stand_apart(kept):
    traces = [points([1.0, 2.0], [0.0, 1.0], name=name) for name in ("with baseline", "without")]
    show(kept, Chart(figure(*traces, x="along", y="across it, where they scatter most", title="Gradients", width=480)))
    legend, name, title = (kept.page.locator(one).bounding_box() for one in (".legend", ".annotation", ".gtitle"))
    assert title["y"] + title["height"] <= legend["y"]
    assert legend["y"] + legend["height"] <= name["y"] + 2


def test_tools_have_names_and_answer_to_the_keyboard(kept):
    show(kept, two_curves())
    kept.page.locator(".plot").focus()
    names = kept.page.locator(".modebar-btn").evaluate_all("all => all.map((b) => b.getAttribute('aria-label'))")
    assert {"Zoom in", "Zoom out", "Reset axes"} <= set(names)
    assert not [name for name in names if not name or "loud" in name or "hare" in name]
    before = kept.page.evaluate("document.querySelector('.plot')._fullLayout.xaxis.range")
    kept.page.get_by_role("button", name="Zoom in").focus()
    kept.page.keyboard.press("Enter")
    kept.settle(300)
    after = kept.page.evaluate("document.querySelector('.plot')._fullLayout.xaxis.range")
    assert before[0] < after[0] < after[1] < before[1]


def test_description_follows_the_numbers(kept):
    chart = show(kept, two_curves())
    plot = kept.page.get_by_role("application")
    assert plot.get_attribute("aria-label").startswith(
        "loss over step. with: 3 numbers, first 3, last 1, lowest 1, highest 3"
    )
    chart.update(traces={0: {"y": [0.5]}})
    kept.settle()
    assert "with: 0.500. without" in plot.get_attribute("aria-label")


def test_table_behind_the_picture(kept):
    chart = show(kept, two_curves())
    kept.page.get_by_text("numbers", exact=True).focus()
    kept.page.keyboard.press("Enter")
    kept.settle()
    table = kept.page.get_by_role("table", name="without")
    assert table.locator("tr").all_inner_texts() == ["step\tloss", "0\t3", "1\t2.500", "2\t2"]
    chart.update(traces={"without": {"y": [-1.0]}})
    kept.settle()
    assert table.locator("tr").all_inner_texts() == ["step\tloss", "0\t−1"]
    chart.update(traces={"without": {"y": np.zeros(10_000)}})
    kept.settle()
    assert kept.page.locator("caption").last.inner_text() == "without (first 200 of 10000)"


@pytest.mark.parametrize(
    "text",
    [
        "<script>window.hit=1</script>",
        "<img src=x onerror='window.hit=1'>",
        "<a href='javascript:window.hit=1'>x</a>",
        "a & b",
        "&lt;b&gt;",
        "日本 😀 שלום",
    ],
)
def test_a_learners_text_is_only_text(kept, text):
    words = bars([1.0, 2.0], [text, "other"]), curve([1.0, 2.0], x=[text, "other"], name=text)
    show(kept, Chart(figure(*words, x=text, y=text, title=text)))
    kept.page.get_by_text("numbers", exact=True).click()
    kept.settle(200)
    assert kept.page.evaluate("window.hit") is None
    assert kept.page.locator(".plot img, .plot a[href*=javascript], .plot script").count() == 0
    assert kept.page.locator(".xtick text").first.text_content() == text
    assert kept.page.locator(".gtitle").text_content() == text
    assert kept.page.locator("caption").last.inner_text() == " ".join(text.split())


NUMBERS = {
    "nothing": [],
    "one": [1.0],
    "nan": [1.0, np.nan, 3.0],
    "infinite": [1.0, np.inf, -np.inf, 2.0],
    "all nan": [np.nan] * 3,
    "many": np.sin(np.arange(10_000) / 50),
    "same": [2.0] * 5,
}


@pytest.mark.parametrize("case", NUMBERS)
def test_odd_numbers_are_drawn(kept, case):
    chart = show(kept, Chart(figure(curve(NUMBERS[case], name="a"), y="loss")))
    chart.update(traces={0: {"y": np.asarray(NUMBERS[case])}})
    kept.settle()
    assert kept.page.locator(".failed").inner_text() == ""
    assert kept.page.locator(".annotation-text", has_text="nothing to show yet").count() == (case == "nothing")


def test_ten_thousand_marks(kept):
    show(kept, Chart(figure(points(np.arange(10_000), np.random.default_rng(0).random(10_000)))))
    assert kept.page.locator(".plot .point").count() == 10_000


def test_names_stand_at_the_ends_and_do_not_overlap(kept):
    ends = [1.0, 1.01, 1.02, 1.03, 5.0]
    show(kept, Chart(figure(*[curve([0.0, end], name=f"name {i}") for i, end in enumerate(ends)])))
    kept.settle(300)  # the hand rests: names that overlap move apart
    boxes = sorted((a.bounding_box() for a in kept.page.locator(".annotation-text").all()), key=lambda b: b["y"])
    assert len(boxes) == 5
    assert all(low["y"] - high["y"] >= 14 for high, low in pairwise(boxes))
    picture = kept.page.locator(".plot").bounding_box()
    assert all(b["x"] + b["width"] <= picture["x"] + picture["width"] for b in boxes)


@pytest.mark.parametrize("dark", [False, True])
def test_colours_come_from_the_page(kept, dark):
    kept.wear(dark=dark)
    show(kept, two_curves())
    full = kept.page.evaluate("""() => { const f = document.querySelector('.plot')._fullLayout;
        return { paper: f.paper_bgcolor, role: document.querySelector('.plot')._fullData[0].line.color,
                 tick: f.xaxis.tickfont.color, size: f.xaxis.tickfont.size,
                 name: f.annotations[0].font.color }; }""")
    assert full["paper"] == ("rgb(33, 33, 33)" if dark else "rgb(255, 255, 255)")
    assert full["role"] == "#E69F00"
    assert full["name"] == ("#F0B73D" if dark else "#8A5A00")
    assert full["tick"].replace(" ", "").startswith("rgba(255" if dark else "rgba(0,0,0")
    assert full["size"] == 12


def test_theme_is_followed(kept):
    show(kept, two_curves())
    kept.page.evaluate("document.body.style.background = '#111111'; document.body.dataset.theme = 'dark'")
    kept.page.wait_for_function("document.querySelector('.plot')._fullLayout.paper_bgcolor === 'rgb(17, 17, 17)'")


def test_it_follows_the_width(kept):
    show(kept, two_curves())
    width = "document.querySelector('.main-svg').getBoundingClientRect().width"
    assert kept.page.evaluate(width) == 900
    kept.page.evaluate("document.getElementById('stage').style.width = '520px'")
    kept.page.wait_for_function(f"{width} === 520")


LONG = "Right answers at places that no training has seen, by <b>how far</b> beyond the last one they are"


def test_a_long_title_goes_on_in_a_second_line_on_a_phone(kept):
    show(kept, Chart(figure(curve([3.0, 2.0, 1.0], name="with"), x="step", y="loss", title=LONG)))
    heights = {}
    for width in (872, 356):
        kept.wear(width=width)
        kept.settle()
        title, plot = (kept.page.locator(one).bounding_box() for one in (".gtitle", ".plot"))
        assert title["x"] + title["width"] <= plot["x"] + plot["width"]
        assert title["y"] >= plot["y"], "nothing is cut at its top"
        below = kept.page.locator(".annotation").last.bounding_box()
        assert title["y"] + title["height"] <= below["y"], "the y axis is named below it"
        heights[width] = title["height"]
    assert heights[356] > 1.8 * heights[872]
    assert kept.page.locator(".plot").get_attribute("aria-label").startswith("Right answers at places that no training")


def test_long_names_of_curves_stand_below_on_a_phone(kept):
    """Beside the curves they would take most of the width."""
    curves = [curve([3.0, 2.0, 1.0 + i], name=f"recurrent, {i} at a time") for i in range(4)]
    show(kept, Chart(figure(*curves, curve([1.0, 1.0, 1.0]), x="words in source and in target", y="milliseconds")))
    for width, below in ((872, False), (356, True)):
        kept.wear(width=width)
        kept.settle()
        assert (kept.page.locator(".legendtext").all_text_contents() != []) == below
        inside, plot = (kept.page.locator(one).bounding_box() for one in (".plot .nsewdrag", ".plot"))
        assert inside["width"] > 0.6 * plot["width"]
        assert all(
            plot["x"] <= box["x"] and box["x"] + box["width"] <= plot["x"] + plot["width"]
            for box in map(lambda text: text.bounding_box(), kept.page.locator(".xtitle, .legendtext").all())
        )
    names = kept.page.locator(".legendtext")
    assert names.all_text_contents() == [f"recurrent, {i} at a time" for i in range(4)]
    assert kept.page.locator(".xtitle").bounding_box()["y"] < names.first.bounding_box()["y"]


def test_taken_off_the_page_it_is_quiet(kept):
    chart = show(kept, two_curves())
    kept.page.evaluate("controllers.forEach((c) => c.abort())")
    chart.update(traces={0: {"y": [1.0]}})
    kept.settle(200)
    assert kept.page.evaluate("document.querySelector('.plot')._fullData") is None


def each_time_plotly_is_asked_for(bridge, script):
    """Run a script in the page, which may note something in `noted`; one that throws lets the request fail."""
    bridge.page.evaluate(
        """(script) => { window.noted = []; const [own, run] = [Map.prototype.get, new Function(script)];
        Map.prototype.get = function (id) { const it = own.call(this, id);
            if (it?.state?.source?.byteLength > 1e6) run();
            return it; }; }""",
        script,
    )


def test_a_library_that_comes_late_is_waited_for(bridge):
    each_time_plotly_is_asked_for(
        bridge, "noted.push(0); if (noted.length < 3) throw new Error('widget model not found');"
    )
    show(bridge, two_curves())
    assert drawn(bridge) == [3, 2, 1]
    assert bridge.page.evaluate("noted.length") == 3


def test_its_place_is_kept_until_plotly_has_come(bridge):
    each_time_plotly_is_asked_for(bridge, "noted.push(document.querySelector('.plot').offsetHeight);")
    show(bridge, Chart(figure(curve([3.0, 2.0, 1.0]), height=217)))
    assert bridge.page.evaluate("noted[0]") == 217
    plot = bridge.page.locator(".plot")
    assert plot.evaluate("(plot) => [plot.offsetHeight, getComputedStyle(plot).minHeight]") == [217, "0px"]


def test_what_stands_there_before_plotly_can_be_read_on_a_dark_page(bridge):
    bridge.wear(dark=True)
    ink = "getComputedStyle(document.querySelector('.attnlab-chart summary')).color"
    each_time_plotly_is_asked_for(
        bridge, f"noted.push({ink}); if (noted.length < 3) throw new Error('widget model not found');"
    )
    show(bridge, two_curves())
    before, after = bridge.page.evaluate(f"[noted[2], {ink}]")
    assert before == after
    assert before.startswith("rgba(255, 255, 255"), before


def test_a_broken_script_is_said(bridge):
    library("plotly", str).source = b"not gzip"
    bridge.show(two_curves())
    expect(bridge.page.get_by_role("alert")).to_contain_text("The chart could not be drawn")


SIX = """import numpy as np
from widgets.instruments.chart.chart import Chart, curve, figure
charts = [Chart(figure(curve([3.0, 2.0, float(i)], name="loss"), y="loss")) for i in range(6)]
from IPython.display import display
display(*charts)"""
BUSY = """import time
from pathlib import Path
while not Path("drawn").exists():
    time.sleep(0.1)"""
ENDS = "() => [...document.querySelectorAll('.attnlab-chart .plot')].map((plot) => plot._fullData?.[0].y.at(-1))"


def test_in_jupyterlab(lab, browser):
    """Six charts, one script, drawn while the kernel is busy; an update; the page reloaded while the kernel lives."""
    lab.write("charts.ipynb", [SIX, BUSY])
    sent = []
    with lab.open(watching(browser, sent), "charts.ipynb") as notebook:
        page = notebook.page
        page.evaluate("() => { jupyterapp.commands.execute('notebook:run-all-cells'); }")
        page.wait_for_function(f"({ENDS})().filter(Number.isFinite).length === 6")
        (lab.root / "drawn").touch()
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


DRAG = """async (id) => {
    const [, loaded] = [...attnlabScripts].find(([name]) => name.startsWith("plotly "));
    const Plotly = await loaded;
    const own = Object.fromEntries(Object.entries(Plotly).filter(([, value]) => typeof value === "function"));
    const calls = {};
    for (const [name, call] of Object.entries(own)) Plotly[name] = (...given) => {
        calls[name] = (calls[name] ?? 0) + 1;
        return call(...given);
    };
    const lines = () => [...document.querySelectorAll(".plot .js-line")];
    const before = lines();
    for (let i = 0; i < 30; i += 1) {
        const y = Array.from({ length: 200 }, (_, k) => Math.sin(k / 9 + i));
        models.get(id).update({ traces: { 0: { y } } });
        if (i % 3 === 2) await new Promise((done) => requestAnimationFrame(done));
    }
    Object.assign(Plotly, own);
    return [calls, before.length === 2 && lines().every((line, i) => line === before[i])];
}"""


def test_a_drag_costs_one_call_of_plotly_a_frame(kept):
    """However many pictures come in a frame; and what plotly has drawn is changed, not drawn anew."""
    chart = show(kept, Chart(figure(curve(np.zeros(200)), curve(np.ones(200)))))
    calls, same = kept.page.evaluate(DRAG, chart.model_id)
    assert calls == {"react": 10}
    assert same
    assert drawn(kept) == pytest.approx([np.sin(k / 9 + 29) for k in range(200)])


def test_curves_on_logarithmic_axes_are_named_at_their_ends(kept):
    curves = curve([1.0, 1000.0], [1, 1000], name="grows"), curve([1.0, 1.0], [1, 1000], name="stays")
    show(kept, Chart(figure(*curves, xaxis_type="log", yaxis_type="log")))
    plot = kept.page.locator(".plot").bounding_box()
    names = kept.page.locator(".annotation-text")
    grows, stays = (names.filter(has_text=name).bounding_box() for name in ("grows", "stays"))
    assert grows["x"] == stays["x"]
    assert plot["x"] + 500 < grows["x"] < plot["x"] + plot["width"]
    assert stays["y"] - grows["y"] > 150


@pytest.mark.parametrize("least", [0.0, -1.0])
def test_a_curve_that_leaves_a_logarithmic_axis_is_named_where_it_was_last_seen(kept, least):
    """As a vector that has faded to nothing: Plotly would place its name at NaN, and say so in the console."""
    fades, ends = curve([100.0, 1.0, least], [1, 2, 3], name="fades"), curve([50.0, 5.0], [1, 2], name="ends")
    show(kept, Chart(figure(fades, ends, xaxis_type="log", yaxis_type="log")))
    names = kept.page.locator(".annotation-text")
    fades, ends = (names.filter(has_text=name).bounding_box() for name in ("fades", "ends"))
    assert fades["x"] == ends["x"]
    assert fades["y"] > ends["y"]


def test_a_finger_scrolls_over_a_chart(kept, browser):
    """No tools of a mouse over its title, no zoom where the page should move."""
    chart = two_curves()
    with closing(browser.new_context(has_touch=True, is_mobile=True)) as context:
        bridge = Bridge(context.new_page())
        for widget in (library("chart"), library("plotly"), chart):
            bridge.outbox.append({"id": widget.model_id, "kind": "open", **opened(widget)})
        show(bridge, chart)
        assert bridge.page.locator(".modebar-btn").count() == 0
        assert bridge.page.evaluate("document.querySelector('.plot')._fullLayout.dragmode") is False
