"""Tables from names to what they stand for: the project's dropdowns, comparisons and tests iterate over them."""

from collections.abc import Callable
from functools import partial
from typing import NoReturn

from attnlab.checks import checked


class Table(dict):
    """A dict that answers an unknown name with a ValueError that lists the names it knows."""

    def __missing__(self, name: object) -> NoReturn:
        raise ValueError(f"expected one of {', '.join(self)}; got {name!r}")


@checked
def name_of(function: Callable) -> str:
    """What a function is called, the same in every process: `gelu`, `gelu(approximate='tanh')` for a `partial`, and for
    an object the name of its class."""
    if isinstance(function, partial):
        named = [f"{name}={value!r}" for name, value in function.keywords.items()]
        return f"{name_of(function.func)}({', '.join([*map(repr, function.args), *named])})"
    return getattr(function, "__name__", type(function).__name__)
