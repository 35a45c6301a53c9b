"""What the lessons ask before they show: each lesson has a TOML file here, beside its exercises.

A table of such a file is a question, "04.lookup" is the table ``lookup`` of ``l04_query_key_value.toml``. It holds the
``question`` and either its ``choices``, {text: why it is right or what its mistake is}, with the right one as
``answer``; or the number that is the ``answer``, how ``close`` a guess must come, its ``unit``, and ``why`` it is so.
``then`` holds the texts that stand beside the picture afterwards. What only the lesson can measure stands in the
lesson. So nobody reads an answer in the cell that asks for it, not even where that cell cannot be folded.
"""

import tomllib
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from pathlib import Path

_FILES = {path.stem[1:].partition("_")[0]: path for path in sorted(Path(__file__).parent.glob("l[0-9]*.toml"))}


@cache
def of_lesson(lesson: str) -> dict[str, dict]:
    """{name: question} of one lesson, as "04" or "04a", in the order of its file; nothing where it asks nothing."""
    text = _FILES[lesson].read_text(encoding="utf-8") if lesson in _FILES else ""
    return {f"{lesson}.{word}": question for word, question in tomllib.loads(text).items()}


def all_questions() -> dict[str, dict]:
    """{name: question} of all lessons, in their order."""
    return {name: question for lesson in _FILES for name, question in of_lesson(lesson).items()}


def question(name: str) -> dict:
    """The question of this name. Raises ValueError where there is none, with the names that are like it."""
    found = of_lesson(name.partition(".")[0])
    if name not in found:
        raise ValueError(f'expected the name of a guess, as "04.lookup"; got {name!r}{meant(name, all_questions())}')
    return found[name]


def meant(name: str, known: Iterable[str]) -> str:
    """A hint which of the ``known`` names was meant: those that are like this one, else those of its lesson."""
    lesson = name.partition(".")[0] + "."
    near = get_close_matches(name, known, n=3, cutoff=0.5) or [one for one in known if one.startswith(lesson)]
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
