"""ThreeScalarsExplorer: one sequence stands in three tables, and the example by hand comes out."""

import numpy as np
import pytest
import torch
from explorers import code_gives_the_picture, drive

from widgets.explorers.l05_self_attention.three_scalars import ThreeScalarsExplorer


def test_every_control():
    drive(ThreeScalarsExplorer())


def test_the_example_by_hand():
    explorer = ThreeScalarsExplorer()
    assert explorer.context.flatten().tolist() == pytest.approx([1, 1.575, 1.851], abs=1e-3)
    assert "a² is 1.00 and becomes 1.58" in repr(explorer)
    explorer.change(copies=2, cell=[0, 0])
    assert explorer.context[0].item() == pytest.approx(1.25)
    assert "its output is the mean: 1.25" in repr(explorer)


@pytest.mark.parametrize("name", ["query", "key", "value"])
@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_number_changed_in_one_table_changes_in_all(name, at):
    explorer = ThreeScalarsExplorer(copies=2)
    product = explorer.parts["product"]
    changed = getattr(product, name).copy()
    changed[at, 0] = -1.5
    setattr(product, name, changed)
    expected = [[0.0], [1.0], [2.0], [2.0]]
    for row in {1: [1], 2: [2, 3], 3: [2, 3]}[at]:
        expected[row] = [-1.5]
    for table in ("query", "key", "value"):
        np.testing.assert_array_equal(getattr(product, table), expected)
    x = torch.tensor(expected)
    torch.testing.assert_close(explorer.context, (x @ x.T).softmax(-1) @ x)
    code_gives_the_picture(explorer)
    explorer.copies = 1
    assert explorer.x == expected[:3]
    explorer.reset()
    assert product.query.tolist() == [[0], [1], [2], [2]]


def test_tokens_from_python():
    explorer = ThreeScalarsExplorer()
    explorer.x = [[3.0], [1.0], [-2.0]]
    assert explorer.parts["product"].key.tolist() == [[3], [1], [-2]]
    explorer.copies = 3
    assert explorer.parts["product"].value.tolist() == [[3], [1], [-2], [-2], [-2]]
