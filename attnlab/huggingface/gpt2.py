"""GPT-2 as trained by others, in our own `GPT`."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import torch
from torch import Tensor, nn

from attnlab.blocks import EncoderBlock, FeedForward, tanh_gelu
from attnlab.checks import Positive, checked
from attnlab.huggingface.copying import filled, layers, leave_out, matrix_shape
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import Learned
from attnlab.transformer import GPT, Embed, tied

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


UNUSED = (".attn.bias", ".attn.masked_bias")  # the causal mask, kept as a tensor by early versions


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
    tensors = {name.removeprefix("transformer."): tensor for name, tensor in leave_out(state, UNUSED).items()}
    vocabulary, dim = matrix_shape(tensors, "wte.weight")
    longest, hidden = (
        matrix_shape(tensors, "wpe.weight")[0],
        matrix_shape(tensors, "h.0.mlp.c_fc.weight")[1],
    )
    tensors.setdefault("lm_head.weight", tensors["wte.weight"])

    with torch.device("meta"):
        norm, table = partial(nn.LayerNorm, eps=epsilon), nn.Embedding(vocabulary, dim)
        blocks = [
            EncoderBlock(MultiHeadAttention(dim, heads), FeedForward(dim, hidden, activation), norm)
            for _ in range(layers(tensors, "h."))
        ]
        same = torch.equal(tensors["lm_head.weight"], tensors["wte.weight"])
        output = tied(table) if same else nn.Linear(dim, vocabulary, bias=False)
        model = GPT(Embed(table, Learned(dim, longest)), blocks, norm(dim), output, longest)
    return filled(model, dict(_unpacked(tensors)), GPT2)


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
