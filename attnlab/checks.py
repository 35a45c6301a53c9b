"""What a function may be given: read from its annotations and checked here, so that no function checks it by itself.

`@checked` stands above every public function and class of the mechanisms and their analysis; what learners hand in is
looked at by `exercises`, in its own terms. Before a call it looks at the kind of each argument, and at the range that a
name such as `Size` or `Share` stands for; of a tensor at dtype and number of axes. It does not look at sizes: torch
does, and only when a call fails in torch are the dtypes, devices and shapes compared with each other and with the
annotations, to say what does not fit. So a call that is right pays for a look at its types and no more.

All complaints are a ValueError in one sentence that quotes what was expected and what came.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from math import inf
from numbers import Integral, Real
from pathlib import Path
from reprlib import repr as shortened
from traceback import walk_tb
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

import torch
from jaxtyping import AbstractArray, jaxtyped
from torch import Tensor, nn

PAD = 0  # the token that fills shorter rows up: in no loss, and not compared


class Range(NamedTuple):
    """Which numbers are meant, in words and as a function."""

    words: str
    holds: Callable[[Any], bool]


Size = Annotated[int, Range("of at least 1", lambda number: number >= 1)]
Count = Annotated[int, Range("of 0 or more", lambda number: number >= 0)]
Positive = Annotated[int | float, Range("above 0", lambda number: 0 < number < inf)]
NotNegative = Annotated[int | float, Range("of 0 or more", lambda number: 0 <= number < inf)]
Share = Annotated[int | float, Range("from 0 to 1", lambda number: 0 <= number <= 1)]

Checked = TypeVar("Checked", bound=Callable[..., Any])


def checked(thing: Checked) -> Checked:
    """The function, or the class with its public methods, after whose name nothing is accepted that does not fit."""
    if not isinstance(thing, type):
        return _checked(thing)
    for name, member in list(vars(thing).items()):
        if name == "__init__" or not name.startswith("_"):
            if inspect.isfunction(member):
                setattr(thing, name, _checked(member))
            elif isinstance(member, classmethod):
                setattr(thing, name, classmethod(_checked(member.__func__)))
    return thing


def check_ids(ids: Tensor, vocabulary: int, what: str) -> None:
    """Raises ValueError for a token that is not from 0 to `vocabulary` - 1; `what` names the tokens in the sentence."""
    if ids.numel() and not (int(ids.min()) >= 0 and int(ids.max()) < vocabulary):
        wrong = ids[(ids < 0) | (ids >= vocabulary)]
        raise ValueError(f"expected {what} from 0 to {vocabulary - 1}, got {wrong[0].item()}")


def check_targets(target: Tensor) -> None:
    """Raises ValueError unless one row or more has a token after its first one."""
    if target.ndim != 2 or not bool((target[:, 1:] != PAD).any()):
        raise ValueError(
            f"expected targets [batch, target] with a token to foretell after the first, got shape {list(target.shape)}"
        )


def check_lengths(lengths: Tensor, batch: int, longest: int) -> None:
    """Raises ValueError unless there is one length for each sequence, from 1 to `longest`."""
    if not batch:
        raise ValueError("expected at least one sequence, got none")
    if not (list(lengths.shape) == [batch] and int(lengths.min()) >= 1 and int(lengths.max()) <= longest):
        raise ValueError(f"expected {batch} lengths from 1 to {longest}, got {lengths.tolist()}")


def check_pixels(pictures: Tensor, what: str = "pictures") -> None:
    """Raises ValueError for a number that is not from 0 to 1, with help where bytes were meant.

    For all that takes pictures as they are: data, explorers, and the models that are trained here alone.
    """
    _check_range(pictures, (pictures > -1e-3) & (pictures < 1.001), f"{what} of numbers from 0 to 1")


def check_prepared(pictures: Tensor, what: str = "pictures") -> None:
    """Raises ValueError for a number beyond -10 to 10, which no picture has, with help where bytes were meant.

    For models that may hold the weights of others: their pictures have a mean taken out and are divided by a spread,
    in a way that only the weights know, so numbers below 0 and above 1 are right there. Those of ImageNet's photographs
    lie between -2.2 and 2.7.
    """
    _check_range(pictures, pictures.abs() <= 10, f"{what} of numbers from 0 to 1, or prepared as the weights need it")


def _check_range(pictures: Tensor, good: Tensor, expected: str) -> None:
    """good: which numbers are in the range; NaN never is."""
    if not bool(good.all()):
        wrong = pictures[~good]
        bytes_ = "; divide bytes by 255" if 1 < wrong.max() <= 255 else ""
        raise ValueError(f"expected {expected}, got {wrong[0].item():.4g}{bytes_}")


# What one argument may be


class Kind(NamedTuple):
    """fits: whether a value is of this kind. words: what is expected, with {} where the argument's name goes, and
    {of_true} where it is said what True means, if the name tells."""

    fits: Callable[[Any], bool]
    words: str


ANYTHING = Kind(lambda value: True, "{}")
MASKS = ("mask", "memory_mask", "allowed")  # the names of arguments in which True means: may attend


def kind(hint: Any) -> Kind:
    """The kind that an annotation stands for. Of what it cannot tell, such as the items of an iterator, all fits."""
    origin, inside = get_origin(hint), get_args(hint)
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    if isinstance(hint, TypeVar):
        return kind(hint.__bound__ or Any)
    if isinstance(hint, type) and issubclass(hint, AbstractArray):
        return _tensor(hint)
    if origin is Annotated:
        return _ranged(kind(inside[0]), hint.__metadata__[0])
    if origin in (Union, UnionType):
        return _one_of([kind(part) for part in inside])
    if origin is Callable or hint is Callable:
        return Kind(callable, "{} to be something that can be called")
    if isinstance(origin, type) and issubclass(origin, Iterable):
        return _collection(origin, inside)
    if isinstance(hint, type) and not getattr(hint, "_is_protocol", False):
        return Kind(lambda value: isinstance(value, hint), f"{{}} to be a {hint.__name__}")
    return ANYTHING


def _whole(value: Any) -> bool:
    if type(value) is int:
        return True
    if isinstance(value, Tensor):
        return value.ndim == 0 and not value.dtype.is_floating_point and value.dtype != torch.bool
    return isinstance(value, Integral) and not isinstance(value, bool)


def _number(value: Any) -> bool:
    """Also a tensor of one number. NaN is let through here: only a range can refuse it, and a function itself."""
    if isinstance(value, Tensor):
        return value.ndim == 0
    return isinstance(value, Real) and not isinstance(value, bool)


_SIMPLE: dict[Any, Kind] = {
    int: Kind(_whole, "{} to be a whole number"),
    float: Kind(_number, "{} to be a number"),
    bool: Kind(lambda value: isinstance(value, bool), "{} to be True or False"),
    str: Kind(lambda value: isinstance(value, str), "a text for {}"),
    Tensor: Kind(lambda value: isinstance(value, Tensor), "{} to be a tensor"),
    NoneType: Kind(lambda value: value is None, "no {}"),
    Any: ANYTHING,
    object: ANYTHING,
    inspect.Parameter.empty: ANYTHING,
}


def _tensor(hint: Any) -> Kind:
    dtypes = frozenset(getattr(torch, name) for name in hint.dtypes if hasattr(torch, name))
    if torch.bool in dtypes:
        words = "a boolean {}{of_true}"
    else:
        words = f"{{}} to be a tensor of {'real' if torch.float32 in dtypes else 'whole'} numbers {_axes(hint)}"
    names = hint.dim_str.split()
    axes = sum(not name.startswith(("*", "...")) for name in names)
    if axes < len(names):
        return Kind(lambda value: isinstance(value, Tensor) and value.dtype in dtypes and value.ndim >= axes, words)
    return Kind(lambda value: isinstance(value, Tensor) and value.dtype in dtypes and value.ndim == axes, words)


def _axes(hint: Any) -> str:
    """`"*#batch queries dim"` -> `[..., queries, dim]`."""
    names = ("..." if name.startswith(("*", "...")) else name.lstrip("#") for name in hint.dim_str.split())
    return f"[{', '.join(names)}]"


def _ranged(base: Kind, numbers: Range) -> Kind:
    words = f"{base.words} {numbers.words}" if base is _SIMPLE[int] else f"{{}} {numbers.words}"
    return Kind(lambda value: base.fits(value) and bool(numbers.holds(value)), words)


def _one_of(kinds: list[Kind]) -> Kind:
    """None is not offered: who gives something does not want nothing. A whole number is a number."""
    kinds = [kind for kind in kinds if kind is not _SIMPLE[int] or _SIMPLE[float] not in kinds]
    first, *others = (kind.words for kind in kinds if kind is not _SIMPLE[NoneType])
    words = " or ".join([first, *(other.removeprefix("{} to be ").replace("{}", "one") for other in others)])
    tests = [kind.fits for kind in kinds]
    if len(tests) == 1:
        return kinds[0]
    if len(tests) == 2 and _SIMPLE[NoneType] in kinds:
        (fits,) = (kind.fits for kind in kinds if kind is not _SIMPLE[NoneType])
        return Kind(lambda value: value is None or fits(value), words)
    return Kind(lambda value: any(fits(value) for fits in tests), words)


def _collection(origin: Any, inside: tuple[Any, ...]) -> Kind:
    """Items are looked at where that does not use them up. A tensor is no collection: its items are tensors."""
    words = f"{{}} to be a {origin.__name__.lower()}"
    if issubclass(origin, Mapping) and len(inside) == 2:
        keys, values = map(kind, inside)
        return Kind(
            lambda value: (
                isinstance(value, origin) and all(map(keys.fits, value)) and all(map(values.fits, value.values()))
            ),
            words,
        )
    if origin is tuple and Ellipsis not in inside:
        kinds = list(map(kind, inside))
        return Kind(
            lambda value: (
                isinstance(value, tuple | list)
                and len(value) == len(kinds)
                and all(part.fits(item) for part, item in zip(kinds, value, strict=True))
            ),
            f"{words} of {len(kinds)}",
        )
    item = kind(inside[0]) if inside else ANYTHING
    if item is ANYTHING:
        return Kind(lambda value: isinstance(value, origin) and not isinstance(value, Tensor), words)
    words += item.words.replace("{} to be a", " of").replace("a text for {}", " of texts").replace("{}", " ")
    return Kind(
        lambda value: (
            isinstance(value, origin)
            and not isinstance(value, Tensor)
            and (iter(value) is value or all(map(item.fits, value)))
        ),
        words,
    )


# A call


class Expected(NamedTuple):
    """What one argument may be, and this in words with the argument's name."""

    fits: Callable[[Any], bool]
    words: str


