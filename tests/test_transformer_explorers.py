"""The explorers of lesson 10: three attentions in one picture, rates, recipes, one block repeated."""

from itertools import product

import pytest
import torch
from explorers import drive

from attnlab.decoding import greedy
from attnlab.schedules import inverse_root
from attnlab.tasks import BOS, EOS, TASKS
from attnlab.trace import record
from attnlab.transformer import transformer, universal
from widgets.depth import DepthExplorer, Written
from widgets.recipe import RecipeExplorer, Run
from widgets.schedule import ScheduleExplorer
from widgets.three_attentions import ThreeAttentionsExplorer

TEXT = "we are eating bread"


@pytest.fixture(scope="module")
def task():
    return TASKS["phrasebook"](pairs=100, tests=20)


@pytest.fixture(scope="module")
def sizes(task):
    return len(task.source_vocabulary), len(task.target_vocabulary)


@pytest.fixture
def model(sizes):
    torch.manual_seed(0)
    return transformer(*sizes, dim=12, heads=3, layers=2).eval()


def said(explorer) -> str:
    return repr(explorer.parts["caption"])


# Three attentions


def test_three_attentions(model, task):
    drive(ThreeAttentionsExplorer(model, task, TEXT), model=model, task=task)


def test_each_quarter_is_an_attention_of_its_own(model, task):
    explorer = ThreeAttentionsExplorer(model, task, TEXT, layer=2, head=3)
    source, square, whole = 4, explorer.square, explorer.result.translation
    target = len(whole.written)
    assert list(square.shape) == [source + target] * 2
    ones = torch.ones(target)
    torch.testing.assert_close(square[:source, :source].sum(1), torch.ones(source))
    torch.testing.assert_close(square[source:, :source].sum(1), ones)
    torch.testing.assert_close(square[source:, source:].sum(1), ones)
    assert not square[:source, source:].any()
    assert not square[source:, source:].triu(1).any()
    fed = torch.tensor([[task.target_vocabulary.index(word) for word in whole.read]])
    with torch.no_grad(), record(model) as trace:
        model(task.read(TEXT)[None], torch.tensor([source]), fed)
    torch.testing.assert_close(square[source:, :source], trace["decoder.blocks.1.cross_attention"][0].weights[0, 2])


def test_head_0_is_the_mean(model, task):
    explorer = ThreeAttentionsExplorer(model, task, TEXT, layer=1)
    heads = []
    for head in (1, 2, 3):
        explorer.head = head
        heads.append(explorer.square)
    explorer.head = 0
    torch.testing.assert_close(explorer.square, torch.stack(heads).mean(0))


def test_what_is_hatched_is_what_may_not_be_read(model, task):
    matrix = ThreeAttentionsExplorer(model, task, TEXT).parts["matrix"]
    mask = torch.as_tensor(matrix.mask[0])
    assert mask[:4, :4].all()
    assert mask[4:, :4].all()
    assert not mask[:4, 4:].any()
    assert torch.equal(mask[4:, 4:], torch.ones_like(mask[4:, 4:]).tril())


def test_steps_forwards_and_backwards(model, task):
    explorer = ThreeAttentionsExplorer(model, task, TEXT, step=3)
    matrix, there = explorer.parts["matrix"], said(explorer)
    assert (matrix.current, matrix.produced) == (6, 6)
    explorer.step = 4
    assert matrix.current == 7
    assert said(explorer) != there
    explorer.step = 3
    assert (matrix.current, said(explorer)) == (6, there)


def test_the_model_may_have_learned_since(model, task):
    explorer = ThreeAttentionsExplorer(model, task, TEXT)
    before = explorer.square
    with torch.no_grad():
        for parameter in model.encoder.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    explorer.refresh()
    assert not torch.equal(explorer.square[:4, :4], before[:4, :4])


