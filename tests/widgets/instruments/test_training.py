"""Training: live or not, paused or not, the result is the same; nothing is lost when something goes wrong."""

import asyncio
import signal
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from attnlab.training import Step, fit, measured
from lessons.lab import PATIENCE
from widgets.base.controls import slider
from widgets.base.explorer import Explorer
from widgets.instruments.training.scheduler import whole_steps
from widgets.instruments.training.training import Training

STEPS = 37


class Learner:
    """A small model that learns to attend, with everything a lesson has: dropout, a measure, a film."""

    def __init__(self):
        self.model = None

    def start(self):
        torch.manual_seed(5)
        self.model = nn.Sequential(nn.Linear(3, 7), nn.Dropout(0.2), nn.Tanh(), nn.Linear(7, 5))
        return measured(fit(self.model, self.loss, STEPS, seed=3), self.measure, every=11)

    def loss(self, generator):
        x = torch.randn(13, 3, generator=generator)
        return (self.model(x) - x.sum(1, keepdim=True)).square().mean()

    def measure(self):
        return {"error": self.model(torch.ones(2, 3)).abs().mean()}

    def watch(self):
        return self.model(torch.ones(2, 3)).softmax(-1)

    def numbers(self):
        return torch.cat([p.detach().flatten() for p in self.model.parameters()])


def made(**traits):
    learner = Learner()
    training = Training(learner.start, STEPS, learner.watch, film_every=5, **traits)
    training.reveal()
    return learner, training


def plain(steps=10, at=None, error=None, seconds=0.0, log=None):
    """A start() of steps without a model; at step `at` it raises `error`, or its loss is `error`."""
    log = SimpleNamespace(closed=0, at_work=0, most=0) if log is None else log

    def start():
        try:
            for step in range(1, steps + 1):
                log.at_work += 1
                log.most = max(log.most, log.at_work)
                time.sleep(seconds)
                log.at_work -= 1
                if step == at and isinstance(error, Exception):
                    raise error
                yield Step(step, error if step == at else 1 / step, {"right": step / steps} if step % 4 == 0 else {})
        finally:
            log.closed += 1

    return start


