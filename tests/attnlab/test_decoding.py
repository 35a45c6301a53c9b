import copy
from functools import partial
from math import inf
from typing import NamedTuple

import oracles_decoding as oracles
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from shaken import shaken

from attnlab.decoding import (
    BeamStep,
    Guided,
    Hypothesis,
    beam,
    best,
    draw,
    exact,
    greedy,
    most_probable,
    sample,
    select,
    temperature,
    tokens,
    top_k,
    top_p,
    translate,
    with_cache,
    without_cache,
    write,
)
from attnlab.multihead import Cache
from attnlab.seq2seq import CELLS, AttentionSeq2Seq, FixedContext, LuongSeq2Seq
from attnlab.specs import decoding as specs
from attnlab.specs.attention import row_softmax
from attnlab.tasks.two_words import KnownChances, TwoWords
from attnlab.trace import record
from attnlab.training import seeded
from attnlab.transformer import gpt, modern_gpt, transformer, universal
from benchmarks import generation

BOS, EOS = 1, 2
SOURCE = torch.tensor([3, 9, 4, 7, 5])


def model_of(seed, vocabulary=7, build=AttentionSeq2Seq):
    """An untrained model with opinions: its logits are spread out, so that targets end and differ."""
    with seeded(seed):
        model = build(11, vocabulary, hidden=5, embedding=3)
        model.decoder.output.weight.data *= 8
    return model


def transformer_of(seed, build=transformer):
    with seeded(seed):
        model = build(11, 7, 4, 2, 2).eval()
        model.output.weight.data *= 4
    return model


MODELS = {
    "fixed": lambda seed: model_of(seed, build=FixedContext),
    "looking": model_of,
    "lstm": lambda seed: model_of(seed, build=partial(AttentionSeq2Seq, cell=CELLS["lstm"])),
    "luong": lambda seed: model_of(seed, build=LuongSeq2Seq),
    "luong lstm": lambda seed: model_of(seed, build=partial(LuongSeq2Seq, cell=CELLS["lstm"])),
    "transformer": transformer_of,
    "universal": lambda seed: transformer_of(seed, universal),
}
models = pytest.mark.parametrize("model", MODELS)


def written(steps):
    return [step.token for step in steps]


@models
@pytest.mark.parametrize("seed", range(2))
def test_greedy_loops(seed, model):
    model = MODELS[model](seed)
    assert written(greedy(model, SOURCE, BOS, EOS, 9)) == oracles.greedy(model, SOURCE, BOS, EOS, 9)


def test_greedy_reports_what_it_saw():
    model = model_of(0)
    for step in greedy(model, SOURCE, BOS, EOS, 3):
        assert step.token == int(step.probabilities.argmax())
        torch.testing.assert_close(step.probabilities.sum(), torch.tensor(1.0))
        torch.testing.assert_close(step.weights, step.scores.softmax(-1))
        assert step.weights.shape == (5,)
        assert (step.forced, step.overridden) == (False, False)
        assert not step.probabilities.requires_grad
    assert next(greedy(model_of(0, build=FixedContext), SOURCE, BOS, EOS)).weights is None


def test_greedy_stops():
    model = model_of(0)
    model.decoder.output.bias.data[EOS] = -100
    assert len(list(greedy(model, SOURCE, BOS, EOS, 4))) == 4
    model.decoder.output.bias.data[EOS] = 100
    assert written(greedy(model, SOURCE, BOS, EOS, 4)) == [EOS]


@settings(max_examples=10)
@given(st.lists(st.integers(3, 6), max_size=6), st.integers(0, 10))
def test_a_prefix_is_kept_and_continued(prefix, seed):
    model = model_of(seed)
    steps = list(sample(Guided(model, prefix), SOURCE, BOS, EOS, most_probable, 8))
    assert written(steps)[: len(prefix)] == prefix
    assert [step.forced for step in steps] == [index < len(prefix) for index in range(len(steps))]
    assert written(steps) == oracles.greedy(model, SOURCE, BOS, EOS, 8, prefix)


def test_a_prefix_may_end():
    assert written(sample(Guided(model_of(0), [4, EOS, 5]), SOURCE, BOS, EOS, most_probable, 8)) == [4, EOS]


