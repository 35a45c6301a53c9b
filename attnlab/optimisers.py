"""Optimisers: a factory `(model, rate) -> optimiser` says which parameter is moved by what.

Other settings are bound with `functools.partial`: `partial(adamw, betas=(0.9, 0.99), decay=0.1)`.
"""

from collections.abc import Callable, Iterable
from functools import reduce
from inspect import unwrap
from itertools import groupby
from typing import Annotated, Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_
from torch.optim import AdamW, Optimizer

from attnlab.checks import NotNegative, Positive, Range, Share, checked

Beta = Annotated[float, Range("from 0 to below 1", lambda beta: 0 <= beta < 1)]


@checked
def adamw(
    model: nn.Module,
    rate: NotNegative,
    betas: tuple[Beta, Beta] = (0.9, 0.999),
    decay: NotNegative = 0.01,
    clip: Positive | None = 1.0,
) -> Optimizer:
    """AdamW for all parameters. Matrices shrink by `rate * decay` a step; biases and gains are left alone.

    clip: the largest norm of all gradients together, see `clip_gradients`; None for any.

    **Source:** Loshchilov and Hutter 2019, "Decoupled Weight Decay Regularization", algorithm 2. **Names:** alpha ->
    rate, beta_1 and beta_2 -> betas, lambda -> decay.
    """
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    _check_some(parameters)
    groups: list[dict[str, Any]] = [
        {"params": [parameter for parameter in parameters if parameter.ndim >= 2], "weight_decay": decay},
        {"params": [parameter for parameter in parameters if parameter.ndim < 2], "weight_decay": 0.0},
    ]
    optimiser = _AdamW([group for group in groups if group["params"]], lr=rate, betas=betas, fused=True)
    return optimiser if clip is None else clip_gradients(optimiser, clip)


@checked
def clip_gradients(optimiser: Optimizer, norm: Positive) -> Optimizer:
    """From now on each step first scales all gradients together down to `norm`, where they are longer.

    The step raises ValueError, and moves nothing, where a gradient is not finite: scaled by it, all would be lost.
    torch copies no hooks: a deep copy of the optimiser does not shorten anything.

    **Source:** Pascanu, Mikolov and Bengio 2013, "On the difficulty of training Recurrent Neural Networks",
    algorithm 1. **Names:** g -> the gradients of all parameters, threshold -> norm.
    """
    parameters = [parameter for group in optimiser.param_groups for parameter in group["params"]]

    def shorten(_: Optimizer, args: tuple, kwargs: dict) -> tuple[tuple, dict] | None:
        given = [*args[1:], *kwargs.values()]  # after the optimiser itself at most a closure
        loss = _loss_of(given[0]) if given else None
        if not clip_grad_norm_(parameters, norm).isfinite():
            raise ValueError(
                "expected a gradient of finite numbers, got one that is none: does the loss divide by what may be 0, "
                "or take its root or logarithm? If not, try a smaller rate"
            )
        return (args[:1], {"closure": lambda: loss}) if given else None

    optimiser.register_step_pre_hook(shorten)
    return optimiser


@checked
def muon(
    model: nn.Module, rate: NotNegative, embedding: NotNegative = 1.5, rest: NotNegative = 0.4, decay: NotNegative = 0.0
) -> "Together":
    """Muon for the matrices inside the model, Adam for its two ends and its vectors.

    Muon's are all parameters with two axes, except the weights of every `nn.Embedding` and of the output layer: of the
    `nn.Linear` that have one row for each token of an embedding the last that is named `output`, else the last.

    rate: Muon's; its steps are long, 0.01 to 0.05 is usual. embedding, rest: Adam's rates for embeddings and for all
    other parameters, as shares of `rate`. decay: matrices shrink by `rate * decay` a step.

    **Source:** Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks", section "Empirical
    considerations".
    """
    # Each once: a table may stand in several modules.
    embeddings = list(dict.fromkeys(module.weight for module in model.modules() if isinstance(module, nn.Embedding)))
    rows = {len(weight) for weight in embeddings}
    maps = {name: m for name, m in model.named_modules() if isinstance(m, nn.Linear) and m.out_features in rows}
    last = sorted(maps, key=lambda name: name.rpartition(".")[2] == "output")[-1:]  # of equals the order stays
    ends = {*embeddings, *(maps[name].weight for name in last)}
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    _check_some(parameters)
    matrices = [parameter for parameter in parameters if parameter.ndim == 2 and parameter not in ends]
    moved = {*matrices, *embeddings}
    others = [parameter for parameter in parameters if parameter not in moved]
    groups: list[dict[str, Any]] = [
        {"params": embeddings, "lr": rate * embedding},
        {"params": others, "lr": rate * rest},
    ]
    groups = [group for group in groups if group["params"]]
    return Together(
        *([Muon(matrices, rate, decay=decay)] if matrices else []),
        *([_AdamW(groups, betas=(0.8, 0.95), weight_decay=0.0, fused=True)] if groups else []),
    )


