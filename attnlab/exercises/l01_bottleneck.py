"""The exercise of lesson 01: an encoder reads a sentence into one vector."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import each
from attnlab.specs.seq2seq import rnn

# 01.encode -----------------------------------------------------------------------------------------------------------


def encode(x: Tensor, W: Tensor, U: Tensor, b: Tensor) -> Tensor:
    """The solution."""
    state = x.new_zeros(len(x), len(b))
    for token in x.unbind(dim=1):  # [batch, dim]
        state = torch.tanh(token @ W + state @ U + b)
    return state


def _inputs(batch: int, tokens: int, dim: int, hidden: int) -> tuple:
    """Weights of a size at which the first word is still felt at the end."""
    chance = torch.Generator().manual_seed(batch * 100 + tokens)
    x = torch.randn(batch, tokens, dim, generator=chance)
    W = torch.randn(dim, hidden, generator=chance) / dim**0.5
    U = torch.randn(hidden, hidden, generator=chance) / hidden**0.5
    return x, W, U, 0.5 * torch.randn(hidden, generator=chance)


def _step(token: Tensor, state: Tensor, W: Tensor, U: Tensor, b: Tensor) -> Tensor:
    return torch.tanh(token @ W + state @ U + b)


def _run(
    x: Tensor, W: Tensor, U: Tensor, b: Tensor, step: Callable[..., Tensor] = _step, begin: Tensor | float = 0.0
) -> Tensor:
    """All states [batch, tokens, hidden] of a network with another step, or another state to begin with."""
    state, states = torch.zeros(len(x), len(b)) + begin, []
    for token in x.unbind(1):
        state = step(token, state, W, U, b)
        states.append(state)
    return torch.stack(states, 1)


def _beyond_one(state: Tensor, *_: object) -> str | None:
    message = "tanh returns numbers between -1 and 1, and a state is what tanh returned; one of yours is {:.4f}"
    return message.format(state.flatten()[state.abs().argmax()].item()) if bool((state.abs() > 1).any()) else None


ENCODE = Exercise(
    name="01.encode",
    title="A sentence in one vector",
    statement="""Return the last state [batch, hidden] of a plain recurrent network that has read `x`.

The state begins with zeros. Each token in turn makes a new one: state = tanh(token W + state U + b). What is left
after the last token is all that the decoder of this lesson will ever hear of the sentence.

x [batch, tokens, dim]; W [dim, hidden]; U [hidden, hidden]; b [hidden].""",
    axes="[batch, hidden]",
    stub="""def encode(x, W, U, b):
    ...
