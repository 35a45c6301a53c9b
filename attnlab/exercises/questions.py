"""The same six questions before the course and after it, so that learners see what has changed."""

from dataclasses import dataclass

from attnlab.exercises import progress

WHEN = ("before", "after")
UNSURE = "I do not know yet"


@dataclass(frozen=True)
class Question:
    """A question with its choices, of which the first is right; without choices it asks for a sentence of one's own.

    ``why`` says why the answer is right, or what a good sentence says.
    """

    text: str
    choices: tuple[str, ...]
    why: str

    @property
    def right(self) -> str:
        """The right choice; "" where a sentence is asked for."""
        return self.choices[0] if self.choices else ""


QUESTIONS = (
    Question(
        "What does an attention weight say?",
        (
            "how much of a value goes into the sum",
            "how much the word matters for the final answer",
            "how alike two words are in meaning",
        ),
        "Weights mix values, that is all. Whether the answer depends on a word has to be measured (lessons 02, 08).",
    ),
    Question(
        "Self-attention without positions reads “dog bites man” and “man bites dog”. Its output for “dog” is",
        ("the same in both", "different, the neighbours changed", "different, but only after training"),
        "It sums over a set of words, and a set has no order (lesson 05). Positions must be added (lesson 07).",
    ),
    Question(
        "The future is to be hidden. Why mask its scores before the softmax, and not set its weights to 0 after it?",
        (
            "so that the weights that are left sum to 1",
            "because it is faster",
            "it makes no difference",
        ),
        "Softmax shares out everything among what it sees; weights set to zero afterwards are missing (lesson 06).",
    ),
    Question(
        "A text becomes twice as long. How many scores does a self-attention layer compute?",
        ("four times as many", "twice as many", "as many as before"),
        "Every word asks every word, so that there is a score for each pair (lessons 05, 12).",
    ),
    Question(
        "Eight heads instead of one, with the same number of parameters. What is gained?",
        (
            "a word can look at several places at once, for different reasons",
            "every word sees eight times as far",
            "an eighth of the scores has to be computed",
        ),
        "One head has one row of weights for each word; eight have eight, in narrower comparisons (lesson 08).",
    ),
    Question(
        "In a sentence of your own: how does a model find out which word to look at?",
        (),
        "A word's query is compared with the key of each word; the scores become weights by a softmax. The maps that "
        "make queries and keys are learned, by nothing but the loss at the end (lessons 02, 04).",
    ),
)


def answer(when: str, number: int, text: str) -> str:
    """Keeps the answer to question ``number``, counted from 1, beside the passed exercises; a new one replaces the old.

    Returns a message when that was not possible, or "". Raises ValueError for what is no question, or no choice of it.
    """
    if when not in WHEN:
        raise ValueError(f"expected 'before' or 'after', got {when!r}")
    if number not in range(1, len(QUESTIONS) + 1):
        raise ValueError(f"expected a question from 1 to {len(QUESTIONS)}, got {number!r}")
    choices = QUESTIONS[number - 1].choices
    if choices and text not in (*choices, UNSURE):
        raise ValueError(f"expected one of {', '.join([*choices, UNSURE])}; got {text!r}")
    return progress.keep(f"{when}.{number}", text)


def answers(when: str) -> dict[int, str]:
    """The answers kept so far, by the number of the question."""
    known, _ = progress.passed()
    return answers_in(known, when)


def answers_in(known: dict[str, str], when: str) -> dict[int, str]:
    """Those in what a progress file holds."""
    return {n: known[f"{when}.{n}"] for n in range(1, len(QUESTIONS) + 1) if f"{when}.{n}" in known}
