"""What reading without labels is worth: `python -m attnlab.trained.train_pretraining`.

Trains two models of one shape on `PythonTopics`, one that guesses hidden words and one that guesses the next, with
three seeds each. Then lets both, models that have read nothing, and a bag of words learn topics from few labels: a seed
draws the reading, the labels and all that is new. Writes `pretrained.safetensors` (seed 0), `pretraining.json` and
`pretraining.log` beside this file. A quarter of an hour of one core.
"""

import time
from collections.abc import Callable
from typing import TextIO

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attnlab.analysis.words.bag_of_words import bag_vectors, nearest_mean, rarity
from attnlab.checkpoints import load, save
from attnlab.masks import causal, everything
from attnlab.optimisers import muon
from attnlab.schedules import cool_down
from attnlab.tasks.hidden_words import NOT_ASKED, hide_words
from attnlab.tasks.python_topics import END, HIDDEN, LONGEST, SPECIAL, TOPICS, PythonTopics, word_counts
from attnlab.trained import HERE, SEEDS, new_reader, tables
from attnlab.trained.runs import fitted, share_right
from attnlab.training import fit
from attnlab.transformer import MaskedEncoder, TextClassifier

STEPS, BATCH, RATE, DROPOUT = 1600, 24, 0.02, 0.1
TUNE_STEPS, TUNE_BATCH, RATES, OTHER_SEED = 80, 32, (0.001, 0.003, 0.01), 100
EACH = (1, 2, 4, 8, 16, 32)
SETTINGS = (
    f"{STEPS} steps of {BATCH} pieces of {LONGEST} words, Muon {RATE}, dropout {DROPOUT}; topics: {TUNE_STEPS} steps "
    f"of at most {TUNE_BATCH} sentences, AdamW, the best of the rates {', '.join(map(str, RATES))} with four sentences "
    f"a topic and seed {OTHER_SEED}; seeds {', '.join(map(str, SEEDS))}, of the reading, too"
)

TASK = PythonTopics()
WORDS = len(TASK.vocabulary)
Model = MaskedEncoder


def main() -> None:
    torch.set_num_threads(1)
    with (HERE / "pretraining.log").open("w", buffering=1) as log:
        versions = tables.versions()
        print(f"Python {versions['python']}, torch {versions['torch']}, one thread; {SETTINGS}", file=log)
        masked = [pretrain(masked_loss, seed, STEPS, log, "masked") for seed in SEEDS]
        left = [pretrain(next_loss, seed, STEPS, log, "left to right") for seed in SEEDS]
        found: dict = {"settings": SETTINGS, "versions": versions}
        found["guesses"] = {
            "masked": [share_named(model, from_both_sides) for model in masked],
            "left to right": [share_named(model, from_the_left) for model in left],
            "always the most frequent word": most_frequent(),
        }
        print(f"hidden words named: {found['guesses']}", file=log)
        save_both(masked[0], left[0], found["guesses"])
        found["few_labels"], found["rates"] = few_labels(masked, left, log)
        tables.write("pretraining", found)


# Reading


def masked_loss(model: Model, generator: torch.Generator, hidden: float = 0.8, replaced: float = 0.1) -> Tensor:
    pieces = TASK.windows(BATCH, LONGEST, generator)
    inputs, targets = hide_words(pieces, WORDS, generator, hidden=hidden, replaced=replaced)
    asked = targets != NOT_ASKED
    return cross_entropy(model.output(model.encoder(inputs)[asked]), targets[asked])


def next_loss(model: Model, generator: torch.Generator) -> Tensor:
    pieces = TASK.windows(BATCH, LONGEST + 1, generator)
    logits = model(pieces[:, :-1], causal(LONGEST))
    return cross_entropy(logits.flatten(0, 1), pieces[:, 1:].flatten())


def pretrain(loss: Callable, seed: int, steps: int, log: TextIO | None = None, name: str = "") -> Model:
    torch.manual_seed(seed)
    model, begun, recent = new_reader(DROPOUT), time.process_time(), []
    for step in fit(model, lambda g: loss(model, g), steps, RATE, seed, muon, cool_down):
        recent.append(step.loss)
        if log and step.step % 200 == 0:
            seconds = time.process_time() - begun
            print(
                f"{name}, seed {seed}, step {step.step}: loss {sum(recent) / len(recent):.3f}, {seconds:.0f} s",
                file=log,
            )
            recent.clear()
    return model


def save_both(masked: Model, left: Model, guesses: dict) -> None:
    file = HERE / "pretrained.safetensors"
    both = nn.ModuleList([new_reader(), new_reader()])
    both.load_state_dict(nn.ModuleList([masked, left]).state_dict())
    save(both.half().eval(), file, seed=SEEDS[0], settings=SETTINGS, guesses=guesses, vocabulary=TASK.vocabulary)
    load(file, nn.ModuleList([new_reader(), new_reader()]).half().eval())


