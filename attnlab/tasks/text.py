"""Text to continue: the reference that comes with every Python, or a file of your own, as letters or as byte pairs.

A text has no source and target. A model reads a window of it and says at each place what comes next.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Int, Int64
from torch import Generator, Tensor

from attnlab.checks import Size, checked
from attnlab.tasks.base import listed, named, quoted

LEAST = 1000  # letters: of fewer, a tenth says nothing


@checked
class Characters:
    """Each character is a token. ``vocabulary``: those of ``text``, in the order of Unicode."""

    def __init__(self, text: str) -> None:
        self.vocabulary = sorted(set(text))
        self._ids = np.full(max(map(ord, self.vocabulary), default=0) + 1, -1)
        self._ids[[ord(letter) for letter in self.vocabulary]] = np.arange(len(self.vocabulary))

    def encode(self, text: str) -> Int64[Tensor, " tokens"]:
        """Ids of a text. ValueError, with the names, for characters that are not in the vocabulary."""
        unseen = sorted(set(text) - set(self.vocabulary))
        if unseen:
            raise ValueError(
                f"{quoted(text)} holds {listed(map(named, unseen))}, never seen in this text; it has "
                f"{len(self.vocabulary)} different characters"
            )
        codes = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
        return torch.from_numpy(self._ids[codes].astype(np.int64))

    def decode(self, ids: Iterable[int] | Int[Tensor, " tokens"]) -> str:
        """The text of ids. ValueError for an id that is not in the vocabulary."""
        return "".join(self.vocabulary[token] for token in _known(ids, self.vocabulary))


@checked
class BytePairs:
    """Frequent pieces of words are tokens: begin with the 256 bytes, then again and again make one token of the pair
    that stands most often side by side, until there are ``size``. So no text is ever unknown.

    ``vocabulary``: the pieces as text; a byte that is no character by itself is written as ``<E2>``.

    **Source:** Sennrich, Haddow and Birch 2016, "Neural Machine Translation of Rare Words with Subword Units",
    section 3.2; on bytes: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.2.
    """

    def __init__(self, text: str, size: int = 512) -> None:
        if size < 256:
            raise ValueError(f"expected a vocabulary of at least the 256 bytes, got size {size}")
        # Imported here: only those who ask for byte pairs need the package.
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=size, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
        )
        tokenizer.train_from_iterator(text.splitlines(keepends=True), trainer)
        self._take(tokenizer)

    @classmethod
    def from_json(cls, written: str) -> "BytePairs":
        """The vocabulary that `json` has written down, as for a model that was trained with it."""
        from tokenizers import Tokenizer

        pairs = cls.__new__(cls)
        pairs._take(Tokenizer.from_str(written))
        return pairs

    @property
    def json(self) -> str:
        """All that was learned, in the format of the package tokenizers."""
        return self._tokenizer.to_str()

    def _take(self, tokenizer: Any) -> None:
        pieces = [tokenizer.id_to_token(token) for token in range(tokenizer.get_vocab_size())]
        self._tokenizer, self.vocabulary = tokenizer, [_piece(piece) for piece in pieces]

    def encode(self, text: str) -> Int64[Tensor, " tokens"]:
        """Ids of a text, of any characters."""
        lines = self._tokenizer.encode_batch(text.splitlines(keepends=True))
        return torch.tensor([token for line in lines for token in line.ids], dtype=torch.long)

    def decode(self, ids: Iterable[int] | Int[Tensor, " tokens"]) -> str:
        """The text of ids; a replacement character where the bytes of a character are cut.

        ValueError for an id that is not in the vocabulary.
        """
        return self._tokenizer.decode(_known(ids, self.vocabulary), skip_special_tokens=False)


@checked
class Text:
    """A text to learn from and one held out, as ids: ``training`` and ``held_out``, each ``[tokens]``.

    coding: ``Characters`` or ``BytePairs``, made from both parts: it says which tokens there are, not what comes next.
    """

    def __init__(
        self, training: str, held_out: str, coding: Callable[[str], Characters | BytePairs] = Characters
    ) -> None:
        self._coding = coding(training + held_out)
        self.vocabulary = self._coding.vocabulary
        self.training, self.held_out = self.encode(training), self.encode(held_out)
        self._held_out_letters = len(held_out)

    @classmethod
    def from_string(cls, text: str, coding: Callable[[str], Characters | BytePairs] = Characters) -> "Text":
        """Any text; its last tenth is held out. ValueError for one of fewer than a thousand letters."""
        if len(text) < LEAST:
            raise ValueError(
                f"expected a text of at least {LEAST} letters, to learn from nine tenths and to test with "
                f"the rest; got {len(text)}: {quoted(text)}"
            )
        cut = int(0.9 * len(text))
        return cls(text[:cut], text[cut:], coding)

    @classmethod
    def from_file(cls, path: str | Path, coding: Callable[[str], Characters | BytePairs] = Characters) -> "Text":
        """A text file in UTF-8; its last tenth is held out. ValueError, with help, for a file that is none."""
        return cls.from_string(_contents(Path(path).expanduser()), coding)

    @classmethod
    def python_reference(cls, coding: Callable[[str], Characters | BytePairs] = Characters) -> "Text":
        """The Python language reference, by topics in the order of their names; the last tenth of them is held out.

        Each paragraph stands only once, and none of the held-out topics in training: in the original some chapters
        stand two or three times, as a whole and by topics. See ``reference_topics``.
        """
        return cls(*reference_topics(), coding)

    def encode(self, text: str) -> Int64[Tensor, " tokens"]:
        """Ids of a text. ValueError for characters that no part of the text has (``Characters`` only)."""
        return self._coding.encode(text)

    def decode(self, ids: Iterable[int] | Int[Tensor, " tokens"]) -> str:
        """The text of ids. ValueError for an id that is not in the vocabulary."""
        return self._coding.decode(ids)

    def batch(
        self, size: Size, context: int, generator: Generator
    ) -> tuple[Int64[Tensor, "size context"], Int64[Tensor, "size context"]]:
        """``size`` random windows of the training text: inputs, and targets, which are one token further on.

        They lie on the generator's device. ValueError for a text that is shorter than the context.
        """
        windows = self._windows(self.training, context).to(generator.device)
        drawn = torch.randint(len(windows), (size,), generator=generator, device=generator.device)
        return windows[drawn, :-1], windows[drawn, 1:]

    def test(
        self, context: int, most: Size = 1000
    ) -> tuple[Int64[Tensor, "windows context"], Int64[Tensor, "windows context"]]:
        """The same windows of the held-out text every time, evenly spread, at most ``most`` of them, that overlap only
        by the token that ends one and begins the next: inputs and targets."""
        windows = self._windows(self.held_out, context)[::context]
        if len(windows) > most:
            windows = windows[torch.arange(most) * len(windows) // most]
        return windows[:, :-1], windows[:, 1:]

    @cached_property
    def letters_per_token(self) -> float:
        """Letters of the held-out text for each of its tokens.

        A loss per token divided by it is a loss per letter, which can be compared between vocabularies.
        """
        return self._held_out_letters / len(self.held_out)

    def _windows(self, ids: Tensor, context: int) -> Tensor:
        """All windows [starts, context + 1] of ids; a view."""
        if not 1 <= context < len(ids):
            raise ValueError(
                f"expected a context from 1 to {len(ids) - 1} tokens, since this part of the text has "
                f"{len(ids)}; got {context}"
            )
        return ids.unfold(0, context + 1, 1)


@checked
def reference_topics() -> tuple[str, str]:
    """The Python language reference, training and held-out part, without paragraphs that stand there twice.

    Runs of more than eight equal signs (indentation, rules, tables) are cut to eight: a model that writes would lose
    itself in them. The text differs a little from one Python to the next, and so do numbers measured with it.
    Raises ValueError where Python was installed without its ``pydoc_data``.
    """
    try:
        from pydoc_data.topics import topics
    except ImportError as error:
        raise ValueError(
            "this Python was installed without its language reference (the package pydoc_data); take a "
            "text file of your own: Text.from_file(path)"
        ) from error
    names = sorted(topics)
    cut = len(names) - len(names) // 10
    seen: set[str] = set()
    held_out = [_new_paragraphs(topics[name], seen) for name in names[cut:]]
    training = [_new_paragraphs(topics[name], seen) for name in names[:cut]]
    return "\n\n\n".join(filter(None, training)), "\n\n\n".join(filter(None, held_out))


@checked
def paragraphs(text: str) -> list[str]:
    """What stands between blank lines."""
    return re.split(r"\n\s*\n", text.strip("\n"))


def _known(ids: Iterable[int] | Tensor, vocabulary: Sequence[str]) -> list[int]:
    ids = ids.tolist() if isinstance(ids, Tensor) else [int(token) for token in ids]
    wrong = next((token for token in ids if not 0 <= token < len(vocabulary)), None)
    if wrong is not None:
        raise ValueError(f"expected ids from 0 to {len(vocabulary) - 1}, got {wrong}")
    return ids


def _new_paragraphs(text: str, seen: set[str]) -> str:
    """The paragraphs that are not in ``seen``, where they are then written down by their words."""
    new = []
    for paragraph in paragraphs(text):
        words = " ".join(paragraph.split())
        if words not in seen:
            seen.add(words)
            new.append(re.sub(r"([^\w\n])\1{8,}", r"\1" * 8, paragraph.rstrip()))
    return "\n\n".join(new)


def _contents(path: Path) -> str:
    """The text of a file, with plain line ends."""
    if path.is_dir():
        raise ValueError(f'expected a text file, but "{path}" is a folder{_texts_in(path)}')
    if not path.exists():
        raise ValueError(f'there is no file "{path}"; the present folder is "{Path.cwd()}"{_texts_in(path.parent)}')
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f'expected text in UTF-8, but byte {error.start} of "{path}" is {raw[error.start]:#04x}, '
            "which is not; open the file in an editor and save it with the encoding UTF-8"
        ) from error
    if "\0" in text:
        raise ValueError(f'expected text, but "{path}" holds zero bytes: it is no text file')
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _texts_in(folder: Path) -> str:
    found = sorted(file.name for file in folder.glob("*.txt")) if folder.is_dir() else []
    return f"; text files there: {listed(map(quoted, found))}" if found else ""


def _piece(piece: str) -> str:
    """What a token of the byte-level vocabulary stands for."""
    raw = bytes(_BYTES[letter] for letter in piece)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(f"<{byte:02X}>" for byte in raw)


def _byte_letters() -> dict[str, int]:
    """The letter that byte-level vocabularies write for each byte: its own if it can be seen, else one from 256 on."""
    seen = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    letters = {chr(byte): byte for byte in seen}
    hidden = [byte for byte in range(256) if byte not in seen]
    return letters | {chr(256 + place): byte for place, byte in enumerate(hidden)}


_BYTES = _byte_letters()
