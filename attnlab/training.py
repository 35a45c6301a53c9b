"""Training as a generator of steps: whoever iterates shows progress, pauses or stops. Nothing here prints.

`fit` trains. `measured` and `Film` stand around it and look: at metrics, and at the weights of one example.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from math import isfinite
from types import MappingProxyType
from typing import NamedTuple, TypeVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import log_softmax

from attnlab.checks import Positive, Share, Size, check_ids, checked
from attnlab.optimisers import adamw
from attnlab.schedules import Schedule, linear
from attnlab.trace import record


class Step(NamedTuple):
    """step: how many are done. loss: of this step's batch. metrics: see `measured`. last: none comes after it."""

    step: int
    loss: float
    metrics: Mapping[str, float] = MappingProxyType({})
    last: bool = False


@checked
def fit(
    model: nn.Module,
    loss: Callable[[torch.Generator], Tensor],
    steps: Size,
    rate: Positive = 5e-3,
    seed: int = 0,
    optimiser: Callable[[nn.Module, float], torch.optim.Optimizer] = adamw,
    schedule: Schedule = linear,
) -> Iterator[Step]:
    """Trains `model`; yields a `Step` after each.

    loss(generator): the mean loss of one fresh batch, a scalar; everything random in it is drawn from `generator`,
        which is the CPU's wherever the model is: batches are drawn there and then moved.
    rate: the highest learning rate. optimiser: a factory `(model, rate)`, as in `attnlab.optimisers`.
    schedule: `(step, steps) -> share` of the rate, as in `attnlab.schedules`.

    Between steps the model is in evaluation mode and consistent: stop where you like. The same seed gives the same
    result whether you pause or not, whatever else draws random numbers meanwhile.
    Raises ValueError when the loss is not a finite number, or has no gradient, and when an optimiser that clips finds
    that the gradient is not finite; all parameters are then as the step before left them.
    """

    def train() -> Iterator[Step]:
        moving = optimiser(model, rate)
        highest = [group["lr"] for group in moving.param_groups]
        generator = torch.Generator().manual_seed(seed)
        for step in range(1, steps + 1):
            share = schedule(step, steps)
            for group, top in zip(moving.param_groups, highest, strict=True):
                group["lr"] = top * share
            batch_loss = _loss(model, loss, generator)
            if batch_loss.numel() != 1:
                raise ValueError(
                    f"expected a loss that is one number, such as a mean; got shape {list(batch_loss.shape)}"
                )
            number = batch_loss.item()
            if not isfinite(number):
                raise ValueError(
                    f"the loss of step {step} is {number}: expected a number; try a smaller rate than {rate}"
                )
            if not batch_loss.requires_grad:
                raise ValueError(
                    "expected a loss that was computed from parameters with a gradient, got one without: was it made "
                    "under no_grad, with detach or from a number?"
                )
            moving.zero_grad()
            batch_loss.backward()
            moving.step()
            yield Step(step, number, last=step == steps)

    return train()


@checked
def measured(training: Iterable[Step], measure: Callable[[], dict[str, float]], every: Size = 50) -> Iterator[Step]:
    """The steps of `training`; every `every`-th and the last with the metrics that `measure` finds, without gradients.

    `for step in measured(fit(model, loss, 300), lambda: {"exact": exact(model, *held_out).float().mean()}): ...`
    """
    for step in training:
        if step.step % every == 0 or step.last:
            with torch.no_grad():
                step = step._replace(metrics={name: float(value) for name, value in measure().items()})
        yield step


@checked
def side_by_side(runs: Sequence[Iterator[Step]]) -> Iterator[Step]:
    """Several trainings in turn, one step of each: a `Step` when all have taken theirs, with the mean of their losses.

    Raises ValueError for no training, and where one ends before the others.
    """
    if not runs:
        raise ValueError("expected one training or more, got none")
    for steps in zip(*runs, strict=True):
        yield steps[0]._replace(loss=sum(step.loss for step in steps) / len(steps))


@checked
class Film:
    """What an attention looked like while it was trained: one frame before the first step, then every `every` steps.

    watch(): the weights of one example, in any shape that stays the same; see `weights_of`.

        film = Film(lambda: weights_of(model, "decoder.attention", source, lengths, target))
        for step in film.of(fit(model, loss, 300)):
            ...
        film.frames, film.steps
    """

    def __init__(self, watch: Callable[[], Tensor], every: Size = 10) -> None:
        self.watch, self.every = watch, every
        self.steps, self._frames = [], []

    def of(self, training: Iterable[Step]) -> Iterator[Step]:
        """The steps of `training`, unchanged."""
        self._look(0)
        for step in training:
            if step.step % self.every == 0 or step.last:
                self._look(step.step)
            yield step

    @property
    def frames(self) -> Float[Tensor, "frames ..."]:
        """All frames so far; `steps[i]` were done when frame i was taken. ValueError where there is none yet."""
        if not self._frames:
            raise ValueError("expected a frame or more, got none yet: take steps of `film.of(training)` first")
        return torch.stack(self._frames)

    @torch.no_grad()
    def _look(self, step: int) -> None:
        self.steps.append(step)
        self._frames.append(self.watch().detach().cpu().clone())


