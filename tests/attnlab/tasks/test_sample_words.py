"""The words by hand: pairs of pairs, in which nouns ask for verbs and verbs for nouns."""

from attnlab.tasks.sample_words import SAMPLE_WORDS

NOUNS, VERBS = {"cat", "bird", "fish", "mat"}, {"sat", "saw", "eat"}


def test_each_has_a_query_and_a_key_of_two_numbers():
    assert all(len(query) == len(key) == 2 for query, key in SAMPLE_WORDS.values())


def test_who_asks_for_whom():
    def most(word, others):
        (thing, doing), _ = SAMPLE_WORDS[word]
        return max(others, key=lambda other: thing * SAMPLE_WORDS[other][1][0] + doing * SAMPLE_WORDS[other][1][1])

    assert all(most(noun, NOUNS | VERBS - {noun}) in VERBS for noun in NOUNS - {"fish"})
    assert all(most(verb, NOUNS | VERBS) in NOUNS for verb in VERBS)
