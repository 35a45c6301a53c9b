"""The shapes in attnlab's signatures are checked at every call of the tests; here is how, and how to leave it out.

pytest's option `--jaxtyping-packages` puts `jaxtyping.jaxtyped` around every function. That binds the arguments by
`inspect` and has them checked before the call and again after it, even where no shape is in sight, which took a third
of the processor time of all tests. `jaxtyped` here checks the same things, each once, in the same context of axes.
"""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial, wraps
from typing import Any

import jaxtyping
from beartype import BeartypeConf, beartype

theirs = jaxtyping.jaxtyped
checked = beartype(conf=BeartypeConf(violation_type=jaxtyping.TypeCheckError))


def jaxtyped(thing=None, **typechecker):
    """`jaxtyping.jaxtyped`, in less time for functions. What is no function, or is a generator, is left to it."""
    if thing is None:
        return partial(jaxtyped, **typechecker)
    if not inspect.isfunction(thing) or inspect.isgeneratorfunction(thing):
        return theirs(thing, **typechecker)
    meanings = thing.__annotations__.values()
    if all(meant is Any for meant in meanings):
        return thing
    has_axes = any(isinstance(meant, str) or "jaxtyping" in repr(meant) for meant in meanings)
    if "<locals>" in thing.__qualname__ and not has_axes:
        # A hook, mostly: made for each module of a model at each run, and heard once. Its checks, a program each, took
        # longer than all the runs; what kinds of things it is given, mypy knows.
        return thing

    @cache
    def with_checks():
        """Made at the first call: beartype writes a program for it, and most tests call few functions."""
        annotations = dict(thing.__annotations__)
        made = checked(thing)
        thing.__annotations__ = annotations  # beartype has put objects of its own in the place of names in quotes
        return made

    @wraps(thing)
    def call(*arguments, **named):
        if jaxtyping.config.jaxtyping_disable:
            return thing(*arguments, **named)
        if not has_axes:
            return with_checks()(*arguments, **named)
        with theirs("context"):
            return with_checks()(*arguments, **named)

    return call


@contextmanager
def unchecked() -> Iterator[None]:
    """Within it no shapes are checked, and small calls are several times as fast.

    For what repeats calls that have been checked before: data generated a second time, a picture computed again.
    """
    before = jaxtyping.config.jaxtyping_disable
    jaxtyping.config.update("jaxtyping_disable", True)
    try:
        yield
    finally:
        jaxtyping.config.update("jaxtyping_disable", before)
