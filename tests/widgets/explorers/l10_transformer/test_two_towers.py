"""TwoTowersExplorer: numbers are torch's, all words of a translation come at once, what is off changes what follows."""

import json
from copy import deepcopy
from itertools import pairwise

import pytest
import torch
from explorers import code_gives_the_picture, drive, move
from machines import transformer_of

from attnlab import greedy, record
from attnlab.analysis import without
from attnlab.blocks import DecoderBlock
from attnlab.tasks import BOS, EOS
from attnlab.transformer import gpt, transformer, universal
from widgets.base.words import percent
from widgets.explorers.l10_transformer.two_towers import MOST, TwoTowersExplorer

TEXT = "we are not eating the red apples"
CROSS = [f"decoder.blocks.{block}.cross_attention" for block in range(2)]


@pytest.fixture(scope="module")
def model(task):
    return transformer_of(task)


@pytest.fixture
def explorer(model, task):
    return TwoTowersExplorer(model, task, text=TEXT, word=3)


def numbers(explorer, name):
    """A tensor of the picture."""
    return torch.tensor(explorer.parts["machine"].tensor(name))


def said(explorer):
    return repr(explorer.parts["caption"])


def run(model, task, off=()):
    """Written by the whole model; the trace and the chances of the model without what is off."""
    source = task.read(TEXT)
    read = [BOS, *(step.token for step in greedy(model, source, BOS, EOS, MOST))]
    with torch.no_grad(), without(model, off), record(model) as trace:
        logits = model(source[None], torch.tensor([len(source)]), torch.tensor([read[:-1]]))
    return read, trace, logits[0].softmax(-1)


def test_every_control(explorer, model, task):
    drive(explorer, model=model, task=task)


def test_the_spec_is_small(explorer):
    sent = explorer.parts["machine"].get_state(["spec"])["spec"]
    assert len(json.dumps(sent, ensure_ascii=False).encode()) < 8000


@pytest.mark.parametrize("off", [[], CROSS])
def test_softmax_makes_the_chances_of_the_logits(explorer, model, task, off):
    explorer.off = off
    logits, chances = numbers(explorer, "next/logits"), numbers(explorer, "next/out")
    _, trace, _ = run(model, task, off)
    words = explorer.parts["machine"].spec["labels"]["vocabulary"][:-1]
    shown = [task.target_vocabulary.index(word) for word in words]
    torch.testing.assert_close(logits, trace.tensor("output/out")[0][:, shown])
    rest = trace.tensor("output/out")[0].logsumexp(-1, keepdim=True)
    torch.testing.assert_close((logits - rest).exp(), chances[:, :-1])


@pytest.mark.parametrize("head", ["mean", "3"])
@pytest.mark.parametrize(
    ("ids", "off"),
    [
        ([], []),
        (["cross"], CROSS),
        ([CROSS[1], "encoder.blocks.0.attention:2"], [CROSS[1], ("encoder.blocks.0.attention", 2)]),
    ],
)
def test_every_number_is_the_models(explorer, model, task, head, ids, off):
    explorer.change(off=ids, head=head)
    read, trace, chances = run(model, task, off)
    machine = explorer.parts["machine"]
    heard = [name for name in machine.spec["tensors"] if not name.startswith("next/")]
    stations = [f"encoder.blocks.{block}.{part}_norm/out" for block in (0, 1) for part in ("attention", "feed_forward")]
    weights = [f"{name}/weights" for name in (*CROSS, "encoder.blocks.1.attention", "decoder.blocks.0.attention")]
    assert {*stations, *weights, "decoder.blocks.1.feed_forward/hidden"} <= {*heard}
    for name in heard:
        own = trace.tensor(name)[0]
        if name.endswith("/weights"):
            own = own.mean(0) if head == "mean" else own[2]
        elif "of" in machine.spec["tensors"][name]:
            own = shares(own)
        torch.testing.assert_close(numbers(explorer, name), own)
    shown = [task.target_vocabulary.index(word) for word in machine.spec["labels"]["vocabulary"][:-1]]
    torch.testing.assert_close(numbers(explorer, "next/out")[:, :-1], chances[:, shown])
    torch.testing.assert_close(numbers(explorer, "next/was")[:, :-1], run(model, task)[2][:, shown])
    assert machine.spec["labels"]["target"] == [task.target_vocabulary[token] for token in read[:-1]]
    code_gives_the_picture(explorer, model=model, task=task)


