"""Every wrong solution is rejected with its own message; solutions pass; progress survives what happens to files."""
import json
import os
from threading import Thread

import pytest
import torch

from attnlab import exercises
from attnlab.exercises import EXERCISES, check, hint, status
from attnlab.exercises.exercise import judge

BANK = [pytest.param(exercise, mistake, id=f"{exercise.name}: {mistake.message[:50]}")
        for exercise in EXERCISES.values() for mistake in exercise.mistakes]
ALL = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda exercise: exercise.name)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNLAB_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(exercises, "_asked", exercises.Counter())
    return tmp_path / "home"


def written(exercise, source):
    """A function as a learner writes it, from its source."""
    scope = {"torch": torch}
    exec(source, scope)
    return scope[exercise.solution.__name__]


def cases(exercise):
    return [*exercise.inputs(), *exercise.edges()]


def takes_numbers(exercise):
    """Whether gradients flow through it."""
    return any(isinstance(value, torch.Tensor) and value.is_floating_point() for value in exercise.inputs()[0])


@ALL
def test_solution_passes(exercise):
    verdict = check(exercise.name, exercise.solution)
    assert verdict, verdict
    gradients = ", gradients too" if takes_numbers(exercise) else ""
    assert verdict.message == f"right, on {len(cases(exercise))} inputs of different sizes{gradients}"
    assert repr(verdict).startswith(f"✓ {exercise.name}: right, on")


@ALL
def test_spec_passes_its_own_check(exercise):
    assert judge(exercise, exercise.spec)


@pytest.mark.parametrize(("exercise", "mistake"), BANK)
def test_wrong_solution_is_named(exercise, mistake):
    verdict = check(exercise.name, mistake.function)
    assert (verdict.state, verdict.message) == ("wrong", mistake.message)
    assert not status().passed[exercise.name]


@ALL
def test_messages_are_all_different(exercise):
    messages = [mistake.message for mistake in exercise.mistakes]
    assert len(set(messages)) == len(messages)


@ALL
@pytest.mark.parametrize("body", [None, "pass", '"""What to do."""', "raise NotImplementedError", "return None",
                                  "return ...", "weights = ...\n    return weights"])
def test_stub_is_not_written_yet(exercise, body):
    source = exercise.stub if body is None else exercise.stub.replace("...", body)
    verdict = check(exercise.name, written(exercise, source))
    assert repr(verdict) == f"– {exercise.name}: not written yet"
    assert not verdict


@ALL
def test_misuse_is_named(exercise):
    def changing(*inputs):
        inputs[0].zero_()
        return exercise.solution(*inputs)

    def half(*inputs):
        raise RuntimeError("<script>alert(1)</script>")

    wrong = {
        "returned None: is the `return` missing?": lambda *inputs: (exercise.solution(*inputs), None)[1],
        "NumPy array": lambda *inputs: exercise.solution(*inputs).detach().numpy(),
        "got list": lambda *inputs: exercise.solution(*inputs).tolist(),
        "got tuple": lambda *inputs: (exercise.solution(*inputs), 1),
        "got str": lambda *inputs: f"text{len(inputs)}",
        'raised RuntimeError: <script>alert(1)</script> at `raise RuntimeError("<script>alert(1)</script>")`': half,
        "raised TypeError": lambda: None,
        "expected the shape": lambda *inputs: exercise.solution(*inputs)[..., :1],
    }
    if isinstance(exercise.inputs()[0][0], torch.Tensor):
        wrong["in place"] = changing
    if takes_numbers(exercise):
        wrong |= {
            "no gradient reaches": lambda *inputs: exercise.solution(*inputs).detach(),
            "asked for gradients": lambda *inputs: torch.from_numpy(exercise.solution(*inputs).numpy()),
        }
    for message, function in wrong.items():
        verdict = check(exercise.name, function)
        assert verdict.state == "wrong"
        assert message in verdict.message


@ALL
def test_anything_else_is_told_by_its_place_or_its_doubt(exercise):
    verdict = check(exercise.name, lambda *inputs: exercise.solution(*inputs).roll(1, dims=-1) * 1.01 + 1)
    assert verdict.state == "wrong"
    known = {mistake.message for mistake in exercise.mistakes}
    assert verdict.message not in known
    assert exercise.doubts or "numbers differ; at [0" in verdict.message or "torch.bool" in verdict.message


def test_properties_are_named_for_what_is_in_no_bank():
    right = EXERCISES["02.additive"].solution
    wrong = {"sum to 1": lambda *inputs: right(*inputs) ** 2, "never negative": lambda *inputs: -right(*inputs),
             "hidden words": lambda *inputs: (right(*inputs) + 0.1) / (1 + 0.1 * inputs[1].shape[1])}
    for message, function in wrong.items():
        assert message in check("02.additive", function).message


