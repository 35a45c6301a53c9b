"""GPT-2, BERT and ViT as trained by others, in our own `GPT`, `MaskedEncoder` and `ViT`: same weights, same logits.

The tables say which of their tensors becomes which of our parameters. Nothing is downloaded but by `from_hub`, and
the package `transformers` is imported there alone. What comes out has no dropout.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, relu

from attnlab.blocks import EncoderBlock, FeedForward, post_norm, tanh_gelu
from attnlab.checks import Positive, checked
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import Learned
from attnlab.registry import Table
from attnlab.transformer import GPT, Embed, EncoderStack, MaskedEncoder, MaskedOutput, tied
from attnlab.vision.vit import PatchEmbed, ViT

Ours = TypeVar("Ours", GPT, MaskedEncoder, ViT)

GPT2: dict[str, str] = {
    "wte.weight": "embed.tokens.weight",
    "wpe.weight": "embed.positions.table",
    "h.#.ln_1": "blocks.#.attention_norm",
    "h.#.attn.c_attn.query": "blocks.#.attention.query",
    "h.#.attn.c_attn.key": "blocks.#.attention.key",
    "h.#.attn.c_attn.value": "blocks.#.attention.value",
    "h.#.attn.c_proj": "blocks.#.attention.output",
    "h.#.ln_2": "blocks.#.feed_forward_norm",
    "h.#.mlp.c_fc": "blocks.#.feed_forward.expand",
    "h.#.mlp.c_proj": "blocks.#.feed_forward.contract",
    "ln_f": "norm",
    "lm_head.weight": "output.weight",
}
"""GPT-2's name, without "transformer." in front -> ours. # is the number of a block; a name without an end stands for
its weight and its bias. `c_attn` holds query, key and value side by side: `_unpacked` takes it apart."""

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
"""BERT's name -> ours, written as in `GPT2`."""

VIT: dict[str, str] = {
    "vit.embeddings.cls_token": "embed.class_token",
    "vit.embeddings.position_embeddings": "embed.positions.table",
    "vit.embeddings.patch_embeddings.projection": "embed.pixels",
    "vit.layers.#.layernorm_before": "blocks.#.attention_norm",
    "vit.layers.#.attention.q_proj": "blocks.#.attention.query",
    "vit.layers.#.attention.k_proj": "blocks.#.attention.key",
    "vit.layers.#.attention.v_proj": "blocks.#.attention.value",
    "vit.layers.#.attention.o_proj": "blocks.#.attention.output",
    "vit.layers.#.layernorm_after": "blocks.#.feed_forward_norm",
    "vit.layers.#.mlp.fc1": "blocks.#.feed_forward.expand",
    "vit.layers.#.mlp.fc2": "blocks.#.feed_forward.contract",
    "vit.layernorm": "norm",
    "classifier": "output",
}
"""ViT's name -> ours, written as in `GPT2`; its convolution over patches is our map of their pixels."""

IN_FILES: dict[str, str] = {
    "vit.encoder.layer.": "vit.layers.",
    "attention.attention.query.": "attention.q_proj.",
    "attention.attention.key.": "attention.k_proj.",
    "attention.attention.value.": "attention.v_proj.",
    "attention.output.dense.": "attention.o_proj.",
    "intermediate.dense.": "mlp.fc1.",
    "output.dense.": "mlp.fc2.",
}
"""Part of a ViT's name before version 5 of transformers, as most files on the hub have it -> that of today."""

UNUSED: tuple[str, ...] = (
    ".attn.bias",  # GPT-2's causal mask, kept as a tensor by early versions
    ".attn.masked_bias",
    "bert.embeddings.position_ids",  # 0, 1, 2 ...
    "bert.pooler.",  # BERT's second task, whether two sentences follow each other
    "cls.seq_relationship.",
    "vit.embeddings.mask_token",  # of pictures with hidden patches
    "vit.pooler.",
)
"""Parts of names: of tensors that our models have no use for."""

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = Table({
    "gelu": gelu,
    "gelu_new": tanh_gelu,
    "gelu_pytorch_tanh": tanh_gelu,
    "relu": relu,
})
"""The names that their configurations use -> function."""


