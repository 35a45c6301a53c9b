"""BERT as trained by others, in our own `MaskedEncoder`; without its output map, such as models of sentences, in our
`EncoderStack`."""

from collections.abc import Callable, Mapping
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from attnlab.blocks import EncoderBlock, FeedForward, post_norm
from attnlab.checks import Positive, checked
from attnlab.huggingface.copying import filled, layers, leave_out, matrix_shape
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import Learned
from attnlab.transformer import Embed, EncoderStack, MaskedEncoder, MaskedOutput

BERT: dict[str, str] = {
    "bert.embeddings.word_embeddings.weight": "encoder.embed.tokens.weight",
    "bert.embeddings.position_embeddings.weight": "encoder.embed.positions.table",
    "bert.embeddings.token_type_embeddings.weight": "encoder.embed.segments.weight",
    "bert.embeddings.LayerNorm": "encoder.embed.norm",
    "bert.encoder.layer.#.attention.self.query": "encoder.blocks.#.attention.query",
    "bert.encoder.layer.#.attention.self.key": "encoder.blocks.#.attention.key",
    "bert.encoder.layer.#.attention.self.value": "encoder.blocks.#.attention.value",
    "bert.encoder.layer.#.attention.output.dense": "encoder.blocks.#.attention.output",
    "bert.encoder.layer.#.attention.output.LayerNorm": "encoder.blocks.#.attention_norm",
    "bert.encoder.layer.#.intermediate.dense": "encoder.blocks.#.feed_forward.expand",
    "bert.encoder.layer.#.output.dense": "encoder.blocks.#.feed_forward.contract",
    "bert.encoder.layer.#.output.LayerNorm": "encoder.blocks.#.feed_forward_norm",
    "cls.predictions.transform.dense": "output.transform",
    "cls.predictions.transform.LayerNorm": "output.norm",
    "cls.predictions.decoder": "output.output",
}
"""BERT's name -> ours, written as `copying.filled` has it."""

ENCODER = {
    theirs.removeprefix("bert."): ours.removeprefix("encoder.") for theirs, ours in BERT.items() if "bert." in theirs
}
"""The same without the output map, as it stands in files of the encoder alone."""

UNUSED = ("embeddings.position_ids", "pooler.", "cls.seq_relationship.")  # 0, 1, 2 ...; do two sentences follow?


@checked
def bert(
    state: Mapping[str, Tensor], heads: int, epsilon: Positive = 1e-12, activation: Callable[[Tensor], Tensor] = gelu
) -> MaskedEncoder:
    """Our `MaskedEncoder` with the weights of a BERT that was trained to name masked words.

    state: the state dict of transformers' `BertForMaskedLM` or `BertForPreTraining`. heads: the only size that weights
    do not show. epsilon: of the norms. The output map is the token table where it is missing or equal to it (tied).
    The sizes follow from the shapes. The weights are copied.
    Raises ValueError that names what is missing, unknown, or of another shape than expected.

    **Source:** Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding";
    names are those of transformers' `BertForMaskedLM`.
    """
    tensors = _named(state)
    stack = _stack(tensors, "bert.", heads, epsilon, activation)
    table, words = stack.embed.tokens, "bert.embeddings.word_embeddings.weight"
    # Files often hold the tied map only once, and its bias under a name of its own.
    tensors.setdefault("cls.predictions.decoder.weight", tensors[words])
    bias = tensors.pop("cls.predictions.bias", None)
    if bias is not None:
        tensors.setdefault("cls.predictions.decoder.bias", bias)
    with torch.device("meta"):
        model = MaskedEncoder(stack, MaskedOutput(nn.LayerNorm(table.embedding_dim, epsilon), table, activation))
        if not torch.equal(tensors["cls.predictions.decoder.weight"], tensors[words]):
            model.output.output = nn.Linear(table.embedding_dim, table.num_embeddings)
    return filled(model, tensors, BERT)


@checked
def bert_encoder(
    state: Mapping[str, Tensor], heads: int, epsilon: Positive = 1e-12, activation: Callable[[Tensor], Tensor] = gelu
) -> EncoderStack:
    """Our `EncoderStack` with the weights of a BERT without output map: tokens in, one vector for each out.

    state: the state dict of transformers' `BertModel`, or of one with an output map, which is left out. The rest is as
    for `bert`. `attnlab.analysis.sentence_vectors` makes one vector of a sentence's.

    **Source:** Devlin et al. 2019; names are those of transformers' `BertModel`.
    """
    named = _named(state)
    tensors = {name.removeprefix("bert."): named[name] for name in named if not name.startswith("cls.")}
    return filled(_stack(tensors, "", heads, epsilon, activation), tensors, ENCODER)


def _stack(
    tensors: Mapping[str, Tensor], prefix: str, heads: int, epsilon: float, activation: Callable[[Tensor], Tensor]
) -> EncoderStack:
    """An encoder of the sizes of these tensors, not filled yet: its parameters take no room."""
    embeddings = f"{prefix}embeddings."
    vocabulary, dim = matrix_shape(tensors, f"{embeddings}word_embeddings.weight")
    hidden = matrix_shape(tensors, f"{prefix}encoder.layer.0.intermediate.dense.weight")[0]
    longest, segments = (
        matrix_shape(tensors, f"{embeddings}{kind}_embeddings.weight")[0] for kind in ("position", "token_type")
    )
    norm = partial(nn.LayerNorm, eps=epsilon)
    with torch.device("meta"):
        blocks = [
            EncoderBlock(MultiHeadAttention(dim, heads), FeedForward(dim, hidden, activation), norm, post_norm)
            for _ in range(layers(tensors, f"{prefix}encoder.layer."))
        ]
        table = nn.Embedding(vocabulary, dim)
        return EncoderStack(Embed(table, Learned(dim, longest), nn.Embedding(segments, dim), norm(dim)), blocks)


def _named(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """What is used. Early files call the gain of a norm gamma and its shift beta."""
    modern = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
    tensors = leave_out(state, UNUSED)
    for older, newer in modern.items():
        tensors = {name.replace(older, newer): tensor for name, tensor in tensors.items()}
    return tensors
