"""What models of pictures look like as a graph; that it agrees with `record`: test_model_graph."""

from graphs import line, wired

from attnlab.analysis.graphs.model_graph import model_graph
from attnlab.positions import POSITIONS
from attnlab.vision.captioner import Captioner, FixedCaptioner, HardCaptioner
from attnlab.vision.glimpses import RecurrentAttention
from attnlab.vision.vit import vit

STEP = {
    ("decoder.embedding", "decoder.cell"),
    ("decoder.cell", "decoder.cell/out"),
    ("decoder.cell/out", "decoder.cell"),
    ("decoder.cell/out", "decoder.output"),
}
GRID = {("encoder.positions/in", "encoder/out"), ("encoder.positions/adds", "encoder/out")}


def test_a_captioner_asks_the_grid_before_each_word():
    graph = model_graph(Captioner(11))
    looks = ("encoder/out", "decoder.attention")
    assert wired(graph) == {
        "hidden": GRID | STEP | {("decoder.attention/in", "decoder.cell")},
        "key": {looks},
        "value": {looks},
        "query": {("decoder.attention/in", "decoder.attention"), ("decoder.cell/out", "decoder.attention")},
        "context": {("decoder.attention", "decoder.cell"), ("decoder.attention", "decoder.output")},
    }
    assert line(model_graph(HardCaptioner(11)), "decoder.attention") == "context = one_hot(argmax(scores)) @ keys"


def test_one_that_cannot_look_is_given_the_mean():
    assert wired(model_graph(FixedCaptioner(11))) == {
        "hidden": GRID | STEP | {("encoder/out", "encoder/hidden")},
        "context": {("encoder/hidden", "decoder.cell"), ("encoder/hidden", "decoder.output")},
    }


def test_the_state_before_a_glimpse_chooses_it():
    assert wired(model_graph(RecurrentAttention(10)))["hidden"] == {
        ("baseline/in", "location"),
        ("baseline/in", "baseline"),
        ("baseline/in", "core"),
        ("location", "glimpse.where/in"),
        ("glimpse.where/in", "glimpse.what/in"),
        ("glimpse.where/in", "glimpse.from_where/in"),
        ("glimpse.what/in", "glimpse.from_what/in"),
        ("glimpse.from_what/in", "glimpse.from_what"),
        ("glimpse.from_where/in", "glimpse.from_where"),
        ("glimpse.from_what", "glimpse/out"),
        ("glimpse.from_where", "glimpse/out"),
        ("glimpse/out", "core"),
        ("core", "baseline/in"),
        ("core", "action"),
    }


def test_the_embedding_of_a_vit_with_and_without_positions():
    graph = model_graph(vit(8, 4, 12, 3, 1))
    assert line(graph, "embed/out") == "x = token + position"
    assert ("embed.pixels", "embed.positions/in") in wired(graph)["hidden"]
    bare = [node.id for node in model_graph(vit(8, 4, 12, 3, 1, place=POSITIONS["none"])).nodes]
    assert "embed/out" not in bare
    assert bare[:3] == ["embed.pixels/in", "embed.pixels", "embed.positions/in"]


class Own(Captioner):
    def forward(self, pictures, allowed, captions):
        return super().forward(pictures, None, captions)


def test_a_captioner_with_a_way_of_its_own_is_a_box():
    graph = model_graph(Own(11))
    assert [part.kind for part in graph.parts] == ["box"]
