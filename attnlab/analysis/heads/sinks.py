"""Where attention rests: how much weight lies on each token, and what becomes of a text that must do without one."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity, cross_entropy

from attnlab.checks import Count, checked
from attnlab.masks import with_heads
from attnlab.multihead import MultiHeadAttention
from attnlab.trace import record
from attnlab.transformer import GPT
from attnlab.vision.vit import ViT


@checked
@contextmanager
def forbidden(model: nn.Module, key: Count, since: Count) -> Iterator[None]:
    """Within it no query from place `since` on may look at the key at place `key`, in no self-attention of the model.

    The weight that it would have had goes to the other keys, as with any mask. For models that read their text at
    once, without a cache. Raises ValueError for a model without attention.
    """

    def hide(module: MultiHeadAttention, given: tuple, named: dict[str, Any]) -> tuple[tuple, dict[str, Any]] | None:
        call = {**dict(zip(("query", "key", "value", "mask"), given, strict=False)), **named}
        if call.get("key") is not None:
            return None  # it looks at another sequence
        batch, tokens = call["query"].shape[:2]
        mask = call.get("mask")
        if mask is None:
            mask = torch.ones(tokens, tokens, dtype=torch.bool, device=call["query"].device)
        mask = with_heads(mask, batch, module.heads, tokens, tokens).expand(-1, -1, tokens, tokens).clone()
        mask[..., since:, key] = False
        return (), {**call, "mask": mask}

    attentions = [module for module in model.modules() if isinstance(module, MultiHeadAttention)]
    if not attentions:
        raise ValueError(f"expected a model that attends, got {type(model).__name__}, which does not")
    with ExitStack() as stack:
        for module in attentions:
            stack.callback(module.register_forward_pre_hook(hide, with_kwargs=True).remove)
        yield


class Resting(NamedTuple):
    """weights: [layers, tokens - 2], how much of its attention a later place gives to each token: the mean of the heads
    and of all queries that stand two places behind it, or further. losses: [tokens - 1], how surprising each token was
    to the model, from the second one on, in nats."""

    weights: Tensor
    losses: Tensor


@checked
@torch.no_grad()
def resting(model: GPT, tokens: Int[Tensor, "1 tokens"]) -> Resting:
    """Where a GPT's attention rests while it reads one text, and its losses.

    Raises ValueError for a text of fewer than three tokens.

    **Source:** Xiao et al. 2024, "Efficient Streaming Language Models with Attention Sinks", section 3.1.
    """
    length = tokens.shape[1]
    if length < 3:
        raise ValueError(f"expected at least three tokens, got {length}")
    with record(model) as trace:
        logits = model(tokens)
    heads = torch.stack([trace[name][0].weights[0].mean(0) for name in trace.names])  # [layers, queries, keys]
    weights = torch.stack([heads[:, key + 2 :, key].mean(1) for key in range(length - 2)], dim=1)
    return Resting(weights, cross_entropy(logits[0, :-1], tokens[0, 1:], reduction="none"))


class RestingImage(NamedTuple):
    """weights: [layers, heads, tokens], how much of its attention a patch gives to each token, the mean of all patches.
    longest: [layers], the longest vector of a patch behind each block, as a multiple of the median one.
    moved: [hidden], how far what the model says turns, 1 - cosine, when no patch may look at one token any more."""

    weights: Tensor
    longest: Tensor
    moved: Tensor


@checked
@torch.no_grad()
def resting_image(
    model: ViT, picture: Float[Tensor, "1 channels height width"], hidden: Sequence[int] = (0,)
) -> RestingImage:
    """Where a ViT's patches rest, on the class token or on one of their own, and what becomes of its answer without.

    hidden: the places of tokens that are hidden one by one, 0 the class token. It still sees itself then; a hidden
    patch nobody sees.

    **Source:** `longest` as in Darcet et al. 2024, "Vision Transformers Need Registers", section 2.
    """
    with record(model) as trace:
        said = model(picture)
    weights = torch.stack([trace[name][0].weights[0, :, 1:].mean(1) for name in trace.names])
    lengths = torch.stack([trace.tensor(f"blocks.{i}/out")[0, 1:].norm(dim=-1) for i in range(len(model.blocks))])
    moved = []
    for token in hidden:
        with forbidden(model, token, since=int(token == 0)):
            moved.append(1 - cosine_similarity(model(picture), said)[0])
    return RestingImage(weights, lengths.amax(1) / lengths.median(1).values, torch.tensor(moved))


class SinkRuns(NamedTuple):
    """One text, read again and again, each time without one of its tokens but the last two.

    pieces: the tokens in words. whole: nothing is forbidden. all_after[k]: no later place may look at token k.
    but_next[k]: the same, but the place right behind it still may.
    """

    pieces: list[str]
    whole: Resting
    all_after: list[Resting]
    but_next: list[Resting]


@checked
def sink_runs(model: GPT, tokens: Int[Tensor, "1 tokens"], pieces: Sequence[str]) -> SinkRuns:
    """Runs the model 2 tokens - 3 times. Raises ValueError where there is not one piece for each token."""
    if len(pieces) != tokens.shape[1]:
        raise ValueError(f"expected a piece for each of {tokens.shape[1]} tokens, got {len(pieces)}")
    hidden: list[list[Resting]] = [[], []]
    for later, found in enumerate(hidden, start=1):
        for key in range(tokens.shape[1] - 2):
            with forbidden(model, key, since=key + later):
                found.append(resting(model, tokens))
    return SinkRuns(list(pieces), resting(model, tokens), *hidden)
