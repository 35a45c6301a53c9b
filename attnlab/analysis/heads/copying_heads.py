"""Heads that copy, in a model that reads words twice: which they are, and what is lost when they are switched off."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn.functional import cross_entropy

from attnlab.analysis.heads.head_patterns import without
from attnlab.checks import Size, checked
from attnlab.tasks.induction import after_copy, share
from attnlab.trace import record
from attnlab.transformer import GPT


class SecondRound(NamedTuple):
    """loss: the mean surprise of the words in the second round, in nats. right: the share foreseen. first: the loss of
    the first round, from its second word on."""

    loss: float
    right: float
    first: float


class CopyStudy(NamedTuple):
    """pieces: the first token and the words, twice, of the first text. scores: [layers, heads], how much of its weight
    each head puts behind the earlier copy. heads: (layer, head), the highest scores first. weights: [tokens, tokens],
    what the first of them does in the first text. off: the second round without the first 0, 1, 2, ... of `heads`.
    others: the same, but with as many heads drawn from the rest, once for each draw."""

    pieces: list[str]
    scores: Tensor
    heads: list[tuple[int, int]]
    weights: Tensor
    off: list[SecondRound]
    others: list[list[SecondRound]]


@checked
@torch.no_grad()
def second_round(model: GPT, tokens: Int[Tensor, "texts tokens"], heads: Sequence[tuple[str, int]] = ()) -> SecondRound:
    """How well the second round is foreseen without these heads. tokens: one first token, then the same words twice.

    Raises ValueError for another number of tokens.
    """
    words = _words(tokens)
    with without(model, heads):
        logits, targets = model(tokens)[:, :-1], tokens[:, 1:]
    losses = cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    losses, first = losses[:, words + 1 :], losses[:, 1:words]  # a round's first word comes unannounced
    right = (logits.argmax(-1) == targets)[:, words + 1 :]
    return SecondRound(losses.mean().item(), right.double().mean().item(), first.mean().item())


@checked
@torch.no_grad()
def copy_scores(model: GPT, tokens: Int[Tensor, "texts tokens"]) -> tuple[list[str], Float[Tensor, "layers heads"]]:
    """The names of the attentions, and how much weight each head of theirs puts behind the earlier copy of a word.

    The mean over the second round. Raises ValueError as `second_round` does.
    """
    right = after_copy(torch.tensor([_words(tokens)] * len(tokens)), tokens.shape[1])
    right[:, :, 1] = False  # before the first word stands what was read once only
    with record(model) as trace:
        model(tokens)
    return trace.names, torch.stack([share(trace[name][0].weights, right) for name in trace.names])


@checked
def copy_study(
    model: GPT, tokens: Int[Tensor, "texts tokens"], pieces: Sequence[str], most: Size, draws: Size
) -> CopyStudy:
    """Switches off one after the other the `most` heads that copy, and `draws` times as many others.

    Raises ValueError for a model with fewer than twice `most` heads.
    """
    names, scores = copy_scores(model, tokens)
    order = [divmod(int(one), scores.shape[1]) for one in scores.flatten().argsort(descending=True)]
    if len(order) < 2 * most:
        raise ValueError(f"expected a model with at least {2 * most} heads, got {len(order)}")
    generator = Generator().manual_seed(0)
    rest = order[most:]
    drawn = [[rest[i] for i in torch.randperm(len(rest), generator=generator)[:most]] for _ in range(draws)]

    def off(heads: list[tuple[int, int]]) -> list[SecondRound]:
        chosen = [(names[layer], head) for layer, head in heads]
        return [second_round(model, tokens, chosen[:count]) for count in range(most + 1)]

    layer, head = order[0]
    with torch.no_grad(), record(model) as trace:
        model(tokens)
    weights = trace[names[layer]][0].weights[0, head]
    return CopyStudy(list(pieces), scores, order[:most], weights, off(order[:most]), [off(heads) for heads in drawn])


def _words(tokens: Tensor) -> int:
    """How many words come twice."""
    words, more = divmod(tokens.shape[1] - 1, 2)
    if more or words < 2 or not torch.equal(tokens[:, 1 : words + 1], tokens[:, words + 1 :]):
        raise ValueError(f"expected one token, then at least two words twice, in each text, got {tokens.tolist()}")
    return words