@checked
def gpt2(
    state: Mapping[str, Tensor],
    heads: int,
    epsilon: Positive = 1e-5,
    activation: Callable[[Tensor], Tensor] = tanh_gelu,
) -> GPT:
    """Our `GPT` with the weights of a GPT-2.

    state: the state dict of transformers' `GPT2LMHeadModel`, or of `GPT2Model` without the output map. Where that map
    is missing or equal to the token table, it is the table (tied). heads: the only size that weights do not show.
    epsilon: of the norms. The sizes follow from the shapes. The weights are copied.
    Raises ValueError that names what is missing, unknown, or of another shape than expected.

    **Source:** Radford et al. 2019, "Language Models are Unsupervised Multitask Learners"; names and layouts are those
    of transformers' `GPT2LMHeadModel`.
    """
    tensors = {name.removeprefix("transformer."): tensor for name, tensor in _used(state).items()}
    vocabulary, dim = _shape(tensors, "wte.weight")
    longest, hidden = _shape(tensors, "wpe.weight")[0], _shape(tensors, "h.0.mlp.c_fc.weight")[1]
    tensors.setdefault("lm_head.weight", tensors["wte.weight"])

    norm, table = partial(nn.LayerNorm, eps=epsilon), nn.Embedding(vocabulary, dim)
    blocks = [
        EncoderBlock(MultiHeadAttention(dim, heads), FeedForward(dim, hidden, activation), norm)
        for _ in range(_layers(tensors, "h."))
    ]
    model = GPT(Embed(table, Learned(dim, longest)), blocks, norm(dim), tied(table), longest)
    if not torch.equal(tensors["lm_head.weight"], tensors["wte.weight"]):
        model.output = nn.Linear(dim, vocabulary, bias=False)
    return _filled(model, dict(_unpacked(tensors)), GPT2)


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
    tensors = {_modern(name): tensor for name, tensor in _used(state).items()}
    words = "bert.embeddings.word_embeddings.weight"
    vocabulary, dim = _shape(tensors, words)
    hidden = _shape(tensors, "bert.encoder.layer.0.intermediate.dense.weight")[0]
    longest, segments = (
        _shape(tensors, f"bert.embeddings.{kind}_embeddings.weight")[0] for kind in ("position", "token_type")
    )
    # Files often hold the tied map only once, and its bias under a name of its own.
    tensors.setdefault("cls.predictions.decoder.weight", tensors[words])
    bias = tensors.pop("cls.predictions.bias", None)
    if bias is not None:
        tensors.setdefault("cls.predictions.decoder.bias", bias)

    norm, table = partial(nn.LayerNorm, eps=epsilon), nn.Embedding(vocabulary, dim)
    blocks = [
        EncoderBlock(MultiHeadAttention(dim, heads), FeedForward(dim, hidden, activation), norm, post_norm)
        for _ in range(_layers(tensors, "bert.encoder.layer."))
    ]
    embed = Embed(table, Learned(dim, longest), nn.Embedding(segments, dim), norm(dim))
    model = MaskedEncoder(EncoderStack(embed, blocks), MaskedOutput(norm(dim), table, activation))
    if not torch.equal(tensors["cls.predictions.decoder.weight"], tensors[words]):
        model.output.output = nn.Linear(dim, vocabulary)
    return _filled(model, tensors, BERT)


@checked
def vit(
    state: Mapping[str, Tensor], heads: int, epsilon: Positive = 1e-12, activation: Callable[[Tensor], Tensor] = gelu
) -> ViT:
    """Our `ViT` with the weights of one that was trained to name what a picture shows.

    state: the state dict of transformers' `ViTForImageClassification`, in the names of today or of files. heads: the
    only size that weights do not show. epsilon: of the norms. Pictures are as large as they were in training, since
    there is a learned vector for each place. The weights are copied.
    Raises ValueError that names what is missing, unknown, or of another shape than expected.

    **Source:** Dosovitskiy et al. 2021, "An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale";
    names are those of transformers' `ViTForImageClassification`.
    """
    tensors = {_of_today(name): tensor for name, tensor in _used(state).items()}
    for name, axes in (("vit.embeddings.cls_token", 1), ("vit.embeddings.position_embeddings", 2)):
        if name in tensors:  # written as a batch of one: [1, 1, dim] and [1, tokens, dim]
            tensors[name] = tensors[name].reshape(tensors[name].shape[-axes:])
    kernel = "vit.embeddings.patch_embeddings.projection.weight"  # [dim, channels, size, size]
    if kernel not in tensors or tensors[kernel].ndim != 4:
        got = f"shape {list(tensors[kernel].shape)}" if kernel in tensors else f"only {', '.join(tensors) or 'nothing'}"
        raise ValueError(f"expected a convolution {kernel!r} in the state, got {got}")
    dim, channels, size, _ = tensors[kernel].shape
    tensors[kernel] = tensors[kernel].flatten(1)
    tokens, hidden = (
        _shape(tensors, name)[0] for name in ("vit.embeddings.position_embeddings", "vit.layers.0.mlp.fc1.weight")
    )
    classes = _shape(tensors, "classifier.weight")[0]

    norm = partial(nn.LayerNorm, eps=epsilon)
    blocks = [
        EncoderBlock(MultiHeadAttention(dim, heads), FeedForward(dim, hidden, activation), norm)
        for _ in range(_layers(tensors, "vit.layers."))
    ]
    embed = PatchEmbed(size, channels, dim, Learned(dim, tokens))
    return _filled(ViT(embed, blocks, norm(dim), nn.Linear(dim, classes)), tensors, VIT)