def _checked(function: Any) -> Any:
    expected: list[Any] = []  # by place, of what stands behind a star, and by name: known when first needed

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        by_place, more, by_name = expected or _expected(function, expected)
        for place, value in enumerate(arguments):
            one = by_place[place] if place < len(by_place) else more
            if one is not None and not one.fits(value):
                raise ValueError(_complaint(one, value))
        for name in named:
            one = by_name.get(name)
            if one is not None and not one.fits(named[name]):
                raise ValueError(_complaint(one, named[name]))
        try:
            return function(*arguments, **named)
        except (RuntimeError, IndexError, ValueError) as error:
            misfit = _misfit(function, arguments, named, error) if _failed_here(error) else None
            if misfit is None:
                raise
            raise ValueError(misfit) from error

    return call


def _expected(function: Any, expected: list[Any]) -> list[Any]:
    """None for an argument that may be anything, such as `self`: most calls are short, and a question costs time."""
    hints = get_type_hints(inspect.unwrap(function), include_extras=True)
    by_place: list[Expected | None] = []
    more, by_name = None, {}
    for name, parameter in inspect.signature(function).parameters.items():
        meant = kind(hints.get(name, Any))
        words = meant.words.format(name, of_true=" (True = may attend)" if name in MASKS else "")
        one = None if meant is ANYTHING else Expected(meant.fits, words)
        if parameter.kind is parameter.VAR_POSITIONAL:
            more = one
        elif parameter.kind is not parameter.VAR_KEYWORD:
            by_name[name] = one
            if parameter.kind is not parameter.KEYWORD_ONLY:
                by_place.append(one)
    expected[:] = by_place, more, by_name
    return expected


