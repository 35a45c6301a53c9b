"""A head's weights against the known truth of a reaction. Weights [heads, tokens, tokens]; the rest: whole numbers."""

import torch
from torch import Tensor


def share_on_right_atoms(weights: Tensor, rows: Tensor, columns: Tensor, sources: Tensor, alike: Tensor) -> Tensor:
    """[heads]: of what a product's atom gives to atoms of the precursors, the share that the right ones get; the mean.

    rows, columns: the tokens that are atoms of the product, and of the precursors. sources: for each row the column
    that is right, alike: the same number for columns that cannot be told apart.
    """
    shares = []
    for head in weights:
        mean = head.new_zeros(())
        for row, source in zip(rows, sources, strict=True):
            right, all_atoms = head.new_zeros(()), head.new_zeros(())
            for number, column in enumerate(columns):
                all_atoms = all_atoms + head[row, column]
                if alike[number] == alike[source]:
                    right = right + head[row, column]
            mean = mean + right / all_atoms / len(rows)
        shares.append(mean)
    return torch.stack(shares)
