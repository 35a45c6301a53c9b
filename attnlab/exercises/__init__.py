"""Exercises that name the mistake: ``check`` a solution, ask for a ``hint``, see the ``status`` of the course."""

import html
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

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
    l11a_what_has_changed,
    l11b_looking_inside,
    l12_cost,
    l13_seeing,
    l14_glimpses,
    l15_vision_transformer,
    l16_pretraining,
    l17_real_models,
    progress,
)
from attnlab.exercises.exercise import Exercise, Mistake, Verdict, judge, wrapped
from attnlab.exercises.exported import EXERCISE, export, read
from attnlab.exercises.guesses import meant
from attnlab.exercises.questions import QUESTIONS, WHEN, answers

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
        *l11a_what_has_changed.EXERCISES,
        *l11b_looking_inside.EXERCISES,
        *l12_cost.EXERCISES,
        *l13_seeing.EXERCISES,
        *l14_glimpses.EXERCISES,
        *l15_vision_transformer.EXERCISES,
        *l16_pretraining.EXERCISES,
        *l17_real_models.EXERCISES,
    ]
}

__all__ = [
    "EXERCISES",
    "Exercise",
    "Hints",
    "Mistake",
    "Status",
    "Verdict",
    "check",
    "export",
    "hint",
    "status",
    "take_in",
]


@dataclass(frozen=True)
class Hints:
    """The hints for one exercise. A notebook shows them folded, each to be opened when it is wanted, below the task in
    full; ``hints[0]`` is the text of the first."""

    name: str
    texts: tuple[str, ...]
    task: str
    stub: str

    def __getitem__(self, number: int) -> str:
        return self.texts[number]

    def __repr__(self) -> str:
        return f'{len(self.texts)} hints for {self.name}, one at a time: hint("{self.name}")[0] is the first'

    def _repr_html_(self) -> str:
        paragraphs = (f"<p>{_with_code(text)}</p>" for text in self.task.split("\n\n"))
        task = "\n".join([f"<pre>{html.escape(self.stub.strip())}</pre>", *paragraphs])
        hints = (
            f"<details><summary>Hint {number} of {len(self.texts)}</summary>\n<p>{_with_code(text)}</p></details>"
            for number, text in enumerate(self.texts, start=1)
        )
        return "\n".join([f"<details><summary>The task in full</summary>\n{task}</details>", *hints])


@dataclass(frozen=True)
class Status:
    """The course at a glance: a line for each lesson with its exercises, those passed with a sign.

    ``before`` are passed ones that are no exercise any more, with their day; ``answered`` says how many of the six
    questions have an answer before and after the course; ``note`` is a message about the progress file.
    """

    passed: dict[str, bool]
    before: dict[str, str] = field(default_factory=dict)
    answered: dict[str, int] = field(default_factory=dict)
    note: str = ""

    def __repr__(self) -> str:
        lessons: dict[str, list[str]] = {}
        for name, done in self.passed.items():
            lesson, _, short = name.partition(".")
            lessons.setdefault(lesson, []).append(f"{'✓' if done else '·'} {short}")
        lines = [f"{sum(self.passed.values())} of {len(self.passed)} exercises passed"]
        lines += [f"{lesson}  {'  '.join(marks)}" for lesson, marks in lessons.items()]
        if self.before:
            lines.append(wrapped(f"passed before, no exercise any more: {', '.join(self.before)}"))
        if any(self.answered.values()):
            told = ", ".join(f"{count} {when} the course" for when, count in self.answered.items())
            lines.append(f"of the {len(QUESTIONS)} questions answered: {told}")
        return "\n".join([*lines, *([self.note] if self.note else [])])


def check(name: str, solution: object) -> Verdict:
    """Compares a solution with the exercise's spec and names the mistake. A pass is remembered.

    Raises ValueError for an exercise that does not exist; nothing for a wrong solution.
    """
    verdict = judge(_exercise(name), solution)
    if not verdict:
        return verdict
    note = progress.remember(name)
    return Verdict(name, verdict.state, f"{verdict.message}\n{note}") if note else verdict


def hint(name: str) -> Hints:
    """The exercise's task in full and its hints, none of them told yet. ValueError for an unknown exercise."""
    exercise = _exercise(name)
    return Hints(name, exercise.hints, exercise.statement, exercise.stub)


def _with_code(text: str) -> str:
    """HTML of a text in which code stands between backticks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


def status() -> Status:
    """The course so far: all exercises and which of them are passed, and whether the six questions are answered."""
    known, note = progress.passed()
    older = {name: day for name, day in known.items() if EXERCISE.match(name) and name not in EXERCISES}
    answered = {when: len(answers(when)) for when in WHEN}
    return Status({name: name in known for name in EXERCISES}, older, answered, note)


def take_in(file: str | Path) -> Status:
    """Adds what a file of `export` holds, from another machine or another day, and returns the course as it is then.

    What is known here already stays, a first guess above all. Raises ValueError for a file that `export` has not
    written, with what is wrong with it.
    """
    try:
        found = read(Path(file))
    except ValueError as error:
        raise ValueError(f"expected a file that export() has written, got {str(file)!r}: {error}") from None
    message = progress.add(found)
    course = status()
    return replace(course, note=message or course.note)


def _exercise(name: str) -> Exercise:
    if not isinstance(name, str):
        raise TypeError('expected the name of an exercise first, as "04.attend", and then your function')
    if name in EXERCISES:
        return EXERCISES[name]
    raise ValueError(f'expected the name of an exercise, as "04.attend"; got {name!r}{meant(name, EXERCISES)}')
