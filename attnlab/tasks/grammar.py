"""A small grammar of English and Spanish at once: it draws sentences and understands typed ones.

Articles and adjectives take gender and number from a noun, adjectives stand behind it and in mirrored order, a pronoun
melts into its verb, ``not`` moves in front of it. Each Spanish word remembers the English words it is built from.
"""

import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from attnlab.checks import checked

Option = TypeVar("Option")


class Noun(NamedTuple):
    """English and Spanish, singular and plural; ``plural`` is empty for what is not counted."""

    singular: str
    plural: str
    spanish: tuple[str, str]
    gender: str
    kind: str


class Verb(NamedTuple):
    """Forms in both languages. ``spanish`` is I, you, he, we, they; ``objects`` are kinds of nouns."""

    base: str
    third: str
    ing: str
    gerund: str
    spanish: tuple[str, ...]
    objects: tuple[str, ...]


NOUNS = [
    Noun(singular, plural, (one, many), gender, kind)
    for singular, plural, one, many, gender, kind in [
        ("man", "men", "hombre", "hombres", "m", "person"),
        ("woman", "women", "mujer", "mujeres", "f", "person"),
        ("boy", "boys", "niño", "niños", "m", "person"),
        ("girl", "girls", "niña", "niñas", "f", "person"),
        ("dog", "dogs", "perro", "perros", "m", "animal"),
        ("cat", "cats", "gato", "gatos", "m", "animal"),
        ("bread", "", "pan", "", "m", "food"),
        ("cheese", "", "queso", "", "m", "food"),
        ("apple", "apples", "manzana", "manzanas", "f", "food"),
        ("milk", "", "leche", "", "f", "drink"),
        ("coffee", "", "café", "", "m", "drink"),
        ("book", "books", "libro", "libros", "m", "text"),
        ("letter", "letters", "carta", "cartas", "f", "text"),
        ("song", "songs", "canción", "canciones", "f", "text"),
        ("house", "houses", "casa", "casas", "f", "thing"),
        ("car", "cars", "coche", "coches", "m", "thing"),
        ("table", "tables", "mesa", "mesas", "f", "thing"),
        ("garden", "gardens", "jardín", "jardines", "m", "place"),
        ("city", "cities", "ciudad", "ciudades", "f", "place"),
        ("street", "streets", "calle", "calles", "f", "place"),
        ("area", "areas", "zona", "zonas", "f", "economy"),
        ("plan", "plans", "plan", "planes", "m", "economy"),
    ]
]

VERBS = [
    Verb("eat", "eats", "eating", "comiendo", ("como", "comes", "come", "comemos", "comen"), ("food",)),
    Verb("drink", "drinks", "drinking", "bebiendo", ("bebo", "bebes", "bebe", "bebemos", "beben"), ("drink",)),
    Verb("read", "reads", "reading", "leyendo", ("leo", "lees", "lee", "leemos", "leen"), ("text",)),
    Verb(
        "write",
        "writes",
        "writing",
        "escribiendo",
        ("escribo", "escribes", "escribe", "escribimos", "escriben"),
        ("text",),
    ),
    Verb(
        "buy",
        "buys",
        "buying",
        "comprando",
        ("compro", "compras", "compra", "compramos", "compran"),
        ("food", "drink", "text", "thing"),
    ),
    Verb(
        "sell",
        "sells",
        "selling",
        "vendiendo",
        ("vendo", "vendes", "vende", "vendemos", "venden"),
        ("food", "drink", "text", "thing"),
    ),
    Verb(
        "watch",
        "watches",
        "watching",
        "mirando",
        ("miro", "miras", "mira", "miramos", "miran"),
        ("thing", "place", "economy"),
    ),
    Verb(
        "paint",
        "paints",
        "painting",
        "pintando",
        ("pinto", "pintas", "pinta", "pintamos", "pintan"),
        ("thing", "place"),
    ),
]

