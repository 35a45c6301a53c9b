"""One query and one key as hands of four clocks, turned by their places; beside them what other codes of positions make
of the same score."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from attnlab.analysis import RotaryPairs, rotary_pairs, scores_by_place
from attnlab.positions import ALiBi, NoPositions, Positions, RelativeBias, Rotary, frequencies
from widgets.base.controls import held, slider
from widgets.base.explorer import Explorer
from widgets.base.words import counted, key, number, query, say
from widgets.instruments.chart.chart import Chart, curve, figure, points
from widgets.instruments.vector_plane.vector_plane import VectorPlane

PAIRS, PLACES, FARTHEST = 4, 65, 24
PLANES = tuple(f"pair_{i + 1}" for i in range(PAIRS))
KEY = [[1.41, 0.51], [-1.15, 0.96], [0.26, -1.48], [1.06, 1.06]]  # each 1.5 long
NAMES = ("rotary", "ALiBi", "relative bias", "no places")


class HandsResult(NamedTuple):
    """pairs: the query and the key where they stand. scores: [codes, places], of this query with the same key at each
    place, in the order of `NAMES`."""

    pairs: RotaryPairs
    scores: Tensor


def codes() -> tuple[Positions, ...]:
    """The codes in the order of `NAMES`. The numbers of the relative bias are set by hand: each bucket of keys before
    the query takes 0.15 more, all keys behind it 2."""
    relative = RelativeBias(heads=1)
    relative.table.data[0] = torch.cat([-0.15 * torch.arange(16), torch.full((16,), -2.0)])
    return Rotary(2 * PAIRS), ALiBi(heads=2), relative, NoPositions()


class RotaryHandsExplorer(Explorer):
    """Move both along the text: all hands turn, no angle changes. Move one: each angle grows at a rate of its own."""

    place = slider(20, 0, 40, label="both from place", help="where the key stands; the query moves with it")
    later = slider(5, 0, FARTHEST, label="query later by", help="how many places after the key the query stands")
    angle_1 = held(208.0, "of the query's first pair, in degrees, before it is turned", (PLANES[0], "angle"))
    angle_2 = held(123.0, "of its second pair", (PLANES[1], "angle"))
    angle_3 = held(340.0, "of its third pair", (PLANES[2], "angle"))
    angle_4 = held(0.0, "of its fourth pair", (PLANES[3], "angle"))
    length_1 = held(1.5, "of the query's first pair", (PLANES[0], "length"))
    length_2 = held(1.5, "of its second pair", (PLANES[1], "length"))
    length_3 = held(1.5, "of its third pair", (PLANES[2], "length"))
    length_4 = held(1.5, "of its fourth pair", (PLANES[3], "length"))

    shows = {
        "turned": lambda parts: [parts[plane].turned for plane in PLANES],
        "scores": lambda parts: [parts["scores"].trace(name)["y"] for name in NAMES],
    }
    row = PLANES

    @property
    def scores(self) -> Tensor:
        """[codes, places] as shown, in the order of `NAMES`."""
        return self.result.scores

    def views(self) -> dict:
        wide = {"flex": "1 1 140px", "min_width": "0"}
        turns = [number(f, decimals) for f, decimals in zip(degrees_a_place(), (1, 2, 2, 2), strict=True)]
        planes = {
            plane: VectorPlane(
                vectors=[vector], labels=["k"], weights=[0.2], longest=2.0, title=f"{turn}° a place", layout=wide
            )
            for plane, vector, turn in zip(PLANES, KEY, turns, strict=True)
        }
        return {**planes, "scores": Chart(score_curves())}

    @torch.no_grad()
    def compute(self, state) -> HandsResult:
        asks, answers = query_of(state), torch.tensor(KEY).flatten()
        at = state.place + state.later
        scores = [scores_by_place(code, asks, answers, at, PLACES) for code in codes()]
        return HandsResult(rotary_pairs(asks, answers, at, state.place), torch.stack(scores))

    def picture(self, state, result) -> dict:
        pairs, at = result.pairs, state.place + state.later
        planes = {
            plane: {
                "turned": torch.stack([pairs.query[i], pairs.key[i]]),
                "note": f"{number(abs(pairs.angle[i].item()), 0)}°, product {number(pairs.product[i].item())}",
                "angle": getattr(state, f"angle_{i + 1}"),
                "length": getattr(state, f"length_{i + 1}"),
            }
            for i, plane in enumerate(PLANES)
        }
        here = result.scores[:, state.place].tolist()
        return {
            **planes,
            "scores": {
                "traces": {
                    **{name: {"y": scores} for name, scores in zip(NAMES, result.scores, strict=True)},
                    "query": {"x": [at, at]},
                    "key": {"x": [state.place] * len(here), "y": here},
                }
            },
        }

    def sentence(self, state, result) -> list:
        rotary, alibi, relative, plain = result.scores[:, state.place].tolist()
        return say(
            query(f"The query at place {state.place + state.later}"),
            " and ",
            key(f"the key at place {state.place}"),
            f" are {counted(state.later, 'place')} apart, and that is all that their angles know. The four products "
            f"sum to {number(result.pairs.product.sum().item())}, divided by √8 the score is {number(rotary)}. "
            f"Without places it is {number(plain)}; ALiBi takes {number(plain - alibi)} off that, "
            f"this relative bias {number(plain - relative)}.",
        )

    def code(self, state) -> str:
        asks, at = [round(x, 3) for x in query_of(state).tolist()], state.place + state.later
        return "\n".join([
            "import torch",
            "from attnlab.analysis import rotary_pairs, scores_by_place",
            "from attnlab.positions import ALiBi, NoPositions, RelativeBias, Rotary",
            "",
            f"query = torch.tensor({asks})",
            f"key = torch.tensor({[x for pair in KEY for x in pair]})",
            "relative = RelativeBias(heads=1)  # its numbers by hand",
            "relative.table.data[0] = torch.cat([-0.15 * torch.arange(16), torch.full((16,), -2.0)])",
            "codes = [Rotary(8), ALiBi(heads=2), relative, NoPositions()]",
            f"scores = torch.stack([scores_by_place(code, query, key, {at}, {PLACES}) for code in codes])",
            f"pairs = rotary_pairs(query, key, {at}, {state.place})",
            "turned = torch.stack([pairs.query, pairs.key], dim=1)",
        ])


def query_of(state) -> Tensor:
    """[8]: the query before it is turned, to three decimals."""
    angles = [math.radians(getattr(state, f"angle_{i + 1}")) for i in range(PAIRS)]
    lengths = [getattr(state, f"length_{i + 1}") for i in range(PAIRS)]
    ends = [(length * math.cos(angle), length * math.sin(angle)) for length, angle in zip(lengths, angles, strict=True)]
    return torch.tensor(ends).flatten().mul(1000).round().div(1000)


def degrees_a_place() -> list[float]:
    """How far each pair turns at every place."""
    return frequencies(2 * PAIRS).rad2deg().tolist()


def score_curves() -> object:
    """The scores over the place of the key, an empty picture."""
    nothing = [0.0] * PLACES
    *coded, plain = NAMES
    return figure(
        *(curve(nothing, range(PLACES), name) for name in coded),
        curve(nothing, range(PLACES), plain, "plain", line={"dash": "dash", "width": 1}),
        curve([-4.5, 4.5], [0, 0], "query", "query", line={"dash": "dot"}),
        points([0] * len(NAMES), [0.0] * len(NAMES), name="key", role="key", hoverinfo="y"),
        title="The score of this query, with this key at each place",
        x="place of the key",
        y="score",
        x_range=[0, PLACES - 1],
        y_range=[-4.5, 4.5],
        height=250,
    )
