"""Matrix without a page: shapes, checks, words."""

import json
import warnings

import numpy as np
import pytest
import torch
from traitlets import TraitError

from widgets.base.instrument import pack_array, unpack_array
from widgets.instruments.matrix.matrix import Matrix


def weights(queries=5, keys=7, panels=1, frames=1, seed=0):
    x = np.random.default_rng(seed).random((frames, panels, queries, keys)) ** 3
    return (x / x.sum(-1, keepdims=True)).astype(np.float32)


def test_values_are_stored_with_frames_and_panels():
    assert Matrix(weights()[0, 0]).values.shape == (1, 1, 5, 7)
    assert Matrix(weights(panels=3)[0]).values.shape == (1, 3, 5, 7)
    assert Matrix(weights(panels=3, frames=2)).values.shape == (2, 3, 5, 7)
    tensor = torch.rand(2, 3, requires_grad=True)
    np.testing.assert_array_equal(Matrix(tensor).values[0, 0], tensor.detach().numpy())
    assert Matrix().values is None


@pytest.mark.parametrize(
    ("traits", "expected", "got"),
    [
        ({"query_labels": list("abc")}, "5 labels", "3"),
        ({"key_labels": list("abc")}, "7 labels", "3"),
        ({"panel_names": ["a", "b"]}, "1 names", "2"),
        ({"frame_names": ["a", "b"]}, "1 names", "2"),
        ({"mask": np.ones((3, 3))}, "(5, 7)", "(3, 3)"),
        ({"scores": np.ones((7, 5))}, "(5, 7)", "(7, 5)"),
        ({"values": np.ones(3)}, "2 to 4 axes", "shape (3,)"),
        ({"values": "seven"}, "an array of numbers", "str"),
        ({"frame": 1}, "0 to 0", "1"),
        ({"selected": [0, 5, 0]}, "5 queries", "[0, 5, 0]"),
        ({"selected": [0, -1, -1]}, "7 keys", "[0, -1, -1]"),
        ({"selected": [1]}, "[panel, query, key]", "[1]"),
        ({"current": 5}, "0 to 4", "5"),
        ({"edits": {"0": [0.5, 0.5]}}, "7 weights", "2"),
        ({"edits": {"0": [0.5] * 7}}, "sum to 1", "7 that sum to 3.5"),
        ({"edits": {"five": [1.0]}}, "'3'", "'five'"),
        ({"edits": {"5": [1.0] + [0.0] * 6}}, "5 queries", "'5'"),
        ({"query_order": [0, 1, 2, 3, 3]}, "0 to 4", "[0, 1, 2, 3, 3]"),
        ({"key_order": [0]}, "0 to 6", "[0]"),
        ({"query_groups": [[3, 9, "day"]]}, "stop <= 5", "[3, 9, 'day']"),
        ({"marked": [[4, 6], [4, 7]]}, "within 5 queries and 7 keys", "[4, 7]"),
        ({"marked": [[1]]}, "[query, key]", "[1]"),
        ({"distribution": np.ones(3), "distribution_labels": ["a", "b"]}, "2", "shape (1, 3)"),
    ],
)
def test_a_misfit_quotes_what_was_expected_and_what_came(traits, expected, got):
    matrix = Matrix(weights())
    with pytest.raises(TraitError) as error:
        matrix.show(**traits)
    assert expected in str(error.value)
    assert f"got {got}" in str(error.value)
    with pytest.raises(TraitError):
        Matrix(**{"values": weights(), **traits})


def test_a_refused_change_leaves_the_matrix_as_it_was():
    matrix = Matrix(weights(), query_labels=list("abcde"))
    before = repr(matrix), matrix.values
    with pytest.raises(TraitError, match="query_labels"):
        matrix.show(values=weights(4, 6))
    with pytest.raises(TraitError, match="query_labels"):
        matrix.values = weights(4, 6)
    assert (repr(matrix), matrix.query_labels) == (before[0], list("abcde"))
    np.testing.assert_array_equal(matrix.values, before[1])


def test_values_and_labels_change_together_whatever_their_order():
    matrix = Matrix(weights(), query_labels=list("abcde"), key_labels=list("abcdefg"))
    matrix.show(query_labels=list("ab"), values=weights(2, 3), key_labels=list("xyz"))
    assert repr(matrix) == "Matrix(weights, 2 queries x 3 keys)"


def test_what_pointed_into_another_shape_is_dropped():
    matrix = Matrix(weights(5, 7, frames=3), frame=2, selected=[0, 4, 6], query_order=[4, 3, 2, 1, 0], current=4)
    matrix.edits = {"4": [1.0] + [0.0] * 6}
    matrix.values = weights(4, 6, frames=2)
    assert (matrix.frame, matrix.selected, matrix.query_order, matrix.edits, matrix.current) == (0, [], [], {}, -1)
    matrix.selected = [0, 1, 2]
    matrix.values = weights(4, 6, seed=1)
    assert matrix.selected == [0, 1, 2]


