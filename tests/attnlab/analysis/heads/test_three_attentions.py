"""The weights of a whole translation, against what each attention of the model was heard to do."""

import pytest
import torch

from attnlab.analysis.heads.three_attentions import attention_square, three_attentions
from attnlab.trace import record
from attnlab.transformer import transformer, universal

SOURCE, TARGET = torch.tensor([3, 4, 5, 6, 7]), torch.tensor([1, 5, 4])


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return transformer(11, 13, dim=6, heads=3, layers=2).eval()


def test_every_layer_and_head_stands_in_its_place(model):
    weights, logits = three_attentions(model, SOURCE, TARGET)
    assert [list(part.shape) for part in weights] == [[2, 3, 5, 5], [2, 3, 3, 3], [2, 3, 3, 5]]
    with torch.no_grad(), record(model) as trace:
        expected = model(SOURCE[None], torch.tensor([5]), TARGET[None])[0]
    torch.testing.assert_close(logits, expected)
    for layer in range(2):
        for head in range(3):
            for part, name in [
                (weights.encoder, f"encoder.blocks.{layer}.attention"),
                (weights.decoder, f"decoder.blocks.{layer}.attention"),
                (weights.cross, f"decoder.blocks.{layer}.cross_attention"),
            ]:
                assert torch.equal(part[layer, head], trace[name][0].weights[0, head])


def test_rows_are_queries_and_the_target_does_not_look_ahead(model):
    weights, _ = three_attentions(model, SOURCE, TARGET)
    for part in weights:
        torch.testing.assert_close(part.sum(-1), torch.ones(part.shape[:-1]))
    assert not weights.decoder.triu(1).any()


def test_a_block_that_is_used_again_is_a_layer_each_time():
    torch.manual_seed(0)
    model = universal(11, 13, dim=6, heads=3, depth=4).eval()
    weights, _ = three_attentions(model, SOURCE, TARGET)
    assert [list(part.shape) for part in weights] == [[4, 3, 5, 5], [4, 3, 3, 3], [4, 3, 3, 5]]
    less, _ = three_attentions(model.at(2), SOURCE, TARGET)
    assert torch.equal(less.encoder, weights.encoder[:2])
    assert not torch.allclose(weights.encoder[0], weights.encoder[3], atol=1e-3)


def test_the_square_cell_by_cell():
    encoder, decoder, cross = torch.rand(2, 2), torch.rand(3, 3), torch.rand(3, 2)
    square = attention_square(encoder, decoder, cross)
    for row in range(5):
        for column in range(5):
            if row < 2:
                expected = encoder[row, column] if column < 2 else 0
            else:
                expected = cross[row - 2, column] if column < 2 else decoder[row - 2, column - 2]
            assert square[row, column] == expected
