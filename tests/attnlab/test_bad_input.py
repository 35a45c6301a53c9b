"""What bad input gets: a ValueError that quotes what was expected and what came, and for names lists what exists.

The calls are those of a learner, who works without the shape checks of the tests: they are switched off here.
"""

import re

import pytest
import torch
from torch import nn

from attnlab import (
    alignment,
    blocks,
    costs,
    decoding,
    exercises,
    hard_attention,
    huggingface,
    local_attention,
    masks,
    optimisers,
    positions,
    schedules,
    seq2seq,
    tasks,
    trace,
    training,
    transformer,
)
from attnlab.attention import attend
from attnlab.checkpoints import load, save
from attnlab.multihead import Cache, MultiHeadAttention
from attnlab.tasks.far_marks import FarMarks, loss_at_marks, right_at_marks
from attnlab.tasks.text import BytePairs, Characters, Text
from attnlab.vision import Captioner
from attnlab.vision.glimpses import RecurrentAttention, centre_gaze
from attnlab.vision.small_cnn import PlaceReader, SmallCNN
from attnlab.vision.vit import vit

pytestmark = pytest.mark.usefixtures("as_a_learner")


def zeros(*shape):
    return torch.zeros(*shape)


def ids(*values):
    return torch.tensor(values, dtype=torch.long)


def allowed(*shape):
    return torch.ones(*shape, dtype=torch.bool)


def translator():
    return seq2seq.AttentionSeq2Seq(11, 13, hidden=4, embedding=3)


def encoder_decoder():
    return transformer.transformer(11, 13, 8, 2, 1)


def gpt():
    return transformer.gpt(13, 8, 2, 1, longest=7)


def bert():
    return transformer.masked_encoder(13, 8, 2, 1, longest=7)


def attention():
    return MultiHeadAttention(8, 2)


