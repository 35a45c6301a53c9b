"""A fixed random vector for every word: where a picture needs vectors of words, but no trained ones."""

from collections.abc import Sequence
from zlib import crc32

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.checks import Size, checked


@checked
def word_vectors(words: Sequence[str], dim: Size, dtype: torch.dtype | None = None) -> Float[Tensor, "words dim"]:
    """Random numbers of standard deviation 1, the same for the same word on every machine and in every sentence.

    words: any texts. dim: numbers a vector. dtype: torch's default where it is not given.
    """
    seeds = [torch.Generator().manual_seed(crc32(word.encode())) for word in words]
    drawn = [torch.randn(dim, generator=seed, dtype=dtype) for seed in seeds]
    return torch.stack(drawn) if drawn else torch.empty(0, dim, dtype=dtype)
