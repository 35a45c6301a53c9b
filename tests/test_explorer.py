"""Explorers without a page: state, picture, errors, films, threads, closing."""

import gc
import logging
import threading
import time
import weakref

import IPython
import numpy as np
import pytest
import torch
from explorers import Numbers, Plain, drive
from ipywidgets import Box, Tab
from ipywidgets.widgets.widget import _instances as instances

from widgets import explorer as module
from widgets.controls import held, slider, text
from widgets.explorer import Explorer, told
from widgets.instrument import Instrument
from widgets.predict import Predict
from widgets.temperature import TemperatureExplorer
from widgets.words import plain, say


@pytest.fixture
def sent(monkeypatch):
    """All that widgets send to the page: (widget, message, buffers)."""
    messages = []
    monkeypatch.setattr(Instrument, "_send", lambda self, msg, buffers=None: messages.append((self, msg, buffers)))
    return messages


def move(explorer, stamp, **values):
    """As if the hand had moved controls of the page."""
    explorer.parts["controls"]._handle_custom_msg({"kind": "hand", "stamp": stamp, "values": values}, [])


def ask(explorer, name, around=0, have=0, hand=None):
    """As if the page had asked for a film."""
    content = {"kind": "film", "id": 1, "name": name, "around": around, "have": have, "hand": hand or {}}
    explorer.parts["controls"]._handle_custom_msg(content, [])


def frames(sent):
    return [(msg["content"], buffers) for _, msg, buffers in sent if msg.get("method") == "custom"]


def updates(sent):
    return [(widget, msg["state"]) for widget, msg, _ in sent if msg.get("method") == "update"]


# ---- every explorer


def test_plain():
    drive(Plain())


def test_temperature():
    drive(TemperatureExplorer())


# ---- state


def test_state_from_the_constructor_and_back():
    explorer = Plain(size=3, word="seven")
    assert explorer.state.size == 3.0
    torch.testing.assert_close(explorer.result, torch.tensor([3.0, 6.0, 9.0]))
    explorer.size = 1
    explorer.signed = True
    torch.testing.assert_close(explorer.result, torch.tensor([1.0, -2.0, 3.0]))
    explorer.reset()
    assert (explorer.size, explorer.word, explorer.signed) == (3.0, "seven", False)
    torch.testing.assert_close(explorer.result, torch.tensor([3.0, 6.0, 9.0]))


def test_unknown_argument():
    with pytest.raises(TypeError, match=r"Plain has no 'sise', it has size, count, .*; did you mean 'size'"):
        Plain(sise=2)


def test_argument_out_of_range():
    with pytest.raises(ValueError, match=r"size: expected a number from 0.0 to 5.0, got 9"):
        Plain(size=9)


def test_controls_follow_python():
    explorer = Plain()
    explorer.size = 3.5
    assert explorer.parts["controls"].values["size"] == 3.5
    assert "cell" not in explorer.parts["controls"].values


def test_at_most_five_controls_are_visible():
    more = {spec["name"]: spec["more"] for spec in Plain().parts["controls"].spec}
    assert more == {"size": False, "count": False, "signed": False, "shape": False, "word": False,
                    "at": True, "again": True}


def test_stepper_stays_within_what_the_picture_says():
    explorer = Plain(count=5, at=5)
    assert explorer.positions("at") == [1, 2, 3, 4, 5]
    explorer.count = 2
    assert explorer.at == 2
    assert explorer.parts["controls"].values["at"] == 2
    assert "at 2 is" in repr(explorer)


def test_repr():
    assert repr(Plain()) == ("Plain(size=2.0, count=3, signed=False, shape='up', word='five', at=1, again=0): "
                             "five at 1 is 2.00")


def test_still_and_words_in_the_bundle():
    data, metadata = TemperatureExplorer()._repr_mimebundle_()
    assert data["text/plain"].startswith("TemperatureExplorer(temperature=1.0, words='the cat sat on the mat'): “cat”")
    assert data["image/png"]
    assert metadata["image/png"]["alt"] == data["text/plain"]
    assert "image/png" not in Plain()._repr_mimebundle_()[0]


# ---- one message to each part, and the newest state only


def answer(sent, explorer):
    """{part: traits} of the one message that answers the hand."""
    [(message, _)] = frames(sent)
    assert message["kind"] == "picture"
    [[_, frame]] = message["frames"]
    names = {part.model_id: name for name, part in explorer.parts.items()}
    return {names[id]: {trait: message["table"][at] for trait, at in traits.items()} for id, traits in frame.items()}


