"""What a model that has read texts guesses where a word is hidden, with the words on both sides or those before it."""

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from attnlab.checks import Count, checked
from attnlab.masks import causal
from attnlab.tasks.python_topics import END, HIDDEN
from attnlab.transformer import MaskedEncoder


@checked
@torch.no_grad()
def guess_from_both_sides(
    model: MaskedEncoder, tokens: Int64[Tensor, " tokens"], hidden: list[Count]
) -> Float[Tensor, "hidden vocabulary"]:
    """The chances of each word at the hidden places, when all of them are hidden at once."""
    inputs = tokens.clone()
    inputs[hidden] = HIDDEN
    return model(inputs.unsqueeze(0))[0, hidden].softmax(dim=-1)


@checked
@torch.no_grad()
def guess_from_the_left(
    model: MaskedEncoder, tokens: Int64[Tensor, " tokens"], hidden: list[Count]
) -> Float[Tensor, "hidden vocabulary"]:
    """The chances of each word at the hidden places, in the order of these, from the words before it.

    A hidden word further left is replaced by the model's own first guess. Before the first word stands an END, as the
    end of another sentence.
    """
    read, chances = torch.cat([torch.tensor([END]), tokens]), {}
    for place in sorted(hidden):
        logits = model(read[None, : place + 1], causal(place + 1))[0, -1]
        chances[place] = logits.softmax(dim=-1)
        read[place + 1] = logits.argmax()
    return torch.stack([chances[place] for place in hidden])
