"""A small GPT of letters whose heads are taken away: losses by torch, and the order by trying all."""

import pytest
import torch
from torch.nn.functional import cross_entropy

from attnlab.analysis.heads.head_patterns import without
from attnlab.tasks.text import Text
from attnlab.tasks.text_heads import heads_of, held_out_loss, letter_gpt, loss_of_text, taken_away

TEXT = Text.from_string("the cat sat on the mat, and the dog sat on the cat. " * 40)


@pytest.fixture
def model():
    made = letter_gpt(len(TEXT.vocabulary), heads=2, layers=2, seed=3)
    for parameter in made.parameters():
        parameter.data *= 2  # so that heads matter
    return made.eval()


def torchs(model, inputs, targets):
    with torch.no_grad():
        return cross_entropy(model(inputs).flatten(0, 1), targets.flatten()).item()


def test_losses_are_torchs(model):
    windows = TEXT.test(40, 3)
    assert held_out_loss(model, *windows) == pytest.approx(torchs(model, *windows), abs=1e-5)
    with without(model, [("blocks.1.attention", 0)]):
        expected = torchs(model, *windows)
    assert held_out_loss(model, *windows, [("blocks.1.attention", 0)]) == pytest.approx(expected, abs=1e-5)
    batch = TEXT.batch(16, 40, torch.Generator().manual_seed(5))
    assert loss_of_text(model, TEXT, torch.Generator().manual_seed(5)).item() == pytest.approx(
        torchs(model, *batch), abs=1e-5
    )


def test_no_loss_without_a_target_for_each_token(model, as_a_learner):
    inputs, targets = TEXT.test(40, 3)
    for wrong in targets[:0], targets[:, :-1]:
        with pytest.raises(ValueError, match="expected a target for each token, got"):
            held_out_loss(model, inputs, wrong)


def test_each_time_the_cheapest_is_taken(model):
    windows = TEXT.test(40, 3)
    heads = heads_of(model)
    assert heads == [(f"blocks.{layer}.attention", head) for layer in (0, 1) for head in (0, 1)]
    taken = taken_away(model, *windows)
    assert sorted(head for head, _ in taken) == heads
    for count, (head, loss) in enumerate(taken):
        off = [earlier for earlier, _ in taken[:count]]
        others = [held_out_loss(model, *windows, [*off, other]) for other in heads if other not in off]
        assert loss == held_out_loss(model, *windows, [*off, head]) == min(others)


def test_the_size_does_not_depend_on_the_number_of_heads():
    sizes = {sum(p.numel() for p in letter_gpt(9, heads, layers=1).parameters()) for heads in (1, 4, 32)}
    assert len(sizes) == 1
    with pytest.raises(ValueError, match="heads"):
        letter_gpt(9, heads=5)
