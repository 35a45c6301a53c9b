"""Is attention an explanation? Readers of reviews, by three tests: `python -m attnlab.trained.train_reviews`.

Two tasks: the question is always about the film, or about any of three things. Trained for each, with three seeds: a
reader with weights of its own, one with even weights, one whose words know nothing of each other, and that one with the
weights of the first, which no longer learn; one that is told to look elsewhere than the first, and words that know
nothing of each other with its weights. Writes `reviews.json` beside this file, and `reviews.safetensors`, the first
reader of each task. Three minutes of one core.
"""

import time
from collections.abc import Callable, Iterator
from itertools import combinations

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from attnlab.analysis.heads.swapped_rows import furthest_row, row_difference
from attnlab.checkpoints import save
from attnlab.checks import checked
from attnlab.optimisers import muon
from attnlab.pooling import PooledReader, Reading, TwoWay, even_weights
from attnlab.registry import Table
from attnlab.tasks.reviews import WORDS, Reviews, film_reviews, reviews
from attnlab.trace import override
from attnlab.trained import HERE, REVIEW_DIM, SEEDS, new_reviewer, tables
from attnlab.trained.runs import fitted, share_right
from attnlab.training import Step, fit

STEPS, BATCH, RATE, HELD_OUT = 200, 64, 0.02, 2000
Weights = Callable[[Reviews], dict[str, Tensor]]  # as `override` takes them

TASKS: dict[str, Callable[..., Reviews]] = Table({"always the film": film_reviews, "any of three": reviews})


def main() -> None:
    torch.set_num_threads(1)
    found = {
        "settings": settings(),
        "versions": tables.versions(),
        "tasks": {name: measured(task) for name, task in TASKS.items()},
    }
    tables.write("reviews", found)
    ship()


def settings() -> str:
    return (
        f"{STEPS} steps of {BATCH} reviews, {REVIEW_DIM} numbers a word, Muon {RATE}; "
        f"seeds {', '.join(map(str, SEEDS))}; {HELD_OUT:,} held-out reviews"
    )


def ship() -> None:
    """A reader of each task with weights of its own, in 16 bits a number, under the name of what it is asked."""
    torch.manual_seed(SEEDS[0])
    shipped = nn.ModuleList([new_reviewer() for _ in TASKS]).half().eval()
    for reader, task in zip(shipped, TASKS.values(), strict=True):
        reader.load_state_dict(trained_reader(task, TwoWay, SEEDS[0]).half().state_dict())
    save(shipped, HERE / "reviews.safetensors", seed=SEEDS[0], settings=settings(), tasks=[*TASKS])


def of_nobody(task: Callable[..., Reviews]) -> Reviews:
    """Reviews on which nobody is trained."""
    return task(HELD_OUT, torch.Generator().manual_seed(99))


def measured(task: Callable[..., Reviews]) -> dict:
    """right: of each kind and seed. elsewhere: of a reader that is told to look elsewhere than the first: how far their
    rows differ, what it gets right, and what words alone do with its weights. between seeds: how far the rows of two
    seeds differ, the mean over reviews.
    swapped: how far the furthest row with the same answer differs from the model's own, the mean over 200 reviews.
    on the word: the weight on the word that decides, where it says good and where it says bad."""
    held_out = of_nobody(task)
    begun = time.process_time()
    own = [trained_reader(task, TwoWay, seed) for seed in SEEDS]
    seconds = (time.process_time() - begun) / len(SEEDS)
    away = [looks_elsewhere(task, model, seed) for seed, model in zip(SEEDS, own, strict=True)]
    with torch.no_grad():
        readings, others = ([model.read(held_out.tokens, held_out.asked) for model in kind] for kind in (own, away))
    return {
        "right": {
            "own weights": [right(model, held_out) for model in own],
            "even weights": [right(trained_reader(task, TwoWay, seed, even), held_out, even) for seed in SEEDS],
            "words alone": [right(trained_reader(task, nn.Identity, seed), held_out) for seed in SEEDS],
            "words alone, these weights": words_alone(task, own, held_out),
        },
        "elsewhere": {
            "differ": [
                round(row_difference(reading.weights, other.weights).mean().item(), 3)
                for reading, other in zip(readings, others, strict=True)
            ],
            "right": [right(model, held_out) for model in away],
            "words alone, these weights": words_alone(task, away, held_out),
            "on the word": on_the_word(others, held_out),
        },
        "between seeds": [
            round(row_difference(first.weights, second.weights).mean().item(), 3)
            for first, second in combinations(readings, 2)
        ],
        "swapped": [
            round(
                sum(
                    row_difference(row, furthest_row(row, votes)).item()
                    for row, votes in zip(reading.weights[:200], reading.votes[:200], strict=True)
                )
                / 200,
                3,
            )
            for reading in readings
        ],
        "on the word": on_the_word(readings, held_out),
        "seconds": round(seconds, 1),
    }


