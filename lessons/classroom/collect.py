"""What a class has handed in, on one page: `python -m lessons.classroom.collect FOLDER`.

Below FOLDER lies a file for each learner: what `export()` writes, under any name, or the `progress.json` of a learner's
folder. The page, `class.html` in that folder or what `--page` says, needs no network: which exercises are passed, what
the six questions were answered before and after the course, what was guessed before each picture. A file that cannot be
read is named on the page, with what to do about it; all others are drawn. With `--no-names` it names nobody.
"""

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

import plotly.graph_objects as go

from attnlab.exercises import EXERCISES, exported
from attnlab.exercises.guesses import all_questions
from attnlab.exercises.progress import guesses_in
from attnlab.exercises.questions import QUESTIONS, WHEN, answers_in
from widgets.base.instrument import COLOURS
from widgets.base.words import plain
from widgets.instruments.predict.predict import runs

DESK = "attnlab-lessons"  # a learner's copy of the lessons
NOBODYS = ("attnlab-progress", DESK, "my_progress", "progress")  # names that say nothing of whose a file is
KINDS = (".json", ".txt")  # mail programs rename the one to the other
MOST_KINDS = 5  # that are told of what was not opened
PAGE = "class.html"
MOST_OTHERS = 30  # questions that no lesson asks any more; each takes a picture
RIGHT = COLOURS["roles"]["value"]["mark"]
_, OTHER, BEFORE, _, AFTER, _ = COLOURS["ramps"]["weights"]["light"]


class Learner(NamedTuple):
    """passed: names of exercises. answers: {"before" or "after": {number: text}}. guesses: {question: guess}."""

    name: str
    passed: set[str]
    answers: dict[str, dict[int, str]]
    guesses: dict[str, str]


def read(file: Path, root: Path) -> Learner:
    """One learner's file. ValueError says in half a sentence what is wrong with it."""
    known = exported.read(file)
    answers = {when: answers_in(known, when) for when in WHEN}
    return Learner(whose(file, root), {name for name in known if name in EXERCISES}, answers, guesses_in(known))


def whose(file: Path, root: Path) -> str:
    """The file's own name, or where that says nothing, the nearest folder's that does."""
    if re.sub(r"[ _-]?\(?\d*\)?$", "", file.stem) not in NOBODYS:  # "(1)" is of a second download
        return file.stem
    folders = [folder for folder in file.relative_to(root).parts[:-1] if folder not in NOBODYS]
    return folders[-1] if folders else file.stem


def handed_in(root: Path) -> Iterator[Path]:
    """The files below a folder that could hold progress. Of a learner's desk on the hub it is the progress alone: what
    was exported there lies beside it."""
    desks = {file.parent.parent for file in root.rglob("progress/progress.json")} - {root}
    for file in sorted(root.rglob("*")):
        folders = file.relative_to(root).parts[:-1]
        if file.is_dir() or file == root / PAGE or any(part.startswith(".") for part in (*folders, file.name)):
            continue  # what is hidden is Jupyter's own
        if DESK in folders and file.suffix.lower() != ".json":
            continue
        if all(file == desk / "progress" / "progress.json" for desk in desks.intersection(file.parents)):
            yield file


def collect(root: Path) -> tuple[list[Learner], list[str]]:
    """All learners below a folder, by name, and a sentence for each file that is none. ValueError for no folder."""
    if not root.is_dir():
        raise ValueError(f"expected the folder with the files of a class, got {str(root)!r}")
    learners, broken, others = [], [], []
    for file in handed_in(root):
        if file.suffix.lower() not in KINDS:
            others.append(file.suffix or file.name)
            continue
        try:
            learners.append(read(file, root))
        except ValueError as error:
            broken.append(f"{file.relative_to(root)}: {error}. Ask for it again; nothing of it is in the pictures.")
    if others:
        kinds = ", ".join(f"{count} {kind}" for kind, count in Counter(others).most_common(MOST_KINDS))
        broken.append(f"Of another kind than {' or '.join(KINDS)}, and not opened: {kinds}.")
    return sorted(learners, key=lambda learner: learner.name), broken


