"""Scenes of coloured shapes, what can be said of them, and which part of the picture each word is about.

    scenes = Scenes()
    scene = scenes.test[0]
    draw(scene)                                  # the picture, [3, 32, 32]
    caption(scene)                               # "a red square left of a blue circle"
    word_regions(scene)                          # for each word the cells of its object, [words, 8, 8]
    answer(scene, "what colour is the circle")   # "blue"

A picture has 8 x 8 cells of 4 x 4 pixels, a thing has 9 x 9 pixels. In scenes that are drawn at random things lie whole
cells apart: what looks at one of them, moved by whole cells, looks at the other one in the same way. Of two things the
one nearer to the top left corner is named first, so there is one right caption for each scene.
"""

import random
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property
from itertools import combinations, product
from numbers import Integral
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Generator, Tensor

from attnlab.checks import PAD, Size, checked
from attnlab.registry import Table
from attnlab.tasks.base import BOS, EOS, SPECIAL, listed, padded, quoted

PIXELS, CELLS = 32, 8  # along one side of a picture
RADIUS = 4  # a thing reaches so many pixels to each side of its centre
CELL = PIXELS // CELLS
CENTRES = range(RADIUS + 1, PIXELS - RADIUS, CELL)  # where drawn scenes have their things: from cell to cell
BACKGROUND = (245, 245, 245)  # red, green, blue, each from 0 to 255

COLOURS: dict[str, tuple[int, int, int]] = Table(
    red=(214, 39, 40),
    green=(44, 160, 44),
    blue=(31, 90, 220),
    yellow=(245, 200, 0),
    purple=(150, 60, 190),
)
"""Name -> red, green, blue, each from 0 to 255."""

SHAPES: dict[str, Callable[[Tensor, Tensor], Tensor]] = Table(
    square=lambda down, right: down.abs().maximum(right.abs()) <= RADIUS,
    circle=lambda down, right: down**2 + right**2 <= RADIUS**2 + 2,
    triangle=lambda down, right: 2 * right.abs() <= down + RADIUS,
    cross=lambda down, right: down.abs().minimum(right.abs()) <= 1,
)
"""Name -> which pixels belong to it, from their distances to the centre."""

NOTHING, NONE = "nothing", "none"  # the caption of an empty scene; the answer about what is not there


class Thing(NamedTuple):
    """A coloured shape. row, column: the pixel of its centre, counted from the top left corner."""

    colour: str
    shape: str
    row: int
    column: int


Scene = tuple[Thing, ...]


class Captioned(NamedTuple):
    """Pictures ``[batch, 3, 32, 32]``, numbers from 0 to 1; in which cells may be looked, ``[batch, 8, 8]``: in all;
    and captions ``[batch, words]``: ids from BOS to EOS, padded with PAD."""

    pictures: Float[Tensor, "batch 3 height width"]
    allowed: Bool[Tensor, "batch rows columns"]
    captions: Int64[Tensor, "batch words"]


class Questioned(NamedTuple):
    """Pictures and ``allowed`` as in ``Captioned``, a question about each, ``[batch, words]`` with its length
    ``[batch]``, and the id of the answer ``[batch]``, a word of the captions."""

    pictures: Float[Tensor, "batch 3 height width"]
    allowed: Bool[Tensor, "batch rows columns"]
    questions: Int64[Tensor, "batch words"]
    lengths: Int64[Tensor, " batch"]
    answers: Int64[Tensor, " batch"]


# One scene


@checked
def draw(scene: Sequence[Thing]) -> Float[Tensor, "3 height width"]:
    """The picture of a scene: red, green and blue from 0 to 1 of 32 x 32 pixels. Later things hide earlier ones.

    Raises ValueError for a thing that does not lie within the picture, and for unknown colours and shapes.
    """
    return _pictures([scene])[0] / 255


@checked
def cells(thing: Thing) -> Bool[Tensor, "rows columns"]:
    """The cells of the grid in which the thing has a pixel. Raises ValueError as `draw` does."""
    covered = torch.zeros(PIXELS, PIXELS, dtype=torch.bool)
    covered[_window(thing)] = _stamp(thing.shape)
    return covered.unflatten(0, (CELLS, CELL)).unflatten(2, (CELLS, CELL)).any(dim=3).any(dim=1)


