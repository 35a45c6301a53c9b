"""MultiHeadAttention with nothing recording beside torch's own, in training and in use."""

import time
from collections.abc import Callable, Iterator
from statistics import median

import torch
from torch import nn

from attnlab.masks import causal
from attnlab.multihead import MultiHeadAttention
from benchmarks.report import Record, span

ABOUT = "2 minutes"
HEADS = 4
SIZES = ((8, 64, 128), (8, 256, 128), (2, 512, 256))  # batch, tokens, dim
SECONDS = 0.03  # one timing repeats the work for about so long


def measure(quick: bool = False) -> Iterator[Record]:
    """One thread, as in the lessons."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for size in SIZES[:1] if quick else SIZES:
            yield from compare(*size, 2 if quick else 41)
    finally:
        torch.set_num_threads(threads)


def compare(batch: int, tokens: int, dim: int, rounds: int) -> Iterator[Record]:
    """Ours / torch's, without a mask and with a causal one, which torch's is also told by name."""
    ours, torchs = MultiHeadAttention(dim, HEADS), nn.MultiheadAttention(dim, HEADS, batch_first=True)
    x, mask = torch.randn(batch, tokens, dim), causal(tokens)
    theirs = {"attn_mask": ~mask, "is_causal": True}
    pairs = {
        "": (lambda: ours(x), lambda: torchs(x, x, x, need_weights=False)[0]),
        ", causal": (lambda: ours(x, mask=mask), lambda: torchs(x, x, x, need_weights=False, **theirs)[0]),
    }
    for doing, wrap in {"training": training, "in use": in_use}.items():
        for module in (ours, torchs):
            module.train(doing == "training")
        for masked, pair in pairs.items():
            ratios = paired(*map(wrap, pair), rounds)
            name = f"attention / torch's, {batch} x {tokens} x {dim}, {doing}{masked}"
            yield Record(name, median(ratios), 1.05, "times", span(ratios))


def training(run: Callable) -> Callable:
    """Forward and backward, into gradients that are there from the first time on."""
    return lambda: run().sum().backward()


def in_use(run: Callable) -> Callable:
    return torch.no_grad()(run)


def paired(ours: Callable, torchs: Callable, rounds: int) -> list[float]:
    """Ratios of times that lie side by side, each of the two going first in every other round."""
    seconds(ours, 2)
    repeats = max(1, round(SECONDS * 2 / max(seconds(torchs, 2), 1e-6)))
    ratios = []
    for number in range(rounds):
        order = (ours, torchs) if number % 2 else (torchs, ours)
        took = {run: seconds(run, repeats) for run in order}
        ratios.append(took[ours] / took[torchs])
    return ratios


def seconds(run: Callable, repeats: int) -> float:
    """Of this process alone: what else the machine does is not counted."""
    start = time.process_time()
    for _ in range(repeats):
        run()
    return time.process_time() - start