SHAPES = {
    "attend: keys of another size": (
        lambda: attend(zeros(3, 5), zeros(7, 4), zeros(7, 2)),
        "expected keys of size 5",
        "got 4",
    ),
    "attend: fewer values than keys": (
        lambda: attend(zeros(3, 5), zeros(7, 5), zeros(6, 2)),
        "one value for every key",
        "[7, 5]",
        "[6, 2]",
    ),
    "attend: batches that differ": (
        lambda: attend(zeros(2, 3, 5), zeros(3, 7, 5), zeros(3, 7, 5)),
        "the same, or 1",
        "[2, 3, 5]",
        "[3, 7, 5]",
    ),
    "attend: no axis of queries": (
        lambda: attend(zeros(5), zeros(7, 5), zeros(7, 5)),
        "[..., queries, query_dim]",
        "[5]",
    ),
    "attend: a score of another shape": (
        lambda: attend(zeros(3, 5), zeros(7, 5), zeros(7, 2), score=lambda query, key: zeros(7, 3)),
        "[..., 3, 7]",
        "[7, 3]",
    ),
    "attend: scores that are no numbers": (
        lambda: attend(zeros(3, 5), zeros(7, 5), zeros(7, 2), score=lambda query, key: zeros(3, 7) / 0),
        "scores that are numbers",
        "nan",
        "21 of 21",
    ),
    "additive: queries it was not made for": (
        lambda: alignment.Additive(5, 3, 2)(zeros(3, 4), zeros(7, 3)),
        "queries of size 5",
        "got 4",
    ),
    "dot: sizes that differ": (lambda: alignment.SCORES["dot"](5, 3, 2), "one size", "queries of 5", "keys of 3"),
    "multi-head: another width": (lambda: attention()(zeros(2, 3, 6)), "[batch, tokens, 8]", "[2, 3, 6]"),
    "multi-head: no batch": (lambda: attention()(zeros(3, 8)), "[batch, queries, dim]", "[3, 8]"),
    "multi-head: batches that differ": (
        lambda: attention()(zeros(2, 3, 8), zeros(1, 3, 8)),
        "one batch size",
        "[2, 3, 8]",
        "[1, 3, 8]",
    ),
    "cache: another batch": (
        lambda: [
            cache := Cache(),
            cache.extend(zeros(2, 2, 3, 4), zeros(2, 2, 3, 4)),
            cache.extend(zeros(1, 2, 1, 4), zeros(1, 2, 1, 4)),
        ],
        "[2, 2, new, 4]",
        "[1, 2, 1, 4]",
    ),
    "override: weights of another shape": (lambda: overridden(zeros(3, 2)), "broadcast to", "[1, 2, 4, 4]", "[3, 2]"),
    "override: negative weights": (lambda: overridden(zeros(4, 4) - 1), "weights of 0 or more", "-1.0"),
    "greedy: given weights of another length": (
        lambda: list(decoding.greedy(translator(), ids(3, 4, 5), 1, 2, weights={0: zeros(2)})),
        "expected weights [3]",
        "[2]",
    ),
    "hard: a choice of another shape": (
        lambda: hard_attention.log_probability(zeros(3, 7), zeros(3, 5)),
        "[3, 7]",
        "[3, 5]",
    ),
    "hard: weights that are no choice": (
        lambda: hard_attention.log_probability(zeros(3, 7), zeros(3, 7) + 0.5),
        "1 for at most one key",
        "0.5",
    ),
    "local-p: centres of another shape": (
        lambda: attend(zeros(3, 5), zeros(7, 5), zeros(7, 2), weigh=local_attention.local_p(zeros(4), 2)),
        "centres",
        "[3]",
        "[4]",
    ),
    "feed-forward: another width": (lambda: blocks.FeedForward(8, 16)(zeros(2, 5)), "width 8", "[2, 5]"),
    "layer norm: another width": (lambda: blocks.LayerNorm(8)(zeros(2, 5)), "width 8", "[2, 5]"),
    "layer norm: a width that torch would stretch": (lambda: blocks.LayerNorm(8)(zeros(2, 1)), "width 8", "[2, 1]"),
    "RMS norm: a width that torch would stretch": (lambda: blocks.RMSNorm(8)(zeros(2, 1)), "width 8", "[2, 1]"),
    "batch norm: another width": (lambda: blocks.BatchNorm(8)(zeros(2, 5)), "width 8", "[2, 5]"),
    "batch norm: one vector": (lambda: blocks.BatchNorm(8)(zeros(1, 8)), "at least 2 vectors", "1"),
    "learned positions: a width that torch would stretch": (
        lambda: positions.Learned(8, 4)(zeros(1, 3, 1)),
        "width 8",
        "[1, 3, 1]",
    ),
    "sinusoidal: another width": (lambda: positions.Sinusoidal(8)(zeros(1, 3, 6)), "width 8", "[1, 3, 6]"),
    "rotary: heads of another width": (
        lambda: positions.Rotary(4).rotate(zeros(1, 2, 3, 6)),
        "width 4",
        "[1, 2, 3, 6]",
    ),
    "attend: the name of a score": (lambda: attend(*[zeros(2, 4)] * 3, score="dot"), "can be called", "'dot'"),
    "positions made for other heads": (
        lambda: MultiHeadAttention(8, 2, positions.ALiBi(4))(zeros(1, 3, 8)),
        "2 heads",
        "for 4",
    ),
    "sinusoidal: tokens below zero": (
        lambda: positions.sinusoidal(-1, 4),
        "tokens to be a whole number of 0 or more",
        "-1",
    ),
    "smoothing: a target that is no token": (
        lambda: training.smoothed_cross_entropy(zeros(2, 3), ids(1, 7)),
        "from 0 to 2",
        "7",
    ),
    "greedy: a GPT": (lambda: list(decoding.greedy(gpt(), ids(1, 2), 1, 2)), "reads a source", "GPT", "`write`"),
    "write: a translator": (
        lambda: list(decoding.write(translator(), ids(1, 2), 3)),
        "continues a text",
        "AttentionSeq2Seq",
        "`greedy`",
    ),
    "gpt: no layers": (
        lambda: transformer.gpt(13, 8, 2, 0, longest=7),
        "layers to be a whole number of at least 1",
        "0",
    ),
    "gpt: no batch": (lambda: gpt()(ids(1, 2)), "[batch, tokens]", "[2]"),
    "gpt: numbers that are not whole": (lambda: gpt()(zeros(1, 3)), "whole numbers", "float32"),
    "smoothing: targets that do not fit": (
        lambda: training.smoothed_cross_entropy(zeros(2, 3), ids(1, 1, 1)),
        "[2]",
        "[3]",
    ),
    "fit: a loss that is not one number": (
        lambda: next(training.fit(gpt(), lambda generator: zeros(3), 5)),
        "one number",
        "[3]",
    ),
    "fit: a loss that is no number": (
        lambda: next(training.fit(gpt(), lambda generator: zeros(1) / 0, 5)),
        "step 1 is nan",
        "smaller rate",
    ),
    "fit: a loss without a gradient": (
        lambda: next(training.fit(gpt(), lambda generator: zeros(1), 5)),
        "a loss that was computed from parameters",
        "under no_grad",
    ),
    "surrogate: rewards of another shape": (
        lambda: hard_attention.surrogate(zeros(3, 7), zeros(3, 7), zeros(2)),
        "a reward for each choice",
        "[3]",
        "[2]",
    ),
    "muon: a vector": (lambda: optimisers.Muon([nn.Parameter(zeros(3))], 0.1), "2 axes", "[3]"),
}

