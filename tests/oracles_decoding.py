"""Filters of logits and the writing of a text, as loops over single numbers."""

from math import exp, inf

import torch


def softmax(logits):
    highest = max(logits)
    total = sum(exp(logit - highest) for logit in logits)
    return [exp(logit - highest) / total for logit in logits]


def ranked(logits):
    """Ids from the highest logit to the lowest; of equal ones the lower id first."""
    return sorted(range(len(logits)), key=lambda i: (-logits[i], i))


def temperature(logits, t):
    """The probabilities of logits / t."""
    return softmax([logit / t for logit in logits])


def top_k(logits, k):
    kept = ranked(logits)[:k]
    return [logit if i in kept else -inf for i, logit in enumerate(logits)]


def top_p(logits, p):
    """The kept ids: one more until their probability reaches p. And how close it came to p on the way."""
    shares, kept, total, nearest = softmax(logits), [], 0.0, inf
    for i in ranked(logits):
        if total >= p:
            break
        kept.append(i)
        total += shares[i]
        nearest = min(nearest, abs(total - p))
    return kept, nearest


def write(model, prompt, steps, longest):
    """The most probable token, again and again, each time from the whole text, or its end where it is too long."""
    text = list(prompt)
    for _ in range(steps):
        logits = model(torch.tensor([text[-longest:]]))[0, -1].tolist()
        text.append(logits.index(max(logits)))
    return text[len(prompt):]
