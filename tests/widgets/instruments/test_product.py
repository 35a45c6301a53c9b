"""Product: tables that fit each other, a name in words; and tables of numbers as a part of a state."""

import numpy as np
import pytest
from traitlets import TraitError

from widgets.base.controls import StateError
from widgets.instruments.product.product import Product, table


def shown(queries=3, keys=5, dim=2, value_dim=7, **traits):
    rows = np.random.default_rng(0).normal
    product = Product(**traits)
    product.show(
        query=rows(size=(queries, dim)),
        key=rows(size=(keys, dim)),
        value=rows(size=(keys, value_dim)),
        scores=rows(size=(queries, keys)),
        weights=np.full((queries, keys), 1 / keys),
        context=rows(size=(queries, value_dim)),
    )
    return product


@pytest.mark.parametrize(
    ("name", "shape", "told"),
    [
        ("query", (3, 3), "expected 2 dim"),
        ("query", (2, 2), "expected 3 queries"),
        ("key", (4, 2), "expected 5 keys"),
        ("value", (5, 2), "expected 7 value dim"),
        ("scores", (5, 3), "expected 3 queries"),
        ("mask", (3, 4), "5 keys"),
        ("context", (3, 5), "7 value dim"),
        ("other", (1, 5), "3 queries"),
    ],
)
def test_a_table_that_does_not_fit(name, shape, told):
    product = shown()
    before = getattr(product, name)
    with pytest.raises(TraitError, match=told):
        setattr(product, name, np.zeros(shape))
    assert getattr(product, name) is before


def test_all_shapes_may_change_in_one_message():
    product = shown()
    product.show(
        query=np.zeros((1, 3)),
        key=np.zeros((4, 3)),
        value=np.zeros((4, 2)),
        scores=np.zeros((1, 4)),
        weights=np.full((1, 4), 0.25),
        context=np.zeros((1, 2)),
    )
    assert product.weights.shape == (1, 4)
    with pytest.raises(TraitError, match="expected"):
        product.show(query=np.zeros((2, 3)), key=np.zeros((4, 3)))


def test_only_inputs_can_be_changed_by_hand():
    with pytest.raises(TraitError, match="some of query, key and value"):
        Product(editable=["weights"])


def test_name_in_words():
    product = shown(query_labels=["a", "b", "c"], key_labels=list("vwxyz"), selected=[1, 4])
    assert repr(product) == "Product(3 queries x 5 keys; “b” reads “z” with 0.20)"
    assert repr(Product()) == "Product(empty)"
    assert repr(shown(selected=[9, 9])) == "Product(3 queries x 5 keys; “3” reads “5” with 0.20)"


@pytest.mark.parametrize("bad", ["text", [1.0, 2.0], [[1.0], [2.0, 3.0]], [[float("nan")]], None])
def test_a_table_as_state_takes_numbers_only(bad):
    with pytest.raises(StateError, match="rows of numbers"):
        table([[1.0]]).checked(bad, "query")


def test_a_table_as_state_is_kept_as_short_lists():
    assert table([[1.0]]).checked(np.float32([[0.1, 0.2]]), "query") == [[0.1, 0.2]]


def test_offers_the_cells_whose_arithmetic_it_writes():
    product = Product()
    assert product.offers("selected") == []
    product.show(weights=np.full((2, 3), 1 / 3))
    assert product.offers("selected") == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
