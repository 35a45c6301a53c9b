"""The glossary: each term is explained where it says, and its links lead there."""

import re
from urllib.parse import unquote

import nbformat
import pytest

from lessons import build, glossary
from lessons.glossary import TERMS


def words(cell) -> str:
    """What is read in a cell: its source, and what it asks."""
    asked = [output.get("data", {}).get("text/markdown", "") for output in cell.get("outputs", [])]
    return "\n".join([cell.source, *asked])


def section(term) -> str:
    """Heading, text, code and questions of the section that a term names; as the notebook has it. "" without one."""
    notebook = nbformat.read(build.LESSONS / f"{glossary.source(term.lesson).stem}.ipynb", 4)
    lines = [(cell.cell_type, line) for cell in notebook.cells for line in words(cell).splitlines()]
    found, depth = [], 0
    for kind, line in lines:
        heading = re.match(r"(#+) (.*)$", line) if kind == "markdown" else None
        if heading and depth and len(heading[1]) <= depth:
            break
        if heading and heading[2] == term.heading:
            depth = len(heading[1])
        if depth:
            found.append(line)
    return " ".join(" ".join(found).replace("_", " ").replace("*", "").split()).lower()


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.word)
def test_a_term_is_explained_where_it_says(term):
    text = section(term)
    assert text, "no such section"
    assert [word for word in term.word.lower().split(", ") if word not in text] == []


def test_terms_are_in_order_and_stand_once():
    words = [term.word.lower() for term in TERMS]
    assert words == sorted(set(words))


def test_the_page_is_what_the_table_gives_and_its_links_lead_somewhere():
    assert build.glossary_in_step()
    [cell] = nbformat.read(glossary.PAGE, 4).cells
    links = re.findall(r"\]\((\w+)\.ipynb#([^)]+)\)", cell.source)
    assert len(links) == len(TERMS)
    for (slug, anchor), term in zip(links, TERMS, strict=True):
        assert (build.LESSONS / f"{slug}.ipynb").exists()
        assert unquote(anchor) == term.heading.replace(" ", "-")


def test_each_lesson_links_to_it():
    for _, target in build.pairs():
        assert "[Glossary](glossary.ipynb)" in nbformat.read(target, 4).cells[0].source
