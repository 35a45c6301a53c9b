"""RolloutEffectExplorer: the maps of one digit, and the agreement over many."""

import pytest
import torch
from explorers import drive

from attnlab.analysis import attention_rollout, fall_of_logit, rank_correlation
from attnlab.trace import record
from widgets.explorers.l15_vision_transformer.rollout_effect import RolloutEffectExplorer


@pytest.fixture
def explorer(model, digits):
    return RolloutEffectExplorer(model, digits, digit=2)


def test_every_control(explorer, model, digits):
    drive(explorer, model=model, digits=digits)


def test_numbers_by_attnlab(explorer, model, digits):
    images = digits.images[:, None]
    effect = fall_of_logit(model, images, 7)
    with torch.no_grad(), record(model) as trace:
        model(images)
    rollout = attention_rollout([trace[name][0].weights for name in trace.names])[:, 0, 1:]
    found = rank_correlation(rollout, effect)
    torch.testing.assert_close(explorer.maps.effect[0], effect[1], atol=1e-5, rtol=1e-4)
    assert explorer.result.own["rollout"] == pytest.approx(found[1].item(), abs=1e-5)
    means = explorer.parts["chart"].trace(0)
    assert means["y"][0] == pytest.approx(found.mean().item(), abs=1e-5)
    assert means["error_y"]["array"][0] == pytest.approx(found.std().item(), abs=1e-5)


def test_the_shown_maps_have_their_largest_at_one(explorer):
    shown = torch.as_tensor(explorer.parts["maps"].shown)
    torch.testing.assert_close(shown.amax((1, 2)), torch.ones(3))
    torch.testing.assert_close(shown[0].flatten(), explorer.maps.rollout[0] / explorer.maps.rollout.max())


def test_a_model_that_has_learned_is_measured_anew(explorer):
    before = explorer.over_many("paper")["rollout"].clone()
    weight = explorer.model.blocks[1].attention.query.weight
    kept = weight.data.clone()
    weight.data *= -2
    try:
        assert torch.equal(explorer.over_many("paper")["rollout"], before)
        explorer.refresh()
        assert not torch.allclose(explorer.over_many("paper")["rollout"], before)
    finally:
        weight.data = kept


def test_what_covers_changes_the_effect_alone(explorer, model, digits):
    before = explorer.maps
    explorer.cover = "grey"
    effect = fall_of_logit(model, digits.images[1:2, None], 7, 0.5)
    torch.testing.assert_close(explorer.maps.effect, effect, atol=1e-5, rtol=1e-4)
    assert torch.equal(explorer.maps.rollout, before.rollout)
    assert "with grey costs" in repr(explorer.parts["caption"])
