"""BeamTree: its nodes make a tree, every node has a place of its own, and the tree says in words what it shows."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_nodes import NODES, node
from traitlets import TraitError

from widgets.instruments.beam_tree.beam_tree import ABOVE, BELOW, BeamTree, arrange, finite, increasing


@st.composite
def searches(draw):
    """Nodes of some beam search: every step drops, keeps and finishes."""
    nodes, kept, id = [], [(-1, 0.0)], 0
    for step in range(1, draw(st.integers(1, 7)) + 1):
        grown = []
        for parent, log_probability in kept:
            for _ in range(draw(st.integers(1, 3))):
                status = draw(st.sampled_from(["kept", "dropped", "finished"]))
                total = log_probability - draw(st.floats(0.01, 5))
                nodes.append(node(id, parent, step, "x", total, status))
                grown += [(id, total)] if status == "kept" else []
                id += 1
        kept = grown[:5]
        if not kept:
            break
    return nodes


def test_text_follows_the_path_and_leaves_out_the_end_mark():
    tree = BeamTree(NODES, best=5)
    assert tree.text(5) == "el espacio"
    assert tree.text(7) == "el espacio europeo"
    assert [n["id"] for n in tree.path(6)] == [0, 3, 6]
    assert BeamTree(NODES, separator="").text(2) == "elespacio"


def test_name_in_words_is_stable():
    tree = BeamTree(NODES, best=5, greedy=[0, 3, 6])
    assert repr(tree) == (
        "beam tree: 3 steps, 4 kept, 3 dropped, 1 finished; best “el espacio” with score −0.37; "
        "greedy leaves the beam at step 3"
    )
    tree.step = 1
    tree.best = -1
    assert repr(tree) == "beam tree: 1 step, 2 kept"
    assert repr(BeamTree()) == "beam tree: empty"


@given(searches())
def test_no_two_nodes_overlap_and_no_two_edges_cross(nodes):
    placed = {n["id"]: n for n in arrange(nodes)}
    for step in {n["step"] for n in nodes}:
        column = sorted((n for n in placed.values() if n["step"] == step), key=lambda n: n["y"])
        for upper, lower in itertools.pairwise(column):
            assert lower["y"] - ABOVE[lower["status"]] >= upper["y"] + BELOW[upper["status"]] - 1
        parents = [placed[n["parent"]]["y"] if n["parent"] >= 0 else 0 for n in column]
        assert parents == sorted(parents)


@given(searches())
def test_the_picture_is_hardly_higher_than_its_fullest_column(nodes):
    placed = arrange(nodes)
    fullest = max(
        sum(ABOVE[n["status"]] + BELOW[n["status"]] for n in nodes if n["step"] == step)
        for step in {n["step"] for n in nodes}
    )
    assert min(n["y"] - ABOVE[n["status"]] for n in placed) == pytest.approx(0, abs=0.5)
    assert max(n["y"] + BELOW[n["status"]] for n in placed) <= 1.25 * fullest + 1


def test_places_do_not_depend_on_how_far_the_search_is_unrolled():
    tree = BeamTree(NODES, step=1)
    before = [n["y"] for n in tree.nodes]
    tree.step = 3
    assert [n["y"] for n in tree.nodes] == before


def test_a_lonely_path_is_straight():
    chain = [node(i, i - 1, i + 1, "x", -0.1 * (i + 1)) for i in range(7)]
    assert len({n["y"] for n in arrange(chain)}) == 1


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(0.1, 50)), min_size=1, max_size=9))
def test_increasing_keeps_order_and_weighted_mean(pairs):
    values, weights = map(list, zip(*pairs, strict=True))
    result = increasing(values, weights)
    assert all(a <= b + 1e-9 for a, b in itertools.pairwise(result))
    mean = sum(v * w for v, w in zip(values, weights, strict=True))
    assert sum(r * w for r, w in zip(result, weights, strict=True)) == pytest.approx(mean, abs=1e-6)
    if values == sorted(values):
        assert result == values


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([{"id": 0}], "got none of parent"),
        ([1], "a dict for each, got 1"),
        ([node(0, -1, 1, "a", -1.0, "lost")], "status of kept.*'lost'"),
        ([node(0, -1, 1, "a", math.nan)], "NaN in node 0"),
        ([node(0, -1, 1, "a", -1.0), node(0, -1, 1, "b", -1.0)], "got 0 twice"),
        ([node(0, 5, 2, "a", -1.0)], "got parent 5"),
        ([node(0, -1, 2, "a", -1.0)], "step 2, got parent -1"),
    ],
)
def test_nodes_that_make_no_tree_are_refused(nodes, message):
    with pytest.raises(TraitError, match=message):
        BeamTree(nodes)


def test_minus_infinity_can_travel():
    tree = BeamTree([node(0, -1, 1, "a", -math.inf, "dropped", score=-math.inf)])
    assert finite(tree.nodes)[0]["log_probability"] is None
    assert "1 dropped" in repr(tree)
