"""Every wrong solution is rejected with its own message; solutions pass; progress survives what happens to files."""

import html
import os
import re
import subprocess
import sys
from inspect import signature
from itertools import permutations
from pathlib import Path
from threading import Thread

import pytest
import torch
from elsewhere import SECOND, there
from progress import kept
from torch.nn.functional import pad
from torch.utils._pytree import tree_leaves, tree_map_only

import attnlab
from attnlab import costs, decoding, exercises, masks
from attnlab.alignment import scaled_dot
from attnlab.attention import attend, masked_softmax
from attnlab.exercises import EXERCISES, check, hint, status
from attnlab.exercises.exercise import judge
from attnlab.local_attention import local_p
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import Rotary, shift
from attnlab.vision.glimpses import retina

BANK = [
    pytest.param(exercise, mistake, id=f"{exercise.name}: {mistake.message[:50]}")
    for exercise in EXERCISES.values()
    for mistake in exercise.mistakes
]
ALL = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda exercise: exercise.name)


@pytest.fixture(autouse=True)
def first_time(home):
    """A learner who comes for the first time."""


def written(exercise, source):
    """A function as a learner writes it, from its source."""
    scope = {"torch": torch}
    exec(source, scope)
    return scope[exercise.solution.__name__]


def cases(exercise):
    return [*exercise.inputs(), *exercise.edges()]


def tensors_alone(exercise):
    """Whether a case has tensors, and neither functions nor models, which would stay where they are."""
    leaves = tree_leaves(cases(exercise))
    return any(isinstance(leaf, torch.Tensor) for leaf in leaves) and not any(map(callable, leaves))


def takes_numbers(exercise):
    """Whether gradients flow through it, and are compared."""
    return exercise.has_gradients and any(
        isinstance(value, torch.Tensor) and value.is_floating_point() for value in exercise.inputs()[0]
    )


@ALL
def test_solution_passes(exercise):
    verdict = check(exercise.name, exercise.solution)
    assert verdict, verdict
    gradients = ", gradients too" if takes_numbers(exercise) else ""
    assert verdict.message == f"right, on {len(cases(exercise))} inputs of different sizes{gradients}"
    assert repr(verdict).startswith(f"✓ {exercise.name}: right, on")


@ALL
def test_spec_passes_its_own_check(exercise):
    assert judge(exercise, exercise.spec)


def test_a_text_that_was_read_twice_is_right_and_does_not_pass():
    def write(prompt, model, steps):
        for _ in range(steps):
            prompt = torch.cat([prompt, model(prompt, None)[0][-1:].argmax(-1)])
        return prompt

    verdict = judge(EXERCISES["11.write"], write)
    assert verdict.state == "wrong"
    assert "the text is right, but the model was given 63 tokens where 11 are enough" in verdict.message


@pytest.mark.parametrize("where", SECOND)
@pytest.mark.parametrize("name", [one.name for one in EXERCISES.values() if tensors_alone(one)])
def test_solution_runs_on_every_device(name, where):
    """Not asked of a learner, but who copies it to a GPU shall not be surprised."""
    exercise = EXERCISES[name]
    for inputs in cases(exercise):
        wanted = exercise.solution(*inputs)
        with there(where):
            found = exercise.solution(*tree_map_only(torch.Tensor, lambda tensor: tensor.to(where), inputs))
            assert found.device.type == where
            torch.testing.assert_close(found.cpu(), wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("exercise", "mistake"), BANK)
def test_wrong_solution_is_named(exercise, mistake):
    verdict = check(exercise.name, mistake.function)
    assert (verdict.state, verdict.message) == ("wrong", mistake.message)
    assert not status().passed[exercise.name]


@ALL
def test_messages_are_all_different(exercise):
    messages = [mistake.message for mistake in exercise.mistakes]
    assert len(set(messages)) == len(messages)


@ALL
@pytest.mark.parametrize(
    "body",
    [
        None,
        "pass",
        '"""What to do."""',
        "raise NotImplementedError",
        "return None",
        "return ...",
        "weights = ...\n    return weights",
    ],
)
def test_stub_is_not_written_yet(exercise, body):
    source = exercise.stub if body is None else exercise.stub.replace("...", body)
    verdict = check(exercise.name, written(exercise, source))
    assert repr(verdict) == f"– {exercise.name}: not written yet"
    assert not verdict


@ALL
def test_misuse_is_named(exercise):
    def changing(*inputs):
        inputs[0].zero_()
        return exercise.solution(*inputs)

    def half(*inputs):
        raise RuntimeError("<script>alert(1)</script>")

    wrong = {
        "returned None: is the `return` missing?": lambda *inputs: (exercise.solution(*inputs), None)[1],
        "NumPy array": lambda *inputs: exercise.solution(*inputs).detach().numpy(),
        "got list": lambda *inputs: exercise.solution(*inputs).tolist(),
        "got tuple": lambda *inputs: (exercise.solution(*inputs), 1),
        "got str": lambda *inputs: f"text{len(inputs)}",
        'raised RuntimeError: <script>alert(1)</script> at `raise RuntimeError("<script>alert(1)</script>")`': half,
        "raised TypeError": lambda: None,
        "expected the shape": lambda *inputs: exercise.solution(*inputs)[..., :1],
    }
    if isinstance(exercise.inputs()[0][0], torch.Tensor):
        wrong["in place"] = changing
    if takes_numbers(exercise):
        wrong |= {
            "no gradient reaches": lambda *inputs: exercise.solution(*inputs).detach(),
            "asked for gradients": lambda *inputs: torch.from_numpy(exercise.solution(*inputs).numpy()),
        }
    for message, function in wrong.items():
        verdict = check(exercise.name, function)
        assert verdict.state == "wrong"
        assert message in verdict.message


