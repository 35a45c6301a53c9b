"""Words are words: what a label, token, sentence, question or error holds is shown as text and breaks nothing."""

import numpy as np
import pytest
from ipywidgets import VBox

from attnlab.training import Step
from widgets.base.caption import Caption
from widgets.base.controls import Controls, button, select, slider, stepper, switch, text
from widgets.base.words import key, query, say
from widgets.instruments.beam_tree.beam_tree import BeamTree
from widgets.instruments.chart.chart import Chart, plain_text
from widgets.instruments.head_map.head_map import HeadMap, thumbnails
from widgets.instruments.head_switches.head_switches import HeadSwitches
from widgets.instruments.machine.machine import Machine, pack
from widgets.instruments.matrix.matrix import Matrix
from widgets.instruments.molecules.molecules import Molecules
from widgets.instruments.picture.picture import Picture
from widgets.instruments.predict.predict import Predict, PredictCell, PredictNumber
from widgets.instruments.product.product import Product
from widgets.instruments.table.table import Table
from widgets.instruments.text_columns.text_columns import TextColumns
from widgets.instruments.token_flow.token_flow import TokenFlow
from widgets.instruments.token_grid.token_grid import TokenGrid
from widgets.instruments.training.training import Training
from widgets.instruments.vector_plane.vector_plane import VectorPlane
from widgets.instruments.word_tiles.word_tiles import WordTiles

pytestmark = pytest.mark.browser

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "image": "<img src=x onerror=alert(1)>",
    "link": '"><a href="javascript:alert(1)" onmouseover=alert(1)>x</a>',
    "style": "</style><style>*{display:none}</style>",
    "template": "${alert(1)} {{alert(1)}} &lt;b&gt; <b>bold</b>",
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈🎉",
    "right to left": "\u202eمرحبا بالعالم שלום\u202c",
    "long": "x" * 10_000,
    "long words": "word " * 2_000,
    "control": "a\x00b\x07\n\r\tc\u2028d",
    "lone surrogate's neighbour": "\ufffd\uffff\u200b",
}


def matrix(word):
    return Matrix(
        np.full((2, 1, 3, 3), 1 / 3),
        query_labels=[word] * 3,
        key_labels=[word, "a", word],
        panel_names=[word],
        query_title=word,
        key_title=word,
        query_groups=[[0, 2, word]],
        key_groups=[[1, 3, word]],
        frame_names=[word, word],
        selected=[0, 1, 1],
        row_bars=True,
        action=word,
        editing="weights",
        edits={"1": [0.5, 0.25, 0.25]},
        distribution_title=[[word, "query"]],
        distribution_labels=[word, "b"],
        distribution=np.array([[0.4, 0.6]]),
    )


def picture(word):
    return Picture(
        np.full((4, 4), 0.5),
        np.full((2, 2, 2), 0.25),
        titles=[word],
        frame_names=[word, word],
        measure=word,
        selected=[0, 1, 1],
        editing="weights",
    )


def caption(word):
    return Caption(sentence=say(word, query(word), key(word)), code=word, error=word)


def controls(word):
    states = {
        "a": slider(1, 0, 3, label=word, help=word),
        "b": select([word, "b"], label=word, help=word),
        "c": text(word, label=word, help=word),
        "d": switch(True, label=word, help=word),
        "e": stepper(1, 1, 3, label=word, help=word),
        "f": button(label=word, help=word),
    }
    spec = [{**state.spec, "name": name, "help": state.help, "more": False} for name, state in states.items()]
    return Controls(
        spec=spec, values={"a": 1, "b": word, "c": word, "d": True, "e": 1, "f": 0}, versions={"a": 0, "e": 0}
    )


def predict(word):
    asked = Predict(word, {word: word, "other": word}, answer=word, then=Caption(sentence=say(word)))
    asked.answer_with("other")
    return asked


def predict_number(word):
    def measure():
        raise RuntimeError(word)

    asked = PredictNumber(word, measure, unit=word, why=word)
    asked.answer_with(3)
    return asked


def predict_cell(word):
    labels = {"query_labels": [word] * 2, "key_labels": [word] * 3}
    asked = PredictCell(word, np.full((2, 3), 1 / 3), [(0, 1)], why=word, **labels)
    asked.answer_with([0, 1])
    return asked


def training(word):
    def start():
        yield Step(1, 2.0, {word: 0.5})
        raise RuntimeError(word)

    trained = Training(
        start,
        steps=7,
        watch=lambda: np.eye(3),
        metrics={word: word},
        film_every=1,
        query_labels=[word] * 3,
        key_labels=[word] * 3,
    )
    with pytest.raises(RuntimeError):
        trained.run()
    return trained


def chart(word):
    word = plain_text(word[:60])  # plotly reads a little markup, and makes room for all of a text
    return Chart({
        "data": [
            {"type": "scatter", "x": [1, 2, 3], "y": [3, 1, 2], "name": word, "text": [word] * 3},
            {"type": "bar", "x": [word[:40], "b", "c"], "y": [1, 2, 3], "name": word},
        ],
        "layout": {"title": {"text": word}, "xaxis": {"title": {"text": word}}},
    })