def test_shown_has_the_edits_of_each_panel():
    matrix = Matrix(weights(panels=2, frames=2), frame=1, editing="weights")
    by_hand = [0.25, 0.75, 0, 0, 0, 0, 0]
    matrix.edits = {"2": by_hand, "1:3": by_hand}
    expected = matrix.values[1].copy()
    expected[0, 2] = expected[1, 3] = by_hand
    np.testing.assert_array_equal(matrix.shown, expected)


def test_several_traits_are_one_message(monkeypatch):
    matrix = Matrix(weights())
    sent = []
    monkeypatch.setattr(matrix, "_send", lambda message, **more: sent.append(message))
    matrix.show(values=weights(2, 3), query_labels=list("ab"), sequence=3)
    assert [sorted(m["state"]) for m in sent] == [["query_labels", "sequence", "values"]]


def test_an_array_comes_back_from_the_page_as_it_went():
    mask = np.tril(np.ones((1, 5, 7), np.float32))
    np.testing.assert_array_equal(unpack_array(pack_array(mask)), mask)
    assert unpack_array(None) is None
    with pytest.raises(TraitError, match=r"expected 6 numbers for shape \(2, 3\), got 35"):
        unpack_array({"shape": [2, 3], "data": pack_array(mask)["data"]})


def test_a_damaged_mask_from_the_page_is_refused():
    matrix = Matrix(weights())
    with pytest.raises(TraitError, match="mask"):
        matrix.set_state({"mask": {"shape": [2, 2], "data": memoryview(np.ones(4, np.float32)).cast("B")}})
    assert matrix.mask is None


def test_the_action_is_heard_from_the_page_and_from_python():
    matrix, heard = Matrix(weights()), []
    matrix.on_action(heard.append)
    matrix._handle_custom_msg({"kind": "action"}, [])
    matrix.press()
    assert heard == [matrix, matrix]


def test_name_in_words():
    w = np.zeros((10, 17))
    w[:, 0], w[2, 0], w[2, 16] = 1, 0.52, 0.48
    matrix = Matrix(w, query_labels=list("1992-03-03"), key_labels=list("mardi 3 mars 1992"), selected=[0, 2, 16])
    assert repr(matrix) == 'Matrix(weights, 10 queries x 17 keys; selected "9" -> "2": 0.48)'
    matrix.selected = [0, 2, -1]
    assert repr(matrix) == 'Matrix(weights, 10 queries x 17 keys; selected row "9")'
    assert repr(Matrix()) == "Matrix(empty)"
    film = Matrix(weights(panels=2, frames=3), frame=1, frame_names=["a", "b", "c"], mask=np.zeros((5, 7)))
    film.selected = [1, 0, 0]
    assert repr(film) == 'Matrix(weights, 2 panels of 5 queries x 7 keys, frame "b" of 3; selected 2: 1 -> 1: masked)'


def test_rows_that_ask_nothing_bear_the_name_of_their_axis():
    heads = Matrix(weights(12, 6, panels=2), query_title="layer", key_title="head", measure="share")
    assert repr(heads) == "Matrix(share, 2 panels of 12 rows (layer) x 6 columns (head))"
    assert repr(Matrix(weights(), key_title="cards")) == "Matrix(weights, 5 queries x 7 columns (cards))"


def test_not_a_number_has_a_name_too():
    matrix = Matrix([[np.nan, np.inf], [0, 1]], selected=[0, 0, 0])
    assert repr(matrix).endswith("1 -> 1: NaN)")


NASTY = ["<script>alert(1)</script>", "$x_{$", "😀", "日本", "שלום", "a\nb", "", " ", "y" * 10_000, "\ud800", "%d"]


@pytest.mark.parametrize("scale", ["weights", "scores"])
def test_words_that_could_do_harm(scale):
    values = np.linspace(-1, 1, 11 * 11).reshape(11, 11)
    values[0, 0], values[1, 1], values[2, 2] = np.nan, np.inf, -np.inf
    matrix = Matrix(np.stack([values, values]), query_labels=NASTY, key_labels=NASTY, scale=scale)
    matrix.panel_names = ["$", "😀"]
    matrix.mask = np.tril(np.ones((11, 11)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bundle, _ = matrix._repr_mimebundle_()
    assert bundle["text/plain"] == repr(matrix)


def test_all_traits_are_json_but_for_the_arrays():
    state = Matrix(weights(), query_labels=list("abcde")).get_state()
    arrays = {name for name, value in state.items() if isinstance(value, dict) and "data" in value}
    assert arrays == {"values"}
    json.dumps({name: value for name, value in state.items() if name not in arrays})


def test_offers_every_selection_that_it_takes():
    matrix = Matrix(np.zeros((2, 2, 3)))
    offered = matrix.offers("selected")
    assert len(offered) == 1 + 2 * (2 * 3 + 2 + 3)
    for selected in offered:
        matrix.selected = selected
    assert matrix.offers("edits") == []