WHOLE = ["11.windows", "11.write", "12.crossing", "12.parameters", "12.flops", "12.cache", "16.hide"]


@pytest.mark.parametrize("name", WHOLE)
def test_broken_numbers_are_no_whole_ones(name):
    """0.9 too much, or too little, would be cut off on the way to a whole number."""
    solution = EXERCISES[name].solution
    for off in 0.9, -0.9, 0.01:
        verdict = check(name, lambda *inputs, off=off: solution(*inputs).double() + off)
        assert verdict.message.startswith("expected whole numbers, and some of yours are none"), off
    assert check(name, lambda *inputs: solution(*inputs).double())


@pytest.mark.parametrize("name", ["12.parameters", "12.flops", "12.cache"])
def test_a_count_is_right_to_the_last_one(name):
    solution = EXERCISES[name].solution
    assert check(name, lambda *inputs: solution(*inputs) + 1).state == "wrong"


def test_ln_p_of_another_place_than_the_one_that_is_returned():
    draw = EXERCISES["14.draw"].solution

    def twice(mean, noise, randn):
        place = (mean + noise * randn()).detach()
        return torch.cat([place, draw(mean, noise, randn)[:, 2:]], dim=1)

    assert check("14.draw", twice).message.startswith("you drew more than once")


def test_atoms_stand_where_they_are_said_to_stand():
    right = EXERCISES["17.right_atoms"].solution

    def every_second(weights, rows, columns, sources, alike):
        few = weights[:, rows[0] : rows[0] + 2 * len(rows) : 2]
        few = few[:, :, columns[0] : columns[0] + 2 * len(columns) : 2]
        return right(few, torch.arange(len(rows)), torch.arange(len(columns)), sources, alike)

    assert check("17.right_atoms", every_second).state == "wrong"


@ALL
def test_anything_else_has_a_diagnosis_or_a_place(exercise):
    def otherwise(*inputs):
        result = exercise.solution(*inputs)
        return result.roll(1, dims=-1) * (1.01 if result.is_floating_point() else 1) + 1

    verdict = check(exercise.name, otherwise)
    assert verdict.state == "wrong"
    known = {mistake.message for mistake in exercise.mistakes}
    assert verdict.message not in known
    assert exercise.diagnoses or "numbers differ; at [0" in verdict.message or "torch.bool" in verdict.message


def right(name):
    return EXERCISES[name].solution


def rotated(x, join):
    angles = torch.arange(x.shape[1])[:, None] * 10000 ** (-torch.arange(0, x.shape[2], 2) / x.shape[2])
    return torch.stack(join(x[..., 0::2], x[..., 1::2], angles.sin(), angles.cos()), -1).flatten(-2)


