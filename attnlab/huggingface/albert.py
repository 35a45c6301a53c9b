"""ALBERT as trained by others, in our own `MaskedEncoder`: one block, used again and again."""

from collections.abc import Callable, Mapping
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from attnlab.blocks import EncoderBlock, FeedForward, post_norm
from attnlab.checks import Positive, Size, checked
from attnlab.huggingface.copying import filled, leave_out, matrix_shape
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import Learned
from attnlab.transformer import Embed, EncoderStack, MaskedEncoder, MaskedOutput

LAYER = "albert.encoder.albert_layer_groups.0.albert_layers.0"

ALBERT: dict[str, str] = {
    "albert.embeddings.word_embeddings.weight": "encoder.embed.tokens.weight",
    "albert.embeddings.position_embeddings.weight": "encoder.embed.positions.table",
    "albert.embeddings.token_type_embeddings.weight": "encoder.embed.segments.weight",
    "albert.embeddings.LayerNorm": "encoder.embed.norm.0",
    "albert.encoder.embedding_hidden_mapping_in": "encoder.embed.norm.1",
    f"{LAYER}.attention.query": "encoder.blocks.0.attention.query",
    f"{LAYER}.attention.key": "encoder.blocks.0.attention.key",
    f"{LAYER}.attention.value": "encoder.blocks.0.attention.value",
    f"{LAYER}.attention.dense": "encoder.blocks.0.attention.output",
    f"{LAYER}.attention.LayerNorm": "encoder.blocks.0.attention_norm",
    f"{LAYER}.ffn": "encoder.blocks.0.feed_forward.expand",
    f"{LAYER}.ffn_output": "encoder.blocks.0.feed_forward.contract",
    f"{LAYER}.full_layer_layer_norm": "encoder.blocks.0.feed_forward_norm",
    "predictions.dense": "output.transform",
    "predictions.LayerNorm": "output.norm",
    "predictions.decoder": "output.output",
}
"""ALBERT's name -> ours, written as `copying.filled` has it."""

UNUSED = ("albert.embeddings.position_ids", "albert.pooler.", "sop_classifier.")  # 0, 1, 2 ...; of another task


@checked
def albert(
    state: Mapping[str, Tensor],
    heads: int,
    depth: Size,
    epsilon: Positive = 1e-12,
    activation: Callable[[Tensor], Tensor] = gelu,
) -> MaskedEncoder:
    """Our `MaskedEncoder` with the weights of an ALBERT that was trained to name masked words.

    state: the state dict of transformers' `AlbertForMaskedLM`. heads, depth: what weights do not show: in how many
    heads, and how often the block is used. epsilon: of the norms. The output map is the token table where theirs
    is. The weights are copied. `record` hears the block as `encoder.blocks.0`, once for each use.
    Raises ValueError that names what is missing, unknown, or of another shape than expected.

    **Source:** Lan et al. 2020, "ALBERT: A Lite BERT for Self-supervised Learning of Language Representations"; names
    are those of transformers' `AlbertForMaskedLM`.
    """
    tensors, words = leave_out(state, UNUSED), "albert.embeddings.word_embeddings.weight"
    vocabulary, narrow = matrix_shape(tensors, words)
    hidden, dim = matrix_shape(tensors, f"{LAYER}.ffn.weight")
    longest, segments = (
        matrix_shape(tensors, f"albert.embeddings.{kind}_embeddings.weight")[0] for kind in ("position", "token_type")
    )
    # Files often hold the tied map only once, and its bias under a name of its own.
    tensors.setdefault("predictions.decoder.weight", tensors[words])
    bias = tensors.pop("predictions.bias", None)
    if bias is not None:
        tensors.setdefault("predictions.decoder.bias", bias)
    with torch.device("meta"):
        model = new_albert(vocabulary, narrow, dim, hidden, heads, depth, longest, segments, epsilon, activation)
        if not torch.equal(tensors["predictions.decoder.weight"], tensors[words]):
            model.output.output = nn.Linear(narrow, vocabulary)  # one of its own
    return filled(model, tensors, ALBERT)


@checked
def new_albert(
    vocabulary: Size,
    narrow: Size,
    dim: int,
    hidden: Size,
    heads: int,
    depth: Size,
    longest: Size,
    segments: Size,
    epsilon: Positive = 1e-12,
    activation: Callable[[Tensor], Tensor] = gelu,
) -> MaskedEncoder:
    """The same before its first step. The token table is only `narrow` wide; a map leads from it to `dim`.

    **Source:** Lan et al. 2020, section 3.1. **Names:** E -> narrow, H -> dim.
    """
    norm, table = partial(nn.LayerNorm, eps=epsilon), nn.Embedding(vocabulary, narrow)
    block = EncoderBlock(MultiHeadAttention(dim, heads), FeedForward(dim, hidden, activation), norm, post_norm)
    widened = nn.Sequential(norm(narrow), nn.Linear(narrow, dim))
    embed = Embed(table, Learned(narrow, longest), nn.Embedding(segments, narrow), widened)
    return MaskedEncoder(EncoderStack(embed, [block] * depth), MaskedOutput(norm(narrow), table, activation, dim))
