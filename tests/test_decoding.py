from inspect import unwrap

import oracles
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.decoding import BeamStep, Hypothesis, beam, best, exact, greedy, tokens, translate
from attnlab.seq2seq import AttentionSeq2Seq, FixedContext

BOS, EOS = 1, 2
SOURCE = torch.tensor([3, 9, 4, 7, 5])


def model_of(seed, vocabulary=7, build=AttentionSeq2Seq):
    """An untrained model with opinions: its logits are spread out, so that targets end and differ."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = build(11, vocabulary, hidden=5, embedding=3)
        model.decoder.output.weight.data *= 8
    return model


def written(steps):
    return [step.token for step in steps]


@pytest.mark.parametrize("build", [AttentionSeq2Seq, FixedContext])
@pytest.mark.parametrize("seed", range(5))
def test_greedy_loops(seed, build):
    model = model_of(seed, build=build)
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


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(3, 6), max_size=6), st.integers(0, 10))
def test_a_prefix_is_kept_and_continued(prefix, seed):
    model = model_of(seed)
    steps = list(greedy(model, SOURCE, BOS, EOS, 8, prefix=prefix))
    assert written(steps)[: len(prefix)] == prefix
    assert [step.forced for step in steps] == [index < len(prefix) for index in range(len(steps))]
    assert written(steps) == oracles.greedy(model, SOURCE, BOS, EOS, 8, prefix)


def test_a_prefix_may_end():
    assert written(greedy(model_of(0), SOURCE, BOS, EOS, 8, prefix=[4, EOS, 5])) == [4, EOS]


@settings(deadline=None, max_examples=30)
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
    [(torch.ones(4), r"weights \[5\], .* got \[4\]"),
     (torch.ones(1, 5), r"weights \[5\], .* got \[1, 5\]"),
     (torch.tensor([0.5, 0.5, -1, 0.5, 0.5]), "0 or more"),
     (torch.tensor([0.5, 0.5, torch.nan, 0.5, 0.5]), "finite"),
     (torch.tensor([0.5, 0.5, torch.inf, 0.5, 0.5]), "finite")],
)
def test_weights_that_are_none(weights, message):
    with pytest.raises(ValueError, match=message):
        list(unwrap(greedy)(model_of(0), SOURCE, BOS, EOS, weights={1: weights}))


def test_other_bad_input():
    with pytest.raises(ValueError, match="at least one token"):
        next(greedy(model_of(0), SOURCE[:0], BOS, EOS))
    with pytest.raises(ValueError, match="tokens from 0 to 6, got 7"):
        next(greedy(model_of(0), SOURCE, BOS, EOS, prefix=[7]))
    with pytest.raises(ValueError, match="one fixed context"):
        next(greedy(model_of(0, build=FixedContext), SOURCE, BOS, EOS, weights={0: torch.ones(5)}))
    with pytest.raises(ValueError, match="at least 1, got 0"):
        next(beam(model_of(0), SOURCE, BOS, EOS, 0))
    with pytest.raises(ValueError, match="got none"):
        best([])


@pytest.mark.parametrize("seed", range(20))
def test_a_beam_of_one_is_greedy(seed):
    model = model_of(seed)
    steps = list(beam(model, SOURCE, BOS, EOS, 1, 9))
    assert tokens(steps, best(steps)) == written(greedy(model, SOURCE, BOS, EOS, 9))


@pytest.mark.parametrize("length_penalty", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("width", [2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_beam_loops(seed, width, length_penalty):
    model = model_of(seed)
    steps = list(beam(model, SOURCE, BOS, EOS, width, 6, length_penalty))
    assert tokens(steps, best(steps)) == oracles.beam(model, SOURCE, BOS, EOS, width, 6, length_penalty)


@pytest.mark.parametrize("seed", range(3))
def test_a_beam_wide_enough_finds_the_most_probable_target(seed):
    model = model_of(seed, vocabulary=4)
    steps = list(beam(model, SOURCE, BOS, EOS, 4**4, 4, length_penalty=0))
    expected, log_probability = oracles.most_probable(model, SOURCE, BOS, EOS, 4, 4)
    assert tokens(steps, best(steps)) == expected
    assert best(steps).log_probability == pytest.approx(log_probability, abs=1e-4)


@pytest.mark.parametrize("seed", range(3))
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


@pytest.mark.parametrize("build", [AttentionSeq2Seq, FixedContext])
@pytest.mark.parametrize("seed", range(3))
def test_translate_is_greedy_for_each_row(seed, build):
    model = model_of(seed, build=build)
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
