"""EncoderDecoderExplorer: numbers are torch's, both modes show the same moment, a weight by hand has consequences."""

import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab import AttentionSeq2Seq, FixedContext, greedy
from attnlab.analysis import with_weights
from attnlab.tasks import BOS, EOS, Progressives
from widgets.explorers.l02_looking_back.encoder_decoder import (
    FIXED,
    LOOKING,
    WEIGHTS,
    EncoderDecoderExplorer,
    first_wrong,
    name_of,
    reads,
    same_moment,
)
from widgets.instruments.machine.word_by_word import word_by_word

TEXT = "we are eating bread"


@pytest.fixture(scope="module")
def task():
    return Progressives()


def made(task, kind, **settings):
    torch.manual_seed(5)
    return kind(len(task.source_vocabulary), len(task.target_vocabulary), 8, 8, **settings).eval()


@pytest.fixture(scope="module")
def models(task):
    return {
        LOOKING: made(task, AttentionSeq2Seq, bidirectional=False),
        FIXED: made(task, FixedContext, bidirectional=False),
    }


@pytest.fixture
def explorer(models, task):
    return EncoderDecoderExplorer(models, task, text=TEXT)


def numbers(explorer, name):
    """A tensor of the picture."""
    return torch.tensor(explorer.parts["machine"].tensor(name))


def at(explorer, phase, word):
    """The position of a phase of a word, counted from 0."""
    film = explorer.result.film
    return next(i for i, frame in enumerate(film) if (frame["phase"], frame["step"]) == (phase, word))


def test_every_control(explorer, models, task):
    drive(explorer, models=models, task=task)


def test_numbers_of_looking_back_are_torchs(explorer, models, task):
    model, source = models[LOOKING], task.read(TEXT)
    written = list(greedy(model, source, BOS, EOS, max_steps=12))
    with torch.no_grad():
        memory = model.encode(source[None], torch.tensor([4]))
    assert torch.equal(numbers(explorer, "encoder.recurrent/in"), model.encoder.embedding(source).detach())
    assert torch.allclose(numbers(explorer, "encoder/out"), memory.keys[0], atol=1e-6)
    assert torch.allclose(numbers(explorer, "encoder/hidden"), memory.summary, atol=1e-6)
    for t, step in enumerate(written):
        weights, scores = numbers(explorer, WEIGHTS)[t], numbers(explorer, "decoder.attention/scores")[t]
        assert torch.allclose(weights, step.weights, atol=1e-6)
        assert torch.allclose(scores, step.scores, atol=1e-5)
        assert torch.allclose(numbers(explorer, "decoder.attention/hidden")[t].sum(-1), scores, atol=1e-5)
        context = numbers(explorer, "decoder.attention/context")[t]
        assert torch.allclose(context, step.weights @ memory.keys[0], atol=1e-6)
        assert torch.allclose(numbers(explorer, "decoder.attention/adds")[t].sum(0), context, atol=1e-6)
        shown = [task.target_vocabulary.index(w) if w != "end" else EOS for w in words(explorer)]
        assert torch.allclose(numbers(explorer, "decoder.output/out")[t], step.probabilities[shown], atol=1e-6)


def words(explorer):
    return explorer.parts["machine"].spec["labels"]["vocabulary"]


def test_each_state_is_the_cells(explorer, models, task):
    model, states = models[LOOKING], numbers(explorer, "decoder.cell/out")
    before = torch.tensor([BOS, *explorer.result.steps.tokens[:-1]])
    contexts = numbers(explorer, "decoder.attention/context")
    with torch.no_grad():
        after = model.decoder.cell(torch.cat([model.decoder.embedding(before), contexts], dim=-1), states[:-1])
    assert torch.allclose(states[1:], after, atol=1e-6)


