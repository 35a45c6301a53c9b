"""Exercise 01.unpack: unpack one vector."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import each, seq2seq

Step = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
"""(token [batch], state [batch, hidden], c [batch, hidden]) -> logits [batch, vocabulary], the next state."""


def unpack(c: Tensor, step: Step, begin: int, count: int) -> Tensor:
    """The solution."""
    state, token, written = c, torch.full((len(c),), begin), []
    for _ in range(count):
        logits, state = step(token, state, c)  # the state moves on, the context never
        token = logits.argmax(dim=-1)  # [batch], what is written is what is read next
        written.append(logits)
    return torch.stack(written, dim=1)


def _random_decoder(batch: int, hidden: int, vocabulary: int, begin: int, count: int) -> tuple:
    """A step to which token, state and context all matter, and which says what it reads when a token does not fit."""
    chance = torch.Generator().manual_seed(100 * batch + 10 * hidden + count)
    sizes = [(vocabulary, hidden), (hidden, hidden), (hidden, hidden), (2 * hidden, vocabulary)]
    E, U, C, V = (1.5 * torch.randn(*size, generator=chance) for size in sizes)

    def step(token: Tensor, state: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        if not isinstance(token, Tensor) or token.shape != state.shape[:1]:
            got = list(token.shape) if isinstance(token, Tensor) else type(token).__name__
            raise ValueError(f"step reads one token for each string, a tensor [{len(state)}], got {got}")
        state = torch.tanh(E[token] + state @ U / hidden**0.5 + c @ C / hidden**0.5)
        return torch.cat([state, c], dim=1) @ V, state

    return torch.rand(batch, hidden, generator=chance) * 2 - 1, step, begin, count


def _otherwise(
    c: Tensor,
    step: Step,
    begin: int,
    count: int,
    start: Callable[[Tensor], Tensor] = lambda c: c,
    carry: Callable[[Tensor, Tensor], Tensor] = lambda state, c: state,
    feed: Callable[[Tensor], Tensor] = lambda logits: logits.argmax(-1),
    given: Callable[[Tensor, Tensor], Tensor] = lambda state, c: c,
) -> tuple[list[Tensor], list[Tensor]]:
    """Logits and states of a decoder that begins, goes on, feeds itself or is given something in another way."""
    state, token = start(c), torch.full((len(c),), begin)
    logits, states = [], []
    for _ in range(count):
        said, state = step(token, state, given(state, c))
        token, state = feed(said), carry(state, c)
        logits.append(said)
        states.append(state)
    return logits, states


def _logits(*inputs: object, **other: Callable) -> Tensor:
    return torch.stack(_otherwise(*inputs, **other)[0], 1)  # type: ignore[arg-type]


def _always(begin: int) -> Callable[[Tensor], Tensor]:
    return lambda logits: torch.full((len(logits),), begin)


UNPACK = Exercise(
    name="01.unpack",
    title="Unpack one vector",
    statement="""Return the logits [batch, count, vocabulary] of all steps of a decoder that writes by itself.

All it has of the source is c, its context. Its state begins as c. At every step, step(token, state, c) gives logits
[batch, vocabulary] and the next state; the token with the largest logit is written, and it is what the next step reads.
The first step reads `begin`, the sign for the beginning.

c [batch, hidden]; step (token [batch], state [batch, hidden], c [batch, hidden]) -> (logits, state); begin and count
are whole numbers.""",
    axes="[batch, count, vocabulary]",
    stub="""def unpack(c, step, begin, count):
    ...
