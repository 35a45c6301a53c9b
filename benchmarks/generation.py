"""How long a GPT takes to write, with a cache and without: the same model, the same tokens, in one run."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median

import torch

from attnlab.decoding import draw, with_cache, without_cache, write
from attnlab.transformer import GPT, gpt
from benchmarks.report import Record, span

ABOUT = "1 minute"
VOCABULARY, DIM, HEADS, LAYERS, LONGEST = 65, 128, 4, 4, 512
READERS = {"with": with_cache, "without": without_cache}


def seconds(model: GPT, tokens: int, reader: Callable) -> tuple[float, list[int]]:
    """CPU seconds of filling a text up to `tokens` tokens, from a prompt of one; and what was written."""
    choose = partial(draw, generator=torch.Generator().manual_seed(0))
    start = time.process_time()
    steps = list(write(model, torch.tensor([0]), tokens - 1, choose, reader))
    return time.process_time() - start, [step.token for step in steps]


def measure(quick: bool = False) -> Iterator[Record]:
    """The two ways in turn, one thread as in the lessons; time of the process alone, other programs do not count.

    Raises RuntimeError when they do not write the same tokens: then there is nothing to compare.
    """
    threads, tokens, runs = torch.get_num_threads(), LONGEST // 8 if quick else LONGEST, 1 if quick else 3
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = gpt(VOCABULARY, DIM, HEADS, LAYERS, LONGEST).eval()
    try:
        for reader in READERS.values():
            seconds(model, 8, reader)  # torch has set itself up
        rounds = [{name: seconds(model, tokens, reader) for name, reader in READERS.items()} for _ in range(runs)]
    finally:
        torch.set_num_threads(threads)
    if any(one["with"][1] != one["without"][1] for one in rounds):
        raise RuntimeError("with and without a cache the model wrote different tokens")
    times = {name: [one[name][0] for one in rounds] for name in READERS}
    ratios = [fast / slow for fast, slow in zip(times["with"], times["without"], strict=True)]
    for name, seconds_of_name in times.items():
        yield Record(f"write {tokens} tokens, {name} cache", median(seconds_of_name), None, "s", span(seconds_of_name))
    # A quick run is too short for what is promised: less text, less to read again.
    yield Record("write with cache / without", median(ratios), None if quick else 1 / 5, "times", span(ratios))
