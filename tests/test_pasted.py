"""No exercise is solved by a function that its page shows above it."""

import nbformat
import pytest
from pasted import passes, pasted

from attnlab.exercises import EXERCISES
from lessons import build

# Exercises that a function of their page still solves. None may be added; one that is not solved any more must leave.
STILL_SOLVED: dict[str, set[str]] = {}


@pytest.mark.parametrize("source", [source for source, _ in build.pairs()], ids=lambda source: source.stem)
def test_nothing_on_the_page_solves_an_exercise(source):
    solved = {}
    for name, function, found in pasted(build.lesson(source)):
        if passes(EXERCISES[name], found):
            solved.setdefault(name, set()).add(function)
    lesson = source.stem.partition("_")[0]
    listed = {name: names for name, names in STILL_SOLVED.items() if name.partition(".")[0] == lesson}
    assert solved == listed


def test_another_order_and_a_part_of_a_tuple_are_tried():
    exercise = EXERCISES["03.general"]

    def shown(key, W, query):
        return query, query @ W.mT @ key.mT

    assert passes(exercise, shown) == "arguments (1, 2, 0), part 1"
    assert not passes(exercise, lambda key, W, query: shown(key, W, query)[1] + 1)


def test_only_what_stands_above_is_tried():
    cells = ["size = 3", "def above(x):\n    return x * size", "def f(x):\n    ...\ncheck('a', f)", "def below(x): ..."]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    [(exercise, name, function)] = pasted(notebook)
    assert (exercise, name, function(5)) == ("a", "above", 15)


def test_an_exercise_that_is_folded_up_is_tried_too():
    cells = [
        nbformat.v4.new_code_cell("def above(x):\n    return x"),
        nbformat.v4.new_markdown_cell('For another day. `check("a", ...)` and `check("b", f)` name the mistake.'),
    ]
    assert [(exercise, name) for exercise, name, _ in pasted(nbformat.v4.new_notebook(cells=cells))] == [
        ("a", "above"),
        ("b", "above"),
    ]
