"""What an exercise is, and how a learner's function is compared with it until the mistake has a name.

A loop-written spec says what is right. The bank of wrong solutions says what goes wrong in practice: a function that
returns just what one of them returns has made its mistake.
"""

import dis
import textwrap
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from inspect import signature

import torch
from torch import Tensor

from attnlab.exercises import diagnoses

Inputs = tuple


@dataclass(frozen=True)
class Mistake:
    """A wrong solution, and what to say to somebody who wrote it."""

    message: str
    function: Callable[..., Tensor]


@dataclass(frozen=True)
class Exercise:
    """One exercise.

    ``stub`` is the source that a learner fills in, ``axes`` names the axes of its result. ``inputs()`` are ordinary
    inputs, by which a mistake is named; ``edges()`` are inputs on which an otherwise right solution may fail.
    ``diagnoses`` look at a wrong result that is in no bank: ``(result, *inputs)`` to a message or None.
    ``afterwards`` looks at the inputs when the result is right, for what the result does not show: how often a model
    among them was asked. ``(*inputs)`` to a message or None.
    ``has_gradients``: False where gradients are not compared: nothing learns from the result, or all inputs keep a
    condition, such as rows that sum to 1, which a right solution may make use of, and its gradients are then others.
    """

    name: str
    title: str
    statement: str
    axes: str
    stub: str
    hints: tuple[str, str, str]
    solution: Callable[..., Tensor]
    spec: Callable[..., Tensor]
    inputs: Callable[[], list[Inputs]]
    edges: Callable[[], list[Inputs]]
    mistakes: tuple[Mistake, ...]
    diagnoses: tuple[Callable[..., str | None], ...] = ()
    afterwards: Callable[..., str | None] = lambda *inputs: None
    has_gradients: bool = True


@dataclass(frozen=True)
class Failure:
    """Why there is no result to compare."""

    message: str


@dataclass(frozen=True)
class Verdict:
    """``state`` is "passed", "wrong" or "not written"; ``message`` says why. True when passed."""

    name: str
    state: str
    message: str

    def __bool__(self) -> bool:
        return self.state == "passed"

    def __repr__(self) -> str:
        sign = {"passed": "✓", "wrong": "✗", "not written": "–"}[self.state]
        return wrapped(f"{sign} {self.name}: {self.message}")


def wrapped(text: str, width: int = 88) -> str:
    """Text in lines that fit a narrow notebook, broken between words."""
    return "\n".join(textwrap.fill(line, width, break_on_hyphens=False) for line in text.splitlines())


def judge(exercise: Exercise, function: object) -> Verdict:
    """Whether a learner's function is right, and if not, what its mistake is. Raises nothing."""
    if not callable(function):
        return Verdict(
            exercise.name,
            "wrong",
            f"expected your function, got {type(function).__name__}; leave out the brackets behind its name",
        )
    first = _attempt(exercise, function, exercise.inputs()[0])
    if _not_written(function, first):
        return Verdict(exercise.name, "not written", "not written yet")
    cases = _cases(exercise, edges=True)
    compares_gradients = exercise.has_gradients and any(map(_is_float, cases[0]))
    message = _wrong_values(exercise, function)
    if not message and compares_gradients:
        message = _wrong_gradients(exercise, function)
    if message:
        return Verdict(exercise.name, "wrong", message)
    gradients = ", gradients too" if compares_gradients else ""
    return Verdict(exercise.name, "passed", f"right, on {len(cases)} inputs of different sizes{gradients}")


def _cases(exercise: Exercise, edges: bool) -> list[Inputs]:
    return [*exercise.inputs(), *exercise.edges()] if edges else exercise.inputs()


@cache
def _right(exercise: Exercise) -> list[list[Tensor]]:
    """For all inputs and then all edges what the spec returns, and its gradients. Kept: loops take their time."""
    return [_with_gradients(exercise.spec, inputs) for inputs in _cases(exercise, edges=True)]