DIAGNOSED = [
    ("01.unpack", "step reads one token for each string", lambda c, step, begin, count: step(begin, c, c)[0]),
    ("02.context", "score compares queries", lambda state, memory, mask, score: score(state, memory)),
    (
        "03.follow",
        "W[4, 4] must be 0",
        lambda letters, places, gain: torch.block_diag(
            right("03.follow")(letters, places, gain)[:letters, :letters], torch.eye(places)
        ),
    ),
    ("01.step", "between -1 and 1", lambda *inputs: 3 + right("01.step")(*inputs)),
    ("02.additive", "sum to 1", lambda *inputs: right("02.additive")(*inputs) ** 2),
    ("02.additive", "never negative", lambda *inputs: -right("02.additive")(*inputs)),
    (
        "02.additive",
        "hidden words",
        lambda *inputs: (right("02.additive")(*inputs) + 0.1) / (1 + 0.1 * inputs[1].shape[1]),
    ),
    ("03.general", "these are weights", lambda *inputs: (2 * right("03.general")(*inputs)).softmax(-1)),
    ("03.general", "2 times the right one", lambda *inputs: 2 * right("03.general")(*inputs)),
    ("03.general", "= 1/√14 times the right one", lambda query, key, W: query @ W.mT @ key.mT / W.numel() ** 0.5),
    ("03.general", "the right one and 2 more", lambda *inputs: 2 + right("03.general")(*inputs)),
    ("03.general", "minus the right one", lambda *inputs: -right("03.general")(*inputs)),
    ("03.general", "every number is 0", lambda query, key, W: torch.zeros(*query.shape[:2], key.shape[1])),
    (
        "03.general",
        "a division by 0, or a -inf that no softmax has turned into 0",
        lambda *inputs: right("03.general")(*inputs) / 0,
    ),
    ("03.general", "too coarse to compare", lambda *inputs: right("03.general")(*inputs).half()),
    ("03.general", "are NaN", lambda *inputs: right("03.general")(*inputs).log()),
    (
        "03.general",
        "right at 0 of the first axis, wrong at 1:",
        lambda *inputs: right("03.general")(*inputs) * (torch.arange(len(inputs[0])) + 1).reshape(-1, 1, 1),
    ),
    ("03.general", "only the axes are in another order", lambda *inputs: right("03.general")(*inputs).transpose(0, 1)),
    ("03.general", "an axis of length 1", lambda *inputs: right("03.general")(*inputs).unsqueeze(0)),
    (
        "03.local",
        "further than the radius",
        lambda scores, centre, radius: right("03.local")(scores, centre, radius) + 0.1,
    ),
    (
        "04.softmax",
        "NaN in row [0, 0], whose scores reach",
        lambda scores: right("04.softmax")(scores).masked_fill(scores.amin(-1, keepdim=True) < -1e3, torch.nan),
    ),
    (
        "04.softmax",
        "nearly all weight is lost in row",
        lambda scores: (lambda e: (e / e.sum(-1, keepdim=True)).nan_to_num(0))(scores.exp()),
    ),
    *(
        (
            "04.softmax",
            message,
            lambda scores, axes=axes: (lambda e: e / e.sum(axes, keepdim=True))(
                (scores - scores.amax(-1, keepdim=True)).exp()
            ),
        )
        for message, axes in {
            "your columns sum to 1": 1,
            "each of your matrices sums to 1": (1, 2),
            "all your weights together sum to 1": (0, 1, 2),
        }.items()
    ),
    ("04.attend", "the same context", lambda query, key, value: torch.ones(*query.shape[:2], value.shape[-1])),
    ("04.attend", "a context is an average", lambda query, key, value: (query @ key.mT).tanh() @ value),
    ("05.self_attention", "a context is an average", lambda x, W, key_dim: 3 * x.sum() + x @ W[:, 2 * key_dim :]),
    (
        "06.causal",
        "the future leaks: query 0 stands at place 0 and must not see place 3",
        lambda queries, keys: right("06.causal")(queries, keys) | (torch.arange(keys) % 4 == 3),
    ),
    (
        "06.causal",
        "here it does not see place 0",
        lambda queries, keys: right("06.causal")(queries, keys) & ~right("06.causal")(queries, keys).roll(2, 0),
    ),
    (
        "06.causal",
        "expected a tensor of torch.bool, got torch.int64",
        lambda queries, keys: 2 * right("06.causal")(queries, keys).long(),
    ),
    (
        "06.combine",
        "the future leaks: in sequence 0 query 0 sees key 1",
        lambda lengths, tokens: right("06.combine")(lengths, tokens) ^ True ^ torch.eye(tokens, dtype=torch.bool),
    ),
    (
        "06.combine",
        "padding is seen: sequence 0 has 3 words, yet query 1 sees key 0",
        lambda lengths, tokens: (
            right("06.combine")(lengths, tokens) | torch.ones(tokens, tokens, dtype=torch.bool).tril(-1)
        ),
    ),
    (
        "06.combine",
        "does not see key 0",
        lambda lengths, tokens: right("06.combine")(lengths, tokens) & (torch.arange(tokens) > 0),
    ),
    (
        "06.softmax",
        "NaN in row [0, 0]",
        lambda scores, mask: (lambda e: e / e.sum(-1, keepdim=True))(
            (scores - scores.mean(-1, keepdim=True)).exp() * mask
        ),
    ),
    (
        "06.softmax",
        "NaN in row [1, 2], which may attend to nothing",
        lambda scores, mask: (
            right("06.softmax")(scores, mask).masked_fill(~mask.any(-1, keepdim=True), torch.nan)
            * (1 - 0.1 * bool((scores > 1e3).any()))
        ),
    ),
    (
        "06.softmax",
        "nearly all weight is lost in row",
        lambda scores, mask: (lambda e: e / e.sum(-1, keepdim=True).clamp(min=1e-30))(
            scores.clamp(-80, 80).exp() * mask
        ),
    ),
    (
        "07.shift",
        "outside of the blocks all must be 0",
        lambda k, dim: right("07.shift")(k, dim) + torch.ones(dim, dim),
    ),
    ("07.shift", "a turn changes no length", lambda k, dim: right("07.shift")(k, dim) / 2),
    (
        "07.shift",
        "block 1 is wrong: it must turn (sin a, cos a) by 3 / 10000^(2/6)",
        lambda k, dim: torch.block_diag(right("07.shift")(k, dim)[:2, :2], *torch.eye(2).repeat(dim // 2 - 1, 1, 1)),
    ),
    (
        "07.alibi",
        "query 0 stands at place 0 and has weight on the key at place 1",
        lambda scores, slopes: right("07.alibi")(scores, slopes).roll(1, -1),
    ),
    ("07.alibi", "each row of weights must sum to 1", lambda scores, slopes: right("07.alibi")(scores, slopes) / 2),
    (
        "07.alibi",
        "in head 0 one more place of distance lowers the score by",
        lambda scores, slopes: right("07.alibi")(scores, slopes / 2),
    ),
    ("07.rotary", "the first token stands at place 0", lambda x: x + 1),
    ("07.rotary", "became longer", lambda x: rotated(x, lambda a, b, sin, cos: [a * cos - a * sin, b * sin + b * cos])),
    ("07.rotary", "numbers left their pair", lambda x: torch.cat([x[:, :1], x[:, 1:].roll(1, -1)], 1)),
    (
        "08.one_before",
        "the rows of the letters, the first ones, must be 0",
        lambda letters, places, strength: right("08.one_before")(letters, places, strength) + 1,
    ),
    (
        "08.one_before",
        "let the token at place 1 read place 4 most (0.90)",
        lambda letters, places, strength: (
            right("08.one_before")(letters, places, strength)
            @ torch.stack([torch.eye(places), torch.eye(places).flip(0)])
        ),
    ),
    (
        "08.split",
        "at [0, 0, 0, 0] expected x[0, 0, 0], got x[0, 0, 20]",
        lambda x, heads: right("08.split")(x.flip(2), heads),
    ),
    ("08.merge", "at [0, 0, 0] expected x[0, 0, 0, 0], got x[0, 0, 1, 0]", lambda x: right("08.merge")(x.roll(-1, 2))),
    (
        "08.multihead",
        "right for head 0 of 3",
        lambda x, W_q, W_k, W_v, W_o, heads: right("08.multihead")(
            x, W_q, W_k, W_v * (torch.arange(len(W_v)) < len(W_v) // heads), W_o, heads
        ),
    ),
    (
        "08.multihead",
        "these are no contexts",
        lambda x, W_q, W_k, W_v, W_o, heads: right("08.multihead")(x, W_q, W_k, W_v, W_o, heads) + x @ W_v,
    ),
    (
        "09.layer_norm",
        "should have mean 0 then, and one of yours has",
        lambda x, gain, shift, epsilon: gain * x**2 + shift,
    ),
    (
        "09.layer_norm",
        "the mean is right; the spread is wrong: before gain and shift the variance should be 0.782 on "
        "average, yours is 0.999; is it `epsilon`, as it was given",
        lambda x, gain, shift, epsilon: right("09.layer_norm")(x, gain, shift, 1e-4),
    ),
    (
        "09.layer_norm",
        "gain and shift are missing; the spread is wrong",
        lambda x, gain, shift, epsilon: right("09.layer_norm")(2 * x, 1, 0, epsilon),
    ),
    (
        "09.layer_norm",
        "the shift is missing; the spread is wrong",
        lambda x, gain, shift, epsilon: right("09.layer_norm")(2 * x, gain, 0, epsilon),
    ),
    (
        "09.layer_norm",
        "the shift was subtracted; the spread is wrong",
        lambda x, gain, shift, epsilon: right("09.layer_norm")(2 * x, gain, -shift, epsilon),
    ),
    (
        "09.layer_norm",
        "look at the division",
        lambda x, gain, shift, epsilon: right("09.layer_norm")(2 * x, gain, shift, 9 * epsilon),
    ),
    (
        "12.parameters",
        "for model 0 (layers 2, dim 8, vocabulary 11, longest 7) expected 1,904, got 1,920: +16",
        lambda layers, dim, vocabulary, longest: right("12.parameters")(layers, dim, vocabulary, longest) + 2 * dim,
    ),
    (
        "12.parameters",
        "missing in your count: the table of places, the biases of the maps, the norms of the blocks",
        lambda layers, dim, vocabulary, longest: vocabulary * dim + 12 * layers * dim**2 + 2 * dim,
    ),
    (
        "12.flops",
        "missing in your count: query · key, the backward pass through the output map, "
        "the backward pass through query · key",
        lambda layers, dim, vocabulary, context, tokens: (
            72 * layers * dim**2 * tokens + 2 * vocabulary * dim * tokens + 6 * layers * dim * context * tokens
        ),
    ),
    ("12.cache", "each count is 2.5 times the right one", lambda *columns: right("12.cache")(*columns) * 5 // 2),
    ("00.weights", "a weight is never negative", lambda scores, temperature: scores.tanh() / temperature),
    (
        "00.weights",
        "each row must sum to 1; one of yours sums to",
        lambda scores, temperature: right("00.weights")(scores, temperature) ** 2,
    ),
    ("02.additive", "are NaN", lambda *inputs: right("02.additive")(*inputs) * torch.nan),
    (
        "02.context",
        "right for sentences without padding, wrong for those with",
        lambda state, memory, mask, score: right("02.context")(
            state, memory, mask | (torch.arange(mask.shape[1]) == mask.shape[1] - 1), score
        ),
    ),
    ("04.attend", "got Attention with context, weights, scores: return the one", attend),
    (
        "04.attend",
        "or it was not the values that were averaged",
        lambda query, key, value: attend(query, key, value + 3).context,
    ),
    (
        "07.rotary",
        "at place 1 columns 0 and 1 were turned by the angle 1.5; it must be 1 / 10000^(0/6) = 1",
        lambda x: rotated(
            x,
            lambda a, b, sin, cos: [
                a * (1.5 * sin.asin()).cos() - b * (1.5 * sin.asin()).sin(),
                a * (1.5 * sin.asin()).sin() + b * (1.5 * sin.asin()).cos(),
            ],
        ),
    ),
    (
        "11.top_k",
        "in row 0 the wrong tokens stay: token",
        lambda logits, k: logits + (right("11.top_k")(logits, k) > -torch.inf).roll(1, 1).float().log(),
    ),
    ("09.block", "nearly the same spread", lambda x, attention, feed_forward, norm_1, norm_2: norm_1(x)),
]


@pytest.mark.parametrize(("name", "message", "function"), DIAGNOSED)
def test_what_is_in_no_bank_is_diagnosed(name, message, function):
    verdict = check(name, function)
    assert message in verdict.message
    assert verdict.message not in {mistake.message for mistake in EXERCISES[name].mistakes}


STRANGE = {
    "zeros": torch.zeros_like,
    "ones": torch.ones_like,
    "minus": lambda result: -1 * result,
    "infinite": lambda result: torch.full(result.shape, torch.inf),
    "minus infinite": lambda result: torch.full(result.shape, -torch.inf),
    "NaN": lambda result: torch.full(result.shape, torch.nan),
    "large": lambda result: 1e30 * result,
    "whole": lambda result: (3 * result.float()).long(),
    "half": lambda result: 2 * result.half(),
    "double": lambda result: 1.5 * result.double(),
    "boolean": lambda result: result.bool().logical_not(),
    "complex": lambda result: (1 + 1j) * result,
    "one number": lambda result: result.float().sum(),
    "nothing": lambda result: result[:0],
    "more axes": lambda result: result[(None,) * 3],
    "a parameter": lambda result: torch.nn.Parameter(2.0 * result),
    "sparse": lambda result: (2 * result).to_sparse(),
    "elsewhere": lambda result: result.to("meta"),
}


@ALL
def test_no_strange_result_is_too_much(exercise):
    """Whatever comes back, there is a sentence about it and no traceback."""
    for strange in STRANGE.values():
        verdict = check(exercise.name, lambda *inputs, strange=strange: strange(exercise.solution(*inputs)))
        assert verdict.state == "wrong"
        assert verdict.message
    for name, message in {"elsewhere": "on meta", "sparse": "torch.sparse", "complex": "complex64"}.items():
        assert (
            message
            in check(exercise.name, lambda *inputs, name=name: STRANGE[name](exercise.solution(*inputs))).message
        )


def test_not_a_function_and_not_an_exercise():
    assert "expected your function, got int" in check("02.additive", 3).message
    with pytest.raises(
        ValueError, match=r"an exercise, as \"04.attend\"; got '2.additive'; did you mean '02.additive'"
    ):
        check("2.additive", print)
    with pytest.raises(ValueError, match=r"got '04.zzzzzz'; did you mean '04.softmax' or"):
        check("04.zzzzzz", print)
    with pytest.raises(ValueError, match=r"got '99'$"):
        hint("99")


def test_an_own_tensor_that_is_changed_in_place_is_named():
    def softmax(scores):
        exponentials = (scores - scores.max(-1, keepdim=True).values).exp()
        exponentials /= exponentials.sum(-1, keepdim=True)
        return exponentials

    told = check("04.softmax", softmax).message
    assert "`y = y + x` for `y += x`" in told, told


def test_whole_numbers_are_told_without_decimals():
    wrong = check("11.windows", lambda *inputs: EXERCISES["11.windows"].solution(*inputs) + 3).message
    assert re.search(r"expected \d+, got \d+ ", wrong), wrong


def test_an_interrupted_function_is_said_not_to_have_come_back():
    def endless(*inputs):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match=r"your function had not come back yet \(with scores \["):
        check("00.weights", endless)


def local_weights(scores, centre, radius):
    return local_p(centre, 1e6)(scores, torch.ones_like(scores, dtype=torch.bool))


def heads_weights(x, W_q, W_k, W_v, W_o, heads):
    query, key = (EXERCISES["08.split"].spec(x @ W, heads) for W in (W_q, W_k))
    return scaled_dot(query, key).softmax(-1)


WEIGHTS = {
    "00.weights": EXERCISES["00.weights"].spec,
    "02.additive": EXERCISES["02.additive"].spec,
    "02.context": lambda state, memory, mask, score: masked_softmax(score(state[:, None], memory), mask[:, None]),
    "03.local": local_weights,
    "04.softmax": EXERCISES["04.softmax"].spec,
    "06.softmax": EXERCISES["06.softmax"].spec,
    "04.attend": lambda query, key, value: scaled_dot(query, pad(key, (0, 0, 0, 1))).softmax(-1),
    "05.self_attention": lambda x, W, key_dim: scaled_dot(*(x @ W).split(key_dim, -1)[:2]).softmax(-1),
    "08.multihead": heads_weights,
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_inputs_cannot_hide_a_mistake(name):
    """No softmax near a corner: else argmax, a wrong scale or a missing tanh would pass."""
    for inputs in EXERCISES[name].inputs():
        assert 0.15 < WEIGHTS[name](*inputs).max(-1).values.mean() < 0.85


def weights_otherwise(scores, temperature):
    exponentials = ((scores - scores.max(-1, keepdim=True).values) / temperature).exp()
    return exponentials / exponentials.sum(-1, keepdim=True)


def additive_otherwise(query, key, W_q, W_k, v, mask):
    scores = torch.einsum("bqkd,d->bqk", torch.tanh((query @ W_q)[:, :, None] + (key @ W_k)[:, None]), v)
    exponentials = scores.exp() * mask
    return exponentials / exponentials.sum(-1, keepdim=True).clamp(min=1e-9)


def context_otherwise(state, memory, mask, score):
    weights = (score(state[:, None], memory)[:, 0] - 1e9 * ~mask).softmax(-1)
    return torch.einsum("bs,bsd->bd", weights, memory)


def unpack_otherwise(c, step, begin, count):
    """By calling itself, and by finding the largest by hand."""

    def write(state, token, left):
        if not left:
            return []
        logits, after = step(token, state, c)
        return [logits, *write(after, (logits == logits.amax(1, keepdim=True)).long().argmax(1), left - 1)]

    return torch.cat([row[:, None] for row in write(c, c.new_full(c.shape[:1], begin).long(), count)], 1)


def step_otherwise(y, state, c, W, U, C, b):
    """By torch's own cell, which reads token and context in one row."""
    cell = torch.nn.RNNCell(len(W) + len(C), len(U))
    weights = {"weight_ih": torch.cat([W, C]).T, "weight_hh": U.T, "bias_ih": b, "bias_hh": torch.zeros_like(b)}
    return torch.func.functional_call(cell, weights, (torch.cat([y, c], 1), state))


def multihead_otherwise(x, W_q, W_k, W_v, W_o, heads):
    attention = MultiHeadAttention(x.shape[-1], heads)
    weights = {
        f"{name}.weight": W.T for name, W in zip(("query", "key", "value", "output"), (W_q, W_k, W_v, W_o), strict=True)
    }
    biases = {f"{name.removesuffix('.weight')}.bias": torch.zeros(len(W)) for name, W in weights.items()}
    return torch.func.functional_call(attention, weights | biases, x)


def added_otherwise(x, parts, norms):
    """The stream, carried along, and its differences."""
    streams = [torch.zeros_like(x), x]
    for i in range(len(parts)):
        streams.append(streams[-1] + parts[i](norms[i](streams[-1])))
    return torch.stack(streams).diff(dim=0)


def block_otherwise(x, attention, feed_forward, norm_1, norm_2):
    found = attention(norm_1(x)).add(x)
    return sum([found, feed_forward(norm_2(found))])


def beam_step_otherwise(kept, log_probabilities, width):
    totals = (kept[:, None] + log_probabilities).flatten().sort(descending=True)
    parents, tokens = torch.meshgrid(*map(torch.arange, log_probabilities.shape), indexing="ij")
    columns = [totals.values, parents.flatten()[totals.indices], tokens.flatten()[totals.indices]]
    return torch.stack(columns, 1)[:width]


def top_p_otherwise(logits, p):
    ahead = (logits.unsqueeze(-2) > logits.unsqueeze(-1)).float()  # [batch, token, more probable token]
    return logits.where((ahead @ logits.softmax(-1).unsqueeze(-1)).squeeze(-1) < p, -torch.inf)


def write_otherwise(prompt, model, steps):
    """The prompt token by token, too: what is read is always the one newest token."""
    tokens, cache = prompt.tolist(), None
    for place in range(len(prompt) + steps - 1):
        logits, cache = model(torch.tensor(tokens[place : place + 1]), cache)
        tokens += [int(logits.argmax())] if place + 1 == len(tokens) else []
    return torch.tensor(tokens)


def induction_score_otherwise(weights, tokens):
    """By the earlier copies, each key moved back by one."""
    copies = (tokens.unsqueeze(1) == tokens).tril(-1).float()
    behind = torch.cat([weights[..., 1:], torch.zeros_like(weights[..., :1])], dim=-1)
    return torch.einsum("hqk,qk->h", behind, copies) / copies.amax(1).sum()


def each(count):
    """The library's count, model by model."""
    return lambda *columns: torch.tensor([count(*row) for row in torch.stack(columns, 1).tolist()])


# What of the library takes an exercise's arguments and returns its result, just as it stands.
LIBRARY = {
    "06.causal": attnlab.causal,
    "06.softmax": attnlab.masked_softmax,
    "07.shift": shift,
    "11.top_k": decoding.top_k,
    "11.top_p": decoding.top_p,
}


@pytest.mark.parametrize("name", LIBRARY)
def test_the_librarys_own_function_passes(name):
    verdict = check(name, LIBRARY[name])
    assert verdict, verdict


@ALL
def test_no_function_of_the_library_with_the_exercises_name_and_arguments_is_left_out(exercise):
    for module in (attnlab, decoding, costs):
        own = getattr(module, exercise.solution.__name__, None)
        if callable(own) and list(signature(own).parameters) == list(signature(exercise.solution).parameters):
            assert LIBRARY[exercise.name] is own


def hide_otherwise(tokens, asked, dice, others):
    """One choice of three for each place."""
    kind = (dice >= 80).long() + (dice >= 90)
    choices = torch.stack([torch.ones_like(tokens), others, tokens])
    inputs = torch.where(asked, choices.gather(0, kind[None])[0], tokens)
    return torch.stack([inputs, tokens.masked_fill(~asked, -100)])


def three_contexts_otherwise(x, y, lengths, attention):
    """Source and target ask the source at once; the rows are put in order afterwards."""
    source, target = x.shape[1], y.shape[1]
    words = (torch.arange(source) < lengths[:, None])[:, None]
    past = ~torch.ones(target, target, dtype=torch.bool).triu(1)
    return torch.cat([attention(torch.cat([x, y], 1), x, x, words), attention(y, y, y, past)], 1)[
        :, [*range(source), *range(source + target, source + 2 * target), *range(source, source + target)]
    ]


def decoder_block_otherwise(y, memory, attention, cross_attention, feed_forward, norms):
    """Each part as a function of the stream."""
    past = torch.arange(y.shape[1])[:, None] >= torch.arange(y.shape[1])
    parts = [
        lambda z: attention(z, z, z, past),
        lambda z: cross_attention(z, memory, memory),
        feed_forward,
    ]
    for part, norm in zip(parts, norms, strict=True):
        y = y + part(norm(y))
    return y


def rollout_otherwise(weights):
    """From the last layer down, with the identity in each head; each row divided by its sum, as in the paper."""
    whole = torch.eye(weights.shape[-1])
    for heads in weights.flip(0):
        mixed = (heads + torch.eye(len(whole))).mean(0)
        whole = whole @ (mixed / mixed.sum(-1, keepdim=True))
    return whole


def right_atoms_otherwise(weights, rows, columns, sources, alike):
    """One atom of the product after the other."""
    found = []
    for row, source in zip(rows, sources, strict=True):
        given = weights[:, row, columns]
        found.append(given[:, alike == alike[source]].sum(-1) / given.sum(-1))
    return torch.stack(found).mean(0)


def blind_spot_otherwise(scores, allowed):
    """Through the library's softmax."""
    flat = attnlab.masked_softmax(scores.flatten(2), allowed.flatten(1).unsqueeze(1))
    return flat.view(scores.shape)


def drag_otherwise(weights, down, right):
    """The map in the middle of an empty grid three times as large."""
    rows, columns = weights.shape
    wide = torch.nn.functional.pad(weights, (columns, columns, rows, rows))
    moved = wide[rows - down : 2 * rows - down, columns - right : 2 * columns - right]
    return moved * (weights.sum() / moved.sum())


def coverage_otherwise(weights, lengths, total):
    """Caption by caption."""
    given = [caption[:words].sum(0) for caption, words in zip(weights, lengths.tolist(), strict=True)]
    return torch.stack([torch.dist(places, torch.full_like(places, total)) ** 2 for places in given])


def draw_otherwise(mean, noise, randn):
    """The place as a number beside the mean, and torch's own density."""
    place = mean.detach() + noise * randn()
    return torch.column_stack([place, torch.distributions.Normal(mean, noise).log_prob(place).sum(1)])


def policy_loss_otherwise(log_probability, logits, labels, baselines):
    """By torch's losses, the reward taken out of the graph from the start."""
    with torch.no_grad():
        reward = -torch.nn.functional.cross_entropy(logits, labels, reduction="none")[:, None].expand_as(baselines)
        advantage = reward - baselines
    errors = torch.nn.functional.mse_loss(baselines, reward, reduction="none")
    return torch.einsum("bg,bg->b", -advantage, log_probability) + errors.mean(1)


OTHERWISE = {
    "00.weights": weights_otherwise,
    "14.glimpse": lambda picture, place, size, scales: retina(picture[None], torch.tensor([place]), size, scales)[0],
    "14.draw": draw_otherwise,
    "14.policy_loss": policy_loss_otherwise,
    "01.unpack": unpack_otherwise,
    "01.step": step_otherwise,
    "02.additive": additive_otherwise,
    "02.context": context_otherwise,
    "03.general": lambda query, key, W: torch.einsum("bqm,nm,bkn->bqk", query, W, key),
    "03.follow": lambda letters, places, gain: torch.nn.functional.pad(
        gain * torch.nn.functional.one_hot((torch.arange(letters) + 1) % letters, letters), (0, places, 0, places)
    ),
    "03.local": lambda scores, centre, radius: local_p(centre, radius)(scores, torch.ones_like(scores, dtype=bool)),
    "04.softmax": lambda scores: scores.softmax(-1),
    "04.attend": lambda query, key, value: (
        (lambda e: e / (1 + e.sum(-1, keepdim=True)))(scaled_dot(query, key).exp()) @ value
    ),
    "05.self_attention": lambda x, W, size: (
        attend(x @ W[:, :size], x @ W[:, size : 2 * size], x @ W[:, 2 * size :]).context
    ),
    "05.changed": lambda order: (
        (order != torch.arange(len(order))) | (order.cumsum(0) != order.sort().values.cumsum(0))
    ),
    "06.causal": lambda queries, keys: ~torch.ones(queries, keys, dtype=torch.bool).triu(1 + keys - queries),
    "06.leaks": lambda model, x, other, place: (
        (model(torch.where(torch.arange(x.shape[1]).view(1, -1, 1) < place, x, other)) - model(x))
        .norm(p=torch.inf, dim=2)
        .max(dim=0)
        .values[:place]
    ),
    "06.combine": lambda lengths, tokens: masks.causal(tokens) & masks.padding(lengths, tokens).flip(2),
    "06.softmax": lambda scores, mask: torch.where(mask, scores, -torch.inf).softmax(-1).where(mask, 0),
    "07.shift": lambda k, dim: torch.linalg.matrix_exp(
        k
        * torch.block_diag(
            *10000.0 ** (-torch.arange(0, dim, 2) / dim).view(-1, 1, 1) * torch.tensor([[0.0, -1.0], [1.0, 0.0]])
        )
    ),
    "07.alibi": lambda scores, slopes: attnlab.masked_softmax(  # what all keys of a row have in common cancels
        scores + slopes.view(-1, 1, 1) * torch.arange(scores.shape[-1]),
        masks.causal(*scores.shape[-2:], start=scores.shape[-1] - scores.shape[-2]),
    ),
    "07.rotary": lambda x: Rotary(x.shape[-1]).rotate(x),
    "08.one_before": lambda letters, places, strength: torch.stack([
        strength * torch.nn.functional.pad(torch.eye(places - 1), (0, 1, letters + 1, 0)),
        torch.eye(letters + places)[:, letters:],
    ]),
    "08.split": lambda x, heads: torch.stack(x.chunk(heads, -1), 1),
    "08.merge": lambda x: torch.cat(x.unbind(1), -1),
    "08.multihead": multihead_otherwise,
    "09.layer_norm": lambda x, gain, shift, epsilon: torch.nn.functional.layer_norm(
        x, gain.shape, gain, shift, epsilon
    ),
    "09.block": block_otherwise,
    "09.added": added_otherwise,
    "10.who": three_contexts_otherwise,
    "10.decoder": decoder_block_otherwise,
    "10.smoothing": lambda logits, target, smoothing: torch.nn.functional.cross_entropy(
        logits, target, label_smoothing=smoothing, reduction="none"
    ),
    "10.beam": beam_step_otherwise,
    "11.top_k": lambda logits, k: logits.where(logits.argsort(-1, True).argsort(-1) < k, -torch.inf),
    "11.top_p": top_p_otherwise,
    "11.windows": lambda text, starts, context: torch.stack([
        text.unfold(0, context, 1)[starts],
        text[1:].unfold(0, context, 1)[starts],
    ]),
    "11.causal_attention": lambda query, key, value: (
        attend(query, key, value, mask=masks.causal(query.shape[1], start=key.shape[1] - query.shape[1])).context
    ),
    "11.write": write_otherwise,
    "11.tied": lambda tokens, table, blocks: torch.nn.functional.linear(
        blocks(torch.nn.functional.embedding(tokens, table)), table
    ),
    "11.induction_score": induction_score_otherwise,
    "12.crossing": each(
        lambda dim, gates: max(
            (n for n in range(100) if n and costs.self_attention(n, dim).operations <= gates * 2 * n * dim**2),
            default=0,
        )
    ),
    "12.parameters": each(costs.decoder_only_parameters),
    "12.flops": each(
        lambda layers, dim, vocabulary, context, tokens: (
            costs.training_flops(layers * (costs.block_parameters(dim) - 13 * dim) + vocabulary * dim, tokens)
            + costs.attention_flops(layers, dim, context, tokens)
        )
    ),
    "12.cache": each(costs.cache_bytes),
    "13.blind_spot": blind_spot_otherwise,
    "13.drag": drag_otherwise,
    "13.coverage": coverage_otherwise,
    "15.rollout": rollout_otherwise,
    "16.hide": hide_otherwise,
    "17.right_atoms": right_atoms_otherwise,
}


@pytest.mark.parametrize(("border", "moved"), [(90, 91), (90, 89), (80, 81), (80, 79)])
def test_dice_on_a_border_are_asked_for(border, moved):
    def hide(tokens, asked, dice, others):
        shifted = torch.where(dice == min(border, moved), dice + (1 if moved < border else -1), dice)
        return EXERCISES["16.hide"].solution(tokens, asked, shifted, others)

    assert not check("16.hide", hide)


@ALL
def test_different_ways_to_be_right(exercise):
    """Another spelling, torch's own function, or the library's: exercise and library say the same."""
    verdict = check(exercise.name, OTHERWISE[exercise.name])
    assert verdict, verdict


def test_what_05_changed_predicts_is_what_a_masked_layer_does():
    chance = torch.Generator().manual_seed(5)
    x, W_q, W_k, W_v = (torch.randn(6, 6, generator=chance, dtype=torch.float64) for _ in range(4))

    def f(x):
        return attend(x @ W_q, x @ W_k, x @ W_v, mask=masks.causal(6)).context

    found = []
    for order in torch.tensor(list(permutations(range(6)))):
        differs = (f(x[order]) - f(x)[order]).abs().amax(dim=1) > 1e-9
        assert torch.equal(EXERCISES["05.changed"].solution(order), differs), order
        found.append(differs)
    assert {int(differs.sum()) for differs in found} == {0, 2, 3, 4, 5, 6}


def test_hints_are_folded_until_they_are_asked_for():
    """However often a cell runs, as under Run All, none of them is told."""
    for exercise in EXERCISES.values():
        hints = [hint(exercise.name) for _ in range(2)]
        assert hints[0] == hints[1]
        assert len(set(exercise.hints)) == 3
        assert not any(text in repr(hints[0]) for text in exercise.hints)
        page = hints[0]._repr_html_()
        assert page.count("<details><summary>Hint ") == 3
        assert page.startswith("<details><summary>The task in full</summary>")
        told = html.unescape(re.sub("<[^>]+>", "", page.partition("Hint 1")[0]))
        assert exercise.stub.strip() in told
        assert exercise.statement.replace("`", "").split("\n\n")[-1] in told.replace("\n\n", "\n")
        assert "<details open" not in page
    assert hint("02.additive")[0] == EXERCISES["02.additive"].hints[0]
    with pytest.raises(IndexError):
        hint("02.additive")[3]


def test_a_hint_is_text_with_code_in_it():
    page = hint("12.crossing")._repr_html_(), hint("07.shift")._repr_html_(), hint("06.causal")._repr_html_()
    assert "<code>torch.block_diag(*blocks)</code>" in page[1]
    assert not any("`" in one for one in page)
    assert "&lt;=" in hint("06.combine")._repr_html_()


def test_status_tells_the_course():
    assert repr(status()).splitlines()[0] == f"0 of {len(EXERCISES)} exercises passed"
    check("02.context", EXERCISES["02.context"].solution)
    first, *lines = repr(status()).splitlines()
    assert first == f"1 of {len(EXERCISES)} exercises passed"
    shown = {f"{line[:2]}.{mark[2:]}": mark[0] for line in lines for mark in line[4:].split("  ")}
    assert shown == {name: "✓" if name == "02.context" else "·" for name in EXERCISES}
    assert len(lines) == len({name[:2] for name in EXERCISES}), "a line for each lesson"


def test_passing_again_keeps_the_first_day(home):
    home.mkdir()
    (home / "progress.json").write_text('{"02.context": "2020-02-29"}', encoding="utf-8")
    assert check("02.context", EXERCISES["02.context"].solution)
    assert kept(home) == {"02.context": "2020-02-29"}


@pytest.mark.parametrize("content", [b"", b'{"02.add', b"[1]", b'{"02.additive": 3}', b"\xff\xfe\x00", b"null"])
def test_damaged_file_is_set_aside(home, content):
    home.mkdir()
    (home / "progress.json").write_bytes(content)
    assert "damaged" in repr(status())
    assert (home / "progress.json.damaged").read_bytes() == content
    assert "damaged" not in repr(status())
    (home / "progress.json").write_bytes(content)
    verdict = check("02.additive", EXERCISES["02.additive"].solution)
    assert verdict
    assert "set aside" in verdict.message
    assert list(kept(home)) == ["02.additive"]
    assert (home / "progress.json.damaged2").read_bytes() == (home / "progress.json.damaged").read_bytes() == content


def test_folder_that_cannot_be_written(home):
    home.write_text("a file where the folder should be", encoding="utf-8")
    verdict = check("02.additive", EXERCISES["02.additive"].solution)
    assert verdict
    assert "cannot be kept" in verdict.message
    assert not status().passed["02.additive"]


def test_a_write_that_fails_leaves_the_old_file(home, monkeypatch):
    check("02.context", EXERCISES["02.context"].solution)
    before = (home / "progress.json").read_text(encoding="utf-8")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    assert "disk full" in check("02.additive", EXERCISES["02.additive"].solution).message
    assert (home / "progress.json").read_text(encoding="utf-8") == before
    assert [file.name for file in home.iterdir() if file.suffix != ".lock"] == ["progress.json"]


def test_what_cannot_be_read_is_not_written_over(home, monkeypatch):
    assert check("02.context", EXERCISES["02.context"].solution)
    with monkeypatch.context() as busy:
        busy.setattr(Path, "read_text", lambda *_, **__: (_ for _ in ()).throw(PermissionError("in use")))
        assert "cannot be kept" in check("02.additive", EXERCISES["02.additive"].solution).message
    assert list(kept(home)) == ["02.context"]


def test_notebooks_do_not_lose_each_others_progress(home):
    """Each is a process of its own."""
    code = "import sys\nfrom attnlab.exercises.progress import remember\n"
    code += "print([remember(f'{sys.argv[1]}.{n}') for n in range(50)].count(''))"
    runs = [subprocess.Popen([sys.executable, "-c", code, name], stdout=subprocess.PIPE) for name in ("one", "other")]
    assert [int(run.communicate()[0]) for run in runs] == [50, 50]
    assert len(kept(home)) == 100


def test_threads_do_not_lose_each_others_progress(home):
    names = [f"{n:02}.thread" for n in range(24)]
    threads = [
        Thread(target=lambda part=part: [exercises.progress.remember(name) for name in part])
        for part in (names[::2], names[1::2])
    ]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sorted(kept(home)) == names
