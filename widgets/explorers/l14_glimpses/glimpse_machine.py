"""A model of glimpses as a machine: its state chooses a place, and what is seen there makes the next state."""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from attnlab import record
from attnlab.analysis import model_graph
from attnlab.tasks.cluttered_digits import Canvases
from attnlab.vision.glimpses import Gaze, Gazed, RecurrentAttention, mean_gaze
from widgets.base.controls import held, slider, stepper
from widgets.base.explorer import Explorer
from widgets.base.words import a_digit, context, key, number, percent, query, say
from widgets.explorers.l14_glimpses.looks import check_canvases
from widgets.instruments.machine.machine import Machine, pack

GLIMPSES = 4
PLACES = "glimpse.where/in"
HEARD = (PLACES, "glimpse.from_what/out", "glimpse.from_where/out", "glimpse/out", "baseline/out", "core/out")
PHASES = {"look": "looks", "remember": "remembers"}


class Looked(NamedTuple):
    """Of one picture. tensors: what `record` heard, a row for each glimpse. chances, own: [glimpses, digits], with the
    places set by hand and without. digit: what was meant."""

    tensors: dict[str, Tensor]
    chances: Tensor
    own: Tensor
    digit: int


class GlimpseMachineExplorer(Explorer):
    """Step through the glimpses: where the state looks, what the retina shows there, what the state becomes and says.

    A number of a place can be dragged: the model looks there, and what follows comes from it. model: a
    `RecurrentAttention`. canvases: pictures that it never saw.
    """

    number = slider(1, 1, 40, label="picture", help="which picture is seen")
    step = stepper(0, 0, 2 * GLIMPSES - 1, help="the step of the film", follows=("machine", "frame"), beat=1300)
    edits = held([], help="places set by hand: [tensor, glimpse, axis, number]", follows=("machine", "edits"))

    shows = {"chances": lambda parts: parts["machine"].tensor("digit/out")}
    unstable = True

    def __init__(self, model: RecurrentAttention, canvases: Canvases, lock=None, **state) -> None:
        check_canvases(canvases, 40)
        self.model, self.canvases = model, canvases
        self._graph = model_graph(model)
        super().__init__(lock=lock, **state)

    @property
    def chances(self) -> Tensor:
        """[glimpses, digits]: what it would answer after each glimpse."""
        return self.result.chances

    def views(self) -> dict:
        return {"machine": Machine("glimpses")}

    def compute(self, state) -> Looked:
        picture, by_hand = self.canvases.pictures[state.number - 1], places_by_hand(state.edits)
        tensors, chances = looked(self.model, picture, by_hand)
        own = looked(self.model, picture, {})[1] if by_hand else chances
        return Looked(tensors, chances, own, int(self.canvases.labels[state.number - 1]))

    # ---- the picture

    def picture(self, state, result) -> dict:
        moments = [(step, phase) for step in range(GLIMPSES) for phase in PHASES]
        film = [{"group": f"glimpse {step + 1}", "phase": phase, "step": step, "ms": 0} for step, phase in moments]
        names = [f"glimpse {step + 1} of {GLIMPSES}: it {PHASES[phase]}" for step, phase in moments]
        tensors = {
            **result.tensors,
            "image": 1 - self.canvases.pictures[state.number - 1],
            "digit/out": result.chances,
            "digit/was": result.own,
        }
        nodes = [
            {"id": node.id, "label": self._graph.parts[node.part].label, "line": self._graph.parts[node.part].line}
            for node in self._graph.nodes
        ]
        whole = {"id": "", "label": "the whole machine", "line": "seen = model(pictures, mean_gaze(model.location))"}
        spec = {
            "title": f"a model that looks at a picture through {GLIMPSES} glimpses",
            "nodes": [{**whole, "shape": f"{GLIMPSES} glimpses"}, *nodes],
            "labels": {"vocabulary": [str(digit) for digit in range(result.chances.shape[1])]},
            "film": film,
            "range": [-1, 1],
        }
        limits = {name: max(1e-3, 2 * float(tensor.square().mean().sqrt())) for name, tensor in tensors.items()}
        return {
            "controls": {"step": {"names": names}},
            "machine": {**pack(spec, tensors, limits), "frame": state.step, "edits": list(state.edits)},
        }

    # ---- what is said

    def sentence(self, state, result) -> list:
        step, phase = divmod(state.step, len(PHASES))
        across, down = (number(float(one)) for one in result.tensors[PLACES][step])
        if not phase:
            where = query(f"{across} across, {down} down")
            expected = number(float(result.tensors["baseline/out"][step, 0]))
            if step in places_by_hand(state.edits):
                return say(f"Glimpse {step + 1} falls where you have put it, ", where, ".")
            reward = f", and it expects a reward of {expected}: ln p of the right digit."
            if step == 0:
                return say("Its first state is 0, so its first place is the same in every picture: ", where, reward)
            return say(f"Its state after {step} of {GLIMPSES} says where to look next: ", where, reward)
        best = int(result.chances[step].argmax())
        sure = percent(float(result.chances[step, best]))
        said = ["The glimpse and the state before make the new state. It says ", context(best), f", {sure} sure"]
        verdict = " It is right." if best == result.digit else f" It is {a_digit(result.digit)}."
        now, own = result.chances[-1], result.own[-1]
        if state.edits:
            which = int(own.argmax())
            before, after = percent(float(own[which])), percent(float(now[which]))
            changed = [f" Your places move its last chance of {which} from {before} to ", key(after), "."]
            if before == after:
                changed = [f" With your places its last chance of {which} is {before}, as without them."]
            return say(*said, ".", *changed)
        return say(*said, "." + (verdict if step == GLIMPSES - 1 else " Next, it chooses another place."))

    def code(self, state) -> str:
        by_hand = places_by_hand(state.edits)
        gaze = "mean_gaze(model.location)"
        if by_hand:
            places = self.compute(state).tensors[PLACES].tolist()
            gaze = f"path(torch.tensor({[[round(x, 4) for x in place] for place in places]}))"
        return "\n".join([
            "import torch",
            "from attnlab import record",
            f"from attnlab.vision.glimpses import {gaze.partition('(')[0]}",
            "",
            f"picture = canvases.pictures[{state.number - 1}:{state.number}]",
            "with torch.no_grad(), record(model) as trace:  # trace.calls(name): a tensor of every glimpse",
            f"    seen = model(picture, {gaze}, {GLIMPSES})",
            "chances = seen.logits[0].softmax(-1)",
        ])