WIDTHS = {
    "multi-head: heads that do not divide": (lambda: MultiHeadAttention(10, 4), "dim 10", "4 heads"),
    "multi-head: no heads": (lambda: MultiHeadAttention(10, 0), "dim 10", "0 heads"),
    "multi-head: negative heads": (lambda: MultiHeadAttention(10, -2), "dim 10", "-2 heads"),
    "gpt": (lambda: transformer.gpt(13, 10, 4, 1, 7), "dim 10", "4 heads"),
    "modern gpt": (lambda: transformer.modern_gpt(13, 10, 4, 1, 7), "dim 10", "4 heads"),
    "modern gpt: no heads": (lambda: transformer.modern_gpt(13, 10, 0, 1, 7), "0 heads"),
    "modern gpt: heads that do not divide an odd width": (
        lambda: transformer.modern_gpt(13, 7, 2, 1, 7),
        "dim 7",
        "2 heads",
    ),
    "modern gpt: heads of odd width": (lambda: transformer.modern_gpt(13, 10, 2, 1, 7), "even dim", "5"),
    "transformer": (lambda: transformer.transformer(11, 13, 10, 4, 1), "dim 10", "4 heads"),
    "masked encoder": (lambda: transformer.masked_encoder(13, 10, 4, 1, 7), "dim 10", "4 heads"),
    "universal: depth 0": (
        lambda: transformer.universal(11, 13, 8, 2, 0),
        "depth to be a whole number of at least 1",
        "0",
    ),
    "sinusoidal: an odd width": (lambda: positions.sinusoidal(3, 5), "even dim", "5"),
    "shift: an odd width": (lambda: positions.shift(3, 5), "even dim", "5"),
    "rotary: no heads": (lambda: positions.POSITIONS["rotary"](8, 0, 7), "dim 8", "0 heads"),
    "ALiBi: no heads": (lambda: positions.ALiBi(0), "heads to be a whole number of at least 1", "0"),
    "relative bias: odd buckets": (lambda: positions.RelativeBias(2, buckets=7), "multiple of 4", "7"),
}

MASKS = {
    "attend: numbers": (
        lambda: attend(zeros(3, 5), zeros(7, 5), zeros(7, 5), mask=zeros(3, 7)),
        "boolean mask",
        "float32",
    ),
    "attend: another shape": (
        lambda: attend(zeros(3, 5), zeros(7, 5), zeros(7, 5), mask=allowed(7, 3)),
        "broadcasts",
        "[3, 7]",
        "[7, 3]",
    ),
    "attend: larger than the scores": (
        lambda: attend(zeros(3, 5), zeros(7, 5), zeros(7, 5), mask=allowed(2, 3, 7)),
        "broadcasts",
        "[2, 3, 7]",
    ),
    "multi-head: numbers": (lambda: attention()(zeros(2, 3, 8), mask=zeros(3, 3)), "boolean mask", "float32"),
    "multi-head: another shape": (
        lambda: attention()(zeros(2, 3, 8), mask=allowed(3, 4)),
        "broadcasts",
        "[3, 3]",
        "[3, 4]",
    ),
    "multi-head: another batch": (
        lambda: attention()(zeros(2, 3, 8), mask=allowed(5, 3, 3)),
        "broadcasts",
        "[2, 3, 3]",
        "[5, 3, 3]",
    ),
    "masked encoder: another shape": (lambda: bert()(ids([1, 2, 3]), mask=allowed(1, 4)), "mask", "[1, 4]"),
    "causal: negative": (lambda: masks.causal(-1), "0 or more", "-1"),
    "window: negative radius": (lambda: masks.window(3, radius=-1), "radius", "-1"),
    "prefix: negative": (lambda: masks.prefix(3, length=-1), "0 or more", "-1"),
    "local-m: negative radius": (lambda: local_attention.local_m(-1), "radius to be a whole number of 0 or more", "-1"),
    "local-p: radius 0": (lambda: local_attention.local_p(zeros(3), 0), "radius above 0", "0"),
}

