"""Exercise 11.top_k: only the k best tokens."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.exercises.l11_small_gpt.chosen import STATEMENT, changed_logits, how_many_stay, logits_and, masked
from attnlab.specs import decoding, each


def top_k(logits: Tensor, k: int) -> Tensor:
    """The solution."""
    k = min(k, logits.shape[-1])
    lowest = logits.topk(k, dim=-1).values[:, -1:]  # [batch, 1]: the k-th highest
    return logits.masked_fill(logits < lowest, -torch.inf)


def rank_of(logits: Tensor, dim: int = -1) -> Tensor:
    """How many logits are higher."""
    return logits.argsort(dim=dim, descending=True).argsort(dim=dim)


TOP_K = Exercise(
    name="11.top_k",
    title="Only the k best tokens",
    statement=f"""Return the logits [batch, vocabulary]; in each row only the k highest stay.

{STATEMENT}

logits [batch, vocabulary], no two in a row are equal; k, a whole number of at least 1. A k above the vocabulary's size
keeps all.""",
    axes="[batch, vocabulary]",
    stub="""def top_k(logits, k):
    ...
""",
    hints=(
        "Find the k-th highest logit of each row; everything below it goes.",
        "`logits.topk(k, dim=-1).values` are the k highest of each row, falling: the last column is the limit. Keep "
        "its axis, `[:, -1:]`, and it broadcasts against the rows.",
        "`masked_fill` writes one number wherever a condition holds. And `topk` raises an error when k is above the "
        "vocabulary's size: take `min(k, logits.shape[-1])`.",
    ),
    solution=top_k,
    spec=lambda logits, k: each(lambda row: decoding.top_k(row, k), logits),
    inputs=lambda: [logits_and(3, 7, 2, seed=1), logits_and(5, 11, 4, seed=2)],
    edges=lambda: [logits_and(1, 5, 1, seed=3), logits_and(2, 3, 3, seed=4), logits_and(3, 5, 13, seed=5)],
    diagnoses=(
        lambda result, logits, k: changed_logits(result, logits),
        lambda result, logits, k: how_many_stay(result, top_k(logits, k)),
    ),
    mistakes=(
        Mistake(
            "only k - 1 tokens stay: the k-th highest is the limit and stays too, so compare with < and not with <=",
            lambda logits, k: masked(logits, rank_of(logits) < k - 1),
        ),
        Mistake(
            "k + 1 tokens stay: counted from 0, the k-th highest has index k - 1",
            lambda logits, k: masked(logits, rank_of(logits) < k + 1),
        ),
        Mistake(
            "the k lowest stay: it is the highest that are wanted",
            lambda logits, k: masked(logits, rank_of(-logits) < k),
        ),
        Mistake(
            "the k highest went and the others stay: fill where a logit is below the limit",
            lambda logits, k: masked(logits, rank_of(logits) >= k),
        ),
        Mistake(
            "the others became 0, but exp(0) is 1, so they can still be drawn: they must be -inf",
            lambda logits, k: logits * (rank_of(logits) < k),
        ),
        Mistake(
            "the others became very low numbers: here they must be -inf",
            lambda logits, k: logits.masked_fill(rank_of(logits) >= k, -1e9),
        ),
        Mistake(
            "the others became the lowest number there is: here they must be -inf",
            lambda logits, k: logits.masked_fill(rank_of(logits) >= k, torch.finfo(logits.dtype).min),
        ),
        Mistake(
            "these are probabilities: the choice is right, now return the logits",
            lambda logits, k: top_k(logits, k).softmax(-1),
        ),
        Mistake(
            "these are probabilities, and they do not sum to 1: the softmax came before the cut; return logits, then a "
            "softmax shares out anew",
            lambda logits, k: logits.softmax(-1) * (rank_of(logits) < k),
        ),
        Mistake(
            "these are log-probabilities: the choice is right, now leave the logits that stay as they are",
            lambda logits, k: top_k(logits, k).log_softmax(-1),
        ),
        Mistake(
            "the k highest of the whole batch: each row has k of its own",
            lambda logits, k: masked(logits, rank_of(logits.flatten()).reshape(logits.shape) < k),
        ),
        Mistake(
            "one limit was used for all rows: each row has its own; keep its axis, [batch, 1]",
            lambda logits, k: masked(logits, logits >= logits[0].topk(k).values[-1]),
        ),
        Mistake(
            "the k highest of each column: the vocabulary is the last axis",
            lambda logits, k: masked(logits, rank_of(logits, dim=0) < k),
        ),
        Mistake(
            "the first k tokens stay, not the best k: sort first, or ask for the limit",
            lambda logits, k: masked(logits, torch.arange(logits.shape[1]).expand_as(logits) < k),
        ),
        Mistake(
            "the logits are sorted, so nobody knows any more which token they belong to: each must keep its place",
            lambda logits, k: masked(
                logits.sort(descending=True).values, torch.arange(logits.shape[1]).expand_as(logits) < k
            ),
        ),
        Mistake(
            "only the k highest logits were returned, [batch, k]: each must keep its place among the vocabulary",
            lambda logits, k: logits.topk(k).values,
        ),
        Mistake(
            "these are the ids of the k best tokens: return the logits, with -inf for all others",
            lambda logits, k: logits.topk(k).indices,
        ),
        Mistake(
            "this is the mask of what stays: fill the logits with -inf where it is False",
            lambda logits, k: rank_of(logits) < k,
        ),
        Mistake(
            "the highest by absolute value stay: a logit far below 0 is the least probable",
            lambda logits, k: masked(logits, rank_of(logits.abs()) < k),
        ),
        Mistake(
            "only the best token stays: the limit is the last of the k highest, not the first",
            lambda logits, k: masked(logits, rank_of(logits) < 1),
        ),
        Mistake(
            "the k-th highest alone stays: those above it stay too",
            lambda logits, k: masked(logits, rank_of(logits) == k - 1),
        ),
        Mistake(
            "the ids of a sort were compared with k, or read by `gather`: they say which token stands at a place, not "
            "at which place a token stands; compare each logit with the limit, or write with `scatter`",
            lambda logits, k: masked(
                logits,
                (torch.arange(logits.shape[1]) < k).expand_as(logits).gather(-1, logits.argsort(descending=True)),
            ),
        ),
        Mistake(
            "the last k tokens stay, not the best k: sort first, or ask for the limit",
            lambda logits, k: masked(logits, torch.arange(logits.shape[1]).expand_as(logits) >= logits.shape[1] - k),
        ),
        Mistake(
            "k tokens went: k stay, the others go",
            lambda logits, k: masked(logits, rank_of(logits) < logits.shape[1] - k),
        ),
        Mistake(
            "the others became infinite: they must be minus infinity",
            lambda logits, k: logits.masked_fill(rank_of(logits) >= k, torch.inf),
        ),
        Mistake(
            "the others became NaN: they must be -inf",
            lambda logits, k: logits.masked_fill(rank_of(logits) >= k, torch.nan),
        ),
        Mistake(
            "the others became the lowest logit there is: they must be -inf",
            lambda logits, k: torch.where(rank_of(logits) < k, logits, logits.min()),
        ),
        Mistake(
            "what stays became 0: each must keep its logit",
            lambda logits, k: torch.where(rank_of(logits) < k, 0.0, -torch.inf),
        ),
        Mistake(
            "what stays became 1: each must keep its logit",
            lambda logits, k: torch.where(rank_of(logits) < k, 1.0, -torch.inf),
        ),
        Mistake(
            "those above the mean stay: it is the k highest that do",
            lambda logits, k: masked(logits, logits >= logits.mean(-1, keepdim=True)),
        ),
        Mistake("the sign is wrong: each must keep its logit", lambda logits, k: -top_k(logits, k)),
        Mistake("these are the logits as they came: nothing was taken away", lambda logits, k: logits.clone()),
    ),
)
