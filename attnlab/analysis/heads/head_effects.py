"""What hangs on each head: a model with one head after the other switched off."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from attnlab.analysis.heads.head_patterns import without
from attnlab.checks import checked
from attnlab.multihead import MultiHeadAttention

STANDS_OUT = 0.15
"""A head stands out where it is worth at least this much probability, and twice as much as any other."""


class HeadEffect(NamedTuple):
    """What changes without one head.

    attention: the name of its module. head: its number there. token: what the whole model holds likeliest.
    whole, off: the probability of that token, with all heads and without this one.
    moved: how much probability goes to other tokens, from 0 to 1: half the sum of all changes.
    """

    attention: str
    head: int
    token: int
    whole: float
    off: float
    moved: float


@checked
@torch.no_grad()
def head_effects(model: nn.Module, *inputs: object, place: int = -1) -> list[HeadEffect]:
    """For each head, in the order of the modules: what the model foretells at one place when that head finds nothing.

    The logits of `model(*inputs)` are [1, places, vocabulary]. The model runs once for each head and once whole, as it
    is: put it into `eval()` where it has dropout. An attention that is called several times is without the head in all
    of them. Raises ValueError for a model without heads, for logits of another shape or with NaN, and for a place that
    is not there.

    **Source:** Michel, Levy and Neubig 2019, "Are Sixteen Heads Really Better than One?", section 3.2, there with the
    change of a whole test set's score.
    """
    attentions = {name: module for name, module in model.named_modules() if isinstance(module, MultiHeadAttention)}
    if not attentions:
        raise ValueError(f"expected a model with heads to switch off, got {type(model).__name__}, which has none")
    whole = _foretold(model, inputs, place)
    token, effects = int(whole.argmax()), []
    for name, module in attentions.items():
        for head in range(module.heads):
            with without(model, [(name, head)]):
                off = _foretold(model, inputs, place)
            moved = float((whole - off).abs().sum() / 2)
            effects.append(HeadEffect(name, head, token, float(whole[token]), float(off[token]), moved))
    return effects


def _foretold(model: nn.Module, inputs: tuple, place: int) -> Tensor:
    """The probabilities [vocabulary] at one place."""
    logits = model(*inputs)
    if logits.ndim != 3 or len(logits) != 1:
        raise ValueError(f"expected logits [1, places, vocabulary], got {list(logits.shape)}")
    if not -logits.shape[1] <= place < logits.shape[1]:
        raise ValueError(f"expected a place below {logits.shape[1]}, got {place}")
    if bool(logits[0, place].isnan().any()):
        raise ValueError("expected logits that are numbers, got nan")
    return logits[0, place].softmax(-1)


@checked
def stands_out(effects: Sequence[HeadEffect]) -> HeadEffect | None:
    """The one head that the likeliest token hangs on, None where there is no such head.

    Without it the token loses at least `STANDS_OUT` of probability, and twice as much as without any other head.
    """
    ranked = sorted(effects, key=lambda effect: effect.off - effect.whole)
    losses = [effect.whole - effect.off for effect in ranked[:2]]
    if not losses or losses[0] < STANDS_OUT or (len(losses) > 1 and losses[0] < 2 * losses[1]):
        return None
    return ranked[0]