def tree(word):
    one = {"id": 0, "parent": -1, "step": 1, "token": word, "log_probability": -0.5, "score": -0.5, "status": "kept"}
    return BeamTree(
        [
            one,
            {**one, "id": 1, "status": "dropped", "log_probability": -1.5},
            {**one, "id": 2, "parent": 0, "step": 2, "status": "finished", "log_probability": -0.7},
        ],
        best=2,
        greedy=[0, 2],
        selected=1,
        separator=word,
        end="<EOS>",
    )


def product(word):
    return Product(
        query=HALF,
        key=HALF,
        value=HALF,
        scores=HALF,
        weights=HALF,
        context=HALF,
        query_labels=[word] * 2,
        key_labels=[word] * 2,
        titles={"query": [word, word], "scores": [word, word]},
        formula=[say(word, query(word))],
        divisor_name=word,
    )


def token_flow(word):
    return TokenFlow(labels=[word] * 2, weights=HALF, inputs=HALF, contexts=HALF, answers=[[word, ""]] * 2)


def text_columns(word):
    return TextColumns(titles=[word], texts=[[[word, "given"], [word, ""]]], shares=[0.5], measure=word)


def token_grid(word):
    return TokenGrid(names=[word], tokens=[[word, word]], right=[[1, 0]], notes=[word], title=word)


def word_tiles(word):
    return WordTiles(words=[word, "b"], below=[word, ""], marks=["hidden", ""], editing=True, title=word)


def head_switches(word):
    return HeadSwitches(rows=[word], notes=[[word, word]])


def head_map(word):
    return HeadMap(**thumbnails([HALF[None]], names=[word]))


def molecules(word):
    drawn = {"labels": [word, "C"], "places": [[0, 0], [1, 0]], "bonds": [[0, 1, 1.0]]}
    return Molecules(precursors=drawn, product=drawn, weights=HALF, titles=[word, word])


def table(word):
    return Table({word: [word, "b"], "right": [0.5, 1.0]}, title=word)


def vector_plane(word):
    return VectorPlane(vectors=HALF, labels=[word, "b"], title=word, note=word)


def machine(word):
    nodes = [
        {"id": "net", "kind": "feed_forward", "in": "block", "label": word, "line": word, "shape": word},
        {"id": "sum", "kind": "sum", "in": "block", "label": word},
    ]
    tensors = {"net/hidden": HALF, "net/out": HALF, "sum/out": HALF}
    return Machine("stream", **pack({"title": word, "nodes": nodes, "labels": {"token": [word, "b"]}}, tensors))


HALF = np.full((2, 2), 0.5)
DRAWN = [
    *[product, token_flow, text_columns, token_grid, word_tiles, head_switches],
    *[head_map, molecules, table, vector_plane, machine],
]
INSTRUMENTS = [matrix, picture, caption, controls, predict, predict_number, predict_cell, training, chart, tree]

UNFOLD = "all => { for (const one of all) if (one.checkVisibility({ visibilityProperty: true })) one.click(); }"
INJECTED = "#stage :is(script, img, iframe, object, embed, a[href^='javascript'], [onerror], [onmouseover])"


@pytest.fixture
def dialogs(page):
    seen = []
    page.on("dialog", lambda dialog: (seen.append(dialog.message), dialog.dismiss()))
    return seen


def assert_words_stay_words(bridge, page, dialogs, instrument):
    bridge.show(VBox([instrument(word) for word in HOSTILE.values()]))
    page.wait_for_function("[...document.querySelectorAll('.attnlab-chart .plot')].every((plot) => plot._fullLayout)")
    page.locator("#stage :is(button[aria-expanded=false], summary)").evaluate_all(UNFOLD)
    bridge.settle()
    assert dialogs == []
    assert page.locator(INJECTED).count() == 0
    assert page.evaluate("getComputedStyle(document.body).display") == "block", "a style sheet was injected"
    assert page.evaluate("new Promise(done => requestAnimationFrame(() => done(1 + 1)))") == 2
    assert page.locator("#stage .attnlab").count() >= len(HOSTILE)


@pytest.mark.parametrize("instrument", DRAWN, ids=lambda build: build.__name__)
def test_words_stay_words(bridge, page, dialogs, instrument):
    assert_words_stay_words(bridge, page, dialogs, instrument)


@pytest.mark.parametrize("instrument", INSTRUMENTS, ids=lambda build: build.__name__)
def test_words_stay_words_and_within_the_page(bridge, page, dialogs, instrument):
    assert_words_stay_words(bridge, page, dialogs, instrument)
    sizes = page.locator("#stage .attnlab").evaluate_all("all => all.map((el) => [el.scrollWidth, el.clientHeight])")
    for width, height in sizes:
        assert width <= 1008, "something sticks out"
        assert height <= 15_000