def nameless(learners: list[Learner]) -> list[Learner]:
    """The same learners as "learner 1", "learner 2" ..., in an order that says nothing of who they are."""
    shuffled = random.sample(learners, len(learners))
    return [learner._replace(name=f"learner {number}") for number, learner in enumerate(shuffled, 1)]


# ---- the pictures


def passed(learners: list[Learner]) -> go.Figure:
    """Learners are rows, exercises columns, all of each lesson in which somebody passed one; filled is passed."""
    lessons = {lesson(name) for learner in learners for name in learner.passed}
    names = [name for name in EXERCISES if lesson(name) in lessons]
    grid = [[int(name in learner.passed) for name in names] for learner in learners]
    counts = [sum(column) for column in zip(*grid, strict=True)]
    labels = [f"{name} ({count})" for name, count in zip(names, counts, strict=True)]
    picture = go.Heatmap(
        z=grid,
        x=labels,
        y=numbered([learner.name for learner in learners]),
        colorscale=[[0, "#F4F5FB"], [1, RIGHT]],
        zmin=0,
        zmax=1,
        showscale=False,
        xgap=1,
        ygap=1,
        hovertemplate="%{y}: %{x}<extra></extra>",
    )
    figure = go.Figure(picture, layout={"height": 160 + 24 * len(learners), "width": 200 + 18 * max(12, len(names))})
    figure.update_yaxes(autorange="reversed", dtick=1)
    figure.update_xaxes(tickangle=-90, dtick=1)
    return figure


def lesson(name: str) -> str:
    """The lesson of an exercise or a question, "02" of "02.context"."""
    return name.partition(".")[0]


def numbered(names: list[str]) -> list[str]:
    """The names as labels, each once: who has handed in twice has two rows."""
    seen: Counter = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(escape(name) if seen[name] == 1 else f"{escape(name)}, file {seen[name]}")
    return found


def answered(learners: list[Learner], number: int) -> go.Figure:
    """How many gave each answer to one of the six questions, before and after the course."""
    question = QUESTIONS[number - 1]
    given = {
        when: Counter(one.answers[when][number] for one in learners if number in one.answers[when]) for when in WHEN
    }
    choices = [*question.choices, *sorted(set().union(*given.values()) - set(question.choices))][::-1]
    labels = [f"✓ {escape(choice)}" if choice == question.right else escape(choice) for choice in choices]
    bars = [
        go.Bar(name=f"{when} the course", y=labels, x=[given[when][choice] for choice in choices], orientation="h")
        for when in reversed(WHEN)  # plotly draws from below
    ]
    bars[0].marker.color, bars[1].marker.color = AFTER, BEFORE
    return go.Figure(
        bars, layout={"barmode": "group", "height": 140 + 44 * len(choices), "width": 900, "xaxis": heads(learners)}
    )


