"""The base of the explorers that switch heads off: switches, matrices and sentence know the same heads."""

import pytest
import torch

from attnlab import causal, record
from attnlab.analysis import describe
from widgets.base.controls import switch
from widgets.base.words import say
from widgets.explorers.l08_many_heads.head_ablation import Ablation, HeadAblationExplorer
from widgets.instruments.chart.chart import Chart, bars, figure

TOKENS = 9


class Windows(HeadAblationExplorer):
    """Reads the first or the second window of the held-out text; measures nothing."""

    second = switch(False, help="which window")
    mask = causal(24)

    def chart(self):
        return Chart(figure(bars([0.0], ["nothing"])))

    def compute(self, state):
        weights, scores, _ = self.run_without(state.off, self.test[0][int(state.second), :TOKENS])
        return Ablation(list("abcdefghi"), weights, scores, torch.zeros(1))

    def picture(self, state, result):
        return {"matrix": self.panels(state, result), "chart": {"traces": {"0": {"y": result.measured}}}}

    def sentence(self, state, result):
        return say(*self.say_off(state.off))

    def code(self, state):
        return f"off = {self.names_of(state.off)}"


@pytest.fixture
def explorer(reader, patterns):
    model, _, test = reader
    return Windows(model, test, patterns)


def said(explorer) -> str:
    return repr(explorer.parts["caption"])


def test_all_heads_of_all_layers_in_order(explorer, reader):
    model, _, test = reader
    assert explorer.heads == [(f"blocks.{layer}.attention", head) for layer in range(2) for head in range(2)]
    with torch.no_grad(), record(model) as trace:
        model(test[0][:1, :TOKENS])
    for layer in range(2):
        seen = trace[f"blocks.{layer}.attention"][0]
        torch.testing.assert_close(explorer.weights[2 * layer : 2 * layer + 2], seen.weights[0])
        torch.testing.assert_close(explorer.result.scores[2 * layer : 2 * layer + 2], seen.scores[0])
    assert explorer.parts["matrix"].panel_names == [
        "layer 1, head 1",
        "layer 1, head 2",
        "layer 2, head 1",
        "layer 2, head 2",
    ]


def test_each_switch_bears_what_its_head_was_measured_to_do(explorer, reader, patterns):
    model, _, test = reader
    with torch.no_grad(), record(model) as trace:
        model(test[0])
    described = [describe(trace[name][0].weights, test[0], patterns, causal(24)) for name in trace.names]
    assert explorer.parts["switches"].rows == ["layer 1", "layer 2"]
    assert explorer.parts["switches"].notes == [[str(head) for head in layer] for layer in described]


def test_a_head_that_is_off_is_hatched_and_named(explorer):
    matrix = explorer.parts["matrix"]
    assert (matrix.mask == causal(TOKENS).numpy()).all()
    assert said(explorer) == "All heads work. "
    explorer.parts["switches"].off = [0, 3]
    assert explorer.off == [0, 3]
    assert not explorer.weights[[0, 3]].any()
    assert not matrix.mask[[0, 3]].any()
    assert (matrix.mask[[1, 2]] == causal(TOKENS).numpy()).all()
    assert said(explorer) == "Off: layer 1, head 1; layer 2, head 2. "
    assert explorer.parts["caption"].code == "off = [('blocks.0.attention', 0), ('blocks.1.attention', 1)]"
    explorer.off = [0, 1, 2, 3]
    assert said(explorer) == "Off: all heads. "
    explorer.reset()
    assert explorer.parts["switches"].off == []


def test_the_name_holds_nothing_that_was_trained(explorer):
    assert repr(explorer) == "Windows(second=False)"
