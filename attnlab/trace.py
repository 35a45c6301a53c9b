"""See what every part inside a model was given and made of it, or change what attention does, without changing the
model."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import is_dataclass
from difflib import get_close_matches
from functools import partial
from itertools import count
from typing import Any

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pad_packed_sequence

from attnlab.attention import Attention
from attnlab.blocks import FeedForward
from attnlab.checks import Count, checked
from attnlab.multihead import Heads, MultiHeadAttention
from attnlab.other_models import Call, listening, may_attend
from attnlab.positions import Positions
from attnlab.seq2seq import Encoder, LookBack, Memory
from attnlab.vision.captioner import GridEncoder

# Recording


@checked
class Trace:
    """What `record` heard, without gradients: every `Attention` by module, and tensors by name.

    A tensor's name is `module/suffix`. Where a module was called several times, `module#2/suffix` is of its third call.

    - `/in`, `/out`: the first tensor that the module was given, and the first that it returned.
    - `/q`, `/k`, `/v`: queries, keys and values as they enter the score, [batch, heads, tokens, head_dim]: turned by
      the positions, those of the cache included. Of a decoder that looks back: its state, the keys as its score wants
      them, and the encoder's states, [batch, tokens, dim].
    - `/scores`, `/weights`, `/context`: the parts of its `Attention`. `/mask`: True = may attend, where it was given
      one; it broadcasts to the scores.
    - `/adds`: what each head adds to the stream, [batch, heads, queries, dim]: its context through its own columns of
      the output map, whose bias is a part of the sum by itself, `/bias` [dim]. Of positions: what they add to the
      embeddings.
    - `/hidden`: the numbers between the two maps of a feed-forward network, after the activation; of a recurrent
      encoder the summary that its decoder starts from, of a grid the mean of its states.

    They are the model's own tensors, not copies, and take memory until the trace is gone.
    """

    def __init__(self) -> None:
        self._attentions: dict[str, list[Attention]] = {}
        self._tensors: dict[str, Tensor] = {}
        self._calls: dict[str, int] = {}

    @property
    def names(self) -> list[str]:
        """The modules that attended, in the order in which they first did."""
        return list(self._attentions)

    def __getitem__(self, name: str) -> list[Attention]:
        """All calls of one module. Raises ValueError when nothing of that name attended."""
        if name not in self._attentions:
            raise ValueError(f"nothing called {name!r} attended while recording; expected one of {self.names}")
        return self._attentions[name]

    @property
    def tensors(self) -> list[str]:
        """The names of all tensors, in the order in which they were heard."""
        return list(self._tensors)

    def tensor(self, name: str) -> Tensor:
        """`trace.tensor("blocks.1.attention/adds")`. Raises ValueError for a name that was not heard."""
        if name not in self._tensors:
            raise ValueError(f"expected {self._heard_beside(name)}, got {name!r}")
        return self._tensors[name]

    def calls(self, name: str) -> list[Tensor]:
        """The tensors of this name of all calls that had one, in order, such as a decoder's states, one a step.

        name: without a number. Raises ValueError for a name that was not heard.
        """
        module, _, suffix = name.rpartition("/")
        of_calls = (f"{called(module, call)}/{suffix}" for call in range(self._calls.get(name, 0)))
        found = [self._tensors[one] for one in of_calls if one in self._tensors]
        if not found:
            raise ValueError(f"expected {self._heard_beside(name)}, without a number, got {name!r}")
        return found

    @property
    def not_numbers(self) -> list[str]:
        """The tensors that hold a NaN, in the order in which they were heard: the first says where it began."""
        return [name for name, tensor in self._tensors.items() if bool(tensor.isnan().any())]

    def keep(self, name: str, suffix: str, tensor: Tensor | None) -> None:
        """Adds one tensor of the module `name`, under the number of this call. For entries of `_LISTEN`.

        tensor: None where this call has none of this suffix, such as a mask; the next call has the next number.
        """
        call = self._calls.get(f"{name}/{suffix}", 0)
        self._calls[f"{name}/{suffix}"] = call + 1
        if tensor is not None:
            self._tensors[f"{called(name, call)}/{suffix}"] = tensor.detach()

    def attended(self, name: str, attention: Attention) -> None:
        """Adds what one call of the module `name` attended to. For entries of `_LISTEN`."""
        kept = Attention(*(part.detach() for part in attention))
        self._attentions.setdefault(name, []).append(kept)
        for suffix, tensor in kept._asdict().items():
            self.keep(name, suffix, tensor)

    def __repr__(self) -> str:
        calls = ", ".join(f"{name!r}: {len(heard)} calls" for name, heard in self._attentions.items())
        return f"Trace({calls or 'nothing attended'})"

    def _heard_beside(self, name: str) -> str:
        if not self._tensors:
            return "the model to run inside `record`, which heard nothing"
        module = name.rpartition("/")[0]
        own = [known for known in self._tensors if known.rpartition("/")[0] == module]
        return f"a tensor that was heard, such as {own or get_close_matches(name, self._tensors, 5, 0.0)}"


@checked
def called(name: str, call: Count) -> str:
    """The name of one call of a module: "cell" for the first, "cell#1" for the second, ..."""
    return f"{name}#{call}" if call else name


@checked
@contextmanager
def record(model: nn.Module) -> Iterator[Trace]:
    """`with record(model) as trace:` keeps the `Attention` of every `MultiHeadAttention` inside `model`, and every
    `Attention` that another module returns; and by name the tensors of every module, see `Trace`.

    In a model of another library it hears the attention of every module that calls torch's
    `scaled_dot_product_attention`, or a softmax over keys, whoever wrote it: see `other_models.py`.
    `trace["decoder.attention"]` is the list of calls of that module, `trace.tensor("blocks.0.feed_forward/hidden")` one
    tensor. A module that stands in several places is heard under the first of its names. It costs nothing outside of
    the block.
    """
    trace = Trace()
    with ExitStack() as stack:
        for name, module in model.named_modules():
            for kind, listen in _LISTEN.items():
                if isinstance(module, kind):
                    stack.callback(listen(module, name, trace))
        stack.enter_context(
            listening(model, hear=partial(_keep_call, trace), hear_map=partial(_keep_what_heads_add, trace))
        )
        yield trace


@checked
@contextmanager
def record_weights(model: nn.Module) -> Iterator[list[tuple[str, Tensor]]]:
    """As `record`, but the weights alone, in the order in which they were used: `(name of the module, [batch, heads,
    queries, keys])`. For models whose tensors together would not fit into the memory."""
    heard: list[tuple[str, Tensor]] = []

    def returned(name: str, module: nn.Module, given: tuple, output: object) -> None:
        if isinstance(output, Attention):
            weights = output.weights.detach()
            heard.append((name, weights if weights.ndim == 4 else weights.unsqueeze(1)))

    with ExitStack() as stack:
        for name, module in model.named_modules():
            if isinstance(module, MultiHeadAttention):
                hear = partial(_weights, heard, name)
                module.listeners.append(hear)
                stack.callback(module.listeners.remove, hear)
            else:
                stack.callback(module.register_forward_hook(partial(returned, name)).remove)
        stack.enter_context(listening(model, hear=lambda name, call: heard.append((name, call.weights.detach()))))
        yield heard


def _weights(heard: list[tuple[str, Tensor]], name: str, heads: Heads) -> None:
    heard.append((name, heads.attention.weights.detach()))


@checked
def naming_nan(model: nn.Module, run: Callable[[], Any]) -> Any:
    """What `run()` gives. Where it raises a ValueError because of a NaN inside `model`, the one raised here names the
    first tensor that holds one: `run` is then called again, listened to."""
    try:
        return run()
    except ValueError as error:
        with record(model) as trace, suppress(ValueError):
            run()
        if not trace.not_numbers:
            raise
        raise ValueError(f"not a number: {trace.not_numbers[0]}, and so what comes after it; {error}") from None


# What is heard of each kind of module


def _in_and_out(module: nn.Module, name: str, trace: Trace) -> Callable[[], None]:
    def hear(module: nn.Module, given: tuple, named: dict, output: object) -> None:
        if isinstance(output, Attention):
            trace.attended(name, output)
        for suffix, value in (("in", (given, named)), ("out", output)):
            trace.keep(name, suffix, _first(value))

    return module.register_forward_hook(hear, with_kwargs=True).remove


def _heads(module: MultiHeadAttention, name: str, trace: Trace) -> Callable[[], None]:
    def hear(heads: Heads) -> None:
        trace.keep(name, "q", heads.query)
        trace.keep(name, "k", heads.key)
        trace.keep(name, "v", heads.value)
        trace.keep(name, "mask", heads.mask)
        trace.attended(name, heads.attention)
        _adds(trace, name, heads.attention.context, module.output.weight, module.output.bias)

    module.listeners.append(hear)
    return partial(module.listeners.remove, hear)


def _adds(trace: Trace, name: str, context: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    """What each head adds through its columns of the output map [dim, heads * head_dim]."""
    columns = weight.detach().unflatten(1, (context.shape[1], -1))  # [dim, heads, head_dim]
    trace.keep(name, "adds", context.detach() @ columns.permute(1, 2, 0))
    if bias is not None:
        trace.keep(name, "bias", bias.detach().clone())


def _keep_call(trace: Trace, name: str, call: Call) -> None:
    for suffix, tensor in (("q", call.query), ("k", call.key), ("v", call.value), ("mask", call.mask)):
        trace.keep(name, suffix, tensor)
    trace.attended(name, call.attention)


def _keep_what_heads_add(trace: Trace, name: str, call: Call, weight: Tensor, bias: Tensor | None) -> None:
    if call.context is not None:
        _adds(trace, name, call.context, weight, bias)


def _hidden(module: FeedForward, name: str, trace: Trace) -> Callable[[], None]:
    def hear(contract: nn.Module, given: tuple[Tensor]) -> None:
        trace.keep(name, "hidden", given[0])

    return module.contract.register_forward_pre_hook(hear).remove


def _added(module: Positions, name: str, trace: Trace) -> Callable[[], None]:
    def hear(module: nn.Module, given: tuple, named: dict, output: Tensor) -> None:
        trace.keep(name, "adds", output.detach() - _first((given, named)).detach())

    return module.register_forward_hook(hear, with_kwargs=True).remove


def _look_back(module: LookBack, name: str, trace: Trace) -> Callable[[], None]:
    def hear(module: nn.Module, given: tuple, named: dict, output: Attention) -> None:
        by_name = {**dict(zip(("query", "memory"), given, strict=False)), **named}
        memory = by_name["memory"]
        trace.keep(name, "q", by_name["query"])
        trace.keep(name, "k", memory.projected)
        trace.keep(name, "v", memory.keys)
        trace.keep(name, "mask", memory.mask.unsqueeze(1))

    return module.register_forward_hook(hear, with_kwargs=True).remove


def _summary(module: Encoder | GridEncoder, name: str, trace: Trace) -> Callable[[], None]:
    def hear(module: nn.Module, given: tuple, output: Memory) -> None:
        trace.keep(name, "hidden", output.summary)

    return module.register_forward_hook(hear).remove


_LISTEN: dict[type[nn.Module], Callable[[Any, str, Trace], Callable[[], None]]] = {
    nn.Module: _in_and_out,
    MultiHeadAttention: _heads,
    FeedForward: _hidden,
    Positions: _added,
    LookBack: _look_back,
    Encoder: _summary,
    GridEncoder: _summary,
}
"""Kind of module -> function `(module, name, trace)` that begins to listen and returns what ends it.

