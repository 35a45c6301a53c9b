"""The words of the lessons: one table, `glossary.tsv`, and the page that is written from it.

A term stands with the letter that papers give it, what it means in one line, and the section that explains it. The page
`glossary.ipynb` is written by the build; each lesson links to it. Tests hold that every section is there.
"""

from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import nbformat

LESSONS = Path(__file__).resolve().parent
TABLE = LESSONS / "glossary.tsv"
PAGE = LESSONS / "glossary.ipynb"


class Term(NamedTuple):
    """A word, the letters of papers, its meaning, and where it is explained: a lesson's number and a heading in it."""

    word: str
    letters: str
    meaning: str
    lesson: str
    heading: str


TERMS = [Term(*line.split("\t")) for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]]


def source(lesson: str) -> Path:
    """The source of the lesson of this number."""
    [found] = (LESSONS / "sources").glob(f"{lesson}_*.py")
    return found


def anchor(heading: str) -> str:
    """The address of a heading within its notebook, as Jupyter makes it."""
    return quote(heading.replace(" ", "-"))


def row(term: Term) -> str:
    """A term as a line of the page's table."""
    slug = source(term.lesson).stem
    where = f"[lesson {term.lesson}, *{term.heading}*]({slug}.ipynb#{anchor(term.heading)})"
    letters = f"<br>{term.letters}" if term.letters else ""
    return f"| **{term.word}**{letters} | {term.meaning} | {where} |"


def page(metadata: dict) -> nbformat.NotebookNode:
    """The glossary as a notebook without code; `metadata` names a kernel, for else JupyterLab asks for one."""
    text = "\n".join([
        "# Glossary: what does this word mean?",
        "",
        "The words of the lessons, the letters that papers use for them, and the section that explains each. Axes are "
        "always named in this order: batch, heads, queries, keys, dim. Queries are rows, keys are columns.",
        "",
        "| term, and its letters | in a line | explained in |",
        "|---|---|---|",
        *map(row, TERMS),
    ])
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text, id="cell-000")], metadata=metadata)
