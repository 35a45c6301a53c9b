"""Explorers without a page: state, picture, errors, frames, threads, closing."""

import gc
import logging
import threading
import time
import weakref
from inspect import signature

import IPython
import numpy as np
import pytest
import torch
from explorers import Numbers, Plain, drive, move
from ipywidgets import Box, Tab
from ipywidgets.widgets.widget import _instances as instances
from traitlets import TraitError
from wander import wander

from widgets.base import explorer as module
from widgets.base.controls import held, slider, text
from widgets.base.explorer import Explorer
from widgets.base.words import plain, say
from widgets.explorers.l00_start_here.temperature import TemperatureExplorer
from widgets.explorers.l03_alignment.query_direction import QueryDirectionExplorer
from widgets.explorers.l03_alignment.weighting import WeightingExplorer
from widgets.explorers.l08_many_heads.number_of_heads import NumberOfHeadsExplorer
from widgets.explorers.l09_block.rank_collapse import RankCollapseExplorer
from widgets.explorers.l17_real_models.score_sources import ScoreSourcesExplorer
from widgets.instruments.predict.predict import Predict

# ---- every explorer


def test_plain():
    drive(Plain())


class Remembering(Plain):
    """Its picture depends on what was shown before."""

    before = 1.0

    def compute(self, state):
        self.before, before = state.size, self.before
        return super().compute(state) + before


def test_a_walk_finds_a_picture_that_another_state_has_left():
    with pytest.raises(AssertionError, match=r"stale: {\('numbers', 'values'"):
        wander(Remembering(), 40)


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


def test_help_and_completion_show_the_state():
    assert str(signature(Plain)).startswith("(*, lock=None, size=2.0, count=3, signed=False, ")
    assert list(signature(ScoreSourcesExplorer).parameters)[:4] == ["model", "letters", "lock", "text"]
    assert list(signature(WeightingExplorer).parameters)[-1] == "state"  # with `lock` among what it hands on
    with pytest.raises(TypeError, match="positional argument"):
        Plain(2.0)


def test_code_of_an_explorer_that_hands_the_lock_on():
    class HandsOn(Plain):
        def __init__(self, model, **state):
            self.model = model
            super().__init__(**state)

        def code(self, state):
            return "model"

    assert HandsOn(object(), lock=threading.RLock()).parts["caption"].error == ""


def test_somebody_who_observes_it_fails(caplog):
    """The hand is answered all the same, and told."""

    def fail(change):
        raise RuntimeError("no lamp is there")

    explorer = Plain()
    explorer.observe(fail, "size")
    with caplog.at_level(logging.CRITICAL):
        move(explorer, 1, size=3.0)
    assert explorer.size == 3.0
    assert explorer.parts["controls"].values["size"] == 3.0
    torch.testing.assert_close(explorer.result, torch.tensor([3.0, 6.0, 9.0]))
    assert "no lamp is there" in explorer.parts["caption"].error


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
    assert more == {
        "size": False,
        "count": False,
        "signed": False,
        "shape": False,
        "word": False,
        "at": True,
        "again": True,
    }


def test_stepper_stays_within_what_the_picture_says():
    explorer = Plain(count=5, at=5)
    assert explorer.positions("at") == [1, 2, 3, 4, 5]
    explorer.count = 2
    assert explorer.at == 2
    assert explorer.parts["controls"].values["at"] == 2
    assert "at 2 is" in repr(explorer)


def test_repr():
    assert repr(Plain()) == (
        "Plain(size=2.0, count=3, signed=False, shape='up', word='five', at=1, again=0): five at 1 is 2.00"
    )


def test_words_in_the_bundle():
    data, metadata = TemperatureExplorer()._repr_mimebundle_()
    assert data["text/plain"].startswith("TemperatureExplorer(temperature=1.0, words='the cat sat on the mat'): “cat”")
    assert set(data) == {"text/plain", "application/vnd.jupyter.widget-view+json"}
    assert metadata == {}


# ---- the newest state only


def test_equal_state_is_not_computed_again(monkeypatch):
    explorer = Plain()
    monkeypatch.setattr(Plain, "compute", lambda self, state: pytest.fail("computed"))
    move(explorer, 1, size=2.0)
    explorer.size = 2


def work(seconds):
    """Keep this thread busy: frames are judged by their work, not by the clock of a busy machine."""
    start = time.thread_time()
    while time.thread_time() < start + seconds:
        pass


