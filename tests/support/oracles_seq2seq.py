"""Recurrent cells and one step of each decoder, written as loops over single numbers."""

from math import exp, tanh

import torch

from attnlab.specs.alignment import dot
from attnlab.specs.attention import attend
from attnlab.specs.seq2seq import rnn_step


def sigmoid(x):
    return 1 / (1 + exp(-x))


def mapped(W, b, x):
    """W x + b of a list of numbers."""
    return [(dot(row, torch.tensor(x)) + number).item() for row, number in zip(W, b, strict=True)]


def linear(layer, x):
    """A `nn.Linear` of a list of numbers."""
    bias = torch.zeros(layer.out_features) if layer.bias is None else layer.bias
    return mapped(layer.weight, bias, x)


# One step of a cell. parameters: W_x, W_h, b_x, b_h as torch stacks them; x, h, c: lists. Returns (h, c).


def sums(parameters, x, h):
    """W_x x + b_x and W_h h + b_h."""
    W_x, W_h, b_x, b_h = parameters
    return mapped(W_x, b_x, x), mapped(W_h, b_h, h)


def rnn(parameters, x, h, c):
    W_x, W_h, b_x, b_h = (parameter.detach() for parameter in parameters)
    return rnn_step(torch.tensor(x), torch.tensor(h), W_x.T, W_h.T, b_x + b_h).tolist(), None


def gru(parameters, x, h, c):
    ours, theirs = sums(parameters, x, h)
    after, n = [], len(h)
    for i in range(n):
        reset = sigmoid(ours[i] + theirs[i])
        update = sigmoid(ours[n + i] + theirs[n + i])
        new = tanh(ours[2 * n + i] + reset * theirs[2 * n + i])
        after.append((1 - update) * new + update * h[i])
    return after, None


def lstm(parameters, x, h, c):
    ours, theirs = sums(parameters, x, h)
    hidden, cell, n = [], [], len(h)
    for i in range(n):
        enter, keep, new, show = (ours[part * n + i] + theirs[part * n + i] for part in range(4))
        cell.append(sigmoid(keep) * c[i] + sigmoid(enter) * tanh(new))
        hidden.append(sigmoid(show) * tanh(cell[i]))
    return hidden, cell


CELLS = {"rnn": rnn, "gru": gru, "lstm": lstm}


def parameters(module, suffix=""):
    """W_x, W_h, b_x, b_h of a torch cell, or of a layer's direction (suffix "_l0", "_l0_reverse")."""
    return [getattr(module, f"{name}{suffix}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]


def encode(name, layer, embedded, hidden, backwards=False):
    """The hidden vectors of one source [tokens, embedding], read in one direction: a list, in the source's order."""
    step, suffix = CELLS[name], "_l0_reverse" if backwards else "_l0"
    h, c, read = [0.0] * hidden, [0.0] * hidden, {}
    places = range(len(embedded))
    for place in reversed(places) if backwards else places:
        h, c = step(parameters(layer, suffix), embedded[place].tolist(), h, c)
        read[place] = h
    return [read[place] for place in places]


# One step of one row. token: int; h, c: lists; keys: [source, dim]; score: the spec of a score. Returns logits, h, c.


def fixed_step(name, decoder, token, h, c, summary):
    word = decoder.embedding.weight[token].tolist()
    h, c = CELLS[name](parameters(decoder.cell), word + summary, h, c)
    return linear(decoder.output, h + summary), h, c


def bahdanau_step(name, decoder, token, h, c, keys, score):
    context, weights, _ = attend(torch.tensor([h]), keys, keys, score)
    logits, h, c = fixed_step(name, decoder, token, h, c, context[0].tolist())
    return logits, h, c, weights[0]


def luong_step(name, decoder, token, h, c, keys, score):
    h, c = CELLS[name](parameters(decoder.recurrent, "_l0"), decoder.embedding.weight[token].tolist(), h, c)
    context, weights, _ = attend(torch.tensor([h]), keys, keys, score)
    combined = [tanh(number) for number in linear(decoder.combine, context[0].tolist() + h)]
    return linear(decoder.output, combined), h, c, weights[0]