def _wrong_values(exercise: Exercise, function: Callable) -> str | None:
    for edges in (False, True):
        cases = _cases(exercise, edges)
        results = [_attempt(exercise, function, inputs) for inputs in cases]
        misuse = next((_misuse(exercise, result) for result in results if _misuse(exercise, result)), None)
        if misuse:
            return misuse
        found = [result for result in results if isinstance(result, Tensor)]  # all of them
        expected = [result for result, *_ in _right(exercise)[: len(cases)]]
        wrong = next((i for i, result in enumerate(found) if not _equal(result, expected[i])), None)
        if wrong is not None:
            return (
                _named(exercise, found, edges)
                or _diagnosed(exercise, found[wrong], expected[wrong], cases[wrong])
                or _difference(exercise, found[wrong], expected[wrong], cases[wrong])
            )
        said = next(filter(None, (exercise.afterwards(*inputs) for inputs in cases)), None)
        if said:
            return said
    return None


@cache
def _results_of(exercise: Exercise, wrong: Callable[..., Tensor], edges: bool, gradients: bool) -> list[Tensor] | None:
    """What a wrong solution returns, and its gradients where they are asked for; None where it fails, as it may on a
    shape that another one survives. Kept: a learner's function is compared with all of them at each try."""
    try:
        if gradients:
            return [part for inputs in _cases(exercise, edges) for part in _with_gradients(wrong, inputs)]
        return [wrong(*_copy(inputs)) for inputs in _cases(exercise, edges)]
    except (RuntimeError, ValueError, IndexError):
        return None


def _wrong_gradients(exercise: Exercise, function: Callable) -> str | None:
    cases = _cases(exercise, edges=True)
    names = [
        name for name, value in zip(signature(exercise.solution).parameters, cases[0], strict=True) if _is_float(value)
    ]
    try:
        found = [_with_gradients(function, inputs) for inputs in cases]
    except Exception as error:
        if "modified by an inplace operation" in str(error):
            return (
                "the numbers are right, but a tensor that the gradients need was changed in place: make a new one, "
                "with `y = y + x` for `y += x`, or masked_fill for `y[...] = 0`"
            )
        return f"the numbers are right, but asked for gradients your function raised {_error_message(error, function)}"
    for one, other in zip(found, _right(exercise), strict=True):
        for name, gradient, wanted in zip(["", *names], one, other, strict=True):
            if not _equal(gradient, wanted):
                flat = [part for parts in found for part in parts]
                return _named(exercise, flat, edges=True, gradients=True) or _gradient_message(name, gradient)
    return None


def _gradient_message(name: str, gradient: Tensor) -> str:
    if gradient.any():
        return f"the numbers are right, but the gradient with respect to `{name}` is not"
    return (
        f"the numbers are right, but no gradient reaches `{name}`, so nothing could be learned: stay within torch, "
        "without detach, item, tolist, numpy or a new tensor made of numbers"
    )


def _attempt(exercise: Exercise, function: Callable, inputs: Inputs) -> object:
    """What the function returns; in place of it a failure when it raised or changed its inputs."""
    given = _copy(inputs)
    try:
        with torch.no_grad():
            result = function(*given)
    except NotImplementedError as error:
        return error
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"your function had not come back yet {_sizes(exercise, inputs)}") from None
    except Exception as error:
        return Failure(f"your function raised {_error_message(error, function)} {_sizes(exercise, inputs)}")
    for name, before, after in zip(signature(exercise.solution).parameters, inputs, given, strict=True):
        if isinstance(before, Tensor) and not torch.equal(before, after):
            return Failure(f"your function changed `{name}` in place; its caller still needs it: make a new tensor")
    return result


def _misuse(exercise: Exercise, result: object) -> str | None:
    if isinstance(result, Failure):
        return result.message
    if result is None:
        return "your function returned None: is the `return` missing?"
    if type(result).__module__ == "numpy":
        return "your function returned a NumPy array, through which no gradient flows; stay within torch"
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return (
            f"expected a tensor {exercise.axes}, got {type(result).__name__} with {', '.join(result._fields)}: "
            "return the one of them that is asked for"
        )
    if not isinstance(result, Tensor):
        return f"expected a tensor {exercise.axes}, got {type(result).__name__}"
    if result.is_complex() or result.layout is not torch.strided or result.device.type != "cpu":
        return (
            "expected an ordinary tensor of real numbers on the CPU, as the inputs are; got one of "
            f"{result.dtype}, {result.layout}, on {result.device}"
        )
    return None


def _not_written(function: Callable, result: object) -> bool:
    """A stub reads none of its arguments and returns nothing."""
    if result is ... or isinstance(result, NotImplementedError):
        return True
    code = getattr(function, "__code__", None)
    return (
        result is None
        and code is not None
        and not any(
            step.opname.startswith("LOAD_FAST") or step.opname == "LOAD_DEREF" for step in dis.get_instructions(code)
        )
    )


