"""Weights out of an ONNX file, under the names that the model had in torch.

Nothing in such a file is executed, and of its graph only the names are read.
"""

import mmap
import os
from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from attnlab.checks import checked
from attnlab.huggingface.files import reading

# Of TensorProto.DataType.
_FLOATS: dict[int, np.dtype[Any]] = {1: np.dtype("<f4"), 10: np.dtype("<f2"), 11: np.dtype("<f8")}
MOST_AXES = 8
_WIDTHS = {1: 8, 5: 4}  # bytes of a value, by how it is written, where that is always the same
GRAPH, NODES, TENSORS = 7, 1, 5  # fields of ModelProto and of GraphProto
INPUTS, NAME, OPERATION = 1, 3, 4  # of NodeProto
SHAPE, KIND, NUMBERS, TITLE, BYTES = 1, 2, 4, 8, 9  # of TensorProto

Span = tuple[int, int]  # from this byte up to, but not with, that one


class Place(NamedTuple):
    """Where a tensor stands in the file, how, and whether as the transpose of torch's."""

    shape: tuple[int, ...]
    kind: int
    at: Span
    turned: bool = False


@checked
class ONNX(Mapping[str, Tensor]):
    """A file's tensors by name, float32 when they are asked for.

    torch's export names the map of a `nn.Linear` anew ("onnx::MatMul_1966") and turns it; the product that uses it
    still has its path ("/encoder/layer.0/query/MatMul"), so here it is "encoder.layer.0.query.weight", [out, in], as in
    torch. Raises ValueError for a file of another kind and for one that was cut, and, when it is asked for, for a
    tensor of other numbers than floats or in another file; FileNotFoundError for none.

    **Source:** the specification of ONNX (onnx.proto), and protocol buffers' of how its fields are written.
    """

    def __init__(self, path: str | os.PathLike) -> None:
        self.path = Path(path)
        with self.path.open("rb") as file:
            empty = not os.fstat(file.fileno()).st_size
            self._raw = b"" if empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        with reading(self.path):
            self._read_graph()

    def _read_graph(self) -> None:
        graph = dict(self._fields((0, len(self._raw)))).get(GRAPH)
        if not isinstance(graph, tuple):
            raise self._strange()
        self._places: dict[str, Place] = {}
        products: dict[str, str] = {}  # name of a tensor -> path of the product that uses it
        for field, value in self._fields(graph):
            if field == TENSORS:
                name, place = self._tensor(value)
                self._places[name] = place
            elif field == NODES:
                products |= self._product(value)
        for name in [name for name in self._places if name.startswith("onnx::") and name in products]:
            place = self._places.pop(name)
            if len(place.shape) != 2:
                raise ValueError(f"expected a matrix for {products[name]} in {self.path.name}, got {list(place.shape)}")
            self._places[products[name]] = place._replace(shape=place.shape[::-1], turned=True)

    def __getitem__(self, name: str) -> Tensor:
        place = self._places[name]
        if len(place.shape) > MOST_AXES:
            raise ValueError(f"expected sizes of at most {MOST_AXES} axes in {self.path.name}, got {name} with others")
        start, stop = place.at
        if place.kind not in _FLOATS or stop - start != prod(place.shape) * _FLOATS[place.kind].itemsize:
            raise ValueError(
                f"expected {' × '.join(map(str, place.shape))} floats of 16, 32 or 64 bits in {self.path.name} itself; "
                f"{name} has numbers of kind {place.kind} in {stop - start} bytes"
            )
        with reading(self.path):
            numbers = np.frombuffer(self._raw, _FLOATS[place.kind], prod(place.shape), start).astype(np.float32)
            tensor = torch.from_numpy(numbers)
            return tensor.reshape(place.shape[::-1]).T.contiguous() if place.turned else tensor.reshape(place.shape)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return f"ONNX({self.path.name}, {len(self)} tensors)"

    def _strange(self) -> ValueError:
        return ValueError(
            f"expected a whole ONNX file; {self.path.name} is of another kind, or was cut: fetch it again"
        )

    def _varint(self, at: int, stop: int) -> tuple[int, int]:
        """A whole number in as many bytes as it needs, seven bits in each, and where the next one begins."""
        number = shift = 0
        while shift < 64 and at < stop:
            byte = self._raw[at]
            number |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                return number, at
        raise self._strange()

    def _fields(self, span: object) -> Iterator[tuple[int, int | Span]]:
        """The fields of a message: the number of each with its value, or with the place of its bytes."""
        if not isinstance(span, tuple):
            raise self._strange()
        at, stop = span
        while at < stop:
            key, at = self._varint(at, stop)
            field, way = key >> 3, key & 7
            if way == 0:
                value, at = self._varint(at, stop)
                yield field, value
                continue
            size, at = self._varint(at, stop) if way == 2 else (_WIDTHS.get(way), at)
            if size is None or at + size > stop:
                raise self._strange()
            yield field, (at, at + size)
            at += size

    def _text(self, span: object) -> str:
        if not isinstance(span, tuple):
            raise self._strange()
        return self._raw[slice(*span)].decode("utf8", "replace")

    def _tensor(self, span: object) -> tuple[str, Place]:
        name, shape, kind, at = "", [], 0, (0, 0)
        for field, value in self._fields(span):
            if field == TITLE:
                name = self._text(value)
            elif field == SHAPE:
                shape += [value] if isinstance(value, int) else self._varints(value)
            elif field == KIND and isinstance(value, int):
                kind = value
            elif field in (NUMBERS, BYTES) and isinstance(value, tuple):
                at = value
        return name, Place(tuple(shape), kind, at)

    def _varints(self, span: Span) -> list[int]:
        numbers, (at, stop) = [], span
        while at < stop:
            number, at = self._varint(at, stop)
            numbers.append(number)
        return numbers

    def _product(self, span: object) -> dict[str, str]:
        """Of a node that multiplies by a tensor: {the tensor: its name in torch}; of others nothing."""
        texts: dict[int, list[str]] = {}
        for field, value in self._fields(span):
            if field in (INPUTS, NAME, OPERATION):
                texts.setdefault(field, []).append(self._text(value))
        if texts.get(OPERATION) != ["MatMul"] or len(texts.get(INPUTS, [])) != 2:
            return {}
        path = texts.get(NAME, [""])[0].strip("/").removesuffix("MatMul").strip("/")
        return {texts[INPUTS][1]: f"{path}/weight".replace("/", ".")}
