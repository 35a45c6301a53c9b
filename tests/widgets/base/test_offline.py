"""Export: all that a page of a view needs, by names that are the same in every run."""

import numpy as np
import pytest
from explorers import Plain
from ipywidgets import Label, VBox

from attnlab.training import Step
from widgets import (
    Chart,
    KernelRegressionExplorer,
    Matrix,
    Predict,
    PredictCell,
    PredictNumber,
    Table,
    Training,
    bars,
    figure,
)
from widgets.base.frames import opened
from widgets.base.offline import Export, family, together, write
from widgets.base.states import States, packed_size


def test_names_are_the_same_in_every_run(tmp_path, monkeypatch):
    monkeypatch.setattr("widgets.base.states.thread_time", lambda: 0.0)  # how many pictures there is time for varies
    made = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        view = Predict("Which?", {"this": "Yes.", "that": "No."}, "this", then=Plain())
        written = write([view.model_id], str(tmp_path / folder), "page")
        assert written["views"][view.model_id] == {"name": "m0", "kind": "Predict"}
        made.append([path.read_bytes() for path in sorted((tmp_path / folder).iterdir())])
    assert made[0] == made[1]
    assert len(made[0]) == 2, "the views, and the pictures of the explorer"


def test_no_id_of_this_kernel_is_left():
    view = Predict("Which?", {"this": "Yes.", "that": "No."}, "this", then=Plain())
    ids = [widget.model_id for widget in family(view)]
    export = Export()
    export.add(view)
    text = repr([export.models, export.answers])
    assert len(ids) > 8
    assert [one for one in ids if one in text] == []


def test_scripts_are_named_and_not_brought_along():
    export = Export()
    name = export.add(Chart(figure(bars([1, 2], ["a", "b"]))))
    assert export.models[name]["libraries"] == {"chart": "script:chart", "plotly": "script:plotly"}
    assert "_esm" not in export.models[name]


def test_one_view_shown_twice_is_there_once(tmp_path):
    matrix = Matrix(np.eye(3))
    export = Export()
    assert export.add(matrix) == export.add(matrix)
    assert len(export.models) == 2, "the matrix and its layout"


def test_an_explorer_answers_for_its_parts(tmp_path):
    explorer = Plain()
    written = write([explorer.model_id], str(tmp_path), "page")
    views, _ = opened((tmp_path / "page.views.bin").read_bytes())
    name = written["views"][explorer.model_id]["name"]
    answer = views["answers"][name]
    assert answer["kind"] == "explorer"
    assert len(answer["parts"]) == 3
    assert set(answer["parts"]) <= set(views["models"])
    states, _ = opened((tmp_path / answer["states"]).read_bytes())
    assert states["controls"] in answer["parts"]
    assert written["explorers"][name]["states"] > 50


def test_explorers_of_a_page_share_its_bytes():
    kinds = {"small": Plain, "large": KernelRegressionExplorer}
    states = {name: States(kind(), states=20, seconds=600) for name, kind in kinds.items()}
    alone = {name: packed_size(made) for name, made in together(states, 10**9).items()}
    shared = {name: packed_size(made) for name, made in together(states, alone["small"] + 9000).items()}
    assert shared["small"] == alone["small"], "it needs less than half"
    assert shared["large"] <= 9000 < alone["large"]


def test_only_of_many_numbers_three_digits_must_do(tmp_path):
    matrix, large = Matrix(np.full((3, 3), 1 / 3)), Matrix(np.full((101, 101), 1 / 3))
    write([matrix.model_id, large.model_id], str(tmp_path), "page")
    models = opened((tmp_path / "page.views.bin").read_bytes())[0]["models"]
    sent = [model["values"].keys() for model in models.values() if "values" in model]
    assert [sorted(names) for names in sent] == [["data", "shape"], ["halves", "power", "shape"]]


def test_a_training_brings_its_record():
    def start():
        return (Step(i, 1 / i, {"right": i / 4} if i % 2 == 0 else {}) for i in range(1, 5))

    training = Training(start, steps=4, watch=lambda: np.full((2, 2), 0.5), film_every=2)
    answer = training.offline()
    assert training.state == "done", "what was not run yet is run"
    assert answer["parts"] == [training.track.model_id]
    assert answer["record"]["frames"] == [0, 2, 4]
    assert np.frombuffer(answer["record"]["buffers"][0], np.float32) == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4])
    assert answer["first"]["shape"] == [1, 1, 2, 2]


def test_a_number_is_measured_and_told_only_with_the_answer():
    view = PredictNumber("How many?", lambda: 20)
    assert view.offline()["then"] == {view.ask.model_id: {"answer": 20.0, "tolerance": 2.0}}
    assert view.answer is None


def test_a_number_that_cannot_be_measured_says_so():
    view = PredictNumber("How many?", lambda: 1 / 0)
    assert view.offline()["then"] == {view.ask.model_id: {"error": "ZeroDivisionError: division by zero"}}


def test_a_cell_is_filled_only_with_the_answer():
    view = PredictCell("Which?", [[0.25, 0.75]], [(0, 1)])
    export = Export()
    name = export.add(view)
    [(matrix, told)] = export.answers[name]["then"].items()
    assert np.frombuffer(told["values"]["data"], np.float32) == pytest.approx([0.25, 0.75])
    assert np.frombuffer(export.models[matrix]["values"]["data"], np.float32) == pytest.approx([0, 0])


def test_a_table_knows_all_its_orders():
    table = Table({"name": ["b", "a", "c"], "count": [2, 3, 1]})
    told = {tuple(asked): then[table.model_id]["order"] for asked, then in table.offline()["told"]}
    assert told == {
        ("name", False): [1, 0, 2],
        ("name", True): [2, 0, 1],
        ("count", False): [2, 0, 1],
        ("count", True): [1, 0, 2],
    }
    table.sort = "count"
    assert told["count", True] == table.order


def test_what_has_no_script_here_says_that_it_needs_a_kernel():
    export = Export()
    name = export.add(VBox([Label("only ipywidgets draws this"), Matrix([[1.0]])]))
    assert export.answers == {name: {"kind": "kernel"}}
    assert export.models == {name: {}}, "what nobody draws is not brought along"