def _named(exercise: Exercise, found: list[Tensor], edges: bool, gradients: bool = False) -> str | None:
    for mistake in exercise.mistakes:
        made = _results_of(exercise, mistake.function, edges, gradients)
        if made is not None and all(map(_equal, found, made)):
            return mistake.message
    return None


def _diagnosed(exercise: Exercise, result: Tensor, expected: Tensor, inputs: Inputs) -> str | None:
    if result.shape != expected.shape:
        return (
            f"expected the shape {exercise.axes} = {list(expected.shape)}, got {list(result.shape)} "
            f"{_sizes(exercise, inputs)}{diagnoses.axes(result, expected)}"
        )
    if result.dtype != expected.dtype and torch.bool in (result.dtype, expected.dtype):
        return f"expected a tensor of {expected.dtype}, got {result.dtype}"
    if result.dtype in (torch.float16, torch.bfloat16):
        return f"your numbers are of {result.dtype}, too coarse to compare: stay with {expected.dtype} as in the inputs"
    if result.is_floating_point() and not expected.is_floating_point():
        broken = ~torch.isclose(result, result.round(), rtol=0, atol=1e-3)
        if broken.any():
            return f"expected whole numbers, and some of yours are none: {result[broken][0].item():g}, for example"
        result = result.round()
    result = result.to(expected.dtype)
    said = (diagnosis(result, *inputs) for diagnosis in exercise.diagnoses)
    return next(filter(None, said), None) or diagnoses.pattern(result, expected)


def _difference(exercise: Exercise, result: Tensor, expected: Tensor, inputs: Inputs) -> str:
    close = _close(result, expected)
    place = (~close).nonzero()[0].tolist()
    wanted, got = (value[tuple(place)].item() for value in (expected, result))
    numbers = f"{wanted:.4f}, got {got:.4f}" if expected.is_floating_point() else f"{wanted}, got {got}"
    return (
        f"{int((~close).sum())} of {close.numel()} numbers differ; at {place} expected {numbers} "
        f"{_sizes(exercise, inputs)}"
    )


def _with_gradients(function: Callable, inputs: Inputs) -> list[Tensor]:
    """The result, and the gradients of a fixed mixture of its numbers; zero where none arrives."""
    given = [value.requires_grad_() if _is_float(value) else value for value in _copy(inputs)]
    learned = [value for value in given if _is_float(value)]
    result = function(*given)
    mixture = (result * torch.linspace(-1, 2, result.numel()).reshape(result.shape)).sum()
    if not mixture.requires_grad:
        return [result, *map(torch.zeros_like, learned)]
    return [result.detach(), *torch.autograd.grad(mixture, learned, allow_unused=True, materialize_grads=True)]


def _equal(found: Tensor, expected: Tensor) -> bool:
    if found.shape != expected.shape or (found.dtype == torch.bool) != (expected.dtype == torch.bool):
        return False
    return bool(_close(found, expected).all())


def _close(found: Tensor, expected: Tensor) -> Tensor:
    """Which numbers agree: measured ones nearly, whole ones to the last, but for what a float32 rounds."""
    if expected.is_floating_point():
        return torch.isclose(found.to(expected.dtype), expected, rtol=1e-4, atol=1e-5, equal_nan=True)
    rounding = 1e-7 if found.is_floating_point() else 0.0
    return torch.isclose(found.double(), expected.double(), rtol=rounding, atol=1e-5)


def _copy(inputs: Inputs) -> list:
    return [value.clone() if isinstance(value, Tensor) else value for value in inputs]


def _is_float(value: object) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def _sizes(exercise: Exercise, inputs: Inputs) -> str:
    named = zip(signature(exercise.solution).parameters, inputs, strict=True)
    sizes = [
        f"{name} {list(value.shape) if isinstance(value, Tensor) else value}"
        for name, value in named
        if isinstance(value, Tensor | int)
    ]
    return f"(with {', '.join(sizes)})"


def _error_message(error: Exception, function: Callable) -> str:
    """The error, and the line of the function itself where it happened."""
    text = str(error).strip().partition("\n")[0]
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    lines = [frame.line for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file and frame.line]
    return f"{type(error).__name__}: {text[:200]}" + (f" at `{lines[-1]}`" if lines else "")