def _complaint(expected: Expected, value: Any) -> str:
    return f"expected {expected.words}, got {_shown(value)}"


def _shown(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{value.dtype} of shape {list(value.shape)}"
    if value is None or isinstance(value, Real):
        return repr(value)
    return f"{type(value).__name__} {shortened(value)}"


# A call that failed in torch


TORCH, HERE = str(Path(torch.__file__).parent), str(Path(__file__).parent)


def _failed_here(error: Exception) -> bool:
    """Whether it was a line of attnlab that asked torch for it, and not a function that somebody else has given.

    A ValueError counts where torch's own Python has raised it: those of attnlab say what is wrong by themselves.
    """
    asked = [frame.f_code.co_filename for frame, _ in walk_tb(error.__traceback__)]
    if isinstance(error, ValueError) and not asked[-1].startswith(TORCH):
        return False
    return next(file for file in reversed(asked) if not file.startswith(TORCH)).startswith(HERE)


def _misfit(function: Any, arguments: tuple, named: dict[str, Any], error: Exception) -> str | None:
    """What in these arguments does not fit, or None where the mistake lies elsewhere."""
    given = inspect.signature(function).bind(*arguments, **named).arguments
    tensors = dict(_tensors(given))
    real = {name: tensor for name, tensor in tensors.items() if tensor.is_floating_point()}
    dtypes = {f"{name} of {tensor.dtype}": tensor.dtype for name, tensor in real.items()}
    devices = {f"{name} on {tensor.device}": tensor.device for name, tensor in tensors.items()}
    if len(set(dtypes.values())) > 1:
        return f"expected tensors of one dtype, got {', '.join(dtypes)}"
    if len(set(devices.values())) > 1:
        return f"expected tensors on one device, got {', '.join(devices)}"
    ids = {name: tensor for name, tensor in tensors.items() if tensor.dtype == torch.long and tensor.numel()}
    if ids and (isinstance(error, IndexError) or "bounds" in str(error)):
        listed = ", ".join(f"{name} from {int(tensor.min())} to {int(tensor.max())}" for name, tensor in ids.items())
        return f"expected ids that stand in the tables, got {listed}"
    hints = get_type_hints(inspect.unwrap(function), include_extras=True)
    arrays = {name: _array(hints[name]) for name in tensors if name in hints and _array(hints[name])}
    with jaxtyped("context"):
        fit = all(isinstance(tensors[name], hint) for name, hint in arrays.items())
    shown = ", ".join(f"{name} {list(tensor.shape)}" for name, tensor in tensors.items())
    if fit and tensors and re.search("size|shape|dim", str(error)):
        return f"expected tensors of the sizes that {function.__qualname__} was made for, got {shown}"
    if fit:
        return None
    wanted = ", ".join(f"{name} {_axes(hint)}" for name, hint in arrays.items())
    return f"expected shapes that fit together, {wanted}; got {shown}"


def _tensors(given: Mapping[str, Any]) -> Iterable[tuple[str, Tensor]]:
    """Those that were given, by name; of a module, one of its parameters."""
    for name, value in given.items():
        if isinstance(value, Tensor):
            yield name, value
        elif isinstance(value, nn.Module):
            yield from ((f"a parameter of {name}", parameter) for parameter in list(value.parameters())[:1])
        elif isinstance(value, tuple) and hasattr(value, "_fields"):
            parts = zip(value._fields, value, strict=True)
            yield from ((f"{name}.{field}", part) for field, part in parts if isinstance(part, Tensor))


def _array(hint: Any) -> Any:
    """The annotated shape, also where it is one of several choices."""
    found = [part for part in (hint, *get_args(hint)) if isinstance(part, type) and issubclass(part, AbstractArray)]
    return found[0] if found else None