A module is heard by every entry that it is an instance of. Models of other libraries: `other_models.py`.
"""


def _first(value: Any) -> Any:
    """The first tensor in what a module was given or returned; a packed sequence as [batch, tokens, dim]."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, PackedSequence):
        return pad_packed_sequence(value, batch_first=True)[0]
    if is_dataclass(value) and not isinstance(value, type | Mapping):
        value = vars(value)
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, tuple | list):
        return next((tensor for tensor in map(_first, value) if tensor is not None), None)
    return None


# Changing


@checked
@contextmanager
def override(model: nn.Module, given: Mapping[str, Float[Tensor, "..."]]) -> Iterator[None]:
    """`with override(model, {"blocks.0.attention": weights}):` the attention of that name uses these weights.

    weights: numbers of 0 or more that broadcast to [batch, heads, queries, keys]; a row with a NaN is left to the
    model, and a head of zeros is switched off. Gradients do not reach the scores of replaced rows.
    Of a decoder that looks back they broadcast to [batch, steps, source], where the rows are those of the first steps;
    steps beyond the last row are left to it. A single number stands for all of them.
    A name stands for all calls of its module; "name#0" is the first of them alone, "name#1" the second. In a model of
    another library it is the name of the module that attends, as `record` hears it.
    Raises ValueError for a name that is no `MultiHeadAttention` or `LookBack` inside `model`, nor a module of another
    library, and for other numbers; the call that uses the weights raises it when they do not fit; and the end of the
    block, where a module of that name ran nothing that is heard as attention, or not as often.
    """
    attentions = {
        name: module for name, module in model.named_modules() if isinstance(module, MultiHeadAttention | LookBack)
    }
    others = may_attend(model)
    for name, weights in given.items():
        if name.partition("#")[0] not in {*attentions, *others}:
            raise ValueError(f"expected names out of {list(attentions) or others[:24]}, got {name!r}")
        if bool((weights < 0).any() | weights.isinf().any()):
            raise ValueError(f"expected weights of 0 or more, or NaN, for {name!r}, got {weights.tolist()}")
    to_others = {name: weights for name, weights in given.items() if name.partition("#")[0] not in attentions}
    with ExitStack() as stack:
        for name in [name for name in given if name not in to_others]:
            module = attentions[name.partition("#")[0]]
            stack.enter_context((_in_one_call if "#" in name else _in_all_calls)(module, name, given[name]))
        stack.enter_context(listening(model, to_others))
        yield


@contextmanager
def _in_all_calls(module: MultiHeadAttention | LookBack, name: str, weights: Tensor) -> Iterator[None]:
    kept, module.given = module.given, weights
    try:
        yield
    finally:
        module.given = kept


@contextmanager
def _in_one_call(module: MultiHeadAttention | LookBack, name: str, weights: Tensor) -> Iterator[None]:
    """In the call whose number the name ends with; ValueError at the end where the module ran, but not so often."""
    calls, kept, one = count(), [], name.partition("#")[2]

    def begin(*_: object) -> None:
        kept.append(module.given)
        if str(next(calls)) == one:
            module.given = weights

    def end(*_: object) -> None:
        module.given = kept.pop()

    with ExitStack() as stack:
        stack.callback(module.register_forward_pre_hook(begin).remove)
        # First what began last: where one module has several such calls, or blocks stand in each other.
        stack.callback(module.register_forward_hook(end, prepend=True, always_call=True).remove)
        yield
    ran = next(calls)
    if ran and one not in map(str, range(ran)):
        raise ValueError(f"nothing called {name!r} attended: {name.partition('#')[0]!r} ran {ran} times")
