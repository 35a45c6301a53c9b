"""The vector of a sentence, token by token."""

from torch import Tensor


def sentence_vector(vectors: Tensor, length: int) -> Tensor:
    """vectors [tokens, dim], of which the first `length` are the sentence's -> [dim], of length 1."""
    mean = vectors.new_zeros(vectors.shape[1])
    for token in range(length):
        mean = mean + vectors[token] / length
    square = mean.new_zeros(())
    for number in mean:
        square = square + number**2
    return mean / square**0.5
