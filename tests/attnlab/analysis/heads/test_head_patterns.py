"""What heads do, by numbers; and heads switched off."""

import math

import pytest
import torch
from torch import nn

from attnlab import AttentionSeq2Seq, MultiHeadAttention, causal, record
from attnlab.analysis.heads.head_patterns import (
    after_same,
    among,
    back,
    describe,
    first,
    heads_in,
    same,
    share_at,
    text_patterns,
    without,
)

TOKENS = torch.tensor([[2, 3, 2, 5, 3, 2, 7], [7, 7, 3, 2, 5, 11, 5]])


# Patterns, against loops


def slow(rule):
    """[batch, queries, keys] of a rule (tokens, query, key)."""
    return torch.tensor([[[bool(rule(text, q, k)) for k in range(7)] for q in range(7)] for text in TOKENS.tolist()])


PATTERNS = {
    "itself": (back(0), lambda text, q, k: q == k),
    "2 before": (back(2), lambda text, q, k: q - k == 2),
    "9 before": (back(9), lambda text, q, k: False),
    "first": (first, lambda text, q, k: k == 0 and q > 0),
    "same": (same, lambda text, q, k: q != k and text[q] == text[k]),
    "after same": (after_same, lambda text, q, k: k > 0 and k - 1 != q and text[k - 1] == text[q]),
    "among": (among([5, 11]), lambda text, q, k: text[k] in (5, 11)),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns(name):
    pattern, rule = PATTERNS[name]
    assert torch.equal(pattern(TOKENS), slow(rule))


def test_patterns_of_a_text_know_blanks_and_signs():
    patterns = text_patterns(["\n", " ", "(", "_", "a", "b", "c", "7"])
    assert torch.equal(patterns["blanks"](TOKENS - 2)[0, 0], torch.tensor([True, True, True, False, True, True, False]))
    assert torch.equal(patterns["signs"](TOKENS)[0, 3], torch.tensor([True, True, True, False, True, True, False]))
    for name, steps in {"itself": 0, "1 before": 1, "2 before": 2, "3 before": 3}.items():
        assert torch.equal(patterns[name](TOKENS), back(steps)(TOKENS)), name
    assert (patterns["first"], patterns["same letter"], patterns["after the same"]) == (first, same, after_same)


# Measuring


def test_a_text_of_one_token_tells_nothing_about_a_head():
    with pytest.raises(ValueError, match="two keys or more to choose from"):
        describe(torch.ones(2, 1, 1, 1), TOKENS[:, :1], {"itself": back(0)})


def test_a_head_is_named_by_what_it_reads():
    mask = causal(7)
    weights = torch.zeros(2, 4, 7, 7)
    weights[:, 0] = torch.eye(7).roll(-1, 1)
    weights[:, 0, 0] = torch.eye(7)[0]
    weights[:, 1] = mask / mask.sum(-1, keepdim=True)
    weights[:, 2, :, 0] = 1
    weights[:, 3] = 0.45 * torch.eye(7) + 0.55 * weights[:, 2]
    heads = describe(weights.double(), TOKENS, {"itself": back(0), "first": first, "1 before": back(1)}, mask)
    assert heads[1].name == "diffuse"
    assert heads[1].spread == pytest.approx(1)
    assert heads[1].shares["1 before"] == pytest.approx(sum(1 / n for n in range(2, 8)) / 6)
    assert heads[1].shares["1 before"] == pytest.approx(heads[1].even["1 before"])
    assert [heads[i].name for i in (2, 3)] == ["first", "first"]
    assert heads[3].shares == pytest.approx({"itself": 0.45, "first": 0.55, "1 before": 0.55 / 6})
    assert str(heads[2]) == "first 1.00"


def test_the_mean_is_over_queries_that_have_such_a_key():
    weights = torch.zeros(2, 1, 7, 7)
    weights[..., 0] = 1
    (head,) = describe(weights, TOKENS, {"same": same}, causal(7))
    #            queries with the same letter before: 2, 4, 5 (of those 2 and 5 read it at 0); 1, 6 (1 reads it)
    assert head.shares["same"] == pytest.approx(3 / 5)
    wanted = slow(lambda text, q, k: k < q and text[q] == text[k]).double()
    even = (wanted.sum(-1) / torch.arange(1, 8))[wanted.any(-1)].mean()
    assert head.even["same"] == pytest.approx(float(even))


def test_what_fits_no_pattern_is_mixed_and_a_common_key_gives_no_name():
    weights = torch.zeros(2, 1, 7, 7)
    weights[..., 0] = 0.5
    weights[..., 3] = 0.5
    plain = describe(weights, TOKENS, {"1 before": back(1)})[0]
    assert (plain.name, str(plain)) == ("mixed", "mixed")
    assert plain.spread == pytest.approx(2 / 7)
    everything = describe(weights, TOKENS, {"any letter": among(range(12))})[0]
    assert everything.shares["any letter"] == pytest.approx(1)
    assert everything.name == "mixed", "weights that are all alike lie there as well"


def test_misfits_are_told():
    with pytest.raises(ValueError, match=r"expected weights .* for tokens \[2, 7\], got \[2, 1, 7, 5\]"):
        describe(torch.zeros(2, 1, 7, 5), TOKENS, {})


def test_share_at_the_wanted_places_by_loop():
    weights = torch.rand(2, 3, 5, 6, generator=torch.Generator().manual_seed(0)).softmax(-1)
    places = [-1, 0, 5, -3, 2]
    found = share_at(weights, torch.tensor(places))
    for b in range(2):
        for h in range(3):
            shares = [float(weights[b, h, q, k]) for q, k in enumerate(places) if k >= 0]
            assert float(found[b, h]) == pytest.approx(sum(shares) / 3)
    torch.testing.assert_close(share_at(weights[0], torch.tensor(places)), found[0])


@pytest.mark.parametrize("places", [[-1, -1, -1], [0, 1, 3]])
def test_places_that_cannot_be_looked_at(places):
    with pytest.raises(ValueError, match="expected places of 3 keys, at least one of 0 or more, got"):
        share_at(torch.ones(2, 3, 3), torch.tensor(places))


# Switching off


def test_without_a_head_is_the_sum_of_the_others():
    torch.manual_seed(0)
    attention = MultiHeadAttention(15, heads=3)
    x = torch.randn(2, 7, 15)
    query, key, value = attention.project(x, x, x, 0)
    contexts = (query @ key.mT / math.sqrt(5)).softmax(-1) @ value
    contexts[:, [0, 2]] = 0
    model = nn.Sequential(attention)
    with without(model, [("0", 2), ("0", 0)]), record(model) as trace:
        found = model(x)
    torch.testing.assert_close(found, attention.output(attention.merge(contexts)), atol=1e-5, rtol=1e-4)
    assert not trace["0"][0].weights[:, [0, 2]].any()
    assert attention.given is None


def test_heads_by_their_ids():
    assert heads_in(["blocks.1.attention:0", "attention:11"]) == [("blocks.1.attention", 0), ("attention", 11)]
    for wrong in ("attention", ":1", "attention:", "attention:-1", "attention:x"):
        with pytest.raises(ValueError, match=f"expected heads such as .*, got '{wrong}'"):
            heads_in([wrong])


def test_without_a_name_alone_all_its_heads_find_nothing():
    model = nn.Sequential(MultiHeadAttention(6, heads=2), MultiHeadAttention(6, heads=3))
    x = torch.randn(1, 3, 6)
    with without(model, ["1", ("0", 1)]), record(model) as trace:
        found = model(x)
    assert torch.equal(found, model[1].output.bias.expand(1, 3, 6))
    assert [bool(weights.any()) for weights in trace["0"][0].weights[0]] == [True, False]
    with pytest.raises(ValueError, match=r"expected names out of \['0', '1'\], got 'no'"), without(model, ["no"]):
        pass


@torch.no_grad()
def test_without_looking_back_a_decoder_finds_nothing_at_any_step():
    model = AttentionSeq2Seq(11, 13, hidden=5, embedding=3)
    source, lengths, target = torch.tensor([[3, 4, 5, 6]]), torch.tensor([4]), torch.tensor([[3, 4, 5]])
    with without(model, ["decoder.attention"]), record(model) as trace:
        model(source, lengths, target)
    assert [bool(call.weights.any()) for call in trace["decoder.attention"]] == [False] * 3
    with without(model, [("decoder.attention", 0)]), record(model) as trace:
        model(source, lengths, target)
    assert not any(bool(call.weights.any()) for call in trace["decoder.attention"])
    with pytest.raises(ValueError, match="expected heads from 0 to 0"), without(model, [("decoder.attention", 1)]):
        pass


def test_without_nothing_changes_nothing_and_unknown_heads_are_told():
    model = nn.Sequential(MultiHeadAttention(6, heads=2))
    x = torch.randn(1, 3, 6)
    with without(model, []):
        assert torch.equal(model(x), model(x))
    with pytest.raises(ValueError, match="expected heads from 0 to 1 of '0', got 2"), without(model, [("0", 2)]):
        pass
    with pytest.raises(ValueError, match=r"expected names out of \['0'\], got 'no'"), without(model, [("no", 0)]):
        pass


def test_a_row_without_a_choice_tells_nothing_of_the_spread():
    weights = torch.zeros(2, 1, 7, 7)
    weights[..., 0] = 1
    (head,) = describe(weights, TOKENS, {}, causal(7))
    assert head.spread == pytest.approx(sum(1 / n for n in range(2, 8)) / 6)


@torch.no_grad()
def test_a_name_alone_beside_one_of_its_heads_stands_for_all_of_them():
    module, x = MultiHeadAttention(12, 3), torch.randn(2, 5, 12)
    for heads in (["", ("", 1)], [("", 1), ""]):
        with without(module, heads), record(module) as trace:
            module(x)
        assert not trace[""][0].weights.any()
