"""What a function spends while it runs: seconds, FLOPs, and the bytes that it keeps for its way back."""

from collections.abc import Callable, Sequence
from time import get_clock_info, perf_counter, process_time
from typing import Annotated

import torch
from torch import Tensor

from attnlab.checks import Range, checked

PROCESSOR = get_clock_info("process_time").resolution < 1e-4  # elsewhere it ticks too slowly
CLOCK = process_time if PROCESSOR else perf_counter
LEAST = 0.001  # seconds

Rounds = Annotated[int, Range("from 1 to 100", lambda rounds: 1 <= rounds <= 100)]


@checked
@torch.no_grad()
def seconds(
    ways: dict[str, Callable[[Tensor], object]],
    inputs: Sequence[Tensor],
    rounds: Rounds = 12,
) -> dict[str, dict[int, float]]:
    """The least time that each way takes for each input: {way: {length of the input: seconds}}.

    Processor time, and of several rounds the least: what else the machine does can only make it longer. In a round all
    ways take turns, so that they meet the same machine. Short calls are repeated for a thousandth of a second, for the
    clock is coarse.
    """
    best: dict[str, dict[int, float]] = {name: {} for name in ways}
    for _ in range(rounds):
        for x in inputs:
            for name, way in ways.items():
                before = best[name].get(len(x))
                repeats = max(1, int(LEAST / before)) if before else 1
                start = CLOCK()
                for _ in range(repeats):
                    way(x)
                taken = (CLOCK() - start) / repeats
                best[name][len(x)] = max(min(taken, before or taken), 1e-9)
    return best


@checked
def flops(function: Callable[..., object], *inputs: Tensor) -> int:
    """What torch counts while `function(*inputs)` runs: matrix products, convolutions and attention, two FLOPs for each
    multiply-add. Sums, softmax and norms are not counted. Meanwhile torch computes attention by plain products: what
    its fused kernels do on a CPU it does not count."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.flop_counter import FlopCounterMode

    fused = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
            function(*inputs)
    finally:
        torch.backends.mha.set_fastpath_enabled(fused)
    return counter.get_total_flops()


@checked
def kept_bytes(function: Callable[..., Tensor], *inputs: Tensor) -> int:
    """Bytes of all tensors that `function(*inputs)` keeps for its gradients; shared memory counts once."""
    found: dict[int, Tensor] = {}

    def keep(tensor: Tensor) -> Tensor:
        found[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        result = function(*inputs)
    total = sum(tensor.untyped_storage().nbytes() for tensor in found.values())
    del result  # until here it has held what was kept
    return total