def test_one_message_to_each_part(sent):
    explorer = Plain()
    sent.clear()
    explorer.change(size=3.0, count=5)
    assert [widget for widget, _ in updates(sent)] == [
        explorer.parts["numbers"], explorer.parts["caption"], explorer.parts["controls"]]
    assert updates(sent)[0][1]["values"]["shape"] == [5]


def test_the_hand_is_answered_by_one_message(sent):
    explorer = Plain()
    sent.clear()
    move(explorer, 7, size=3.0, count=5)
    assert len(sent) == 1
    seen = answer(sent, explorer)
    assert list(seen) == ["numbers", "caption", "controls"]
    assert {traits["stamp"] for traits in seen.values()} == {7}
    assert seen["numbers"]["values"]["shape"] == [5]
    assert seen["controls"]["values"]["count"] == 5
    assert explorer.parts["numbers"].get_state()["values"]["shape"] == [5], "a page that is loaded later sees it too"


def test_a_page_that_missed_the_first_picture_gets_it(sent):
    explorer = Plain()
    sent.clear()
    explorer.parts["controls"]._handle_custom_msg({"kind": "lost"}, [])
    assert updates(sent) == [], "a view may not hear its own comm"
    seen = answer(sent, explorer)
    assert list(seen) == list(explorer.parts)
    assert seen["numbers"]["values"]["shape"] == [3]
    assert seen["controls"]["values"]["count"] == 3
    assert not [name for state in seen.values() for name in state if name.startswith("_") or name in ("layout", "hand")]


def test_hand_is_answered_even_when_nothing_changed(sent):
    explorer = Plain()
    sent.clear()
    move(explorer, 3, size=2.0)
    assert answer(sent, explorer) == {part: {"stamp": 3} for part in ("numbers", "caption", "controls")}


def test_older_stamp_does_not_turn_the_clock_back():
    explorer = Plain()
    move(explorer, 9, size=3.0)
    move(explorer, 4, size=1.0)
    assert explorer.parts["numbers"].stamp == 9


def test_equal_state_is_not_computed_again(monkeypatch):
    explorer = Plain()
    monkeypatch.setattr(Plain, "compute", lambda self, state: pytest.fail("computed"))
    move(explorer, 1, size=2.0)
    explorer.size = 2


def work(seconds):
    """Keep this thread busy: a film is judged by its work, not by the clock of a busy machine."""
    start = time.thread_time()
    while time.thread_time() < start + seconds:
        pass


class Slow(Plain):
    computed = 0

    def compute(self, state):
        self.computed += 1
        work(0.03)
        return super().compute(state)


def test_waiting_threads_compute_the_newest_state_once():
    explorer = Slow()
    explorer.computed = 0
    with explorer.lock:
        threads = [threading.Thread(target=setattr, args=(explorer, "size", 0.1 * i)) for i in range(1, 14)]
        for thread in threads:
            thread.start()
        time.sleep(0.1)
    for thread in threads:
        thread.join()
    assert explorer.computed <= 2
    values = explorer.parts["numbers"].values
    np.testing.assert_allclose(values, explorer.size * np.arange(1, 4), rtol=1e-6)


def test_threads_in_the_middle_of_a_computation_lose_nothing():
    explorer = Slow()
    threads = [threading.Thread(target=lambda i=i: setattr(explorer, "size", 0.1 * i)) for i in range(1, 8)]
    for thread in threads:
        thread.start()
        time.sleep(0.011)
    for thread in threads:
        thread.join()
    np.testing.assert_allclose(explorer.parts["numbers"].values, explorer.size * np.arange(1, 4), rtol=1e-6)


def test_lock_of_a_training_is_used():
    lock = threading.RLock()
    explorer = Plain(lock=lock)
    thread = threading.Thread(target=setattr, args=(explorer, "size", 4.0))
    with lock:
        thread.start()
        time.sleep(0.05)
        assert explorer.parts["numbers"].values[0] == 2.0
    thread.join()
    assert explorer.parts["numbers"].values[0] == 4.0


# ---- errors


def test_value_error_is_the_banner_and_the_picture_stays():
    explorer = Plain()
    explorer.word = "f1ve"
    caption = explorer.parts["caption"]
    assert caption.error == "expected a word of letters, got 'f1ve'"
    assert plain(caption.sentence) == "five at 1 is 2.00"
    assert explorer.parts["controls"].values["word"] == "f1ve"
    assert explorer.parts["numbers"].values[0] == 2.0
    assert "expected a word of letters, got 'f1ve'" in repr(explorer)
    with pytest.raises(ValueError, match="a word of letters"):
        _ = explorer.result
    explorer.word = "six"
    assert caption.error == ""
    torch.testing.assert_close(explorer.result, torch.tensor([2.0, 4.0, 6.0]))


