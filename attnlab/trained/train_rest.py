"""Where does a head rest that has nothing to copy? `python -m attnlab.trained.train_rest`.

Small GPTs that learn to foresee random letters that come again (the loss counts every letter): with a first token that
is always the same, without one, and without one but with heads that may look nowhere; after few steps and after many.
Writes `rest.json` beside this file. Three minutes of one core.
"""

import time
from collections.abc import Callable, Iterator
from copy import deepcopy

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attnlab.alignment import scaled_dot
from attnlab.analysis.heads.sinks import forbidden
from attnlab.checks import checked
from attnlab.multihead import MultiHeadAttention
from attnlab.optimisers import muon
from attnlab.positions import Rotary
from attnlab.registry import Table
from attnlab.tasks.copier import HEADS, copier
from attnlab.tasks.induction import Repeated, Repeats, begun
from attnlab.trace import record
from attnlab.trained import SEEDS, tables
from attnlab.training import Step, fit
from attnlab.transformer import GPT

LETTERS, STEPS, LONGER, BATCH, RATE = 26, 200, 800, 32, 0.03
TASK, START = Repeated(symbols=LETTERS), LETTERS


@checked
class MayRest(MultiHeadAttention):
    """Self-attention with one more score in every row, learned, that belongs to no key: weight may go nowhere.

    weights: [batch, heads, queries, keys] of the last call, whose rows sum to 1 or less.

    **Source:** the learned sinks of OpenAI 2025, "gpt-oss-120b & gpt-oss-20b Model Card", section 2.2.
    """

    def __init__(self, dim: int, heads: int, positions: Rotary) -> None:
        super().__init__(dim, heads, positions)
        self.nowhere = nn.Parameter(torch.zeros(heads))
        self.weights = torch.empty(0)

    def forward(self, query: Tensor, mask: Tensor, **rest: object) -> Tensor:  # type: ignore[override]
        query, key, value = self.project(query, query, query)
        scores = scaled_dot(query, key).masked_fill(~mask, -torch.inf)
        nowhere = self.nowhere[:, None, None].expand(*scores.shape[:-1], 1)
        self.weights = torch.cat([scores, nowhere], dim=-1).softmax(dim=-1)[..., :-1]
        return self.output(self.merge(self.weights @ value))


KINDS: dict[str, tuple[type[MultiHeadAttention], bool]] = Table({
    "with a first token": (MultiHeadAttention, True),
    "without": (MultiHeadAttention, False),
    "without, but it may look nowhere": (MayRest, False),
})
"""Kind -> its attention, and whether its texts have a first token."""


def main() -> None:
    torch.set_num_threads(1)
    found = {
        "settings": f"{STEPS} or {LONGER} steps of {BATCH} texts of {TASK.length} letters, two layers of attention "
        f"with {HEADS} heads, Muon {RATE}; seeds {', '.join(map(str, SEEDS))}",
        "versions": tables.versions(),
        "runs": {kind: [run(kind, seed) for seed in SEEDS] for kind in KINDS},
        "longer": {kind: [run(kind, seed, LONGER) for seed in SEEDS] for kind in KINDS},
    }
    tables.write("rest", found)


def run(kind: str, seed: int, steps: int = STEPS) -> dict:
    """One training, measured; see `measured`. seconds: of the processor."""
    attention, first = KINDS[kind]
    begins = time.process_time()
    model = new(attention, seed)
    for _ in learn(model, first, seed, steps):
        pass
    seconds = time.process_time() - begins
    return {**measured(model, test(first), first), "seconds": round(seconds, 1)}


@checked
def new(attention: Callable[..., MultiHeadAttention] = MultiHeadAttention, seed: int = 0) -> GPT:
    """A copier of two layers before its first step: it knows one token more than the letters, to begin with."""
    return copier(Repeated(symbols=LETTERS + 1, length=TASK.length + 1), 2, seed, attention)


def learn(model: nn.Module, first: bool, seed: int = 0, steps: int = STEPS) -> Iterator[Step]:
    """The steps of one training."""
    return fit(model, lambda generator: loss(model, drawn(BATCH, generator, first)), steps, RATE, seed, muon)


def loss(model: nn.Module, batch: Repeats) -> Tensor:
    return cross_entropy(model(batch.inputs).flatten(0, 1), batch.targets.flatten())


def drawn(size: int, generator: torch.Generator, first: bool) -> Repeats:
    batch = TASK.batch(size, generator)
    return begun(batch, START) if first else batch


def test(first: bool) -> Repeats:
    return drawn(300, torch.Generator().manual_seed(99), first)


@torch.no_grad()
def measured(model: GPT, batch: Repeats, first: bool) -> dict:
    """losses: of the first round, where hardly anything can be known, and of what comes again. right: the share of
    letters of the latter. on the first, nowhere: the share of the second layer's weight, in either, of the first
    round without its first five places. forbidden: the losses of the first round when no later place may look at
    one of the places 0 to 3. closed: its loss when weight may not go nowhere any more."""
    early, later = ~batch.predictable, batch.predictable
    early[:, :5] = False  # of few places to look at, each gets much
    weights = second_layer(model, batch)
    on_first, nowhere = weights[..., 0], 1 - weights.sum(-1)  # [batch, heads, queries]
    by_round = [[round(x.mean(1)[places].mean().item(), 3) for places in (early, later)] for x in (on_first, nowhere)]
    right = (model(batch.inputs).argmax(-1) == batch.targets)[later].double().mean().item()
    found = {
        "losses": losses(model, batch),
        "right": round(right, 3),
        "on the first": by_round[0],
        "nowhere": by_round[1],
    }
    if first:
        found["forbidden"] = []
        for place in range(4):
            with forbidden(model, place, since=place + 1):
                found["forbidden"].append(losses(model, batch)[0])
    if isinstance(model.blocks[1].attention, MayRest):
        found["closed"] = losses(closed(model), batch)[0]
    return found


def closed(model: GPT) -> GPT:
    """A copy in which no weight may go nowhere."""
    copy = deepcopy(model)
    for module in copy.modules():
        if isinstance(module, MayRest):
            module.nowhere.data.fill_(-torch.inf)
    return copy


def losses(model: nn.Module, batch: Repeats) -> list[float]:
    """Nats a letter, of the first round and of the second."""
    each = cross_entropy(model(batch.inputs).transpose(1, 2), batch.targets, reduction="none")
    return [round(each[places].mean().item(), 3) for places in (~batch.predictable, batch.predictable)]


def second_layer(model: GPT, batch: Repeats) -> Tensor:
    """[batch, heads, queries, keys]"""
    attention = model.blocks[1].attention
    if isinstance(attention, MayRest):
        model(batch.inputs)
        return attention.weights
    with record(model) as trace:
        model(batch.inputs)
    return trace["blocks.1.attention"][0].weights


if __name__ == "__main__":
    main()
