"""A grid of states out of a picture, and what is measured of maps over it. Of one picture."""

import torch
from torch import Tensor


def convolution(picture: Tensor, kernel: Tensor, bias: Tensor, stride: int, padding: int) -> Tensor:
    """picture [channels, height, width], kernel [out, channels, k, k], bias [out] -> [out, rows, columns].

    What lies outside the picture counts as 0.
    """
    out, channels, k, _ = kernel.shape
    rows, columns = ((side + 2 * padding - k) // stride + 1 for side in picture.shape[1:])
    result = torch.zeros(out, rows, columns)
    for o in range(out):
        for row in range(rows):
            for column in range(columns):
                total = bias[o]
                for c in range(channels):
                    for i in range(k):
                        for j in range(k):
                            y, x = row * stride + i - padding, column * stride + j - padding
                            if 0 <= y < picture.shape[1] and 0 <= x < picture.shape[2]:
                                total = total + kernel[o, c, i, j] * picture[c, y, x]
                result[o, row, column] = total
    return result


def places(grid: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """grid [dim, rows, columns], a vector for each row and each column [rows or columns, dim] -> [places, dim]."""
    states = []
    for row in range(grid.shape[1]):
        for column in range(grid.shape[2]):
            states.append(grid[:, row, column] + rows[row] + columns[column])
    return torch.stack(states)


def doubly_stochastic(weights: Tensor, words: int, total: float = 1.0) -> Tensor:
    """weights [words, places], of which the first `words` count -> a number."""
    penalty = torch.zeros(())
    for place in range(weights.shape[1]):
        received = torch.zeros(())
        for word in range(words):
            received = received + weights[word, place]
        penalty = penalty + (total - received) ** 2
    return penalty


def share_inside(weights: Tensor, region: Tensor) -> float:
    """weights [places], region [rows, columns] -> how much of the weight lies in the region."""
    total = 0.0
    for row in range(region.shape[0]):
        for column in range(region.shape[1]):
            if region[row, column]:
                total += float(weights[row * region.shape[1] + column])
    return total


def difference_of_maps(weights: Tensor, words: int) -> float:
    """weights [words, places], of which the first `words` count -> the mean over pairs of half the summed distance."""
    distances = []
    for a in range(words):
        for b in range(a + 1, words):
            distance = 0.0
            for place in range(weights.shape[1]):
                distance += abs(float(weights[a, place] - weights[b, place])) / 2
            distances.append(distance)
    return sum(distances) / len(distances)


def dragged(weights: Tensor, down: int, right: int) -> Tensor:
    """weights [rows, columns] -> moved by whole cells; what leaves is lost, the rest sums to the same again."""
    rows, columns = weights.shape
    moved = torch.zeros(rows, columns)
    for row in range(rows):
        for column in range(columns):
            if 0 <= row + down < rows and 0 <= column + right < columns:
                moved[row + down, column + right] = weights[row, column]
    return moved * weights.sum() / moved.sum()


def blind_spot(scores: Tensor, allowed: Tensor) -> Tensor:
    """scores [batch, words, rows, columns], allowed [batch, rows, columns] -> weights of the same shape as scores; a
    word's weights sum to 1 over all places that may be looked at, and are 0 everywhere where there is none."""
    weights = torch.zeros(scores.shape)
    batch, words, rows, columns = scores.shape
    for b in range(batch):
        places = [(r, c) for r in range(rows) for c in range(columns) if allowed[b, r, c]]
        for word in range(words):
            total = sum(scores[b, word, r, c].exp() for r, c in places)
            for r, c in places:
                weights[b, word, r, c] = scores[b, word, r, c].exp() / total
    return weights