@checked
def in_order(scene: Sequence[Thing]) -> list[Thing]:
    """The things in the order in which they are named: the nearest to the top left corner first."""
    return sorted(scene, key=lambda thing: thing.row + thing.column)


@checked
def caption(scene: Sequence[Thing]) -> str:
    """What there is to say: "nothing", "a red square" or "a red square left of a blue circle".

    Of two things the second lies to the right of the first or below it, whichever distance is longer.
    Raises ValueError for more than two.
    """
    if len(scene) > 2:
        raise ValueError(f"expected a scene of at most 2 things, got {len(scene)}")
    if not scene:
        return NOTHING
    first, *second = in_order(scene)
    return " ".join([_named(first), *(f"{_relation(first, other)} {_named(other)}" for other in second)])


@checked
def word_things(scene: Sequence[Thing]) -> list[int | None]:
    """For each word of the caption which thing it is about, 0 for the one named first; None for the words in between.

    A colour and a shape are about a thing; "a", "left of" and "above" are about none alone.
    """
    things = iter([0, 0, 1, 1])
    return [next(things) if word in COLOURS or word in SHAPES else None for word in caption(scene).split()]


@checked
def word_regions(scene: Sequence[Thing]) -> Bool[Tensor, "words rows columns"]:
    """For each word of the caption the cells of the thing that it is about; none for a word about no thing alone."""
    ordered = in_order(scene)
    nowhere = torch.zeros(CELLS, CELLS, dtype=torch.bool)
    return torch.stack([nowhere if of is None else cells(ordered[of]) for of in word_things(scene)])


# Questions about a scene


@checked
def asked_about(scene: Sequence[Thing], question: str) -> Thing | None:
    """The thing that a question is about; None where it is not there.

    question: "what colour is the circle" or "what shape is the red thing". Raises ValueError for any other, and where
    several things are meant.
    """
    _, known = _parsed(question)
    meant = [thing for thing in scene if known in (thing.colour, thing.shape)]
    if len(meant) > 1:
        raise ValueError(
            f"expected a question about one thing, got {quoted(question)} where {listed(map(_named, meant))} are meant"
        )
    return meant[0] if meant else None


@checked
def answer(scene: Sequence[Thing], question: str) -> str:
    """A colour or a shape; "none" when what is asked about is not there. Raises ValueError as `asked_about` does."""
    wanted, _ = _parsed(question)
    thing = asked_about(scene, question)
    return NONE if thing is None else getattr(thing, wanted)


@checked
def questions(scene: Sequence[Thing]) -> list[str]:
    """All questions that have one answer; about what is not there as well."""
    shapes, colours = [thing.shape for thing in scene], [thing.colour for thing in scene]
    return [
        *(f"what colour is the {shape}" for shape in SHAPES if shapes.count(shape) < 2),
        *(f"what shape is the {colour} thing" for colour in COLOURS if colours.count(colour) < 2),
    ]


# Many scenes