class Slow(Plain):
    computed = 0

    def compute(self, state):
        self.computed += 1
        work(0.03)
        return super().compute(state)


class Asked:
    """A lock that knows which threads have asked for it."""

    def __init__(self):
        self.lock, self.threads = threading.RLock(), set()

    def __enter__(self):
        self.threads.add(threading.get_ident())
        self.lock.acquire()

    def __exit__(self, *_):
        self.lock.release()


def test_waiting_threads_compute_the_newest_state_once():
    explorer = Slow(lock=Asked())
    explorer.computed = 0
    with explorer.lock:
        threads = [threading.Thread(target=setattr, args=(explorer, "size", 0.1 * i)) for i in range(1, 14)]
        for thread in threads:
            thread.start()
        while len(explorer.lock.threads) < 14:  # they and this one
            time.sleep(0.001)
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


def test_an_interrupted_picture_is_made_at_the_next_occasion(monkeypatch):
    """As after the kernel's Interrupt, which may come anywhere."""
    explorer = Plain()
    for place in ("compute", "sentence"):
        with monkeypatch.context() as context:
            context.setattr(Plain, place, interrupt)
            with pytest.raises(KeyboardInterrupt):
                explorer.size += 1
        move(explorer, 1)
        np.testing.assert_allclose(explorer.parts["numbers"].values, explorer.size * np.arange(1, 4))


def interrupt(*_):
    raise KeyboardInterrupt


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


# ---- frames


def test_frames_of_something_else():
    with pytest.raises(ValueError, match=r"expected the name of a slider \(size, count, at\), got 'word'"):
        Plain().frames("word")


# ---- what the hand does in a view


class Following(Plain):
    cell = held(0, help="what is selected", follows=("numbers", "chosen"))

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


def test_a_view_goes_back_where_the_state_refuses_what_a_hand_did():
    explorer = QueryDirectionExplorer()
    explorer.parts["plane"].angle = 1e9
    assert (explorer.angle, explorer.parts["plane"].angle) == (40, 40)
    assert explorer.parts["caption"].error.startswith("angle: expected a whole number from 0 to 355")


def test_a_selection_waits_for_a_picture_that_it_fits():
    explorer = NumberOfHeadsExplorer(heads="2")
    explorer.change(heads="1", words=" ")
    explorer.parts["matrix"].selected = [1, 2, 2]  # in the last picture, which stays
    twin = explorer.twin()
    for one in (explorer, twin):
        assert one.parts["caption"].error == "expected 2 to 8 words, got 0"
        one.change(heads="2", words="a cat sat down")
        assert (one.parts["matrix"].selected, one.cell) == ([1, 2, 2], [1, 2, 2])


def test_what_is_said_follows_a_selection_that_a_view_has_dropped():
    explorer = RankCollapseExplorer()
    explorer.parts["matrix"].selected = [0, 5, 0]
    explorer.words = "a b"  # fewer than six
    assert explorer.cell == explorer.parts["matrix"].selected == []
    assert "“a” and “b” have the cosine" in plain(explorer.parts["caption"].sentence)


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
    monkeypatch.setattr(module, "_explorers_of_cell", {})
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


class SideBySide(Plain):
    row = ("numbers", "others")

    def views(self):
        return {**super().views(), "others": Numbers()}


def test_views_of_a_row_stand_side_by_side():
    explorer = SideBySide()
    controls, row, caption = explorer.children
    assert (controls, caption) == (explorer.parts["controls"], explorer.parts["caption"])
    assert list(row.children) == [explorer.parts["numbers"], explorer.parts["others"]]
    explorer.close()
    assert row.comm is None


def test_an_unstable_explorer_is_named_without_its_numbers():
    class Unstable(Plain):
        unstable = True

    explorer, same = Unstable(count=2), Plain(count=2)
    assert repr(explorer) == repr(same).replace("Plain", "Unstable").partition(": ")[0]
    explorer.parts["caption"].error = "no digits"
    assert repr(explorer).endswith("): no digits")


def test_a_change_is_whole_or_none():
    explorer = Plain()
    before = vars(explorer.state)
    with pytest.raises(TraitError):
        explorer.change(size=2.0, count="many")
    assert vars(explorer.state) == before


def test_a_slip_in_a_name_is_told():
    explorer = Plain()
    for use in explorer.change, explorer.twin:
        with pytest.raises(TypeError, match=r"Plain has no 'sise', it has .*; did you mean 'size'\?"):
            use(sise=2.0)
