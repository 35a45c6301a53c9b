"""Their tensors into our models: what the loaders of all kinds share."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, relu

from attnlab.blocks import tanh_gelu
from attnlab.checks import checked
from attnlab.registry import Table

Ours = TypeVar("Ours", bound=nn.Module)

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = Table({
    "gelu": gelu,
    "gelu_new": tanh_gelu,
    "gelu_pytorch_tanh": tanh_gelu,
    "relu": relu,
})
"""The names that their configurations use -> function."""


@checked
def leave_out(state: Mapping[str, Tensor], unused: Iterable[str]) -> dict[str, Tensor]:
    """Those tensors whose names hold none of these parts."""
    parts = tuple(unused)
    return {name: tensor for name, tensor in state.items() if not any(part in name for part in parts)}


@checked
def matrix_shape(state: Mapping[str, Tensor], name: str) -> tuple[int, int]:
    """Rows and columns. Raises ValueError where there is no matrix of this name."""
    if name not in state or state[name].ndim != 2:
        got = list(state[name].shape) if name in state else f"only {', '.join(state) or 'nothing'}"
        raise ValueError(f"expected a matrix {name!r} in the state, got {got}")
    rows, columns = state[name].shape
    return rows, columns


@checked
def layers(state: Mapping[str, Tensor], prefix: str) -> int:
    """How many numbers follow the prefix in the names."""
    return len({name.removeprefix(prefix).partition(".")[0] for name in state if name.startswith(prefix)})


@checked
def filled(model: Ours, state: Mapping[str, Tensor], names: Mapping[str, str]) -> Ours:
    """The model with its parameters copied from `state`, each under its name in the table.

    model: best made on the device "meta", where no parameter takes room: sizes that a file only claims then ask for
    none. names: theirs -> ours. # is the number of a block; a name without an end stands for its weight and its bias.
    Tensors are asked for one after the other, so that a `state` that reads a file need not hold all of them.
    Raises ValueError that names what is missing, unknown, or of another shape than expected.
    """
    pairs = _pairs(model, names)
    missing, unknown = [name for name in pairs if name not in state], [name for name in state if name not in pairs]
    if missing or unknown:
        raise ValueError(
            f"expected the tensors of this kind of model; missing: {', '.join(missing) or 'none'}; "
            f"unknown: {', '.join(unknown) or 'none'}"
        )
    copies: dict[nn.Parameter, nn.Parameter] = {}  # one for parameters that are tied
    for name, parameter in pairs.items():
        tensor = state[name]
        if tensor.shape != parameter.shape:
            raise ValueError(f"expected {name} of shape {list(parameter.shape)}, got {list(tensor.shape)}")
        copy = tensor.detach().to("cpu", copy=True, memory_format=torch.contiguous_format)
        copies[parameter] = nn.Parameter(copy)
    for module in model.modules():
        for name, parameter in module.named_parameters(recurse=False):
            setattr(module, name, copies.get(parameter, parameter))
    return model


@checked
def check_config(config: object, **expected: object) -> None:
    """Raises ValueError where a configuration asks for something else; what it does not know is as expected."""
    for name, value in expected.items():
        got = getattr(config, name, value)
        if got != value:
            raise ValueError(f"expected a model with {name} = {value!r}, got {got!r}")


def _pairs(model: nn.Module, names: Mapping[str, str]) -> dict[str, nn.Parameter]:
    """Their name -> our parameter, for every line of the table, block and end."""
    own, pairs = dict(model.named_parameters(remove_duplicate=False)), {}
    blocks = {int(name.partition("blocks.")[2].partition(".")[0]) for name in own if "blocks." in name}
    for theirs, ours in names.items():
        for number in sorted(blocks) if "#" in theirs else [0]:
            their_name, our_name = theirs.replace("#", str(number)), ours.replace("#", str(number))
            for end in [""] if our_name in own else [".weight", ".bias"]:
                pairs[their_name + end] = own[our_name + end]
    return pairs
