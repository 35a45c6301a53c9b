"""ProjectionsExplorer: every number of the machine is torch's, a dragged one goes all the way, a row can be chosen."""

import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab import attend
from attnlab.analysis import convex_hull
from widgets.explorers.l04_query_key_value.projections import MAPS, ProjectionsExplorer

SENTENCE = ["the", "dog", "bites", "the", "man"]


def plain(explorer):
    return "".join(text for text, _ in explorer.parts["caption"].sentence)


@pytest.mark.parametrize("words", [None, SENTENCE])
def test_every_control(words):
    drive(ProjectionsExplorer(words))


@pytest.mark.parametrize("words", [None, SENTENCE])
def test_all_numbers_are_torchs(words):
    explorer = ProjectionsExplorer(words, edits=[["W_q", 3, 1, 0.7], ["W_v", 2, 0, -1.5]])
    seen = {name: torch.tensor(explorer.parts["machine"].tensor(name)) for name in explorer.result.tensors}
    assert seen["W_q"][3, 1].item() == pytest.approx(0.7)
    assert seen["W_v"][2, 0].item() == -1.5
    found = [seen["x"] @ seen[name] for name in MAPS]
    for name, expected in zip("qkv", found, strict=True):
        torch.testing.assert_close(seen[name], expected)
    context, weights, scores = attend(*found)
    torch.testing.assert_close(seen["context"], context)
    torch.testing.assert_close(seen["weights"], weights)
    torch.testing.assert_close(seen["scores"], scores)
    torch.testing.assert_close(seen["hull"], seen["v"][convex_hull(seen["v"])])
    code_gives_the_picture(explorer)


def test_the_example_of_the_picture():
    explorer = ProjectionsExplorer()
    assert explorer.weights[3].tolist() == pytest.approx([0.01, 0.05, 0.83, 0.11], abs=0.005)
    assert explorer.context[3].tolist() == pytest.approx([0.12, -0.82], abs=0.005)
    assert "fits best and gets 83" in plain(explorer)
    explorer.word = 1
    assert "its weights are even" in plain(explorer)


def test_a_row_that_is_clicked_is_followed_and_the_controls_with_it():
    explorer = ProjectionsExplorer()
    machine = explorer.parts["machine"]
    machine.chosen = ["v 2", "value"]
    assert (explorer.word, explorer.role) == (3, "gift (value)")
    assert "goes into all 4 contexts" in plain(explorer)
    assert "83" in plain(explorer) or "89" in plain(explorer)
    explorer.role = "offer (column)"
    assert machine.chosen == ["k 2", "key"]
    machine.chosen = []
    explorer.word = 2
    assert machine.chosen == ["k 1", "key"]


def test_a_dragged_number_goes_all_the_way_and_reset_takes_it_back():
    explorer = ProjectionsExplorer()
    machine, before = explorer.parts["machine"], ProjectionsExplorer().context
    machine.edits = [["W_v", 3, 1, 3.5]]
    assert explorer.context[2, 1].item() == pytest.approx(3.5 * before[2, 1].item(), abs=1e-4)
    torch.testing.assert_close(torch.tensor(machine.tensor("context/was")), before)
    torch.testing.assert_close(explorer.weights, ProjectionsExplorer().weights)
    assert machine.spec["tensors"]["hull"]["limit"] == 6, "the plane holds all values"
    explorer.reset()
    assert machine.edits == []
    torch.testing.assert_close(explorer.context, before)


def test_the_hints_of_the_lesson():
    explorer = ProjectionsExplorer(word=1)
    explorer.edits = [["W_q", 2, 0, 1.0]]
    assert explorer.weights[0].argmax() in (0, 3), "now “cats” asks for a thing"
    assert explorer.weights[0, 0] > 0.3
    explorer.edits = [["W_v", 3, 1, 0.0]]
    assert len(explorer.result.tensors["hull"]) == 2, "all values lie on one line"


def test_a_word_that_stands_twice_has_equal_rows():
    explorer = ProjectionsExplorer(SENTENCE)
    for name in ("x", "q", "k", "v", "weights", "context"):
        tensor = explorer.result.tensors[name]
        assert torch.equal(tensor[0], tensor[3]), name
    assert not torch.allclose(explorer.context[0], explorer.context[1])


@pytest.mark.parametrize("count", [1, 7])
def test_too_few_and_too_many_words_are_refused(count):
    with pytest.raises(ValueError, match=f"expected 2 to 6 words, got {count}"):
        ProjectionsExplorer(["word"] * count)


@pytest.mark.parametrize("place", [["W_v", 9, 1], ["W_q", 0, 2], ["W_o", 0, 0]])
def test_a_number_that_is_not_there_cannot_be_dragged(place):
    explorer = ProjectionsExplorer()
    before = explorer.parts["machine"].numbers
    explorer.edits = [[*place, 2.0]]
    assert explorer.parts["caption"].error == f"expected a number of W_q, W_k or W_v, 4 × 2 each, got {place}"
    assert explorer.parts["machine"].numbers is before


def test_a_part_that_is_no_row_is_not_followed():
    explorer = ProjectionsExplorer()
    before = explorer.state
    explorer.parts["machine"].chosen = ["x"]
    assert (explorer.word, explorer.role, explorer.parts["caption"].error) == (before.word, before.role, "")


def test_what_fits_equally_well_is_named_together():
    assert "“cats” and “fish” fit best and get 47\u202f% of the weight each" in plain(ProjectionsExplorer(word=2))


def test_near_is_what_is_near():
    far = ProjectionsExplorer(["the", "dog", "bites"], word=2, edits=[["W_v", 2, 0, 3.0], ["W_q", 2, 0, -3.0]])
    assert "between the values" in plain(far)


def test_even_weights_are_nobodys_most():
    edits = [["W_q", row, column, 0.0] for row in range(4) for column in range(2)]
    explorer = ProjectionsExplorer(edits=edits, role="offer (column)")
    assert "all words give it the same weight, 25\u202f%" in plain(explorer)
