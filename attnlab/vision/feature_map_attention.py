"""Self-attention inside a convolutional network: every place of a feature map looks at every place, near or far."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnlab.alignment import dot
from attnlab.attention import Attention, attend
from attnlab.checks import Size, checked


@checked
class PlaceAttention(nn.Module):
    """Queries, keys and values of every place, by 1 x 1 convolutions: one linear map for all places, no neighbours.

    channels: of the feature map. dim: of queries, keys and values; the paper takes an eighth of the channels.
    The places are the tokens, row by row, and nothing tells them apart but what stands there.

    **Source:** Zhang et al. 2019, "Self-Attention Generative Adversarial Networks", equation 1. **Names:** x -> maps,
    f -> `key`, g -> `query`, h -> `value`, s -> scores, beta -> weights, C-bar -> dim, N -> places.
    """

    def __init__(self, channels: Size, dim: Size) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Conv2d(channels, dim, 1, bias=False) for _ in range(3))

    def forward(self, maps: Float[Tensor, "batch channels height width"]) -> Attention:
        """weights and scores [batch, places, places], context [batch, places, dim]; scores are not scaled.

        Raises ValueError for a map with other channels.
        """
        if maps.shape[1] != self.query.in_channels:
            raise ValueError(f"expected maps with {self.query.in_channels} channels, got shape {list(maps.shape)}")
        query, key, value = (convolution(maps).flatten(2).mT for convolution in (self.query, self.key, self.value))
        return attend(query, key, value, dot)


@checked
class FeatureMapAttention(nn.Module):
    """maps + gain * output(context): a layer to put between two convolutions. `record` hears it as `NAME.places`.

    The gain starts at 0: the network begins without the layer, and takes as much of it as helps.
    Left out: spectral norms, which steady the training of two networks against each other.

    **Source:** Zhang et al. 2019, equations 2 and 3. **Names:** v -> `output`, o -> what is added, gamma -> `gain`.
    """

    def __init__(self, channels: Size, dim: Size) -> None:
        super().__init__()
        self.places = PlaceAttention(channels, dim)
        self.output = nn.Conv2d(dim, channels, 1, bias=False)
        self.gain = nn.Parameter(torch.zeros(()))

    def forward(
        self, maps: Float[Tensor, "batch channels height width"]
    ) -> Float[Tensor, "batch channels height width"]:
        context = self.places(maps).context.mT.unflatten(2, maps.shape[2:])
        return maps + self.gain * self.output(context)
