"""AdditiveToScaledExplorer: five steps from the attention of lesson 02 to that of any model."""

import numpy as np
import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab import attend
from widgets.explorers.l04_query_key_value.additive_to_scaled import INPUTS, QUERY, AdditiveToScaledExplorer, W_k, W_v


def test_five_steps():
    explorer = AdditiveToScaledExplorer()
    drive(explorer)
    seen = {}
    for step in range(1, 6):
        explorer.step = step
        seen[step] = explorer.weights
    inputs, queries = torch.tensor(INPUTS), torch.tensor(QUERY)
    assert seen[1].shape == seen[2].shape == seen[3].shape == (1, 4)
    assert seen[4].shape == seen[5].shape == (3, 4)
    torch.testing.assert_close(seen[2], (queries[:1] @ inputs.T).softmax(-1))
    torch.testing.assert_close(seen[4], (queries @ inputs.T / 3**0.5).softmax(-1))
    torch.testing.assert_close(seen[4][:1], seen[3])
    torch.testing.assert_close(seen[5], attend(queries, inputs @ torch.tensor(W_k), inputs).weights)
    torch.testing.assert_close(explorer.result.context, seen[5] @ inputs @ torch.tensor(W_v))


def test_a_hand_changes_inputs_and_keeps_waiting_queries():
    explorer = AdditiveToScaledExplorer(step=3)
    product = explorer.parts["product"]
    product.key = product.key + np.float32(0.5)
    assert explorer.inputs[0][0] == pytest.approx(0.1)
    assert product.value[0, 0] == pytest.approx(0.1), "the inputs that are read are the same"
    product.query = product.query + np.float32(0.5)
    assert explorer.query[0][0] == pytest.approx(2.1)
    assert explorer.query[1:] == QUERY[1:]
    explorer.step = 5
    assert explorer.inputs[0][0] == pytest.approx(0.1), "keys that are made of inputs do not become inputs"
    code_gives_the_picture(explorer)