@settings(max_examples=10)
@given(st.integers(0, 3), st.integers(0, 10))
def test_given_weights_are_used_at_their_step_alone(index, seed):
    model, row = model_of(seed), torch.tensor([0.0, 0.0, 1.0, 0.0, 0.0])
    model.decoder.output.bias.data[EOS] = -100
    plain = list(greedy(model, SOURCE, BOS, EOS, 5))
    changed = list(greedy(model, SOURCE, BOS, EOS, 5, weights={index: row}))
    assert written(plain)[:index] == written(changed)[:index]
    assert torch.equal(changed[index].weights, row)
    assert torch.equal(changed[index].scores, plain[index].scores)
    assert [step.overridden for step in changed] == [step == index for step in range(5)]

    memory = model.encode(SOURCE[None], torch.tensor([5]))
    previous, state = torch.tensor([BOS]), model.start(memory)
    for step in range(5):
        weights = row[None, None] if step == index else None
        logits, state, attention = model.step(previous, state, memory, weights)
        torch.testing.assert_close(changed[step].probabilities, logits[0].softmax(-1))
        previous = torch.tensor([changed[step].token])
        if step == index:
            torch.testing.assert_close(attention.context[0, 0], memory.keys[0, 2])


def test_own_weights_given_back_change_nothing():
    model = model_of(3)
    plain = list(greedy(model, SOURCE, BOS, EOS, 5))
    again = list(greedy(model, SOURCE, BOS, EOS, 5, weights={i: step.weights for i, step in enumerate(plain)}))
    assert written(plain) == written(again)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (torch.ones(4), r"weights \[5\], .* got \[4\]"),
        (torch.ones(1, 5), r"weights \[5\], .* got \[1, 5\]"),
        (torch.tensor([0.5, 0.5, -1, 0.5, 0.5]), "0 or more"),
        (torch.tensor([0.5, 0.5, torch.nan, 0.5, 0.5]), "finite"),
        (torch.tensor([0.5, 0.5, torch.inf, 0.5, 0.5]), "finite"),
    ],
)
@pytest.mark.usefixtures("as_a_learner")
def test_weights_that_are_none(weights, message):
    with pytest.raises(ValueError, match=message):
        list(greedy(model_of(0), SOURCE, BOS, EOS, weights={1: weights}))


def test_other_bad_input():
    with pytest.raises(ValueError, match="at least one token"):
        next(greedy(model_of(0), SOURCE[:0], BOS, EOS))
    with pytest.raises(ValueError, match="tokens from 0 to 6, got 7"):
        next(sample(Guided(model_of(0), [7]), SOURCE, BOS, EOS))
    with pytest.raises(ValueError, match="one fixed context"):
        next(greedy(model_of(0, build=FixedContext), SOURCE, BOS, EOS, weights={0: torch.ones(5)}))
    with pytest.raises(ValueError, match="at least 1, got 0"):
        next(beam(model_of(0), SOURCE, BOS, EOS, 0))
    with pytest.raises(ValueError, match="got none"):
        best([])


@models
@settings(max_examples=3)
@given(seed=st.integers(0, 1000))
def test_a_beam_of_one_is_greedy(model, seed):
    exact = MODELS[model](seed)
    for model in exact, copy.deepcopy(exact).bfloat16():
        steps = list(beam(model, SOURCE, BOS, EOS, 1, 9))
        assert tokens(steps, best(steps)) == written(greedy(model, SOURCE, BOS, EOS, 9))


@pytest.mark.parametrize(("width", "length_penalty"), [(2, 1.0), (3, 0.0), (3, 0.7), (5, 1.0)])
@models
def test_beam_loops(model, width, length_penalty):
    model = MODELS[model](0)
    steps = list(beam(model, SOURCE, BOS, EOS, width, 6, length_penalty))
    assert tokens(steps, best(steps)) == oracles.beam(model, SOURCE, BOS, EOS, width, 6, length_penalty)


@pytest.mark.parametrize("seed", range(2))
def test_a_beam_wide_enough_finds_the_most_probable_target(seed):
    model = model_of(seed, vocabulary=4)
    steps = list(beam(model, SOURCE, BOS, EOS, 4**4, 4, length_penalty=0))
    expected, log_probability = oracles.most_probable(model, SOURCE, BOS, EOS, 4, 4)
    assert tokens(steps, best(steps)) == expected
    assert best(steps).log_probability == pytest.approx(log_probability, abs=1e-4)