def test_one_fixed_vector_is_the_last_state_mapped(explorer, models, task):
    explorer.mode = FIXED
    with torch.no_grad():
        summary = torch.tanh(models[FIXED].encoder.summarise(numbers(explorer, "encoder/out")[-1]))
    assert torch.allclose(numbers(explorer, "encoder/hidden")[0], summary, atol=1e-6)
    assert WEIGHTS not in explorer.parts["machine"].spec["tensors"]
    assert torch.allclose(explorer.context, summary, atol=1e-6)


def test_the_other_mode_shows_the_same_word_and_phase(explorer):
    film = explorer.result.film
    for phase, word, other in [("write", 1, "write"), ("ask", 2, "pass on"), ("read", -1, "read")]:
        explorer.change(mode=LOOKING)
        explorer.step = at(explorer, phase, word)
        explorer.mode = FIXED
        assert explorer.result.film[explorer.step]["phase"] == other
        assert explorer.result.film[explorer.step]["step"] == word
    explorer.step = at(explorer, "pass on", 0)
    explorer.mode = LOOKING
    assert film[explorer.step]["phase"] == "add", "there the context is the latest that is seen"


def test_a_film_with_fewer_words_ends_at_its_last_one():
    long, short = (word_by_word(reads(2), list("abcd")[:n], ["pass on", "write"]) for n in (4, 2))
    assert short[same_moment(long, short, len(long) - 1)] == short[-1]
    assert [frame["phase"] for frame in short][:5] == ["start", "read", "read", "hand over", "pass on"]
    assert [name_of(frame, 2, 2) for frame in (short[0], short[2], short[3], short[-1])] == [
        "nothing is read yet",
        "reads word 2 of 2",
        "hands over",
        "word 2 of 2: write",
    ]


def test_a_hand_sets_a_weight_and_the_next_words_follow(explorer, models, task):
    own = explorer.result.steps
    explorer.step = at(explorer, "weigh", 1)
    explorer.parts["machine"].edits = [[WEIGHTS, 1, 3, 0.9]]
    row = with_weights(own.weights[1], {3: 0.9})
    assert torch.allclose(numbers(explorer, WEIGHTS)[1], row, atol=1e-6)
    by_hand = list(greedy(models[LOOKING], task.read(TEXT), BOS, EOS, max_steps=12, weights={1: row}))
    assert explorer.result.steps.tokens == [step.token for step in by_hand]
    assert explorer.parts["machine"].edits == [[WEIGHTS, 1, 3, 0.9]], "as the hand has set it"
    assert "You gave “bread” 90" in repr(explorer.parts["caption"])
    was = numbers(explorer, "decoder.output/was")
    shown = [task.target_vocabulary.index(w) if w != "end" else EOS for w in words(explorer)]
    both = min(len(was), len(own.tokens))
    assert torch.allclose(was[:both], own.probabilities[:both, shown], atol=1e-6)
    for phase in ("weigh", "write"):
        explorer.step = at(explorer, phase, 1)
        code_gives_the_picture(explorer, models=models, task=task)


def test_the_page_is_told_what_became_of_weights_that_made_room(explorer):
    explorer.parts["machine"].edits = [[WEIGHTS, 1, 3, 0.9], [WEIGHTS, 1, 0, 0.4]]
    weights = numbers(explorer, WEIGHTS)[1]
    assert weights.tolist() == pytest.approx([0.4, 0.0, 0.0, 0.6])
    told = explorer.parts["machine"].edits
    assert [edit[:3] for edit in told] == [[WEIGHTS, 1, 3], [WEIGHTS, 1, 0]]
    assert [edit[3] for edit in told] == pytest.approx([0.6, 0.4])
    steps = explorer.result.steps
    explorer.parts["machine"].edits = [*told[1:], told[0]]
    assert torch.allclose(explorer.result.steps.weights, steps.weights, atol=1e-6)


def test_what_a_hand_did_ends_with_another_text_and_with_a_reset(explorer):
    for forget in (lambda: setattr(explorer, "text", "they are reading books"), explorer.reset):
        explorer.parts["machine"].edits = [[WEIGHTS, 0, 1, 0.4]]
        assert explorer.edits
        forget()
        assert explorer.edits == explorer.parts["machine"].edits == []
        assert "decoder.output/was" not in explorer.parts["machine"].spec["tensors"]


