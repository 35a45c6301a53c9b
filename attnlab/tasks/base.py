"""What every task from text to text offers: pairs to learn from, held-out pairs, and reading and writing of ids."""

import difflib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import torch
from jaxtyping import Int, Int64
from torch import Generator, Tensor

from attnlab.checks import PAD, Size, checked

BOS, EOS = 1, 2
SPECIAL = ["<PAD>", "<BOS>", "<EOS>"]


class Batch(NamedTuple):
    """Pairs as ids, padded with PAD: source ``[batch, source]``, its lengths ``[batch]``, target ``[batch, target]``
    from BOS to EOS."""

    source: Int64[Tensor, "batch source"]
    source_lengths: Int64[Tensor, " batch"]
    target: Int64[Tensor, "batch target"]


@dataclass(frozen=True)
class Example:
    """One pair of texts."""

    source: str
    target: str


@checked
class Task:
    """A task from text to text. A subclass gives vocabularies, ``pairs()``, ``test`` and how text falls into tokens."""

    name: str
    longest = 60
    joint = ""

    @cached_property
    def source_vocabulary(self) -> list[str]:
        """The source tokens; the index of a token is its id."""
        raise NotImplementedError

    @cached_property
    def target_vocabulary(self) -> list[str]:
        """The target tokens; the index of a token is its id."""
        raise NotImplementedError

    @cached_property
    def test(self) -> Sequence[Example]:
        """Held-out pairs."""
        raise NotImplementedError

    def pairs(self) -> list[tuple[str, str]]:
        """All training pairs of texts."""
        raise NotImplementedError

    def normalise(self, text: str) -> str:
        """The text in the spelling in which the task was learned."""
        return " ".join(unicodedata.normalize("NFKC", text).lower().split())

    def tokens(self, text: str) -> list[str]:
        """The source tokens of a text, as the rows and columns of a matrix are labelled with them."""
        return list(self.normalise(text))

    def target_tokens(self, text: str) -> list[str]:
        """The tokens of a target text, without BOS and EOS."""
        return list(text)

    def read(self, text: str) -> Int64[Tensor, " source"]:
        """Ids of a typed source text. ValueError, with help, for a text that the task does not know."""
        return torch.tensor([self._source_ids[token] for token in self._known(text)])

    def write(self, ids: Iterable[int] | Int[Tensor, " target"]) -> str:
        """The target text of ids, up to the first EOS."""
        words = []
        for token in ids.tolist() if isinstance(ids, Tensor) else ids:
            if token == EOS:
                break
            if not 0 <= token < len(self.target_vocabulary):
                raise ValueError(f"expected ids from 0 to {len(self.target_vocabulary) - 1}, got {token}")
            if token not in (PAD, BOS):
                words.append(self.target_vocabulary[int(token)])
        return self.joint.join(words)

    def target_ids(self, text: str) -> Int64[Tensor, " target"]:
        """Ids of a target text, from BOS to EOS."""
        return torch.tensor([BOS, *(self._target_ids[token] for token in self.target_tokens(text)), EOS])

    def batch(self, size: Size, generator: Generator) -> Batch:
        """``size`` training pairs, drawn with replacement."""
        pool = self._pool
        drawn = torch.randint(len(pool.source), (size,), generator=generator)
        return shortened(Batch(*(part[drawn] for part in pool)))

    def collate(self, examples: Sequence[Example]) -> Batch:
        """These examples as one batch."""
        sources = [
            torch.tensor([self._source_ids[token] for token in self.tokens(example.source)]) for example in examples
        ]
        return Batch(
            padded(sources),
            torch.tensor([len(source) for source in sources]),
            padded([self.target_ids(example.target) for example in examples]),
        )

    @cached_property
    def _source_ids(self) -> dict[str, int]:
        return {token: index for index, token in enumerate(self.source_vocabulary)}

    @cached_property
    def _target_ids(self) -> dict[str, int]:
        return {token: index for index, token in enumerate(self.target_vocabulary)}

    @cached_property
    def _pool(self) -> Batch:
        return self.collate([Example(source, target) for source, target in self.pairs()])

    def _known(self, text: str) -> list[str]:
        length = len(self.normalise(text))
        if length > self.longest:
            raise ValueError(f"expected a text of at most {self.longest} characters, got {length}: {quoted(text)}")
        tokens = self.tokens(text)
        if not tokens:
            raise ValueError(f"expected {self.examples}; got an empty text")
        unknown = [token for token in dict.fromkeys(tokens) if token not in self._source_ids]
        if unknown:
            raise ValueError(self._unknown(text, unknown))
        return tokens

    @property
    def examples(self) -> str:
        """What the task reads, in words for a message."""
        return f"a text such as {quoted(self.test[0].source)}"

    def _unknown(self, text: str, unknown: list[str]) -> str:
        return f"{quoted(text)} holds {listed(map(named, unknown))}, never seen in training; I know {self.examples}"


@checked
def padded(rows: Sequence[Tensor]) -> Int64[Tensor, "rows longest"]:
    """Rows of ids of different lengths as one tensor, filled up with PAD."""
    if not rows:
        raise ValueError("expected at least one row of ids, got none")
    return torch.nn.utils.rnn.pad_sequence(list(rows), batch_first=True, padding_value=PAD)


@checked
def shortened(batch: Batch) -> Batch:
    """The batch without columns that are PAD in every row."""
    source = batch.source[:, : int(batch.source_lengths.max())]
    target = batch.target[:, : int((batch.target != PAD).sum(1).max())]
    return Batch(source, batch.source_lengths, target)


@checked
def quoted(text: str, length: Size = 40) -> str:
    """A text in quotation marks, cut where it is long, with a code for what cannot be seen."""
    shown = "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text[:length])
    return f'"{shown}"' if len(text) <= length else f'"{shown}..."'


@checked
def named(character: str) -> str:
    """A character with its Unicode name, since a strange one is hard to see: ``"🚀" (ROCKET)``."""
    if len(character) != 1:
        raise ValueError(f"expected one character, got {quoted(character)}")
    return f"{quoted(character)} ({unicodedata.name(character, 'no name')})"


@checked
def listed(parts: Iterable[str], most: Size = 4) -> str:
    """``a, b and c``; of many parts the first few."""
    parts = list(parts)
    if not parts:
        raise ValueError("expected at least one part to list, got none")
    if len(parts) > most:
        parts = [*parts[:most], f"{len(parts) - most} more"]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


@checked
def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that looks most like this one, or nothing."""
    return next(iter(difflib.get_close_matches(word[:40], sorted(known), n=1)), "")
