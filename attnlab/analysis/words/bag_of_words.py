"""A text as a bag of words: no order, no model, nothing trained. What a model that reads has to beat."""

import torch
from jaxtyping import Float, Int64
from torch import Tensor
from torch.nn.functional import normalize

from attnlab.checks import Size, checked


@checked
def rarity(counts: Float[Tensor, "texts words"]) -> Float[Tensor, " words"]:
    """log(texts / (1 + texts that hold the word)): what a word counts for, since one in every text tells nothing.

    **Source:** Spärck Jones 1972, "A statistical interpretation of term specificity and its application in
    retrieval"; with 1 more, for words that no text holds. **Names:** idf -> rarity.
    """
    return torch.log(len(counts) / (1 + (counts > 0).sum(dim=0)))


@checked
def bag_vectors(counts: Float[Tensor, "texts words"], rarity: Float[Tensor, " words"]) -> Float[Tensor, "texts words"]:
    """log(1 + count) x rarity for each word, at length 1: tf-idf. A text without any word that counts is all zeros.

    Raises ValueError for counts below 0.

    **Source:** Salton and Buckley 1988, "Term-weighting approaches in automatic text retrieval".
    """
    if (counts < 0).any():
        raise ValueError(f"expected counts of 0 and more, got {counts.min().item():g}")
    return normalize(counts.log1p() * rarity, dim=-1)


@checked
def nearest_mean(
    vectors: Float[Tensor, "texts dim"],
    known: Float[Tensor, "examples dim"],
    labels: Int64[Tensor, " examples"],
    classes: Size,
) -> Int64[Tensor, " texts"]:
    """The class whose examples' mean makes the smallest angle with each vector; every class needs an example.

    **Source:** Rocchio 1971, "Relevance feedback in information retrieval", as a classifier.
    """
    missing = sorted(set(range(classes)) - set(labels.tolist()))
    if missing:
        raise ValueError(f"expected an example of each of {classes} classes, got none of class {missing[0]}")
    means = torch.stack([known[labels == label].mean(dim=0) for label in range(classes)])
    return (vectors @ normalize(means, dim=-1).T).argmax(dim=-1)
