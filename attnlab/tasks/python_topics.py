"""Sentences of the Python language reference, and for some of them the topic that they stand under.

The text lies beside this file, the same for every Python; `python_topics.md` names its source and licence. All but the
test sentences are there to be read without a label; a label is given to as few of them as you ask for.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch
from jaxtyping import Float, Int64
from torch import Generator, Tensor

from attnlab.checks import Size, checked
from attnlab.registry import Table
from attnlab.tasks.base import padded, quoted

FILE = Path(__file__).with_name("python_topics.txt")
HIDDEN, END, RARE = 1, 2, 3
SPECIAL = ["[PAD]", "[HIDDEN]", "[END]", "[RARE]"]
TEST = 40  # sentences of each topic
LEAST = 3  # a word that stands less often is RARE
LONGEST = 64  # tokens of a sentence, and of what a model reads at once

TOPICS: dict[str, str] = Table({
    "debugger": "debugger",
    "format strings": "formatstrings",
    "string methods": "string-methods",
    "sequences": "typesseq",
    "dictionaries": "typesmapping",
    "special methods": "specialnames",
    "types": "types",
    "compound statements": "compound",
})
"""The name of a label -> the heading of its sentences in the file, which is Python's own name of the topic."""


class Labelled(NamedTuple):
    """tokens: filled up with PAD behind the sentence. lengths: without PAD. labels: places in `TOPICS`."""

    tokens: Int64[Tensor, "sentences longest"]
    lengths: Int64[Tensor, " sentences"]
    labels: Int64[Tensor, " sentences"]


@checked
def words(text: str) -> list[str]:
    """The words and signs of a text, in small letters; what only marks them as program or italics is left out."""
    return re.findall(r"[a-z_]+(?:’[a-z]+)?|\d+|[^\w\s*\"“”‘’]", text.lower())


@cache
@checked
def sentences() -> dict[str, list[str]]:
    """{heading: its sentences, in the order of the text}."""
    parts = FILE.read_text(encoding="utf-8").removeprefix("# ").split("\n# ")
    return {heading: rest.splitlines() for heading, _, rest in (part.partition("\n") for part in parts)}


@checked
class PythonTopics:
    """The sentences as ids. `text` [tokens]: all that a model may read without labels, an END after each sentence.

    `vocabulary`: SPECIAL, then the words of `text` that stand there `LEAST` times, the most frequent first.
    `test`: `TEST` sentences of each topic, always the same; `test_sentences`: as written; `held_out`: in a row, as
    `text`. They are not in `text`, except for five of the 320, which stand word by word in another place, too.
    """

    def __init__(self) -> None:
        generator = Generator().manual_seed(0)
        self._pools, test, reading = [], [], []
        for heading, found in sentences().items():
            labelled = heading in TOPICS.values()
            order = torch.randperm(len(found), generator=generator).tolist() if labelled else []
            held_out, rest = set(order[:TEST]), order[TEST:]
            reading += [sentence for i, sentence in enumerate(found) if i not in held_out]
            if labelled:
                test.append([found[i] for i in order[:TEST]])
                self._pools.append([found[i] for i in rest])
        counts = Counter(word for sentence in reading for word in words(sentence))
        self.vocabulary = SPECIAL + [word for word, count in counts.most_common() if count >= LEAST]
        self._ids = {word: token for token, word in enumerate(self.vocabulary)}
        self.test = self._labelled(test)
        self.test_sentences = [sentence for found in test for sentence in found]
        self.text, self.held_out = self._in_a_row(reading), self._in_a_row(self.test_sentences)

    def encode(self, text: str) -> Int64[Tensor, " tokens"]:
        """Ids of the words of a text, RARE where one is not in the vocabulary. ValueError for a text without words."""
        found = words(text)
        if not found:
            raise ValueError(f"expected a text with a word of the letters a to z, got {quoted(text)}")
        return torch.tensor([self._ids.get(word, RARE) for word in found])

    def windows(self, size: Size, length: Size, generator: Generator) -> Int64[Tensor, "size length"]:
        """`size` random pieces of `text`, `length` tokens each. ValueError for a length beyond the text's."""
        if length > len(self.text):
            raise ValueError(f"expected a length from 1 to {len(self.text)} tokens, got {length}")
        pieces = self.text.unfold(0, length, 1)
        return pieces[torch.randint(len(pieces), (size,), generator=generator)]

    def unlabelled(self) -> Int64[Tensor, "sentences longest"]:
        """The sentences of `text`, one a row, filled up with PAD."""
        ends = torch.nonzero(self.text == END)[:, 0].tolist()
        starts = [0, *(end + 1 for end in ends[:-1])]
        return padded([self.text[start:end] for start, end in zip(starts, ends, strict=True)])

    def few(self, each: Size, generator: Generator) -> Labelled:
        """`each` labelled sentences of every topic, drawn without replacement from those that `text` holds, too.

        ValueError for more than the topic with the fewest has.
        """
        most = min(map(len, self._pools))
        if each > most:
            raise ValueError(f"expected from 1 to {most} sentences of each topic, got {each}")
        draws = [torch.randperm(len(pool), generator=generator)[:each].tolist() for pool in self._pools]
        return self._labelled([[pool[i] for i in drawn] for pool, drawn in zip(self._pools, draws, strict=True)])

    def _in_a_row(self, found: Sequence[str]) -> Tensor:
        """[tokens], an END after each sentence."""
        return torch.cat([torch.cat([self.encode(sentence), torch.tensor([END])]) for sentence in found])

    def _labelled(self, by_topic: Sequence[Sequence[str]]) -> Labelled:
        rows = [self.encode(sentence)[:LONGEST] for found in by_topic for sentence in found]
        labels = [label for label, found in enumerate(by_topic) for _ in found]
        return Labelled(padded(rows), torch.tensor([len(row) for row in rows]), torch.tensor(labels))


@checked
def word_counts(tokens: Int64[Tensor, "sentences longest"], vocabulary: Size) -> Float[Tensor, "sentences vocabulary"]:
    """How often each word stands in each sentence; SPECIAL ones do not count."""
    counts = torch.zeros(len(tokens), vocabulary).scatter_add_(1, tokens, torch.ones(tokens.shape))
    counts[:, : len(SPECIAL)] = 0
    return counts