@pytest.mark.parametrize("seed", range(2))
def test_the_tree_of_a_beam(seed):
    width, nodes = 3, {0: None}
    model = model_of(seed)
    steps = list(beam(model, SOURCE, BOS, EOS, width, 6))
    finished = 0
    for index, step in enumerate(steps):
        assert step.step == index
        totals = [node.log_probability for node in step.hypotheses]
        assert totals == sorted(totals, reverse=True)
        chosen = [node for node in step.hypotheses if node.status != "dropped"]
        assert chosen == step.hypotheses[: width - finished]
        for node in step.hypotheses:
            assert node.id not in nodes
            assert node.parent == 0 if index == 0 else nodes[node.parent].status == "kept"
            assert (node.status == "finished") <= (node.token == EOS)
            assert node.score == pytest.approx(node.log_probability / (index + 1))
            path = tokens(steps, node)
            total = sum(oracles.log_probabilities(model, SOURCE, path[:i], BOS)[path[i]] for i in range(len(path)))
            assert node.log_probability == pytest.approx(total, abs=1e-4)
        nodes |= {node.id: node for node in step.hypotheses}
        finished += sum(node.status == "finished" for node in step.hypotheses)
    assert finished <= width


def test_best_prefers_what_is_finished():
    steps = [BeamStep(0, [Hypothesis(1, 0, 5, -0.1, -0.1, "kept"), Hypothesis(2, 0, EOS, -3.0, -3.0, "finished")])]
    assert best(steps).id == 2
    assert best([BeamStep(0, steps[0].hypotheses[:1])]).id == 1


@models
def test_translate_is_greedy_for_each_row(model):
    model = MODELS[model](0)
    source, lengths = torch.randint(3, 11, (7, 5)), torch.tensor([5, 1, 2, 3, 4, 5, 3])
    together = translate(model, source, lengths, BOS, EOS, 6)
    for row, length, got in zip(source, lengths.tolist(), together.tolist(), strict=True):
        alone = written(greedy(model, row[:length], BOS, EOS, 6))
        assert got == alone + [EOS] * (together.shape[1] - len(alone))


@pytest.mark.parametrize("seed", range(3))
def test_exact_is_greedy_search_being_right(seed):
    model = model_of(seed)
    source, lengths = torch.randint(3, 11, (7, 5)), torch.tensor([5, 1, 2, 3, 4, 5, 3])
    model.decoder.output.bias.data[EOS] += 2
    written = translate(model, source, lengths, BOS, EOS, 9)
    ends = (written == EOS).long().argmax(1)
    ended = (written == EOS).any(1)
    target = torch.cat([torch.full((7, 1), BOS), written], 1)
    target[(torch.arange(target.shape[1]) > ends[:, None] + 1) & ended[:, None]] = 0
    target[~ended, -1] = EOS
    assert ended.any()
    assert torch.equal(exact(model, source, lengths, target), ended)
    target[0, 1] = (target[0, 1] + 1) % 7
    assert not exact(model, source, lengths, target)[0]


# Filters


logits_of = st.lists(st.floats(-9, 9, width=32), min_size=1, max_size=11)


def kept(logits):
    return [i for i, logit in enumerate(logits.tolist()) if logit > -inf]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_temperatures_that_a_float32_has_not(dtype):
    logits = torch.tensor([1.0, 2.0, -torch.inf], dtype=dtype)
    assert temperature(logits, 1e-320).tolist() == [-torch.inf, 0.0, -torch.inf]
    assert temperature(logits, 1e300).softmax(-1).tolist() == [0.5, 0.5, 0.0]


@settings(max_examples=40)
@given(logits_of, st.floats(0.05, 20))
def test_temperature(logits, t):
    got = temperature(torch.tensor(logits), t).softmax(-1)
    torch.testing.assert_close(got, row_softmax(torch.tensor(logits), temperature=t), atol=1e-5, rtol=1e-4)


@settings(max_examples=40)
@given(logits_of, st.floats(1e-45, 1e-4))
def test_a_low_temperature_is_greedy(logits, t):
    """All that is left is shared by the tokens of the highest logit, however low the temperature."""
    assume(all(logit == max(logits) or logit < max(logits) - 0.01 for logit in logits))
    highest = [i for i, logit in enumerate(logits) if logit == max(logits)]
    got = temperature(torch.tensor(logits), t).softmax(-1)
    wanted = torch.zeros(len(logits))
    wanted[highest] = 1 / len(highest)
    torch.testing.assert_close(got, wanted)