def heads(learners: list[Learner]) -> dict:
    """An axis that counts learners, in whole ones."""
    return {"title": "learners", "dtick": max(1, len(learners) // 10)}


def guessed(learners: list[Learner], question: str) -> go.Figure:
    """How many guessed what; a right guess begins with a ✓."""
    given = Counter(one.guesses[question] for one in learners if question in one.guesses)
    guesses = sorted(given, key=lambda guess: given[guess])
    colours = [RIGHT if guess.startswith("✓") else OTHER for guess in guesses]
    bar = go.Bar(
        y=list(map(escape, guesses)), x=[given[guess] for guess in guesses], marker_color=colours, orientation="h"
    )
    return go.Figure(bar, layout={"height": 120 + 30 * len(guesses), "width": 900, "xaxis": heads(learners)})


def lesson_of() -> dict[str, str]:
    """{question: lesson} of all that the lessons ask, in their order."""
    return {plain(runs(asked["question"])): lesson(name) for name, asked in all_questions().items()}


# ---- the page

LOOK = """body { font: 15px system-ui, sans-serif; margin: 2em auto; max-width: 1100px; padding: 0 1em; color: #222; }
h2 { margin-top: 2em; } h3 { margin-bottom: 0; font-weight: 600; } .broken { color: #7F3117; }"""


def page(learners: list[Learner], broken: list[str]) -> str:
    """The whole page as HTML; whatever learners wrote is text in it."""
    parts = [f"<h1>A class of {len(learners)}</h1>"]
    if broken:
        parts.append(f"<p>Could not be read ({len(broken)}):</p><ul class='broken'>{items(broken)}</ul>")
    if any(learner.passed for learner in learners):
        parts += ["<h2>Exercises passed</h2>", drawn(passed(learners))]
    parts += six_questions(learners)
    parts += guesses(learners)
    script = f"<script>{plotly()}</script>" if learners else ""
    return (
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>A class</title>"
        f"<style>{LOOK}</style>{script}</head><body>{''.join(parts)}</body></html>"
    )


def six_questions(learners: list[Learner]) -> list[str]:
    """What the class answered before and after the course; sentences of their own stand side by side."""
    parts = []
    for number, question in enumerate(QUESTIONS, 1):
        said = [
            (one.name, when, one.answers[when][number])
            for one in learners
            for when in WHEN
            if number in one.answers[when]
        ]
        if not said:
            continue
        parts.append(f"<h3>{number}. {escape(question.text)}</h3>")
        if question.choices:
            parts.append(drawn(answered(learners, number)))
        else:
            parts.append(f"<ul>{items(f'{name}, {when}: {text}' for name, when, text in said)}</ul>")
    return ["<h2>Six questions, before and after</h2>", *parts] if parts else []


def guesses(learners: list[Learner]) -> list[str]:
    """What was guessed before the pictures, lesson by lesson; questions that no lesson asks any more stand last."""
    lessons = lesson_of()
    asked = {question for learner in learners for question in learner.guesses}
    others = sorted(asked - lessons.keys())
    parts = []
    for question in [*(question for question in lessons if question in asked), *others[:MOST_OTHERS]]:
        parts += [f"<h3>{lessons.get(question, '')} {escape(question)}</h3>", drawn(guessed(learners, question))]
    if len(others) > MOST_OTHERS:
        parts.append(f"<p>{len(others) - MOST_OTHERS} more questions that no lesson asks were left out.</p>")
    return ["<h2>Guesses, before the picture</h2>", *parts] if parts else []


def items(lines) -> str:
    return "".join(f"<li>{escape(line)}</li>" for line in lines)


def drawn(figure: go.Figure) -> str:
    figure.update_layout(
        template="plotly_white",
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        legend={"orientation": "h", "y": 1.2, "traceorder": "reversed"},
    )
    figure.update_yaxes(automargin=True)
    figure.update_xaxes(automargin=True)
    return figure.to_html(full_html=False, include_plotlyjs=False)


def plotly() -> str:
    from plotly.offline import get_plotlyjs

    return get_plotlyjs()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lessons.classroom.collect", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the files of the class lie, each below it")
    parser.add_argument("--page", type=Path, help=f"what to write ({PAGE} in the folder)")
    parser.add_argument("--no-names", action="store_true", help="a page to show to the class: learner 1, learner 2 ...")
    given = parser.parse_args()
    try:
        learners, broken = collect(given.folder)
    except ValueError as error:
        parser.error(str(error))
    for line in broken:  # names are the learners' own, and may hold what moves a terminal's cursor
        print("".join(sign if sign.isprintable() else "�" for sign in line), file=sys.stderr)
    if not learners:
        print(f"No progress file can be read below {given.folder}: nothing is drawn.", file=sys.stderr)
        return 1
    target = given.page or given.folder / PAGE
    if given.no_names:  # a file's name says whose it is, too
        learners, broken = nameless(learners), []
    try:
        target.write_bytes(page(learners, broken).encode("utf-8", "replace"))
    except OSError as error:
        parser.error(f"{target} cannot be written: {error.strerror}")
    print(f"{len(learners)} learners in {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