# In the order in which English stacks them; at most one of each line stands before a noun.
ADJECTIVES = [
    {"big": "grande", "small": "pequeño"},
    {"expensive": "caro", "cheap": "barato"},
    {"new": "nuevo", "old": "viejo"},
    {"red": "rojo", "white": "blanco", "black": "negro"},
    {"european": "europeo", "spanish": "español"},
    {"economic": "económico"},
]
FITS = {
    "person": (2, 4),
    "animal": (0, 2, 3, 4),
    "food": (0, 1, 3, 4),
    "drink": (1, 3, 4),
    "text": (1, 2, 4),
    "thing": (0, 1, 2, 3, 4),
    "place": (0, 2, 4),
    "economy": (0, 2, 4, 5),
}

# Spanish forms: masculine, feminine, masculine plural, feminine plural.
DETERMINERS = {
    "the": ("el", "la", "los", "las"),
    "a": ("un", "una", "", ""),
    "some": ("", "", "unos", "unas"),
    "this": ("este", "esta", "", ""),
    "these": ("", "", "estos", "estas"),
    "my": ("mi", "mi", "mis", "mis"),
    "our": ("nuestro", "nuestra", "nuestros", "nuestras"),
}
OWN = ("my", "our")
ANIMAL_VERBS = ("eat", "drink", "watch")
AN = ("apple", "area", "old", "expensive", "economic")
PREPOSITIONS = {"in": "en", "on": "sobre", "under": "bajo", "with": "con", "for": "para", "of": "de"}
PERSONS = {"i": 0, "you": 1, "he": 2, "she": 2, "we": 3, "they": 4}
BE = ("am", "are", "is", "are", "are")
ESTAR = ("estoy", "estás", "está", "estamos", "están")
SER = ("soy", "eres", "es", "somos", "son")
PLACES = ("in", "on", "under", "with")
NOUN_OF = {word: noun for noun in NOUNS for word in noun[:2] if word}
VERB_OF = {word: verb for verb in VERBS for word in verb[:3]}


@dataclass(frozen=True)
class Phrase:
    """English words, and Spanish words each with the places of the English words it is built from.

    ``head`` is the place of the word that decides about agreement, ``person`` its line in a verb's table.
    """

    english: tuple[str, ...]
    spanish: tuple[tuple[str, frozenset[int]], ...]
    head: int = 0
    person: int = 2


@checked
def noun_phrase(determiner: str, adjectives: Sequence[str], noun: Noun, plural: bool) -> Phrase:
    """``the european economic area`` to ``la zona económica europea``. An empty determiner leaves the article out."""
    english = [*adjectives, noun.plural if plural else noun.singular]
    if determiner:
        english.insert(0, "an" if determiner == "a" and english[0] in AN else determiner)
    head, form = len(english) - 1, 2 * plural + (noun.gender == "f")
    article = [(DETERMINERS[determiner][form], frozenset({0, head}))] if determiner else []
    behind = [
        (agreeing(english[place])[form], frozenset({place, head})) for place in reversed(range(len(article), head))
    ]
    spanish = [*article, (noun.spanish[plural], frozenset({head})), *behind]
    return Phrase(tuple(english), tuple(spanish), head, 4 if plural else 2)


@checked
def agreeing(adjective: str) -> tuple[str, str, str, str]:
    """Spanish forms of an English adjective: masculine, feminine, masculine plural, feminine plural."""
    word = next(line[adjective] for line in ADJECTIVES if adjective in line)
    if word.endswith("e"):
        return word, word, word + "s", word + "s"
    if word.endswith("o"):
        return word, word[:-1] + "a", word + "s", word[:-1] + "as"
    return word, word + "a", word + "es", word + "as"


@checked
def pronoun(word: str) -> Phrase:
    """A pronoun has no word of its own in Spanish: the verb's ending says it."""
    return Phrase((word,), (), 0, PERSONS[word])


@checked
def prepositional(preposition: str, inner: Phrase) -> Phrase:
    """``in the house`` to ``en la casa``; ``of the`` melts to ``del``."""
    phrase = joined(Phrase((preposition,), ((PREPOSITIONS[preposition], frozenset({0})),)), inner)
    (first, places), (second, more), *rest = phrase.spanish
    if (first, second) == ("de", "el"):
        return Phrase(phrase.english, (("del", places | more), *rest))
    return phrase


