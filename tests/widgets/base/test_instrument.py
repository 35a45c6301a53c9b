"""What every view is built on, without a page: arrays on the wire, scripts that come once, messages, closing."""

import gzip
import sys
from functools import partial
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import torch
from anywidget._util import enable_custom_widget_manager_once
from explorers import Numbers
from ipywidgets import Box
from ipywidgets.embed import dependency_state
from traitlets import TraitError

from widgets import Matrix, Predict, SixQuestions, TemperatureExplorer, Training
from widgets.base import instrument
from widgets.base.instrument import STATIC, Instrument, leave_boxes, library, numpy_of, pack_array, unpack_array


@pytest.fixture
def sent(monkeypatch):
    """All that views send to the page: (message, buffers)."""
    messages = []
    monkeypatch.setattr(Instrument, "_send", lambda self, msg, buffers=None: messages.append((msg, buffers or [])))
    return messages


# ---- arrays


@pytest.mark.parametrize(
    ("dtype", "kept"),
    [
        (torch.bfloat16, np.float32),
        (torch.float16, np.float32),
        (torch.float64, np.float64),
        (torch.int64, np.int64),
        (torch.int8, np.int8),
        (torch.bool, np.bool_),
    ],
)
def test_a_tensor_of_any_kind_is_an_array(dtype, kept):
    array = numpy_of(torch.tensor([0, 1], dtype=dtype))
    assert array.dtype == kept
    assert array.tolist() == [0, 1]


@pytest.mark.parametrize(
    "given",
    [
        [1, 2.5],
        (1, 2.5),
        np.array([1, 2.5]),
        torch.tensor([1, 2.5], requires_grad=True),
        torch.tensor([1, 2.5], dtype=torch.bfloat16),  # which numpy does not know
    ],
)
def test_an_array_takes_numbers_of_any_kind(given):
    numbers = Numbers(values=given).values
    assert numbers.dtype == np.float32
    np.testing.assert_array_equal(numbers, [1, 2.5])


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ([[1.0]], r"values: expected 1 axes, got shape \(1, 1\)"),
        (["a"], "values: expected an array of numbers, got list"),
        ("word", "values: expected an array of numbers, got str"),
    ],
)
def test_an_array_refuses_the_rest(given, error):
    with pytest.raises(TraitError, match=error):
        Numbers(values=given)


def test_an_array_speaks_only_of_changes():
    view, heard = Numbers(values=[1.0, np.nan]), []
    view.observe(lambda change: heard.append(change.new), "values")
    view.values = [1.0, np.nan]
    assert heard == []
    view.values = [2.0, np.nan]
    assert len(heard) == 1
    view.values = None
    assert heard[-1] is None


@pytest.mark.parametrize("shape", [(0,), (3,), (2, 3), (2, 0, 3)])
def test_arrays_go_to_the_page_and_back(shape):
    array = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    packed = pack_array(array)
    assert packed["shape"] == list(shape)
    np.testing.assert_array_equal(unpack_array({**packed, "data": bytes(packed["data"])}), array)
    assert unpack_array(pack_array(None)) is None


def test_bytes_that_do_not_fit_their_shape():
    with pytest.raises(TraitError, match=r"expected 6 numbers for shape \(2, 3\), got 5"):
        unpack_array({"shape": [2, 3], "data": bytes(20)})


# ---- scripts


def test_one_library_for_all_views_of_a_kind():
    first, second = Numbers(), Numbers()
    assert first.libraries == second.libraries == {Numbers.bundle: library(Numbers.bundle)}


def test_a_library_holds_the_bundle_and_its_version(monkeypatch):
    monkeypatch.setattr(instrument, "_libraries", {})
    held = library("caption")
    assert gzip.decompress(held.source) == (STATIC / "caption.js").read_bytes()
    other = library("other", lambda: "export default 1")
    assert gzip.decompress(other.source) == b"export default 1"
    assert other.version != held.version
    other.close()
    assert library("other", lambda: "export default 1") is not other, "a closed one is made again"


