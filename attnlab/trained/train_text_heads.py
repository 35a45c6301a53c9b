"""How many heads a small GPT of letters needs, three seeds: `python -m attnlab.trained.train_text_heads`.

First one layer whose width of 64 is cut into 1 to 32 heads: equal parameters, starts, steps, rate and text. Then two
layers of four heads, from which heads are taken away after training. Writes `text_heads.json` beside this file. Three
minutes of one core.
"""

from functools import partial

import torch
from torch import Tensor

from attnlab import causal, record
from attnlab.analysis.heads.head_patterns import describe, text_patterns
from attnlab.tasks.text import Text
from attnlab.tasks.text_heads import heads_of, held_out_loss, letter_gpt, loss_of_text, taken_away
from attnlab.trained import SEEDS, tables
from attnlab.training import fit
from attnlab.transformer import GPT

STEPS, RATE, EVERY, HEADS, WINDOWS = 400, 1e-2, 50, (1, 2, 4, 8, 16, 32), 60


def main() -> None:
    torch.set_num_threads(1)
    text = Text.python_reference()
    windows = text.test(40, WINDOWS)
    eight = []
    for seed in SEEDS:
        model = letter_gpt(len(text.vocabulary), seed=seed)
        losses = learn(model, text, windows, seed)
        eight.append({"loss": losses[-1], **without_heads(model, text, windows)})
    one_layer = {
        str(heads): [
            learn(letter_gpt(len(text.vocabulary), heads, layers=1, seed=seed), text, windows, seed) for seed in SEEDS
        ]
        for heads in HEADS
    }
    found = {
        "settings": f"{STEPS} steps of 16 windows of 40 letters, AdamW at {RATE}; {WINDOWS} windows held out; seeds "
        f"{', '.join(map(str, SEEDS))}",
        "versions": tables.versions(),
        "steps": list(range(EVERY, STEPS + 1, EVERY)),
        "eight heads": eight,
        "losses": one_layer,
    }
    tables.write("text_heads", found)


def learn(model: GPT, text: Text, windows: tuple[Tensor, Tensor], seed: int, steps: int = STEPS) -> list[float]:
    """The loss on held-out text after every `EVERY` steps."""
    return [
        round(held_out_loss(model, *windows), 4)
        for step in fit(model, partial(loss_of_text, model, text), steps, RATE, seed)
        if step.step % EVERY == 0
    ]


def without_heads(model: GPT, text: Text, windows: tuple[Tensor, Tensor]) -> dict:
    """names, rises: of each head what it was measured to do, and by how much the loss rises without it alone.
    layers: the same without all heads of a layer. taken: the losses when heads are taken away one by one, the cheapest
    first. order: their names."""
    with torch.no_grad(), record(model) as trace:
        model(windows[0])
    names = {
        (name, number): str(head)
        for name in trace.names
        for number, head in enumerate(
            describe(trace[name][0].weights, windows[0], text_patterns(text.vocabulary), causal(40))
        )
    }
    whole = held_out_loss(model, *windows)
    heads = heads_of(model)
    layers = [[head for head in heads if head[0] == name] for name in trace.names]
    taken = taken_away(model, *windows)
    return {
        "names": [names[head] for head in heads],
        "rises": [round(held_out_loss(model, *windows, [head]) - whole, 4) for head in heads],
        "layers": [round(held_out_loss(model, *windows, layer) - whole, 4) for layer in layers],
        "taken": [round(loss, 4) for _, loss in taken],
        "order": [names[head] for head, _ in taken],
    }


if __name__ == "__main__":
    main()
