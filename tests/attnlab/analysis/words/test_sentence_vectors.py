"""Sentence vectors: in loops, whatever fills the rows up."""

import pytest
import torch

from attnlab.analysis.words.sentence_vectors import sentence_vectors
from attnlab.masks import padding
from attnlab.specs.analysis.words import sentence_vectors as specs
from attnlab.training import seeded
from attnlab.transformer import masked_encoder

TOKENS, LENGTHS = torch.tensor([[3, 1, 4, 1, 5], [2, 6, 5, 0, 0], [3, 0, 0, 0, 0]]), torch.tensor([5, 3, 1])


@pytest.fixture(scope="module")
def encoder():
    with seeded(0):
        return masked_encoder(7, dim=12, heads=3, layers=2, longest=5).encoder.eval()


@torch.no_grad()
def test_in_loops(encoder):
    vectors = encoder(TOKENS, padding(LENGTHS, 5))
    expected = [specs.sentence_vector(row, int(length)) for row, length in zip(vectors, LENGTHS, strict=True)]
    torch.testing.assert_close(sentence_vectors(encoder, TOKENS, LENGTHS), torch.stack(expected))


def test_what_fills_up_does_not_count(encoder):
    other = TOKENS.clone()
    other[1, 3:], other[2, 1:] = 6, 4
    torch.testing.assert_close(sentence_vectors(encoder, other, LENGTHS), sentence_vectors(encoder, TOKENS, LENGTHS))
    alone = sentence_vectors(encoder, TOKENS[1:2, :3], LENGTHS[1:2])
    torch.testing.assert_close(alone, sentence_vectors(encoder, TOKENS, LENGTHS)[1:2])


def test_lengths_that_do_not_fit(encoder):
    with pytest.raises(ValueError, match="3 lengths from 1 to 5"):
        sentence_vectors(encoder, TOKENS, torch.tensor([5, 3, 0]))