# Guessing one hidden word of each place of the test sentences, all others in sight


@torch.no_grad()
def from_both_sides(model: Model, sentence: Tensor) -> Tensor:
    """The logits at each place when it alone is hidden."""
    rows = sentence.repeat(len(sentence), 1)
    rows.fill_diagonal_(HIDDEN)
    return model(rows).diagonal().T


@torch.no_grad()
def from_the_left(model: Model, sentence: Tensor) -> Tensor:
    """The logits at each place, given those before it."""
    rows = torch.cat([torch.tensor([END]), sentence[:-1]])
    return model(rows[None], causal(len(rows)))[0]


def share_named(model: Model, look: Callable[[Model, Tensor], Tensor], every: int = 1) -> list[float]:
    """Of the words of `test_sentences`, or every so many of them: named first, and among the first five."""
    first, five, count = 0, 0, 0
    for sentence in test_sentences()[::every]:
        asked = sentence >= len(SPECIAL)
        best = look(model, sentence)[asked].topk(5).indices == sentence[asked].unsqueeze(1)
        first, five, count = first + int(best[:, 0].sum()), five + int(best.sum()), count + len(best)
    return [round(first / count, 3), round(five / count, 3)]


def most_frequent() -> float:
    counts = torch.bincount(torch.cat(test_sentences()), minlength=WORDS)[len(SPECIAL) :]
    frequent = torch.bincount(TASK.text, minlength=WORDS)[len(SPECIAL) :].argmax()
    return round(float(counts[frequent] / counts.sum()), 3)


def test_sentences() -> list[Tensor]:
    """Every second one, without PAD."""
    tokens, lengths, _ = TASK.test
    return [row[:length] for row, length in zip(tokens[::2], lengths[::2].tolist(), strict=True)]


# Topics from few labels


def few_labels(masked: list, left: list, log: TextIO) -> tuple[dict, dict]:
    """masked, left: a model for each of `SEEDS`."""
    nothing = [None for _ in SEEDS]
    ways: dict = {
        "masked": (masked, everything),
        "left to right": (left, causal),
        "from scratch": (nothing, everything),
    }
    rates = {name: best_rate(models[0], look, log, name) for name, (models, look) in ways.items()}
    runs: dict = {name: {each: [] for each in EACH} for name in [*ways, "bag of words"]}
    for each in EACH:
        for i, seed in enumerate(SEEDS):
            for name, (models, look) in ways.items():
                runs[name][each].append(tuned(models[i], look, each, seed, rates[name]))
            runs["bag of words"][each].append(bag_of_words(each, seed))
        print(f"{each} a topic: { ({name: rows[each] for name, rows in runs.items()}) }", file=log)
    return runs, rates


def best_rate(model: Model | None, look: Callable, log: TextIO, name: str) -> float:
    right = {rate: tuned(model, look, 4, OTHER_SEED, rate) for rate in RATES}
    print(f"{name}, seed {OTHER_SEED}, four a topic, by rate: {right}", file=log)
    return max(RATES, key=lambda rate: right[rate])


def tuned(model: Model | None, look: Callable, each: int, seed: int, rate: float) -> float:
    """The share of test sentences right when a copy of the model, else a new one, has learned from so many labels."""
    examples = TASK.few(each, torch.Generator().manual_seed(seed))
    torch.manual_seed(seed)
    encoder = new_reader().encoder
    if model is not None:
        encoder.load_state_dict(model.encoder.state_dict())
    classifier = TextClassifier(encoder, nn.Linear(64, len(TOPICS)), look)

    def loss(generator: torch.Generator) -> Tensor:
        drawn = torch.randperm(len(examples.labels), generator=generator)[:TUNE_BATCH]
        tokens, lengths, labels = (part[drawn] for part in examples)
        return cross_entropy(classifier(tokens, lengths), labels)

    fitted(classifier, loss, TUNE_STEPS, rate, seed)
    tokens, lengths, labels = TASK.test
    with torch.no_grad():
        return share_right(classifier(tokens, lengths).argmax(-1), labels)


def bag_of_words(each: int, seed: int) -> float:
    examples = TASK.few(each, torch.Generator().manual_seed(seed))
    weights = rarity(word_counts(TASK.unlabelled(), WORDS))
    test, known = (bag_vectors(word_counts(part.tokens, WORDS), weights) for part in (TASK.test, examples))
    return share_right(nearest_mean(test, known, examples.labels, len(TOPICS)), TASK.test.labels)


if __name__ == "__main__":
    main()