""",
    hints=(
        "One state per sentence, [batch, hidden]. It begins with zeros, and a loop over the tokens replaces it again "
        "and again.",
        "The axes of x are batch, tokens, dim: `x[:, t]` is token t of every sentence, [batch, dim]. So the loop runs "
        "over `range(x.shape[1])`.",
        "In the loop: `state = torch.tanh(x[:, t] @ W + state @ U + b)`. Return the state behind the loop, not in it.",
    ),
    solution=encode,
    spec=lambda x, W, U, b: each(lambda sentence: rnn(sentence, W, U, b), x),
    inputs=lambda: [_inputs(2, 5, 3, 7), _inputs(3, 2, 5, 2)],
    edges=lambda: [_inputs(1, 1, 2, 5), _inputs(2, 13, 2, 3)],
    diagnoses=(_beyond_one,),
    mistakes=(
        Mistake("all states, one for each token: only the last one is asked for", lambda x, W, U, b: _run(x, W, U, b)),
        Mistake(
            "the state after the first token: did `return` slip into the loop?",
            lambda x, W, U, b: _run(x, W, U, b)[:, 0],
        ),
        Mistake(
            "the state depends on the last token alone: `state @ U` is missing, or the state begins anew with every "
            "token; the state of before belongs into each step",
            lambda x, W, U, b: torch.tanh(x[:, -1] @ W + b),
        ),
        Mistake(
            "the loop ran over the sentences of the batch, not over their tokens: token t of all of them is `x[:, t]`",
            lambda x, W, U, b: _run(x.transpose(0, 1), W, U, b)[:, -1],
        ),
        Mistake(
            "the sentence was read from its end: begin with token 0", lambda x, W, U, b: _run(x.flip(1), W, U, b)[:, -1]
        ),
        Mistake(
            "the first token was never read: the state begins with zeros, and `range` with 0",
            lambda x, W, U, b: (
                (_run(x, W, U, b) if x.shape[1] == 1 else _run(x[:, 1:], W, U, b))[:, -1] * (x.shape[1] > 1)
            ),
        ),
        Mistake(
            "the last token was never read: `range(n)` ends at n - 1 already",
            lambda x, W, U, b: (
                (_run(x, W, U, b) if x.shape[1] == 1 else _run(x[:, :-1], W, U, b))[:, -1] * (x.shape[1] > 1)
            ),
        ),
        Mistake(
            "the first token was read twice: the state begins with zeros, not with the first token's state",
            lambda x, W, U, b: _run(torch.cat([x[:, :1], x], 1), W, U, b)[:, -1],
        ),
        Mistake(
            "the state begins with ones: it must begin with zeros",
            lambda x, W, U, b: _run(x, W, U, b, begin=1.0)[:, -1],
        ),
        Mistake(
            "U is transposed: it stands behind the state as it is, `state @ U`",
            lambda x, W, U, b: _run(x, W, U.T, b)[:, -1],
        ),
        Mistake("b is missing: it is added at every step", lambda x, W, U, b: _run(x, W, U, 0 * b)[:, -1]),
        Mistake(
            "b counts twice: it is added once at every step, not with the token and with the state",
            lambda x, W, U, b: _run(x, W, U, 2 * b)[:, -1],
        ),
        Mistake(
            "b was added outside of tanh: it belongs inside, to the sum",
            lambda x, W, U, b: _run(x, W, U, b, lambda token, state, W, U, b: torch.tanh(token @ W + state @ U) + b)[
                :, -1
            ],
        ),
        Mistake(
            "tanh is missing: the state is a linear function of the words now",
            lambda x, W, U, b: _run(x, W, U, b, lambda token, state, W, U, b: token @ W + state @ U + b)[:, -1],
        ),
        Mistake(
            "tanh came only once, after the last token: it belongs into every step",
            lambda x, W, U, b: _run(x, W, U, b, lambda token, state, W, U, b: token @ W + state @ U + b)[:, -1].tanh(),
        ),
        Mistake(
            "tanh was taken of the token's part alone: it belongs around the sum of all three",
            lambda x, W, U, b: _run(x, W, U, b, lambda token, state, W, U, b: torch.tanh(token @ W + b) + state @ U)[
                :, -1
            ],
        ),
        Mistake(
            "the token went through tanh by itself and then once more in the sum: one tanh, around the sum of all "
            "three",
            lambda x, W, U, b: _run(
                x, W, U, b, lambda token, state, W, U, b: torch.tanh(torch.tanh(token @ W) + state @ U + b)
            )[:, -1],
        ),
        Mistake(
            "sigmoid in place of tanh",
            lambda x, W, U, b: _run(x, W, U, b, lambda token, state, W, U, b: (token @ W + state @ U + b).sigmoid())[
                :, -1
            ],
        ),
        Mistake(
            "relu in place of tanh",
            lambda x, W, U, b: _run(x, W, U, b, lambda token, state, W, U, b: (token @ W + state @ U + b).relu())[
                :, -1
            ],
        ),
        Mistake(
            "the new state was added to the old one: it replaces it",
            lambda x, W, U, b: _run(
                x, W, U, b, lambda token, state, W, U, b: state + torch.tanh(token @ W + state @ U + b)
            )[:, -1],
        ),
        Mistake(
            "the sum of all states: only the last one is asked for, it has read all tokens",
            lambda x, W, U, b: _run(x, W, U, b).sum(1),
        ),
        Mistake(
            "the average of all states: only the last one is asked for, it has read all tokens",
            lambda x, W, U, b: _run(x, W, U, b).mean(1),
        ),
        Mistake(
            "the tokens were summed before the network saw them: their order is lost; feed them one by one",
            lambda x, W, U, b: torch.tanh(x.sum(1) @ W + b),
        ),
        Mistake(
            "U is missing: the state was added as it is; it goes through U like the token through W",
            lambda x, W, U, b: _run(x, W, U, b, lambda token, state, W, U, b: torch.tanh(token @ W + state + b))[:, -1],
        ),
        Mistake(
            "the tokens were never read: each step needs `token @ W`",
            lambda x, W, U, b: _run(x, W, U, b, lambda token, state, W, U, b: torch.tanh(state @ U + b))[:, -1],
        ),
        Mistake("the old state was subtracted: token W + state U + b", lambda x, W, U, b: _run(x, W, -U, b)[:, -1]),
        Mistake("b was subtracted: token W + state U + b", lambda x, W, U, b: _run(x, W, U, -b)[:, -1]),
        Mistake(
            "token and state were multiplied: their projections are added",
            lambda x, W, U, b: _run(
                x, W, U, b, lambda token, state, W, U, b: torch.tanh((token @ W) * (state @ U) + b)
            )[:, -1],
        ),
        Mistake(
            "tanh came once more at the end: the last state is what tanh returned already",
            lambda x, W, U, b: _run(x, W, U, b)[:, -1].tanh(),
        ),
        Mistake(
            "tanh came twice in each step: once, around the sum of all three",
            lambda x, W, U, b: _run(
                x, W, U, b, lambda token, state, W, U, b: torch.tanh(torch.tanh(token @ W + state @ U + b))
            )[:, -1],
        ),
        Mistake(
            "the old state went through tanh once more: it is what tanh returned already",
            lambda x, W, U, b: _run(
                x, W, U, b, lambda token, state, W, U, b: torch.tanh(token @ W + state.tanh() @ U + b)
            )[:, -1],
        ),
        Mistake(
            "softmax in place of tanh",
            lambda x, W, U, b: _run(x, W, U, b, lambda token, state, W, U, b: (token @ W + state @ U + b).softmax(-1))[
                :, -1
            ],
        ),
        Mistake(
            "the new state was averaged with the old one: it replaces it",
            lambda x, W, U, b: _run(
                x, W, U, b, lambda token, state, W, U, b: (state + torch.tanh(token @ W + state @ U + b)) / 2
            )[:, -1],
        ),
        Mistake(
            "the state begins with b: it must begin with zeros", lambda x, W, U, b: _run(x, W, U, b, begin=b)[:, -1]
        ),
        Mistake(
            "the largest of all states: only the last one is asked for, it has read all tokens",
            lambda x, W, U, b: _run(x, W, U, b).amax(1),
        ),
        Mistake(
            "the tokens were averaged before the network saw them: their order is lost; feed them one by one",
            lambda x, W, U, b: torch.tanh(x.mean(1) @ W + b),
        ),
        Mistake(
            "every sentence was given the state of the first one: keep the axis of the batch",
            lambda x, W, U, b: _run(x, W, U, b)[:1, -1].expand(len(x), -1),
        ),
        Mistake(
            "the numbers are right, but the gradient ends one step back: the state was detached, or copied, so the "
            "first words could never be learned",
            lambda x, W, U, b: _run(
                x, W, U, b, lambda token, state, W, U, b: torch.tanh(token @ W + state.detach() @ U + b)
            )[:, -1],
        ),
    ),
)

EXERCISES = [ENCODE]
