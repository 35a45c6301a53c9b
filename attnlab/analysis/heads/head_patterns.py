"""What a head does, measured; and heads switched off.

A pattern says which keys a head of one kind would read: the token before, the same token elsewhere, blanks. How much of
its weight a head has there is measured on many texts, and its name follows from the measurement by two thresholds.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attnlab.checks import checked
from attnlab.multihead import MultiHeadAttention
from attnlab.seq2seq import LookBack
from attnlab.trace import override

Pattern = Callable[[Int[Tensor, "batch tokens"]], Bool[Tensor, "batch queries keys"]]

HALF = 0.5
"""A head is named after the pattern that holds at least this share of its weight."""

# Patterns: which keys, for each query ---------------------------------------------------------------------------------


@checked
def back(steps: int) -> Pattern:
    """The key `steps` places before the query; 0 is its own place, and below 0 lies what follows."""

    def keys(tokens: Int[Tensor, "batch tokens"]) -> Bool[Tensor, "batch queries keys"]:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return (places[:, None] - places == steps).expand(len(tokens), -1, -1)

    return keys


@checked
def first(tokens: Int[Tensor, "batch tokens"]) -> Bool[Tensor, "batch queries keys"]:
    """The first key, for all queries but the first one, which would read itself."""
    found = torch.zeros(*tokens.shape, tokens.shape[1], dtype=torch.bool, device=tokens.device)
    found[:, 1:, 0] = True
    return found


@checked
def same(tokens: Int[Tensor, "batch tokens"]) -> Bool[Tensor, "batch queries keys"]:
    """The query's own token at other places."""
    return (tokens[:, :, None] == tokens[:, None, :]) & ~back(0)(tokens)


@checked
def after_same(tokens: Int[Tensor, "batch tokens"]) -> Bool[Tensor, "batch queries keys"]:
    """What followed the query's own token at other places: where an induction head looks."""
    return same(tokens).roll(1, dims=2).index_fill(2, torch.tensor([0], device=tokens.device), False)


@checked
def among(ids: Collection[int]) -> Pattern:
    """Keys that are one of these tokens, such as blanks and full stops."""
    wanted = torch.tensor(sorted(ids))

    def keys(tokens: Int[Tensor, "batch tokens"]) -> Bool[Tensor, "batch queries keys"]:
        found = torch.isin(tokens, wanted.to(tokens.device))
        return found[:, None, :].expand(-1, tokens.shape[1], -1)

    return keys


@checked
def text_patterns(vocabulary: Sequence[str]) -> dict[str, Pattern]:
    """What a head may be seen to read in a text of letters: places, the same letter, blanks and signs."""
    blanks = [i for i, letter in enumerate(vocabulary) if letter.isspace()]
    signs = [i for i, letter in enumerate(vocabulary) if not (letter.isalnum() or letter.isspace())]
    return {
        "itself": back(0),
        **{f"{steps} before": back(steps) for steps in (1, 2, 3)},
        "first": first,
        "same letter": same,
        "after the same": after_same,
        "blanks": among(blanks),
        "signs": among(signs),
    }


# Measuring ------------------------------------------------------------------------------------------------------------


class Head(NamedTuple):
    """What one head was seen to do.

    name: the pattern that holds most of the weight, where that is at least a half, and at least twice what weights that
        are all alike would have there. Otherwise "diffuse" where `spread` is at least a half, else "mixed".
    shares: for each pattern the share of the weight that lies there, the mean over all queries that have such a key.
    even: the same for weights that are all alike.
    spread: as how many keys read alike, as a share of all keys that may be read: exp(entropy) / keys.
    """

    name: str
    shares: dict[str, float]
    even: dict[str, float]
    spread: float

    def __str__(self) -> str:
        seen = self.spread if self.name == "diffuse" else max(self.shares.values(), default=0.0)
        return self.name if self.name == "mixed" else f"{self.name} {seen:.2f}"


