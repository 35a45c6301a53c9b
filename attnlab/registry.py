"""Tables from names to what they stand for: the project's dropdowns, comparisons and tests iterate over them."""

from typing import NoReturn


class Table(dict):
    """A dict that answers an unknown name with a ValueError that lists the names it knows."""

    def __missing__(self, name: object) -> NoReturn:
        raise ValueError(f"expected one of {', '.join(self)}; got {name!r}")