def test_value_error_at_the_start():
    explorer = Plain(word="1")
    assert explorer.parts["caption"].error == "expected a word of letters, got '1'"
    explorer.word = "six"
    assert explorer.parts["numbers"].values[0] == 2.0


def test_other_errors_are_shown_and_logged(caplog):
    explorer = Plain()
    with caplog.at_level(logging.ERROR):
        explorer.word = "bug"
    assert explorer.parts["caption"].error == "RuntimeError: a mistake of ours"
    assert "a mistake of ours" in caplog.text
    explorer.word = "six"
    assert explorer.parts["caption"].error == ""


def test_a_picture_that_a_view_refuses(caplog):
    class Wrong(Plain):
        def picture(self, state, result):
            return {"numbers": {"values": result[None] if state.count == 5 else result}}

    explorer = Wrong()
    with caplog.at_level(logging.ERROR):
        explorer.count = 5
    assert "expected 1 axes, got shape (1, 5)" in explorer.parts["caption"].error
    explorer.count = 4
    assert explorer.parts["caption"].error == ""


def test_a_picture_of_a_view_that_is_not_there(caplog):
    class Wrong(Plain):
        def picture(self, state, result):
            return {"nombres": {"values": result}}

    with caplog.at_level(logging.ERROR):
        assert "names ['nombres'], the views are ['numbers']" in Wrong().parts["caption"].error


def test_what_the_page_may_not_set():
    explorer = Plain()
    move(explorer, 1, size=99.0)
    assert explorer.parts["caption"].error == "size: expected a number from 0.0 to 5.0, got 99.0"
    assert explorer.size == 2.0
    move(explorer, 2, size=3.0)
    assert explorer.parts["caption"].error == ""
    assert explorer.size == 3.0


@pytest.mark.parametrize("word", ["", "x" * 10_000, "🙂", "<img src=x onerror=alert(1)>", "مرحبا"])
def test_any_text(word):
    explorer = Plain(word=word)
    repr(explorer)
    assert explorer.parts["controls"].values["word"] == word


def test_error_without_words():
    assert told(ValueError()) == "ValueError"
    assert told(KeyError("x")) == "KeyError: 'x'"


# ---- films


def whole_film(sent, explorer, name, around=0):
    """Ask until the film is there: its frames (index, {(part, trait): value on the wire}) in the order they came."""
    names = {part.model_id: name for name, part in explorer.parts.items()}
    found, total = [], 1
    while len(found) < total:
        sent.clear()
        ask(explorer, name, around, have=len(found))
        [(message, [buffer])] = frames(sent)
        total = message["total"]
        for index, frame in message["frames"]:
            found.append((index, {(names[part], trait): unpacked(message["table"][at], buffer)
                                  for part, traits in frame.items() for trait, at in traits.items()}))
    return found


def unpacked(value, buffer):
    if isinstance(value, dict) and "bytes" in value:
        return buffer[slice(*value["bytes"])]
    if isinstance(value, dict):
        return {name: unpacked(item, buffer) for name, item in value.items()}
    return value


def test_film_is_sent_nearest_first(sent):
    explorer = Plain()
    film = whole_film(sent, explorer, "size", around=20)
    assert [index for index, _ in film][:5] == [20, 19, 21, 18, 22]
    assert sorted(index for index, _ in film) == list(range(51))
    values = film[4][1]["numbers", "values"]
    assert values["shape"] == [3]
    np.testing.assert_allclose(np.frombuffer(values["data"], "f4"), 2.2 * np.arange(1, 4), rtol=1e-6)


def test_film_position_with_an_error_is_the_banner(sent):
    explorer = Plain()
    index, frame = whole_film(sent, explorer, "size", around=50)[0]
    assert index == 50
    assert frame == {("caption", "error"): "expected a size up to 4.5, got 5.0"}


def test_film_grows_old_when_anything_else_changes():
    explorer = Plain()
    versions = lambda: dict(explorer.parts["controls"].versions)  # noqa: E731
    before = versions()
    explorer.size = 1.0
    assert versions()["size"] == before["size"]
    assert versions()["count"] == before["count"] + 1
    explorer.shape = "down"
    assert versions()["size"] == before["size"] + 1
    explorer.refresh()
    assert versions()["size"] == before["size"] + 2


