"""A Transformer against a recurrent translator with attention: `python -m attnlab.trained.train_translators`.

Equal parameters and batches, each at its own best rate, three seeds: how they learn, how long a step takes, names that
no rule gives, and a Transformer of one block that is repeated. Writes `translators.json` beside this file. Three
minutes of one core.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Generator, nn

from attnlab.alignment import SCORES
from attnlab.analysis import aligned_shares, by_ending, even_aligned_share, without
from attnlab.costs import parameters_of
from attnlab.optimisers import adamw, muon
from attnlab.registry import Table
from attnlab.schedules import cosine
from attnlab.seq2seq import AttentionSeq2Seq, FixedContext, teacher_forcing
from attnlab.tasks.base import Example, Task
from attnlab.tasks.names import Names
from attnlab.tasks.phrasebook import Phrasebook
from attnlab.trained import SEEDS, tables
from attnlab.trained.runs import fitted, share_exact
from attnlab.training import Step, fit
from attnlab.transformer import Transformer, transformer, universal

RATES, OTHER_SEED, STEPS, EVERY, BATCH, HELD_OUT = (0.003, 0.006, 0.012), 100, 280, 20, 64, 300
LENGTHS, BATCHES = (4, 8, 16, 32, 64, 128), (4, 64)
DEPTHS = tuple(range(1, 9))
LONGEST_NAME = 12
adam, schedule = partial(adamw, betas=(0.9, 0.98)), partial(cosine, warmup=30, floor=0.02)

MODELS: dict[str, Callable[[int, int], nn.Module]] = Table({
    "Transformer": partial(transformer, dim=52, heads=4, layers=2),
    "recurrent": AttentionSeq2Seq,
})
TIMED = Table({
    **MODELS,
    "recurrent, general score": partial(AttentionSeq2Seq, score=SCORES["general"]),
    "recurrent, no attention": FixedContext,
})
PARTS: dict[str, str] = Table({
    "encoder self-attention": "encoder.blocks.{}.attention",
    "decoder self-attention": "decoder.blocks.{}.attention",
    "cross-attention": "decoder.blocks.{}.cross_attention",
})


def main() -> None:
    torch.set_num_threads(1)
    task = Phrasebook()
    task.batch(1, Generator())  # makes its sentences now, so that no training is charged for them
    rates = {name: {rate: race(task, name, rate, OTHER_SEED)["exact"] for rate in RATES} for name in MODELS}
    best = {name: max(RATES, key=lambda rate: sum(rates[name][rate])) for name in MODELS}
    found = {
        "settings": f"phrasebook, {STEPS} steps of {BATCH} sentences, Adam, {HELD_OUT} held-out sentences; rates "
        f"{', '.join(map(str, RATES))}, the best on average over all measurements of seed {OTHER_SEED}; seeds "
        f"{', '.join(map(str, SEEDS))}",
        "versions": tables.versions(),
        "parameters": {name: parameters_of(new(task, name, 0)) for name in MODELS},
        "rates": best,
        "exact at other rates": rates,
        "steps": list(range(EVERY, STEPS + 1, EVERY)),
        "even share": round(even_aligned_share(task, task.test[:HELD_OUT]), 4),
        "runs": {name: [race(task, name, best[name], seed) for seed in SEEDS] for name in MODELS},
        "step times": {
            name: {str(batch): {str(length): step_time(name, batch, length) for length in LENGTHS} for batch in BATCHES}
            for name in TIMED
        },
        "depths": [depths(task, seed) for seed in SEEDS],
        "names": names(),
    }
    tables.write("translators", found)


def new(task: Task, name: str, seed: int) -> nn.Module:
    """Before its first step."""
    torch.manual_seed(seed)
    return MODELS[name](len(task.source_vocabulary), len(task.target_vocabulary))


def race(task: Phrasebook, name: str, rate: float, seed: int, steps: int = STEPS) -> dict:
    """exact: the share of held-out sentences after every `EVERY` steps. seconds: of the processor, for all steps until
    then. Of the Transformer also what `inside` finds."""
    model, held_out, right = new(task, name, seed), task.collate(task.test[:HELD_OUT]), []
    spent, seconds = 0.0, []
    training = learn(model, task, rate, seed, steps)
    begun = time.process_time()
    for step in training:
        spent += time.process_time() - begun
        if step.step % EVERY == 0:
            seconds.append(round(spent, 2))
            right.append(share_exact(model, held_out))
        begun = time.process_time()
    found = {"exact": right, "seconds": seconds}
    return found | inside(model, task) if isinstance(model, Transformer) else found


def learn(model: nn.Module, task: Task, rate: float, seed: int = 0, steps: int = STEPS) -> Iterator[Step]:
    """The steps of one training."""
    return fit(model, lambda g: teacher_forcing(model, *task.batch(BATCH, g)), steps, rate, seed, adam, schedule)


def inside(model: Transformer, task: Phrasebook) -> dict:
    """pointing: [layers][heads], the share of the cross-attention's weight on the right words. without: the share of
    held-out sentences right when one of the three attentions finds nothing."""
    held_out, off = task.collate(task.test[:HELD_OUT]), {}
    for part, name in PARTS.items():
        with without(model, [name.format(layer) for layer in range(2)]):
            off[part] = share_exact(model, held_out)
    shares = aligned_shares(model, task, task.test[:HELD_OUT])
    return {"pointing": [[round(share, 4) for share in layer] for layer in shares.tolist()], "without": off}


def step_time(name: str, batch: int, length: int) -> float:
    """Milliseconds of the processor for a loss and its gradients with random words, the best of ten."""
    torch.manual_seed(0)
    model, ids = TIMED[name](60, 60), torch.randint(3, 60, (batch, length + 1))
    times = []
    for _ in range(10):
        begun = time.process_time()
        teacher_forcing(model, ids[:, 1:], torch.full((batch,), length), ids).backward()
        times.append(1000 * (time.process_time() - begun))
    return round(min(times), 1)


def depths(task: Phrasebook, seed: int, steps: int = 180) -> list[float]:
    """The share of held-out sentences at each of `DEPTHS`, after a training with 1 to 4 repetitions."""
    torch.manual_seed(seed)
    model = universal(len(task.source_vocabulary), len(task.target_vocabulary), dim=64, heads=4, depth=3)

    def loss(generator: Generator) -> torch.Tensor:
        batch, depth = task.batch(32, generator), int(torch.randint(1, 5, (), generator=generator))
        return teacher_forcing(model.at(depth), *batch)

    fitted(model, loss, steps, 0.02, seed, muon, schedule)
    held_out = task.collate(task.test[:HELD_OUT])
    return [share_exact(model.at(depth), held_out) for depth in DEPTHS]


def names() -> dict:
    """Names of countries, currencies and languages, English to French: how many are right of those that were learned
    and of those held out, for each model and seed; and for a rule about endings."""
    task = Names("en", "fr")
    learned = [pair for pair in task.pairs() if short(*pair)]
    held_out = [example for example in task.test if short(example.source, example.target)]
    task.pairs = lambda: learned  # type: ignore[method-assign]
    known = [Example(*pair) for pair in learned]

    def run(name: str, seed: int) -> dict[str, float]:
        model = new(task, name, seed)
        fitted(model, lambda g: teacher_forcing(model, *task.batch(32, g)), 400, 0.006, seed, adam, schedule)
        return {
            "learned": share_exact(model, task.collate(known)),
            "held out": share_exact(model, task.collate(held_out)),
        }

    ruled = by_ending(learned, [example.source for example in held_out])
    return {
        "counts": {"learned": len(learned), "held out": len(held_out)},
        "runs": {name: [run(name, seed) for seed in SEEDS] for name in MODELS},
        "by ending": round(sum(a == b.target for a, b in zip(ruled, held_out, strict=True)) / len(held_out), 4),
    }


def short(source: str, target: str) -> bool:
    """Whether a name is short, and not the same in both languages, so that a mere copy is never right."""
    return source != target and max(len(source), len(target)) <= LONGEST_NAME


if __name__ == "__main__":
    main()
