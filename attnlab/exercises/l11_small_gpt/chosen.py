"""What the two exercises that choose among tokens share: their logits, and what is said of those that stay."""

import torch
from torch import Tensor

STATEMENT = "Those that stay keep their logit and their place, the others become -inf, so that a softmax gives them 0."


def logits_and(batch: int, vocabulary: int, chosen: int | float, seed: int) -> tuple:
    """Logits without equals, spread so that some rows have one favourite and others several."""
    chance = torch.Generator().manual_seed(seed)
    spread = torch.linspace(0.8, 2, batch).unsqueeze(1)
    return spread * torch.randn(batch, vocabulary, generator=chance), chosen


def masked(logits: Tensor, keep: Tensor) -> Tensor:
    return logits.masked_fill(~keep, -torch.inf)


def changed_logits(result: Tensor, logits: Tensor) -> str | None:
    """A diagnosis of both exercises: whatever stays is as it was."""
    stays = result != -torch.inf
    if bool((stays & ~torch.isclose(result, logits, rtol=1e-4, atol=1e-5)).any()):
        return "what stays must keep its logit, and what goes must become -inf; some of yours are other numbers"
    return None


def how_many_stay(result: Tensor, expected: Tensor) -> str | None:
    got, wanted = (result > -torch.inf).sum(-1), (expected > -torch.inf).sum(-1)
    wrong = (got != wanted).nonzero()
    if not len(wrong):
        return _others(result, expected)
    row = int(wrong[0])
    return f"in row {row}, {int(got[row])} tokens stay, expected {int(wanted[row])}"


def _others(result: Tensor, expected: Tensor) -> str | None:
    """As many tokens as there should be, but not the same ones."""
    stays, should = result > -torch.inf, expected > -torch.inf
    if torch.equal(stays, should):
        return None
    row = int((stays != should).any(-1).nonzero()[0])
    one, other = (int(tokens[row].nonzero()[0]) for tokens in (stays & ~should, should & ~stays))
    return f"in row {row} the wrong tokens stay: token {one} does, and token {other}, whose logit is higher, does not"
