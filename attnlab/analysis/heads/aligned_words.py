"""How much of a translator's weight lies on the words that a word is built from."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.checks import checked
from attnlab.tasks.phrasebook import Phrasebook, PhraseExample
from attnlab.training import weights_of
from attnlab.transformer import Transformer


@checked
def aligned_shares(
    model: Transformer, task: Phrasebook, examples: Sequence[PhraseExample]
) -> Float[Tensor, "layers heads"]:
    """The mean share of weight that each head of the cross-attentions puts on the right words of the source.

    Over all words of the targets, each fed to the model; which words they are built from the grammar knows. To be read
    beside `even_aligned_share`. Raises ValueError where no word is built from any.
    """
    places, batch = _places(task, examples), task.collate(examples)
    names = [f"decoder.blocks.{layer}.cross_attention" for layer in range(len(model.decoder.blocks))]
    found = []
    for name in names:
        weights = weights_of(model, name, *batch[:2], batch.target[:, :-1])  # [batch, heads, target, source]
        found.append(torch.stack([weights[i, :, row, right].sum(-1) for i, row, right in places]).mean(dim=0))
    return torch.stack(found)


@checked
def even_aligned_share(task: Phrasebook, examples: Sequence[PhraseExample]) -> float:
    """What `aligned_shares` would be if every word of the source had the same weight. Raises as that does."""
    shares = [len(right) / len(task.tokens(examples[i].source)) for i, _, right in _places(task, examples)]
    return sum(shares) / len(shares)


def _places(task: Phrasebook, examples: Sequence[PhraseExample]) -> list[tuple[int, int, list[int]]]:
    """(example, word of its target, words of its source that it is built from), where there are any."""
    found = [
        (i, row, sorted(right))
        for i, example in enumerate(examples)
        for row, right in enumerate(task.alignment(example))
        if right
    ]
    if not found:
        raise ValueError(f"expected examples whose words are built from others, got none in {len(examples)}")
    return found
