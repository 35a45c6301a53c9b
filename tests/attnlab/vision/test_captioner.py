"""The grid encoder against loops; captioners in the hands of everything that translators are in the hands of."""

import re

import oracles_seq2seq
import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from attnlab import SCORES, exact, fit, greedy, record, teacher_forcing, translate
from attnlab.analysis import difference_of_maps
from attnlab.hard_attention import log_probability
from attnlab.seq2seq import State
from attnlab.specs import alignment, each
from attnlab.specs.vision import captioner as specs
from attnlab.trace import override
from attnlab.training import weights_of
from attnlab.vision import Answerer, Captioner, FixedCaptioner, HardCaptioner, doubly_stochastic, hard_caption_loss
from attnlab.vision.captioner import CELL, FIELD, STRIDE, GridEncoder, RowsAndColumns

PICTURES, EVERYWHERE = torch.rand(3, 3, 12, 12), torch.ones(3, 3, 3, dtype=torch.bool)
CAPTIONS = torch.tensor([[1, 4, 12, 5, 2], [1, 7, 2, 0, 0], [1, 3, 3, 2, 0]])
KINDS = pytest.mark.parametrize("kind", [Captioner, HardCaptioner, FixedCaptioner])


def small(kind=Captioner, **options):
    torch.manual_seed(0)
    return kind(13, hidden=5, embedding=3, dim=7, size=12, **options).eval()


def close(got, wanted):
    torch.testing.assert_close(got, wanted, atol=1e-5, rtol=1e-5)


def test_the_grid_is_that_of_the_loops():
    encoder = GridEncoder(dim=3, size=8, channels=2)
    first, _, second, _, last = encoder.convolutions
    picture = torch.rand(3, 8, 8)
    x = specs.convolution(picture, first.weight, first.bias, 2, 1).clamp(min=0)
    x = specs.convolution(x, second.weight, second.bias, 2, 1).clamp(min=0)
    x = specs.convolution(x, last.weight, last.bias, 1, 0)
    rows, columns = encoder.positions.rows.squeeze(1), encoder.positions.columns.squeeze(0)
    memory = encoder(picture.unsqueeze(0))
    close(memory.keys[0], specs.places(x, rows, columns))
    close(memory.summary, memory.keys.mean(dim=1))
    assert memory.mask.all()


def test_a_place_sees_ten_pixels_around_its_cell():
    torch.manual_seed(0)
    encoder = GridEncoder(dim=24, size=32)
    picture = torch.rand(1, 3, 32, 32, requires_grad=True)
    encoder(picture).keys[0, 3 * 8 + 5].sum().backward()
    rows, columns = (picture.grad[0].abs().sum(0) > 0).nonzero().unbind(1)
    assert [rows.min(), rows.max(), columns.min(), columns.max()] == [9, 18, 17, 26]
    assert FIELD == 18 - 9 + 1
    assert 2 * 3 * STRIDE + STRIDE - 1 == 9 + 18  # the cell's own pixels, 12 to 15, lie in the middle


def test_the_summary_is_of_what_may_be_seen():
    encoder, allowed = GridEncoder(dim=3, size=12), EVERYWHERE.clone()
    allowed[0, 0, 1:], allowed[1] = False, False
    memory = encoder(PICTURES, allowed)
    close(memory.summary[0], memory.keys[0, allowed[0].flatten()].mean(dim=0))
    assert not memory.summary[1].any()
    assert torch.equal(memory.mask, allowed.flatten(1))


def test_one_step_is_that_of_the_loops():
    model = small()
    memory, state = model.encode(PICTURES), None
    state = model.start(memory)
    assert not state.hidden.any()
    state = state._replace(hidden=torch.rand(3, 5))
    logits, after, attention = model.step(CAPTIONS[:, 1], state, memory)
    score = alignment.SCORES["additive"](model.decoder.attention.score)
    for row, token in enumerate(CAPTIONS[:, 1].tolist()):
        wanted, h, _, weights = oracles_seq2seq.bahdanau_step(
            "gru", model.decoder, token, state.hidden[row].tolist(), None, memory.keys[row], score
        )
        close(logits[row], torch.tensor(wanted))
        close(after.hidden[row], torch.tensor(h))
        close(attention.weights[row, 0], torch.as_tensor(weights))


def test_a_fifth_of_the_state_is_forgotten_while_it_learns_and_none_at_work():
    cell, state = nn.GRUCell(3, 503), State(torch.rand(7, 503))
    inputs = torch.rand(7, 3)
    kept = CELL.step(cell.eval(), inputs, state)
    assert torch.equal(kept.hidden, cell(inputs, state.hidden))
    after = CELL.step(cell.train(), inputs, state)
    assert after.place == 1
    forgotten = after.hidden == 0
    assert 0.15 < forgotten.float().mean() < 0.25
    close(after.hidden[~forgotten], kept.hidden[~forgotten] / 0.8)


