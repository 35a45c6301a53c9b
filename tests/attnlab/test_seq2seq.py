from math import tanh

import oracles_seq2seq
import pytest
import torch
from torch.nn.functional import log_softmax

from attnlab.alignment import SCORES, Additive
from attnlab.attention import attend
from attnlab.hard_attention import surrogate
from attnlab.positions import Learned
from attnlab.seq2seq import (
    CELLS,
    AttentionSeq2Seq,
    FixedContext,
    Hard,
    LookBack,
    LuongSeq2Seq,
    Memory,
    Monotonic,
    Predictive,
    State,
    teacher_forcing,
)
from attnlab.specs import alignment as specs
from attnlab.trace import override, record

SOURCE, LENGTHS = torch.randint(3, 11, (3, 7)), torch.tensor([5, 7, 1])
TARGET = torch.tensor([[1, 4, 12, 5, 2], [1, 7, 2, 0, 0], [1, 3, 3, 2, 0]])


def fixed(**options):
    return FixedContext(11, 13, hidden=5, embedding=3, **options)


def looking(**options):
    return AttentionSeq2Seq(11, 13, hidden=5, embedding=3, **options)


def parallel(**options):
    return LuongSeq2Seq(11, 13, hidden=5, embedding=3, **options)


models = pytest.mark.parametrize("build", [fixed, looking, parallel])
cells = pytest.mark.parametrize("cell", CELLS)
LOOKING = [(AttentionSeq2Seq, oracles_seq2seq.bahdanau_step), (LuongSeq2Seq, oracles_seq2seq.luong_step)]
directions = pytest.mark.parametrize("bidirectional", [False, True])


def close(got, wanted):
    torch.testing.assert_close(got, wanted, atol=1e-5, rtol=1e-5)


def start(model):
    """Memory, a state in the middle of nowhere, and tokens to go on with."""
    memory = model.encode(SOURCE, LENGTHS)
    state = model.start(memory)
    random = [None if part is None else torch.rand(3, 5) * 2 - 1 for part in state[:2]]
    return memory, State(*random), TARGET[:, 1]


def halves(state, row):
    return state.hidden[row].tolist(), None if state.cell is None else state.cell[row].tolist()


def assert_state(state, row, h, c):
    close(state.hidden[row], torch.tensor(h))
    assert (state.cell is None) == (c is None)
    if c is not None:
        close(state.cell[row], torch.tensor(c))


@directions
@models
def test_shapes(build, bidirectional):
    model = build(bidirectional=bidirectional)
    memory = model.encode(SOURCE, LENGTHS)
    assert memory.keys.shape == (3, 7, 10 if bidirectional else 5)
    assert torch.equal(memory.mask.sum(1), LENGTHS)
    assert memory.summary.shape == (3, 5)
    assert model(SOURCE, LENGTHS, TARGET).shape == (3, 5, 13)


def padding_does_not_matter(model):
    together = model(SOURCE, LENGTHS, TARGET)
    for row, length in enumerate(LENGTHS.tolist()):
        alone = model(SOURCE[row : row + 1, :length], LENGTHS[row : row + 1], TARGET[row : row + 1])
        torch.testing.assert_close(together[row], alone[0], atol=1e-6, rtol=1e-5)


@directions
@models
def test_padding_does_not_matter(build, bidirectional):
    padding_does_not_matter(build(bidirectional=bidirectional))


@directions
@cells
def test_the_encoder_step_by_step(cell, bidirectional):
    """Each direction of each source once more, alone and number by number."""
    encoder = looking(cell=CELLS[cell], bidirectional=bidirectional).encoder
    memory = encoder(SOURCE, LENGTHS)
    for row, length in enumerate(LENGTHS.tolist()):
        embedded, ends = encoder.embedding(SOURCE[row, :length]), []
        for direction in range(2 if bidirectional else 1):
            states = oracles_seq2seq.encode(cell, encoder.recurrent, embedded, 5, backwards=bool(direction))
            half = slice(5 * direction, 5 * direction + 5)
            close(memory.keys[row, :length, half], torch.tensor(states))
            ends += states[0] if direction else states[-1]
        close(memory.summary[row], torch.tensor([tanh(x) for x in oracles_seq2seq.linear(encoder.summarise, ends)]))
        assert not memory.keys[row, length:].any()


