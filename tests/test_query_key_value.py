"""The explorers of lesson 04 show what attend gives, whatever number a hand has changed."""

import math

import numpy as np
import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab import attend, dot
from widgets.dictionary import DictionaryExplorer
from widgets.five_steps import INPUTS, QUERY, FiveStepsExplorer, W_k, W_v
from widgets.query_key_value import QueryKeyValueExplorer
from widgets.regression import RegressionExplorer, data
from widgets.width import WIDEST, WidthExplorer, measure


@pytest.mark.parametrize("kind", [
    DictionaryExplorer, QueryKeyValueExplorer, FiveStepsExplorer, WidthExplorer, RegressionExplorer])
def test_explorer(kind):
    drive(kind())


def tables(*names, explorer):
    return [torch.tensor(getattr(explorer, name)) for name in names]


def test_the_example_of_the_picture():
    explorer = QueryKeyValueExplorer()
    assert explorer.weights[1, 1].item() == pytest.approx(0.41, abs=0.005)
    assert explorer.context[1].tolist() == pytest.approx([0.47, 0.21], abs=0.005)
    assert explorer.weights[:, 4].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("name", ["query", "key", "value"])
def test_a_number_changed_in_the_picture_is_followed(name):
    explorer = QueryKeyValueExplorer()
    product = explorer.parts["product"]
    changed = getattr(product, name).copy()
    changed[1, 0] = 2.5
    setattr(product, name, changed)
    assert getattr(explorer, name)[1][0] == 2.5
    asks, offers, gives = tables("query", "key", "value", explorer=explorer)
    mask = torch.tensor([True, True, True, True, False])
    torch.testing.assert_close(explorer.context, attend(asks, offers, gives, mask=mask).context)
    torch.testing.assert_close(torch.tensor(product.context), explorer.context)
    code_gives_the_picture(explorer)
    explorer.reset()
    assert getattr(product, name)[1, 0] != 2.5


def test_doubled_keys_are_half_the_temperature():
    explorer = QueryKeyValueExplorer()
    explorer.temperature = 0.5
    sharp = explorer.weights.clone()
    explorer.reset()
    explorer.double = 1
    torch.testing.assert_close(explorer.weights, sharp)
    explorer.double = 2
    assert explorer.key[1][0] == pytest.approx(4.8)
    explorer.reset()
    assert explorer.key[1][0] == 1.2


def test_the_hint_of_the_lesson_which_query_reads_it_now():
    explorer = QueryKeyValueExplorer()
    explorer.key = [[-1.2, 0.5, 0.3] if i == 1 else row for i, row in enumerate(explorer.key)]
    assert explorer.weights[:, 1].argmax() == 3
    assert explorer.weights[3].argmax() == 1


def test_dashes_are_the_other_division():
    explorer = QueryKeyValueExplorer()
    asks, offers, gives = tables("query", "key", "value", explorer=explorer)
    mask = torch.tensor([True, True, True, True, False])
    other = attend(asks, offers, gives, score=dot, mask=mask).weights
    torch.testing.assert_close(torch.tensor(explorer.parts["product"].other), other)
    explorer.divide = False
    torch.testing.assert_close(explorer.weights, other)
    assert explorer.parts["product"].other_name == "divided"


def test_five_steps():
    explorer = FiveStepsExplorer()
    seen = {}
    for step in range(1, 6):
        explorer.step = step
        seen[step] = explorer.weights
    inputs, asks = torch.tensor(INPUTS), torch.tensor(QUERY)
    assert seen[1].shape == seen[2].shape == seen[3].shape == (1, 4)
    assert seen[4].shape == seen[5].shape == (3, 4)
    torch.testing.assert_close(seen[2], (asks[:1] @ inputs.T).softmax(-1))
    torch.testing.assert_close(seen[4], (asks @ inputs.T / 3**0.5).softmax(-1))
    torch.testing.assert_close(seen[4][:1], seen[3])
    torch.testing.assert_close(seen[5], attend(asks, inputs @ torch.tensor(W_k), inputs).weights)
    torch.testing.assert_close(explorer.result.context, seen[5] @ inputs @ torch.tensor(W_v))


def test_a_hand_in_the_five_steps_changes_inputs_and_keeps_waiting_queries():
    explorer = FiveStepsExplorer(step=3)
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


@pytest.mark.parametrize("exponent", [0, 4, WIDEST])
def test_variance_is_the_width(exponent):
    assert measure(exponent, False, 0)[0].variance == pytest.approx(2**exponent, rel=0.15)
    assert measure(exponent, True, 0)[0].variance == pytest.approx(1, rel=0.15)


def test_entropy_and_gradient_by_loops():
    seen, _ = measure(3, False, 0)
    explorer = WidthExplorer(exponent=3)
    names = {}
    exec(explorer.code(explorer.state).replace("weights, scores = weights[0], scores[0]", ""), names)
    entropies, gradients = [], []
    for row in names["weights"].flatten(0, 1):
        entropies.append(-sum(float(w) * math.log(float(w)) for w in row if w > 0) / math.log(len(row)))
        scores = row.log().clone().requires_grad_()
        jacobian = torch.autograd.functional.jacobian(lambda s: s.softmax(-1), scores)
        gradients.append(float(jacobian.diagonal().sum()))
    assert seen.entropy == pytest.approx(sum(entropies) / len(entropies), abs=1e-4)
    assert seen.gradient == pytest.approx(sum(gradients) / len(gradients), abs=1e-4)


def test_the_softmax_saturates_only_without_the_division():
    plain = [measure(exponent, False, 0)[0] for exponent in range(WIDEST + 1)]
    divided = [measure(exponent, True, 0)[0] for exponent in range(WIDEST + 1)]
    assert plain[-1].entropy < 0.1 < 0.8 < divided[-1].entropy
    assert plain[-1].gradient < 0.1 < 0.8 < divided[-1].gradient


def test_regression_is_nadaraya_and_watson():
    explorer = RegressionExplorer(bandwidth=0.3, place=2.0)
    offers, gives = data()
    shares = [math.exp(-(2.0 - float(x)) ** 2 / (2 * 0.3**2)) for x in offers]
    by_hand = sum(s * float(y) for s, y in zip(shares, gives, strict=True)) / sum(shares)
    assert explorer.result.context[4, 0].item() == pytest.approx(by_hand, abs=1e-5)
    question = explorer.parts["chart"].traces["3"]
    assert (question["x"], question["y"]) == ([2.0], [pytest.approx(by_hand, abs=1e-5)])


def test_bandwidth_from_copying_to_averaging():
    narrow, wide = RegressionExplorer(bandwidth=0.05), RegressionExplorer(bandwidth=2.0)
    assert narrow.weights.max(-1).values.mean() > 0.8
    assert wide.weights.max() < 0.15


def test_dictionary():
    explorer = DictionaryExplorer()
    by_pencil = [7.389 / 15.778, 7.389 / 15.778, 1 / 15.778]
    assert explorer.context.tolist() == pytest.approx(by_pencil, abs=1e-3)
    explorer.change(red=8.0, green=8.0, blue=8.0)
    assert explorer.context.tolist() == pytest.approx([1 / 3] * 3)
    explorer.change(red=8.0, green=0.0, blue=0.0)
    assert "a dictionary, almost" in repr(explorer)
