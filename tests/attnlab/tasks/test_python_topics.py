"""Sentences with topics: what is read, what is labelled, what is held out."""

import pytest
import torch
from seeds import seeded

from attnlab.tasks import PAD
from attnlab.tasks.make_python_topics import prose
from attnlab.tasks.make_python_topics import sentences as cut
from attnlab.tasks.python_topics import (
    END,
    LEAST,
    LONGEST,
    RARE,
    SPECIAL,
    TEST,
    TOPICS,
    PythonTopics,
    sentences,
    word_counts,
    words,
)


@pytest.fixture(scope="module")
def task():
    return PythonTopics()


def test_the_file_is_whole():
    found = sentences()
    assert list(found)[: len(TOPICS)] == list(TOPICS.values())
    assert sum(map(len, found.values())) == 2435
    every = [sentence for part in found.values() for sentence in part]
    assert all(len(words(sentence)) >= 6 for sentence in every)


def test_words():
    text = 'The *key* “spam” isn’t a "str": see __len__(x), 3.11!'
    assert words(text) == [
        *["the", "key", "spam", "isn’t", "a", "str", ":", "see", "__len__", "(", "x", ")", ",", "3", ".", "11", "!"]
    ]


def test_held_out_sentences_are_not_read(task):
    read = [row[row != PAD].tolist() for row in task.unlabelled()]
    assert torch.equal(task.text, torch.tensor([token for row in read for token in [*row, END]]))
    assert len(read) == 2435 - TEST * len(TOPICS)
    held_out = [row[:length].tolist() for row, length in zip(task.test.tokens, task.test.lengths.tolist(), strict=True)]
    shared = [row for row in held_out if row in read]
    assert len(shared) == 5  # they stand twice in the reference, but for words that are RARE
    assert [task.encode(sentence)[:LONGEST].tolist() for sentence in task.test_sentences] == held_out
    assert task.held_out.tolist() == [token for text in task.test_sentences for token in [*task.encode(text), END]]
    assert torch.equal(task.test.labels, torch.arange(len(TOPICS)).repeat_interleave(TEST))


def test_the_vocabulary_is_that_of_what_is_read(task):
    assert task.vocabulary[: len(SPECIAL)] == SPECIAL
    counts = torch.bincount(task.text, minlength=len(task.vocabulary))[len(SPECIAL) :]
    assert counts.min() == LEAST
    assert torch.equal(counts, counts.sort(descending=True).values)
    assert (task.text == RARE).float().mean() < 0.05
    assert task.encode("the zebra").tolist() == [task.vocabulary.index("the"), RARE]


def test_windows(task):
    found = task.windows(5, 11, seeded())
    assert found.shape == (5, 11)
    pieces = {tuple(piece) for piece in task.text.unfold(0, 11, 1).tolist()}
    assert all(tuple(row) in pieces for row in found.tolist())
    assert torch.equal(found, task.windows(5, 11, seeded()))
    with pytest.raises(ValueError, match=f"a length from 1 to {len(task.text)} tokens"):
        task.windows(1, len(task.text) + 1, seeded())


@pytest.mark.parametrize("each", [1, 32])
def test_few_labels(task, each):
    found = task.few(each, seeded(3))
    assert torch.equal(found.labels, torch.arange(len(TOPICS)).repeat_interleave(each))
    pools = list(map(sentences().get, TOPICS.values()))
    rows = [row[:length].tolist() for row, length in zip(found.tokens, found.lengths.tolist(), strict=True)]
    for row, label in zip(rows, found.labels.tolist(), strict=True):
        assert row in [task.encode(sentence)[:LONGEST].tolist() for sentence in pools[label]]
    assert (found.tokens == PAD).sum() == (found.tokens.shape[1] - found.lengths).sum()
    assert not torch.equal(task.few(each, seeded(4)).tokens[:, :5], found.tokens[:, :5])


def test_too_many_labels_are_told(task):
    with pytest.raises(ValueError, match="expected from 1 to 48 sentences of each topic, got 49"):
        task.few(49, seeded())


@pytest.mark.parametrize("text", ["", "  ", "**"])
def test_a_text_without_words_is_told(task, text):
    with pytest.raises(ValueError, match="expected a text with a word of the letters a to z"):
        task.encode(text)


def test_word_counts_by_hand():
    tokens = torch.tensor([[4, 5, 4, RARE], [6, END, PAD, PAD]])
    assert word_counts(tokens, 8).tolist() == [[0, 0, 0, 0, 2, 1, 0, 0], [0, 0, 0, 0, 0, 0, 1, 0]]


def test_how_the_file_was_cut():
    assert not prose("power ::= primary")
    assert prose("A class is an object.")
    paragraph = 'Too short. This one has more than five words. "And" so has this one here too: Without an end it goes'
    assert cut(paragraph) == ["This one has more than five words.", '"And" so has this one here too:']