@directions
@cells
def test_the_encoder_is_torchs_layer(cell, bidirectional):
    encoder = looking(cell=CELLS[cell], bidirectional=bidirectional).encoder
    keys = encoder(SOURCE, LENGTHS).keys
    layer = getattr(torch.nn, cell.upper())(3, 5, batch_first=True, bidirectional=bidirectional)
    layer.load_state_dict(encoder.recurrent.state_dict())
    for row, length in enumerate(LENGTHS.tolist()):
        close(keys[row, :length], layer(encoder.embedding(SOURCE[row : row + 1, :length]))[0][0])


@cells
def test_one_step_of_a_fixed_context(cell):
    model = fixed(cell=CELLS[cell])
    memory, state, previous = start(model)
    logits, after, _ = model.step(previous, state, memory)
    for row, token in enumerate(previous.tolist()):
        wanted, h, c = oracles_seq2seq.fixed_step(
            cell, model.decoder, token, *halves(state, row), memory.summary[row].tolist()
        )
        close(logits[row], torch.tensor(wanted))
        assert_state(after, row, h, c)
    assert after.place == 1


@pytest.mark.parametrize("score", ["scaled_dot", "additive"])
@pytest.mark.parametrize(("build", "oracle"), LOOKING)
@cells
def test_one_step_that_looks_back(cell, build, oracle, score):
    model = build(11, 13, 5, 3, SCORES[score], False, CELLS[cell])
    memory, state, previous = start(model)
    logits, after, attention = model.step(previous, state, memory)
    same_score = specs.SCORES[score](model.decoder.attention.score)
    for row, (token, length) in enumerate(zip(previous.tolist(), LENGTHS.tolist(), strict=True)):
        wanted, h, c, weights = oracle(
            cell, model.decoder, token, *halves(state, row), memory.keys[row, :length], same_score
        )
        close(logits[row], torch.tensor(wanted))
        close(attention.weights[row, 0, :length], weights)
        assert not attention.weights[row, 0, length:].any()
        assert_state(after, row, h, c)


@cells
def test_a_parallel_decoder_is_torchs_layer_and_attention_after_it(cell):
    model = LuongSeq2Seq(11, 13, 5, 3, bidirectional=False, cell=CELLS[cell])
    decoder, memory = model.decoder, model.encode(SOURCE, LENGTHS)
    layer = getattr(torch.nn, cell.upper())(3, 5, batch_first=True)
    layer.load_state_dict(decoder.recurrent.state_dict())
    first = memory.summary[None]
    hiddens, _ = layer(decoder.embedding(TARGET), (first, torch.zeros_like(first)) if cell == "lstm" else first)
    seen = attend(hiddens, memory.keys, memory.keys, decoder.attention.score, memory.mask[:, None])
    combined = torch.tanh(decoder.combine(torch.cat([seen.context, hiddens], -1)))
    close(model(SOURCE, LENGTHS, TARGET), decoder.output(combined))


def test_an_lstm_keeps_a_second_vector():
    model = looking(cell=CELLS["lstm"])
    memory = model.encode(SOURCE, LENGTHS)
    state = model.start(memory)
    assert not state.cell.any()
    other = state._replace(cell=torch.ones(3, 5))
    logits, after, attention = model.step(TARGET[:, 0], state, memory)
    changed, _, same = model.step(TARGET[:, 0], other, memory)
    assert torch.equal(attention.weights, same.weights)  # the query is the hidden half
    assert not torch.equal(logits, changed)
    assert after.cell.any()
    assert model.step(TARGET[:, 0], state, memory)[1].place == 1


@pytest.mark.parametrize("build", [looking, parallel])
def test_an_lstm_refuses_the_state_of_another_network(build):
    model = build(cell=CELLS["lstm"])
    memory = model.encode(SOURCE, LENGTHS)
    with pytest.raises(ValueError, match="expected the state of an LSTM"):
        model.step(TARGET[:, 0], model.start(memory)._replace(cell=None), memory)


def is_a_loop_over_steps(model):
    memory = model.encode(SOURCE, LENGTHS)
    state, logits = model.start(memory), model(SOURCE, LENGTHS, TARGET)
    again, together = model.decoder.run(TARGET, state, memory)
    assert torch.equal(again, logits)
    for step in range(TARGET.shape[1]):
        step_logits, state, attention = model.step(TARGET[:, step], state, memory)
        close(logits[:, step], step_logits)
        for part, whole in zip(attention or (), together or (), strict=True):
            close(whole[:, step : step + 1], part)
    assert state.place == TARGET.shape[1]


