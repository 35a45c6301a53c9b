"""What a learner could paste: the functions of a lesson's page, tried as solutions of the exercises that come later."""

import ast
import re
from collections.abc import Callable, Iterator
from itertools import permutations

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, judge

MOST_ORDERS = 5  # arguments whose orders are all tried
FOLDED = re.compile(r'`check\("([^"]+)", (?:\w+|\.\.\.)\)`')  # an exercise for another day, in a text


def definitions(tree: ast.Module) -> list[ast.stmt]:
    """What can be run of a cell without its lesson: imports, functions, classes, and names for plain values."""
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    return [
        node
        for node in tree.body
        if isinstance(node, kinds)
        or (isinstance(node, ast.Assign) and not any(isinstance(part, ast.Call) for part in ast.walk(node.value)))
    ]


def pasted(notebook) -> Iterator[tuple[str, str, Callable]]:
    """(exercise, name of a function, function) for each exercise of a lesson and each function written above it."""
    scope: dict = {}
    written: dict[str, Callable] = {}
    for cell in notebook.cells:
        if cell.cell_type != "code":
            for name in FOLDED.findall(cell.source):
                yield from ((name, function, found) for function, found in written.items())
            continue
        tree = ast.parse(cell.source)
        asked = [
            node.args
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "check"
        ]
        for name, *_ in asked:
            yield from ((ast.literal_eval(name), function, found) for function, found in written.items())
        stubs = {ast.unparse(given) for _, given in asked}
        for node in definitions(tree):
            if not (isinstance(node, ast.FunctionDef) and node.name in stubs):
                run(node, scope)
        functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)} - stubs
        lambdas = {
            target.id
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        written |= {name: scope[name] for name in functions | lambdas if callable(scope.get(name))}


def run(node: ast.stmt, scope: dict) -> None:
    """One statement, if it can be run alone."""
    try:
        exec(compile(ast.Module([node], []), "<page>", "exec"), scope)
    except Exception:  # it needs what the lesson has trained
        return


def passes(exercise: Exercise, function: Callable) -> str:
    """How the function solves the exercise, with its arguments in some order, by what it returns or one part of it.

    "" where it does not.
    """
    inputs = exercise.inputs()[0]
    count = len(inputs)
    orders = permutations(range(count)) if count <= MOST_ORDERS else [tuple(range(count))]
    for order in orders:
        try:
            with torch.no_grad():
                result = function(*[copied(inputs[i]) for i in order])
        except Exception:  # not made for these arguments
            continue
        wanted = exercise.spec(*map(copied, inputs))
        for part, value in parts(result):
            same = isinstance(value, Tensor) and value.shape == wanted.shape
            if same and judge(exercise, rearranged(function, order, part)):
                return f"arguments {order}, part {part}"
    return ""


def copied(value: object) -> object:
    return value.clone() if isinstance(value, Tensor) else value


def parts(result: object) -> Iterator[tuple[int | None, object]]:
    """The whole of what a function returns, and each element of a tuple."""
    yield None, result
    if isinstance(result, tuple):
        yield from enumerate(result)


def rearranged(function: Callable, order: tuple[int, ...], part: int | None) -> Callable:
    """The function with its arguments in another order, and one element of what it returns."""

    def solution(*inputs):
        result = function(*[inputs[i] for i in order])
        return result if part is None else result[part]

    return solution
