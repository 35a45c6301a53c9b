"""Random tokens that repeat themselves: nothing can be known the first time, everything the second time.

A model that predicts the second time has found a way to look back: to the token that came after the earlier copy of
the present one. A head that does so is an induction head; before it, in an earlier layer, stands a head that tells each
place what the previous token was. Which places a head should look at is known here, so both can be measured.

**Source:** Olsson et al. 2022, "In-context Learning and Induction Heads" (arXiv 2209.11895): what an induction head is.
**Names:** [A][B] ... [A] -> [B]: the present token is the second [A], `after_copy` points at the first [B].
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int64
from torch import Generator, Tensor, nn

from attnlab.checks import Count, Size, checked


class Repeats(NamedTuple):
    """inputs and targets ``[batch, tokens]``, the target of a place being the next input; the ``period`` of each
    sequence; ``predictable``: the places whose token was there before, so that its successor says the target."""

    inputs: Int64[Tensor, "batch tokens"]
    targets: Int64[Tensor, "batch tokens"]
    period: Int64[Tensor, " batch"]
    predictable: Bool[Tensor, "batch tokens"]


@checked
class Repeated:
    """Sequences of ``length`` random tokens of ``symbols`` kinds: a segment over and over, with a period drawn for each
    sequence from ``shortest`` to ``longest``, all alike.

    So how far to look back is another distance in another sequence: only the content can tell.
    Raises ValueError when no sequence would repeat anything.
    """

    name = "repeated"

    def __init__(self, symbols: int = 32, length: int = 48, shortest: int = 8, longest: int = 24) -> None:
        if symbols < 2 or not 1 <= shortest <= longest < length:
            raise ValueError(
                f"expected at least 2 symbols and 1 <= shortest <= longest < length; got {symbols} "
                f"symbols, shortest {shortest}, longest {longest} and length {length}"
            )
        self.symbols, self.length, self.shortest, self.longest = symbols, length, shortest, longest
        self.vocabulary = [str(symbol) for symbol in range(symbols)]

    def periods(self, size: Size, generator: Generator) -> Int64[Tensor, " size"]:
        """The period of each of ``size`` sequences."""
        return torch.randint(self.shortest, self.longest + 1, (size,), generator=generator, device=generator.device)

    def batch(self, size: Size, generator: Generator) -> Repeats:
        """``size`` fresh sequences, on the generator's device. Inputs and targets have ``length`` - 1 tokens."""
        period = self.periods(size, generator)
        segments = torch.randint(self.symbols, (size, self.longest), generator=generator, device=generator.device)
        places = torch.arange(self.length, device=generator.device)
        sequences = segments.gather(1, places % period[:, None])
        predictable = places[:-1] >= period[:, None]
        return Repeats(sequences[:, :-1], sequences[:, 1:], period, predictable)


@checked
def begun(batch: Repeats, start: Count) -> Repeats:
    """The same sequences behind one token `start`, which never comes again: a place to look at that says nothing.

    Its successor is the first token, which nobody can foresee.
    """
    column = torch.full((len(batch.inputs), 1), start, device=batch.inputs.device)
    return Repeats(
        torch.cat([column, batch.inputs], dim=1),
        torch.cat([batch.inputs[:, :1], batch.targets], dim=1),
        batch.period,
        torch.cat([torch.zeros_like(column, dtype=torch.bool), batch.predictable], dim=1),
    )


@checked
class FixedPeriod(Repeated):
    """The same with one ``period`` for all sequences, as a warning: a model need only look back a fixed distance.

    It is right without an induction head, and helpless with another period. At its own period its weights lie on the
    right places too (``after_copy``); what is missing is the previous-token head.
    """

    name = "fixed period"

    def __init__(self, symbols: int = 32, length: int = 48, period: int = 24) -> None:
        super().__init__(symbols, length, period, period)


@checked
def after_copy(period: Int64[Tensor, " batch"], tokens: Count) -> Bool[Tensor, "batch queries keys"]:
    """Where an induction head looks: from each place (query) to the places right after earlier copies of its token.

    A place of the first time has none. Where a period is short a token has several copies, and all are right. That a
    segment of random tokens may hold one symbol twice is not counted.
    """
    places = torch.arange(tokens, device=period.device)
    back = places[:, None] + 1 - places  # from the copy, which stands right before the key, to the present token
    return (back % period[:, None, None] == 0) & (back > 0) & (places > 0)


@checked
def previous(tokens: Count) -> Bool[Tensor, "queries keys"]:
    """Where a previous-token head looks: from each place to the one before; the first has none."""
    return torch.ones(tokens, tokens, dtype=torch.bool).tril(-1).triu(-1)


@checked
def share(
    weights: Float[Tensor, "batch heads queries keys"], right: Bool[Tensor, "*batch queries keys"]
) -> Float[Tensor, " heads"]:
    """How much of its weight each head puts on right places: the mean over all queries that have one.

    Raises ValueError when no query has one.
    """
    batch, _, queries, keys = weights.shape
    if right.shape[-2:] != (queries, keys) or right.ndim > 3 or (len(right) not in (1, batch) and right.ndim == 3):
        raise ValueError(
            f"expected right places [{queries}, {keys}] or [{batch}, {queries}, {keys}], got {list(right.shape)}"
        )
    right = right.expand(len(weights), *right.shape[-2:]).to(weights.device)
    counted = right.any(-1)
    if not counted.any():
        raise ValueError("expected at least one query with a right place to look at, got none")
    on_right = (weights * right.unsqueeze(1)).sum(-1)  # [batch, heads, queries]
    return on_right.transpose(1, 2)[counted].mean(0)


@checked
@torch.no_grad()
def looked_up(texts: Repeats, tokens: Size) -> float:
    """The share of right answers, at predictable places, of a rule: look up where the last `tokens` tokens stood
    together last, and say what came after them."""
    same = texts.inputs.unsqueeze(2) == texts.inputs.unsqueeze(1)
    found = torch.ones_like(same).tril(-1)  # [batch, places, earlier places]
    for back in range(tokens):
        found = found & nn.functional.pad(same, (back, 0, back, 0))[:, : same.shape[1], : same.shape[2]]
    places = torch.arange(found.shape[2], device=found.device)
    last = (found * places).amax(dim=2)
    right = found.any(dim=2) & (texts.targets.gather(1, last) == texts.targets)
    return right[texts.predictable].double().mean().item()