@cells
@models
def test_teacher_forcing_is_a_loop_over_steps(build, cell):
    is_a_loop_over_steps(build(cell=CELLS[cell]))


@pytest.mark.parametrize(
    "look",
    [
        lambda score: Hard(score).eval(),
        lambda score: Monotonic(score, radius=1),
        lambda score: Predictive(score, radius=2, query_dim=5, dim=3),
    ],
)
@pytest.mark.parametrize("build", [looking, parallel])
def test_other_ways_to_look_are_a_loop_over_steps_too(build, look):
    model = build()
    model.decoder.attention = look(model.decoder.attention.score)
    is_a_loop_over_steps(model)
    padding_does_not_matter(model)


@models
def test_positions_on_both_sides(build):
    model, plain = build(), build()
    plain.load_state_dict(model.state_dict())
    model.encoder.positions, model.decoder.positions = Learned(3, longest=7), Learned(3, longest=5)
    is_a_loop_over_steps(model)
    close(model.encoder.embed(SOURCE), model.encoder.embedding(SOURCE) + model.encoder.positions.table[:7])
    memory, state, previous = start(model)
    shifted = build()
    shifted.load_state_dict(model.state_dict(), strict=False)
    shifted.decoder.embedding.weight.data += model.decoder.positions.table[3]
    at_three, anywhere = (m.step(previous, state._replace(place=3), memory)[0] for m in (model, shifted))
    close(at_three, anywhere)
    assert not torch.allclose(model(SOURCE, LENGTHS, TARGET), plain(SOURCE, LENGTHS, TARGET))
    for positions in model.encoder.positions, model.decoder.positions:
        positions.table.data.zero_()
    close(model(SOURCE, LENGTHS, TARGET), plain(SOURCE, LENGTHS, TARGET))


@cells
def test_what_each_input_step_matters(cell):
    """The gradient of the summary with respect to each input vector, as a lesson asks for it."""
    encoder = fixed(cell=CELLS[cell], bidirectional=False).encoder
    embedded = encoder.embed(SOURCE).detach().requires_grad_()
    memory = encoder.read(embedded, LENGTHS)
    close(memory.summary, encoder(SOURCE, LENGTHS).summary)
    memory.summary.square().sum().backward()
    norms = embedded.grad.norm(dim=-1)
    for row, length in enumerate(LENGTHS.tolist()):
        assert (norms[row, :length] > 0).all()
        assert not norms[row, length:].any()


def test_hard_looks_are_drawn_while_learning_and_the_likeliest_at_work():
    model = parallel()
    model.decoder.attention = Hard(model.decoder.attention.score)
    memory = model.encode(SOURCE, LENGTHS)
    state = model.start(memory)
    torch.manual_seed(0)
    draws = torch.stack([model.decoder.run(TARGET, state, memory)[1].weights for _ in range(20)])
    assert ((draws == 0) | (draws == 1)).all()
    assert (draws.sum(-1) == 1).all()
    assert (draws != draws[0]).any()
    logits, seen = model.eval().decoder.run(TARGET, state, memory)
    likeliest = seen.scores.masked_fill(~memory.mask[:, None], -torch.inf).argmax(-1)
    assert torch.equal(seen.weights.argmax(-1), likeliest)
    reward = logits.detach().logsumexp(-1)
    surrogate(seen.scores, seen.weights, reward, mask=memory.mask[:, None]).backward()
    assert model.decoder.attention.score.key.weight.grad.any()


def test_local_looks_stay_in_their_window():
    model = parallel()
    model.decoder.attention = Monotonic(model.decoder.attention.score, radius=1)
    memory = model.encode(SOURCE, LENGTHS)
    weights = model.decoder.run(TARGET, model.start(memory), memory)[1].weights
    for step in range(5):
        outside = [key for key in range(7) if abs(key - step) > 1]
        assert not weights[:, step, outside].any()
    close(weights[1].sum(-1), torch.ones(5))


