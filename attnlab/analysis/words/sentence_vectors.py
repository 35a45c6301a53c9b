"""One vector for a whole sentence, out of an encoder's vectors for its tokens."""

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import normalize

from attnlab.checks import check_lengths, checked
from attnlab.masks import padding
from attnlab.transformer import EncoderStack


@checked
@torch.no_grad()
def sentence_vectors(
    encoder: EncoderStack, tokens: Int[Tensor, "batch tokens"], lengths: Int[Tensor, " batch"]
) -> Float[Tensor, "batch dim"]:
    """The mean of the vectors of a sentence's tokens, of length 1: the product of two is the cosine of their angle.

    lengths: how many tokens of each row are the sentence's; the rest fills up. Raises ValueError for other lengths.

    **Source:** Reimers and Gurevych 2019, "Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks", section 3.
    """
    check_lengths(lengths, *tokens.shape)
    mask = padding(lengths, tokens.shape[1]).to(tokens.device)
    vectors, kept = encoder(tokens, mask), mask.squeeze(1).unsqueeze(-1)
    return normalize(vectors.masked_fill(~kept, 0).sum(1) / lengths.to(vectors.device)[:, None], dim=-1)