@KINDS
def test_searches_agree(kind):
    model = small(kind)
    together = translate(model, PICTURES, EVERYWHERE, 1, 2, max_steps=6)
    for picture, row in zip(PICTURES, together.tolist(), strict=True):
        alone = [step.token for step in greedy(model, picture, 1, 2, max_steps=6)]
        assert row[: len(alone)] == alone
    logits = model(PICTURES, EVERYWHERE, CAPTIONS)
    assert exact(model, PICTURES, EVERYWHERE, torch.cat([CAPTIONS[:, :1], logits.argmax(-1)], 1)[:, :2]).all()
    close(
        teacher_forcing(model, PICTURES, EVERYWHERE, CAPTIONS),
        cross_entropy(logits[:, :-1].flatten(0, 1), CAPTIONS[:, 1:].flatten(), ignore_index=0),
    )


@pytest.mark.parametrize("score", [name for name in SCORES if name not in ("dot", "scaled_dot", "content")])
def test_every_score_fits(score):
    weights = weights_of(small(score=SCORES[score]), "decoder.attention", PICTURES, EVERYWHERE, CAPTIONS)
    close(weights.sum(-1), torch.ones(3, 5))


def test_concat_gives_one_map_for_all_words():
    """Its query cancels in the softmax: the silent failure, by construction. Another score does not do it."""
    for score, same in [("concat", True), ("additive", False)]:
        weights = weights_of(small(score=SCORES[score]), "decoder.attention", PICTURES, EVERYWHERE, CAPTIONS)
        apart = difference_of_maps(weights, torch.ones(3, 5, dtype=torch.bool))
        assert bool((apart < 1e-6).all()) == same


def test_record_hears_each_word_and_override_goes_on_into_the_following_words():
    model = small()
    with record(model) as before:
        plain = model(PICTURES, None, CAPTIONS)
    assert [seen.weights.shape for seen in before["decoder.attention"]] == [(3, 1, 9)] * 5
    given = torch.full((5, 9), torch.nan)
    given[2] = torch.eye(9)[4]
    with override(model, {"decoder.attention": given}), record(model) as after:
        changed = model(PICTURES, None, CAPTIONS)
    close(changed[:, :2], plain[:, :2])
    assert (changed[:, 2:] - plain[:, 2:]).abs().amax(-1).min() > 1e-4
    weights = [seen.weights[:, 0] for seen in after["decoder.attention"]]
    close(weights[2], given[2].expand(3, 9))
    close(after["decoder.attention"][2].context[:, 0], model.encode(PICTURES).keys[:, 4])
    assert (weights[3] - before["decoder.attention"][3].weights[:, 0]).abs().max() > 1e-5


def test_override_of_fewer_steps_and_of_one_step_of_a_search():
    model, row = small(), torch.eye(9)[4]
    with override(model, {"decoder.attention": row.expand(1, 9)}):
        written = translate(model, PICTURES, EVERYWHERE, 1, 2, max_steps=4)
    for picture, tokens in zip(PICTURES, written.tolist(), strict=True):
        steps = list(greedy(model, picture, 1, 2, max_steps=4, weights={0: row}))
        assert tokens[: len(steps)] == [step.token for step in steps]
        assert steps[0].overridden
    with override(model, {"decoder.attention": torch.ones(2, 7)}), pytest.raises(ValueError, match="broadcast to"):
        model(PICTURES, None, CAPTIONS)
    with pytest.raises(ValueError, match=r"expected names out of \['decoder.attention'\]"):
        override(model, {"attention": row}).__enter__()


def test_a_blind_spot_gets_no_weight():
    allowed = EVERYWHERE.clone()
    allowed[:, 1, :2], allowed[2] = False, False
    weights = weights_of(small(), "decoder.attention", PICTURES, allowed, CAPTIONS)
    assert not weights[:, :, [3, 4]].any()
    assert not weights[2].any()
    close(weights[:2].sum(-1), torch.ones(2, 5))


def test_hard_looks_at_one_place_drawn_or_likeliest():
    model = small(HardCaptioner)
    again = [model.run(PICTURES, None, CAPTIONS)[1].weights for _ in range(2)]
    assert torch.equal(*again)
    _, seen = model.run(PICTURES, None, CAPTIONS)
    close(seen.weights.max(-1).values, torch.ones(3, 5))
    assert torch.equal(seen.weights.argmax(-1), seen.scores.argmax(-1))
    torch.manual_seed(1)
    _, drawn = model.train().run(PICTURES, None, CAPTIONS)
    assert not torch.equal(drawn.weights, seen.weights)


def test_the_hard_loss_rewards_what_came_after_each_look():
    model = small(HardCaptioner).train()
    torch.manual_seed(3)
    got = hard_caption_loss(model, PICTURES, EVERYWHERE, CAPTIONS)
    torch.manual_seed(3)
    logits, seen = model.run(PICTURES, EVERYWHERE, CAPTIONS[:, :-1])
    log_p, chosen = logits.log_softmax(-1).detach(), log_probability(seen.scores, seen.weights).detach()
    lengths, total = [4, 2, 3], 0.0
    right = [[float(log_p[i, t, CAPTIONS[i, t + 1]]) for t in range(length)] for i, length in enumerate(lengths)]
    for i, length in enumerate(lengths):
        for t in range(length):
            baseline = sum(sum(right[j][t:]) for j in range(3) if j != i) / 2
            total -= right[i][t] + (sum(right[i][t:]) - baseline) * float(chosen[i, t])
    close(got, torch.tensor(total / 9))
    got.backward()
    assert model.decoder.attention.score.combine.weight.grad.abs().sum() > 0


def test_a_hard_loss_needs_another_caption_to_compare_with():
    with pytest.raises(ValueError, match="2 pictures or more, got 1"):
        hard_caption_loss(small(HardCaptioner), PICTURES[:1], EVERYWHERE[:1], CAPTIONS[:1])


def test_doubly_stochastic_is_about_the_sum_over_words():
    weights, counts = torch.rand(3, 5, 7), torch.arange(5) < torch.tensor([[5], [3], [4]])
    for total in (1.0, 5 / 7):
        wanted = sum(specs.doubly_stochastic(weights[i], n, total) for i, n in enumerate([5, 3, 4])) / 3
        close(doubly_stochastic(weights, counts, total), wanted)
    once = torch.eye(5).unsqueeze(0)  # each place once
    assert doubly_stochastic(once, torch.ones(1, 5, dtype=torch.bool)) == 0
    assert doubly_stochastic(once.roll(1, 1) * 0 + once[:, :1], torch.ones(1, 5, dtype=torch.bool)) == 20


def test_an_answerer_asks_once():
    torch.manual_seed(0)
    model = Answerer(11, 13, hidden=5, embedding=3, dim=7, size=12).eval()
    questions, lengths = torch.randint(3, 11, (3, 4)), torch.tensor([4, 2, 3])
    with record(model) as trace:
        logits = model(PICTURES, None, questions, lengths)
    [seen] = trace["attention"]
    assert seen.weights.shape == (3, 1, 9)
    grid = model.encoder(PICTURES)
    asked = model.question(questions, lengths).summary
    score = model.attention.score
    wanted = each(lambda q, k: score(q.view(1, 1, -1), k.unsqueeze(0))[0].softmax(-1), asked, grid.keys)
    close(seen.weights, wanted)
    close(logits, model.output(torch.cat([asked, (wanted @ grid.keys)[:, 0]], -1)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: GridEncoder(size=30), "a size that 4 divides, got 30"),
        (lambda: small()(torch.rand(2, 3, 16, 16), None, CAPTIONS[:2]), "pictures ['batch', 3, 12, 12], got [2, 3, 16"),
        (lambda: small()(255 * PICTURES, None, CAPTIONS), "divide bytes by 255"),
        (lambda: small()(PICTURES - 1, None, CAPTIONS), "expected pictures of numbers from 0 to 1, got -"),
        (lambda: small()(PICTURES, None, CAPTIONS[:, :0]), "a caption of at least one word"),
        (lambda: small()(PICTURES, EVERYWHERE[:, :2], CAPTIONS), "= [3, 3, 3], got [3, 2, 3]"),
        (lambda: small()(PICTURES, None, CAPTIONS[:2]), "for each of 3 pictures, got shape [2, 5]"),
        (lambda: small()(PICTURES, None, CAPTIONS + 9), "expected words from 0 to 12"),
        (lambda: list(greedy(small(), PICTURES[0], 1, 2, weights={0: torch.ones(4)})), "expected weights [9]"),
        (lambda: list(greedy(small(FixedCaptioner), PICTURES[0], 1, 2, weights={0: torch.ones(9)})), "attends to noth"),
        (
            lambda: Answerer(11, 13, hidden=5, embedding=3, dim=7, size=12)(
                PICTURES, None, CAPTIONS[:2], torch.tensor([3, 3])
            ),
            "one question for each of 3 pictures, got 2",
        ),
        (
            lambda: doubly_stochastic(torch.rand(3, 5, 7), torch.ones(3, 4) > 0),
            "counts [3, 5] of one caption or more, got [3, 4]",
        ),
        (lambda: RowsAndColumns(2, 3, 4)(torch.rand(5, 4)), "6 places of 4 numbers, got [5, 4]"),
    ],
)
@pytest.mark.usefixtures("as_a_learner")
def test_complaints(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


@KINDS
def test_every_parameter_learns(kind):
    model, generator = small(kind), torch.Generator().manual_seed(0)
    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    loss = hard_caption_loss if kind is HardCaptioner else teacher_forcing
    for _ in fit(model, lambda g: loss(model, PICTURES, EVERYWHERE, CAPTIONS), steps=2, seed=generator.initial_seed()):
        pass
    fixed = {"decoder.attention.score.query.weight"} if kind is FixedCaptioner else set()
    same = {name for name, parameter in model.named_parameters() if torch.equal(parameter, before[name])}
    assert same - fixed == set()


def test_every_captioner_forgets_alike():
    for build in (Captioner, HardCaptioner, FixedCaptioner):
        assert type(build(9).decoder.kind).__name__ == "Forgetful"


def test_captions_without_words_cost_a_hard_look_nothing():
    model, empty = small(HardCaptioner), torch.zeros(2, 3, dtype=torch.int64)
    assert hard_caption_loss(model, PICTURES[:2], EVERYWHERE[:2], empty) == 0