def shares(own):
    """24 or 96 numbers as 16 shares, each the root of the mean square."""
    ends = [i * own.shape[-1] // 16 for i in range(17)]
    return torch.stack([own[:, a:b].square().mean(-1).sqrt() for a, b in pairwise(ends)], dim=-1)


def test_steps_change_nothing_but_the_frame(explorer):
    machine = explorer.parts["machine"]
    spec, before = machine.spec, machine.numbers.copy()
    explorer.word = 5
    assert machine.frame == 5
    assert machine.spec == spec
    assert (machine.numbers == before).all()
    machine.frame = 2
    assert explorer.word == 2, "as if the hand had moved the film"


def test_the_sentence_says_who_answers_and_how_much(explorer, task):
    whole = explorer.result.whole
    row = explorer.cross[2]
    wrote, asks = (task.target_vocabulary[whole.written[i]] for i in (2, 1))
    best = whole.source[int(row.argmax())]
    begin = f"“{wrote}” is about to be written: “{asks}” asks the source, and “{best}” answers with "
    assert begin + percent(float(row.max())) in said(explorer)
    explorer.parts["machine"].chosen = ["decoder.blocks.0 1", "query"]
    row = numbers(explorer, f"{CROSS[0]}/weights")[1]
    wrote, asks = (task.target_vocabulary[whole.written[i]] for i in (1, 0))
    assert f"To write “{wrote}”, “{asks}” asks the source, and “{whole.source[int(row.argmax())]}”" in said(explorer)
    explorer.lit = "causal"
    row = numbers(explorer, "decoder.blocks.0.attention/weights")[1]
    answers = "itself" if row.argmax() == 1 else "“<BOS>”"
    assert f"“{asks}” asks the words that are there so far and finds most in {answers}" in said(explorer)
    explorer.parts["machine"].chosen = ["source 3", "query"]
    assert "“eating”" not in said(explorer).partition(" asks ")[0], "a word whose attention is not lit does not ask"
    explorer.lit = "encoder"
    row = numbers(explorer, "encoder.blocks.1.attention/weights")[3]
    answers = "itself" if row.argmax() == 3 else f"“{whole.source[int(row.argmax())]}”"
    assert f"at the same time: “eating” finds most in {answers}" in said(explorer)


def test_before_a_word_is_written_the_encoder_reads(explorer):
    explorer.word = 0
    assert said(explorer).startswith("The encoder runs once, and all its words ask at the same time: “apples”")
    explorer.off = ["source"]
    assert said(explorer).startswith("Without encoder self-attention, by itself the decoder")


def test_without_cross_attention_the_decoder_writes_whatever_the_source_says(explorer, model, task):
    explorer.parts["machine"].off = ["cross"]
    with without(model, CROSS):
        alone = [[step.token for step in greedy(model, task.read(text), BOS, EOS, MOST)] for text in (TEXT, "they are")]
    assert alone[0] == alone[1]
    assert explorer.result.alone == alone[0]
    token = explorer.result.whole.written[2]
    was, now = (float(chances[2, token]) for chances in (explorer.result.whole.chances, explorer.result.chances))
    assert abs(was - now) > 0.001
    assert said(explorer).startswith(f"Without cross-attention, “{task.target_vocabulary[token]}” ")
    assert said(explorer).endswith("whatever the source says.") or alone[0] == explorer.result.whole.written
    explorer.off = [f"{CROSS[1]}:1", "target"]
    assert said(explorer).startswith("Without head 2 of cross-attention of decoder block 2 and causal self-attention, ")
    move(explorer, 1)
    explorer.reset()
    assert explorer.parts["machine"].off == []


def test_other_models(task, sizes):
    torch.manual_seed(0)
    for model in (transformer(*sizes, dim=8, heads=1, layers=3), universal(*sizes, dim=8, heads=2, depth=2)):
        explorer = TwoTowersExplorer(model.eval(), task, text="we are", word=1, off=["cross"])
        assert explorer.parts["caption"].error == ""
        code_gives_the_picture(explorer, model=model, task=task)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("text", "we " * 17, "expected at most 16 words"),
        ("text", "we are eating qwertz", "qwertz"),
        ("text", "", "expected"),
        ("off", ["decoder"], "expected one of source, target, cross, an attention or its head, got 'decoder'"),
        ("off", [f"{CROSS[0]}:7"], "expected heads from 0 to 2"),
        ("head", "7", "expected a head from 1 to 3, got 7"),
    ],
)
def test_bad_input_gets_a_sentence_and_loses_nothing(explorer, name, value, words):
    before = explorer.parts["machine"].numbers
    setattr(explorer, name, value)
    assert words in explorer.parts["caption"].error
    assert explorer.parts["machine"].numbers is before


def test_a_chosen_part_that_is_no_word_is_nobody(explorer):
    before = said(explorer)
    for chosen in (["target 99", "query"], ["encoder", "query"], ["nothing 1", "query"]):
        explorer.chosen = chosen
        assert said(explorer) == before


def test_a_model_without_two_towers(task):
    model = gpt(len(task.target_vocabulary), 16, 2, 2, 64).eval()
    explorer = TwoTowersExplorer(model, task, text=TEXT)
    assert explorer.parts["caption"].error == "expected a Transformer with encoder and decoder, got GPT"


def test_a_part_that_is_not_known_is_told(task, model):
    other = deepcopy(model)
    other.decoder.blocks[0].__class__ = type("Own", (DecoderBlock,), {"forward": lambda self, *given, **named: None})
    explorer = TwoTowersExplorer(other, task, text=TEXT)
    assert explorer.parts["caption"].error == (
        "expected a Transformer of attnlab's blocks, got one with a part of your own, Own"
    )


def test_a_model_that_has_learned_on_is_asked_again(explorer, model):
    before = numbers(explorer, "encoder.blocks.0.attention_norm/out")
    bias = model.encoder.blocks[0].attention_norm.bias
    with torch.no_grad():
        bias.add_(0.5)
    try:
        explorer.refresh()
        assert not torch.allclose(numbers(explorer, "encoder.blocks.0.attention_norm/out"), before)
    finally:
        with torch.no_grad():
            bias.sub_(0.5)


def test_a_nan_is_said_with_the_part_that_made_it(task):
    broken = transformer_of(task)
    broken.encoder.blocks[1].feed_forward.contract.bias.data[0] = torch.nan
    explorer = TwoTowersExplorer(broken, task, text=TEXT)
    assert explorer.parts["caption"].error.startswith("not a number: encoder.blocks.1.feed_forward.contract/out, ")


def test_name_in_words(explorer):
    assert repr(explorer) == f"TwoTowersExplorer(text={TEXT!r}, word=3, lit='all', head='mean')"


@pytest.mark.parametrize("lit", ["causal", "cross"])
def test_before_the_first_word_the_decoder_asks_nothing(explorer, lit):
    explorer.change(word=0, lit=lit)
    assert said(explorer) == "No word is written yet. Step on, and the decoder asks."
