"""A script: what attnlab does in a process of its own, where nothing was imported before and no shapes are checked.

It prints what it has found as JSON. One process answers all such questions, for torch alone takes seconds to import;
so the questions stand in the order in which one does not disturb the next.
"""

import hashlib
import importlib
import inspect
import io
import json
import pkgutil
import sys
import time
from contextlib import redirect_stdout

JUPYTER = ("IPython", "ipywidgets", "anywidget", "plotly", "jupyter_core", "jupyter_server", "jupyterlab", "tornado")


def generated_unasked() -> list[str]:
    """What of the data, and of the modules that only data needs, is there when tasks are made and not yet used."""
    from attnlab.tasks import TASKS

    held = set().union(sys.modules, *(vars(make()) for make in TASKS.values()))
    return sorted(held & {"test", "_pool", "_all", "_split", "tokenizers", "pydoc_data"})


COMPILER = {"sympy", "torch._dynamo"}


def compiler_unasked() -> list[str]:
    """What of torch's compiler, and of graphs, is there when attention has been computed, with a mask, and analysis is
    at hand."""
    import torch

    from attnlab import attend

    importlib.import_module("attnlab.analysis")
    x = torch.eye(3)
    attend(x, x, x, mask=x > 0)
    return sorted((COMPILER | {"networkx"}) & set(sys.modules))


def seconds_of_dates() -> tuple[float, float, float]:
    """To generate all pairs and read one text, to read one more, and to write a million texts; in processor time."""
    import torch
    from yardstick import a_million_texts

    from attnlab.tasks import Dates

    task, start = Dates(), time.process_time()
    task.batch(3, torch.Generator())
    task.recognise("no date at all")
    made = time.process_time() - start
    for _ in range(10):
        task.recognise("no date at all")
    read = (time.process_time() - start - made) / 10
    return made, read, a_million_texts()


def fingerprints() -> dict[str, str]:
    """Of the data of every task, and of the byte pairs of a text."""
    from attnlab.tasks import TASKS, BytePairs, Text

    made = [make() if name in ("names", "serbian") else make(pairs=1_000) for name, make in TASKS.items()]
    data = [(task.pairs(), task.test, task.source_vocabulary, task.target_vocabulary) for task in made]
    text = Text.python_reference(BytePairs)
    drawn = {"tasks": data, "byte pairs": (text.vocabulary, text.training.tolist())}
    return {name: hashlib.sha256(repr(value).encode()).hexdigest() for name, value in drawn.items()}


def modules_of_all() -> list[str]:
    """All modules that are there when all of attnlab is imported."""
    import attnlab

    for _, name, _ in pkgutil.walk_packages(attnlab.__path__, "attnlab."):
        if "__main__" not in name:
            importlib.import_module(name)
    return [*sys.modules]


def functions_without_checks() -> list[str]:
    """What is public and is called without a look at what it is given. (`jaxtyped` around all would hide it.)"""
    import fuzz

    from attnlab import checks

    called = {name: thing.__init__ if isinstance(thing, type) else thing for name, thing in fuzz.public().items()}
    # What `cache` keeps has no code of its own.
    called = {name: inspect.unwrap(thing, stop=lambda f: hasattr(f, "__code__")) for name, thing in called.items()}
    return [name for name, function in called.items() if function.__code__.co_filename != checks.__file__]


def compiler_to_train() -> list[str]:
    """What of torch's compiler is there when models were trained, and their optimisers saved and loaded."""
    import torch

    from attnlab import fit
    from attnlab.optimisers import adamw, muon

    for optimiser in (adamw, muon):
        model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 1))
        list(fit(model, lambda _, model=model: model(torch.eye(3)).mean(), 2, optimiser=optimiser))
        moving = optimiser(model, 0.1)
        moving.load_state_dict(moving.state_dict())
    return sorted(COMPILER & set(sys.modules))


def report_without_jupyter() -> tuple[int, str]:
    """The installation report, its exit code and its text, where there is no Jupyter."""
    sys.modules.update(dict.fromkeys(JUPYTER))
    from attnlab.__main__ import main

    with redirect_stdout(io.StringIO()) as text:
        return main(), text.getvalue()


if __name__ == "__main__":
    QUESTIONS = (
        generated_unasked,
        compiler_unasked,
        seconds_of_dates,
        fingerprints,
        modules_of_all,
        functions_without_checks,
        compiler_to_train,
        report_without_jupyter,
    )
    print(json.dumps({question.__name__: question() for question in QUESTIONS}))