LENGTHS = {
    "padding: negative": (lambda: masks.padding(ids(3, -1), 5), "from 0 to 5", "[3, -1]"),
    "padding: too long": (lambda: masks.padding(ids(3, 6), 5), "from 0 to 5", "[3, 6]"),
    "seq2seq: length 0": (lambda: translator().encode(ids([1, 2], [3, 4]), ids(2, 0)), "lengths from 1 to 2", "[2, 0]"),
    "seq2seq: too long": (lambda: translator().encode(ids([1, 2], [3, 4]), ids(2, 3)), "lengths from 1 to 2", "[2, 3]"),
    "transformer: length 0": (
        lambda: encoder_decoder().encode(ids([1, 2], [3, 4]), ids(2, 0)),
        "lengths from 1 to 2",
        "[2, 0]",
    ),
    "transformer: too long": (
        lambda: encoder_decoder().encode(ids([1, 2], [3, 4]), ids(2, 3)),
        "lengths from 1 to 2",
        "[2, 3]",
    ),
    "seq2seq: fewer lengths than sources": (
        lambda: translator().encode(ids([1, 2], [3, 4]), ids(2)),
        "2 lengths from 1 to 2",
        "[2]",
    ),
    "transformer: fewer lengths than sources": (
        lambda: encoder_decoder().encode(ids([1, 2], [3, 4]), ids(2)),
        "2 lengths from 1 to 2",
        "[2]",
    ),
    "task: a batch of none": (
        lambda: tasks.TASKS["reverse"]().batch(0, torch.Generator()),
        "size to be a whole number of at least 1",
        "0",
    ),
    "learned positions: longer than the table": (
        lambda: positions.Learned(8, 4)(zeros(1, 5, 8)),
        "at most 4 tokens",
        "5",
    ),
    "one-hot positions: longer than the code": (
        lambda: positions.OneHot(8, 4)(zeros(1, 5, 8)),
        "at most 4 tokens",
        "5",
    ),
    "schedule: no warm-up": (
        lambda: schedules.inverse_root(1, 10, warmup=0),
        "warmup to be a whole number of at least 1",
        "0",
    ),
    "greedy: an empty source": (lambda: list(decoding.greedy(translator(), ids(), 1, 2)), "at least one token", "[0]"),
    "beam: an empty source": (
        lambda: list(decoding.beam(encoder_decoder(), ids(), 1, 2, 3)),
        "at least one token",
        "[0]",
    ),
    "write: an empty prompt": (lambda: list(decoding.write(gpt(), ids(), 3)), "prompt", "at least one token", "[0]"),
    "write: no steps": (
        lambda: list(decoding.write(gpt(), ids(1), 0)),
        "steps to be a whole number of at least 1",
        "0",
    ),
    "greedy: no steps": (
        lambda: list(decoding.greedy(translator(), ids(3), 1, 2, 0)),
        "steps to be a whole number of at least 1",
        "0",
    ),
    "best: no steps": (lambda: decoding.best([]), "at least one step", "none"),
    "gpt: longer than its positions": (lambda: gpt()(torch.zeros(1, 9, dtype=torch.long)), "at most 7", "9"),
    "text: too short": (lambda: Text.from_string("short"), "at least 1000 letters", "5", '"short"'),
    "text: no context": (lambda: text().batch(2, 0, torch.Generator()), "context from 1", "0"),
    "text: context longer than the text": (lambda: text().batch(2, 5000, torch.Generator()), "context from 1", "5000"),
    "fit: no steps": (lambda: training.fit(gpt(), len, 0), "steps to be a whole number of at least 1", "0"),
    "fit: rate 0": (lambda: training.fit(gpt(), len, 5, rate=0), "rate above 0", "0"),
    "measured: every 0": (
        lambda: next(training.measured([], dict, every=0)),
        "every to be a whole number of at least 1",
        "0",
    ),
    "costs: no tokens": (lambda: costs.self_attention(0, 8), "tokens to be a whole number of at least 1", "0"),
    "costs: an even neighbourhood": (lambda: costs.restricted_attention(9, 8, neighbourhood=4), "odd", "4"),
}