@settings(max_examples=40)
@given(logits_of, st.integers(1, 13))
def test_top_k_keeps_k(logits, k):
    got = top_k(torch.tensor(logits), k)
    assert got.tolist() == specs.top_k(torch.tensor(logits), k).tolist()
    assert len(kept(got)) == min(k, len(logits))


def test_of_equal_logits_the_lower_ids_stay():
    logits = torch.tensor([1.0, 3.0, 1.0, 3.0, 1.0])
    assert kept(top_k(logits, 3)) == [0, 1, 3]
    assert kept(top_p(torch.zeros(5), 0.5)) == [0, 1, 2]
    assert kept(top_p(torch.zeros(2), 0.5)) == [0], "what is left is 1 - p exactly, and goes"


@settings(max_examples=40)
@given(logits_of, st.floats(1e-6, 1))
def test_top_p_keeps_the_smallest_set_that_reaches_p(logits, p):
    exact = torch.tensor(logits, dtype=torch.float64)
    reached = exact.softmax(-1).sort(descending=True).values.cumsum(-1)
    assume(all(abs(total - p) > 1e-5 for total in reached.tolist()))  # on the edge rounding decides
    wanted = specs.top_p(exact, p)
    assert torch.equal(top_p(exact, p), wanted)
    assert kept(top_p(torch.tensor(logits), p)) == kept(wanted)


@settings(max_examples=40)
@given(logits_of)
def test_top_p_of_all_and_of_next_to_nothing(logits):
    assert kept(top_p(torch.tensor(logits), 1)) == list(range(len(logits)))
    assert kept(top_p(torch.tensor(logits), 1e-30)) == [logits.index(max(logits))]


def test_top_p_of_all_keeps_what_is_next_to_impossible():
    assert kept(top_p(torch.tensor([0.0, -60.0, -80.0]), 1)) == [0, 1, 2]


@pytest.mark.parametrize("keep", [partial(temperature, t=0.7), partial(top_k, k=3), partial(top_p, p=0.6)])
def test_filters_of_many_rows(keep, device):
    logits = torch.randn(2, 3, 7)
    got = keep(logits.to(device))
    assert got.device.type == device.type
    for row in range(2):
        for column in range(3):
            torch.testing.assert_close(got[row, column].cpu(), keep(logits[row, column]))


def test_filters_compose():
    logits = torch.tensor([5.0, 4.0, 3.0, -inf, 0.0])
    assert kept(top_p(top_k(temperature(logits, 2.0), 3), 1)) == [0, 1, 2]
    assert kept(top_k(top_k(logits, 2), 4)) == [0, 1]


FILTERED = {
    "all": lambda logits: logits,
    "temperature": lambda logits: temperature(logits, 2.0),
    "top_k": lambda logits: top_k(logits, 3),
    "top_p": lambda logits: top_p(temperature(logits, 1.5), 0.8),
}


@pytest.mark.parametrize("name", FILTERED)
def test_draws_follow_the_filtered_probabilities(name):
    """Pearson's chi-squared: with 6 degrees of freedom it exceeds 22.5 once in a thousand times."""
    draws = 3000
    logits = FILTERED[name](torch.tensor([1.0, 0.5, 2.0, -1.0, 0.0, 1.5, -0.5]))
    generator, counts = torch.Generator().manual_seed(3), [0] * 7
    for _ in range(draws):
        counts[draw(logits, generator)] += 1
    distance = 0.0
    for count, share in zip(counts, row_softmax(logits).tolist(), strict=True):
        assert share > 0 or count == 0
        distance += (count - draws * share) ** 2 / (draws * share) if share else 0.0
    assert distance < 22.5


def test_a_seed_draws_the_same_again_on_every_device(device):
    logits = torch.randn(13)
    wanted = [draw(logits, torch.Generator().manual_seed(seed)) for seed in range(20)]
    assert len(set(wanted)) > 1
    assert [draw(logits.to(device), torch.Generator().manual_seed(seed)) for seed in range(20)] == wanted


# Sampling, and a hand on the model


@models
def test_sampling_the_most_probable_is_greedy(model):
    model = MODELS[model](1)
    assert written(sample(model, SOURCE, BOS, EOS, most_probable, 8)) == written(greedy(model, SOURCE, BOS, EOS, 8))


