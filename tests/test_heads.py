"""What heads do, by numbers; heads switched off; and the explorers of lesson 08."""

import math

import pytest
import torch
from explorers import drive
from torch import nn

from attnlab import MultiHeadAttention, causal, record
from attnlab.heads import after_same, among, back, describe, first, same, without
from attnlab.tasks import TAGGINGS, Text
from attnlab.transformer import gpt
from widgets.blend import BlendExplorer
from widgets.cut import CutExplorer
from widgets.heads import LetterHeadsExplorer, TextHeadsExplorer
from widgets.switchboard import Switchboard

TOKENS = torch.tensor([[2, 3, 2, 5, 3, 2, 7], [7, 7, 3, 2, 5, 11, 5]])


# Patterns, against loops


def slow(rule):
    """[batch, queries, keys] of a rule (tokens, query, key)."""
    return torch.tensor([[[bool(rule(text, q, k)) for k in range(7)] for q in range(7)] for text in TOKENS.tolist()])


PATTERNS = {
    "itself": (back(0), lambda text, q, k: q == k),
    "2 before": (back(2), lambda text, q, k: q - k == 2),
    "9 before": (back(9), lambda text, q, k: False),
    "first": (first, lambda text, q, k: k == 0 and q > 0),
    "same": (same, lambda text, q, k: q != k and text[q] == text[k]),
    "after same": (after_same, lambda text, q, k: k > 0 and k - 1 != q and text[k - 1] == text[q]),
    "among": (among([5, 11]), lambda text, q, k: text[k] in (5, 11)),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns(name):
    pattern, rule = PATTERNS[name]
    assert torch.equal(pattern(TOKENS), slow(rule))


# Measuring


def test_a_head_is_named_by_what_it_reads():
    mask = causal(7)
    weights = torch.zeros(2, 4, 7, 7)
    weights[:, 0] = torch.eye(7).roll(-1, 1)
    weights[:, 0, 0] = torch.eye(7)[0]
    weights[:, 1] = mask / mask.sum(-1, keepdim=True)
    weights[:, 2, :, 0] = 1
    weights[:, 3] = 0.45 * torch.eye(7) + 0.55 * weights[:, 2]
    heads = describe(weights.double(), TOKENS, {"itself": back(0), "first": first, "1 before": back(1)}, mask)
    assert heads[1].name == "diffuse"
    assert heads[1].spread == pytest.approx(1)
    assert heads[1].shares["1 before"] == pytest.approx(sum(1 / n for n in range(2, 8)) / 6)
    assert heads[1].shares["1 before"] == pytest.approx(heads[1].even["1 before"])
    assert [heads[i].name for i in (2, 3)] == ["first", "first"]
    assert heads[3].shares == pytest.approx({"itself": 0.45, "first": 0.55, "1 before": 0.55 / 6})
    assert str(heads[2]) == "first 1.00"


def test_the_mean_is_over_queries_that_have_such_a_key():
    weights = torch.zeros(2, 1, 7, 7)
    weights[..., 0] = 1
    (head,) = describe(weights, TOKENS, {"same": same}, causal(7))
    #            queries with the same letter before: 2, 4, 5 (of those 2 and 5 read it at 0); 1, 6 (1 reads it)
    assert head.shares["same"] == pytest.approx(3 / 5)
    wanted = slow(lambda text, q, k: k < q and text[q] == text[k]).double()
    even = (wanted.sum(-1) / torch.arange(1, 8))[wanted.any(-1)].mean()
    assert head.even["same"] == pytest.approx(float(even))


def test_what_fits_no_pattern_is_mixed_and_a_common_key_gives_no_name():
    weights = torch.zeros(2, 1, 7, 7)
    weights[..., 0] = 0.5
    weights[..., 3] = 0.5
    plain = describe(weights, TOKENS, {"1 before": back(1)})[0]
    assert (plain.name, str(plain)) == ("mixed", "mixed")
    assert plain.spread == pytest.approx(2 / 7)
    everything = describe(weights, TOKENS, {"any letter": among(range(12))})[0]
    assert everything.shares["any letter"] == pytest.approx(1)
    assert everything.name == "mixed", "weights that are all alike lie there as well"


def test_misfits_are_told():
    with pytest.raises(ValueError, match=r"expected weights .* for tokens \[2, 7\], got \[2, 1, 7, 5\]"):
        describe(torch.zeros(2, 1, 7, 5), TOKENS, {})


# Switching off


def test_without_a_head_is_the_sum_of_the_others():
    torch.manual_seed(0)
    attention = MultiHeadAttention(15, heads=3)
    x = torch.randn(2, 7, 15)
    query, key, value = attention.project(x, x, x, 0)
    contexts = (query @ key.mT / math.sqrt(5)).softmax(-1) @ value
    contexts[:, [0, 2]] = 0
    model = nn.Sequential(attention)
    with without(model, [("0", 2), ("0", 0)]), record(model) as trace:
        found = model(x)
    torch.testing.assert_close(found, attention.output(attention.merge(contexts)), atol=1e-5, rtol=1e-4)
    assert not trace["0"][0].weights[:, [0, 2]].any()
    assert attention.given is None


def test_without_nothing_changes_nothing_and_unknown_heads_are_told():
    model = nn.Sequential(MultiHeadAttention(6, heads=2))
    x = torch.randn(1, 3, 6)
    with without(model, []):
        assert torch.equal(model(x), model(x))
    with pytest.raises(ValueError, match="expected heads from 0 to 1 of '0', got 2"), without(model, [("0", 2)]):
        pass
    with pytest.raises(ValueError, match=r"expected names out of \['0'\], got 'no'"), without(model, [("no", 0)]):
        pass


# Explorers


def said(explorer) -> str:
    return repr(explorer.parts["caption"])


def test_blend():
    drive(BlendExplorer())


def test_half_and_half_loses_the_order_and_two_heads_keep_it():
    explorer = BlendExplorer()
    assert "6 different contexts" in said(explorer)
    explorer.share = 1.0
    assert "3 different contexts" in said(explorer)
    explorer.heads = "two heads of width 1"
    assert "All nine pairs are different" in said(explorer)
    assert "1.00 apart" in said(explorer)
    explorer.share = 0.5
    assert "5 different contexts" in said(explorer)


def test_no_share_of_one_head_keeps_the_pairs_as_far_apart_as_two_heads():
    explorer = BlendExplorer()
    gaps = []
    for share in explorer.positions("share"):
        explorer.share = share
        gaps.append(torch.pdist(explorer.found).min().item())
    assert max(gaps) == pytest.approx(0.52, abs=0.01)


def test_cut():
    drive(CutExplorer())


def test_the_same_parameters_whatever_the_cut():
    explorer = CutExplorer()
    for heads in ("1", "2", "4", "8"):
        explorer.heads = heads
        assert explorer.weights.shape == (int(heads), 6, 6)
        assert "1,024 parameters and 7,296 multiply-adds" in said(explorer)


@pytest.mark.parametrize("words", ["", "alone", "a b c d e f g h i"])
def test_cut_refuses_too_few_and_too_many_words(words):
    explorer = CutExplorer()
    explorer.words = words
    assert explorer.parts["caption"].error.startswith("expected 2 to 8 words")


class Namer(nn.Module):
    """Two heads that look exactly one and two back, and maps that hand on what they find: nothing is learned."""

    def __init__(self):
        super().__init__()
        self.attention = MultiHeadAttention(64, heads=2)
        self.code = torch.cat([torch.eye(16), torch.zeros(16, 48)], dim=1)

    def forward(self, letters):
        count = letters.shape[1]
        x = self.code[letters].clone()
        x[:, torch.arange(count), 16 + torch.arange(count)] = 1
        return self.attention(x).unflatten(-1, (2, 32))[..., :16]


@pytest.fixture
def letters():
    task = TAGGINGS["last letters"](2)
    model = Namer()
    for part in (model.attention.query, model.attention.key, model.attention.value, model.attention.output):
        part.weight.data.zero_()
        part.bias.data.zero_()
    places = torch.arange(16)
    for head in range(2):
        model.attention.query.weight.data[32 * head + places, 16 + places] = 200.0
        later = places + head + 1
        model.attention.key.weight.data[32 * head + later, 16 + places] = 1.0
        model.attention.value.weight.data[32 * head + places, places] = 1.0
    model.attention.output.weight.data[:] = torch.eye(64)
    return model, task, task.batch(20, 8, torch.Generator().manual_seed(0))


STEPS = {f"{steps} before": back(steps) for steps in range(5)}


def test_letter_heads(letters):
    model, task, test = letters
    explorer = LetterHeadsExplorer(model, task, test, STEPS, text="abacadae")
    drive(explorer, model=model, task=task, test=test)
    explorer.off = [1]
    assert explorer.parts["switches"].off == [1]
    exec(explorer.parts["caption"].code, found := {"model": model, "task": task, "test": test})
    torch.testing.assert_close(found["weights"], explorer.weights)
    assert found["measured"] == pytest.approx(explorer.measured.tolist())


def test_each_head_owns_one_answer(letters):
    explorer = LetterHeadsExplorer(*letters, STEPS, text="abacadae")
    assert [str(head)[:8] for head in explorer.habits["attention"]] == ["1 before", "2 before"]
    assert explorer.measured.tolist() == [1, 1]
    explorer.parts["switches"].off = [0]
    assert explorer.off == [0]
    assert explorer.measured[0] < 0.2
    assert explorer.measured[1] == 1
    assert not explorer.weights[0].any()
    assert not explorer.parts["matrix"].mask[0].any()
    assert explorer.parts["matrix"].mask[1].all()
    assert "Off: head 0. Lost: the letter 1 before" in said(explorer)
    explorer.off = [0, 1]
    assert "Off: all heads" in said(explorer)
    explorer.reset()
    assert "All heads work" in said(explorer)


@pytest.mark.parametrize(("typed", "message"), [("abc", "expected 8 letters"), ("abacada!", "expected letters from a")])
def test_letter_heads_refuses(letters, typed, message):
    explorer = LetterHeadsExplorer(*letters, STEPS, text="abacadae")
    explorer.text = typed
    assert explorer.parts["caption"].error.startswith(message)


@pytest.fixture(scope="module")
def reader():
    text = Text.from_string("the cat sat on the mat, and the dog sat on the cat. " * 40)
    torch.manual_seed(0)
    return gpt(len(text.vocabulary), 16, heads=2, layers=2, longest=24), text, text.test(24, 5)


def test_text_heads(reader):
    model, text, test = reader
    explorer = TextHeadsExplorer(model, text, test, STEPS, text="the cat sat")
    drive(explorer, model=model, text=text)
    explorer.off = [0, 3]
    exec(explorer.parts["caption"].code, found := {"model": model, "text": text})
    torch.testing.assert_close(found["weights"], explorer.weights)
    torch.testing.assert_close(found["measured"], explorer.measured)


def test_text_heads_by_hand(reader):
    model, text, test = reader
    explorer = TextHeadsExplorer(model, text, test, STEPS, text="the cat sat", off=[1])
    given = torch.full((1, 2, 1, 1), torch.nan)
    given[:, 1] = 0
    model.blocks[0].attention.given = given
    try:
        whole = nn.functional.cross_entropy(model(test[0]).flatten(0, 1), test[1].flatten()).item()
    finally:
        model.blocks[0].attention.given = None
    assert explorer.result.whole == pytest.approx(whole, abs=1e-5)
    assert "Off: layer 0, head 1. On held-out text" in said(explorer)
    before, now = (trace["y"] for trace in explorer.parts["chart"].figure.data)
    assert len(before) == len(now) == 10
    assert not torch.allclose(torch.as_tensor(before), torch.as_tensor(now))
    assert str(explorer.whole)[:5] not in repr(explorer)


@pytest.mark.parametrize("typed", ["", "ab", "x" * 25, "été"])
def test_text_heads_refuses(reader, typed):
    model, text, test = reader
    explorer = TextHeadsExplorer(model, text, test, STEPS, text="the cat sat")
    explorer.text = typed
    assert explorer.parts["caption"].error


def test_switchboard_checks():
    board = Switchboard(rows=["layer 0", "layer 1"], notes=[["a", "b"], ["c"]])
    board.off = [2, 0, 2]
    assert board.off == [0, 2]
    assert repr(board) == "Switchboard(3 heads, off: 0, 2)"
    with pytest.raises(Exception, match="expected heads from 0 to 2"):
        board.off = [3]
    with pytest.raises(Exception, match="one list of notes for each row"):
        board.rows = ["layer 0"]
