"""See what every attention inside a model saw, without changing the model."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn

from attnlab.attention import Attention


class Trace:
    """What `record` heard: for each module by name, one `Attention` for every call, in order, without gradients."""

    def __init__(self):
        self._heard: dict[str, list[Attention]] = {}

    @property
    def names(self) -> list[str]:
        """The modules that attended, in the order in which they first did."""
        return list(self._heard)

    def __getitem__(self, name: str) -> list[Attention]:
        """All calls of one module. Raises ValueError when nothing of that name attended."""
        if name not in self._heard:
            raise ValueError(f"nothing called {name!r} attended while recording; expected one of {self.names}")
        return self._heard[name]

    def __repr__(self) -> str:
        calls = ", ".join(f"{name!r}: {len(heard)} calls" for name, heard in self._heard.items())
        return f"Trace({calls or 'nothing attended'})"

    def _listener(self, name: str):
        def hear(module: nn.Module, inputs, output):
            if isinstance(output, Attention):
                heard = Attention(*(part.detach() for part in output))
                self._heard.setdefault(name, []).append(heard)

        return hear


@contextmanager
def record(model: nn.Module) -> Iterator[Trace]:
    """`with record(model) as trace:` keeps every `Attention` that a module inside `model` returns.

    `trace["decoder.attention"]` is the list of calls of that module. It costs nothing outside of the block.
    """
    trace = Trace()
    hooks = [module.register_forward_hook(trace._listener(name)) for name, module in model.named_modules()]
    try:
        yield trace
    finally:
        for hook in hooks:
            hook.remove()