@checked
def progressive(subject: Phrase, verb: Verb, negated: bool) -> Phrase:
    """``we are not eating`` to ``no estamos comiendo``."""
    start = being(subject, ESTAR, negated)
    return Phrase((*start.english, verb.ing), (*start.spanish, (verb.gerund, frozenset({len(start.english)}))))


@checked
def present(subject: Phrase, verb: Verb, negated: bool) -> Phrase:
    """``he does not eat`` to ``no come``."""
    third, start = subject.person == 2, len(subject.english)
    words = ["does" if third else "do", "not", verb.base] if negated else [verb.third if third else verb.base]
    built_from = {subject.head, start, start + 2} if negated else {subject.head, start}
    no = [("no", frozenset({start + 1}))] if negated else []
    spoken = (verb.spanish[subject.person], frozenset(built_from))
    return Phrase((*subject.english, *words), (*subject.spanish, *no, spoken))


@checked
def being(subject: Phrase, forms: tuple[str, ...], negated: bool) -> Phrase:
    """Subject and a form of ``be``: ``we are not`` to ``no estamos``."""
    start = len(subject.english)
    words = (BE[subject.person], "not") if negated else (BE[subject.person],)
    no = [("no", frozenset({start + 1}))] if negated else []
    spoken = (forms[subject.person], frozenset({subject.head, start}))
    return Phrase((*subject.english, *words), (*subject.spanish, *no, spoken))


@checked
def described(subject: Phrase, noun: Noun, adjective: str, negated: bool) -> Phrase:
    """``the houses are not red`` to ``las casas no son rojas``."""
    start = being(subject, SER, negated)
    form = 2 * (subject.person == 4) + (noun.gender == "f")
    red = (agreeing(adjective)[form], frozenset({subject.head, len(start.english)}))
    return Phrase((*start.english, adjective), (*start.spanish, red))


@checked
def joined(first: Phrase, *others: Phrase) -> Phrase:
    """Phrases one after the other in both languages."""
    for other in others:
        shift = len(first.english)
        moved = tuple((word, frozenset(place + shift for place in places)) for word, places in other.spanish)
        first = Phrase(first.english + other.english, first.spanish + moved, first.head, first.person)
    return first


