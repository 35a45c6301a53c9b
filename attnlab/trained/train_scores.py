"""Eight scores, five seeds of each, and hard attention, three: `python -m attnlab.trained.train_scores`.

Equal steps, rate, optimiser, cards and starting numbers; only the score differs, or how it is looked. Writes
`scores.json` beside this file. Two of the scores are trained at twice the rate, too. Four minutes of one core.
"""

from collections.abc import Callable, Sequence
from functools import partial

import torch
from torch import Generator, Tensor, nn

from attnlab.alignment import SCORES, ContentWithGain, Location
from attnlab.analysis import weight_on_right
from attnlab.costs import parameters_of
from attnlab.hard_attention import argmax, moving_average, sampled, surrogate
from attnlab.registry import Table
from attnlab.tasks.cards import CARDS, CardReader, Cards, answers_of, deal, loss_at_cards, right_at_cards
from attnlab.trained import tables
from attnlab.trained.runs import fitted
from attnlab.training import fit

Score = Callable[[Tensor, Tensor], Tensor]
BATCH, RATE, SEEDS = 32, 1e-2, (0, 1, 2, 3, 4)
STEPS, HARD_STEPS, EVERY = 200, 300, 20  # of the scores; of hard attention, which is measured as it learns


def location(query: int, key: int, dim: int) -> nn.Module:
    """With as many places as there are cards."""
    return Location(query, places=CARDS)


SCORES_OF_CARDS: dict[str, Callable[[int, int, int], Score]] = Table({**SCORES, "location": location})
WITH_GAIN: dict[str, Callable[[int, int, int], Score]] = Table({
    "content with gain 8": lambda *_: ContentWithGain(gain=8.0)
})
FASTER: dict[str, Callable[[int, int, int], Score]] = Table({
    f"{name}, twice the rate": SCORES[name] for name in ("dot", "scaled_dot")
})


def main() -> None:
    torch.set_num_threads(1)
    found = {
        "settings": f"{BATCH} deals a step, AdamW at {RATE}; scores {STEPS} steps, seeds 0 to 4; hard attention "
        f"{HARD_STEPS} steps, seeds 0 to 2; 200 deals held out",
        "versions": tables.versions(),
        "runs": {
            name: [score_run(make, seed) for seed in SEEDS] for name, make in (SCORES_OF_CARDS | WITH_GAIN).items()
        }
        | {name: [score_run(make, seed, rate=2 * RATE) for seed in SEEDS] for name, make in FASTER.items()},
        "hard": {name: [hard_run(name, seed) for seed in SEEDS[:3]] for name in WAYS},
    }
    tables.write("scores", found)


def held_out() -> Cards:
    """200 deals on which nothing is trained."""
    return deal(200, Generator().manual_seed(99))


def reader(make: Callable[[int, int, int], Score], seed: int) -> CardReader:
    """Before its first step: the same numbers for all scores, apart from the score's own."""
    torch.manual_seed(seed)
    return CardReader(make)


@torch.no_grad()
def score_run(make: Callable[[int, int, int], Score], seed: int, steps: int = STEPS, rate: float = RATE) -> dict:
    """{"right", "on the right card", "parameters"}: the first two by place and by letter."""
    model, cards = reader(make, seed), held_out()
    with torch.enable_grad():
        fitted(model, soft_loss(model), steps, rate, seed)
    _, seen = model(cards.letters, cards.digits)
    return {
        "right": rounded(right_at_cards(model, cards)),
        "on the right card": rounded(weight_on_right(seen.weights, cards.right)),
        "parameters": parameters_of(model.score),
    }


def hard_loss(model: CardReader, for_all: bool, with_baseline: bool) -> Callable[[Generator], Tensor]:
    """Looks at one drawn card for each question. for_all: one mark for all ten answers, instead of one for each."""
    average = torch.tensor(0.0)

    def loss(generator: Generator) -> Tensor:
        nonlocal average
        cards = deal(BATCH, generator)
        logits, seen = model(cards.letters, cards.digits, weigh=sampled(generator))
        logs = logits.log_softmax(-1).gather(3, answers_of(cards).unsqueeze(3)).squeeze(3)
        reward = logs.detach().sum(dim=(1, 2), keepdim=True) if for_all else logs.detach()
        look = surrogate(seen.scores, seen.weights, reward, average)
        average = moving_average(average, reward) if with_baseline else average
        return (look - logs.sum()) / logs.numel()

    return loss


def soft_loss(model: CardReader) -> Callable[[Generator], Tensor]:
    return lambda generator: loss_at_cards(model, deal(BATCH, generator))


WAYS: dict[str, Callable[[CardReader], Callable[[Generator], Tensor]]] = Table({
    "soft": soft_loss,
    "hard, a mark for each": partial(hard_loss, for_all=False, with_baseline=True),
    "hard, one mark": partial(hard_loss, for_all=True, with_baseline=True),
    "hard, one mark, no baseline": partial(hard_loss, for_all=True, with_baseline=False),
})


def hard_run(name: str, seed: int, steps: int = HARD_STEPS, every: int = EVERY) -> list[float]:
    """The share of right answers after every `every` steps; a hard one looks where it is likeliest."""
    model, cards = reader(SCORES["scaled_dot"], seed), held_out()
    look = {} if name == "soft" else {"weigh": argmax}
    return rounded([
        float(right_at_cards(model, cards, **look).mean())
        for step in fit(model, WAYS[name](model), steps, RATE, seed)
        if step.step % every == 0
    ])


def rounded(numbers: Tensor | Sequence[float]) -> list[float]:
    return [round(float(number), 4) for number in numbers]


if __name__ == "__main__":
    main()
