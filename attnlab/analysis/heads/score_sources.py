"""Why does it look there? A score as the sum of what made it, where a model is nothing but attention."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attnlab.attention import masked_softmax
from attnlab.checks import Count, checked
from attnlab.multihead import MultiHeadAttention
from attnlab.trace import Trace, record
from attnlab.transformer import GPT, EncoderStack

TOKEN, POSITION, CONSTANT = "token", "position", "constant"


class ScoreSources(NamedTuple):
    """The scores of one layer's heads, by what stood in the stream on the query's side and on the key's side.

    names: of the sources: the token, its position, "head 1.2" for every earlier head (layer and head, from 1), and the
    constant: the shifts of the maps. parts: [heads, sources, sources, queries, keys], the query's source first; their
    sum over both is the score. scores, weights: [heads, queries, keys], the model's own. allowed: True = may attend.
    """

    names: list[str]
    parts: Float[Tensor, "heads sources sources queries keys"]
    scores: Float[Tensor, "heads queries keys"]
    weights: Float[Tensor, "heads queries keys"]
    allowed: Bool[Tensor, "queries keys"]


@checked
@torch.no_grad()
def score_sources(model: GPT | EncoderStack, tokens: Int[Tensor, "1 tokens"], layer: Count) -> ScoreSources:
    """Splits the scores of one layer of attention (0 is the first) exactly: a score is bilinear in the stream at the
    query and at the key, and the stream is a sum of embedding, position and heads.

    What the positions add to a score itself (`ALiBi`) stands at position and position.
    Raises ValueError for a layer that is not there, and where the parts miss the score by more than 1e-4 of the
    largest: a norm or a feed-forward network is no sum, so only a model of attention alone can be split.

    **Source:** Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits", section "Path expansion trick"
    for two-layer models. **Names:** residual stream -> stream, W_QK -> the maps `query` and `key` together.
    """
    attentions = {name: part for name, part in model.named_modules() if isinstance(part, MultiHeadAttention)}
    layers = list(attentions)
    if layer >= len(layers):
        raise ValueError(f"expected a layer below {len(layers)}, got {layer}")
    with record(model) as trace:
        model(tokens)
    attention = attentions[layers[layer]]
    sources = _stream(trace, layers[:layer])
    stream = torch.stack(list(sources.values()))  # [sources, tokens, dim]
    query, key = (_split(attention, part, stream) for part in (attention.query, attention.key))
    parts = torch.einsum("aiqd,bikd->iabqk", query, key) / query.shape[-1] ** 0.5
    bias = attention.positions.bias(tokens.shape[1], tokens.shape[1])
    if bias is not None:
        parts[:, 1, 1] += bias
    found = trace[layers[layer]][0]
    mask = trace.tensor(f"{layers[layer]}/mask") if f"{layers[layer]}/mask" in trace.tensors else None
    allowed = torch.ones_like(found.scores[0, 0], dtype=torch.bool) if mask is None else mask[0, 0]
    missed = float((parts.sum((1, 2)) - found.scores[0]).abs().max() / found.scores.abs().max().clamp(min=1))
    if not missed < 1e-4:
        raise ValueError(
            "expected a model of attention alone, without norms and feed-forward networks, whose scores are sums; "
            f"here the parts miss the score by {missed:.1%} of the largest"
        )
    return ScoreSources(list(sources), parts, found.scores[0], found.weights[0], allowed)


def _stream(trace: Trace, earlier: list[str]) -> dict[str, Tensor]:
    """What the stream is the sum of, [tokens, dim] each. The constant comes last: the shifts of the output maps."""
    added = next(name for name in trace.tensors if name.endswith("positions/adds"))
    token = trace.tensor(f"{added.removesuffix('.positions/adds')}.tokens/out")[0]
    sources = {TOKEN: token, POSITION: trace.tensor(added).expand_as(token[None])[0]}
    constant = torch.zeros_like(token)
    for i, name in enumerate(earlier, start=1):
        sources |= {f"head {i}.{j}": adds for j, adds in enumerate(trace.tensor(f"{name}/adds")[0], start=1)}
        constant = constant + trace.tensor(f"{name}/bias")
    return sources | {CONSTANT: constant}


def _split(attention: MultiHeadAttention, part: torch.nn.Linear, stream: Tensor) -> Tensor:
    """The queries (or keys) that each source makes alone, [sources, heads, tokens, head_dim]; the map's own shift is
    the last source's."""
    made = stream @ part.weight.T
    made[-1] += part.bias
    return attention.positions.rotate(attention.split(made))


@checked
def over_mean_key(sources: ScoreSources) -> Float[Tensor, "heads sources sources queries keys"]:
    """The parts, less their mean over the keys that the query may attend to: by how much they favour each key.

    The weights stay the same: what is equal for all keys of a row is nothing to the softmax. 0 where not allowed.
    """
    counted = sources.allowed.to(sources.parts)
    mean = (sources.parts * counted).sum(-1, keepdim=True) / counted.sum(-1, keepdim=True).clamp(min=1)
    return (sources.parts - mean) * counted


@checked
def weights_without(sources: ScoreSources, cut: Bool[Tensor, "sources sources"]) -> Float[Tensor, "heads queries keys"]:
    """The weights when the parts that are True in `cut` (the query's source first) are left out of all scores.

    For `override`: what the model then makes of them shows whether these parts did the work.
    """
    left_out = (sources.parts * cut[:, :, None, None]).sum((1, 2))
    return masked_softmax(sources.scores - left_out, sources.allowed)
