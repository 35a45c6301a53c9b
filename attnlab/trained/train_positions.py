"""Which letters a model finds, by its code of positions, three seeds: `python -m attnlab.trained.train_positions`.

Equal models, steps and letters; only the positions differ. Writes `positions.json` beside this file. Ten minutes of
one core.
"""

import copy
from collections.abc import Callable

import torch

from attnlab.positions import POSITIONS, Learned, RelativeBias, Rotary, frequencies
from attnlab.registry import Table
from attnlab.tasks.letter_places import (
    FARTHEST,
    LONGEST,
    QUESTIONS,
    SHORTEST,
    Tagger,
    loss_of_places,
    right_at_lengths,
    right_by_place,
    taggers,
    wrong_by_distance,
)
from attnlab.trained import SEEDS, tables
from attnlab.trained.runs import fitted

STEPS, RATE = 200, 6e-3
LONGER, RATES = 1000, (2e-3, 6e-3)  # for codes of distances, which have not learned the mirror by then
SLOW = ("relative", "rotary")
FIRST = (8, 4)  # in training no key stands 8 or more places from a letter that is asked about
SPEEDS: dict[str, float] = Table({"full speed": 1.0, "half speed": 0.5})  # of rotary's clocks
ADDED = ("one_hot", "learned", "sinusoidal")
LATEST = FARTHEST - LONGEST  # where the first letter may stand, if the last one is to have a place
INSIDE, OUTSIDE = range(SHORTEST, LONGEST + 1), range(LONGEST + 1, FARTHEST + 1)


def main() -> None:
    torch.set_num_threads(1)
    runs = {question: {scheme: for_all(equal, question, scheme) for scheme in POSITIONS} for question in QUESTIONS}
    found = {
        "settings": f"{STEPS} steps of 32 strings of {SHORTEST} to {LONGEST} letters, AdamW at {RATE}; longer: "
        f"{LONGER} steps, {' and '.join(map(str, RATES))}; 200 strings a length; seeds {', '.join(map(str, SEEDS))}",
        "versions": tables.versions(),
        "runs": runs,
        "anywhere": {scheme: for_all(anywhere, scheme) for scheme in ADDED},
        "mended": {str(first): for_all(mended, first) for first in FIRST},
        "clocks": {name: for_all(clocks, speed) for name, speed in SPEEDS.items()},
        "quiet": for_all(quiet),
        "longer": {scheme: {str(rate): for_all(longer, scheme, rate) for rate in RATES} for scheme in SLOW},
    }
    tables.write("positions", found)


def for_all(measure: Callable[..., dict], *what: object) -> list[dict]:
    return [measure(*what, seed) for seed in SEEDS]


def equal(question: str, scheme: str, seed: int, steps: int = STEPS) -> dict:
    """As in the lesson."""
    return judge(trained(taggers(seed)[question][scheme], question, seed, steps), question)


def anywhere(scheme: str, seed: int, steps: int = STEPS) -> dict:
    """Two to the left, but the first letter may stand at any place: then all places are seen, though never at once."""
    return judge(trained(taggers(seed)["back"][scheme], "back", seed, steps, latest=LATEST), "back")


def quiet(seed: int, steps: int = STEPS) -> dict:
    """The mirror with learned places that begin 50 times smaller than the letters."""
    model = taggers(seed)["mirrored"]["learned"]
    assert isinstance(model.positions, Learned)
    model.positions.table.data *= 0.02
    return judge(trained(model, "mirrored", seed, steps), "mirrored")


def longer(scheme: str, rate: float, seed: int, steps: int = LONGER) -> dict:
    """The mirror, with more steps."""
    return judge(trained(taggers(seed)["mirrored"][scheme], "mirrored", seed, steps, rate), "mirrored")


def clocks(speed: float, seed: int, steps: int = STEPS) -> dict:
    """Two to the left with rotary positions whose clocks run at another speed. "eight": of the wrong answers that could
    name the letter 8 to the left the share that does."""
    model = trained(with_clocks(speed, seed), "back", seed, steps)
    return {**judge(model, "back"), "eight": round(wrong_by_distance(model, FARTHEST)[8].item(), 3)}


def with_clocks(speed: float, seed: int) -> Tagger:
    """Before its first step."""
    model = taggers(seed)["back"]["rotary"]
    assert isinstance(model.positions, Rotary)
    waves = model.positions.waves
    angles = torch.arange(len(waves.table)).unsqueeze(1) * frequencies(waves.table.shape[1]) * speed
    waves.table = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2).float()
    return model


def mended(first: int, seed: int, steps: int = STEPS) -> dict:
    """A relative bias, two to the left, with some of its numbers replaced after training: see `with_far_as_near`."""
    model = trained(taggers(seed)["back"]["relative"], "back", seed, steps)
    return judge(with_far_as_near(model, first), "back")


def with_far_as_near(model: Tagger, first: int) -> Tagger:
    """A copy in which distances from `first` on, to both sides, have the numbers learned for a distance of 3.

    Buckets 0 to 15 are the keys up to the query, 16 to 31 those that follow it, the nearest first.
    """
    changed = copy.deepcopy(model)
    assert isinstance(changed.positions, RelativeBias)
    before, after = changed.positions.table.data.split(16, dim=1)
    for side in (before, after):
        side[:, first:] = side[:, 3:4]
    return changed


def trained(model: Tagger, question: str, seed: int, steps: int, rate: float = RATE, latest: int = 0) -> Tagger:
    return fitted(model, lambda generator: loss_of_places(model, question, generator, latest), steps, rate, seed)


def judge(model: Tagger, question: str) -> dict:
    """inside, outside: the share of right answers at the lengths of training, and at longer ones. by place: in strings
    of 16, at each place that has an answer."""
    return {
        "inside": round(right_at_lengths(model, question, INSIDE), 4),
        "outside": round(right_at_lengths(model, question, OUTSIDE), 4),
        "by place": [round(share, 3) for share in right_by_place(model, question, FARTHEST).tolist()],
    }


if __name__ == "__main__":
    main()
