import pytest
import torch
from torch.nn.functional import log_softmax

from attnlab.alignment import SCORES, Additive
from attnlab.attention import attend
from attnlab.seq2seq import AttentionSeq2Seq, FixedContext, State, teacher_forcing

SOURCE, LENGTHS = torch.randint(3, 11, (3, 7)), torch.tensor([5, 7, 1])
TARGET = torch.tensor([[1, 4, 12, 5, 2], [1, 7, 2, 0, 0], [1, 3, 3, 2, 0]])


def fixed(**options):
    return FixedContext(11, 13, hidden=5, embedding=3, **options)


def looking(**options):
    return AttentionSeq2Seq(11, 13, hidden=5, embedding=3, **options)


models = pytest.mark.parametrize("build", [fixed, looking])
directions = pytest.mark.parametrize("bidirectional", [False, True])


@directions
@models
def test_shapes(build, bidirectional):
    model = build(bidirectional=bidirectional)
    memory = model.encode(SOURCE, LENGTHS)
    assert memory.keys.shape == (3, 7, 10 if bidirectional else 5)
    assert torch.equal(memory.mask.sum(1), LENGTHS)
    assert memory.summary.shape == (3, 5)
    assert model(SOURCE, LENGTHS, TARGET).shape == (3, 5, 13)


@directions
@models
def test_padding_does_not_matter(build, bidirectional):
    model = build(bidirectional=bidirectional)
    together = model(SOURCE, LENGTHS, TARGET)
    for row, length in enumerate(LENGTHS.tolist()):
        alone = model(SOURCE[row : row + 1, :length], LENGTHS[row : row + 1], TARGET[row : row + 1])
        torch.testing.assert_close(together[row], alone[0], atol=1e-6, rtol=1e-5)


@directions
def test_the_encoder_step_by_step(bidirectional):
    """Each direction once more, with a GRU cell of the same weights."""
    encoder = looking(bidirectional=bidirectional).encoder
    keys, last = encoder(SOURCE, LENGTHS).keys, []
    for direction, suffix in enumerate(["", "_reverse"][: 2 if bidirectional else 1]):
        cell = torch.nn.GRUCell(3, 5)
        for name, parameter in cell.named_parameters():
            parameter.data = getattr(encoder.recurrent, f"{name}_l0{suffix}").data
        states = []
        for row, length in enumerate(LENGTHS.tolist()):
            state, positions = torch.zeros(5), range(length)
            for position in reversed(positions) if direction else positions:
                state = cell(encoder.embedding(SOURCE[row, position]), state)
                half = slice(5 * direction, 5 * direction + 5)
                torch.testing.assert_close(keys[row, position, half], state, atol=1e-6, rtol=1e-5)
            states.append(state)
            assert not keys[row, length:].any()
        last.append(torch.stack(states))
    expected = torch.tanh(encoder.summarise(torch.cat(last, dim=-1)))
    torch.testing.assert_close(encoder(SOURCE, LENGTHS).summary, expected)


@models
def test_teacher_forcing_is_a_loop_over_steps(build):
    model = build()
    memory = model.encode(SOURCE, LENGTHS)
    state, logits = model.start(memory), model(SOURCE, LENGTHS, TARGET)
    for step in range(TARGET.shape[1]):
        step_logits, state, _ = model.step(TARGET[:, step], state, memory)
        torch.testing.assert_close(logits[:, step], step_logits)


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


@models
def test_every_parameter_learns(build):
    model = build()
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


@pytest.mark.parametrize("lengths", [[0, 7, 1], [5, 8, 1]])
def test_lengths_that_do_not_fit(lengths):
    with pytest.raises(ValueError, match=rf"lengths from 1 to 7, got \[{lengths[0]}, {lengths[1]}"):
        looking().encode(SOURCE, torch.tensor(lengths))
