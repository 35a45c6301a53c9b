"""SinkExplorer: the runs' own numbers, what is hidden is masked, and the sentence counts."""

import pytest
import torch
from explorers import drive

from widgets.explorers.l17_real_models.sink import ALL, BUT_NEXT, NOTHING, SinkExplorer


def test_every_control(runs):
    drive(SinkExplorer(runs), runs=runs)
    drive(SinkExplorer(runs, hide=ALL, token=2), runs=runs)


@pytest.mark.parametrize(("hide", "which"), [(ALL, "all_after"), (BUT_NEXT, "but_next")])
def test_a_hidden_token(runs, hide, which):
    explorer = SinkExplorer(runs, hide=hide, token=2, text=2)
    expected = getattr(runs["e"], which)[1]
    matrix, chart = explorer.parts["matrix"], explorer.parts["chart"]
    assert torch.equal(torch.tensor(matrix.values[0, 0]), expected.weights)
    assert (matrix.values[0, 0, :, 1] == 0).all()
    assert matrix.mask[0].tolist() == [[1, 0, 1]] * 3
    assert list(chart.trace("now")["y"]) == pytest.approx(expected.losses.tolist())
    assert list(chart.trace("nothing hidden")["y"]) == pytest.approx(runs["e"].whole.losses.tolist())
    words = repr(explorer.parts["caption"])
    whole, now = (float(found.losses[1:].mean()) for found in (runs["e"].whole, expected))
    assert f"from {whole:.2f} nats to {now:.2f}" in words
    assert "“␣7” (token 2)" in words


def test_a_shorter_text_has_fewer_tokens_to_hide(runs):
    explorer = SinkExplorer(runs, hide=ALL, token=5)
    explorer.text = 2
    assert explorer.token == 3
    explorer.hide = NOTHING
    assert explorer.parts["matrix"].mask.all()
    assert torch.equal(explorer.weights, runs["e"].whole.weights)


def test_bad_input(runs):
    explorer = SinkExplorer(runs)
    with pytest.raises(ValueError, match="text: expected a whole number from 1 on, got 0"):
        explorer.text = 0


def test_most_is_what_gets_most_in_all(runs):
    explorer = SinkExplorer(runs)
    weights = explorer.weights
    later = torch.tensor([[weights.shape[1] - i for i in range(weights.shape[1])]])
    assert f"(token {int((weights * later).sum(0).argmax()) + 1})" in repr(explorer.parts["caption"])