def test_not_a_function_and_not_an_exercise():
    assert "expected your function, got int" in check("02.additive", 3).message
    with pytest.raises(ValueError, match=r"expected one of the exercises 00.weights, .*; got '2.additive'"):
        check("2.additive", print)
    with pytest.raises(ValueError, match="expected one of"):
        hint("nothing")


def context_weights(state, memory, mask, score):
    return score(state[:, None], memory).masked_fill(~mask[:, None], -torch.inf).softmax(-1)


WEIGHTS = {"00.weights": EXERCISES["00.weights"].spec, "02.additive": EXERCISES["02.additive"].spec,
           "02.context": context_weights}


@pytest.mark.parametrize("name", WEIGHTS)
def test_inputs_cannot_hide_a_mistake(name):
    """No softmax near a corner: else argmax, a wrong scale or a missing tanh would pass."""
    for inputs in EXERCISES[name].inputs():
        assert 0.15 < WEIGHTS[name](*inputs).max(-1).values.mean() < 0.85


def weights_otherwise(scores, temperature):
    exponentials = ((scores - scores.max(-1, keepdim=True).values) / temperature).exp()
    return exponentials / exponentials.sum(-1, keepdim=True)


def additive_otherwise(query, key, W_q, W_k, v, mask):
    scores = torch.einsum("bqkd,d->bqk", torch.tanh((query @ W_q)[:, :, None] + (key @ W_k)[:, None]), v)
    exponentials = scores.exp() * mask
    return exponentials / exponentials.sum(-1, keepdim=True).clamp(min=1e-9)


def context_otherwise(state, memory, mask, score):
    weights = (score(state[:, None], memory)[:, 0] - 1e9 * ~mask).softmax(-1)
    return torch.einsum("bs,bsd->bd", weights, memory)


OTHERWISE = {"00.weights": weights_otherwise, "02.additive": additive_otherwise, "02.context": context_otherwise}


@pytest.mark.parametrize("name", OTHERWISE)
def test_different_ways_to_be_right(name):
    verdict = check(name, OTHERWISE[name])
    assert verdict, verdict


def test_hints_come_one_by_one():
    texts = [repr(hint("02.additive")) for _ in range(4)]
    assert [text.split(" for ")[0] for text in texts] == ["Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3", "Hint 3 of 3"]
    assert repr(hint("02.context")).startswith("Hint 1 of 3 for 02.context: ")
    assert all(len(set(exercise.hints)) == 3 for exercise in EXERCISES.values())


def test_status_tells_the_course():
    assert repr(status()).splitlines()[0] == f"0 of {len(EXERCISES)} exercises passed"
    check("02.context", EXERCISES["02.context"].solution)
    first, *lines = repr(status()).splitlines()
    assert first == f"1 of {len(EXERCISES)} exercises passed"
    assert [line.split()[:2] for line in lines] == [["✓" if name == "02.context" else "·", name] for name in EXERCISES]
    assert all(line.endswith(f"  {EXERCISES[name].title}") for line, name in zip(lines, EXERCISES, strict=True))


def test_passing_again_keeps_the_first_day(home):
    home.mkdir()
    (home / "progress.json").write_text('{"02.context": "2020-02-29"}')
    assert check("02.context", EXERCISES["02.context"].solution)
    assert json.loads((home / "progress.json").read_text()) == {"02.context": "2020-02-29"}


@pytest.mark.parametrize("content", [b"", b'{"02.add', b"[1]", b'{"02.additive": 3}', b"\xff\xfe\x00", b"null"])
def test_damaged_file_is_set_aside(home, content):
    home.mkdir()
    (home / "progress.json").write_bytes(content)
    assert "damaged" in repr(status())
    assert (home / "progress.json.damaged").read_bytes() == content
    assert "damaged" not in repr(status())
    (home / "progress.json").write_bytes(content)
    verdict = check("02.additive", EXERCISES["02.additive"].solution)
    assert verdict
    assert "set aside" in verdict.message
    assert list(json.loads((home / "progress.json").read_text())) == ["02.additive"]


def test_folder_that_cannot_be_written(home):
    home.write_text("a file where the folder should be")
    verdict = check("02.additive", EXERCISES["02.additive"].solution)
    assert verdict
    assert "cannot be kept" in verdict.message
    assert not status().passed["02.additive"]


def test_a_write_that_fails_leaves_the_old_file(home, monkeypatch):
    check("02.context", EXERCISES["02.context"].solution)
    before = (home / "progress.json").read_text()
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    assert "disk full" in check("02.additive", EXERCISES["02.additive"].solution).message
    assert (home / "progress.json").read_text() == before
    assert [file.name for file in home.iterdir()] == ["progress.json"]


def test_threads_do_not_lose_each_others_progress(home):
    names = [f"{n:02}.thread" for n in range(24)]
    threads = [Thread(target=lambda part=part: [exercises.progress.remember(name) for name in part])
               for part in (names[::2], names[1::2])]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sorted(json.loads((home / "progress.json").read_text())) == names
