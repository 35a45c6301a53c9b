"""A bag of words, against the formula written as loops."""

from math import log, log1p, sqrt

import pytest
import torch

from attnlab.analysis.words.bag_of_words import bag_vectors, nearest_mean, rarity


def counts():
    drawn = torch.randint(0, 4, (7, 11), generator=torch.Generator().manual_seed(0)).float()
    drawn[:, 3] = 0  # in no text
    drawn[2] = 0  # no words
    return drawn


def test_rarity_in_loops():
    found = rarity(counts())
    for word, column in enumerate(counts().T.tolist()):
        assert found[word].item() == pytest.approx(log(7 / (1 + sum(count > 0 for count in column))), abs=1e-6)


def test_vectors_in_loops():
    weights = torch.linspace(0.1, 2, 11)
    found = bag_vectors(counts(), weights)
    for text, row in enumerate(counts().tolist()):
        raw = [log1p(count) * weight for count, weight in zip(row, weights.tolist(), strict=True)]
        length = sqrt(sum(x * x for x in raw))
        assert found[text].tolist() == pytest.approx([x / length if length else 0.0 for x in raw], abs=1e-6)


def test_nearest_mean_in_loops():
    generator = torch.Generator().manual_seed(1)
    vectors, known = torch.randn(13, 5, generator=generator), torch.randn(9, 5, generator=generator)
    labels = torch.tensor([0, 1, 2] * 3)
    found = nearest_mean(vectors, known, labels, 3).tolist()
    means = [[sum(known[i, d].item() for i in range(c, 9, 3)) / 3 for d in range(5)] for c in range(3)]
    for vector, answer in zip(vectors.tolist(), found, strict=True):
        cosines = [
            sum(x * y for x, y in zip(vector, mean, strict=True)) / sqrt(sum(y * y for y in mean)) for mean in means
        ]
        assert answer == cosines.index(max(cosines))


def test_a_class_without_an_example_is_told():
    with pytest.raises(ValueError, match="an example of each of 3 classes, got none of class 1"):
        nearest_mean(torch.ones(1, 2), torch.ones(2, 2), torch.tensor([0, 2]), 3)


def test_counts_below_zero_are_told():
    with pytest.raises(ValueError, match="counts of 0 and more, got -2"):
        bag_vectors(torch.tensor([[1.0, -2.0]]), torch.ones(2))