IDS = {
    "gpt: too large": (lambda: gpt()(ids([3, 13])), "from 0 to 12", "13"),
    "gpt: negative": (lambda: gpt()(ids([3, -1])), "from 0 to 12", "-1"),
    "masked encoder: too large": (lambda: bert()(ids([3, 13])), "from 0 to 12", "13"),
    "transformer: source": (lambda: encoder_decoder()(ids([11]), ids(1), ids([1])), "from 0 to 10", "11"),
    "transformer: target": (lambda: encoder_decoder()(ids([3]), ids(1), ids([13])), "from 0 to 12", "13"),
    "seq2seq: source": (lambda: translator()(ids([11]), ids(1), ids([1])), "from 0 to 10", "11"),
    "seq2seq: target": (lambda: translator()(ids([3]), ids(1), ids([13])), "from 0 to 12", "13"),
    "seq2seq: the token before": (lambda: stepped(translator(), 13), "from 0 to 12", "13"),
    "transformer: the token before": (lambda: stepped(encoder_decoder(), 13), "from 0 to 12", "13"),
    "teacher forcing: the last target": (
        lambda: seq2seq.teacher_forcing(translator(), ids([3]), ids(1), ids([1, 13])),
        "from 0 to 12",
        "13",
    ),
    "task: written": (lambda: tasks.TASKS["reverse"]().write([999]), "ids from 0 to 12", "999"),
    "beam: the token of the start": (lambda: list(decoding.beam(translator(), ids(3), 99, 2, 3)), "from 0 to 12", "99"),
    "greedy: source": (lambda: list(decoding.greedy(translator(), ids(3, 11), 1, 2)), "from 0 to 10", "11"),
    "guided: prefix": (
        lambda: list(decoding.sample(decoding.Guided(translator(), [13]), ids(3), 1, 2)),
        "from 0 to 12",
        "13",
    ),
    "write: prompt": (lambda: list(decoding.write(gpt(), ids(13), 3)), "from 0 to 12", "13"),
    "text: decode": (lambda: text().decode([999]), "ids from 0 to", "999"),
    "segments: none were made": (lambda: bert()(ids([1, 2]), segments=ids([0, 1])), "no segments"),
}

NUMBERS = {
    "attend: temperature 0": (
        lambda: attend(zeros(3, 5), zeros(7, 5), zeros(7, 5), temperature=0),
        "temperature above 0",
        "0",
    ),
    "attend: a negative temperature": (
        lambda: attend(zeros(3, 5), zeros(7, 5), zeros(7, 5), temperature=-1.5),
        "temperature above 0",
        "-1.5",
    ),
    "attend: a temperature that is no number": (
        lambda: attend(zeros(3, 5), zeros(7, 5), zeros(7, 5), temperature=float("nan")),
        "temperature",
        "nan",
    ),
    "logits: temperature 0": (lambda: decoding.temperature(zeros(5), 0), "temperature above 0", "0"),
    "logits: a negative temperature": (lambda: decoding.temperature(zeros(5), -2), "temperature above 0", "-2"),
    "logits: an endless temperature": (lambda: decoding.temperature(zeros(5), torch.inf), "temperature", "inf"),
    "top-p: 0": (lambda: decoding.top_p(zeros(5), 0), "above 0 and at most 1", "0"),
    "top-p: above 1": (lambda: decoding.top_p(zeros(5), 1.2), "above 0 and at most 1", "1.2"),
    "top-p: negative": (lambda: decoding.top_p(zeros(5), -0.2), "above 0 and at most 1", "-0.2"),
    "top-p: no number": (lambda: decoding.top_p(zeros(5), float("nan")), "above 0 and at most 1", "nan"),
    "top-k: 0": (lambda: decoding.top_k(zeros(5), 0), "at least 1", "0"),
    "draw: nothing left": (lambda: decoding.draw(zeros(2) - torch.inf), "at least one of them", "-inf"),
    "draw: no numbers": (lambda: decoding.draw(zeros(2) / 0), "numbers", "2 that are none"),
    "beam: width 0": (
        lambda: list(decoding.beam(translator(), ids(3), 1, 2, 0)),
        "width to be a whole number of at least 1",
        "0",
    ),
    "beam: negative width": (
        lambda: list(decoding.beam(gpt(), ids(3), 1, 2, -3)),
        "width to be a whole number of at least 1",
        "-3",
    ),
    "smoothing: above 1": (
        lambda: training.smoothed_cross_entropy(zeros(2, 3), ids(1, 2), smoothing=1.5),
        "from 0 to 1",
        "1.5",
    ),
    "smoothing: negative": (
        lambda: training.smoothed_cross_entropy(zeros(2, 3), ids(1, 2), smoothing=-0.1),
        "from 0 to 1",
        "-0.1",
    ),
    "soft cap: 0": (lambda: transformer.SoftCap(0), "limit above 0", "0"),
    "clipping: 0": (lambda: optimisers.adamw(gpt(), 0.1, clip=0), "clip above 0", "0"),
    "baseline: keep above 1": (
        lambda: hard_attention.moving_average(torch.tensor(0.0), zeros(3), keep=1.5),
        "from 0 to 1",
        "1.5",
    ),
    "byte pairs: fewer than the bytes": (lambda: BytePairs("text", size=100), "256", "100"),
}

