"""Phrasebook: alignment of hand-written sentences, agreement checked by another way than the grammar's own."""

import re
from itertools import pairwise

import pytest
import torch
from shapes import unchecked

from attnlab.tasks.grammar import (
    ESTAR,
    NOUN_OF,
    NOUNS,
    VERB_OF,
    being,
    described,
    joined,
    noun_phrase,
    prepositional,
    present,
    progressive,
    pronoun,
)
from attnlab.tasks.phrasebook import LECTURES, Phrasebook, Progressives

TASK = Phrasebook(pairs=4_000)
GENDER = {word: noun.gender for noun in NOUNS for word in noun.spanish if word}
PLURAL = {noun.spanish[1] for noun in NOUNS if noun.spanish[1]}
ARTICLES = {
    "el": "m1",
    "la": "f1",
    "los": "m2",
    "las": "f2",
    "un": "m1",
    "una": "f1",
    "unos": "m2",
    "unas": "f2",
    "este": "m1",
    "esta": "f1",
    "estos": "m2",
    "estas": "f2",
    "nuestro": "m1",
    "nuestra": "f1",
    "nuestros": "m2",
    "nuestras": "f2",
    "del": "m1",
    "mi": "1",
    "mis": "2",
}
ADJECTIVES = {
    stem + end: code
    for stem in ["roj", "blanc", "negr", "pequeñ", "car", "barat", "nuev", "viej", "europe", "económic"]
    for end, code in [("o", "m1"), ("a", "f1"), ("os", "m2"), ("as", "f2")]
}
ADJECTIVES |= {"grande": "1", "grandes": "2", "español": "m1", "española": "f1", "españoles": "m2", "españolas": "f2"}


@pytest.fixture(scope="module", autouse=True)
def pairs():
    """All of the training, and with it the test. In `test_tasks.py` shapes are checked while they are drawn."""
    with unchecked():
        return TASK.pairs()


def agree(code, noun):
    """Whether gender and number of a form are those of a noun."""
    return code[-1] == ("2" if noun in PLURAL else "1") and code[0] in (GENDER[noun], "1", "2")


def test_the_sentences_of_the_lectures_are_held_out():
    bread, area = TASK.test[:2]
    assert (bread.source, area.source) == LECTURES
    assert bread.target == "estamos comiendo pan"
    assert area.target == "la zona económica europea"


def test_alignment_of_the_lectures():
    assert [TASK.alignment(example) for example in TASK.test[:2]] == [
        [{0, 1}, {2}, {3}],
        [{0, 3}, {3}, {2, 3}, {1, 3}],
    ]


def np(text):
    """A noun phrase of words such as "the small girls"."""
    determiner, *adjectives, last = text.split()
    noun = NOUN_OF[last]
    return noun_phrase("a" if determiner == "an" else determiner, adjectives, noun, last == noun.plural)


