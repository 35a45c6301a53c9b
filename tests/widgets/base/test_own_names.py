"""The code of a picture calls what an explorer was made with as the notebook does."""

import sys
from types import SimpleNamespace
from typing import NamedTuple

import pytest
import torch

from attnlab import trained
from widgets.base.controls import slider
from widgets.base.explorer import Explorer
from widgets.base.own_names import given, in_own_names, notebook, own_name
from widgets.base.words import say
from widgets.explorers.l10_transformer.three_attentions import ThreeAttentionsExplorer
from widgets.instruments.matrix.matrix import Matrix


class Found(NamedTuple):
    model: object
    text: object


MODEL, OTHER, TASK = object(), object(), object()


@pytest.mark.parametrize(
    ("names", "name"),
    [
        ({"model": MODEL}, "model"),
        ({"mine": MODEL, "yours": OTHER}, "mine"),
        ({"model": OTHER, "mine": MODEL}, "mine"),
        ({"model": MODEL, "mine": MODEL}, "model"),
        ({"_": MODEL, "_12": MODEL}, "model"),
        ({"found": Found(MODEL, TASK)}, "found.model"),
        ({"models": {"big": OTHER, "small": MODEL}}, "models['small']"),
        ({"example": (OTHER, MODEL)}, "example[1]"),
        ({"held": SimpleNamespace(model=MODEL)}, "model"),
        ({}, "model"),
    ],
)
def test_what_it_is_called(names, name):
    assert own_name("model", MODEL, names) == name


def test_part_of_a_module_of_ours():
    assert (
        own_name("letters", trained.LETTERS, {"letters": OTHER, "torch": torch, "trained": trained})
        == "trained.LETTERS"
    )


def test_only_what_is_read_is_renamed():
    code = "\n".join([
        "from attnlab import record  # the model",
        "ids = task.read('ñandú, model', model=model)  # of the model",
        "with record(model) as trace: seen = {'model': model.model(ids)}",
    ])
    expected = "\n".join([
        "from attnlab import record  # the model",
        "ids = found.text.read('ñandú, model', model=gpt)  # of the model",
        "with record(gpt) as trace: seen = {'model': gpt.model(ids)}",
    ])
    names = {"gpt": MODEL, "found": Found(OTHER, TASK), "model": OTHER}
    assert in_own_names(code, {"model": MODEL, "task": TASK}, names) == expected


def test_what_the_code_sets_itself_stays():
    code = "models = [model for model in models]\nruns = models"
    assert in_own_names(code, {"models": MODEL, "model": OTHER}, {"mine": MODEL, "yours": OTHER}) == code


def test_what_was_given():
    found = given(ThreeAttentionsExplorer, (MODEL, TASK), {"text": "red", "step": 3})
    assert found == {"model": MODEL, "task": TASK, "text": "red"}


def test_the_notebook_is_what_runs():
    assert notebook() is vars(sys.modules["__main__"])


class CountExplorer(Explorer):
    """How many things there are."""

    start = slider(0, 0, 3, help="where counting begins")

    def __init__(self, things, lock=None, **state):
        self.things = things
        super().__init__(lock=lock, **state)

    def views(self):
        return {"matrix": Matrix([[0.0]])}

    def compute(self, state):
        return len(self.things) + state.start

    def picture(self, state, result):
        return {"matrix": {"values": [[float(result)]]}}

    def sentence(self, state, result):
        return say(f"{result}.")

    def code(self, state):
        return f"count = len(things) + {state.start}"


def test_an_explorer_speaks_as_the_notebook_does(monkeypatch):
    cats = ["Tom", "Tiger"]
    explorer = CountExplorer(cats)
    caption = explorer.parts["caption"]
    assert caption.code == "count = len(things) + 0"
    monkeypatch.setattr(sys.modules["__main__"], "cats", cats, raising=False)
    explorer.start = 1
    assert caption.code == "count = len(cats) + 1"
