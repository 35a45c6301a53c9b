"""See what every attention inside a model saw, or change it, without changing the model."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

from jaxtyping import Float
from torch import Tensor, nn

from attnlab.attention import Attention
from attnlab.multihead import MultiHeadAttention


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

    def _listener(self, name: str) -> Callable[[Attention], None]:
        def hear(attention: Attention):
            heard = Attention(*(part.detach() for part in attention))
            self._heard.setdefault(name, []).append(heard)

        return hear


@contextmanager
def record(model: nn.Module) -> Iterator[Trace]:
    """`with record(model) as trace:` keeps the `Attention` of every `MultiHeadAttention` inside `model`, and every
    `Attention` that another module returns.

    `trace["decoder.attention"]` is the list of calls of that module. A module that stands in several places is heard
    under the first of its names. It costs nothing outside of the block.
    """
    trace = Trace()
    with ExitStack() as stack:
        for name, module in model.named_modules():
            stack.callback(_listen(module, trace._listener(name)))
        yield trace


@contextmanager
def override(model: nn.Module, given: Mapping[str, Float[Tensor, "..."]]) -> Iterator[None]:
    """`with override(model, {"blocks.0.attention": weights}):` the attention of that name uses these weights.

    weights: numbers of 0 or more that broadcast to [batch, heads, queries, keys]; a row with a NaN is left to the
    model, and a head of zeros is switched off. Gradients do not reach the scores of replaced rows.
    Raises ValueError for a name that is no `MultiHeadAttention` inside `model` and for other numbers; the call that
    uses the weights raises it when they do not fit.
    """
    attentions = {name: module for name, module in model.named_modules() if isinstance(module, MultiHeadAttention)}
    if unknown := [name for name in given if name not in attentions]:
        raise ValueError(f"expected names out of {list(attentions)}, got {unknown[0]!r}")
    for name, weights in given.items():
        if bool((weights < 0).any() | weights.isinf().any()):
            raise ValueError(f"expected weights of 0 or more, or NaN, for {name!r}, got {weights.tolist()}")
    before = {name: attentions[name].given for name in given}
    try:
        for name, weights in given.items():
            attentions[name].given = weights
        yield
    finally:
        for name, weights in before.items():
            attentions[name].given = weights


def _listen(module: nn.Module, hear: Callable[[Attention], None]) -> Callable[[], None]:
    """Lets `hear` know of every `Attention` of the module; returns what ends that."""
    if isinstance(module, MultiHeadAttention):
        module.listeners.append(hear)
        return lambda: module.listeners.remove(hear)

    def hook(module: nn.Module, inputs, output):
        if isinstance(output, Attention):
            hear(output)

    return module.register_forward_hook(hook).remove