NAMES = {
    "score": (lambda: alignment.SCORES["foo"], *alignment.SCORES, "'foo'"),
    "mask": (lambda: masks.MASKS["foo"], *masks.MASKS, "'foo'"),
    "position code": (lambda: positions.POSITIONS["foo"], *positions.POSITIONS, "'foo'"),
    "norm": (lambda: blocks.NORMS["foo"], *blocks.NORMS, "'foo'"),
    "residual": (lambda: blocks.RESIDUALS["foo"], *blocks.RESIDUALS, "'foo'"),
    "cell": (lambda: seq2seq.CELLS["foo"], *seq2seq.CELLS, "'foo'"),
    "schedule": (lambda: schedules.SCHEDULES["foo"], *schedules.SCHEDULES, "'foo'"),
    "task": (lambda: tasks.TASKS["foo"], *tasks.TASKS, "'foo'"),
    "tagging": (lambda: tasks.TAGGINGS["foo"], *tasks.TAGGINGS, "'foo'"),
    "layer": (lambda: costs.LAYERS["foo"], *costs.LAYERS, "'foo'"),
    "model of the table": (lambda: costs.MODELS["GPT-5"], *costs.MODELS, "'GPT-5'"),
    "exercise": (lambda: exercises.check("10.foo", print), "04.attend", "'10.foo'", "did you mean '10.who'"),
    "attention that was recorded": (lambda: recorded("encoder"), "blocks.0.attention", "'encoder'"),
    "attention to override": (lambda: overridden(zeros(4, 4), "encoder"), "blocks.0.attention", "'encoder'"),
}

TEXTS = {
    "reverse: a letter": (lambda: tasks.TASKS["reverse"]().read("12x4"), '"12x4"', '"x" (LATIN SMALL LETTER X)'),
    "copy: a rocket": (lambda: tasks.TASKS["copy"]().read("12🚀4"), "(ROCKET)", "never seen"),
    "dates: a rocket": (lambda: tasks.TASKS["dates"]().read("3 may 🚀"), "(ROCKET)", "such as"),
    "phrasebook: an unknown word": (lambda: tasks.TASKS["phrasebook"]().read("we are eating qwertz"), "qwertz"),
    "reverse: nothing": (lambda: tasks.TASKS["reverse"]().read(""), "empty text"),
    "reverse: no text": (lambda: tasks.TASKS["reverse"]().read(12), "expected a text", "12"),
    "text: unseen characters": (lambda: text().encode("ab🚀"), "(ROCKET)", "never seen"),
    "text: no text": (lambda: text().encode(7), "expected a text", "7"),
    "characters: unseen": (lambda: Characters("abc").encode("abz"), "(LATIN SMALL LETTER Z)", "3 different"),
}


def text():
    return Text.from_string("the quick brown fox, " * 60)


def overridden(weights, name="blocks.0.attention"):
    model = gpt()
    with trace.override(model, {name: weights}):
        model(ids([1, 2, 3, 4]))


def stepped(model, token):
    memory = model.encode(ids([3]), ids(1))
    model.step(ids(token), model.start(memory), memory)


def recorded(name):
    model = gpt()
    with trace.record(model) as heard:
        model(ids([1, 2, 3, 4]))
    return heard[name]


