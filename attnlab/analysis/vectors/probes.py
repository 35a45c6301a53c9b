"""What a state knows: a linear map that reads labels off vectors, and the states of a model that reads and writes."""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import one_hot

from attnlab.checks import checked
from attnlab.seq2seq import Seq2Seq
from attnlab.tasks.base import BOS


@checked
@torch.no_grad()
def linear_probe(
    states: Float[Tensor, "examples dim"], labels: Int[Tensor, "examples places"], learn: int, ridge: int | float = 1.0
) -> Float[Tensor, " places"]:
    """How often a linear map of a state finds each of its labels: shares from 0 to 1, on examples it has not seen.

    The map is learned from the first `learn` examples and tested on the others. It is the least-squares fit of
    [state, 1] to the one-hot labels, with `ridge` times the squared weights added; its guess is the largest number.
    labels: whole numbers from 0 on, one for each place. What a probe does not find may be there, in another form.
    Raises ValueError when there is not one row of labels for each state, for labels below 0, when nothing is left to
    learn from or to test on, and for a ridge that is not above 0.

    **Source:** Alain and Bengio 2017, "Understanding Intermediate Layers Using Linear Classifier Probes", with least
    squares (Hoerl and Kennard 1970, "Ridge Regression") in place of a softmax.
    """
    if len(states) != len(labels) or not 0 < learn < len(states):
        raise ValueError(
            f"expected labels for each of {len(states)} states and some, but not all, to learn from; "
            f"got {len(labels)} rows of labels and {learn} to learn from"
        )
    if labels.numel() and int(labels.min()) < 0:
        raise ValueError(f"expected labels from 0 on, got {int(labels.min())}")
    if not 0 < ridge < torch.inf:
        raise ValueError(f"expected a ridge above 0, got {ridge}")
    x = torch.cat([states, torch.ones(len(states), 1).to(states)], dim=1)
    seen, new = x[:learn], x[learn:]
    wanted = one_hot(labels).to(x)  # [examples, places, classes]
    W = torch.linalg.solve(seen.T @ seen + ridge * torch.eye(x.shape[1]).to(x), seen.T @ wanted[:learn].flatten(1))
    guess = (new @ W).unflatten(1, wanted.shape[1:]).argmax(dim=-1)
    return (guess == labels[learn:]).float().mean(dim=0)


class ReadAndWritten(NamedTuple):
    """What a model went through. states: one [batch, dim] after each token it read, the summary, one at each token it
    wrote. written: the tokens."""

    states: list[Float[Tensor, "batch _"]]
    written: Int[Tensor, "batch steps"]


@checked
@torch.no_grad()
def read_and_write(model: Seq2Seq, source: Int[Tensor, "batch tokens"]) -> ReadAndWritten:
    """The states of a model that reads sources of one length and writes as many tokens, each time the likeliest.

    Of n source tokens: n states of the encoder, its summary (the context), n states of the decoder. It writes on after
    the end-of-sequence token, so that all states are there. Raises ValueError for ids that the model does not know.
    """
    batch, tokens = source.shape
    memory = model.encode(source, torch.full((batch,), tokens))
    states, written = [*memory.keys.unbind(dim=1), memory.summary], []
    state, token = model.start(memory), source.new_full((batch,), BOS)
    for _ in range(tokens):
        logits, state, _ = model.step(token, state, memory)
        token = logits.argmax(dim=-1)
        states.append(state.hidden)
        written.append(token)
    return ReadAndWritten(states, torch.stack(written, dim=1))
