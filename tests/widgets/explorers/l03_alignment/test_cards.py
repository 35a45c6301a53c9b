"""The names of cards and questions."""

from torch import tensor

from attnlab.tasks.cards import Cards
from widgets.base.words import plain, say
from widgets.explorers.l03_alignment.cards import LABELS, QUESTIONS, by_kind, card_names


def test_cards_are_named_after_letter_and_digit():
    examples = Cards(tensor([[0, 1, 2, 3, 4], [4, 2, 0, 1, 3]]), tensor([[0, 0, 0, 0, 0], [7, 0, 3, 9, 7]]), None)
    assert card_names(examples, 1) == ["e7", "c0", "a3", "b9", "d7"]


def test_each_question_belongs_to_a_group():
    assert [QUESTIONS[start:stop] for start, stop, _ in LABELS["query_groups"]] == [
        ["1st", "2nd", "3rd", "4th", "5th"],
        ["a", "b", "c", "d", "e"],
    ]


def test_both_kinds_of_questions_in_words():
    told = plain(say(*by_kind([0.5, 0.25], [0.75, 0.1])))
    assert told == "50\u202f% by place, 25\u202f% by letter; weight on the right card 75\u202f% and 10\u202f%"
