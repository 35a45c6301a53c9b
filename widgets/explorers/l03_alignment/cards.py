"""What the explorers of this lesson write beside their matrices: five cards, and ten questions about them."""

from widgets.base.words import context, key, percent

CARDS = 5
LETTERS, ORDER = "abcde", ["1st", "2nd", "3rd", "4th", "5th"]
QUESTIONS = [*ORDER, *LETTERS]
LABELS = {
    "query_labels": QUESTIONS,
    "query_title": "questions",
    "key_title": "cards",
    "query_groups": [[0, CARDS, "by place"], [CARDS, len(QUESTIONS), "by letter"]],
}


def card_names(examples, at: int) -> list[str]:
    """The labels of one row of cards, such as "c4": its letters and its digits."""
    letters, digits = examples.letters[at].tolist(), examples.digits[at].tolist()
    return [f"{LETTERS[letter]}{digit}" for letter, digit in zip(letters, digits, strict=True)]


def by_kind(right: list[float], on_key: list[float]) -> list:
    """The shares of right answers, and of weight on the right card, by place and by letter, as parts of a sentence."""
    (place, letter), (on_place, on_letter) = right, on_key
    return [
        context(percent(place)),
        " by place, ",
        context(percent(letter)),
        " by letter; ",
        key("weight on the right card"),
        f" {percent(on_place)} and {percent(on_letter)}",
    ]