@models
def test_the_loss_counts_every_token_but_padding(build):
    model = build()
    logits, total, count = model(SOURCE, LENGTHS, TARGET), 0.0, 0
    for row in range(3):
        for step in range(4):
            token = int(TARGET[row, step + 1])
            if token != 0:
                total -= log_softmax(logits[row, step], dim=-1)[token].item()
                count += 1
    assert teacher_forcing(model, SOURCE, LENGTHS, TARGET).item() == pytest.approx(total / count, rel=1e-5)


@pytest.mark.parametrize("score", SCORES)
def test_the_query_is_the_state_before_the_step(score):
    model = looking(score=SCORES[score], bidirectional=False)
    memory = model.encode(SOURCE, LENGTHS)
    state = State(torch.randn(3, 5))
    _, _, attention = model.step(TARGET[:, 0], state, memory)
    used = model.decoder.attention.score
    expected = attend(state.hidden[:, None], memory.keys, memory.keys, used, memory.mask[:, None])
    for got, wanted in zip(attention, expected, strict=True):
        torch.testing.assert_close(got, wanted)


def test_given_weights_make_the_context():
    model = looking()
    memory = model.encode(SOURCE, LENGTHS)
    state, previous = State(torch.randn(3, 5)), TARGET[:, 0]
    weights = torch.rand(3, 1, 7)
    logits, after, attention = model.step(previous, state, memory, weights)
    context = torch.stack([sum(weights[b, 0, j] * memory.keys[b, j] for j in range(7)) for b in range(3)])
    torch.testing.assert_close(attention.context[:, 0], context)
    fed = torch.cat([model.decoder.embedding(previous), context], 1)
    torch.testing.assert_close(after.hidden, model.decoder.cell(fed, state.hidden))
    torch.testing.assert_close(logits, model.decoder.output(torch.cat([after.hidden, context], 1)))
    assert torch.equal(attention.weights, weights)
    assert torch.equal(attention.scores, model.step(previous, state, memory)[2].scores)


def test_the_models_own_weights_given_back_change_nothing():
    model = looking()
    memory = model.encode(SOURCE, LENGTHS)
    state = model.start(memory)
    logits, after, attention = model.step(TARGET[:, 0], state, memory)
    again, after_again, _ = model.step(TARGET[:, 0], state, memory, attention.weights)
    torch.testing.assert_close(logits, again)
    torch.testing.assert_close(after, after_again)


def test_a_fixed_context_attends_to_nothing():
    model = fixed()
    memory = model.encode(SOURCE, LENGTHS)
    assert model.step(TARGET[:, 0], model.start(memory), memory)[2] is None
    with pytest.raises(ValueError, match="one fixed context"):
        model.step(TARGET[:, 0], model.start(memory), memory, torch.rand(3, 1, 7))


@cells
@models
def test_every_parameter_learns(build, cell):
    model = build(cell=CELLS[cell])
    teacher_forcing(model, SOURCE, LENGTHS, TARGET).backward()
    assert all(parameter.grad is not None and parameter.grad.any() for parameter in model.parameters())


def test_both_models_write_with_the_same_cell():
    cells = [build(bidirectional=False).decoder.cell for build in (fixed, looking)]
    assert repr(cells[0]) == repr(cells[1])


def test_a_product_needs_keys_of_the_size_of_the_state():
    looking(score=SCORES["dot"], bidirectional=False)
    with pytest.raises(ValueError, match="queries of 5, keys of 10"):
        looking(score=SCORES["dot"])


def test_the_printed_model_names_its_score():
    assert "score=scaled_dot" in repr(looking(score=SCORES["scaled_dot"], bidirectional=False))
    assert "Additive" in repr(looking(score=Additive))


@cells
@models
def test_devices(build, cell, device):
    model = build(cell=CELLS[cell])
    wanted = model(SOURCE, LENGTHS, TARGET)
    loss = teacher_forcing(model, SOURCE, LENGTHS, TARGET)
    model.to(device)
    got = model(SOURCE.to(device), LENGTHS.to(device), TARGET.to(device))
    assert got.device.type == device.type
    torch.testing.assert_close(got.cpu(), wanted, atol=1e-4, rtol=1e-4)
    # The loss takes the batch from wherever it was drawn.
    torch.testing.assert_close(teacher_forcing(model, SOURCE, LENGTHS, TARGET).cpu(), loss, atol=1e-4, rtol=1e-4)


@models
def test_double_precision(build):
    model = build().double()
    assert model(SOURCE, LENGTHS, TARGET).dtype == torch.float64


MEMORY_OF_THREE = State(torch.zeros(3, 5))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.encode(SOURCE, torch.tensor([0, 7, 1])), r"3 lengths from 1 to 7, got \[0, 7, 1\]"),
        (lambda m: m.encode(SOURCE, torch.tensor([5, 8, 1])), r"3 lengths from 1 to 7, got \[5, 8, 1\]"),
        (lambda m: m.encoder.read(torch.rand(3, 7, 3), torch.tensor([5, 7])), r"3 lengths from 1 to 7, got \[5, 7\]"),
        (lambda m: m.encode(SOURCE[:0], LENGTHS[:0]), "at least one sequence, got none"),
        (lambda m: m.encode(SOURCE + 4, LENGTHS), "source tokens from 0 to 10, got 1[1-4]"),
        (lambda m: m.encode(-SOURCE, LENGTHS), "source tokens from 0 to 10, got -"),
        (lambda m: m(SOURCE, LENGTHS, TARGET + 1), "target tokens from 0 to 12, got 13"),
        (lambda m: m(SOURCE, LENGTHS, TARGET[:, :0]), r"target of at least one token, got shape \[3, 0\]"),
        (lambda m: m.step(TARGET[:, 2] + 1, MEMORY_OF_THREE, m.encode(SOURCE, LENGTHS)), "from 0 to 12, got 13"),
        (
            lambda m: m.decoder(TARGET[:, 0], MEMORY_OF_THREE, m.encode(SOURCE, LENGTHS), torch.ones(3, 1, 6)),
            r"\[batch, queries, source\] = \[3, 1, 7\], got \[3, 1, 6\]",
        ),
        (lambda m: looking(cell=CELLS["elman"]), "expected one of rnn, gru, lstm; got 'elman'"),
    ],
)
@pytest.mark.usefixtures("as_a_learner")
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call(looking())


@pytest.mark.parametrize("name", CELLS)
def test_a_run_ends_at_the_place_of_its_last_token(name):
    layer, start = CELLS[name].layer(3, 5, batch_first=True), CELLS[name].start(torch.zeros(2, 5))
    assert CELLS[name].run(layer, torch.randn(2, 7, 3), start._replace(place=4))[1].place == 11


def test_a_batch_wider_than_its_longest_source():
    model, source, lengths = AttentionSeq2Seq(11, 13, 5, 3), torch.randint(11, (2, 7)), torch.tensor([5, 3])
    target = torch.randint(13, (2, 4))
    narrow = model(source[:, :5], lengths, target)
    torch.testing.assert_close(model(source, lengths, target), narrow, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_given_rows_are_those_of_the_first_steps_and_later_steps_keep_their_own():
    look = LookBack(Additive(5, 3, 4))
    keys, query = torch.randn(1, 3, 3), torch.randn(1, 4, 5)
    memory = look.prepare(Memory(keys, torch.ones(1, 3, dtype=torch.bool), torch.zeros(1, 5)))
    own = look(query, memory).weights
    look.given = torch.tensor([[1.0, 0, 0], [0, 1, 0]])
    seen = torch.cat([look(query[:, step : step + 1], memory, step).weights for step in range(4)], dim=1)
    torch.testing.assert_close(seen, torch.cat([look.given[None], own[:, 2:]], dim=1))
    torch.testing.assert_close(look(query, memory).weights, seen)


@torch.no_grad()
def test_a_decoder_that_goes_step_by_step_tells_its_look_which_step_it_is():
    model = looking()
    model.decoder.attention = Monotonic(model.decoder.attention.score, radius=0)
    with record(model) as trace:
        model(SOURCE[1:2], LENGTHS[1:2], TARGET[1:2])
    close(torch.cat([call.weights for call in trace["decoder.attention"]], dim=-2).squeeze(), torch.eye(5, 7))


@pytest.mark.parametrize("build", [looking, parallel])
@torch.no_grad()
def test_a_single_number_is_given_to_all_however_many_axes_it_has(build):
    model = build()
    with override(model, {"decoder.attention": torch.zeros(1, 1, 1, 1)}), record(model) as trace:
        model(SOURCE, LENGTHS, TARGET)
    assert not any(call.weights.any() for call in trace["decoder.attention"])
