"""What a language model thought of the token that came: its probability, and the surprise."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.checks import check_ids, checked


@checked
def probability(
    logits: Float[Tensor, "*batch tokens vocabulary"], following: Int[Tensor, "*batch tokens"]
) -> Float[Tensor, "*batch tokens"]:
    """The probability that the logits of each place give to the token that follows there, from 0 to 1."""
    return (-surprise(logits, following)).exp()


@checked
def surprise(
    logits: Float[Tensor, "*batch tokens vocabulary"], following: Int[Tensor, "*batch tokens"]
) -> Float[Tensor, "*batch tokens"]:
    """-ln `probability`, in nats: 0 for what was certain. Its mean over a text is the loss of the model.

    Raises ValueError for tokens that are not in the vocabulary.

    **Source:** Hale 2001, "A Probabilistic Earley Parser as a Psycholinguistic Model", there called surprisal.
    """
    check_ids(following, logits.shape[-1], "tokens")
    return -logits.log_softmax(-1).gather(-1, following.unsqueeze(-1)).squeeze(-1)


@checked
def with_others(chances: Float[Tensor, "*batch vocabulary"], shown: Sequence[int]) -> Float[Tensor, "*batch words"]:
    """The probabilities of some tokens, in their order, and at the end that of all others together.

    Raises ValueError for tokens that are not in the vocabulary.
    """
    ids = torch.tensor([*shown], dtype=torch.long, device=chances.device)
    check_ids(ids, chances.shape[-1], "tokens")
    kept = chances[..., ids]
    return torch.cat([kept, (1 - kept.sum(-1, keepdim=True)).clamp(min=0)], dim=-1)
