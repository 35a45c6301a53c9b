"""A captioner as a machine: before each word its state asks all places of the picture, and what answers is added up."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from traitlets import observe

from attnlab import record
from attnlab.analysis import caption_steps, model_graph
from attnlab.tasks.base import BOS, EOS
from attnlab.tasks.scenes import Scene, caption, draw, word_things
from attnlab.vision import Captioner
from widgets.base.controls import choice, held, stepper
from widgets.base.words import context, key, number, percent, query, quote, row_and_column, say
from widgets.explorers.l13_seeing.scene_of import SceneExplorer
from widgets.explorers.l13_seeing.scene_words import END, image_of, inside, meant, words_of
from widgets.instruments.machine.machine import Machine, pack
from widgets.instruments.machine.word_by_word import moment, word_by_word

SOFT, HARD, FIXED = "soft", "hard", "fixed vector"
PHASES = {SOFT: ["ask", "weigh", "add", "write"], HARD: ["ask", "weigh", "add", "write"], FIXED: ["pass on", "write"]}
READING = [{"group": "", "phase": "start", "read": 0}, {"group": "", "phase": "read", "read": 1}]  # the grid at once
BEFORE = {"start": "the picture", "read": "a state of each place"}
LOOKS = "decoder.attention"


class Captioning(NamedTuple):
    """words: what is written. tensors: what `record` heard, a row for each word, by name. film: see grid.js."""

    words: list[str]
    tensors: dict[str, Tensor]
    film: list[dict]


class CaptionerMachineExplorer(SceneExplorer):
    """Step through a caption: what the decoder asks, which places answer, what comes of it, what it writes.

    models: {"soft": a `Captioner`, "hard": a `HardCaptioner`, "fixed vector": a `FixedCaptioner`}; the hard one looks
    at its likeliest place. task: `Scenes`. scenes: what can be chosen.
    """

    look = choice([SOFT, HARD, FIXED], help="at all places by weight, at the likeliest one, or at their mean alone")
    step = stepper(0, 0, None, help="the step of the film", follows=("machine", "frame"), beat=1300)
    asked = held([], "the place whose score is told: [key and its number, role]", ("machine", "chosen"))

    shows = {"probabilities": lambda parts: parts["machine"].tensor("decoder.output/out")}

    def __init__(self, models: Mapping[str, Captioner], task, scenes: Sequence[Scene], lock=None, **state) -> None:
        if missing := [name for name in PHASES if name not in models]:
            raise ValueError(f"expected models for {list(PHASES)}, got none for {missing}")
        self.models = models
        self._graphs = {name: model_graph(models[name]) for name in PHASES}
        super().__init__(task, scenes, lock=lock, **state)

    @property
    def probabilities(self) -> Tensor:
        """[words, vocabulary]: of the words that have a bar."""
        return self.result.tensors["decoder.output/out"]

    def views(self) -> dict:
        return {"machine": Machine("grid")}

    @observe("look")
    def _keep_moment(self, change) -> None:
        """The same word, in the phase in which it has its context, in the other film."""
        before, after = (self._captioning(self.place(self), look).film for look in (change.old, change.new))
        now = before[min(self.step, len(before) - 1)]
        there = [at for at, frame in enumerate(after) if frame["step"] == min(now["step"], after[-1]["step"])]
        same = [at for at in there if after[at]["phase"] == now["phase"]]
        self.set_state({"step": (same or there[-2:])[0]})

    def compute(self, state) -> Captioning:
        return self._captioning(self.place(state), state.look)

    def _captioning(self, scene: int, look: str) -> Captioning:
        """Kept, since it is the same for all steps of the film, and a hand goes back and forth between the looks."""
        if (scene, look) not in self._known:
            tensors, tokens = recorded(self.models[look], draw(self.scenes[scene]))
            tensors["decoder.output/out"] = tensors["decoder.output/out"].softmax(-1)[:, self._shown_words]
            words = words_of(self.task.vocabulary, tokens, EOS)
            self._known[scene, look] = Captioning(words, tensors, word_by_word(READING, words, PHASES[look]))
        return self._known[scene, look]

    @property
    def _shown_words(self) -> list[int]:
        """Those with a bar: all that a caption may have, and its end."""
        return [*range(3, len(self.task.vocabulary) - 1), EOS]

    # ---- the picture

    def picture(self, state, result) -> dict:
        cells, film = self.models[state.look].encoder.cells, result.film
        tensors = {**result.tensors, "image": image_of(self.chosen(state))}
        spec = {
            "title": "a picture in places below, the decoder that looks at it above",
            "nodes": self._nodes(state.look, len(result.words)),
            "labels": {
                "source": [f"{row + 1}, {column + 1}" for row in range(cells) for column in range(cells)],
                "target": result.words,
                "vocabulary": words_of(self.task.vocabulary, self._shown_words, EOS),
            },
            "film": film,
            "grid": [cells, cells],
        }
        limits = {name: max(1.0, float(tensor.abs().max())) for name, tensor in tensors.items()}
        for mean in (f"{LOOKS}/context", "encoder/hidden"):  # of states, and so in their colours
            limits[mean] = limits["encoder/out"]
        names = [moment(frame, BEFORE, len(result.words)) for frame in film]
        return {
            "controls": {**self.most, "step": {"max": len(film) - 1, "names": names}},
            "machine": {**pack(spec, tensors, limits), "frame": min(state.step, len(film) - 1)},
        }

    def _nodes(self, look: str, words: int) -> list[dict]:
        graph = self._graphs[look]
        parts = [(node.id, graph.parts[node.part]) for node in graph.nodes]
        whole = {"id": "", "label": "the whole machine", "line": "logits = model(picture, None, words)"}
        asked = {"id": f"{LOOKS}/scores", "label": "scores", "line": "scores = score(s, keys)"}
        return [
            {**whole, "shape": f"{words} words"},
            *({"id": name, "label": part.label, "line": part.line} for name, part in parts),
            *[asked] * (look != FIXED),
        ]

    # ---- what is said

    def sentence(self, state, result) -> list:
        frame = result.film[min(state.step, len(result.film) - 1)]
        phase, step = frame["phase"], frame["step"]
        cells = self.models[state.look].encoder.cells
        if phase == "write":
            return say(*self._written(state, result, step))
        if phase in PHASES[SOFT]:
            return say(*self._looked(state, result, phase, step, cells))
        return say(
            {
                "start": "The picture as it is: red, green and blue of every pixel.",
                "read": f"{cells} × {cells} places, a state of each: what it sees of the picture, and where it is.",
                "pass on": f"Whatever word is due, the same context goes over: the mean of all {cells**2} states.",
            }[phase]
        )

    def _looked(self, state, result, phase: str, step: int, cells: int) -> list:
        """What is seen while the decoder asks the places."""
        scores, weights = (result.tensors[f"{LOOKS}/{name}"][step] for name in ("scores", "weights"))
        most, word = int(weights.argmax()), query(quote(result.words[step]))
        if phase == "ask":
            name = state.asked[0] if state.asked else ""
            told = int(name.removeprefix("key ")) if name.startswith("key ") else most
            place, score = row_and_column(*divmod(told, cells)), number(float(scores[told]))
            which = f"the one in {place} scores highest, {score}."
            if told != most:
                which = f"the one in {place} scores {score}, the highest {number(float(scores.max()))}."
            begins = " Its first state is all 0." if step == 0 else ""
            return ["To find ", word, f", the decoder's state asks all {cells**2} places: ", key(which), begins]
        if phase == "weigh":
            where, share = key(row_and_column(*divmod(most, cells))), percent(float(weights[most]))
            if state.look == HARD:
                return ["It looks at the likeliest place alone, ", where, ": one weight is 1, all others are 0."]
            return [f"Softmax turns the {cells**2} scores into shares of 1: ", where, f" gets {share}, the largest."]
        scene, words = self.chosen(state), result.words
        thing = meant(scene, words, step, word_things(scene))
        said = ["Each state crosses as wide as its weight; together they are the ", context("context"), ". "]
        if thing is None or len(scene) <= thing:
            return [*said, word, " is about no single thing."]
        return [*said, *inside(weights.view(cells, cells), scene, thing), "."]

    def _written(self, state, result, step: int) -> list:
        chance = percent(float(result.tensors["decoder.output/out"][step].max()))
        made = "The old state, the word before and the context make the new state; with the context it says "
        said = [made, query(quote(result.words[step])), f", {chance} sure."]
        written, right = " ".join(word for word in result.words if word != END), caption(self.chosen(state))
        if step < len(result.words) - 1:
            return said
        return [*said, " The caption is right." if written == right else f" Right would be {quote(right)}."]

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "from attnlab import record",
            "from attnlab.analysis import caption_steps",
            "from attnlab.tasks.base import BOS",
            "from attnlab.tasks.scenes import draw",
            "",
            f"model, picture = models[{state.look!r}], draw(scenes[{self.place(state)}])",
            "words = torch.tensor([[BOS, *caption_steps(model, picture).tokens[:-1]]])",
            "with torch.no_grad(), record(model) as trace:  # trace.calls(name): a tensor of every step",
            "    logits = model(picture.unsqueeze(0), None, words)[0]",
            "probabilities = logits.softmax(-1)[:, [*range(3, len(task.vocabulary) - 1), 2]]",
        ])


# ---- what is heard, and when it is seen


@torch.no_grad()
def recorded(model: Captioner, picture: Tensor) -> tuple[dict[str, Tensor], list[int]]:
    """The tensors of every step, a row for each word, and the words that the model writes."""
    tokens = caption_steps(model, picture).tokens
    device = next(model.parameters()).device
    with record(model) as trace:
        model(picture.unsqueeze(0).to(device), None, torch.tensor([[BOS, *tokens[:-1]]], device=device))

    def rows(name: str) -> Tensor:
        return torch.cat([call.flatten(0, -2) for call in trace.calls(name)])

    looks = [name for name in ("scores", "weights", "context") if f"{LOOKS}/{name}" in trace.tensors]
    tensors = {name: rows(name) for name in ("decoder.cell/out", "decoder.output/out")}
    states = tensors["decoder.cell/out"]
    tensors |= {
        "encoder/out": trace.tensor("encoder/out")[0],
        "encoder/hidden": trace.tensor("encoder/hidden"),
        "decoder.cell/out": torch.cat([torch.zeros_like(states[:1]), states]),
        **{f"{LOOKS}/{name}": rows(f"{LOOKS}/{name}") for name in looks},
    }
    return tensors, tokens