@checked
def from_model(model: nn.Module) -> GPT | MaskedEncoder | ViT:
    """The same model as one of ours: of transformers' `GPT2LMHeadModel`, `BertForMaskedLM` or
    `ViTForImageClassification`, as the object itself.

    Raises ValueError for another kind of model, and for one whose configuration asks for what ours does not do.
    """
    config: Any = getattr(model, "config", None)
    kind = getattr(config, "model_type", type(model).__name__)
    if kind == "gpt2":
        _check(config, scale_attn_weights=True, scale_attn_by_inverse_layer_idx=False, add_cross_attention=False)
        activation = ACTIVATIONS[config.activation_function]
        return gpt2(model.state_dict(), config.n_head, config.layer_norm_epsilon, activation)
    if kind == "bert":
        _check(config, position_embedding_type="absolute", is_decoder=False, add_cross_attention=False)
        activation = ACTIVATIONS[config.hidden_act]
        return bert(model.state_dict(), config.num_attention_heads, config.layer_norm_eps, activation)
    if kind == "vit":
        _check(config, qkv_bias=True)
        activation = ACTIVATIONS[config.hidden_act]
        return vit(model.state_dict(), config.num_attention_heads, config.layer_norm_eps, activation)
    raise ValueError(f"expected a model of the kind gpt2, bert or vit, got {kind}")


@checked
def from_hub(name: str) -> GPT | MaskedEncoder | ViT:
    """Downloads a GPT-2, a BERT or a ViT from the Hugging Face hub, once, and gives it as one of ours.

    name: as on the hub, such as "gpt2", "bert-base-uncased" or "google/vit-base-patch16-224", or a folder with such a
    model. Shows the progress.
    Raises OSError where the model cannot be reached, and ValueError for another kind of model.
    """
    # seconds, which only this function is worth
    from transformers import AutoConfig, BertForMaskedLM, GPT2LMHeadModel, ViTForImageClassification

    kinds = Table({"gpt2": GPT2LMHeadModel, "bert": BertForMaskedLM, "vit": ViTForImageClassification})
    try:
        kind = kinds[AutoConfig.from_pretrained(name).model_type]
        model = kind.from_pretrained(name)
    except OSError as error:
        raise OSError(
            f"the model {name!r} could not be loaded: is its name right, and is there a network? "
            f"The answer was: {error}"
        ) from error
    return from_model(model)


def _check(config: object, **expected: object) -> None:
    for name, value in expected.items():
        got = getattr(config, name, value)
        if got != value:
            raise ValueError(f"expected a model with {name} = {value!r}, got {got!r}")


def _used(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor for name, tensor in state.items() if not any(part in name for part in UNUSED)}


def _modern(name: str) -> str:
    """Early files call the gain of a norm gamma and its shift beta."""
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")


def _of_today(name: str) -> str:
    """A ViT's name with its older parts replaced."""
    for older, newer in IN_FILES.items():
        name = name.replace(older, newer)
    return name


def _unpacked(state: Mapping[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    """GPT-2's maps are written [in, out], ours (`nn.Linear`) [out, in]; its query, key and value are one map."""
    for name, tensor in state.items():
        path, _, end = name.rpartition(".")
        tensor = tensor.mT if path.endswith(("c_attn", "c_proj", "c_fc")) and end == "weight" else tensor
        if path.endswith("c_attn"):
            for part, third in zip(("query", "key", "value"), tensor.chunk(3), strict=True):
                yield f"{path}.{part}.{end}", third
        else:
            yield name, tensor


def _shape(state: Mapping[str, Tensor], name: str) -> tuple[int, int]:
    if name not in state or state[name].ndim != 2:
        got = list(state[name].shape) if name in state else f"only {', '.join(state) or 'nothing'}"
        raise ValueError(f"expected a matrix {name!r} in the state, got {got}")
    rows, columns = state[name].shape
    return rows, columns


def _layers(state: Mapping[str, Tensor], prefix: str) -> int:
    return len({name.removeprefix(prefix).partition(".")[0] for name in state if name.startswith(prefix)})


def _filled(model: Ours, state: Mapping[str, Tensor], names: Mapping[str, str]) -> Ours:
    """The model with its parameters copied from `state`, each under its name in the table."""
    pairs = _pairs(model, names)
    missing, unknown = [name for name in pairs if name not in state], [name for name in state if name not in pairs]
    if missing or unknown:
        raise ValueError(
            f"expected the tensors of this kind of model; missing: {', '.join(missing) or 'none'}; "
            f"unknown: {', '.join(unknown) or 'none'}"
        )
    for name, parameter in pairs.items():
        if state[name].shape != parameter.shape:
            raise ValueError(f"expected {name} of shape {list(parameter.shape)}, got {list(state[name].shape)}")
        parameter.data = state[name].detach().to(parameter.device, copy=True, memory_format=torch.contiguous_format)
    return model


def _pairs(model: nn.Module, names: Mapping[str, str]) -> dict[str, nn.Parameter]:
    """Their name -> our parameter, for every line of the table, block and end."""
    own, pairs = dict(model.named_parameters(remove_duplicate=False)), {}
    blocks = {int(name.partition("blocks.")[2].partition(".")[0]) for name in own if "blocks." in name}
    for theirs, ours in names.items():
        for number in sorted(blocks) if "#" in theirs else [0]:
            their_name, our_name = theirs.replace("#", str(number)), ours.replace("#", str(number))
            for end in [""] if our_name in own else [".weight", ".bias"]:
                pairs[their_name + end] = own[our_name + end]
    return pairs
