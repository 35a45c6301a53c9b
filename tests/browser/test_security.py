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
from widgets.instruments.matrix.matrix import Matrix
from widgets.instruments.picture.picture import Picture
from widgets.instruments.predict.predict import Predict, PredictCell, PredictNumber
from widgets.instruments.training.training import Training

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


INSTRUMENTS = [matrix, picture, caption, controls, predict, predict_number, predict_cell, training, chart, tree]

UNFOLD = "all => { for (const one of all) if (one.checkVisibility({ visibilityProperty: true })) one.click(); }"
INJECTED = "#stage :is(script, img, iframe, object, embed, a[href^='javascript'], [onerror], [onmouseover])"


@pytest.fixture
def dialogs(page):
    seen = []
    page.on("dialog", lambda dialog: (seen.append(dialog.message), dialog.dismiss()))
    return seen


@pytest.mark.parametrize("instrument", INSTRUMENTS, ids=lambda build: build.__name__)
def test_words_stay_words(bridge, page, dialogs, instrument):
    bridge.show(VBox([instrument(word) for word in HOSTILE.values()]))
    page.wait_for_function("[...document.querySelectorAll('.attnlab-chart .plot')].every((plot) => plot._fullLayout)")
    page.locator("#stage :is(button[aria-expanded=false], summary)").evaluate_all(UNFOLD)
    bridge.settle()
    assert dialogs == []
    assert page.locator(INJECTED).count() == 0
    assert page.evaluate("getComputedStyle(document.body).display") == "block", "a style sheet was injected"
    assert page.evaluate("new Promise(done => requestAnimationFrame(() => done(1 + 1)))") == 2
    sizes = page.locator("#stage .attnlab").evaluate_all("all => all.map((el) => [el.scrollWidth, el.clientHeight])")
    assert len(sizes) >= len(HOSTILE)
    for width, height in sizes:
        assert width <= 1008, "something sticks out"
        assert height <= 15_000
