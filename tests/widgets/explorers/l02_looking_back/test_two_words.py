"""TwoWordsExplorer: sentences of two words, small enough for a pencil."""

import math

import pytest
from explorers import drive

from widgets.base.words import plain
from widgets.explorers.l02_looking_back.two_words import TwoWordsExplorer


def found(explorer):
    tree = explorer.parts["tree"]
    return tree.text(tree.best), math.exp(tree.score)


def test_by_pencil():
    explorer = TwoWordsExplorer()
    drive(explorer)
    assert found(explorer) == ("B x", pytest.approx(0.4 * 0.9))
    assert plain(explorer.parts["caption"].sentence) == (
        "Greedy search begins with the likelier word and writes “A x”, a sentence with a chance of 21\u202f%. "
        "A beam of 2 finds “B x” with 36\u202f%."
    )
    explorer.width = 1
    assert found(explorer) == ("A x", pytest.approx(0.6 * 0.35))


def test_from_where_on_greedy_search_is_right():
    """0.35 p is as much as 0.9 (1 - p) where p is 0.72; where B is the likelier word, it is right as well."""
    explorer = TwoWordsExplorer()
    wrong = []
    for first in explorer.positions("first"):
        explorer.first = first
        if (
            found(explorer)[1]
            > math.exp(next(n["score"] for n in explorer.result.nodes if n["id"] == explorer.result.greedy[-1])) + 1e-6
        ):
            wrong.append(first)
    assert wrong == [0.5, 0.55, 0.6, 0.65, 0.7]


def test_a_word_without_a_chance_is_not_in_the_tree():
    nodes = TwoWordsExplorer().parts["tree"].nodes
    assert all(math.isfinite(node["log_probability"]) for node in nodes)
    assert sorted(node["token"] for node in nodes if node["step"] == 1) == ["A", "B"]
