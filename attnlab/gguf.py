"""Weights and tokens out of a GGUF file, the format of llama.cpp: numbers in 4 or 8 bits with a scale for each 32.

Nothing in such a file is executed. Tensors are read one by one, so a model needs hardly more room than its weights.
"""

import os
import struct
from collections.abc import Callable, Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from attnlab.checks import checked
from attnlab.huggingface.files import reading
from attnlab.huggingface.llama import llama
from attnlab.registry import Table
from attnlab.transformer import GPT

NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, LIST = 8, 9  # kinds of metadata beside numbers
ALIGNMENT = 32
MOST_AXES = 8


class Packing(NamedTuple):
    """name: as llama.cpp has it. items: how many numbers stand in a block, of `size` bytes. unpack: [blocks, size]
    bytes -> [blocks, items] numbers."""

    name: str
    items: int
    size: int
    unpack: Callable[[np.ndarray], np.ndarray]


def _halves(raw: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(raw).view(np.float16).astype(np.float32)


def _q4_1(raw: np.ndarray) -> np.ndarray:
    scale, least, packed = _halves(raw[:, :2]), _halves(raw[:, 2:4]), raw[:, 4:]
    return np.concatenate([packed & 15, packed >> 4], axis=1) * scale + least


PACKINGS = {
    0: Packing("F32", 1, 4, lambda raw: np.ascontiguousarray(raw).view(np.float32)),
    1: Packing("F16", 1, 2, _halves),
    3: Packing("Q4_1", 32, 20, _q4_1),
    8: Packing("Q8_0", 32, 34, lambda raw: _halves(raw[:, :2]) * np.ascontiguousarray(raw[:, 2:]).view(np.int8)),
}
OTHERS = {2: "Q4_0", 6: "Q5_0", 7: "Q5_1", 10: "Q2_K", 11: "Q3_K", 12: "Q4_K", 13: "Q5_K", 14: "Q6_K", 30: "BF16"}


class Place(NamedTuple):
    """Where a tensor stands in the file, and how."""

    shape: tuple[int, ...]
    packing: int
    offset: int


@checked
class GGUF(Mapping[str, Tensor]):
    """A file's tensors by name, unpacked to float32 when they are asked for, and its `metadata`.

    Raises ValueError for a file of another kind, for one that was cut or is damaged, and for numbers that are packed in
    another way than F32, F16, Q4_1 or Q8_0; FileNotFoundError for none.

    **Source:** the specification of GGUF, versions 2 and 3, and of its blocks in the code of ggml.
    """

    def __init__(self, path: str | os.PathLike) -> None:
        self.path = Path(path)
        self._raw = np.memmap(self.path, np.uint8, "r") if self.path.stat().st_size else np.zeros(0, np.uint8)
        self._at = 4
        if bytes(self._raw[:4]) != b"GGUF":
            raise ValueError(f"expected a GGUF file, which begins with the letters GGUF; {self.path.name} does not")
        with reading(self.path):
            self._read_header()

    def _read_header(self) -> None:
        version, tensors, entries = self._numbers("IQQ")
        if version not in (2, 3):
            raise ValueError(f"expected a GGUF file of version 2 or 3, {self.path.name} has {version}")
        self.metadata: dict[str, Any] = {}
        for _ in range(entries):
            name = self._text()
            self.metadata[name] = self._value(*self._numbers("I"))
        self._places = dict(self._entry() for _ in range(tensors))
        alignment = int(self.metadata.get("general.alignment", ALIGNMENT))
        self._start = -(-self._at // alignment) * alignment
        known = {name: place for name, place in self._places.items() if place.packing in PACKINGS}
        for name, place in known.items():
            if self._start + place.offset + self._bytes(place) > len(self._raw):
                raise self._cut(f"the tensor {name} ends")
        if sum(map(self._bytes, known.values())) > len(self._raw):
            raise ValueError(f"expected tensors beside each other, those of {self.path.name} share their bytes")

    def __getitem__(self, name: str) -> Tensor:
        place = self._places[name]
        if place.packing not in PACKINGS:
            known = ", ".join(packing.name for packing in PACKINGS.values())
            kind = OTHERS.get(place.packing, f"number {place.packing}")
            raise ValueError(f"expected tensors packed as {known}; {name} in {self.path.name} is packed as {kind}")
        packing, begin = PACKINGS[place.packing], self._start + place.offset
        with reading(self.path):
            raw = self._raw[begin : begin + self._bytes(place)].reshape(-1, packing.size)
            return torch.from_numpy(np.array(packing.unpack(raw), dtype=np.float32)).reshape(place.shape)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return f"GGUF({self.path.name}, {len(self)} tensors)"

    def _bytes(self, place: Place) -> int:
        packing = PACKINGS[place.packing]
        return prod(place.shape) // packing.items * packing.size

    def _cut(self, what: str) -> ValueError:
        return ValueError(
            f"expected a whole file, but {self.path.name} has {len(self._raw)} bytes and {what} behind them: it was "
            "cut; fetch it again"
        )

    def _take(self, size: int) -> bytes:
        if self._at + size > len(self._raw):
            raise self._cut("its header goes on")
        self._at += size
        return bytes(self._raw[self._at - size : self._at])

    def _numbers(self, form: str) -> tuple:
        return struct.unpack(f"<{form}", self._take(struct.calcsize(f"<{form}")))

    def _text(self) -> str:
        return self._take(*self._numbers("Q")).decode("utf8", "replace")

    def _value(self, kind: int) -> Any:
        if kind == TEXT:
            return self._text()
        if kind == LIST:
            inside, count = self._numbers("IQ")
            return [self._value(inside) for _ in range(count)]
        if kind not in NUMBERS:
            raise ValueError(f"expected metadata of the kinds 0 to 12 in {self.path.name}, got {kind}")
        return self._numbers(NUMBERS[kind])[0]

    def _entry(self) -> tuple[str, Place]:
        name, axes = self._text(), *self._numbers("I")
        if axes > MOST_AXES:
            raise ValueError(f"expected tensors of at most {MOST_AXES} axes in {self.path.name}, got {axes}")
        shape = self._numbers(f"{axes}Q")
        return name, Place(shape[::-1], *self._numbers("IQ"))


# A model


THEIRS = Table({
    "token_embd.weight": "model.embed_tokens.weight",
    "blk.#.attn_norm.weight": "model.layers.#.input_layernorm.weight",
    "blk.#.attn_q.weight": "model.layers.#.self_attn.q_proj.weight",
    "blk.#.attn_k.weight": "model.layers.#.self_attn.k_proj.weight",
    "blk.#.attn_v.weight": "model.layers.#.self_attn.v_proj.weight",
    "blk.#.attn_output.weight": "model.layers.#.self_attn.o_proj.weight",
    "blk.#.ffn_norm.weight": "model.layers.#.post_attention_layernorm.weight",
    "blk.#.ffn_gate.weight": "model.layers.#.mlp.gate_proj.weight",
    "blk.#.ffn_up.weight": "model.layers.#.mlp.up_proj.weight",
    "blk.#.ffn_down.weight": "model.layers.#.mlp.down_proj.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
})
"""The name in a GGUF file -> that of `attnlab.huggingface.llama`; # is the number of a block."""


class _AsLlama(Mapping[str, Tensor]):
    """A GGUF file's tensors by the names, and with the rows, of transformers' `LlamaForCausalLM`."""

    def __init__(self, file: GGUF, size: int) -> None:
        self.file, self.size = file, size
        self.names = {_their_name(name): name for name in file if not name.startswith("rope_freqs")}

    def __getitem__(self, name: str) -> Tensor:
        tensor = self.file[self.names[name]]
        if not name.endswith(("q_proj.weight", "k_proj.weight")):
            return tensor
        # llama.cpp turns neighbours, as we do, and has moved the rows for it: here they go back
        return tensor.unflatten(0, (-1, self.size // 2, 2)).transpose(1, 2).flatten(0, 2)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def _their_name(name: str) -> str:
    parts = name.split(".")
    if parts[0] == "blk" and len(parts) == 4:
        generic = ".".join([parts[0], "#", *parts[2:]])
        return THEIRS.get(generic, name).replace("#", parts[1])
    return THEIRS.get(name, name)


@checked
def gguf_llama(file: GGUF, longest: int | None = None) -> GPT:
    """The model of a GGUF file of the kind "llama", as our `GPT` in float32.

    longest: how many tokens it was trained for; as many as the file says unless given.
    Raises ValueError for a model of another kind, for one whose rotary frequencies are stretched, and as
    `attnlab.huggingface.llama`.
    """
    kind = file.metadata.get("general.architecture")
    if kind != "llama":
        raise ValueError(f"expected a model of the kind llama, {file.path.name} has {kind!r}")
    about = {name.removeprefix("llama."): value for name, value in file.metadata.items()}
    scaling = about.get("rope.scaling.type", "none")
    if scaling != "none" or any(bool((file[name] != 1).any()) for name in file if name.startswith("rope_freqs")):
        stretched = "each by a factor of its own" if scaling == "none" else f"of the kind {scaling!r}"
        raise ValueError(f"expected rotary frequencies as they are, {file.path.name} has them stretched, {stretched}")
    with reading(file.path):
        heads = about["attention.head_count"]
        return llama(
            _AsLlama(file, about["embedding_length"] // heads),
            heads,
            about.get("rope.freq_base", 10_000.0),
            about["attention.layer_norm_rms_epsilon"],
            about["context_length"] if longest is None else longest,
        )


@checked
def gguf_tokenizer(file: GGUF) -> Any:
    """The file's byte pairs as a `tokenizers.Tokenizer`: `.encode(text).ids` and `.decode(ids)`.

    Raises ValueError for another kind of tokenizer than byte pairs that take digits one by one, as SmolLM's.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    kinds = [file.metadata.get(f"tokenizer.ggml.{name}") for name in ("model", "pre")]
    if kinds != ["gpt2", "smollm"]:
        raise ValueError(f"expected a tokenizer of the kind gpt2, smollm, {file.path.name} has {kinds}")
    with reading(file.path):
        tokens, merges = (file.metadata[f"tokenizer.ggml.{name}"] for name in ("tokens", "merges"))
        pairs = models.BPE({token: i for i, token in enumerate(tokens)}, [tuple(merge.split(" ")) for merge in merges])
    tokenizer = Tokenizer(pairs)
    digits, letters = pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, letters])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer
