"""A translation with every vector on its way: against greedy search, against the model's own layers, and by hand."""

import pytest
import torch

from attnlab.alignment import Additive
from attnlab.analysis.words.translation_steps import additive_terms, translation_steps, with_weights
from attnlab.decoding import greedy
from attnlab.seq2seq import CELLS, AttentionSeq2Seq, FixedContext, LuongSeq2Seq

SOURCE, BOS, EOS = torch.tensor([3, 7, 5, 4, 9]), 1, 2


def made(kind, **settings):
    torch.manual_seed(3)
    return kind(11, 13, hidden=7, embedding=5, **settings)


MODELS = {
    f"{kind.__name__} {cell} {way}": made(kind, cell=CELLS[cell], bidirectional=way == "both ways")
    for kind in (AttentionSeq2Seq, FixedContext)
    for cell in CELLS
    for way in ("one way", "both ways")
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_what_greedy_search_writes(model):
    written = list(greedy(model, SOURCE, BOS, EOS, max_steps=6))
    steps = translation_steps(model, SOURCE, BOS, EOS, max_steps=6)
    assert steps.tokens == [step.token for step in written]
    torch.testing.assert_close(steps.probabilities, torch.stack([step.probabilities for step in written]))
    if steps.weights is not None:
        torch.testing.assert_close(steps.weights, torch.stack([step.weights for step in written]))
        torch.testing.assert_close(steps.scores, torch.stack([step.scores for step in written]))


def test_a_beginning_that_is_the_end_too_is_no_end():
    model = made(AttentionSeq2Seq)
    written = list(greedy(model, SOURCE, EOS, EOS, max_steps=6))
    assert translation_steps(model, SOURCE, EOS, EOS, max_steps=6).tokens == [step.token for step in written]


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_each_vector_follows_from_those_before(model):
    steps = translation_steps(model, SOURCE, BOS, EOS, max_steps=6)
    memory = model.encode(SOURCE[None], torch.tensor([5]))
    torch.testing.assert_close(steps.keys, memory.keys[0])
    torch.testing.assert_close(steps.states[0], memory.summary[0])
    if steps.weights is None:
        assert steps.scores is steps.adds is None
        torch.testing.assert_close(steps.contexts, memory.summary.expand(len(steps.tokens), -1))
    else:
        torch.testing.assert_close(steps.weights, steps.scores.softmax(-1))
        torch.testing.assert_close(steps.contexts, steps.weights @ steps.keys)
        torch.testing.assert_close(steps.contexts, steps.adds.sum(dim=1))
    logits = model.decoder.output(torch.cat([steps.states[1:], steps.contexts], dim=-1))
    torch.testing.assert_close(steps.probabilities, logits.softmax(-1))


def test_the_next_state_is_the_cells():
    model = MODELS["AttentionSeq2Seq rnn one way"]
    steps = translation_steps(model, SOURCE, BOS, EOS, max_steps=6)
    words = model.decoder.embedding(torch.tensor([BOS, *steps.tokens[:-1]]))
    after = model.decoder.cell(torch.cat([words, steps.contexts], dim=-1), steps.states[:-1])
    torch.testing.assert_close(steps.states[1:], after)


def test_a_weight_by_hand_goes_on_into_what_follows():
    model = MODELS["AttentionSeq2Seq gru one way"]
    own = translation_steps(model, SOURCE, BOS, EOS, max_steps=6)
    steps = translation_steps(model, SOURCE, BOS, EOS, {1: {3: 0.6, 0: 0.25}}, max_steps=6)
    row = with_weights(own.weights[1], {3: 0.6, 0: 0.25})
    torch.testing.assert_close(steps.weights[1], row)
    torch.testing.assert_close(steps.contexts[1], row @ steps.keys)
    torch.testing.assert_close(steps.scores[1], own.scores[1])
    torch.testing.assert_close(steps.states[:2], own.states[:2])
    assert not torch.allclose(steps.states[2], own.states[2])
    found = list(greedy(model, SOURCE, BOS, EOS, max_steps=6, weights={1: row}))
    assert steps.tokens == [step.token for step in found]
    torch.testing.assert_close(steps.probabilities, torch.stack([step.probabilities for step in found]))


def test_a_later_row_is_the_models_own_after_the_earlier_change():
    model = MODELS["AttentionSeq2Seq gru one way"]
    first = translation_steps(model, SOURCE, BOS, EOS, {0: {4: 1.0}}, max_steps=4)
    both = translation_steps(model, SOURCE, BOS, EOS, {0: {4: 1.0}, 2: {1: 0.5}}, max_steps=4)
    torch.testing.assert_close(both.weights[2], with_weights(first.weights[2], {1: 0.5}))


@pytest.mark.parametrize(
    ("model", "changed", "message"),
    [
        (made(LuongSeq2Seq), {}, "expected a decoder that reads its context first, got a ParallelDecoder"),
        (MODELS["FixedContext gru one way"], {0: {1: 0.5}}, "expected no weights: this decoder has one fixed context"),
        (MODELS["AttentionSeq2Seq gru one way"], {0: {5: 0.5}}, "expected keys from 0 to 4, got 5"),
        (MODELS["AttentionSeq2Seq gru one way"], {0: {1: 1.5}}, "expected weights from 0 to 1, got 1.5"),
    ],
)
def test_what_cannot_be_done_is_told(model, changed, message):
    with pytest.raises(ValueError, match=message):
        translation_steps(model, SOURCE, BOS, EOS, changed)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({0: 0.0}, [0.0, 0.6, 0.4]),
        ({1: 0.65}, [0.25, 0.65, 0.1]),
        ({0: 0.1, 1: 0.2}, [0.1, 0.2, 0.7]),
        ({0: 0.9, 1: 0.4}, [0.6, 0.4, 0.0]),  # the first makes room for the last
        ({0: 0.2, 1: 0.2, 2: 0.2}, [0.4, 0.4, 0.2]),  # no others: the earlier ones take what is left
        ({0: 0.0, 1: 0.0, 2: 0.2}, [0.4, 0.4, 0.2]),
        ({}, [0.5, 0.3, 0.2]),
    ],
)
def test_weights_are_set_and_the_others_share_the_rest(changes, found):
    weights = torch.tensor([0.5, 0.3, 0.2])
    row = with_weights(weights, changes)
    torch.testing.assert_close(row, torch.tensor(found))
    assert weights.tolist() == pytest.approx([0.5, 0.3, 0.2])
    again = with_weights(weights, {key: float(row[key]) for key in changes})
    torch.testing.assert_close(again, row)


def test_others_that_are_zero_share_evenly_and_an_only_key_keeps_all():
    torch.testing.assert_close(with_weights(torch.tensor([1.0, 0.0, 0.0]), {0: 0.4}), torch.tensor([0.4, 0.3, 0.3]))
    torch.testing.assert_close(with_weights(torch.tensor([1.0]), {0: 0.2}), torch.tensor([1.0]))


def test_the_terms_of_additive_attention_sum_to_its_scores():
    torch.manual_seed(0)
    score, query, key = Additive(7, 3, 5), torch.randn(4, 7), torch.randn(2, 3)
    terms = additive_terms(score, query, key)
    assert terms.shape == (4, 2, 5)
    torch.testing.assert_close(terms.sum(-1), score(query, key))
