"""Exercise 01.step: one step with a fixed context."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import each, seq2seq


def decoder_step(y: Tensor, state: Tensor, c: Tensor, W: Tensor, U: Tensor, C: Tensor, b: Tensor) -> Tensor:
    """The solution."""
    return torch.tanh(y @ W + state @ U + c @ C + b)


def _step_inputs(batch: int, dim: int, hidden: int, context: int) -> tuple:
    chance = torch.Generator().manual_seed(batch * 100 + dim)
    y, state, c = (torch.randn(batch, size, generator=chance) for size in (dim, hidden, context))
    W, U, C = (torch.randn(size, hidden, generator=chance) / size**0.5 for size in (dim, hidden, context))
    return y, state.tanh(), c.tanh(), W, U, C, 0.5 * torch.randn(hidden, generator=chance)


def _sum(y: Tensor, state: Tensor, c: Tensor, W: Tensor, U: Tensor, C: Tensor, b: Tensor) -> Tensor:
    return y @ W + state @ U + c @ C + b


def _beyond_one(state: Tensor, *_: object) -> str | None:
    message = "tanh returns numbers between -1 and 1, and a state is what tanh returned; one of yours is {:.4f}"
    return message.format(state.flatten()[state.abs().argmax()].item()) if bool((state.abs() > 1).any()) else None


STEP = Exercise(
    name="01.step",
    title="One step with a fixed context",
    statement="""Return the next state [batch, hidden] of a plain recurrent decoder with a fixed context.

Three things go in, each through a matrix of its own: the vector of the token written last, the previous state, and the
context, which is the same at every step. Their sum and a bias go through one tanh: tanh(y W + state U + c C + b).

y [batch, dim]; state [batch, hidden]; c [batch, context]; W [dim, hidden]; U [hidden, hidden]; C [context, hidden];
b [hidden].""",
    axes="[batch, hidden]",
    stub="""def decoder_step(y, state, c, W, U, C, b):
    ...
""",
    hints=(
        "No loop: this is one step. Which of the three inputs will still be the same at the next one?",
        "Each row of y, state and c is one string of the batch, so each goes from the left into its matrix: `y @ W`.",
        "Add the three products and b, which is added to every row, and take tanh once, of all of it.",
    ),
    solution=decoder_step,
    spec=lambda y, state, c, W, U, C, b: each(
        lambda y, state, c: seq2seq.rnn_step(torch.cat([y, c]), state, torch.cat([W, C]), U, b), y, state, c
    ),
    inputs=lambda: [_step_inputs(3, 5, 7, 11), _step_inputs(2, 7, 3, 5)],
    edges=lambda: [_step_inputs(1, 1, 2, 3), _step_inputs(5, 2, 3, 1)],
    diagnoses=(_beyond_one,),
    mistakes=(
        Mistake(
            "the context is missing: without `c @ C` the decoder knows of the source only what its state still holds",
            lambda y, state, c, W, U, C, b: torch.tanh(y @ W + state @ U + b),
        ),
        Mistake(
            "the previous state is missing: without `state @ U` the decoder does not know how far it has come",
            lambda y, state, c, W, U, C, b: torch.tanh(y @ W + c @ C + b),
        ),
        Mistake(
            "the token written last is missing: `y @ W`",
            lambda y, state, c, W, U, C, b: torch.tanh(state @ U + c @ C + b),
        ),
        Mistake("b is missing: it is added to the sum", lambda *inputs: torch.tanh(_sum(*inputs) - inputs[-1])),
        Mistake(
            "b counts more than once: it is added once, not with each of the three products",
            lambda *inputs: torch.tanh(_sum(*inputs) + 2 * inputs[-1]),
        ),
        Mistake("b was subtracted: it is added", lambda *inputs: torch.tanh(_sum(*inputs) - 2 * inputs[-1])),
        Mistake(
            "b was added outside of tanh: it belongs inside, to the sum",
            lambda *inputs: torch.tanh(_sum(*inputs) - inputs[-1]) + inputs[-1],
        ),
        Mistake("tanh is missing: this is the sum that goes into it", _sum),
        Mistake("tanh came twice: once, around the whole sum", lambda *inputs: _sum(*inputs).tanh().tanh()),
        Mistake("sigmoid in place of tanh", lambda *inputs: _sum(*inputs).sigmoid()),
        Mistake("relu in place of tanh", lambda *inputs: _sum(*inputs).relu()),
        Mistake("softmax in place of tanh", lambda *inputs: _sum(*inputs).softmax(-1)),
        Mistake(
            "U is transposed: it stands behind the state as it is, `state @ U`",
            lambda y, state, c, W, U, C, b: _sum(y, state, c, W, U.T, C, b).tanh(),
        ),
        Mistake(
            "the context was added outside of tanh: it belongs inside, to the sum",
            lambda y, state, c, W, U, C, b: torch.tanh(y @ W + state @ U + b) + c @ C,
        ),
        Mistake(
            "the context was subtracted: the three products are added",
            lambda y, state, c, W, U, C, b: torch.tanh(y @ W + state @ U - c @ C + b),
        ),
        Mistake(
            "the previous state was added to the new one: it is replaced",
            lambda *inputs: inputs[1] + torch.tanh(_sum(*inputs)),
        ),
        Mistake(
            "the new state was averaged with the old one: it replaces it",
            lambda *inputs: (inputs[1] + torch.tanh(_sum(*inputs))) / 2,
        ),
        Mistake(
            "each part went through a tanh of its own: one tanh, around the sum",
            lambda y, state, c, W, U, C, b: (y @ W).tanh() + (state @ U).tanh() + (c @ C).tanh() + b,
        ),
        Mistake(
            "token and context were multiplied: the three products are added",
            lambda y, state, c, W, U, C, b: torch.tanh((y @ W) * (c @ C) + state @ U + b),
        ),
        Mistake(
            "state and context were multiplied: the three products are added",
            lambda y, state, c, W, U, C, b: torch.tanh(y @ W + (state @ U) * (c @ C) + b),
        ),
        Mistake(
            "the context went through tanh once more on its way: it goes in as it is",
            lambda y, state, c, W, U, C, b: torch.tanh(y @ W + state @ U + c.tanh() @ C + b),
        ),
        Mistake(
            "every row was given the context of the first: each string of the batch has its own",
            lambda y, state, c, W, U, C, b: torch.tanh(y @ W + state @ U + c[:1] @ C + b),
        ),
        Mistake(
            "the state went in without U: each of the three has a matrix of its own",
            lambda y, state, c, W, U, C, b: torch.tanh(y @ W + state + c @ C + b),
        ),
    ),
)