@checked
class Grammar:
    """Draws sentences. The same seed gives the same sentences."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def pick(self, options: Sequence[Option]) -> Option:
        return options[int(self.chance.random() * len(options))]

    def often(self, probability: float) -> bool:
        return self.chance.random() < probability

    def sentence(self) -> Phrase:
        """A noun phrase, something about a noun, a place, or somebody doing something."""
        return self.pick([self.naming, self.describing, self.placing, self.doing, self.doing, self.doing])()

    def naming(self) -> Phrase:
        phrase = self.some_noun(self.pick(NOUNS), list(DETERMINERS))
        return joined(phrase, self.after(self.pick(["in", "of", "for"]))) if self.often(0.3) else phrase

    def describing(self) -> Phrase:
        noun = self.pick(NOUNS)
        subject = self.some_noun(noun, ["the", "this", "these", "my", "our"], most=1)
        lines = [ADJECTIVES[line] for line in FITS[noun.kind]]
        adjective = self.pick([word for line in lines if line.keys().isdisjoint(subject.english) for word in line])
        return described(subject, noun, adjective, self.often(0.3))

    def placing(self) -> Phrase:
        return joined(being(self.subject(("person", "animal")), ESTAR, self.often(0.3)), self.place())

    def doing(self) -> Phrase:
        verb = self.pick(VERBS)
        kinds = ("person", "animal") if verb.base in ANIMAL_VERBS else ("person",)
        clause = self.pick([progressive, present])(self.subject(kinds), verb, self.often(0.25))
        thing = self.pick([noun for noun in NOUNS if noun.kind in verb.objects])
        clause = joined(clause, self.some_noun(thing, ["", "", "the", "a", "some", "this", "these", "my", "our"]))
        return joined(clause, self.place()) if self.often(0.2) else clause

    def subject(self, kinds: Sequence[str]) -> Phrase:
        if self.often(0.5):
            return pronoun(self.pick(list(PERSONS)))
        return self.some_noun(
            self.pick([noun for noun in NOUNS if noun.kind in kinds]), ["the", "this", "these", "my", "our"], most=1
        )

    def place(self) -> Phrase:
        return self.after(self.pick(["in", "in", "on", "under", "with"]))

    def after(self, preposition: str) -> Phrase:
        """A preposition with a noun that fits it."""
        kinds = {
            "in": ("place",),
            "on": ("thing",),
            "under": ("thing",),
            "with": ("person", "animal"),
            "for": ("person",),
            "of": ("person", "place"),
        }[preposition]
        noun = self.pick([noun for noun in NOUNS if noun.kind in kinds])
        return prepositional(preposition, self.some_noun(noun, ["the", "the", "my", "our"], most=1))

    def some_noun(self, noun: Noun, determiners: Sequence[str], most: int = 2) -> Phrase:
        """A phrase with this noun, up to ``most`` adjectives and one of the determiners that fit its number."""
        plural = bool(noun.plural) and self.often(0.4)
        bare = plural or not noun.plural
        fitting = [
            word
            for word in determiners
            if (DETERMINERS[word][2 * plural] if word else bare)
            and not (word == "a" and not noun.plural)
            and not (word in OWN and noun.kind == "person")
        ]
        lines = sorted(self.pick(FITS[noun.kind]) for _ in range(self.pick(range(most + 1))))
        adjectives = [self.pick(list(ADJECTIVES[line])) for line in dict.fromkeys(lines)]
        return noun_phrase(self.pick(fitting), adjectives, noun, plural)


@checked
def understood(words: Sequence[str]) -> Phrase | None:
    """The phrase behind English words; None where this grammar has none.

    It reads loosely: what it builds from the words is right if it says them again in English.
    """
    try:
        phrase = _sentence(deque(words))
    except LookupError:
        return None
    return phrase if phrase.english == tuple(words) else None


def _sentence(words: deque[str]) -> Phrase:
    """Takes words from the left. LookupError where the next word does not fit, here and in the functions below."""
    if words[0] in PERSONS:
        phrase = _about(None, pronoun(words.popleft()), words)
    else:
        noun, phrase = _noun_with_company(words)
        if words and words[0] not in PREPOSITIONS:
            phrase = _about(noun, phrase, words)
    while words:
        phrase = joined(phrase, _with_preposition(words))
    return phrase


def _about(noun: Noun | None, subject: Phrase, words: deque[str]) -> Phrase:
    auxiliary = words.popleft() if words[0] in (*BE, "do", "does") else ""
    negated = words[0] == "not"
    if negated:
        words.popleft()
    if words[0] in PLACES:
        return joined(being(subject, ESTAR, negated), _with_preposition(words))
    if words[0] not in VERB_OF:
        if noun is None:
            raise LookupError("what has no noun is not described")
        _fits(any(words[0] in line for line in ADJECTIVES))
        return described(subject, noun, words.popleft(), negated)
    verb = VERB_OF[words.popleft()]
    clause = (progressive if auxiliary in BE else present)(subject, verb, negated)
    thing, phrase = _noun_with_company(words)
    _fits(thing.kind in verb.objects)
    return joined(clause, phrase)


def _with_preposition(words: deque[str]) -> Phrase:
    _fits(words[0] in PREPOSITIONS)
    return prepositional(words.popleft(), _noun_with_company(words)[1])


def _noun_with_company(words: deque[str]) -> tuple[Noun, Phrase]:
    determiner, adjectives = "", []
    if words[0] in DETERMINERS or words[0] == "an":
        determiner = words.popleft().replace("an", "a")
    while any(words[0] in line for line in ADJECTIVES):
        adjectives.append(words.popleft())
    noun = NOUN_OF[words[0]]
    plural = words.popleft() == noun.plural
    _fits(not determiner or DETERMINERS[determiner][2 * plural] != "")
    return noun, noun_phrase(determiner, adjectives, noun, plural)


def _fits(condition: bool) -> None:
    if not condition:
        raise LookupError("the next word does not fit")
