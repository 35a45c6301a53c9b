"""One small view of each kind, as the cells of a notebook: what a page must be able to bring to life."""

VIEWS = """from types import SimpleNamespace
import numpy as np
from widgets import BeamTree, Chart, HeadSwitches, Matrix, Picture, Product, Table, TextColumns, TokenFlow, TokenGrid
from widgets import Explorer, Predict, PredictNumber, Questions, Training, VectorPlane, curve, figure
from widgets.base.controls import button, choice, select, slider, stepper, switch, text
from widgets.instruments.machine.machine import Machine, pack

HALF, NAMES = np.full((2, 2), 0.5), ["a", "b"]
NODE = {"id": 0, "parent": -1, "step": 1, "token": "a", "log_probability": -1.0, "score": -1.0, "status": "kept"}

NET = {"id": "net", "kind": "feed_forward", "in": "block", "label": "network"}
NODES = [NET, {"id": "sum", "kind": "sum", "in": "block", "label": "sum"}]
MACHINE = pack({"nodes": NODES, "labels": {"token": NAMES}}, {"net/hidden": HALF, "net/out": HALF, "sum/out": HALF})

class Small(Explorer):
    def views(self):
        return {"matrix": Matrix(HALF)}
    def compute(self, state):
        return HALF
    def picture(self, state, result):
        return {"matrix": {"values": result}}
    def sentence(self, state, result):
        return [str(vars(state))]
    def code(self, state):
        return f"state = {vars(state)}"

class Slid(Small):
    size = slider(1, 0, 3)
    word = text("one")
    def views(self):
        return super().views() | {
            "chart": Chart(figure(curve([1, 2]))),
            "grid": TokenGrid(names=["read"], tokens=[NAMES], right=[[1, 0]]),
            "plane": VectorPlane(vectors=HALF, labels=NAMES),
            "columns": TextColumns(titles=["a"], texts=[[["The ", "given"]]], shares=[0.5]),
            "flow": TokenFlow(labels=NAMES, weights=HALF, inputs=HALF, contexts=HALF),
            "tree": BeamTree([NODE]),
            "heads": HeadSwitches(rows=["layer 1"], notes=[NAMES]),
            "image": Picture(HALF, HALF),
            "table": Table({"score": NAMES, "right": [0.5, 1.0]}),
            "product": Product(
                query=HALF, key=HALF, value=HALF, scores=HALF, weights=HALF, context=HALF,
                query_labels=NAMES, key_labels=NAMES,
            ),
        }

class Stepped(Small):
    at = stepper(1, 1, 3)
    again = button()

class Switched(Small):
    on = switch(False)

class Chosen(Small):
    name = select(NAMES)

class Picked(Small):
    name = choice(NAMES)
    def views(self):
        return super().views() | {"machine": Machine("stream", **MACHINE)}

STEPS = [SimpleNamespace(step=step, loss=1 / step, metrics={"right": 0.5}) for step in range(1, 8)]"""

EACH_KIND = [
    VIEWS,
    "Slid()",
    "Stepped()",
    "Picked()",
    'Predict("Which?", {"a": "Yes.", "b": "No."}, 0, then=Switched())',
    'PredictNumber("How many?", 3, then=Chosen())',
    'training = Training(lambda: STEPS, 7, lambda: HALF, metrics=["right"])\ntraining',
    "training.run()",
    "Matrix(HALF)",
    "Picture(HALF, HALF)",
    "Chart(figure(curve([1, 2])))",
    'Table({"score": NAMES, "right": [0.5, 1.0]})',
    'Questions([("Which?", NAMES), ("Why?", [])])',
]
