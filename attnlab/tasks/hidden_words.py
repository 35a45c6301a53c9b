"""Words that are hidden, to be guessed: BERT's way of making a task out of a text that nobody has labelled."""

from typing import NamedTuple

import torch
from jaxtyping import Int64
from torch import Generator, Tensor

from attnlab.checks import Share, Size, checked
from attnlab.tasks.python_topics import HIDDEN, SPECIAL

NOT_ASKED = -100  # the target that torch's `cross_entropy` leaves out


class HiddenWords(NamedTuple):
    """inputs: what the model reads. targets: the word that stood there, `NOT_ASKED` where nothing is asked."""

    inputs: Int64[Tensor, "batch tokens"]
    targets: Int64[Tensor, "batch tokens"]


@checked
def hide_words(
    tokens: Int64[Tensor, "batch tokens"],
    vocabulary: Size,
    generator: Generator,
    asked: Share = 0.15,
    hidden: Share = 0.8,
    replaced: Share = 0.1,
) -> HiddenWords:
    """Some words are asked for; of these some are hidden, some replaced by one drawn from all, the rest left as it is.

    asked: the share of all words; SPECIAL tokens never are. hidden, replaced: shares of the words asked for; what is
    left of 1 is kept. Raises ValueError where the two are more than 1 together, and for a vocabulary without words.

    **Source:** Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional Transformers for Language
    Understanding", section 3.1, task 1. **Names:** [MASK] -> HIDDEN.
    """
    if hidden + replaced > 1 + 1e-6:
        raise ValueError(f"expected shares of at most 1 together, got hidden {hidden} and replaced {replaced}")
    if vocabulary <= len(SPECIAL):
        raise ValueError(f"expected words beside the {len(SPECIAL)} special tokens, got a vocabulary of {vocabulary}")
    is_asked = (torch.rand(tokens.shape, generator=generator) < asked) & (tokens >= len(SPECIAL))
    chance = torch.rand(tokens.shape, generator=generator)
    others = torch.randint(len(SPECIAL), vocabulary, tokens.shape, generator=generator)
    inputs = torch.where(is_asked & (chance < hidden + replaced), others, tokens)
    inputs = torch.where(is_asked & (chance < hidden), HIDDEN, inputs)
    return HiddenWords(inputs, torch.where(is_asked, tokens, NOT_ASKED))
