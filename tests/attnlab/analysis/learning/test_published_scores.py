"""The published tables: their rows have the averages that the papers print."""

import pytest

from attnlab.analysis.learning.published_scores import EXAMPLES, GLUE, GPT_ABLATIONS, gains


@pytest.mark.parametrize(
    ("row", "average"),
    [
        ("Transformer, pre-trained", 74.7),
        ("Transformer, not pre-trained", 59.9),
        ("Transformer, no second objective", 75.0),
        ("LSTM, pre-trained", 69.1),
    ],
)
def test_the_averages_of_gpt(row, average):
    assert sum(GPT_ABLATIONS[row]) / 8 == pytest.approx(average, abs=0.07)


MISMATCHED = {"best before": 80.1, "BiLSTM + ELMo": 76.1, "GPT": 81.4, "BERT, base": 83.4, "BERT, large": 85.9}


@pytest.mark.parametrize(
    ("row", "average"),
    [("best before", 74.0), ("BiLSTM + ELMo", 71.0), ("GPT", 75.1), ("BERT, base", 79.6), ("BERT, large", 82.1)],
)
def test_the_averages_of_glue_count_mnli_twice(row, average):
    assert (sum(GLUE[row]) + MISMATCHED[row]) / 9 == pytest.approx(average, abs=0.07)


def test_gains_by_hand():
    found = gains(GLUE["GPT"], GLUE["BERT, large"])
    assert found.tasks == list(EXAMPLES)
    assert found.points[0] == 4.6
    assert found.points[-1] == 14.1
    assert found.mean == pytest.approx(sum(found.points) / 8)
    assert found.examples == sorted(found.examples, reverse=True)


def test_a_row_without_a_score_is_told():
    with pytest.raises(ValueError, match="expected 8 scores each, got 8 and 2"):
        gains(GLUE["GPT"], (1.0, 2.0))