def test_film_is_asked_for_before_the_hand_is_answered(sent):
    explorer = Plain()
    ask(explorer, "size", around=0, hand={"stamp": 5, "values": {"count": 5}})
    [(message, _)] = frames(sent)
    assert message["stamp"] == 5
    _, frame = message["frames"][0]
    assert message["table"][frame[explorer.parts["numbers"].model_id]["values"]]["shape"] == [5]
    assert explorer.count == 3


def test_a_film_that_is_refused_is_not_sent(sent):
    class Large(Plain):
        def compute(self, state):
            return state.size * torch.arange(50_000.0)

    explorer = Large()
    ask(explorer, "size")
    [(message, buffers)] = frames(sent)
    assert message["refused"] == "large"
    assert not buffers
    assert "frames" not in message


def test_film_of_something_else():
    with pytest.raises(ValueError, match=r"expected the name of a slider \(size, count, at\), got 'word'"):
        Plain().film("word")


# ---- what the hand does in a view


class Following(Plain):
    cell = held(0, help="what is selected")
    follows = {"cell": ("numbers", "chosen")}

    def sentence(self, state, result):
        return say(f"cell {state.cell}")


def test_state_follows_a_view():
    explorer = Following()
    explorer.parts["numbers"].chosen = 17
    assert explorer.cell == 17
    assert plain(explorer.parts["caption"].sentence) == "cell 17"


def test_a_view_follows_the_state():
    explorer = TemperatureExplorer()
    explorer.cell = [0, 2, 1]
    assert explorer.parts["matrix"].selected == [0, 2, 1]
    explorer.parts["matrix"].selected = [0, 5, 2]
    assert explorer.cell == [0, 5, 2]
    assert "“mat” puts 51\u202f% of its weight on “sat”" in repr(explorer)
    explorer.words = "fish eat fish"
    assert explorer.parts["caption"].error == ""
    assert explorer.cell == explorer.parts["matrix"].selected == []
    explorer.reset()
    assert explorer.parts["matrix"].selected == [0, 1, 2]


# ---- twice, and gone


def test_close_leaves_nothing():
    before = set(instances)
    explorer = TemperatureExplorer()
    assert set(instances) > before
    explorer.close()
    assert set(instances) == before
    seen = weakref.ref(explorer)
    del explorer
    gc.collect()
    assert seen() is None


def test_a_closed_explorer_leaves_the_boxes_that_hold_it():
    explorer, other = Plain(), Plain()
    asked, tab = Predict("Which?", {"a": "yes", "b": "no"}, answer="a", then=explorer), Tab([explorer, other])
    explorer.close()
    held = [child for box in instances.values() if isinstance(box, Box) for child in box.children]
    assert None not in {child.comm for child in held}
    assert list(tab.children) == [other]
    assert asked.comm is not None


class Shell:
    parent = {"header": {"msg_id": "1"}, "metadata": {"cellId": "a"}}

    def get_parent(self):
        return self.parent


def test_a_cell_that_runs_again_closes_what_it_made(monkeypatch):
    monkeypatch.setattr(IPython, "get_ipython", Shell)
    monkeypatch.setattr(module, "_made", {})
    first, second = Plain(), Plain()
    monkeypatch.setattr(Shell, "parent", {"header": {"msg_id": "2"}, "metadata": {"cellId": "b"}})
    other = Plain()
    monkeypatch.setattr(Shell, "parent", {"header": {"msg_id": "3"}, "metadata": {"cellId": "a"}})
    third = Plain()
    assert first.comm is second.comm is first.parts["numbers"].comm is None
    assert None not in (other.comm, third.comm)


def test_own_arguments_and_own_views():
    class Scaled(Explorer):
        size = slider(1.0, 0.0, 2.0, step=0.5, help="how large")
        name = text("one", help="a name")
        shows = {"values": ("numbers", "values")}

        def __init__(self, base, **state):
            self.base = base
            super().__init__(**state)

        def views(self):
            return {"numbers": Numbers(), "others": Numbers()}

        def compute(self, state):
            return np.float32(state.size) * self.base

        def picture(self, state, result):
            return {"numbers": {"values": result}, "others": {"values": -result}}

        def sentence(self, state, result):
            return say(f"{state.name}: {result.sum()}")

        def code(self, state):
            return f"import numpy as np\nvalues = {state.size} * np.array({self.base.tolist()})"

    explorer = Scaled(np.float32([1, 2, 3]), size=2)
    drive(explorer)
    assert explorer.result.tolist() == [2, 4, 6]
