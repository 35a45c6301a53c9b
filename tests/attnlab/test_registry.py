"""Tables of names: every public dict to choose from answers an unknown name in words."""

import importlib
import pkgutil
from functools import partial

import pytest
from torch import nn
from torch.nn.functional import gelu

import attnlab
from attnlab.alignment import scaled_dot
from attnlab.blocks import EncoderBlock, FeedForward, pre_norm
from attnlab.multihead import MultiHeadAttention
from attnlab.registry import Table, name_of
from attnlab.seq2seq import AttentionSeq2Seq
from attnlab.transformer import MaskedOutput

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


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (gelu, "gelu"),
        (partial(gelu, approximate="tanh"), "gelu(approximate='tanh')"),
        (partial(partial(round, 2.5), ndigits=1), "round(2.5, ndigits=1)"),
        (nn.GELU(), "GELU"),
    ],
)
def test_what_a_function_is_called(function, name):
    assert name_of(function) == name


def test_models_of_functions_without_a_name_are_written_the_same_in_every_process():
    """`save` keeps a model's description, and `load` compares it."""
    tanh_gelu = partial(gelu, approximate="tanh")
    table, norm = nn.Embedding(5, 4), nn.LayerNorm(4)
    for written in [
        repr(EncoderBlock(MultiHeadAttention(4, 2), FeedForward(4, 8, tanh_gelu), residual=partial(pre_norm))),
        repr(MaskedOutput(norm, table, tanh_gelu)),
        repr(MaskedOutput(norm, table, nn.GELU())),
        repr(AttentionSeq2Seq(5, 5, 4, 4, score=lambda *sizes: partial(scaled_dot), bidirectional=False)),
    ]:
        assert " at 0x" not in written