# ---- what is heard


def places_by_hand(edits) -> dict[int, dict[int, float]]:
    """{glimpse: {axis: number}} of what a hand has set."""
    found: dict[int, dict[int, float]] = {}
    for _, glimpse, axis, value in edits:
        found.setdefault(int(glimpse), {})[int(axis)] = float(value)
    return found


def gaze_with(model: RecurrentAttention, by_hand: Mapping[int, Mapping[int, float]]) -> Gaze:
    """Looks where the location network says, but for the numbers that a hand has set."""
    own = mean_gaze(model.location)

    def gaze(state: Tensor, step: int) -> Gazed:
        place, log_probability = own(state, step)
        place = place.clone()
        for axis, value in by_hand.get(step, {}).items():
            place[:, axis] = value
        return Gazed(place, log_probability)

    return gaze


@torch.no_grad()
def looked(
    model: RecurrentAttention, picture: Tensor, by_hand: Mapping[int, Mapping[int, float]]
) -> tuple[dict[str, Tensor], Tensor]:
    """The tensors of every glimpse at one picture, a row each, and the chances of the classes after each."""
    with record(model) as trace:
        seen = model(picture.unsqueeze(0), gaze_with(model, by_hand), GLIMPSES)
    tensors = {name: torch.cat(trace.calls(name)) for name in HEARD}
    states = tensors["core/out"]
    tensors["core/out"] = torch.cat([torch.zeros_like(states[:1]), states])
    tensors["glimpse.what/in"] = torch.cat(trace.calls("glimpse/in"))
    return tensors, seen.logits[0].softmax(-1)