def test_samples_differ_by_seed_and_by_nothing_else():
    model = model_of(0)
    model.decoder.output.weight.data /= 8

    def drawn(seed):
        generator = torch.Generator().manual_seed(seed)
        steps = sample(model, SOURCE, BOS, EOS, lambda logits: draw(logits, generator), 9)
        return written(steps)

    assert drawn(0) == drawn(0)
    assert len({tuple(drawn(seed)) for seed in range(9)}) > 5


def test_probabilities_are_those_before_the_filter():
    model = model_of(0)
    steps = sample(model, SOURCE, BOS, EOS, lambda logits: draw(top_k(logits, 1)), 4)
    for ours, theirs in zip(steps, greedy(model, SOURCE, BOS, EOS, 4), strict=True):
        torch.testing.assert_close(ours.probabilities, theirs.probabilities)
        assert ours.token == theirs.token


@pytest.mark.parametrize("model", ["looking", "lstm", "luong", "transformer"])
def test_a_guided_beam_of_one_is_guided_greedy(model):
    model = MODELS[model](2)
    prefix, weights = [4, 3], {1: torch.tensor([0.0, 0.5, 0.0, 0.5, 0.0]), 3: torch.tensor([0.0, 0.0, 1.0, 0.0, 0.0])}
    wanted = list(sample(Guided(model, prefix, weights), SOURCE, BOS, EOS, most_probable, 7))
    steps = list(beam(Guided(model, prefix, weights), SOURCE, BOS, EOS, 1, 7))
    assert tokens(steps, best(steps)) == written(wanted)
    total = sum(step.probabilities[step.token].log().item() for step in wanted)
    assert best(steps).log_probability == pytest.approx(total, abs=1e-4)


@pytest.mark.parametrize("model", ["fixed", "lstm", "universal"])
def test_a_guided_beam_continues_the_prefix(model):
    model, prefix = MODELS[model](2), [5, 4]
    steps = list(beam(Guided(model, prefix), SOURCE, BOS, EOS, 3, 5, length_penalty=0))
    assert [len(step.hypotheses) for step in steps[:3]] == [1, 1, 3]
    for step in steps[2:]:
        for node in step.hypotheses:
            path = tokens(steps, node)
            assert path[:2] == prefix
            total = sum(oracles.log_probabilities(model, SOURCE, path[:i], BOS)[path[i]] for i in range(len(path)))
            assert node.log_probability == pytest.approx(total, abs=1e-4)


def test_weights_by_hand_hold_for_every_hypothesis():
    model, row = model_of(4), torch.tensor([0.0, 0.0, 0.0, 0.0, 1.0])
    by_hand = list(beam(Guided(model, weights=dict.fromkeys(range(4), row)), SOURCE, BOS, EOS, 3, 4))
    memory = model.encode(SOURCE[None], torch.tensor([5]))
    for node in by_hand[-1].hypotheses:
        state, total, previous = model.start(memory), 0.0, BOS
        for token in tokens(by_hand, node):
            logits, state, _ = model.step(torch.tensor([previous]), state, memory, row[None, None])
            total += logits[0].log_softmax(-1)[token].item()
            previous = token
        assert node.log_probability == pytest.approx(total, abs=1e-4)


@models
def test_searches_run_on_every_device(model, device):
    model = MODELS[model](0)
    wanted = written(greedy(model, SOURCE, BOS, EOS, 5))
    steps = list(beam(model, SOURCE, BOS, EOS, 3, 5))
    found = tokens(steps, best(steps))
    source, lengths, target = SOURCE[None], torch.tensor([5]), torch.tensor([[BOS, *wanted]])
    model.to(device)
    assert written(greedy(model, SOURCE, BOS, EOS, 5)) == wanted
    steps = list(beam(model, SOURCE, BOS, EOS, 3, 5))
    assert tokens(steps, best(steps)) == found
    assert translate(model, source, lengths, BOS, EOS, 5).tolist() == [wanted]
    assert exact(model, source, lengths, target).tolist() == [True]
    with pytest.raises(ValueError, match="with a token to foretell after the first"):
        exact(model, source, lengths, target[:, :1])


class Pair(NamedTuple):
    first: object
    second: object