Coefficients = tuple[tuple[float, float, float], ...]

THREE: Coefficients = ((8.0934, -23.6204, 17.4462), (3.6366, -2.7219, 0.5365), (2.6613, -1.9772, 0.4526))
"""Three steps that bring all singular values from 0.01 to 1 to between 0.73 and 1.27: no three steps do better.

**Source:** Amsel, Persson, Musco and Gower 2025, "The Polar Express", algorithm 1 with l = 0.01.
"""


@checked
def orthogonal(
    matrix: Float[Tensor, "*batch rows columns"], coefficients: Coefficients = THREE
) -> Float[Tensor, "*batch rows columns"]:
    """The matrix with its singular values brought near 1: almost U V^T, where U S V^T is its decomposition.

    Each step applies the odd polynomial a s + b s^3 + c s^5 to every singular value s, by products alone:
    X <- (a I + b X X^T + c (X X^T)^2) X. The small X X^T is followed through the steps, X itself multiplied once.

    **Source:** Jordan et al. 2024 (Newton-Schulz with (3.4445, -4.775, 2.0315), five times); the coefficients of Amsel
    et al. 2025 need fewer steps. A norm below 1e-7, theirs too, counts as 1e-7: what is nearly 0 stays small.
    **Names:** X -> x, X X^T or A -> gram.
    """
    if not coefficients:
        raise ValueError("expected the coefficients of one step or more, got none")
    if matrix.shape[-2] > matrix.shape[-1]:
        return orthogonal(matrix.mT, coefficients).mT
    norm = matrix.norm(dim=(-2, -1), keepdim=True)  # no singular value is above it
    x = matrix / norm.clamp(min=1e-7)
    gram = x @ x.mT
    steps: list[Tensor] = []
    for a, b, c in coefficients:
        gram = steps[-1] @ gram @ steps[-1] if steps else gram
        step = b * gram + c * gram @ gram
        step.diagonal(dim1=-2, dim2=-1).add_(a)
        steps.append(step)
    return reduce(lambda earlier, step: step @ earlier, steps) @ x


class _Eager(Optimizer):
    """An optimiser without torch's wrappers that tell its compiler to leave the optimiser alone.

    They import that compiler, which takes a second or two and 70 MB, and nothing is compiled here.
    """

    add_param_group = unwrap(Optimizer.add_param_group)
    zero_grad = unwrap(Optimizer.zero_grad)
    state_dict = unwrap(Optimizer.state_dict)
    load_state_dict = unwrap(Optimizer.load_state_dict)


class _AdamW(_Eager, AdamW):
    step = torch.no_grad()(unwrap(AdamW.step))


