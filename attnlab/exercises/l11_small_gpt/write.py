"""Exercise 11.write: write, and read each token once."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake

Reader = Callable[[Tensor, Tensor | None], tuple[Tensor, Tensor]]
"""New tokens and what is kept of those read before -> logits after each new one, and what to keep now."""


def write(prompt: Tensor, model: Reader, steps: int) -> Tensor:
    """The solution."""
    text, new, cache = prompt, prompt, None
    for _ in range(steps):
        logits, cache = model(new, cache)
        new = logits[-1:].argmax(dim=-1)  # [1]: all that is left to read
        text = torch.cat([text, new])
    return text


def write_spec(prompt: Tensor, model: Reader, steps: int) -> Tensor:
    """Token by token, those of the prompt, too."""
    given, text, cache, best = prompt.tolist(), [], None, -1
    for place in range(len(given) + steps):
        text.append(given[place] if place < len(given) else best)
        logits, cache = model(torch.tensor(text[-1:]), cache)
        row = logits[-1].tolist()
        best = row.index(max(row))
    return torch.tensor(text)


class _Reader:
    """Stands in for a GPT: what it says hangs on all tokens read, in their order, each as often as it was read.

    `read`: how many tokens it was given, in all calls.
    """

    def __init__(self, seed: int, vocabulary: int) -> None:
        chance = torch.Generator().manual_seed(seed)
        self.table, self.output = (torch.randn(vocabulary, 8, generator=chance) for _ in range(2))
        self.read = 0

    def __call__(self, tokens: Tensor, cache: Tensor | None) -> tuple[Tensor, Tensor]:
        self.read += len(tokens)
        states = [torch.zeros(8) if cache is None else cache]
        for token in tokens:
            states.append(0.9 * states[-1].roll(1) + self.table[token])
        return torch.stack(states[1:]) @ self.output.T, states[-1]


def _read_twice(prompt: Tensor, model: _Reader, steps: int) -> str | None:
    enough = len(prompt) + steps  # the last token need not be read
    if model.read <= enough:
        return None
    return (
        f"the text is right, but the model was given {model.read} tokens where {enough - 1} are enough: give it only "
        "what is new, and the cache"
    )


def _written(
    prompt: Tensor,
    model: Reader,
    steps: int,
    reads: Callable[[Tensor, Tensor], Tensor] = lambda text, new: new,
    keeps: Callable[[Tensor], Tensor | None] = lambda cache: cache,
    choose: Callable[[Tensor], Tensor] = lambda logits: logits[-1:].argmax(-1),
) -> Tensor:
    """The loop with one thing wrong. reads: what is given to the model next. keeps: what becomes of its cache."""
    text, new, cache = prompt, prompt, None
    for _ in range(steps):
        logits, cache = model(new, cache)
        cache, chosen = keeps(cache), choose(logits)
        text = torch.cat([text, chosen])
        new = reads(text, chosen)
    return text


def _last_read_again(prompt: Tensor, model: Reader, steps: int) -> Tensor:
    text, cache = prompt, model(prompt, None)[1]
    for _ in range(steps):
        logits, cache = model(text[-1:], cache)
        text = torch.cat([text, logits[-1:].argmax(-1)])
    return text


def _begun(tokens: list[int], seed: int, steps: int) -> tuple:
    return torch.tensor(tokens), _Reader(seed, 23), steps


WRITE = Exercise(
    name="11.write",
    title="Write, and read each token once",
    statement="""Return a prompt and its continuation by `steps` tokens: [tokens], the prompt first.

Each new token is the one with the highest logit after all tokens before it. The model reads new tokens and what it
has kept of the earlier ones, so that no token is read twice:

logits, cache = model(new, cache)    # new [n] -> logits [n, vocabulary], one row for what comes after each new token

Before anything is read, the cache is None. prompt [tokens], ids, at least one; steps, a whole number.""",
    axes="[tokens]",
    stub="""def write(prompt, model, steps):
    ...
""",
    hints=(
        "In the first round all of the prompt is new. What is new in the second?",
        "Keep three things from round to round: the text so far, what is new in it, and the cache. The last row of the "
        "logits says what comes next.",
        "`logits[-1:].argmax(dim=-1)` is the next token as a tensor [1], ready for `torch.cat` and for the model.",
    ),
    solution=write,
    spec=write_spec,
    inputs=lambda: [_begun([3, 14, 7], 1, 9), _begun([5, 2, 20, 11, 8], 2, 12)],
    edges=lambda: [_begun([9], 3, 8), _begun([4, 4], 4, 1), _begun([6, 1], 5, 0)],
    afterwards=_read_twice,
    mistakes=(
        Mistake(
            "all of the text was read again with the cache, which knows it already: give the model only what is new",
            lambda prompt, model, steps: _written(prompt, model, steps, reads=lambda text, new: text),
        ),
        Mistake(
            "the cache was not passed on, so each new token is read as if nothing stood before it",
            lambda prompt, model, steps: _written(prompt, model, steps, keeps=lambda cache: None),
        ),
        Mistake(
            "the first row of the logits was taken: what comes after the text is the last row",
            lambda prompt, model, steps: _written(prompt, model, steps, choose=lambda logits: logits[:1].argmax(-1)),
        ),
        Mistake(
            "the least probable token was taken: the highest logit is asked for",
            lambda prompt, model, steps: _written(prompt, model, steps, choose=lambda logits: logits[-1:].argmin(-1)),
        ),
        Mistake(
            "the last two tokens were read each time, so that each is read twice: only one is new",
            lambda prompt, model, steps: _written(prompt, model, steps, reads=lambda text, new: text[-2:]),
        ),
        Mistake(
            "the prompt's last token was read again, with a cache that knows it: the first new token comes out of the "
            "logits that the prompt has given",
            _last_read_again,
        ),
        Mistake(
            "the best token of every row was appended: only the last row says what comes after the text, `logits[-1:]`",
            lambda prompt, model, steps: _written(prompt, model, steps, choose=lambda logits: logits.argmax(-1)),
        ),
        Mistake(
            "only the continuation was returned: the prompt comes first",
            lambda prompt, model, steps: write(prompt, model, steps)[len(prompt) :],
        ),
        Mistake(
            "one token is missing at the end: what the last round chose belongs to the text",
            lambda prompt, model, steps: write(prompt, model, steps)[:-1],
        ),
        Mistake(
            "one token too many: the prompt does not count as a step",
            lambda prompt, model, steps: write(prompt, model, steps + 1),
        ),
        Mistake(
            "only the prompt's last token was read: all of it is new in the first round",
            lambda prompt, model, steps: torch.cat([prompt[:-1], write(prompt[-1:], model, steps)]),
        ),
        Mistake(
            "the logits were used once for all steps: after each token the model must be asked again",
            lambda prompt, model, steps: torch.cat([
                prompt,
                model(prompt, None)[0][-1].topk(steps).indices,
            ]),
        ),
    ),
)
