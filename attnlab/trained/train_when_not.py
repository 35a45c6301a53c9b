"""Where a recurrent network beats a small GPT, three seeds: `python -m attnlab.trained.train_when_not`.

The state of a light switch, and little text to learn from: each model at three or five learning rates, with the same
batches. Writes `when_not.json` beside this file. Seven minutes of one core.
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import Generator, Tensor, nn
from torch.nn.functional import cross_entropy

from attnlab.costs import parameters_of
from attnlab.registry import Table
from attnlab.tasks.light_switch import RecurrentReader, loss_of_light, right_about_light
from attnlab.tasks.text import Text, reference_topics
from attnlab.trained import SEEDS, tables
from attnlab.trained.runs import fitted
from attnlab.transformer import gpt, modern_gpt

LISTENERS: dict[str, Callable[[], nn.Module]] = Table({
    "GRU": lambda: RecurrentReader(2, 16),
    "GPT": lambda: modern_gpt(2, 32, heads=4, layers=2, longest=64),
})
"""They hear a switch and say whether the light is on."""

READERS: dict[str, Callable[[int], nn.Module]] = Table({
    "GRU": lambda letters: RecurrentReader(letters, 64),
    "GPT": lambda letters: gpt(letters, 64, 4, layers=1, longest=64),
    "modern GPT": lambda letters: modern_gpt(letters, 64, 4, layers=1, longest=64),
})
"""They read letters and say what comes next."""

RATES: dict[str, tuple[float, ...]] = Table({"GRU": (5e-3, 1.5e-2, 4.5e-2), "GPT": (3e-3, 9e-3, 2.7e-2)})
"""Of the listeners."""

READING_RATES = (7e-4, 2e-3, 6e-3, 1.8e-2, 5.4e-2)
STREAMS = ((16, 120), (16, 600))  # time steps of a stream, training steps
TEXTS = ((3_000, 100), (3_000, 200), (30_000, 100), (30_000, 200))  # letters to learn from, training steps
HELD_OUT, WINDOW = 10_500, 64


def main() -> None:
    torch.set_num_threads(1)
    found = {
        "settings": f"AdamW; 32 fresh streams a step, 200 unseen ones; 16 windows of {WINDOW} letters a step, 160 held "
        f"out; seeds {', '.join(map(str, SEEDS))}",
        "versions": tables.versions(),
        "parameters": {
            "listeners": {name: parameters_of(new()) for name, new in LISTENERS.items()},
            "readers": {name: parameters_of(new(len(text_of(3000).vocabulary))) for name, new in READERS.items()},
        },
        "light": {
            f"{length} time steps, {steps} training steps": {
                name: {str(rate): [light(name, length, steps, rate, seed) for seed in SEEDS] for rate in rates}
                for name, rates in RATES.items()
            }
            for length, steps in STREAMS
        },
        "text": {
            f"{letters} letters, {steps} training steps": {
                name: {
                    str(rate): [reading(name, letters, steps, rate, seed) for seed in SEEDS] for rate in READING_RATES
                }
                for name in READERS
            }
            for letters, steps in TEXTS
        },
    }
    tables.write("when_not", found)


def light(name: str, length: int, steps: int, rate: float, seed: int) -> dict[str, float]:
    """Time steps of unseen streams -> the share of right answers."""
    torch.manual_seed(seed)
    model = LISTENERS[name]()
    fitted(model, partial(loss_of_light, model, steps=length), steps, rate, seed)
    return {str(asked): round(right_about_light(model, asked), 4) for asked in (16, 64)}


def reading(name: str, letters: int, steps: int, rate: float, seed: int) -> float:
    """The loss on held-out text, in nats a letter."""
    torch.manual_seed(seed)
    text = text_of(letters)
    model, (inputs, targets) = READERS[name](len(text.vocabulary)), text.test(WINDOW, most=160)

    def loss(generator: Generator) -> Tensor:
        seen, following = text.batch(16, WINDOW, generator)
        return cross_entropy(model(seen).flatten(0, 1), following.flatten())

    fitted(model, loss, steps, rate, seed)
    with torch.no_grad():
        return round(cross_entropy(model(inputs).flatten(0, 1), targets.flatten()).item(), 4)


def text_of(letters: int) -> Text:
    """The first letters of the Python reference, and some of what it holds out."""
    training, held_out = reference_topics()
    return Text(training[:letters], held_out[:HELD_OUT])


if __name__ == "__main__":
    main()
