"""HiddenWordsExplorer: what is hidden by hand is what the models have to guess."""

import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab.analysis import guess_from_both_sides, guess_from_the_left
from attnlab.tasks.python_topics import words
from widgets.explorers.l16_pretraining.hidden_words import HiddenWordsExplorer


@pytest.fixture
def explorer(models, task):
    return HiddenWordsExplorer(models, task)


def test_every_control(explorer, models, task):
    drive(explorer, models=models, task=task)
    explorer.parts["words"].hidden = [1, 5]
    code_gives_the_picture(explorer, models=models, task=task)


def test_the_hand_hides_and_the_bars_follow(explorer, models, task):
    explorer.parts["words"].hidden = [6, 2]
    tokens = task.encode(explorer.text)
    both = guess_from_both_sides(models.masked, tokens, [6, 2])
    left = guess_from_the_left(models.left_to_right, tokens, [6, 2])
    for name, chances in (("both", both[1]), ("left", left[1])):
        best = chances.topk(5)
        chart = explorer.parts[name]
        torch.testing.assert_close(torch.tensor(chart.trace(0)["y"]).float(), best.values)
        names = chart.figure_layout["xaxis"]["ticktext"]
        assert [name.replace("&amp;", "&") for name in names] == [task.vocabulary[i] for i in best.indices]
    tiles = explorer.parts["words"]
    assert tiles.marks == ["hidden" if place in (2, 6) else "" for place in range(12)]
    assert tiles.below[6] == task.vocabulary[both[0].argmax()]
    assert "Hidden: “attribute”" in repr(explorer.parts["caption"])
    assert "1 other word is hidden, too." in repr(explorer.parts["caption"])


def test_the_right_word_has_the_colour_of_the_query(explorer, models, task):
    tokens = task.encode(explorer.text)
    best = guess_from_both_sides(models.masked, tokens, [5])[0].topk(5).indices.tolist()
    place, word = next((i, task.vocabulary[token]) for i, token in enumerate(best) if task.vocabulary[token].isalpha())
    explorer.text = explorer.text.replace("found", word)  # the guesses stay: what stands there is hidden
    colours = explorer.parts["both"].trace(0)["marker"]["color"]
    assert [i for i, colour in enumerate(colours) if colour == "#E69F00"] == [place]
    assert explorer.parts["words"].right == [5] * (place == 0)


def test_another_sentence_is_held_out_and_hides_one(explorer, task):
    explorer.another = 1
    assert explorer.text in task.test_sentences
    assert len(explorer.hidden) == 1
    before = explorer.text
    explorer.another = 2
    assert explorer.text != before


def test_what_is_hidden_beyond_the_end_waits_there(explorer):
    """So the tiles and the state are one, even if a hand interrupts the picture between them."""
    whole = explorer.text
    explorer.text = "an exception"
    assert explorer.hidden == explorer.parts["words"].hidden == [5]
    assert "Press a word to hide it" in repr(explorer.parts["caption"])
    explorer.text = whole
    assert explorer.result.hidden == [5]


def test_nothing_hidden_and_a_shorter_text(explorer):
    explorer.text = "the class"
    assert explorer.result.hidden == []
    assert "Press a word" in repr(explorer.parts["caption"])
    explorer.parts["words"].hidden = [0, 1]
    assert explorer.result.hidden == [0, 1]


def test_a_word_that_the_models_do_not_know(explorer):
    explorer.text = "the zebra is an object"
    explorer.parts["words"].hidden = [1]
    assert "not among those that the models know" in repr(explorer.parts["caption"])


def test_bad_texts_are_told(explorer):
    explorer.text = "  "
    assert "expected a text with a word of the letters a to z" in explorer.parts["caption"].error
    explorer.text = "word " * 65
    assert "expected a text of at most 64 words, got 65" in explorer.parts["caption"].error
    assert len(words(explorer.text)) == 65


def test_an_apostrophe_as_a_keyboard_has_it(explorer):
    explorer.change(text="it doesn't matter", hidden=[1])
    assert explorer.parts["words"].words == ["it", "doesn’t", "matter"]
    assert "Hidden: “doesn’t”" in repr(explorer.parts["caption"])
