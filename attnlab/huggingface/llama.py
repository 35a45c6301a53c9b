"""Models of the kind of LLaMA as trained by others, in our own `GPT`: rotary places, gates, keys that heads share."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import silu

from attnlab.blocks import EncoderBlock, GatedFeedForward, RMSNorm
from attnlab.checks import Positive, Size, checked
from attnlab.huggingface.copying import filled, layers, matrix_shape
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import BASE, LONGEST, Rotary, width_of_head
from attnlab.transformer import GPT, Embed

LLAMA: dict[str, str] = {
    "model.embed_tokens.weight": "embed.tokens.weight",
    "model.layers.#.input_layernorm.weight": "blocks.#.attention_norm.gain",
    "model.layers.#.self_attn.q_proj.weight": "blocks.#.attention.query.weight",
    "model.layers.#.self_attn.k_proj.weight": "blocks.#.attention.key.weight",
    "model.layers.#.self_attn.v_proj.weight": "blocks.#.attention.value.weight",
    "model.layers.#.self_attn.o_proj.weight": "blocks.#.attention.output.weight",
    "model.layers.#.post_attention_layernorm.weight": "blocks.#.feed_forward_norm.gain",
    "model.layers.#.mlp.gate_proj.weight": "blocks.#.feed_forward.gate.weight",
    "model.layers.#.mlp.up_proj.weight": "blocks.#.feed_forward.expand.weight",
    "model.layers.#.mlp.down_proj.weight": "blocks.#.feed_forward.contract.weight",
    "model.norm.weight": "norm.gain",
    "lm_head.weight": "output.weight",
}
"""LLaMA's name -> ours, written as `copying.filled` has it. Its maps have no biases; those of our attention are 0."""


@checked
def llama(
    state: Mapping[str, Tensor],
    heads: int,
    base: Positive = BASE,
    epsilon: Positive = 1e-6,
    longest: Size = 2048,
    activation: Callable[[Tensor], Tensor] = silu,
) -> GPT:
    """Our `GPT` with the weights of a LLaMA, a SmolLM or another of their kind.

    state: the state dict of transformers' `LlamaForCausalLM`; tensors are asked for one after the other. heads: of the
    queries. Where there are fewer keys and values, each is repeated for the queries that share it, which gives the same
    numbers. base: of the rotary frequencies. epsilon: of the norms. longest: how many tokens it was trained for.
    The output map is the token table where it is missing or equal to it (tied).
    Raises ValueError that names what is missing, unknown, or of another shape than expected.

    **Source:** Touvron et al. 2023, "LLaMA: Open and Efficient Foundation Language Models", section 2.2; shared keys:
    Ainslie et al. 2023, "GQA"; names are those of transformers' `LlamaForCausalLM`.
    """
    vocabulary, dim = matrix_shape(state, "model.embed_tokens.weight")
    hidden = matrix_shape(state, "model.layers.0.mlp.gate_proj.weight")[0]
    positions, norm = Rotary(width_of_head(dim, heads), min(longest, LONGEST), base), partial(RMSNorm, epsilon=epsilon)
    with torch.device("meta"):
        blocks = [
            EncoderBlock(MultiHeadAttention(dim, heads, positions), GatedFeedForward(dim, hidden, activation), norm)
            for _ in range(layers(state, "model.layers."))
        ]
        embed, last, output = Embed(nn.Embedding(vocabulary, dim)), norm(dim), nn.Linear(dim, vocabulary, bias=False)
    model, names = GPT(embed, blocks, last, output, longest), dict(LLAMA)
    if "lm_head.weight" not in state:
        del names["lm_head.weight"]
    if "lm_head.weight" not in state or torch.equal(state["lm_head.weight"], state["model.embed_tokens.weight"]):
        model.output.weight = model.embed.tokens.weight
    filled(model, _Turned(state, heads, width_of_head(dim, heads)), names)
    for layer in model.modules():
        if isinstance(layer, nn.Linear) and layer.bias is not None:  # of our attention, whose maps have some
            layer.bias = nn.Parameter(torch.zeros(len(layer.bias), dtype=layer.weight.dtype))
    return model


class _Turned(Mapping[str, Tensor]):
    """Their tensors as our attention wants them, each when it is asked for.

    They turn number i of a head together with number i + half, we turn neighbours: so the rows of queries and keys
    change places. And each key and value is repeated for the queries that share it.
    """

    def __init__(self, state: Mapping[str, Tensor], heads: int, size: int) -> None:
        self.state, self.heads, self.size = state, heads, size

    def __getitem__(self, name: str) -> Tensor:
        tensor = self.state[name]
        if not name.endswith(("q_proj.weight", "k_proj.weight", "v_proj.weight")):
            return tensor
        if tensor.ndim != 2 or tensor.shape[0] % self.size or self.heads % max(1, tensor.shape[0] // self.size):
            raise ValueError(
                f"expected {name} with rows for a whole number of heads of size {self.size}, a divisor of {self.heads},"
                f" got {list(tensor.shape)}"
            )
        by_head = tensor.unflatten(0, (-1, self.size))
        if not name.endswith("v_proj.weight"):
            by_head = by_head.unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2)
        return by_head.repeat_interleave(self.heads // len(by_head), dim=0).flatten(0, 1)

    def __iter__(self) -> Iterator[str]:
        return iter(name for name in self.state if not name.endswith("rotary_emb.inv_freq"))

    def __len__(self) -> int:
        return sum(1 for _ in self)


@checked
def base_of(config: Any) -> float:
    """The base of the rotary frequencies as a configuration has it, in the way of today or of earlier files.

    Raises ValueError for frequencies that are stretched in some way of their own, which ours are not.
    """
    given = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}
    kind = given.get("rope_type", given.get("type", "default"))
    if kind != "default":
        raise ValueError(f"expected a model with rotary frequencies of the kind 'default', got {kind!r}")
    return float(given.get("rope_theta", getattr(config, "rope_theta", BASE)))
