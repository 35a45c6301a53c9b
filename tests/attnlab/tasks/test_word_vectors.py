"""The vectors of words: fixed by the word alone."""

import torch

from attnlab.tasks.word_vectors import word_vectors


def test_a_word_has_one_vector_wherever_it_stands():
    one, two = word_vectors(["the", "cat"], 5), word_vectors(["cat", "sat", "the"], 5)
    assert one.shape == (2, 5)
    torch.testing.assert_close(one[0], two[2])
    torch.testing.assert_close(one[1], two[0])
    assert not torch.allclose(two[0], two[1])


def test_numbers_are_spread_like_random_ones():
    drawn = word_vectors([f"word {i}" for i in range(503)], 7, torch.float64)
    assert drawn.dtype == torch.float64
    torch.testing.assert_close(drawn.std(), torch.tensor(1.0, dtype=torch.float64), atol=0.05, rtol=0)
    torch.testing.assert_close(drawn.mean(), torch.tensor(0.0, dtype=torch.float64), atol=0.05, rtol=0)


def test_the_global_seed_is_neither_used_nor_changed():
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    word_vectors(["the"], 3)
    torch.testing.assert_close(torch.rand(1), expected)


def test_no_words_no_vectors():
    assert word_vectors([], 3).shape == (0, 3)
