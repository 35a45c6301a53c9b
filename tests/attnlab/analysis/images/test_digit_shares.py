"""Where a date translator looks, against the loops of the task's own alignment."""

import pytest
import torch

from attnlab import AttentionSeq2Seq
from attnlab.analysis import digit_regions, digit_shares, even_digit_shares
from attnlab.tasks.dates import Dates
from attnlab.training import weights_of


@pytest.fixture(scope="module")
def task():
    return Dates(pairs=1, tests_per_locale=1)


def test_a_region_is_the_field_that_a_digit_comes_from(task):
    example = task.recognise("mardi 3 mars 1992")
    region = digit_regions([example])[0]
    assert region.shape == (11, 17), "ten characters and the end, by what is read"
    read = ["".join(example.source[i] for i in row.nonzero().flatten()) for row in region]
    assert read == ["1992"] * 4 + [""] + ["mars"] * 2 + [""] + ["3"] * 2 + [""]


def test_shares_are_those_of_the_loops(task):
    torch.manual_seed(0)
    model = AttentionSeq2Seq(len(task.source_vocabulary), len(task.target_vocabulary), 8, 8).eval()
    some = task.test[:4]  # of different lengths
    batch = task.collate(some)
    weights = weights_of(model, "decoder.attention", *batch[:2], batch.target[:, :-1])
    wanted, even = [], []
    for i, example in enumerate(some):
        for row, places in enumerate(task.alignment(example)):
            if places:
                wanted.append(sum(float(weights[i, row, place]) for place in places))
                even.append(len(places) / len(example.source))
    torch.testing.assert_close(digit_shares(model, task, some), torch.tensor(wanted))
    torch.testing.assert_close(even_digit_shares(some), torch.tensor(even))


def test_no_date_is_told():
    with pytest.raises(ValueError, match="expected one date or more"):
        digit_regions([])