@pytest.mark.parametrize(("text", "told"), [
    ("", "got an empty text"), ("we are eating stones", "stones"), ("<b>we</b>", "not in this phrasebook"),
    ("we " * 100, "at most 120 characters"),
])
def test_bad_text_gets_a_sentence_and_loses_nothing(model, task, text, told):
    explorer = ThreeAttentionsExplorer(model, task, TEXT)
    before = explorer.square
    explorer.text = text
    assert told in explorer.parts["caption"].error
    explorer.text = TEXT
    assert explorer.parts["caption"].error == ""
    torch.testing.assert_close(explorer.square, before)


# Rates


def test_schedule():
    drive(ScheduleExplorer())


def test_the_papers_rate():
    explorer = ScheduleExplorer(width=512, warm_up=400)
    for step in (1, 57, 400, 401, 1000):
        paper = 512**-0.5 * min(step**-0.5, step * 400**-1.5)
        assert explorer.rates[step - 1].item() == pytest.approx(paper, rel=1e-5)
    assert "comes at step 400" in said(explorer)
    assert inverse_root(400, 1000, 400) == 1


# Recipes


@pytest.fixture
def runs():
    return {recipe: Run([10, 20], [0.1, 0.6 - 0.1 * recipe[0] - 0.2 * recipe[2]], 1.0 + recipe[1])
            for recipe in product((False, True), repeat=3)}


def test_recipe(runs):
    drive(RecipeExplorer(runs), runs=runs)


def test_every_switch_is_measured_four_times(runs):
    explorer = RecipeExplorer(runs)
    assert explorer.effects("warm_up", lambda run: run.exact[-1]) == pytest.approx([-0.1] * 4)
    assert explorer.effects("smoothing", lambda run: run.exact[-1]) == pytest.approx([0] * 4)
    assert explorer.effects("smoothing", lambda run: run.loss) == pytest.approx([1] * 4)
    assert explorer.effects("dropout", lambda run: run.exact[-1]) == pytest.approx([-0.2] * 4)


def test_a_switch_chooses_the_run_and_the_others_are_told(runs):
    explorer = RecipeExplorer(runs, dropout=True)
    assert explorer.parts["chart"].chosen.tolist() == pytest.approx([0.1, 0.4])
    assert "without dropout 60" in said(explorer)
    assert "with warm-up 30" in said(explorer)
    assert "0.4" not in repr(explorer)


def test_a_missing_recipe_is_told(runs):
    del runs[True, False, True]
    with pytest.raises(ValueError, match=r"\(True, False, True\)"):
        RecipeExplorer(runs)


# One block, repeated


@pytest.fixture
def depths(sizes, task):
    torch.manual_seed(0)
    model = universal(*sizes, dim=12, heads=3, depth=2).eval()
    return DepthExplorer(model, task, task.collate(task.test), TEXT)


def test_depth(depths, task):
    drive(depths, model=depths.model, task=task, held_out=task.collate(task.test))


def test_each_depth_is_the_same_model_repeated(depths, task):
    written = set()
    for depth in (1, 3, 8):
        depths.depth = depth
        steps = greedy(depths.model.at(depth), task.read(TEXT), BOS, EOS, 20)
        assert depths.result.words == task.write([step.token for step in steps]).split()
        written.add(tuple(depths.result.words))
        assert depths.parts["chart"].traces["1"]["x"] == [depth]
        assert f"{'once' if depth == 1 else f'{depth} times'}" in said(depths)
        assert ("never trained" in said(depths)) == (depth > 4)
    assert len(written) > 1, "the depth makes no difference to this model: take another seed"


def test_wrong_words_are_marked(depths, task):
    right = task.recognise(TEXT).target.split()
    written = Written([right[0], "pan", "pan", "pan"], right)
    picture = depths.picture(depths.state, written)["texts"]
    assert [mark for text, mark in picture["texts"][0] if text != " "] == ["word", "", "word", ""]
    assert "".join(text for text, _ in picture["texts"][1]) == "estamos comiendo pan"
    depths.text = "bread bread"
    assert depths.parts["texts"].titles == ["depth 1 writes"]
