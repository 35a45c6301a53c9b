"""Captions word by word: what greedy search writes, also after a hand has moved weights or hidden a part."""

import re

import pytest
import torch

from attnlab import greedy, translate
from attnlab.analysis.images.caption_steps import answer_map, caption_steps, drawn_exact, word_shares
from attnlab.hard_attention import sampled
from attnlab.specs.vision import captioner as specs
from attnlab.tasks.scenes import Scenes, caption, word_regions
from attnlab.training import weights_of
from attnlab.vision import Answerer, Captioner, FixedCaptioner


def made(kind, *sizes, seed=0):
    torch.manual_seed(seed)
    return kind(*sizes, hidden=11, embedding=5, dim=7, size=20).eval()


PICTURE = torch.rand(3, 20, 20, generator=torch.Generator().manual_seed(0))
ROW = torch.rand(5, 5).flatten().softmax(0).unflatten(0, (5, 5))


@pytest.mark.parametrize("given", [{}, {1: ROW}, {0: ROW, 3: ROW.T}])
def test_what_greedy_search_writes(given):
    model = made(Captioner, 13)
    steps = caption_steps(model, PICTURE, given=given, most=6)
    rows = {word: weights.flatten() for word, weights in given.items()}
    wanted = list(greedy(model, PICTURE, 1, 2, 6, weights=rows))
    assert steps.tokens == [step.token for step in wanted]
    torch.testing.assert_close(steps.probabilities, torch.stack([step.probabilities for step in wanted]))
    torch.testing.assert_close(steps.weights.flatten(1), torch.stack([step.weights for step in wanted]))
    for word in range(len(wanted)):
        same = torch.allclose(steps.own[word], steps.weights[word])
        assert same == (word not in given), "own is what the model would have looked at"


def test_a_blind_spot_holds_for_every_word():
    model, allowed = made(Captioner, 13), ROW.median() > ROW
    steps = caption_steps(model, PICTURE, allowed, most=6)
    wanted = translate(model, PICTURE[None], allowed[None], 1, 2, 6)[0].tolist()
    assert steps.tokens == wanted[: len(steps.tokens)]
    assert steps.weights[:, ~allowed].abs().max() == 0
    torch.testing.assert_close(steps.weights.sum((1, 2)), torch.ones(len(steps.tokens)))


def test_one_place_is_drawn_for_every_word_that_is_not_given():
    model = made(Captioner, 13)
    first, again, other = (
        caption_steps(model, PICTURE, given={1: ROW}, weigh=sampled(torch.Generator().manual_seed(seed)), most=9)
        for seed in (4, 4, 5)
    )
    torch.testing.assert_close(first.weights, again.weights)
    assert not torch.allclose(first.weights[:2], other.weights[:2])
    torch.testing.assert_close(first.weights[1], ROW)
    assert (first.weights[0].sort().values.flatten().sort().values[-2:]).tolist() == [0, 1]


def test_a_model_that_cannot_look():
    model = made(FixedCaptioner, 13)
    steps = caption_steps(model, PICTURE, most=6)
    assert steps.weights is None
    assert steps.own is None
    assert steps.tokens == [step.token for step in greedy(model, PICTURE, 1, 2, 6)]


def test_an_answer_is_the_models():
    model, question, allowed = made(Answerer, 9, 6), torch.tensor([3, 4, 5]), ROW.median() > ROW
    batch = PICTURE[None], allowed[None], question[None], torch.tensor([3])
    found = answer_map(model, PICTURE, question, allowed)
    with torch.no_grad():
        torch.testing.assert_close(found.probabilities, model(*batch)[0].softmax(-1))
    torch.testing.assert_close(found.weights.flatten(), weights_of(model, "attention", *batch).flatten())
    assert found.weights[~allowed].abs().max() == 0


def test_the_shares_of_all_words_are_those_of_the_loops():
    task = Scenes(size=20, tests=3)
    torch.manual_seed(0)
    model = Captioner(len(task.vocabulary), hidden=11).eval()
    scenes, wanted = [*task.test, task.test[0][:1], ()], []
    for scene in scenes:
        batch = task.collate([scene])
        weights = weights_of(model, "decoder.attention", *batch[:2], batch.captions[:, :-1])[0]
        wanted += [
            specs.share_inside(own, region)
            for own, region in zip(weights, word_regions(scene), strict=False)
            if region.any()
        ]
    assert len(wanted) == 3 * 4 + 2
    assert caption(()) == "nothing"
    assert word_shares(model, task, scenes).tolist() == pytest.approx(wanted, abs=1e-6)


def test_places_are_drawn_from_the_weights_by_the_generator():
    task = Scenes(size=20, tests=30)
    torch.manual_seed(0)
    model, batch = Captioner(len(task.vocabulary), hidden=11).eval(), task.collate(task.test)
    with torch.no_grad():
        model.encoder.positions.rows.mul_(9)  # so that what is said depends on where it looks
        memory = model.encode(*batch[:2])
        _, _, own = model.step(batch.captions[:, 0], model.start(memory), memory)
        row = sampled(torch.Generator().manual_seed(4))(own.scores, memory.mask.unsqueeze(1))
        logits, _, _ = model.step(batch.captions[:, 0], model.start(memory), memory, row)
    said = batch._replace(captions=torch.stack([batch.captions[:, 0], logits.argmax(-1)], dim=1))
    kept = model.decoder.attention
    assert drawn_exact(model, said, torch.Generator().manual_seed(4)) == 1
    assert drawn_exact(model, said, torch.Generator().manual_seed(5)) < 1
    assert model.decoder.attention is kept


@pytest.mark.usefixtures("as_a_learner")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: caption_steps(made(FixedCaptioner, 13), PICTURE, given={0: ROW}), "this captioner cannot look"),
        (lambda: caption_steps(made(Captioner, 13), PICTURE, given={0: ROW[:3]}), "expected weights [batch, queries"),
        (lambda: caption_steps(made(Captioner, 13), PICTURE[:, :8]), "expected pictures"),
        (lambda: caption_steps(made(Captioner, 13), PICTURE, ROW[:3] > 0), "expected allowed [batch, rows, columns]"),
        (lambda: word_shares(Captioner(18), Scenes(size=20, tests=3), [()]), "expected scenes with a thing"),
        (
            lambda: drawn_exact(
                FixedCaptioner(18), Scenes(size=20, tests=3).batch(2, torch.Generator()), torch.Generator()
            ),
            "expected a captioner that looks",
        ),
        (lambda: answer_map(made(Answerer, 9, 6), PICTURE, torch.tensor([11])), "source tokens"),
    ],
)
def test_complaints(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