@checked
@torch.no_grad()
def weights_of(model: nn.Module, name: str, *inputs: object) -> Float[Tensor, "... queries keys"]:
    """The weights that the attention called `name` gives while `model(*inputs)` runs.

    Where it is asked once for each query, as in a recurrent decoder, all its queries are put together.
    """
    with record(model) as trace:
        model(*inputs)
    return torch.cat([seen.weights for seen in trace[name]], dim=-2)


@checked
def smoothed_cross_entropy(
    logits: Float[Tensor, "*batch vocabulary"],
    target: Int[Tensor, "*batch"],
    smoothing: Share = 0.1,
    ignore: int = -100,
) -> Float[Tensor, ""]:
    """Mean cross-entropy in nats with a target that is not quite sure: `smoothing` of it is spread over all tokens.

    ignore: the id whose places do not count, such as PAD. Raises ValueError for targets that are no tokens.

    **Source:** Szegedy et al. 2016, "Rethinking the Inception Architecture for Computer Vision", section 7; Vaswani et
    al. 2017, section 5.4, takes 0.1. **Names:** epsilon -> smoothing, K -> vocabulary, u(k) = 1 / K.
    """
    if target.shape != logits.shape[:-1]:
        raise ValueError(
            f"expected a target for each row of logits, {list(logits.shape[:-1])}, got {list(target.shape)}"
        )
    counts = target != ignore
    if not bool(counts.any()):
        raise ValueError(f"expected a target that counts, got none in shape {list(target.shape)}")
    check_ids(target[counts], logits.shape[-1], "targets")
    log_probability = log_softmax(logits[counts], dim=-1)
    right = log_probability.gather(-1, target[counts].unsqueeze(-1)).mean()
    if not smoothing:  # a token that is ruled out has a logit of -inf, and 0 times that is no number
        return -right
    return -(1 - smoothing) * right - smoothing * log_probability.mean()


@checked
def in_bfloat16(loss: Callable[[torch.Generator], Tensor], device: torch.device) -> Callable[[torch.Generator], Tensor]:
    """`loss` with its products of matrices in 16 bits, for `fit`; parameters and sums stay in 32 bits.

    For large models on CUDA. Measure before you keep it: small models gain little or nothing on a CPU, and processors
    without bfloat16 lose much.

    **Source:** Micikevicius et al. 2018, "Mixed Precision Training"; Kalamkar et al. 2019, "A Study of BFLOAT16 for
    Deep Learning Training", which needs no scaling of the loss.
    """

    def narrowed(generator: torch.Generator) -> Tensor:
        with torch.autocast(device.type, torch.bfloat16):
            return loss(generator)

    return narrowed


@checked
@cache
def device() -> torch.device:
    """CUDA, else Apple's GPU, else the CPU.

    On a CPU torch is set to one thread, once: with small models two threads wait for each other more than they work.
    `torch.set_num_threads` afterwards is yours.
    """
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    torch.set_num_threads(1)
    return torch.device("cpu")


@checked
@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Within it the CPU draws from this seed; after it torch's own random numbers go on undisturbed."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # torch.manual_seed would seed GPUs, too, and nothing puts them back
        yield


Parts = TypeVar("Parts", bound=tuple)


@checked
def to_device(parts: Parts, device: torch.device) -> Parts:
    """A named tuple of tensors, such as the batch of a task, on another device."""
    return type(parts)(*(part.to(device) for part in parts))


def _loss(model: nn.Module, loss: Callable[[torch.Generator], Tensor], generator: torch.Generator) -> Tensor:
    """Dropout draws from torch's global generators: they are set from ours for this one batch, then put back."""
    seed = int(torch.randint(2**62, (), generator=generator))
    devices = {parameter.device for parameter in model.parameters()}
    # torch.manual_seed also seeds GPUs; where there are none it keeps, for each kind, the whole stack of calls.
    set_seed = torch.default_generator.manual_seed if devices <= {torch.device("cpu")} else torch.manual_seed
    model.train()
    try:
        with torch.random.fork_rng(device for device in devices if device.type == "cuda"):
            set_seed(seed)
            return loss(generator)
    finally:
        model.eval()
