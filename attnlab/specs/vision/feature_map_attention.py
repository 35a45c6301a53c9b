"""Self-attention between the places of a feature map. Of one picture, maps [channels, height, width]."""

import torch
from torch import Tensor

from attnlab.specs.attention import softmax


def at_each_place(maps: Tensor, W: Tensor) -> Tensor:
    """A 1 x 1 convolution: the map W [out, channels] of the vector at each place -> [places, out], row by row."""
    channels, height, width = maps.shape
    vectors = maps.new_zeros(height * width, len(W))
    for i in range(height):
        for j in range(width):
            for out in range(len(W)):
                for channel in range(channels):
                    vectors[i * width + j, out] += W[out, channel] * maps[channel, i, j]
    return vectors


def feature_map_attention(maps: Tensor, W_f: Tensor, W_g: Tensor, W_h: Tensor, W_v: Tensor, gain: float) -> Tensor:
    """maps + gain · what each place finds. f gives the keys, g the queries, h the values; v takes them back."""
    key, query, value = (at_each_place(maps, W) for W in (W_f, W_g, W_h))
    places, channels, width = len(key), maps.shape[0], maps.shape[2]
    scores = maps.new_zeros(places, places)
    for j in range(places):
        for i in range(places):
            scores[j, i] = sum(query[j] * key[i])
    weights = softmax(scores, torch.ones(places, places, dtype=torch.bool))
    found = maps.clone()
    for j in range(places):
        context = value.new_zeros(value.shape[1])
        for i in range(places):
            context = context + weights[j, i] * value[i]
        for channel in range(channels):
            found[channel, j // width, j % width] += gain * sum(W_v[channel] * context)
    return found