def test_the_films_slider_moves_the_stepper(explorer):
    explorer.parts["machine"].frame = 4
    assert explorer.step == 4
    assert "reads “bread”" in repr(explorer.parts["caption"])
    explorer.step = 2
    assert explorer.parts["machine"].frame == 2


def test_the_first_wrong_word_is_told_with_the_right_one(explorer, task):
    due = ["estamos", "comiendo", "pan", "end"]
    wrong = first_wrong(explorer.parts["machine"].spec["labels"]["target"], due)
    assert wrong >= 0, "an untrained model"
    explorer.step = at(explorer, "write", wrong)
    said = repr(explorer.parts["caption"])
    assert f"The right word is “{due[wrong]}”. Of 60 sentences that it never saw" in said
    explorer.step = at(explorer, "write", wrong + 1)
    assert "The right word is" not in repr(explorer.parts["caption"])
    assert first_wrong(["a", "b"], ["a", "b", "c"]) == first_wrong(["a"], []) == -1


def test_a_model_that_has_learned_on_is_asked_again(explorer, models):
    before = numbers(explorer, "encoder/out")
    own = models[LOOKING].state_dict()["encoder.embedding.weight"].clone()
    try:
        with torch.no_grad():
            models[LOOKING].encoder.embedding.weight.add_(0.5)
        explorer.refresh()
        assert not torch.allclose(numbers(explorer, "encoder/out"), before)
    finally:
        with torch.no_grad():
            models[LOOKING].encoder.embedding.weight.copy_(own)


def test_what_cannot_be_shown(explorer, models, task):
    explorer.text = "we are eating qwertz"
    assert "qwertz" in explorer.parts["caption"].error
    explorer.mode = FIXED
    assert "qwertz" in explorer.parts["caption"].error
    both_ways = {**models, LOOKING: made(task, AttentionSeq2Seq)}
    with pytest.raises(ValueError, match="expected encoders that read in one direction, got 'looking back'"):
        EncoderDecoderExplorer(both_ways, task, text=TEXT)


@pytest.mark.parametrize("mode", [LOOKING, FIXED])
def test_a_nan_is_said_with_the_part_that_made_it(task, mode):
    broken = {
        LOOKING: made(task, AttentionSeq2Seq, bidirectional=False),
        FIXED: made(task, FixedContext, bidirectional=False),
    }
    explorer = EncoderDecoderExplorer(broken, task, text=TEXT, mode=mode)
    before = explorer.parts["machine"].numbers
    broken[mode].decoder.output.bias.data[0] = torch.nan
    explorer.refresh()
    assert explorer.parts["caption"].error.startswith("not a number: decoder.output/out, ")
    assert explorer.parts["machine"].numbers is before


def test_each_state_and_chance_through_one_fixed_vector_is_the_models(explorer, models, task):
    explorer.mode = FIXED
    written = list(greedy(models[FIXED], task.read(TEXT), BOS, EOS, max_steps=12))
    shown = [task.target_vocabulary.index(w) if w != "end" else EOS for w in words(explorer)]
    for t, step in enumerate(written):
        assert torch.allclose(numbers(explorer, "decoder.output/out")[t], step.probabilities[shown], atol=1e-6)
    states, before = numbers(explorer, "decoder.cell/out"), torch.tensor([BOS, *(step.token for step in written[:-1])])
    with torch.no_grad():
        contexts = explorer.context.expand(len(before), -1)
        after = models[FIXED].decoder.cell(
            torch.cat([models[FIXED].decoder.embedding(before), contexts], -1), states[:-1]
        )
    assert torch.allclose(states[1:], after, atol=1e-6)


def test_name_in_words(explorer):
    assert repr(explorer) == f"EncoderDecoderExplorer(text={TEXT!r}, mode='looking back', step=0)"