def on_the_word(readings: list[Reading], held_out: Reviews) -> dict[str, list[float]]:
    """{"good" or "bad": what each reader's weight on the deciding word is, on average, where it says so}."""
    kinds = {"good": held_out.good > 0.5, "bad": held_out.good < 0.5}
    deciding = [reading.weights.gather(1, held_out.places.unsqueeze(1)).squeeze(1) for reading in readings]
    return {kind: [round(weights[where].mean().item(), 3) for weights in deciding] for kind, where in kinds.items()}


def own_weights(batch: Reviews) -> dict[str, Tensor]:
    """None are given: a reader uses the weights that it finds itself."""
    return {}


def even(batch: Reviews) -> dict[str, Tensor]:
    """The same weight for every word."""
    return {"attention": even_weights(WORDS)}


@checked
def weights_of(model: PooledReader) -> Weights:
    """The weights of another reader, which do not learn any more."""

    @torch.no_grad()
    def found(batch: Reviews) -> dict[str, Tensor]:
        return {"attention": model.read(batch.tokens, batch.asked).weights[:, None]}

    return found


@checked
def trained_reader(task: Callable, states: Callable, seed: int, weights: Callable = own_weights) -> PooledReader:
    """A reader after its training. states: makes what turns words into states. weights: batch -> what it is given."""
    model = fresh(states, seed)
    for _ in learn(model, task, weights, seed):
        pass
    return model.eval()


@checked
def fresh(states: Callable = TwoWay, seed: int = 0) -> PooledReader:
    """One before its first step; the same numbers for the same seed."""
    torch.manual_seed(seed)
    return new_reviewer(states)


def learn(model: PooledReader, task: Callable, weights: Weights, seed: int = 0) -> Iterator[Step]:
    """The steps of one training."""
    return fit(model, lambda generator: loss(model, task(BATCH, generator), weights), STEPS, RATE, seed, muon)


@checked
def looks_elsewhere(task: Callable, other: PooledReader, seed: int) -> PooledReader:
    """A reader that learns to answer and to give no word the weight that `other` gives it.

    **Source:** Wiegreffe and Pinter 2019, section 4, there with the other's answers and the Kullback-Leibler
    divergence of the weights.
    """
    model = fresh(TwoWay, seed)

    def answers_and_weights(generator: torch.Generator) -> Tensor:
        batch = task(BATCH, generator)
        found = model.read(batch.tokens, batch.asked)
        with torch.no_grad():
            frozen = other.read(batch.tokens, batch.asked).weights
        shared = 1 - row_difference(found.weights, frozen).mean()
        return binary_cross_entropy_with_logits(found.logits, batch.good) + shared

    return fitted(model, answers_and_weights, STEPS, RATE, seed, muon).eval()


def words_alone(task: Callable, readers: list[PooledReader], held_out: Reviews) -> list[float]:
    """What readers whose words know nothing of each other get right with the weights of others, one for each."""
    return [
        right(trained_reader(task, nn.Identity, seed, weights_of(model)), held_out, weights_of(model))
        for seed, model in zip(SEEDS, readers, strict=True)
    ]


@checked
def loss(model: PooledReader, batch: Reviews, weights: Callable = own_weights) -> Tensor:
    """The mean cross-entropy of the answers, in nats."""
    with override(model, weights(batch)):
        return binary_cross_entropy_with_logits(model(batch.tokens, batch.asked), batch.good)


@checked
@torch.no_grad()
def right(model: PooledReader, held_out: Reviews, weights: Callable = own_weights) -> float:
    """The share of right answers."""
    with override(model, weights(held_out)):
        said = model(held_out.tokens, held_out.asked) > 0
    return share_right(said, held_out.good > 0.5)


if __name__ == "__main__":
    main()