@checked
class Muon(_Eager):
    """Momentum whose step is made orthogonal: it moves a matrix equally far in every direction that it moves at all.

    A gradient has a few large singular values and many small ones; after `orthogonal` the rare directions count as
    much as the common ones. Takes matrices only. Matrices of one shape go through `orthogonal` together.

    matrices: parameters with two axes, else ValueError. They shrink by `rate * decay` a step.
    momentum: 0.95 in the source; in a few hundred steps 0.9 comes further.

    **Source:** Jordan et al. 2024, algorithm 2, with Nesterov's momentum; tall matrices move further, by
    sqrt(rows / columns). **Names:** eta -> rate, mu -> momentum, B -> velocity, O -> direction.
    """

    def __init__(
        self,
        matrices: Iterable[nn.Parameter],
        rate: NotNegative,
        momentum: Share = 0.9,
        decay: NotNegative = 0.0,
        coefficients: Coefficients = THREE,
    ) -> None:
        matrices = list(matrices)
        _check_some(matrices)
        super().__init__(matrices, {"lr": rate, "momentum": momentum, "decay": decay, "coefficients": coefficients})
        for matrix in self._matrices():
            if matrix.ndim != 2:
                raise ValueError(f"Muon takes matrices: expected 2 axes, got shape {list(matrix.shape)}")

    @torch.no_grad()
    def step(self, closure: Callable[[], Tensor] | None = None) -> Tensor | None:  # type: ignore[override]  # torch: float
        """One step for every matrix that has a gradient."""
        loss = _loss_of(closure)
        for group in self.param_groups:
            moved = sorted((m for m in group["params"] if m.grad is not None), key=_kind)
            for _, alike in groupby(moved, key=_kind):
                self._move(list(alike), group)
        return loss

    def _move(self, matrices: list[Tensor], group: dict) -> None:
        gradients, velocities = [m.grad for m in matrices if m.grad is not None], [self._velocity(m) for m in matrices]
        for velocity, gradient in zip(velocities, gradients, strict=True):
            velocity.lerp_(gradient, 1 - group["momentum"])
        ahead = torch.stack(gradients).lerp_(torch.stack(velocities), group["momentum"])
        rows, columns = matrices[0].shape
        length = group["lr"] * max(1, rows / columns) ** 0.5
        for matrix, direction in zip(matrices, orthogonal(ahead, group["coefficients"]), strict=True):
            matrix.mul_(1 - group["lr"] * group["decay"]).sub_(direction, alpha=length)

    def _velocity(self, matrix: Tensor) -> Tensor:
        state = self.state[matrix]
        if not state:
            state["velocity"] = torch.zeros_like(matrix)
        return state["velocity"]

    def _matrices(self) -> list[Tensor]:
        return [matrix for group in self.param_groups for matrix in group["params"]]


@checked
class Together(_Eager):
    """Several optimisers as one, each with its own part of the parameters.

    It has their groups, the very same dicts, and steps when told to; hooks before and after a step are its own.
    """

    def __init__(self, *optimisers: Optimizer) -> None:
        if not optimisers:
            raise ValueError("expected at least one optimiser, got none")
        super().__init__([group for optimiser in optimisers for group in optimiser.param_groups], {})
        self.optimisers = optimisers

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "optimisers": self.optimisers}

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Raises ValueError once it is made: nothing says which of the optimisers should move these."""
        if "optimisers" in vars(self):
            raise ValueError("expected all parameters when the optimiser is made, got more later: make a new one")
        super().add_param_group(param_group)

    def step(self, closure: Callable[[], Tensor] | None = None) -> Tensor | None:  # type: ignore[override]  # torch: float
        """One step of each. closure: what computes the loss anew, called once, before the first."""
        loss = _loss_of(closure)
        for optimiser in self.optimisers:
            optimiser.step()
        return loss

    def state_dict(self) -> dict[str, Any]:
        """Theirs, in order, under "optimisers"."""
        return {"optimisers": [optimiser.state_dict() for optimiser in self.optimisers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Gives each its own again, as `state_dict` has kept it."""
        states = state_dict.get("optimisers", [])
        if len(states) != len(self.optimisers):
            raise ValueError(f"expected the state of {len(self.optimisers)} optimisers, got {len(states)}")
        for optimiser, state in zip(self.optimisers, states, strict=True):
            optimiser.load_state_dict(state)
        self.param_groups = [group for optimiser in self.optimisers for group in optimiser.param_groups]  # new dicts


def _loss_of(closure: Callable[[], Tensor] | None) -> Tensor | None:
    """What it computes, with the gradients of it."""
    if closure is None:
        return None
    with torch.enable_grad():
        return closure()


def _check_some(parameters: list[nn.Parameter]) -> None:
    if not parameters:
        raise ValueError("expected a model with parameters that may change, got none")


def _kind(matrix: Tensor) -> tuple[tuple[int, ...], str, str]:
    """Matrices of one kind can be stacked."""
    return tuple(matrix.shape), str(matrix.dtype), str(matrix.device)