async def until(condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came so far"
        await asyncio.sleep(0.002)


@pytest.fixture(scope="module")
def reference():
    learner, training = made()
    training.run()
    assert training.state == "done"
    return learner.numbers(), training.history, training.film


def same(training, learner, reference):
    numbers, history, film = reference
    assert torch.equal(learner.numbers(), numbers)
    assert training.history == history
    assert np.array_equal(training.film, film)


def test_a_run_takes_all_steps_measures_and_films(reference):
    _, history, film = reference
    assert [s.step for s in history] == list(range(1, STEPS + 1))
    assert [s.step for s in history if s.metrics] == [11, 22, 33, 37]
    assert film.shape == (9, 1, 2, 5)  # before the first step, at 5, 10 ... 35, and the last
    assert not np.array_equal(film[0], film[-1])


def test_in_pieces_the_result_is_the_same(reference):
    learner, training = made()
    for piece in (1, 5, 2):
        torch.randn(17)  # somebody else draws random numbers meanwhile
        training.run(piece)
        assert training.state == "paused"
    training.run()
    same(training, learner, reference)


def test_live_with_pauses_and_single_steps_the_result_is_the_same(reference):
    async def live():
        learner, training = made()
        training.play(3)
        await until(lambda: training.state == "paused")
        assert training.step == 3
        training.play(1)
        await until(lambda: training.state == "paused")
        training.on_step(lambda step: training.pause() if step.step == 20 else None)
        training.play()
        await until(lambda: training.state == "paused")
        assert training.step == 20
        training.run(4)
        training.play()
        await until(lambda: training.state == "done")
        return learner, training

    learner, training = asyncio.run(live())
    same(training, learner, reference)


def test_reset_begins_anew_also_while_it_trains(reference):
    async def live():
        learner, training = made()
        training.on_step(lambda step: time.sleep(0.005))
        training.play()
        await until(lambda: training.step > 3)
        training.reset()
        assert (training.state, training.step, training.history, len(training.film)) == ("ready", 0, [], 1)
        await asyncio.sleep(0.1)
        assert training.step == 0
        training.run()
        return learner, training

    learner, training = asyncio.run(live())
    same(training, learner, reference)


def test_reset_closes_the_old_iterator():
    log = SimpleNamespace(closed=0, at_work=0, most=0)
    iterators = []
    start = plain(log=log)
    training = Training(lambda: iterators.append(start()) or iterators[-1], 10)
    training.run(3)
    training.reset()
    assert (len(iterators), log.closed) == (2, 1)


def test_of_two_turns_only_the_newer_goes_on():
    async def live():
        training = Training(plain(60, seconds=0.004), 60)
        training.play(5)
        training.pause()
        training.play(31)
        await until(lambda: training.state == "paused")
        await asyncio.sleep(0.05)
        return training.step

    assert asyncio.run(live()) == 31


def test_start_pressed_many_times_from_many_threads_is_one_training():
    log = SimpleNamespace(closed=0, at_work=0, most=0)

    async def live():
        training = Training(plain(60, seconds=0.004, log=log), 60)

        def press():
            for kind in ["play", "play", "pause", "play", "step", "play"] * 5:
                training._pressed(training.track, {"kind": kind}, [])
                time.sleep(0.003)

        threads = [threading.Thread(target=press) for _ in range(7)]
        for thread in threads:
            thread.start()
        await until(lambda: not any(t.is_alive() for t in threads))
        training.play()
        await until(lambda: training.state == "done")
        return training

    training = asyncio.run(live())
    assert log.most == 1
    assert [s.step for s in training.history] == list(range(1, 61))


def test_the_loop_stays_free_between_slices():
    async def live():
        training = Training(plain(200, seconds=0.002), 200)
        seen = []
        training.play()
        while training.state == "running":
            seen.append(training.step)
            await asyncio.sleep(0)
        return np.diff([*seen, training.step])

    # A slice is 50 ms, and one step more; on a busy machine fewer steps fit into it.
    assert asyncio.run(live()).max() <= 26


def test_the_lock_is_held_during_a_step_and_free_between_slices():
    async def live():
        training = Training(plain(50, seconds=0.003), 50)
        held = []

        def elsewhere():
            with training.lock:
                held.append(training.step)

        training.on_step(lambda step: held.append(_free(training.lock)) if step.step == 2 else None)
        training.play()
        await until(lambda: training.step > 5)
        thread = threading.Thread(target=elsewhere)
        thread.start()
        await until(lambda: not thread.is_alive())
        await until(lambda: training.state == "done")
        return held

    held = asyncio.run(live())
    assert held[0] is False
    assert 5 < held[1] < 50


def _free(lock):
    """Whether another thread could take the lock now."""
    answer = []
    thread = threading.Thread(target=lambda: answer.append(lock.acquire(blocking=False)))
    thread.start()
    thread.join()
    return answer[0]


def test_an_error_in_a_step_is_shown_and_nothing_is_lost():
    training = Training(plain(at=5, error=RuntimeError("out of ideas")), 10)
    with pytest.raises(RuntimeError, match="out of ideas"):
        training.run()
    assert (training.state, len(training.history)) == ("failed", 4)
    assert training.track.error == "RuntimeError: out of ideas"
    assert training.result == {"right": 0.4}
    training.play()
    assert training.state == "failed"
    training.reset()
    assert (training.state, training.track.error) == ("ready", "")


def test_an_error_while_live_is_shown_and_not_raised():
    async def live():
        training = Training(plain(at=5, error=KeyError("x")), 10)
        training.play()
        await until(lambda: training.state == "failed")
        return training

    training = asyncio.run(live())
    assert training.track.state == "failed"
    assert training.track.error == "KeyError: 'x'"


@pytest.mark.parametrize(("loss", "word"), [(float("nan"), "NaN"), (float("inf"), "infinite")])
def test_a_loss_that_is_no_number_ends_the_training_with_a_sentence(loss, word):
    training = Training(plain(at=7, error=loss), 10)
    with pytest.raises(ValueError, match=f"the loss is {word} at step 7: a smaller rate"):
        training.run()
    assert len(training.history) == 6
    assert training.track.error.startswith(f"the loss is {word}")


def test_a_watch_that_changes_its_shape_fails_with_both_shapes():
    shapes = iter([(2, 3), (2, 3), (3, 2)])
    training = Training(plain(), 10, watch=lambda: np.zeros(next(shapes)), film_every=2)
    with pytest.raises(ValueError, match=r"expected the shape \(1, 2, 3\), got shape \(1, 3, 2\)"):
        training.run()
    assert len(training.film) == 2


def test_an_iterator_that_ends_early_is_done():
    training = Training(plain(steps=6), 10)
    training.run()
    assert (training.state, training.step) == ("done", 6)


@pytest.fixture
def interruptible():
    """Ctrl-C as Python has it, also where the tests were started in the background and ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_waits_for_the_end_of_the_step(reference, interruptible):
    learner, training = made()
    loss = learner.loss

    def interrupted(generator):
        if training.step == 8:
            learner.loss = loss
            signal.raise_signal(signal.SIGINT)
        return loss(generator)

    learner.loss = interrupted
    training.reset()
    training.reveal()
    with pytest.raises(KeyboardInterrupt, match=r"paused at step \d+ of \d+; run again to go on"):
        training.run()
    assert training.state == training.track.state == "paused"
    assert len(training.history) >= 9
    training.run()
    same(training, learner, reference)


def test_an_interrupt_pauses_what_its_own_button_started_though_the_kernel_ignores_the_signal():
    async def live():
        training = Training(plain(steps=1000, seconds=0.001), 1000)
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as ipykernel does while no cell runs
        try:
            training.on_step(lambda step: step.step == 5 and signal.raise_signal(signal.SIGINT))
            training.play()
            await until(lambda: training.state != "running")
        finally:
            signal.signal(signal.SIGINT, before)
        assert training.state == training.track.state == "paused"
        assert training.step == 5

    asyncio.run(live())


def test_whole_steps_puts_the_handler_back():
    before = signal.getsignal(signal.SIGINT)
    with whole_steps():
        pass
    assert signal.getsignal(signal.SIGINT) is before


def test_closed_while_it_trains_it_stops():
    async def live():
        training = Training(plain(500, seconds=0.002), 500)
        training.play()
        await until(lambda: training.step > 3)
        training.close()
        at = training.step
        await asyncio.sleep(0.1)
        assert training.step == at
        with pytest.raises(ValueError, match="was closed"):
            training.play()

    asyncio.run(live())


def test_the_cell_run_again_ends_the_older_training():
    async def live():
        def cell(name=""):
            return Training(plain(500, seconds=0.002), 500, name=name)

        for name, closed in (("", False), ("dates", True)):
            older = cell(name)
            older.play()
            await until(lambda older=older: older.step > 3)
            newer = cell(name)
            assert older.state == "paused"
            assert (older.comm is None) == closed
            newer.run(2)
            assert newer.step == 2

    asyncio.run(live())


@pytest.mark.parametrize(("start", "words"), [(1, "got 1"), (lambda: None, "it gave None")])
def test_a_start_that_gives_no_steps(start, words):
    with pytest.raises(ValueError, match=f"start: expected a function that gives the steps, {words}"):
        Training(start, 2)


def test_without_a_loop_play_says_what_to_do():
    with pytest.raises(ValueError, match=r"use run\(\)"):
        Training(plain(), 10).play()


@pytest.mark.parametrize("steps", [0, -3, 2.5, None])
def test_steps_must_be_a_whole_number(steps):
    with pytest.raises(ValueError, match="steps: expected a whole number above 0"):
        Training(plain(), steps)


class Page:
    """What the page makes of the messages, in Python."""

    def __init__(self, track):
        self.losses, self.frames = [], []
        track.send = self.take

    def take(self, message, buffers):
        losses, _, film = (np.frombuffer(b, np.float32) for b in buffers)
        assert len(self.losses) >= message["at"][0]
        assert len(self.frames) >= message["at"][2]
        self.losses[message["at"][0] :] = losses
        self.frames[message["at"][2] :] = film.reshape(-1, *message["shape"]) if message["frames"] else []


def test_the_news_together_are_the_record_and_a_late_page_gets_all_of_it():
    _, training = made()
    page = Page(training.track)
    training._pressed(training.track, {"kind": "catch up"}, [])
    for _ in range(4):
        training.run(10)
    assert np.allclose(page.losses, [s.loss for s in training.history])
    assert np.array_equal(page.frames, training.film)
    state = training.track.get_state()["record"]
    assert np.allclose(np.frombuffer(state["buffers"][0], np.float32), page.losses)
    assert state["frames"] == [0, 5, 10, 15, 20, 25, 30, 35, 37]
    training.reset()
    assert page.losses == []
    assert len(page.frames) == 1


def veiled():
    """A training that a cell has run, a page that shows it, and what that page had before."""
    learner = Learner()
    training = Training(learner.start, STEPS, learner.watch, film_every=5)
    page = Page(training.track)
    training._pressed(training.track, {"kind": "catch up"}, [])
    first = training.matrix.values
    training.run(STEPS - 10)
    return training, page, first


def test_what_a_cell_ran_stays_veiled():
    training, page, first = veiled()
    assert (training.state, training.step, training.veiled) == ("paused", STEPS - 10, True)
    assert len(training.history) == STEPS - 10, "the next cells go on with it"
    assert (training.track.state, training.track.step, training.track.veiled) == ("ready", 0, True)
    training._pressed(training.track, {"kind": "catch up"}, [])
    assert page.losses == []
    assert training.track.get_state()["record"]["frames"] == []
    assert training.matrix.values is first
    training._pressed(training.track, {"kind": "step"}, [])
    assert (training.step, training.track.veiled) == (STEPS - 10, True), "Start shows it, not a step more"
    training.run()
    assert (training.state, training.track.state) == ("done", "ready")


@pytest.mark.parametrize("show", [Training.reveal, lambda training: training._pressed(None, {"kind": "play"}, [])])
def test_start_shows_what_a_cell_ran(show):
    training, page, first = veiled()
    training.run()
    show(training)
    assert (training.veiled, training.track.veiled) == (False, False)
    assert (training.track.state, training.track.step) == ("done", STEPS)
    assert np.allclose(page.losses, [s.loss for s in training.history])
    assert np.array_equal(page.frames, training.film)
    assert training.track.get_state()["record"]["frames"][-1] == STEPS
    assert not np.array_equal(training.matrix.values, first)
    training.reset()
    training.run(2)
    assert training.veiled, "begun anew, it is veiled anew"


def test_what_was_started_by_hand_is_seen_when_a_cell_ends_it():
    async def live():
        learner = Learner()
        training = Training(learner.start, STEPS, learner.watch, film_every=5)
        training._pressed(training.track, {"kind": "step"}, [])
        await until(lambda: training.state == "paused")
        return training

    training = asyncio.run(live())
    training.run()
    assert (training.veiled, training.track.state, training.track.step) == (False, "done", STEPS)


def test_a_failure_is_never_veiled():
    training = Training(plain(at=3, error=RuntimeError("no")), 10)
    with pytest.raises(RuntimeError):
        training.run()
    assert (training.veiled, training.track.state, training.track.error) == (False, "failed", "RuntimeError: no")


def test_news_are_small():
    sent = []
    _, training = made()
    training.track.send = lambda message, buffers: sent.append(sum(map(len, buffers)))
    training.run()
    assert sum(sent) == 4 * (37 + 4 * 2 + 8 * 10)  # every loss, metric and frame once


def test_in_words_it_says_nothing_that_differs_between_machines():
    training = Training(plain(), 10)
    assert repr(training) == "Training(10 steps, not started; loss)"
    training.run(4)
    assert repr(training) == "Training(10 steps, paused at step 4; loss, right)"
    training.run()
    assert repr(training) == "Training(10 steps, done; loss, right)"
    assert training._repr_mimebundle_()[0]["text/plain"] == repr(training)


def test_what_it_came_to_is_said_once_it_is_done_and_not_behind_the_veil():
    training = Training(plain(), 10, summary=lambda found: f"Right: {found['right']:.1f}.")
    training.run(9)
    assert (training.summary, repr(training)) == ("", "Training(10 steps, paused at step 9; loss, right)")
    training.run()
    said = f"Right: {training.result['right']:.1f}."
    assert repr(training) == f"Training(10 steps, done; loss, right)\n{said}"
    assert (training.track.summed_up, training.track.summary) == (True, ""), "nobody has pressed Start"
    training.reveal()
    assert training.track.summary == said
    assert training.offline()["summary"] == said
    training.reset()
    assert (training.track.summary, training.track.state) == ("", "ready")


def test_a_summary_that_fails_ends_the_training_with_its_sentence():
    training = Training(plain(), 10, summary=lambda right: right["wrong"])
    with pytest.raises(KeyError, match="wrong"):
        training.run()
    assert (training.state, training.step, len(training.history)) == ("failed", 10, 10)


class Reader(Explorer):
    """Shows how far a training is."""

    size = slider(1, 0, 2)

    def __init__(self, training):
        self.training = training
        super().__init__(lock=training.lock)

    def views(self):
        return {}

    def compute(self, state):
        return self.training.step

    def picture(self, state, result):
        return {}

    def sentence(self, state, result):
        return [f"{result} steps"]

    def code(self, state):
        return ""


def test_an_explorer_of_the_model_shows_what_it_says_whenever_the_training_rests():
    training = Training(Learner().start, STEPS)
    one, other, gone = Reader(training), Reader(training).twin(), Reader(training)
    gone.close()
    for act, step in [(lambda: training.run(5), 5), (training.run, STEPS), (training.reset, 0)]:
        act()
        assert [one.result, other.result, gone.result] == [step, step, 0]
