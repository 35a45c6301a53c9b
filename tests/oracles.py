"""What attnlab computes, written once more as loops over single numbers: slow, obvious, and the measure of the rest."""

from itertools import product
from math import exp, inf, log, sqrt, tanh

import torch

# Scores of one query with one key.


def dot(query, key):
    total = 0.0
    for a, b in zip(query, key, strict=True):
        total += a * b
    return total


def scaled_dot(query, key):
    return dot(query, key) / sqrt(len(query))


def additive(query, key, W_q, W_k, b, v):
    total = 0.0
    for i in range(len(v)):
        total += v[i] * tanh(dot(W_q[i], query) + dot(W_k[i], key) + b[i])
    return total


def general(query, key, W):
    total = 0.0
    for i in range(len(query)):
        for j in range(len(key)):
            total += query[i] * W[i][j] * key[j]
    return total


def concat(query, key, w):
    return dot(w, [*query, *key])


def perceptron(query, key, W, b, v):
    total = 0.0
    for i in range(len(v)):
        total += v[i] * tanh(dot(W[i], [*query, *key]) + b[i])
    return total


def content(query, key):
    lengths = sqrt(dot(query, query)) * sqrt(dot(key, key))
    return dot(query, key) / lengths if lengths else 0.0


def location(query, place, W):
    return dot(W[place], query)


# The same with the parameters of one of attnlab's scores, which is `made`. All take (query, key, place of the key).


def numbers(*parameters):
    return [parameter.tolist() for parameter in parameters]


def additive_of(made):
    W_q, W_k, b, [v] = numbers(made.query.weight, made.key.weight, made.query.bias, made.combine.weight)
    return lambda query, key, place: additive(query, key, W_q, W_k, b, v)


def general_of(made):
    [W] = numbers(made.key.weight)
    return lambda query, key, place: general(query, key, W)


def concat_of(made):
    [[w]] = numbers(made.pair.weight)
    return lambda query, key, place: concat(query, key, w)


def perceptron_of(made):
    W, b, [v] = numbers(made.hidden.weight, made.hidden.bias, made.combine.weight)
    return lambda query, key, place: perceptron(query, key, W, b, v)


def location_of(made):
    [W] = numbers(made.place.weight)
    return lambda query, key, place: location(query, place, W)


SCORES = {
    "dot": lambda made: lambda query, key, place: dot(query, key),
    "scaled_dot": lambda made: lambda query, key, place: scaled_dot(query, key),
    "additive": additive_of,
    "general": general_of,
    "concat": concat_of,
    "perceptron": perceptron_of,
    "content": lambda made: lambda query, key, place: content(query, key),
    "location": location_of,
}
"""Name -> function that takes attnlab's score and gives the oracle `(query, key, place)` with the same parameters."""


# Attention of one sequence. query, key, value: [.., dim] tensors; mask: [queries, keys] or None.


def attend(query, key, value, score, mask=None, temperature=1.0):
    queries, keys, dims = len(query), len(key), value.shape[-1]
    context, weights, scores = torch.zeros(queries, dims), torch.zeros(queries, keys), torch.zeros(queries, keys)
    for i in range(queries):
        for j in range(keys):
            scores[i, j] = score(query[i].tolist(), key[j].tolist(), j)
        allowed = [j for j in range(keys) if (mask is None or mask[i, j]) and scores[i, j] > -inf]
        if not allowed:
            continue
        highest = max(float(scores[i, j]) for j in allowed)
        total = sum(exp((float(scores[i, j]) - highest) / temperature) for j in allowed)
        for j in allowed:
            weights[i, j] = exp((float(scores[i, j]) - highest) / temperature) / total
            for d in range(dims):
                context[i, d] += weights[i, j] * value[j, d]
    return context, weights, scores


def causal(queries, keys):
    return torch.tensor([[j <= i for j in range(keys)] for i in range(queries)])


def everything(queries, keys):
    return torch.tensor([[True for _ in range(keys)] for _ in range(queries)])


MASKS = {"causal": causal, "everything": everything}


def padding(lengths, keys):
    return torch.tensor([[[j < length for j in range(keys)]] for length in lengths])


# Decoding. Every step starts again from BOS, so no state can be carried over wrongly.


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
        longer = []
        for written, so_far in beams:
            for token, expected in enumerate(log_probabilities(model, source, written, bos)):
                longer.append(((*written, token), so_far + expected))
        longer.sort(key=lambda target: target[1], reverse=True)
        longer = longer[: width - len(finished)]
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
