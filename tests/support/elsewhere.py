"""A second device for tests on machines that have one alone: real numbers that say they lie on `ELSEWHERE`.

    with elsewhere():
        model.to(ELSEWHERE)(pictures.to(ELSEWHERE))

`SECOND` are that device and, where there is one, a GPU: `with there(where)` makes either ready.

As on a CUDA device, what was made on the CPU meets what lies there in no operation, but for single numbers, indices
and lengths; a generator of the CPU draws on the CPU alone; and to numpy goes only what was brought back.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from unittest.mock import patch

import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

ELSEWHERE = torch.device("meta")  # the one name of a device that torch knows on every machine
NO_CUDA = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
CUDA = pytest.param("cuda", marks=[pytest.mark.cuda, NO_CUDA])
SECOND = [ELSEWHERE.type, CUDA]
MOVES = (torch.ops.aten._to_copy.default, torch.ops.aten.copy_.default)
PACK = torch.ops.aten._pack_padded_sequence.default  # whose lengths lie on the CPU, always
INDEXED = (torch.ops.aten.index.Tensor, torch.ops.aten.index_put_.default, torch.ops.aten.index_put.default)


class There(torch.Tensor):
    """A tensor that lies elsewhere; `inner` holds its numbers."""

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> "There":
        there = torch.Tensor._make_wrapper_subclass(
            cls, inner.shape, strides=inner.stride(), dtype=inner.dtype, device=ELSEWHERE
        )
        there.inner = inner
        return there

    def __format__(self, form: str) -> str:
        return format(self.inner, form)

    def tolist(self) -> list:
        """As of every device."""
        return self.inner.tolist()

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return _run(func, args, kwargs or {})


class _Elsewhere(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return _run(func, args, kwargs or {})


class _OfNumbers(TorchFunctionMode):
    """`torch.tensor` makes what lies on this device without numbers, before anyone is asked."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is torch.tensor and torch.device(kwargs.get("device") or "cpu") == ELSEWHERE:
            return func(*args, **{**kwargs, "device": "cpu"}).to(ELSEWHERE)
        return func(*args, **kwargs)


@contextmanager
def elsewhere() -> Iterator[None]:
    """What is made on `ELSEWHERE` has numbers."""
    with (
        _Elsewhere(),
        _OfNumbers(),
        patch("torch.optim.optimizer._get_fused_kernels_supported_devices", lambda: ["cpu", "meta"]),
    ):
        yield


def there(where: str) -> AbstractContextManager[None]:
    """One of `SECOND`, ready to be computed on."""
    return elsewhere() if where == ELSEWHERE.type else nullcontext()


def _run(func, args: tuple, kwargs: dict):
    tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
    there = any(isinstance(tensor, There) for tensor in tensors)
    if there and func not in MOVES:
        _check_place(func, args, tensors)
    given = kwargs.get("device")
    target = there if given is None else torch.device(given) == ELSEWHERE
    generator = kwargs.get("generator")
    if target and generator is not None and func not in MOVES:
        raise RuntimeError(f"{func}: expected a generator of the tensor's device, got one of {generator.device}")
    if given is not None:
        kwargs = {**kwargs, "device": torch.device("cpu")}
    if func is torch.ops.aten.copy_.default:
        target = isinstance(args[0], There)
    found = func(*tree_map(_inner, args), **tree_map(_inner, kwargs))
    if func._schema.name.endswith("_") and not func._schema.name.endswith("__"):
        return args[0] if func._schema.returns else None  # changed in place
    if func is PACK:
        return There(found[0]), found[1]
    return tree_map(lambda x: There(x) if target and type(x) is torch.Tensor else x, found)


def _check_place(func, args: tuple, tensors: list) -> None:
    checked = args[:1] if func is PACK else [args[0], *args[2:]] if func in INDEXED else tensors
    for tensor in tree_leaves(checked):
        if isinstance(tensor, torch.Tensor) and not isinstance(tensor, There) and tensor.ndim:
            raise RuntimeError(
                f"{func}: expected all tensors on one device, got one of {list(tensor.shape)} on the CPU"
            )


def _inner(x):
    return x.inner if isinstance(x, There) else x