def test_select_takes_the_rows_of_everything():
    cache = Cache()
    cache.extend(torch.arange(3.0).reshape(3, 1, 1, 1), torch.arange(3.0).reshape(3, 1, 1, 1))
    rows, numbers = torch.tensor([2, 0, 0, 1]), torch.arange(6).reshape(3, 2)
    got = select(Pair([numbers, None, 4], ({"a": cache}, 0.5)), rows)
    assert isinstance(got, Pair)
    assert got.first[0].tolist() == [[4, 5], [0, 1], [0, 1], [2, 3]]
    assert got.first[1:] == [None, 4]
    assert isinstance(got.second, tuple)
    key, _ = got.second[0]["a"].extend(*(torch.zeros(4, 1, 0, 1),) * 2)
    assert key.flatten().tolist() == [2, 0, 0, 1]
    assert got.second[1] == 0.5
    assert cache.length == 1
    with pytest.raises(ValueError, match="and nests of them; got set"):
        select((numbers, {1}), rows)


# Continuing a text


def gpt_of(seed, build=gpt, longest=7):
    with seeded(seed):
        return shaken(build(11, 8, 2, 2, longest), 0.5)


gpts = pytest.mark.parametrize("build", [gpt, modern_gpt])


@gpts
@settings(max_examples=12)
@given(
    seed=st.integers(0, 99),
    prompt=st.lists(st.integers(0, 10), min_size=1, max_size=9),
    steps=st.integers(1, 11),
    longest=st.integers(1, 13),
)
def test_a_cache_changes_nothing(build, seed, prompt, steps, longest):
    """Also when the text is, or grows, longer than the model can read."""
    model, prompt = gpt_of(seed, build, longest), torch.tensor(prompt)

    def steps_of(reader):
        generator = torch.Generator().manual_seed(seed)
        return list(write(model, prompt, steps, lambda logits: draw(logits, generator), reader))

    with_one, without = steps_of(with_cache), steps_of(without_cache)
    assert written(with_one) == written(without)
    for ours, theirs in zip(with_one, without, strict=True):
        torch.testing.assert_close(ours.probabilities, theirs.probabilities, atol=1e-5, rtol=1e-4)


@gpts
@pytest.mark.parametrize("prompt", [[3], [1, 10, 4, 4], list(range(10))])
def test_writing_loops(build, prompt):
    model = gpt_of(5, build)
    steps = list(write(model, torch.tensor(prompt), 9, most_probable))
    assert written(steps) == oracles.write(model, prompt, 9, 7)
    for step in steps:
        assert (step.weights, step.scores, step.overridden, step.forced) == (None, None, False, False)
        assert step.probabilities.sum().item() == pytest.approx(1, abs=1e-5)
        assert not step.probabilities.requires_grad


def test_writing_can_be_watched():
    model = gpt_of(0)
    with record(model) as trace:
        for index, _ in enumerate(write(model, torch.tensor([1, 2]), 4)):
            name = trace.names[-1]
            assert trace[name][-1].weights.shape == (1, 2, 2 if index == 0 else 1, 2 + index)


def test_writing_on_every_device(device):
    model = gpt_of(0)
    wanted = written(write(model, torch.tensor([1, 2]), 9, most_probable))
    model.to(device)
    for reader in with_cache, without_cache:
        assert written(write(model, torch.tensor([1, 2]), 9, most_probable, reader)) == wanted


def test_the_benchmark_runs():
    with_one, without, ratio = generation.measure(quick=True)
    assert ratio.value == pytest.approx(with_one.value / without.value)


def looking_at(weights):
    return Guided(model_of(0), weights=weights)


