"""Searches with a whole model. Every step starts again from BOS, so no state can be carried over wrongly."""

from itertools import product
from math import exp, inf, log

import torch

from attnlab.specs.decoding import beam_step


def log_probabilities(model, source, written, bos):
    """[vocabulary]: what the model expects after the tokens in `written`."""
    lengths = torch.tensor([len(source)])
    logits = model(source.unsqueeze(0), lengths, torch.tensor([[bos, *written]]))[0, -1].tolist()
    highest = max(logits)
    total = log(sum(exp(logit - highest) for logit in logits)) + highest
    return [logit - total for logit in logits]


def greedy(model, source, bos, eos, max_steps, prefix=()):
    written = []
    while len(written) < max_steps and (not written or written[-1] != eos):
        if len(written) < len(prefix):
            written.append(prefix[len(written)])
        else:
            expected = log_probabilities(model, source, written, bos)
            written.append(expected.index(max(expected)))
    return written


def beam(model, source, bos, eos, width, max_steps, length_penalty):
    """The tokens of the best target that a beam of this width finds."""
    beams, finished = [((), 0.0)], []
    for _ in range(max_steps):
        kept = torch.tensor([so_far for _, so_far in beams], dtype=torch.float64)
        expected = [log_probabilities(model, source, written, bos) for written, _ in beams]
        steps = beam_step(kept, torch.tensor(expected, dtype=torch.float64), width - len(finished)).tolist()
        longer = [((*beams[int(parent)][0], int(token)), total) for total, parent, token in steps]
        finished += [target for target in longer if target[0][-1] == eos]
        beams = [target for target in longer if target[0][-1] != eos]
        if not beams:
            break
    return list(max(finished or beams, key=lambda target: target[1] / len(target[0]) ** length_penalty)[0])


def most_probable(model, source, bos, eos, vocabulary, max_steps):
    """The most probable of all targets that end with EOS within `max_steps`, each tried in turn."""
    found, best = None, -inf
    for length in range(1, max_steps + 1):
        for before in product([token for token in range(vocabulary) if token != eos], repeat=length - 1):
            target = [*before, eos]
            total = sum(log_probabilities(model, source, target[:i], bos)[target[i]] for i in range(length))
            if total > best:
                found, best = target, total
    return found, best


def write(model, prompt, steps, longest):
    """The most probable token, again and again, each time from the whole text, or its end where it is too long."""
    text = list(prompt)
    for _ in range(steps):
        logits = model(torch.tensor([text[-longest:]]))[0, -1].tolist()
        text.append(logits.index(max(logits)))
    return text[len(prompt) :]
