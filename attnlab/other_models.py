"""Hear and change attention in models of any library, by the functions of torch that they call.

Whoever wrote a model, its attention is a product of queries and keys, a softmax, and a product with the values; or
`scaled_dot_product_attention`, which is all three. `listening` hears these calls while the model runs, and which module
made them. The model stays as it is. `record` and `override` are the front doors.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from math import sqrt
from types import FunctionType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from attnlab.attention import Attention, Weigh, masked_softmax, replaced
from attnlab.checks import checked
from attnlab.masks import causal


@checked
@dataclass(eq=False)
class Call:
    """One attention, as far as it was heard; all [batch, heads, ...].

    scores: before the mask. Where only a softmax was heard, -inf stands for what the mask forbids. weights: those that
    the model uses, given ones included. mask: True = may attend; None where all may. query, key, value, context: as
    they were multiplied, repeated keys and values included; None where the model does it in a way that nobody heard.
    """

    scores: Tensor
    weights: Tensor
    mask: Tensor | None
    query: Tensor | None = None
    key: Tensor | None = None
    value: Tensor | None = None
    context: Tensor | None = None

    @property
    def attention(self) -> Attention:
        """What `attend` would have returned; a context that nobody heard is 0 numbers wide."""
        context = self.weights.new_zeros(*self.weights.shape[:-1], 0) if self.context is None else self.context
        return Attention(context, self.weights, self.scores)


@dataclass(eq=False)
class _Running:
    """A module that runs. ours: it is of attnlab, which tells `record` by itself."""

    name: str
    ours: bool
    calls: list[Call] = field(default_factory=list)


Hear = Callable[[str, Call], object]
HearMap = Callable[[str, Call, Tensor, Tensor | None], object]


class _Ear:
    """What is heard of one model, and given to it: see `listening`."""

    def __init__(self, given: Mapping[str, Tensor], hear: Hear | None, hear_map: HearMap | None) -> None:
        self.given, self.hear, self.hear_map = given, hear, hear_map
        self.running: list[_Running] = []
        self.ran: set[str] = set()
        self.counts: dict[str, int] = {}
        self.used: set[str] = set()

    def complain(self) -> None:
        """Raises ValueError where something was given to a module that ran, or that is none, and did not attend."""
        for name in self.given:
            if name not in self.used and (self.counts or name.partition("#")[0] in self.ran):
                known = f"expected names out of {list(self.counts)}" if self.counts else "no attention was heard at all"
                raise ValueError(f"nothing called {name!r} attended; {known}")

    @property
    def listens(self) -> bool:
        """Whether a module of another library runs just now."""
        return bool(self.running) and not self.running[-1].ours

    def follow(self, name: str, module: nn.Module) -> Callable[[], None]:
        """Notices when the module runs; returns what ends that."""
        ours = _ours(module)

        def begin(module: nn.Module, given: tuple) -> None:
            self.ran.add(name)
            self.running.append(_Running(name, ours))

        def end(module: nn.Module, given: tuple, output: object) -> None:
            ended = self.running.pop()
            if self.hear and not isinstance(output, Attention):  # which `record` hears of the module itself
                for call in ended.calls:
                    self.hear(name, call)

        hooks = ExitStack()
        hooks.callback(module.register_forward_pre_hook(begin).remove)
        hooks.callback(module.register_forward_hook(end, always_call=True).remove)
        return hooks.close

    def changed(self, weights: Tensor) -> Tensor:
        """The weights with what was given for the module that runs."""
        name = self.running[-1].name
        call = self.counts[name] = self.counts.get(name, -1) + 1
        for key in (name, f"{name}#{call}"):
            if key in self.given:
                self.used.add(key)
                weights = replaced(weights, _for_heads(self.given[key], weights.shape[1], key))
        return weights


def _for_heads(given: Tensor, heads: int, name: str) -> Tensor:
    """Weights for as many heads as there are: more rows of NaN, or fewer, since how many there are is seen only now."""
    if given.ndim < 4 or given.shape[1] in (1, heads):
        return given
    if given.shape[1] > heads and not bool(given[:, heads:].isnan().all()):
        raise ValueError(f"expected weights for at most the {heads} heads of {name!r}, got {given.shape[1]}")
    more = given.new_full((given.shape[0], max(0, heads - given.shape[1]), *given.shape[2:]), torch.nan)
    return torch.cat([given[:, :heads], more], dim=1)


@checked
def may_attend(model: nn.Module) -> list[str]:
    """The names of the modules of other libraries in which attention may be written, those called so first.

    Raises ValueError for a model of TorchScript, in which no module can be followed.
    """
    if isinstance(model, torch.jit.ScriptModule):
        raise ValueError("nothing is heard inside a model of TorchScript: take the model that it was made from")
    found = {name: one for name, one in model.named_modules() if not _ours(one) and not _only_a_layer(one)}
    return sorted(found, key=lambda name: "attention" not in type(found[name]).__name__.lower())


def _ours(module: nn.Module) -> bool:
    return any(kind.__module__.startswith("attnlab.") for kind in type(module).__mro__)


def _only_a_layer(module: nn.Module) -> bool:
    """A layer of torch calls nothing that is heard, or is called as the part of a module that is followed."""
    return type(module).__module__.startswith("torch.nn.") and not isinstance(module, nn.MultiheadAttention)


_ears: list[_Ear] = []


@checked
@contextmanager
def listening(
    model: nn.Module,
    given: Mapping[str, Tensor] | None = None,
    hear: Hear | None = None,
    hear_map: HearMap | None = None,
) -> Iterator[None]:
    """Within it the model's attention is heard, and changed. It costs nothing where all modules are attnlab's.

    given: {name of a module: weights for all its calls}, or "name#2" for its third call alone; as for `override`.
    hear(name, call): after each run of a module, for each attention in it. hear_map(name, call, weight, bias): where a
    linear map takes the heads' contexts side by side; weight is [dim, heads * head_dim].
    Raises ValueError at the end where something was given to a module that did not attend.
    """
    if not may_attend(model):
        yield
        return
    ear = _Ear(given or {}, hear, hear_map)
    with ExitStack() as stack:
        for name, module in model.named_modules():
            if not _only_a_layer(module):
                stack.callback(ear.follow(name, module))
        if not _ears:
            stack.enter_context(_Listening())
        _ears.append(ear)
        stack.callback(_ears.remove, ear)
        yield
    ear.complain()


# The functions of torch that are heard


class _Listening(TorchFunctionMode):
    """Between a model and torch: one for all ears, so that what one gives the others hear."""

    def __init__(self) -> None:
        super().__init__()
        self.product: tuple[Tensor, Tensor, torch.Size] | None = None  # the last one: perhaps of queries and keys
        self.contracted: torch.Size | None = None  # of what einsum made last: perhaps scores
        self.call: Call | None = None  # the last one
        self.owners: list[tuple[_Ear, str]] = []  # who heard it, and its name there

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        heard = _HEARD.get(func) if any(ear.listens for ear in _ears) else None
        return heard(self, func, args, kwargs or {}) if heard else func(*args, **(kwargs or {}))

    def tell(self, call: Call) -> None:
        """Gives each ear the call, after each has changed its weights."""
        self.owners = [(ear, ear.running[-1].name) for ear in _ears if ear.listens]
        self.call = call
        for ear, _ in self.owners:
            call.weights = ear.changed(call.weights)
            ear.running[-1].calls.append(call)

    def tell_map(self, weight: Tensor, bias: Tensor | None) -> None:
        """Tells that the last call's contexts go through this map."""
        call, self.call = self.call, None
        if call is not None:
            for ear, name in self.owners:
                if ear.hear_map:
                    ear.hear_map(name, call, weight, bias)

    def attend(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
        weigh: Weigh = masked_softmax,
    ) -> Tensor:
        """torch's `scaled_dot_product_attention`, step by step."""
        if (
            query.ndim < 4
        ):  # one sequence, or an axis before it: of heads where keys are repeated for them, else of texts
            axis = 0 if query.ndim == 2 or enable_gqa else 1
            lifted = attn_mask is not None and attn_mask.ndim == query.ndim == 3
            mask = attn_mask.unsqueeze(axis) if attn_mask is not None and lifted else attn_mask
            query, key, value = (x.unsqueeze(axis) for x in (query, key, value))
            return self.attend(query, key, value, mask, dropout_p, is_causal, scale, enable_gqa, weigh).squeeze(axis)
        if enable_gqa:
            key, value = (x.repeat_interleave(query.shape[-3] // x.shape[-3], dim=-3) for x in (key, value))
        scores = query @ key.mT * (1 / sqrt(query.shape[-1]) if scale is None else scale)
        total = scores
        if is_causal:
            total = total.masked_fill(~causal(*scores.shape[-2:], start=0).to(scores.device), -torch.inf)
        if attn_mask is not None:
            boolean = attn_mask.dtype == torch.bool
            total = total.masked_fill(~attn_mask, -torch.inf) if boolean else total + attn_mask
        call = _call(total, weigh(total, total != -torch.inf), scores)  # NaN is no mask: it goes on, as in torch
        call.query, call.key, call.value = query, key, value
        self.tell(call)
        call.context = F.dropout(call.weights, dropout_p) @ value
        return call.context

    def fused(self, func: Any, args: tuple, kwargs: dict) -> Tensor:
        """`scaled_dot_product_attention`, which keeps no weights."""
        return self.attend(*args, **kwargs)

    def softmax(self, func: Any, args: tuple, kwargs: dict) -> Tensor:
        """A softmax over keys: over the last of four axes, or of [batch, tokens, tokens] where there is one head. The
        latter come from a product; else they may be anything, such as the shares of as many experts."""
        weights = func(*args, **kwargs)
        total = args[0] if args else kwargs["input"]
        axis = kwargs["dim"] if "dim" in kwargs else args[1]
        multiplied = self.product is not None and self.product[2] == total.shape
        square = weights.ndim == 3 and weights.shape[1] == weights.shape[2]
        square &= multiplied or self.contracted == total.shape
        if axis not in (-1, weights.ndim - 1) or not (weights.ndim == 4 or square):
            return weights
        call = _call(total.unsqueeze(1) if square else total, weights.unsqueeze(1) if square else weights)
        if self.product is not None and multiplied:
            query, key = self.product[0], self.product[1].mT
            call.query, call.key = (query.unsqueeze(1), key.unsqueeze(1)) if square else (query, key)
        self.tell(call)
        return call.weights.squeeze(1) if square else call.weights

    def multiply(self, func: Any, args: tuple, kwargs: dict) -> Tensor:
        """A product: of queries and keys, or of weights and values."""
        result = func(*args, **kwargs)
        if len(args) != 2:
            return result
        left, right = args
        call = self.call
        if call is not None and call.context is None and left.numel() == call.weights.numel():
            square = left.ndim == 3
            if left.shape == (call.weights.squeeze(1) if square else call.weights).shape:
                call.value, call.context = (right.unsqueeze(1), result.unsqueeze(1)) if square else (right, result)
                return result
        self.product = left, right, result.shape
        return result

    def contract(self, func: Any, args: tuple, kwargs: dict) -> Tensor:
        """A sum of products: perhaps of queries and keys, though which axis is which is not known."""
        result = func(*args, **kwargs)
        self.contracted = result.shape
        return result

    def linear(self, func: Any, args: tuple, kwargs: dict) -> Tensor:
        """A linear map: perhaps the one that takes the heads side by side."""
        result = func(*args, **kwargs)
        named = {**dict(zip(("input", "weight", "bias"), args, strict=False)), **kwargs}
        self.map(named["input"], named["weight"], named.get("bias"))
        return result

    def linear_in_out(self, func: Any, args: tuple, kwargs: dict) -> Tensor:
        """The same with a weight [in, out], as GPT-2 has it."""
        result = func(*args, **kwargs)
        if len(args) == 3 and not kwargs:
            bias, x, weight = args
            self.map(x, weight.mT, bias)
        return result

    def map(self, x: Tensor, weight: Tensor, bias: Tensor | None) -> None:
        """Tells of the map if what enters it is the last call's contexts."""
        context = None if self.call is None else self.call.context
        if context is None or x.numel() != context.numel():
            return
        if torch.equal(x.reshape(-1), context.transpose(1, 2).reshape(-1)):
            self.tell_map(weight, bias)

    def multihead(self, func: Any, args: tuple, kwargs: dict) -> Any:
        """torch's own attention with many heads: the same code, with our `scaled_dot_product_attention` in it. Where it
        is to return weights, a query without any key has NaN, as there."""
        given = inspect.signature(func).bind(*args, **kwargs)
        given.apply_defaults()
        wanted = given.arguments
        need_weights, wanted["need_weights"] = wanted["need_weights"], False
        attend = partial(self.attend, weigh=_plain) if need_weights else self.attend
        names = {**func.__globals__, "scaled_dot_product_attention": attend}
        output, _ = FunctionType(func.__code__, names, func.__name__, func.__defaults__)(*given.args, **given.kwargs)
        weights = None if self.call is None else self.call.weights
        if wanted["out_proj_weight"] is not None:
            self.tell_map(wanted["out_proj_weight"], wanted["out_proj_bias"])
        if not need_weights or weights is None:
            return output, None
        weights = weights.mean(dim=1) if wanted["average_attn_weights"] else weights
        return output, weights.squeeze(0) if wanted["query"].ndim == 2 else weights


def _plain(scores: Tensor, allowed: Tensor) -> Tensor:
    return scores.softmax(dim=-1)


def _call(total: Tensor, weights: Tensor, scores: Tensor | None = None) -> Call:
    """total: the scores with the mask in them, as -inf or as the lowest number."""
    allowed = ~(total <= torch.finfo(total.dtype).min / 2)  # NaN is allowed
    whole = bool(allowed.all())
    scores = total if whole else total.where(allowed, -torch.inf if scores is None else scores)
    return Call(scores, weights, None if whole else allowed)


_HEARD: dict[Any, Callable[[_Listening, Any, tuple, dict], Any]] = {
    F.scaled_dot_product_attention: _Listening.fused,
    F.multi_head_attention_forward: _Listening.multihead,
    F.linear: _Listening.linear,
    torch.addmm: _Listening.linear_in_out,
    torch.einsum: _Listening.contract,
    **dict.fromkeys((F.softmax, torch.softmax, Tensor.softmax), _Listening.softmax),
    **dict.fromkeys((torch.matmul, Tensor.matmul, Tensor.__matmul__, torch.bmm, Tensor.bmm), _Listening.multiply),
}
"""Function of torch -> what hears it: `(listening, function, args, kwargs) -> what the function returns`."""
