"""What a gaze policy learns from: how far the gradients of REINFORCE scatter, with and without a baseline."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float, Int64
from torch import Generator, Tensor

from attnlab.checks import Positive, Size, checked
from attnlab.hard_attention import reinforce
from attnlab.vision.glimpses import RecurrentAttention, drawn_gaze

Reward = Callable[[Tensor, Tensor], Tensor]
"""logits [batch, classes] of the last answers, labels [batch] -> rewards [batch]."""


class GazeGradients(NamedTuple):
    """Of the location network's parameters, one row for each draw. without: no baseline is subtracted from the rewards.
    steadied: that of the model's baseline network is, from the very same rewards."""

    without: Float[Tensor, "draws parameters"]
    steadied: Float[Tensor, "draws parameters"]


@checked
def gaze_gradients(
    model: RecurrentAttention,
    pictures: Float[Tensor, "batch height width"],
    labels: Int64[Tensor, " batch"],
    reward: Reward,
    noise: Positive,
    glimpses: Size = 4,
    draws: Size = 50,
    generator: Generator | None = None,
) -> GazeGradients:
    """The gradient of the REINFORCE loss, its mean over these pictures, as each of `draws` gazes at them estimates it.

    The pictures stay the same, so the rows differ by the noise of the gaze alone. On average both kinds agree, as long
    as the baseline depends on nothing that was drawn after it.

    **Source:** Mnih et al. 2014, "Recurrent Models of Visual Attention", section 3.2, equation 2 and what follows it.
    **Names:** R -> reward, b_t -> the model's baseline, sigma -> noise.
    """
    parameters = list(model.location.parameters())
    found = []
    for _ in range(draws):
        seen = model(pictures, drawn_gaze(model.location, noise, generator), glimpses)
        rewards = reward(seen.logits[:, -1], labels).unsqueeze(1)
        losses = [
            reinforce(seen.log_probability, rewards, baseline) / len(labels) for baseline in (0.0, seen.baselines)
        ]
        gradients = [torch.autograd.grad(loss, parameters, retain_graph=True) for loss in losses]
        found.append(torch.stack([torch.cat([part.flatten() for part in gradient]) for gradient in gradients]))
    return GazeGradients(*torch.stack(found, dim=1))


@checked
def spread(gradients: Float[Tensor, "draws parameters"]) -> float:
    """The variance of the gradients: the mean of |g - mean g|^2, all parameters added, estimated without bias.

    Divided by the squared length of the true gradient, it says over how many draws one must average until noise and
    gradient are equally long. Raises ValueError for less than two draws.
    """
    if len(gradients) < 2:
        raise ValueError(f"expected at least two draws, got {len(gradients)}")
    return gradients.var(dim=0).sum().item()


@checked
def along_and_across(gradients: Float[Tensor, "draws parameters"]) -> Float[Tensor, "draws 2"]:
    """Two numbers of each gradient: along their mean, and along the direction across it in which they scatter most.

    The mean lies at (its length, 0). Raises ValueError for less than two draws.
    """
    if len(gradients) < 2:
        raise ValueError(f"expected at least two draws, got {len(gradients)}")
    mean = gradients.mean(dim=0)
    unit = mean / mean.norm().clamp(min=1e-12)
    along = gradients @ unit
    rest = gradients - along.unsqueeze(1) * unit
    values, vectors = torch.linalg.eigh(rest @ rest.T)  # of the few draws, not of the many parameters
    across = vectors[:, -1] * values[-1].clamp(min=0).sqrt()
    return torch.stack([along, across * across[across.abs().argmax()].sign()], dim=1)