@pytest.mark.parametrize("wrong", [torch.nan, inf, -inf])
@pytest.mark.parametrize(
    "search",
    [
        lambda writer, source: beam(writer, source, 1, 2, width=2),
        lambda writer, source: greedy(writer, source, 1, 2),
        lambda writer, source: [translate(writer, source[None], torch.tensor([1]), 1, 2)],
    ],
    ids=["beam", "greedy", "translate"],
)
def test_a_model_that_says_nothing_of_the_next_token_is_told(search, wrong):
    task, writer = TwoWords(), KnownChances(0.6)
    writer.logits[1] = wrong
    with pytest.raises(ValueError, match="above -inf; got"):
        list(search(writer, task.read("?")))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: temperature(torch.zeros(3), 0), "temperature above 0, got 0"),
        (lambda: temperature(torch.zeros(3), -1.0), "temperature above 0, got -1.0"),
        (lambda: temperature(torch.zeros(3), inf), "temperature above 0, got inf"),
        (lambda: top_k(torch.zeros(3), 0), "k to be a whole number of at least 1, got 0"),
        (lambda: top_p(torch.zeros(3), 0), "above 0 and at most 1, got 0"),
        (lambda: top_p(torch.zeros(3), 1.1), "above 0 and at most 1, got 1.1"),
        (lambda: top_p(torch.zeros(3), float("nan")), "above 0 and at most 1, got nan"),
        *[
            (
                partial(choose, torch.tensor([0.0, wrong]) if wrong != -inf else torch.full((2,), -inf)),
                f"above -inf; got {'-inf in each place of a row' if wrong == -inf else '1 that are none, of 2'}",
            )
            for choose in (draw, most_probable, partial(temperature, t=2), partial(top_k, k=1), partial(top_p, p=0.5))
            for wrong in (torch.nan, inf, -inf)
        ],
        (lambda: beam(model_of(0), SOURCE, BOS, EOS, 0), "width to be a whole number of at least 1, got 0"),
        (lambda: beam(model_of(0), SOURCE, BOS, EOS, 2, 0), "steps to be a whole number of at least 1, got 0"),
        (lambda: beam(model_of(0), SOURCE + 9, BOS, EOS, 2), "source tokens from 0 to 10, got 1"),
        (lambda: beam(model_of(0), SOURCE[:0], BOS, EOS, 2), r"at least one token, got shape \[0\]"),
        (lambda: beam(looking_at({0: torch.ones(4)}), SOURCE, BOS, EOS, 2), r"weights \[5\], .* got \[4\]"),
        (lambda: beam(Guided(model_of(0), [9]), SOURCE, BOS, EOS, 2), "tokens from 0 to 6, got 9"),
        (lambda: greedy(model_of(0), SOURCE, 7, EOS), "target tokens from 0 to 6, got 7"),
        (lambda: greedy(model_of(0), SOURCE, BOS, EOS, 0), "steps to be a whole number of at least 1, got 0"),
        (lambda: sample(model_of(0), SOURCE, BOS, EOS, lambda logits: 7), "tokens from 0 to 6, got 7"),
        (lambda: sample(looking_at({1: torch.ones(1, 5)}), SOURCE, BOS, EOS), r"weights \[5\], .* got \[1, 5\]"),
        (
            lambda: translate(model_of(0), SOURCE[None], torch.tensor([5]), BOS, EOS, 0),
            "steps to be a whole number of at least 1, got 0",
        ),
        (lambda: write(gpt_of(0), torch.tensor([], dtype=torch.long), 3), r"at least one token, got shape \[0\]"),
        (lambda: write(gpt_of(0), torch.tensor([11]), 3), "from 0 to 10, got 11"),
        (lambda: write(gpt_of(0), torch.tensor([1]), 0), "steps to be a whole number of at least 1, got 0"),
        (lambda: write(gpt_of(0), torch.tensor([1]), 3, lambda logits: 11), "tokens from 0 to 10, got 11"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        list(call())


@torch.no_grad()
def test_beam_adds_up_in_double_precision_what_a_model_says_in_bfloat16():
    model = model_of(0).bfloat16()
    memory = model.encode(SOURCE[None], torch.tensor([5]))
    logits, *_ = model.step(torch.tensor([BOS]), model.start(memory), memory)
    wanted = logits[0].double().log_softmax(-1).sort(descending=True).values[:3]
    first = next(beam(model, SOURCE, BOS, EOS, 3))
    assert [node.log_probability for node in first.hypotheses] == pytest.approx(wanted.tolist(), abs=1e-9)


def test_beam_follows_a_prefix_that_has_no_chance():
    model = model_of(0)
    model.decoder.output.bias.data[3] = -inf
    first = next(beam(Guided(model, prefix=[3]), SOURCE, BOS, EOS, 2))
    assert [(node.token, node.log_probability) for node in first.hypotheses] == [(3, -inf)]


def test_beam_proposes_no_token_without_a_chance():
    model = model_of(0)
    model.decoder.output.bias.data[3:] = -inf
    for step in beam(model, SOURCE, BOS, EOS, 7, max_steps=2):
        assert {node.token for node in step.hypotheses} <= {0, 1, 2}
