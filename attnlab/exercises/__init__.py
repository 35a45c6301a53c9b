"""Exercises that name the mistake: ``check`` a solution, ask for a ``hint``, see the ``status`` of the course."""

from collections import Counter
from dataclasses import dataclass

from attnlab.exercises import (
    l00_start_here,
    l01_bottleneck,
    l02_looking_back,
    l03_alignment,
    l04_query_key_value,
    l05_self_attention,
    l06_masks,
    l07_positions,
    l08_many_heads,
    l09_block,
    l10_transformer,
    l11_small_gpt,
    l12_cost,
    l13_seeing,
    l14_glimpses,
    l15_vision_transformer,
    l17_real_models,
    progress,
)
from attnlab.exercises.exercise import Exercise, Mistake, Verdict, judge, wrapped

EXERCISES: dict[str, Exercise] = {
    exercise.name: exercise
    for exercise in [
        *l00_start_here.EXERCISES,
        *l01_bottleneck.EXERCISES,
        *l02_looking_back.EXERCISES,
        *l03_alignment.EXERCISES,
        *l04_query_key_value.EXERCISES,
        *l05_self_attention.EXERCISES,
        *l06_masks.EXERCISES,
        *l07_positions.EXERCISES,
        *l08_many_heads.EXERCISES,
        *l09_block.EXERCISES,
        *l10_transformer.EXERCISES,
        *l11_small_gpt.EXERCISES,
        *l12_cost.EXERCISES,
        *l13_seeing.EXERCISES,
        *l14_glimpses.EXERCISES,
        *l15_vision_transformer.EXERCISES,
        *l17_real_models.EXERCISES,
    ]
}

__all__ = ["EXERCISES", "Exercise", "Hint", "Mistake", "Status", "Verdict", "check", "hint", "status"]

_asked: Counter[str] = Counter()


@dataclass(frozen=True)
class Hint:
    """One hint: its number, from 1, of how many, and its text."""

    name: str
    number: int
    of: int
    text: str

    def __repr__(self) -> str:
        return wrapped(f"Hint {self.number} of {self.of} for {self.name}: {self.text}")


@dataclass(frozen=True)
class Status:
    """For each exercise its title and whether it is passed; ``note`` is a message about the progress file."""

    passed: dict[str, bool]
    note: str = ""

    def __repr__(self) -> str:
        width = max(map(len, self.passed))
        lines = [
            f"{'✓' if done else '·'} {name:{width}}  {EXERCISES[name].title}" for name, done in self.passed.items()
        ]
        return "\n".join([
            f"{sum(self.passed.values())} of {len(self.passed)} exercises passed",
            *lines,
            *([self.note] if self.note else []),
        ])


def check(name: str, solution: object) -> Verdict:
    """Compares a solution with the exercise's spec and names the mistake. A pass is remembered.

    Raises ValueError for an exercise that does not exist; nothing for a wrong solution.
    """
    verdict = judge(_exercise(name), solution)
    if not verdict:
        return verdict
    note = progress.remember(name)
    return Verdict(name, verdict.state, f"{verdict.message}\n{note}") if note else verdict


def hint(name: str) -> Hint:
    """The next of the exercise's hints; after the last one, the last again. ValueError for an unknown exercise."""
    hints = _exercise(name).hints
    _asked[name] = min(_asked[name] + 1, len(hints))
    return Hint(name, _asked[name], len(hints), hints[_asked[name] - 1])


def status() -> Status:
    """All exercises, and which of them are passed."""
    known, note = progress.passed()
    return Status({name: name in known for name in EXERCISES}, note)


def _exercise(name: str) -> Exercise:
    if name not in EXERCISES:
        raise ValueError(f"expected one of the exercises {', '.join(EXERCISES)}; got {name!r}")
    return EXERCISES[name]