@checked
class Scenes:
    """Scenes to learn from, and held-out ones: two things of kinds that training never shows together.

    size: how many scenes there are to learn from; of each 20, 16 have two things, 3 have one and 1 has none. A fifth of
    all pairs of kinds, written {red square, blue circle}, is held out; each kind by itself is in training.
    """

    name = "scenes"

    def __init__(self, seed: int = 0, size: Size = 8_000, tests: Size = 400) -> None:
        self.seed, self.size, self.tests = seed, size, tests
        words = [*COLOURS, *SHAPES]
        self.vocabulary = [*SPECIAL, "a", *words, "left", "of", "above", NOTHING, NONE]
        self.question_vocabulary = [*SPECIAL, "what", "colour", "shape", "is", "the", "thing", *words]

    @cached_property
    def held_out(self) -> set[frozenset[tuple[str, str]]]:
        """The pairs of kinds, (colour, shape), that only the test shows together."""
        pairs = list(combinations(product(COLOURS, SHAPES), 2))
        random.Random(self.seed).shuffle(pairs)
        return {frozenset(pair) for pair in pairs[: len(pairs) // 5]}

    @cached_property
    def test(self) -> list[Scene]:
        """Held-out scenes, each of two things."""
        chance, found = random.Random(self.seed + 1), {}
        while len(found) < self.tests:
            scene = _two(chance)
            if _kinds(scene) in self.held_out:
                found[scene] = None
        return list(found)

    @cached_property
    def training(self) -> list[Scene]:
        """The scenes to learn from."""
        chance, found = random.Random(self.seed + 2), []
        while len(found) < self.size:
            scene = [*[_two] * 16, *[_one] * 3, _no][len(found) % 20](chance)
            if _kinds(scene) not in self.held_out:
                found.append(scene)
        return found

    def ids(self, text: str) -> Int64[Tensor, " words"]:
        """Ids of a caption, from BOS to EOS. Raises ValueError for an unknown word."""
        return torch.tensor([BOS, *_ids(text, self.vocabulary), EOS])

    def write(self, ids: Iterable[int] | Int[Tensor, " words"]) -> str:
        """The text of ids, up to the first EOS. Raises ValueError for an unknown id."""
        words = []
        for token in map(int, ids):
            if not 0 <= token < len(self.vocabulary):
                raise ValueError(f"expected ids from 0 to {len(self.vocabulary) - 1}, got {token}")
            if token == EOS:
                break
            if token not in (PAD, BOS):
                words.append(self.vocabulary[token])
        return " ".join(words)

    def read(self, question: str) -> Int64[Tensor, " words"]:
        """Ids of a question. Raises ValueError, with help, for one of another form."""
        _parsed(question)
        return torch.tensor(_ids(_plain(question), self.question_vocabulary))

    def collate(self, scenes: Sequence[Scene]) -> Captioned:
        """These scenes as one batch."""
        if not scenes:
            raise ValueError("expected at least one scene, got none")
        return Captioned(
            _pictures(scenes) / 255, _everywhere(len(scenes)), padded([self.ids(caption(scene)) for scene in scenes])
        )

    def collate_questions(self, scenes: Sequence[Scene], asked: Sequence[str]) -> Questioned:
        """These scenes with one question about each, as one batch."""
        if not scenes or len(scenes) != len(asked):
            raise ValueError(f"expected one scene or more and a question for each of {len(scenes)}, got {len(asked)}")
        read = [self.read(question) for question in asked]
        answers = [self.vocabulary.index(answer(*pair)) for pair in zip(scenes, asked, strict=True)]
        lengths = torch.tensor([len(question) for question in read])
        pictures, allowed = _pictures(scenes) / 255, _everywhere(len(scenes))
        return Questioned(pictures, allowed, padded(read), lengths, torch.tensor(answers))

    def batch(self, size: Size, generator: Generator) -> Captioned:
        """``size`` scenes with their captions, drawn with replacement."""
        pictures, captions = self._pool
        drawn = torch.randint(self.size, (size,), generator=generator)
        return Captioned(pictures[drawn] / 255, _everywhere(size), captions[drawn])

    def ask(self, size: Size, generator: Generator) -> Questioned:
        """``size`` scenes with a question about each, drawn with replacement; half of them about what is there."""
        pool = self._question_pool
        drawn = torch.randint(self.size, (size,), generator=generator)
        return Questioned(pool.pictures[drawn] / 255, *(part[drawn] for part in pool[1:]))

    @cached_property
    def _pool(self) -> tuple[Tensor, Tensor]:
        """Pictures as bytes, [scenes, 3, 32, 32], and captions."""
        return _pictures(self.training), padded([self.ids(caption(scene)) for scene in self.training])

    @cached_property
    def _question_pool(self) -> Questioned:
        """Pictures as bytes, each with one question."""
        chance = random.Random(self.seed + 3)
        questioned = self.collate_questions(self.training, [_question(chance, scene) for scene in self.training])
        return questioned._replace(pictures=self._pool[0])


def _pictures(scenes: Sequence[Sequence[Thing]]) -> Tensor:
    """Bytes, [scenes, 3, 32, 32]."""
    pictures = _colour(BACKGROUND).repeat(len(scenes), 1, PIXELS, PIXELS)
    for pixels, scene in zip(pictures, scenes, strict=True):
        for thing in scene:
            row, column = _window(thing)
            window = pixels[:, row, column]
            window.copy_(torch.where(_stamp(thing.shape), _colour(COLOURS[thing.colour]), window))
    return pictures


@cache
def _colour(bytes_: tuple[int, int, int]) -> Tensor:
    return torch.tensor(bytes_, dtype=torch.uint8)[:, None, None]


def _everywhere(scenes: int) -> Tensor:
    return torch.ones(scenes, CELLS, CELLS, dtype=torch.bool)


def _window(thing: Thing) -> tuple[slice, slice]:
    low, high = RADIUS, PIXELS - 1 - RADIUS
    if not all(isinstance(place, Integral) and low <= place <= high for place in (thing.row, thing.column)):
        raise ValueError(
            f"expected the centre of a thing at whole rows and columns from {low} to {high}, got row {thing.row}, "
            f"column {thing.column}"
        )
    row, column = (slice(middle - RADIUS, middle + RADIUS + 1) for middle in (thing.row, thing.column))
    return row, column


@cache
def _stamp(shape: str) -> Tensor:
    """Which of the 9 x 9 pixels around its centre belong to a shape."""
    away = torch.arange(-RADIUS, RADIUS + 1)
    return SHAPES[shape](*torch.meshgrid(away, away, indexing="ij"))


def _named(thing: Thing) -> str:
    return f"a {thing.colour} {thing.shape}"


def _relation(first: Thing, second: Thing) -> str:
    return "left of" if second.column - first.column > second.row - first.row else "above"


_QUESTION = re.compile(
    rf"what (?:(colour) is the ({'|'.join(SHAPES)})|(shape) is the ({'|'.join(COLOURS)}) thing)", re.ASCII
)


def _question(chance: random.Random, scene: Scene) -> str:
    """About what is there and about what is not, with equal chances where there are both."""
    found = {question: answer(scene, question) for question in questions(scene)}
    there = [question for question, word in found.items() if word != NONE]
    missing = [question for question, word in found.items() if word == NONE]
    return chance.choice((there if chance.random() < 0.5 else missing) or missing)


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("?", " ").split())


def _parsed(question: str) -> tuple[str, str]:
    """What is wanted, "colour" or "shape", and what is known of the thing."""
    match = _QUESTION.fullmatch(_plain(question))
    if match is None:
        raise ValueError(
            f'expected "what colour is the ..." with one of {list(SHAPES)}, or "what shape is the ... thing" with one '
            f"of {list(COLOURS)}, got {quoted(question)}"
        )
    return (match[1], match[2]) if match[1] else (match[3], match[4])


def _ids(text: str, vocabulary: list[str]) -> list[int]:
    unknown = [word for word in text.split() if word not in vocabulary[len(SPECIAL) :]]
    if unknown:
        raise ValueError(f"expected words out of {vocabulary[len(SPECIAL) :]}, got {quoted(unknown[0])}")
    return [vocabulary.index(word) for word in text.split()]


def _kinds(scene: Scene) -> frozenset[tuple[str, str]]:
    return frozenset((thing.colour, thing.shape) for thing in scene)


def _anything(chance: random.Random) -> Thing:
    kind = chance.choice(list(COLOURS)), chance.choice(list(SHAPES))
    return Thing(*kind, chance.choice(CENTRES), chance.choice(CENTRES))


def _no(chance: random.Random) -> Scene:
    return ()


def _one(chance: random.Random) -> Scene:
    return (_anything(chance),)


def _two(chance: random.Random) -> Scene:
    """Of two kinds, with a gap between them, and clearly more beside than above each other or the reverse."""
    while True:
        first, second = in_order([_anything(chance), _anything(chance)])
        down, right = abs(second.row - first.row), abs(second.column - first.column)
        if first[:2] != second[:2] and max(down, right) > 2 * RADIUS + 2 and abs(down - right) >= 3:
            return first, second
