"""Tables of names: every public dict to choose from answers an unknown name in words."""

import importlib
import pkgutil

import pytest

import attnlab
from attnlab.registry import Table

# Not to choose from: what spellings of tensors' names have in common, and the exercises, asked for by `check`.
OTHER = {
    "GPT2",
    "BERT",
    "ENCODER",
    "ALBERT",
    "LLAMA",
    "VIT",
    "DINOV2",
    "PACKINGS",
    "NUMBERS",
    "OTHERS",
    "IN_FILES",
    "EXERCISES",
}


def tables():
    """By module and name; the words of languages in tasks are none, nor are the loops that tests compare with."""
    names = [found.name for found in pkgutil.walk_packages(attnlab.__path__, "attnlab.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    return {
        f"{module.__name__}.{name}": value
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, dict)
        and name.isupper()
        and not name.startswith("_")
        and name not in OTHER
        and not module.__name__.startswith(("attnlab.tasks.", "attnlab.specs."))
    }


def test_every_public_dict_to_choose_from_is_a_table():
    assert len(tables()) > 10
    assert [name for name, value in tables().items() if not isinstance(value, Table)] == []


def test_an_unknown_name_is_answered_by_those_there_are():
    for table in tables().values():
        with pytest.raises(ValueError, match=f"expected one of .*{next(iter(table))}.*; got 'no such name'"):
            table["no such name"]


def test_asking_whether_a_name_is_there_raises_nothing():
    table = Table({"a": 1})
    assert "no such name" not in table
    assert table.get("no such name") is None
    assert table["a"] == 1
