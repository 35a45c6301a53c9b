"""What every task from text to text offers: pairs to learn from, held-out pairs, and reading and writing of ids."""
import difflib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import torch
from jaxtyping import Int64
from torch import Generator, Tensor

PAD, BOS, EOS = 0, 1, 2
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


class Task:
    """A task from text to text. A subclass gives vocabularies, ``pairs()``, ``test`` and how text falls into tokens.

    ``source_vocabulary`` and ``target_vocabulary`` are lists of tokens whose index is their id.
    """

    name: str
    source_vocabulary: list[str]
    target_vocabulary: list[str]
    test: list[Example]
    longest = 60
    joint = ""

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

    def write(self, ids: Iterable[int] | Tensor) -> str:
        """The target text of ids, up to the first EOS."""
        words = []
        for token in torch.as_tensor(ids if isinstance(ids, Tensor) else list(ids)).tolist():
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

    def batch(self, size: int, generator: Generator) -> Batch:
        """``size`` training pairs, drawn with replacement."""
        check_size(size, "pair")
        pool = self._pool
        drawn = torch.randint(len(pool.source), (size,), generator=generator)
        return shortened(Batch(*(part[drawn] for part in pool)))

    def collate(self, examples: Sequence[Example]) -> Batch:
        """These examples as one batch."""
        sources = [torch.tensor([self._source_ids[token] for token in self.tokens(example.source)])
                   for example in examples]
        return Batch(padded(sources), torch.tensor([len(source) for source in sources]),
                     padded([self.target_ids(example.target) for example in examples]))

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
        if not isinstance(text, str):
            raise ValueError(f"expected a text, got {type(text).__name__}")
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


def check_size(size: int, unit: str) -> None:
    """ValueError for a batch of nothing."""
    if size < 1:
        raise ValueError(f"expected a batch of at least 1 {unit}, got {size}")


def padded(rows: Sequence[Tensor]) -> Int64[Tensor, "rows longest"]:
    """Rows of ids of different lengths as one tensor, filled up with PAD."""
    return torch.nn.utils.rnn.pad_sequence(list(rows), batch_first=True, padding_value=PAD)


def shortened(batch: Batch) -> Batch:
    """The batch without columns that are PAD in every row."""
    source = batch.source[:, : int(batch.source_lengths.max())]
    target = batch.target[:, : int((batch.target != PAD).sum(1).max())]
    return Batch(source, batch.source_lengths, target)


def quoted(text: str, length: int = 40) -> str:
    """A text in quotation marks, cut where it is long, with a code for what cannot be seen."""
    shown = "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text[:length])
    return f'"{shown}"' if len(text) <= length else f'"{shown}..."'


def named(character: str) -> str:
    """A character with its Unicode name, since a strange one is hard to see: ``"🚀" (ROCKET)``."""
    return f'{quoted(character)} ({unicodedata.name(character, "no name")})'


def listed(parts: Iterable[str], most: int = 4) -> str:
    """``a, b and c``; of many parts the first few."""
    parts = list(parts)
    if len(parts) > most:
        parts = [*parts[:most], f"{len(parts) - most} more"]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that looks most like this one, or nothing."""
    return next(iter(difflib.get_close_matches(word[:40], sorted(known), n=1)), "")
