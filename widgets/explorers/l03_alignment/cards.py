"""What the explorers of this lesson write beside their matrices: five cards, and ten questions about them."""

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
