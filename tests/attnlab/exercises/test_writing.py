"""Exercises of lessons 10 and 11 against the library and other ways to write them; inputs that hide nothing."""

import pytest
import torch
from torch.nn.functional import cross_entropy

from attnlab import decoding
from attnlab.exercises import EXERCISES
from attnlab.exercises.exercise import judge
from attnlab.training import smoothed_cross_entropy

NAMES = ["10.smoothing", "10.beam", "11.top_k", "11.top_p"]


def cases(name):
    return [*EXERCISES[name].inputs(), *EXERCISES[name].edges()]


def smoothed_by_torch(logits, target, smoothing):
    return cross_entropy(logits, target, label_smoothing=smoothing, reduction="none")


def smoothed_in_two_parts(logits, target, smoothing):
    logs = logits - logits.logsumexp(-1, keepdim=True)
    right = logs[torch.arange(len(target)), target]
    return (smoothing - 1) * right - smoothing * logs.mean(-1)


def beam_row_by_row(kept, log_probabilities, width):
    """The best of each parent first, then the best of those: no more than `width` can come from one parent."""
    values, tokens = log_probabilities.topk(min(width, log_probabilities.shape[1]), dim=1)
    totals = kept[:, None] + values
    parents = torch.arange(len(kept))[:, None].expand_as(tokens)
    chosen = totals.flatten().argsort(descending=True)[:width]
    return torch.stack([part.flatten()[chosen].float() for part in (totals, parents, tokens)], dim=1)


def top_k_by_places(logits, k):
    result = torch.full_like(logits, -torch.inf)
    kept = logits.topk(min(k, logits.shape[1]), dim=1)
    return result.scatter(1, kept.indices, kept.values)


def top_p_by_loop(logits, p):
    rows = []
    for row in logits:
        order = row.argsort(descending=True)
        count = int((row.softmax(0)[order].cumsum(0) < p).sum()) + 1
        rows.append(row.masked_fill(~torch.isin(torch.arange(len(row)), order[:count]), -torch.inf))
    return torch.stack(rows)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("10.smoothing", smoothed_by_torch),
        ("10.smoothing", smoothed_in_two_parts),
        ("10.beam", beam_row_by_row),
        ("11.top_k", top_k_by_places),
        ("11.top_p", top_p_by_loop),
    ],
)
def test_other_ways_to_be_right(name, function):
    verdict = judge(EXERCISES[name], function)
    assert verdict, verdict


def test_mean_of_the_losses_is_the_librarys():
    for logits, target, smoothing in cases("10.smoothing"):
        torch.testing.assert_close(
            EXERCISES["10.smoothing"].solution(logits, target, smoothing).mean(),
            smoothed_cross_entropy(logits, target, smoothing),
            rtol=1e-5,
            atol=1e-5,
        )


@pytest.mark.parametrize("name", NAMES)
def test_diagnoses_are_silent_about_what_is_right(name):
    exercise = EXERCISES[name]
    for inputs in cases(name):
        messages = [diagnosis(exercise.spec(*inputs), *inputs) for diagnosis in exercise.diagnoses]
        assert messages == [None] * len(messages)


def test_diagnoses_of_filters_and_beams():
    def wrong(name, function):
        return judge(EXERCISES[name], function).message

    assert "in row 0, 1 tokens stay, expected 2" in wrong("11.top_k", lambda logits, k: decoding.top_k(logits, k // 2))
    assert "must keep its logit" in wrong("11.top_p", lambda logits, p: 2 * decoding.top_p(logits, p))
    right = EXERCISES["10.beam"].solution
    assert "parents, rows of `kept` from 0 to 2" in wrong(
        "10.beam", lambda *inputs: right(*inputs) + torch.tensor([0, 9, 0])
    )
    assert "tokens, from 0 to 6" in wrong("10.beam", lambda *inputs: right(*inputs) + torch.tensor([0, 0, 99]))
    assert "fall from row to row" in wrong("10.beam", lambda *inputs: right(*inputs).roll(1, 0))


def test_inputs_have_no_ties():
    """Nothing that rounding decides: no equal logits or totals, and no sum of probabilities close to p."""
    for kept, log_probabilities, _ in cases("10.beam"):
        assert (kept[:, None] + log_probabilities).flatten().sort().values.diff().min() > 1e-4
    for name in ("11.top_k", "11.top_p"):
        for logits, _ in cases(name):
            assert logits.sort(-1).values.diff(dim=-1).min() > 1e-4
    for logits, p in cases("11.top_p"):
        sums = logits.softmax(-1).sort(descending=True).values.cumsum(-1)
        assert (sums[:, :-1] - p).abs().min() > 5e-3


def test_inputs_ask_for_several_parents_and_sets_of_several_sizes():
    for inputs in EXERCISES["10.beam"].inputs():
        parents = EXERCISES["10.beam"].spec(*inputs)[:, 1].tolist()
        assert 1 < len(set(parents)) < len(parents)
    for logits, p in EXERCISES["11.top_p"].inputs():
        assert len(set((EXERCISES["11.top_p"].spec(logits, p) > -torch.inf).sum(-1).tolist())) > 1