def as_marks(images):
    """What asks for the answers of a network at two marks."""
    places = torch.ones(len(images), 2, 2, dtype=torch.long)
    return FarMarks(images, places, places[..., 0])


LOOKERS = {  # what sees pictures: [batch, channels, 12, 12] in, and what numbers it takes
    "captioner": (lambda x: Captioner(13, size=12)(x.expand(-1, 3, -1, -1), None, ids([3])), "0 to 1, got"),
    "glimpses": (lambda x: RecurrentAttention(size=4)(x[:, 0], centre_gaze), "0 to 1, got"),
    "far marks": (lambda x: loss_at_marks(PlaceReader(nn.Identity(), 4), as_marks(x)), "0 to 1, got"),
    "right at marks": (lambda x: right_at_marks(PlaceReader(nn.Identity(), 4), as_marks(x)), "0 to 1, got"),
    "vit": (lambda x: vit(12, size=4, dim=8, heads=2, layers=1)(x), "0 to 1, or prepared as the weights need it, got"),
    "small cnn": (lambda x: SmallCNN(12, 3, 5)(x), "0 to 1, or prepared as the weights need it, got"),
}
MUCH = {"bytes as decimals": (200.0, "got 200; divide bytes by 255"), "no number": (torch.nan, "got nan")}

PICTURES = {
    f"{name}: {kind}": (lambda look=look, number=number: look(torch.full((1, 1, 12, 12), number)), numbers, words)
    for name, (look, numbers) in LOOKERS.items()
    for kind, (number, words) in MUCH.items()
}
PICTURES |= {
    f"{name}: below 0": (lambda look=look: look(torch.full((1, 1, 12, 12), -0.5)), "got -0.5")
    for name, (look, numbers) in LOOKERS.items()
    if "prepared" not in numbers
}
PICTURES |= {
    f"{name}: bytes": (lambda look=look: look(torch.ones(1, 1, 12, 12, dtype=torch.uint8)), "real numbers")
    for name, (look, _) in LOOKERS.items()
}


BAD = {
    f"{section}: {name}": row
    for section, rows in {
        "shapes": SHAPES,
        "widths": WIDTHS,
        "masks": MASKS,
        "lengths": LENGTHS,
        "ids": IDS,
        "numbers": NUMBERS,
        "names": NAMES,
        "texts": TEXTS,
        "pictures": PICTURES,
    }.items()
    for name, row in rows.items()
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name):
    call, *words = BAD[name]
    with pytest.raises(ValueError, match="(?s)" + "".join(f"(?=.*{re.escape(word)})" for word in words)) as caught:
        call()
    assert caught.type is ValueError  # and none of its kinds, which other code raises for other reasons


@pytest.mark.parametrize("name", LOOKERS)
def test_pictures_as_they_should_be(name):
    look, numbers = LOOKERS[name]
    look(torch.rand(1, 1, 12, 12))
    if "prepared" in numbers:  # as ImageNet's photographs are for the weights of others
        look(torch.linspace(-2.2, 2.7, 144).view(1, 1, 12, 12))


def test_another_checkpoint(tmp_path):
    """Whatever is wrong with the file, the model stays as it is."""
    path, model = tmp_path / "model.safetensors", gpt()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    save(transformer.gpt(13, 8, 2, 2, longest=7), path, vocabulary=["a", "b"])
    with pytest.raises(ValueError, match=r"model\.safetensors holds another architecture: expected .*, got "):
        load(path, model)
    save(translator(), path)
    with pytest.raises(ValueError, match=r"another architecture: expected 'GPT\(', got 'AttentionSeq2Seq\('"):
        load(path, model)
    save(gpt(), path, vocabulary=["a", "b"])
    with pytest.raises(ValueError, match=r"another vocabulary: expected .*'c'.*, got .*'b'"):
        load(path, model, vocabulary=["a", "c"])
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match=r"expected a whole checkpoint of attnlab, got .* \(\d+ bytes\)"):
        load(path, model)
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())


def test_weights_of_another_kind():
    pytest.importorskip("transformers")
    with pytest.raises(ValueError, match="kind gpt2, bert, albert, llama, vit or dinov2, got GPT"):
        huggingface.from_model(gpt())
    with pytest.raises(ValueError, match=r"expected a matrix 'wte.weight' in the state, got only query.weight"):
        huggingface.gpt2({"query.weight": zeros(3, 2)}, 2)