""",
    hints=(
        "Three things go into a step. Two of them are new at every step, one never is. Which one is the bottleneck?",
        "Before the loop: the state is c, and the token is `begin` for every row, `torch.full((len(c),), begin)`. In "
        "the loop, call `step` once and keep both things that it returns.",
        "The next token is the place of the largest logit, `argmax` over the last axis. Collect the logits in a list; "
        "`torch.stack` puts them side by side, along a new axis 1.",
    ),
    solution=unpack,
    has_gradients=False,  # writing learns nothing: who does it under no_grad is as right
    spec=lambda c, step, begin, count: each(lambda one: seq2seq.unpack(one, step, begin, count), c),
    inputs=lambda: [_random_decoder(3, 5, 7, 1, 4), _random_decoder(2, 11, 5, 3, 6)],
    edges=lambda: [_random_decoder(1, 3, 2, 1, 1), _random_decoder(4, 2, 13, 2, 9)],
    mistakes=(
        Mistake(
            "every step began with c again: the state that a step returns goes into the next one",
            lambda *inputs: _logits(*inputs, carry=lambda state, c: c),
        ),
        Mistake(
            "every step read `begin`: what was written is what the next step reads",
            lambda *inputs: _logits(*inputs, feed=_always(inputs[2])),
        ),
        Mistake(
            "every step was the first one: neither the state nor what was written went into the next",
            lambda *inputs: _logits(*inputs, carry=lambda state, c: c, feed=_always(inputs[2])),
        ),
        Mistake(
            "the state stands in the context's place: c goes into every step as it is, the last one too",
            lambda *inputs: _logits(*inputs, given=lambda state, c: state),
        ),
        Mistake(
            "the context went in at the first step only: it goes into every step, always the same",
            lambda c, step, begin, count: _logits(c, _once(step), begin, count),
        ),
        Mistake(
            "the state begins with zeros, so the decoder starts without knowing anything: it begins as c",
            lambda *inputs: _logits(*inputs, start=torch.zeros_like),
        ),
        Mistake(
            "state and context are exchanged: `step(token, state, c)` takes them in this order, and what it returns "
            "is the next state, not the next c",
            lambda c, step, begin, count: _logits(c, lambda token, state, c: step(token, c, state), begin, count),
        ),
        Mistake(
            "the context was added to the state at every step: `step` takes both, and mixes them by itself",
            lambda *inputs: _logits(*inputs, carry=lambda state, c: state + c),
        ),
        Mistake(
            "these are the tokens that were written: the logits are asked for",
            lambda *inputs: _logits(*inputs).argmax(-1),
        ),
        Mistake(
            "these are the states: the logits are asked for, the other thing that `step` returns",
            lambda *inputs: torch.stack(_otherwise(*inputs)[1], 1),
        ),
        Mistake(
            "the logits of the last step alone: those of all steps are asked for",
            lambda *inputs: _logits(*inputs)[:, -1],
        ),
        Mistake(
            "the logits of the first step alone: did `return` slip into the loop?",
            lambda *inputs: _logits(*inputs)[:, 0],
        ),
        Mistake(
            "the steps came first: expected [batch, count, vocabulary], got [count, batch, vocabulary]; stack along "
            "axis 1",
            lambda *inputs: torch.stack(_otherwise(*inputs)[0]),
        ),
        Mistake(
            "the steps were put behind each other in one long row: `torch.stack` along axis 1, not `torch.cat`",
            lambda *inputs: torch.cat(_otherwise(*inputs)[0], 1),
        ),
        Mistake(
            "these are probabilities: the logits are asked for, as `step` returns them",
            lambda *inputs: _logits(*inputs).softmax(-1),
        ),
        Mistake(
            "these are logarithms of probabilities: the logits are asked for, as `step` returns them",
            lambda *inputs: _logits(*inputs).log_softmax(-1),
        ),
        Mistake(
            "the least likely token was fed back: the one with the largest logit is written, `argmax`",
            lambda *inputs: _logits(*inputs, feed=lambda logits: logits.argmin(-1)),
        ),
        Mistake(
            "all rows were fed what the first one wrote: each writes its own string",
            lambda *inputs: _logits(*inputs, feed=lambda logits: logits[:1].argmax(-1).expand(len(logits))),
        ),
        Mistake(
            "token 0 was read first: the first step reads `begin`",
            lambda c, step, begin, count: _logits(c, step, 0, count),
        ),
        Mistake(
            "the first step's logits are missing: they name the first token",
            lambda c, step, begin, count: _logits(c, step, begin, count + 1)[:, 1:],
        ),
        Mistake(
            "the last step first: the steps stand in the order in which they were made",
            lambda *inputs: _logits(*inputs).flip(1),
        ),
        Mistake(
            "one step too few: `range(count)` has count steps already",
            lambda c, step, begin, count: _logits(c, step, begin, max(1, count - 1)),
        ),
        Mistake(
            "one step too many: `range(count)` has count steps already",
            lambda c, step, begin, count: _logits(c, step, begin, count + 1),
        ),
        Mistake(
            "the context moved on with the state, one step behind it: c is never changed",
            lambda c, step, begin, count: _logits(c, _trailing(step), begin, count),
        ),
    ),
)


def _once(step: Step) -> Step:
    """The same step, to which the context comes at the first call alone."""
    calls: list[int] = []

    def later(token: Tensor, state: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        calls.append(1)
        return step(token, state, c if len(calls) == 1 else torch.zeros_like(c))

    return later


def _trailing(step: Step) -> Step:
    """The same step, given the state of the step before in place of the context, and c at the first two."""
    before: list[Tensor] = []

    def later(token: Tensor, state: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        before.append(state)
        return step(token, state, before[-2] if len(before) > 1 else c)

    return later