@pytest.mark.parametrize(
    ("phrase", "english", "spanish", "justified"),
    [
        (
            joined(progressive(pronoun("i"), VERB_OF["eat"], False), noun_phrase("", [], NOUN_OF["bread"], False)),
            "i am eating bread",
            "estoy comiendo pan",
            "i+am eating bread",
        ),
        (
            joined(being(pronoun("they"), ESTAR, True), prepositional("under", np("our cars"))),
            "they are not under our cars",
            "no están bajo nuestros coches",
            "not they+are under our+cars cars",
        ),
        (
            described(np("these cities"), NOUN_OF["city"], "old", False),
            "these cities are old",
            "estas ciudades son viejas",
            "these+cities cities cities+are cities+old",
        ),
        (
            joined(
                present(np("the spanish girls"), VERB_OF["sell"], True),
                noun_phrase("", ["white", "european"], NOUN_OF["milk"], False),
            ),
            "the spanish girls do not sell white european milk",
            "las niñas españolas no venden leche europea blanca",
            "the+girls girls spanish+girls not girls+do+sell milk european+milk white+milk",
        ),
        (
            joined(np("an old letter"), prepositional("of", np("the man"))),
            "an old letter of the man",
            "una carta vieja del hombre",
            "an+letter letter old+letter of+the+man man",
        ),
        (present(pronoun("she"), VERB_OF["watch"], False), "she watches", "mira", "she+watches"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_hand_written_sentences(phrase, english, spanish, justified):
    words = english.split()
    assert phrase.english == tuple(words)
    assert " ".join(word for word, _ in phrase.spanish) == spanish
    found = [{words[place] for place in places} for _, places in phrase.spanish]
    assert found == [set(part.split("+")) for part in justified.split()]


def test_articles_and_adjectives_agree_with_the_noun_they_follow_or_precede(pairs):
    """Read off the Spanish alone: an article looks right to its noun, an adjective left to the last noun."""
    for _, spanish in pairs:
        words = spanish.split()
        for i, word in enumerate(words):
            if word in ARTICLES:
                noun = next(other for other in words[i:] if other in GENDER)
                assert agree(ARTICLES[word], noun), spanish
            if word in ADJECTIVES:
                noun = next(other for other in reversed(words[:i]) if other in GENDER)
                assert agree(ADJECTIVES[word], noun), spanish


def test_adjectives_stand_mirrored_behind_their_noun():
    english = {
        "big": "grande",
        "small": "pequeñ",
        "expensive": "car",
        "cheap": "barat",
        "new": "nuev",
        "old": "viej",
        "red": "roj",
        "white": "blanc",
        "black": "negr",
        "european": "europe",
        "spanish": "españ",
        "economic": "económic",
    }
    stacked = 0
    for example in TASK.test:
        words, target = example.source.split(), example.target.split()
        for i in range(len(words) - 2):
            if words[i] in english and words[i + 1] in english:
                pairs = pairwise(target)
                assert any(a.startswith(english[words[i + 1]]) and b.startswith(english[words[i]]) for a, b in pairs)
                stacked += 1
    assert stacked > 50


def test_not_is_no_in_front_of_the_verb():
    for example in TASK.test:
        words, target = example.source.split(), example.target.split()
        assert ("not" in words) == ("no" in target)
        if "no" in target:
            assert example.places[target.index("no")] == {words.index("not")}


def test_an_stands_before_vowels_only(pairs):
    for english, _ in pairs:
        words = english.split()
        for word, after in pairwise(words):
            if word in ("a", "an"):
                assert (word == "an") == (after[0] in "aeio" and after != "european")


def test_of_the_melts_to_del(pairs):
    targets = [target for _, target in pairs]
    assert not any(" de el " in f" {target} " for target in targets)
    example = next(example for example in TASK.test if " del " in example.target)
    words = example.source.split()
    place = example.target.split().index("del")
    assert {"of", "the"} <= {words[i] for i in example.places[place]}


def test_every_english_word_justifies_something():
    for example in TASK.test:
        assert set().union(*example.places) == set(range(len(example.source.split())))


def test_all_words_occur_in_training(pairs):
    assert {word for english, _ in pairs for word in english.split()} == set(TASK.source_vocabulary[3:])
    assert {word for _, spanish in pairs for word in spanish.split()} == set(TASK.target_vocabulary[3:])
    assert len(TASK.source_vocabulary) + len(TASK.target_vocabulary) - 6 >= 150
    assert len(TASK.test) == len({example.source for example in TASK.test}) == 600


def test_one_english_sentence_has_one_translation(pairs):
    meant = {}
    for english, spanish in [*pairs, *((example.source, example.target) for example in TASK.test)]:
        assert meant.setdefault(english, spanish) == spanish


def test_typed_sentences():
    expected = TASK.read("we are not eating bread")
    for text in ["We're not eating bread.", "  we ARE not\teating bread !", "we’re not eating bread"]:
        assert torch.equal(TASK.read(text), expected)
    assert TASK.tokens("They don't eat bread?") == ["they", "do", "not", "eat", "bread"]


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("we are eating bred", 'holds "bred" (did you mean "bread"?), not in this phrasebook'),
        ("the quantum flux", '"quantum" and "flux"'),
        ("<script>alert(1)</script>", '"<script>alert(1)</script>"'),
        ("...", "expected English sentences made of 102 words"),
    ],
)
def test_help(text, help):
    with pytest.raises(ValueError, match=re.escape(help)):
        TASK.read(text)


def test_every_sentence_of_the_grammar_is_understood(pairs):
    for example in TASK.test:
        assert TASK.recognise(example.source) == example
    for english, spanish in pairs[:500]:
        assert TASK.recognise(english).target == spanish


@pytest.mark.parametrize(
    ("text", "spanish"),
    [
        ("We're not eating bread.", "no estamos comiendo pan"),
        ("The old man doesn't read my letters", "el hombre viejo no lee mis cartas"),
        ("the cats of the girls are small", None),
        ("the cat of the girl", "el gato de la niña"),
        ("he is on the table of the boy", "está sobre la mesa del niño"),
        ("we is eating bread", None),
        ("he eat bread", None),
        ("we eats bread", None),
        ("a apple", None),
        ("an book", None),
        ("these book", None),
        ("this books", None),
        ("we are", None),
        ("the", None),
        ("we", None),
        ("not", None),
        ("", None),
        ("we are eating the man", None),
        ("we are red", None),
        ("bread eating are we", None),
        ("we do eating bread", None),
        ("the house is not", None),
        ("we not eat bread", None),
        ("the dog is for the boy", None),
        ("hello world", None),
        ("of the house", None),
        ("the house of", None),
    ],
)
def test_recognise(text, spanish):
    example = TASK.recognise(text)
    assert (example.target if example else None) == spanish


def test_progressives_are_every_sentence_of_that_kind_once():
    task = Progressives(tests=50)
    sentences = [*(example.source for example in task.test), *(english for english, _ in task.pairs())]
    assert len(sentences) == len(set(sentences)) == 6 * 2 * 47  # pronouns, with and without "not", verbs with objects
    assert task.test[0].source == "we are eating bread"
    assert task.test[0].target == "estamos comiendo pan"
    assert {len(sentence.split()) for sentence in sentences} == {4, 5}
    for sentence in sentences:
        assert TASK.recognise(sentence).target == task.recognise(sentence).target


def test_progressives_hold_out_by_their_seed():
    task, again, other = Progressives(), Progressives(), Progressives(seed=1)
    assert task.test == again.test
    assert len(task.test) == 60
    assert {example.source for example in task.test}.isdisjoint(english for english, _ in task.pairs())
    assert task.test[0] == other.test[0]
    assert task.test != other.test


def test_progressives_have_no_other_words_than_their_sentences():
    task = Progressives()
    words = {word for english, _ in task.pairs() for word in english.split()}
    assert words == set(task.source_vocabulary[3:])
    assert "pan" in task.target_vocabulary
    assert "el" not in task.target_vocabulary
    with pytest.raises(ValueError, match=r'holds "the" .*, not in this phrasebook'):
        task.read("we are eating the bread")
