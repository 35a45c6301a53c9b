"""How long a lesson is: words, lines of code, cells, and the minutes they take to read, move, guess and solve.

One question, one sitting: a lesson that does not fit into the limits promises what it cannot keep.
"""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple


class Length(NamedTuple):
    """What a learner has before them. Minutes are an estimate of ours, the same for all lessons."""

    words: int
    lines: int
    cells: int
    minutes: float

    def __str__(self) -> str:
        return f"{self.words} words, {self.lines} visible lines, {self.cells} code cells, {self.minutes:.1f} minutes"


LIMITS = Length(words=1500, lines=130, cells=28, minutes=30.0)


def length(notebook) -> Length:
    """Of a lesson as its source says it, without the cells and lines that the build adds."""
    texts = [visible(cell.source) for cell in notebook.cells if cell.cell_type == "markdown"]
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    words = sum(len(re.findall(r"\w[\w'’.,-]*", text)) for text in texts)
    lines = sum(
        bool(line.strip())
        for cell in code
        if "hide-input" not in cell.metadata.get("tags", [])
        for line in cell.source.splitlines()
    )
    views, guesses, exercises = asked_and_shown([ast.parse(cell.source) for cell in code])
    return Length(words, lines, len(code), words / 200 + lines / 10 + 1.5 * views + guesses + 4 * exercises)


def visible(text: str) -> str:
    """A text without what is folded away and without the addresses of its links."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", re.sub(r"<details>.*?</details>|<!--.*?-->", "", text, flags=re.S))


def asked_and_shown(cells: list[ast.Module]) -> tuple[int, int, int]:
    """Views, guesses and exercises: what is made of the classes of widgets, and calls of `check`."""
    made = [name for tree in cells for name in called(tree)]
    classes = {name for tree in cells for name in views_of(tree)}
    return sum(name in classes for name in made), made.count("guess"), made.count("check")


def called(tree: ast.Module) -> Iterator[str]:
    """The name of each function or class that is called by its bare name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id


def views_of(tree: ast.Module) -> Iterator[str]:
    """The classes that a cell imports from widgets; its functions only make what a class shows."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "widgets":
            yield from (name.name for name in node.names if name.name[0].isupper())


def about(found: Length) -> int:
    """Minutes as a lesson promises them: the nearest five."""
    return 5 * max(1, round(found.minutes / 5))


def problems(found: Length) -> Iterator[str]:
    """What is too long in a lesson, in words."""
    for name, value, most in zip(Length._fields, found, LIMITS, strict=True):
        if round(value, 1) > most:
            yield f"{value:.5g} {name}, at most {most:.5g} allowed: {found}"
