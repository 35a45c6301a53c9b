"""English to Spanish in a small grammar of ours, word by word: ``we are eating bread`` to ``estamos comiendo pan``.

It holds what makes translation more than a dictionary: agreement, adjectives that swap, pronouns that melt into a verb.
Since the grammar builds each Spanish word from known English words, the right alignment is known.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from attnlab.checks import Size, checked
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
    joined,
    noun_phrase,
    progressive,
    pronoun,
    understood,
)

SHORT = {
    "i'm": "i am",
    "you're": "you are",
    "he's": "he is",
    "she's": "she is",
    "we're": "we are",
    "they're": "they are",
    "isn't": "is not",
    "aren't": "are not",
    "don't": "do not",
    "doesn't": "does not",
}

LECTURES = ("we are eating bread", "the european economic area")


@dataclass(frozen=True)
class PhraseExample(Example):
    """A sentence. ``places`` holds for each Spanish word the places of the English words that justify it."""

    places: tuple[frozenset[int], ...]


@checked
def alignment(example: PhraseExample) -> list[frozenset[int]]:
    """For each Spanish word the places of the English words it is built from.

    An article or adjective is also built from its noun (gender and number), a verb also from its subject (person).
    """
    return list(example.places)


@checked
class Phrasebook(Task):
    """English to Spanish. No sentence of the test occurs in training; the first two of it stand in the lectures.

    ``seed`` decides which sentences are drawn.
    """

    name = "phrasebook"
    joint = " "
    longest = 120

    def __init__(self, seed: int = 0, pairs: Size = 20_000, tests: Size = 600) -> None:
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
        grammar = Grammar(self.seed)
        found = {text: phrase for text in LECTURES if (phrase := understood(text.split()))}
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
        words = (word.strip('.,;:!?¿¡"') for word in text.split())
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
        guesses = [f"{quoted(word)}{_guess(word, self.source_vocabulary[len(SPECIAL) :])}" for word in unknown]
        return f"{quoted(text)} holds {listed(guesses)}, not in this phrasebook; I know {self.examples}"


@checked
class Progressives(Phrasebook):
    """Who is doing what, and nothing else: ``we are eating bread``, ``they are not reading letters``.

    All such sentences of the grammar, a few hundred of four or five words: a translator whose states can be drawn
    number by number learns them. ``seed`` decides which are held out; the lectures' sentence always is.
    """

    name = "progressives"

    def __init__(self, seed: int = 0, tests: Size = 60) -> None:
        super().__init__(seed, tests=tests)

    @cached_property
    def source_vocabulary(self) -> list[str]:
        return [*SPECIAL, *sorted({word for example in self._all for word in self.tokens(example.source)})]

    @cached_property
    def target_vocabulary(self) -> list[str]:
        return [*SPECIAL, *sorted({word for example in self._all for word in self.target_tokens(example.target)})]

    @cached_property
    def test(self) -> list[PhraseExample]:
        return self._all[: self.tests]

    def pairs(self) -> list[tuple[str, str]]:
        return [(example.source, example.target) for example in self._all[self.tests :]]

    @cached_property
    def _all(self) -> list[PhraseExample]:
        """Every sentence once, in random order but for the lectures'."""
        phrases = [
            joined(progressive(pronoun(word), verb, negated), noun_phrase("", [], noun, bool(noun.plural)))
            for word, verb, noun, negated in product(PERSONS, VERBS, NOUNS, (False, True))
            if noun.kind in verb.objects
        ]
        random.Random(self.seed).shuffle(phrases)
        return sorted(map(_example, phrases), key=lambda example: example.source not in LECTURES)


def _guess(word: str, known: Sequence[str]) -> str:
    close = nearest(word, known)
    return f" (did you mean {quoted(close)}?)" if close else ""


def _text(phrase: Phrase) -> str:
    return " ".join(phrase.english)


def _example(phrase: Phrase) -> PhraseExample:
    return PhraseExample(
        _text(phrase), " ".join(word for word, _ in phrase.spanish), tuple(places for _, places in phrase.spanish)
    )
