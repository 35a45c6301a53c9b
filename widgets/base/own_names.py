"""The code of a picture in the notebook's own words: what an explorer was made with has its name of the notebook."""

import ast
import sys
from collections.abc import Iterator, Mapping
from inspect import Parameter, signature
from types import ModuleType
from typing import Any

SHORT = 8  # things in a list that are looked at
NUMBERS = (int, float, bool, type(None))  # equal ones are one and the same thing in Python, whatever they are for


def notebook() -> dict[str, Any]:
    """What the cells of the notebook have defined, by name."""
    return vars(sys.modules["__main__"])


def given(cls: type, behind: tuple, named: Mapping[str, Any]) -> dict[str, Any]:
    """What `cls(*behind, **named)` was made with, by the names of its parameters; numbers are left out."""
    parameters = signature(cls).parameters
    found = signature(cls).bind_partial(*behind, **named).arguments
    return {
        name: thing
        for name, thing in found.items()
        if parameters[name].kind is Parameter.POSITIONAL_OR_KEYWORD and not isinstance(thing, NUMBERS)
    }


def in_own_names(code: str, given: Mapping[str, Any], names: Mapping[str, Any]) -> str:
    """`code` with the names of `given` replaced by those under which `names` has the same things.

    A name stays that the code sets itself, and that of a thing that `names` does not have.
    """
    others = {name: own for name, thing in given.items() if (own := own_name(name, thing, names)) != name}
    if not others:
        return code
    tree = ast.parse(code)
    within = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    read = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in within]
    set_here = {node.id for node in read if not isinstance(node.ctx, ast.Load)}
    lines = [line.encode() for line in code.split("\n")]  # Python counts columns in bytes
    for node in sorted(read, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        if node.id in others.keys() - set_here:
            line = lines[node.lineno - 1]
            lines[node.lineno - 1] = line[: node.col_offset] + others[node.id].encode() + line[node.end_col_offset :]
    return b"\n".join(lines).decode()


def own_name(name: str, thing: Any, names: Mapping[str, Any]) -> str:
    """How `names` call a thing: by a name, or by a part of what has one, `found.model`; `name` where they do not."""
    if names.get(name) is thing:
        return name
    for own, other in names.items():
        if other is thing and not own.startswith("_"):
            return own
    for own, other in names.items():
        if not own.startswith("_"):
            for part, of in parts_of(other):
                if of is thing:
                    return own + part
    return name


def parts_of(thing: Any) -> Iterator[tuple[str, Any]]:
    """What it holds, and how that is written behind its name: of a named tuple, a short list, a dict of names, and a
    module of ours."""
    if isinstance(thing, ModuleType) and thing.__name__.startswith("attnlab"):
        yield from ((f".{name}", part) for name, part in vars(thing).items())
    elif fields := getattr(type(thing), "_fields", ()):
        yield from ((f".{field}", getattr(thing, field)) for field in fields)
    elif isinstance(thing, dict):
        yield from ((f"[{name!r}]", part) for name, part in thing.items() if isinstance(name, str))
    elif isinstance(thing, (list, tuple)) and len(thing) <= SHORT:
        yield from ((f"[{place}]", part) for place, part in enumerate(thing))
