"""English to Spanish in a small grammar of ours, word by word: ``we are eating bread`` to ``estamos comiendo pan``.

It holds what makes translation more than a dictionary: agreement, adjectives that swap, pronouns that melt into a verb.
Since the grammar builds each Spanish word from known English words, the right alignment is known.
"""
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from attnlab.tasks.base import SPECIAL, Example, Task, listed, nearest, quoted
from attnlab.tasks.grammar import (
    ADJECTIVES,
    BE,
    DETERMINERS,
    ESTAR,
    NOUN_OF,
    NOUNS,
    PERSONS,
    PREPOSITIONS,
    SER,
    VERB_OF,
    VERBS,
    Grammar,
    Phrase,
    agreeing,
    understood,
)

SHORT = {"i'm": "i am", "you're": "you are", "he's": "he is", "she's": "she is", "we're": "we are",
         "they're": "they are", "isn't": "is not", "aren't": "are not", "don't": "do not", "doesn't": "does not"}

LECTURES = ("we are eating bread", "the european economic area")


@dataclass(frozen=True)
class PhraseExample(Example):
    """A sentence. ``places`` holds for each Spanish word the places of the English words that justify it."""

    places: tuple[frozenset[int], ...]


def alignment(example: PhraseExample) -> list[frozenset[int]]:
    """For each Spanish word the places of the English words it is built from.

    An article or adjective is also built from its noun (gender and number), a verb also from its subject (person).
    """
    return list(example.places)


class Phrasebook(Task):
    """English to Spanish. No sentence of the test occurs in training; the first two of it stand in the lectures.

    ``seed`` decides which sentences are drawn.
    """

    name = "phrasebook"
    joint = " "
    longest = 120

    def __init__(self, seed: int = 0, pairs: int = 20_000, tests: int = 600):
        self.seed, self.size, self.tests = seed, pairs, tests

    @cached_property
    def source_vocabulary(self) -> list[str]:
        adjectives = {word for line in ADJECTIVES for word in line}
        small = {*DETERMINERS, "an", *PREPOSITIONS, *PERSONS, *BE, "do", "does", "not"}
        return [*SPECIAL, *sorted({*NOUN_OF, *VERB_OF} | adjectives | small)]

    @cached_property
    def target_vocabulary(self) -> list[str]:
        nouns = {word for noun in NOUNS for word in noun.spanish if word}
        verbs = {word for verb in VERBS for word in (*verb.spanish, verb.gerund)}
        adjectives = {word for line in ADJECTIVES for english in line for word in agreeing(english)}
        articles = {word for forms in DETERMINERS.values() for word in forms if word}
        small = {*PREPOSITIONS.values(), "del", *ESTAR, SER[2], SER[4], "no"}
        return [*SPECIAL, *sorted(nouns | verbs | adjectives | articles | small)]

    @cached_property
    def test(self) -> list[PhraseExample]:
        """Held-out sentences, all different."""
        grammar, found = Grammar(self.seed), {text: understood(text.split()) for text in LECTURES}
        while len(found) < self.tests:
            phrase = grammar.sentence()
            found.setdefault(_text(phrase), phrase)
        return [_example(phrase) for phrase in found.values()]

    def pairs(self) -> list[tuple[str, str]]:
        grammar, held_out, found = Grammar(self.seed + 1), {example.source for example in self.test}, []
        while len(found) < self.size:
            example = _example(grammar.sentence())
            if example.source not in held_out:
                found.append((example.source, example.target))
        return found

    def recognise(self, text: str) -> PhraseExample | None:
        """A typed sentence with its translation, or None for words that make no sentence of the grammar."""
        phrase = understood(self.tokens(text)) if len(text) <= self.longest else None
        return _example(phrase) if phrase else None

    def normalise(self, text: str) -> str:
        text = super().normalise(text).replace("’", "'")
        words = (word.strip(".,;:!?¿¡\"") for word in text.split())
        return " ".join(SHORT.get(word, word) for word in words if word)

    def tokens(self, text: str) -> list[str]:
        return self.normalise(text).split()

    def target_tokens(self, text: str) -> list[str]:
        return text.split()

    def alignment(self, example: PhraseExample) -> list[frozenset[int]]:
        """See ``attnlab.tasks.phrasebook.alignment``."""
        return alignment(example)

    @property
    def examples(self) -> str:
        return f'English sentences made of {len(self.source_vocabulary) - len(SPECIAL)} words, such as "{LECTURES[0]}"'

    def _unknown(self, text: str, unknown: list[str]) -> str:
        guesses = [f"{quoted(word)}{_guess(word, self.source_vocabulary[len(SPECIAL):])}" for word in unknown]
        return f"{quoted(text)} holds {listed(guesses)}, not in this phrasebook; I know {self.examples}"


def _guess(word: str, known: Sequence[str]) -> str:
    close = nearest(word, known)
    return f" (did you mean {quoted(close)}?)" if close else ""


def _text(phrase: Phrase) -> str:
    return " ".join(phrase.english)


def _example(phrase: Phrase) -> PhraseExample:
    return PhraseExample(_text(phrase), " ".join(word for word, _ in phrase.spanish),
                         tuple(places for _, places in phrase.spanish))
