"""What recurrent encoders and decoders look like as a graph; that it agrees with `record`: test_model_graph."""

import pytest
from graphs import line, wired

from attnlab.analysis.graphs.model_graph import model_graph
from attnlab.positions import Learned
from attnlab.seq2seq import CELLS, AttentionSeq2Seq, FixedContext, Hard, LuongSeq2Seq, Monotonic, Predictive

ENCODER = {
    ("encoder.embedding", "encoder.recurrent"),
    ("encoder.recurrent", "encoder/out"),
    ("encoder.recurrent", "encoder/hidden"),
}
STEP = {
    ("decoder.embedding", "decoder.cell"),
    ("encoder/hidden", "decoder.cell"),
    ("decoder.cell", "decoder.cell/out"),
    ("decoder.cell/out", "decoder.cell"),
    ("decoder.cell/out", "decoder.output"),
}


def test_one_fixed_vector():
    graph = model_graph(FixedContext(11, 13, hidden=5, embedding=3))
    assert wired(graph) == {
        "hidden": ENCODER | STEP,
        "context": {("encoder/hidden", "decoder.cell"), ("encoder/hidden", "decoder.output")},
    }


def test_looking_back():
    graph = model_graph(AttentionSeq2Seq(11, 13, hidden=5, embedding=3))
    assert wired(graph) == {
        "hidden": ENCODER | STEP,
        "query": {("encoder/hidden", "decoder.attention"), ("decoder.cell/out", "decoder.attention")},
        "key": {("encoder/out", "decoder.attention")},
        "value": {("encoder/out", "decoder.attention")},
        "context": {("decoder.attention", "decoder.cell"), ("decoder.attention", "decoder.output")},
    }


def test_looking_back_afterwards():
    graph = model_graph(LuongSeq2Seq(11, 13, hidden=5, embedding=3))
    assert wired(graph)["query"] == {("decoder.recurrent/out", "decoder.attention")}
    assert wired(graph)["context"] == {("decoder.attention", "decoder.output/in")}
    assert ("decoder.output/in", "decoder.output") in wired(graph)["hidden"]
    assert ("decoder.recurrent/out", "decoder.output") not in wired(graph)["hidden"]


@pytest.mark.parametrize(("name", "label"), [("rnn", "RNN"), ("gru", "GRU"), ("lstm", "LSTM")])
@pytest.mark.parametrize("both", [True, False])
def test_each_cell_by_its_name(name, label, both):
    graph = model_graph(FixedContext(11, 13, hidden=5, embedding=3, bidirectional=both, cell=CELLS[name]))
    labels = [part.label for part in graph.parts if part.kind == "cell"]
    assert labels == [f"{label}, both ways" if both else label, label]
    assert line(graph, "decoder.cell") == f"h[t] = {name}([x, context], h[t-1])"
    assert line(graph, "encoder/hidden") == f"s = tanh(summarise({'[h[-1] of each way]' if both else 'h[-1]'}))"


def test_positions_of_the_words():
    model = FixedContext(11, 13, hidden=5, embedding=3)
    model.encoder.positions = Learned(3, 9)
    summed = {(f"encoder.{part}", "encoder.positions/out") for part in ("embedding", "positions/adds")}
    assert summed <= wired(model_graph(model))["hidden"]


def test_ways_to_look_back():
    model = AttentionSeq2Seq(11, 13, hidden=5, embedding=3)
    score = model.decoder.attention.score

    class Mine(Hard):
        pass

    for look, words in [
        (model.decoder.attention, "softmax(scores)"),
        (Hard(score), "one_hot(argmax(scores))"),
        (Monotonic(score, 2), "softmax(scores near t)"),
        (Predictive(score, 2, 5, 4), "softmax(scores) * near(centre(s))"),
        (Mine(score), "Mine(scores)"),
    ]:
        model.decoder.attention = look
        assert line(model_graph(model), "decoder.attention") == f"context = {words} @ keys"
