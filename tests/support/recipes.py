"""The recipes of CONTRIBUTING.md, read from the page itself: what is written where, and the commands that follow.

A block stands below a line that ends with its place: "New file `PATH`:", or "In `PATH`, above `START`:" (or below),
where START is how one line of that file begins. A block of `sh` holds commands.
"""

import re
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

PLACE = re.compile(
    r"(?:New file `(?P<new>[^`]+)`|In `(?P<old>[^`]+)`, (?P<side>above|below) `(?P<start>[^`]+)`)(?P<end>:|, empty\.)$"
)


class Step(NamedTuple):
    """One block. `start` is how the line begins that it stands above or below; "" for a new file."""

    path: str
    side: str
    start: str
    text: str


class Recipe(NamedTuple):
    name: str
    steps: list[Step]
    commands: list[str]


def recipes(page: str) -> dict[str, Recipe]:
    """The sections of a page that have blocks, by their headings. ValueError for a block without a place."""
    found: dict[str, Recipe] = {}
    name, place = "", None
    tokens = MarkdownIt().parse(page)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "inline" and before.type == "heading_open":
            name, place = token.content, None
        elif token.type == "inline":
            place = PLACE.search(token.content)
        if token.type not in ("inline", "fence"):
            continue
        recipe = found.setdefault(name, Recipe(name, [], []))
        if token.type == "fence" and token.info == "sh":
            recipe.commands.extend(token.content.splitlines())
        elif token.type == "fence" and place is None:
            raise ValueError(f"{name}: a block without a place: {token.content[:60]!r}")
        elif place and (token.type == "fence" or place["end"] != ":"):
            text = token.content if token.type == "fence" else ""
            recipe.steps.append(Step(place["new"] or place["old"], place["side"] or "new", place["start"] or "", text))
            place = None
    return {name: recipe for name, recipe in found.items() if recipe.steps}


def follow(step: Step, root: Path) -> None:
    """Write one block. ValueError where its place is not there, or not the only one."""
    file = root / step.path
    if step.side == "new":
        if file.exists():
            raise ValueError(f"{step.path} is no new file")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(step.text, encoding="utf-8")
        return
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    there = [number for number, line in enumerate(lines) if line.strip().startswith(step.start.strip())]
    if len(there) != 1:
        raise ValueError(f"{step.path}: expected one line that begins with {step.start!r}, got {len(there)}")
    [at] = there
    lines[at : at + 1] = [step.text, "\n\n", lines[at]] if step.side == "above" else [lines[at], step.text]
    file.write_text("".join(lines), encoding="utf-8")


def missing(command: str, root: Path) -> list[str]:
    """The files that a command names and that are not there."""
    return [word for word in re.findall(r"[\w.-]+(?:/[\w.-]+)+", command) if not (root / word).exists()]
