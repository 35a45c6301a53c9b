"""What does not fit is said in a sentence; and so it is in 3000 calls of all that is public, drawn at random."""

import importlib
import os
import re
import time
import warnings
from collections.abc import Callable, Sequence

import numpy as np
import pytest
import torch
from jaxtyping import Bool, Float
from torch import Tensor
from yardstick import a_million_texts

from attnlab import Additive, dot
from attnlab.checks import Share, Size, check_pixels, check_prepared, checked
from attnlab.hard_attention import argmax
from attnlab.seq2seq import Encoder

SEED = int(os.environ.get("ATTNLAB_FUZZ_SEED", 0))  # another one finds other calls; a fault names its seed and number
CALLS = 3000

pytestmark = pytest.mark.usefixtures("as_a_learner")


@pytest.fixture
def fuzz():
    return importlib.import_module("fuzz")


@pytest.mark.timeout(3600)  # on a busy machine it takes longer than other tests may
def test_every_call_has_an_answer_in_words(fuzz):
    before = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns of empty layers before we complain of them
        found = list(fuzz.faults(SEED, CALLS))
    took = time.process_time() - before
    assert not found, "\n".join([f"{len(found)} faults, such as", *found[:20]])
    assert took < 240 * a_million_texts()


@checked
def example(
    query: Float[Tensor, "*batch queries dim"],
    key: Float[Tensor, "*batch keys dim"] | None = None,
    size: Size = 1,
    share: Share = 0.5,
    names: Sequence[str] = (),
    score: Callable[[Tensor], Tensor] = torch.relu,
    mask: Bool[Tensor, "..."] | None = None,
    number: int | float = 0,
    cut: Bool[Tensor, "..."] | None = None,
) -> Tensor:
    """Asks torch for a product."""
    return score(query) @ (query if key is None else key).mT


QUERY = torch.ones(2, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"query": [1.0]}, "expected query to be a tensor of real numbers [..., queries, dim], got list [1.0]"),
        ({"query": QUERY.long()}, "[..., queries, dim], got torch.int64 of shape [2, 3]"),
        ({"query": QUERY[0]}, "[..., queries, dim], got torch.float32 of shape [3]"),
        ({"query": QUERY, "key": 3}, "expected key to be a tensor of real numbers [..., keys, dim], got 3"),
        ({"query": QUERY, "size": 0}, "expected size to be a whole number of at least 1, got 0"),
        ({"query": QUERY, "size": 2.5}, "expected size to be a whole number of at least 1, got 2.5"),
        ({"query": QUERY, "size": True}, "expected size to be a whole number of at least 1, got True"),
        ({"query": QUERY, "share": torch.nan}, "expected share from 0 to 1, got nan"),
        ({"query": QUERY, "share": "half"}, "expected share from 0 to 1, got str 'half'"),
        ({"query": QUERY, "names": ["a", 3]}, "expected names to be a sequence of texts, got list ['a', 3]"),
        ({"query": QUERY, "score": "dot"}, "expected score to be something that can be called, got str 'dot'"),
        (
            {"query": QUERY, "mask": QUERY},
            "expected a boolean mask (True = may attend), got torch.float32 of shape [2, 3]",
        ),
        ({"query": QUERY, "cut": QUERY}, "expected a boolean cut, got torch.float32 of shape [2, 3]"),
        ({"query": QUERY, "number": "3"}, "expected number to be a number, got str '3'"),
    ],
)
def test_complaints(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        example(**arguments)


@checked
def longest(*names: str) -> str:
    return max(names, key=len)


def test_each_argument_of_many_is_looked_at():
    assert longest("a", "abc", "ab") == "abc"
    with pytest.raises(ValueError, match="expected a text for names, got 3"):
        longest("a", "ab", 3)


def test_what_torchs_python_refuses_is_told_in_our_words():
    """Its recurrent networks raise a ValueError of their own; one of ours is left as it is."""
    encoder = Encoder(5, 4, 4, bidirectional=False)
    with pytest.raises(ValueError, match=r"expected tensors of one dtype, got .*embedded of torch.float64"):
        encoder.read(torch.zeros(1, 3, 4, dtype=torch.float64), torch.tensor([3]))
    with pytest.raises(ValueError, match=r"lengths"):
        encoder.read(torch.zeros(1, 3, 4), torch.tensor([9]))


def test_dtypes_and_shapes_are_told_when_torch_complains():
    with pytest.raises(ValueError, match=r"of one dtype, got query of torch.float32, key of torch.float64"):
        dot(QUERY, QUERY.double())
    with pytest.raises(
        ValueError,
        match=re.escape(
            "that fit together, scores [..., queries, keys], allowed [..., "
            "queries, keys]; got scores [2, 3], allowed [2, 2]"
        ),
    ):
        argmax(QUERY, QUERY[:, :2] > 0)
    with pytest.raises(ValueError, match=r"sizes that Additive\.compare was made for, got a parameter of self"):
        Additive(3, 3, 5).compare(QUERY, QUERY)


def test_what_fits():
    got = example(QUERY, None, np.int64(3), torch.tensor(0.5), ["a"], mask=torch.ones(2, dtype=torch.bool), number=2)
    assert torch.equal(got, QUERY @ QUERY.mT)


def test_errors_of_a_function_that_was_given_stay_as_they_are():
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        example(QUERY, score=lambda query: query @ query)


def test_pixels_from_0_to_1():
    check_pixels(torch.tensor([0.0, 0.5, 1.0]))
    check_pixels(torch.zeros(0, 3))
    for wrong, said in [(255.0, "got 255; divide bytes by 255"), (-0.5, "got -0.5$"), (torch.nan, "got nan$")]:
        with pytest.raises(ValueError, match=f"expected ink of numbers from 0 to 1, {said}"):
            check_pixels(torch.tensor([[0.5, wrong]]), "ink")


def test_prepared_pixels_may_lie_below_0():
    check_prepared(torch.tensor([-2.2, 0.0, 2.7]))
    for wrong, said in [(255.0, "got 255; divide bytes by 255"), (-200.0, "got -200$"), (torch.nan, "got nan$")]:
        with pytest.raises(ValueError, match=f"from 0 to 1, or prepared as the weights need it, {said}"):
            check_prepared(torch.tensor([[0.5, wrong]]))


def broken(x):
    return x @ x


def swallows(query: torch.Tensor):
    return query / 0 * 0


@pytest.mark.parametrize(
    ("function", "arguments", "fault"),
    [
        (broken, {"x": None}, "a raw TypeError"),
        (broken, {"x": torch.ones(2, 3)}, "a raw RuntimeError"),
        (swallows, {"query": torch.ones(2)}, "NaN from finite numbers"),
        (swallows, {"query": torch.tensor(torch.nan)}, None),
        (broken, {"x": torch.ones(2, 2)}, None),
    ],
)
def test_a_fault_is_seen(fuzz, function, arguments, fault):
    found = fuzz.verdict(function, arguments)
    assert found is None if fault is None else found.startswith(fault)
