"""Which token comes next: what of a model's logits [vocabulary] may be drawn, and one step of beam search."""

import torch
from torch import Tensor

from attnlab.specs.attention import row_softmax


def ranked(logits: Tensor) -> list[int]:
    """Tokens from the highest logit to the lowest; of equal ones the lower first."""
    return sorted(range(len(logits)), key=lambda token: (-logits[token].item(), token))


def top_k(logits: Tensor, k: int) -> Tensor:
    """logits [vocabulary] -> [vocabulary]: the k highest stay, the others are -inf."""
    kept = torch.full_like(logits, -torch.inf)
    for token in ranked(logits)[:k]:
        kept[token] = logits[token]
    return kept


def top_p(logits: Tensor, p: int | float) -> Tensor:
    """logits [vocabulary] -> [vocabulary]: one more token stays until their probability reaches p."""
    shares, kept, reached = row_softmax(logits), torch.full_like(logits, -torch.inf), 0.0
    for token in ranked(logits):
        if reached < p:
            kept[token] = logits[token]
        reached += shares[token].item()
    return kept


def beam_step(kept: Tensor, log_probabilities: Tensor, width: int) -> Tensor:
    """kept [hypotheses], log_probabilities [hypotheses, vocabulary] -> [width, 3], falling: total, parent, token."""
    continuations = []
    for parent in range(len(kept)):
        for token in range(log_probabilities.shape[1]):
            continuations.append((kept[parent] + log_probabilities[parent, token], parent, token))
    continuations.sort(key=lambda continuation: -continuation[0].item())
    best = kept.new_zeros(min(width, len(continuations)), 3)
    for row, (total, parent, token) in enumerate(continuations[:width]):
        best[row, 0], best[row, 1], best[row, 2] = total, parent, token
    return best