def test_what_a_page_has_missed_is_sent_again(sent):
    view = Numbers(values=[1.0])
    sent.clear()
    view._handle_custom_msg({"kind": "state"}, [])
    [(message, _)] = sent
    assert set(message["state"]) == {"values", "chosen", "sequence"}
    sent.clear()
    view._handle_custom_msg({"kind": "script", "name": Numbers.bundle}, [])
    [(message, buffers)] = sent
    assert message["content"]["version"] == library(Numbers.bundle).version
    assert buffers == [library(Numbers.bundle).source]


# ---- messages


def test_several_traits_are_one_message(sent):
    view = Numbers(values=[1.0])
    sent.clear()
    view.show(values=[2.0], chosen=1, sequence=4)
    [(message, _)] = sent
    assert set(message["state"]) == {"values", "chosen", "sequence"}


def test_taken_traits_are_none(sent):
    view = Numbers(values=[1.0], chosen=1)
    sent.clear()
    taken = view.take(values=[2.0], chosen=1)
    assert sent == []
    assert set(taken) == {"values"}, "what has not changed need not be told"
    np.testing.assert_array_equal(view.values, [2.0])


def test_a_closed_view_leaves_its_boxes():
    view, other = Numbers(), Numbers()
    boxes = [Box([view, other]), Box([view])]
    leave_boxes(view)
    assert [box.children for box in boxes] == [(other,), ()]


MANAGER = "https://colab.example/manager.js"


@pytest.fixture
def colab(monkeypatch):
    """What anywidget asks of Google Colab; `turned_on` counts how often it asked for the manager of widgets."""
    module = ModuleType("google.colab.output")
    module.turned_on = 0
    module._widgets = SimpleNamespace(_installed_url=None)

    def turn_on():
        module.turned_on += 1
        module._widgets._installed_url = MANAGER

    module.enable_custom_widget_manager = turn_on
    monkeypatch.setitem(sys.modules, "google.colab.output", module)
    enable_custom_widget_manager_once.cache_clear()
    yield module
    enable_custom_widget_manager_once.cache_clear()


VIEWS = {
    "an instrument": lambda: Matrix([[1.0]]),
    "an explorer": TemperatureExplorer,
    "a guess": lambda: Predict("Which?", {"a": "Yes.", "b": "No."}, 0, then=TemperatureExplorer()),
    "a training": lambda: Training(lambda: iter(()), 1),
    "the six questions": lambda: SixQuestions("before"),
}


@pytest.mark.parametrize("view", VIEWS)
def test_colab_is_told_what_draws_a_view(colab, view):
    shown = VIEWS[view]()
    for _ in range(2):
        data, metadata = shown._repr_mimebundle_()
        [(mime, said)] = metadata.items()
        assert mime in data
        assert said == {"colab": {"custom_widget_manager": {"url": MANAGER}}}
    assert data["text/plain"] == repr(shown)
    assert colab.turned_on == 1


@pytest.mark.parametrize("view", VIEWS)
def test_elsewhere_nothing_is_said_of_it(view):
    assert VIEWS[view]()._repr_mimebundle_()[1] == {}


# ---- what is asked of it


def test_a_name_that_it_has_not_is_told():
    view = Matrix([[1.0]])
    for ask in (partial(Matrix, [[1.0]]), view.show, view.take):
        with pytest.raises(TypeError, match=r"Matrix has no 'valeus', it has .*; did you mean 'values'\?"):
            ask(valeus=[[2.0]])
        with pytest.raises(TypeError, match="Matrix has no 'labels', it has"):
            ask(labels=["a"])


def test_its_script_comes_along_where_its_dependencies_are_written():
    view = Matrix([[1.0]])
    state = dependency_state([view], drop_defaults=False)
    assert library("matrix").model_id in state
    assert state[view.model_id]["state"]["libraries"] == {"matrix": library("matrix").model_id}