@checked
@torch.no_grad()
def describe(
    weights: Float[Tensor, "batch heads queries keys"],
    tokens: Int[Tensor, "batch tokens"],
    patterns: Mapping[str, Pattern],
    mask: Bool[Tensor, "queries keys"] | None = None,
) -> list[Head]:
    """What each head does in these texts. mask: True = may attend; a row that has one choice tells nothing.

    Raises ValueError for weights that are not those of self-attention on `tokens`, and where no row has a choice.
    """
    batch, heads, queries, keys = weights.shape
    if not (batch == len(tokens) and queries == keys == tokens.shape[1]):
        raise ValueError(
            f"expected weights [batch, heads, tokens, tokens] for tokens {list(tokens.shape)}, "
            f"got {list(weights.shape)}"
        )
    if bool((weights < 0).any()):
        raise ValueError(f"expected weights of 0 or more, got {weights.min().item()}")
    allowed = torch.ones(keys, keys, dtype=torch.bool, device=tokens.device) if mask is None else mask
    count = allowed.sum(-1)  # [queries]
    if not bool((count > 1).any()) or not batch:
        raise ValueError(
            f"expected texts in which a query has two keys or more to choose from, got {list(tokens.shape)}"
        )
    entropy = -torch.xlogy(weights, weights).sum(-1)
    spread = (entropy.exp() / count)[:, :, count > 1].mean(dim=(0, 2))
    shares, even = {}, {}
    for name, pattern in patterns.items():
        wanted = pattern(tokens) & allowed
        asked = wanted.any(-1) & (count > 1)  # [batch, queries]
        inside = (weights * wanted[:, None]).sum(-1).transpose(1, 2)[asked]  # [asked, heads]
        shares[name] = inside.mean(0) if len(inside) else torch.zeros(heads)
        even[name] = float((wanted.sum(-1) / count)[asked].mean()) if len(inside) else 0.0
    return [
        _named({name: float(share[head]) for name, share in shares.items()}, even, float(spread[head]))
        for head in range(heads)
    ]


def _named(shares: dict[str, float], even: dict[str, float], spread: float) -> Head:
    most = max(shares, key=shares.__getitem__, default="")
    if most and shares[most] >= max(HALF, 2 * even[most]):
        return Head(most, shares, even, spread)
    return Head("diffuse" if spread >= HALF else "mixed", shares, even, spread)


@checked
def share_at(
    weights: Float[Tensor, "*batch heads queries keys"], places: Int[Tensor, " queries"]
) -> Float[Tensor, "*batch heads"]:
    """How much of its weight each head has where it should look, from 0 to 1: the mean over queries that want a key.

    places: the key that each query wants; below 0: none, as `attnlab.tasks.tagging.Tagging.places` says it.
    Raises ValueError where no query wants a key, and for a key that does not exist.

    **Source:** Clark et al. 2019, "What Does BERT Look At? An Analysis of BERT's Attention", section 3.1.
    """
    asked = (places >= 0).nonzero()[:, 0]
    if not len(asked) or int(places.max()) >= weights.shape[-1]:
        raise ValueError(
            f"expected places of {weights.shape[-1]} keys, at least one of 0 or more, got {places.tolist()}"
        )
    return weights[..., asked, places[asked]].mean(-1)


# Switching off --------------------------------------------------------------------------------------------------------


@checked
def heads_in(ids: Iterable[str]) -> list[tuple[str, int]]:
    """`"blocks.1.attention:0"` -> `("blocks.1.attention", 0)`, for each: what `without` takes.

    Raises ValueError for another form.
    """
    found = []
    for one in ids:
        name, _, head = one.rpartition(":")
        if not (name and head.isdecimal()):
            raise ValueError(f'expected heads such as "blocks.1.attention:0", got {one!r}')
        found.append((name, int(head)))
    return found


@checked
def without(model: nn.Module, heads: Iterable[str | tuple[str, int]]) -> AbstractContextManager[None]:
    """`with without(model, [("attention", 2)]):` head 2 of the attention of that name finds nothing: its context is 0.

    A name alone stands for all its heads, and for all its calls: see `override`. The others work as before.
    Raises ValueError for names and heads that the model does not have.
    """
    attentions = ((n, m) for n, m in model.named_modules() if isinstance(m, MultiHeadAttention | LookBack))
    counts = {name: module.heads if isinstance(module, MultiHeadAttention) else 1 for name, module in attentions}
    off: dict[str, set[int]] = {}
    given = {}
    for one in heads:
        if isinstance(one, str):
            given[one] = torch.zeros(())
        else:
            off.setdefault(one[0], set()).add(one[1])
    for name, numbers in ((name, numbers) for name, numbers in off.items() if name not in given):
        # How many heads a module of another library has is seen when it runs: `override` leaves further ones to it.
        count = counts.get(name.partition("#")[0], max(numbers) + 2)
        if wrong := [head for head in numbers if not 0 <= head < count]:
            raise ValueError(f"expected heads from 0 to {count - 1} of {name!r}, got {wrong[0]}")
        given[name] = torch.full((1, count, 1, 1), torch.nan)
        given[name][:, sorted(numbers)] = 0.0
    return override(model, given)
