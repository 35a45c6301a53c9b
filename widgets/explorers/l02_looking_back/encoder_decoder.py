"""An encoder and a decoder at work, word by word: what goes over from one to the other, and what follows from it."""

from typing import NamedTuple

import numpy as np
import torch
from traitlets import observe

from attnlab.alignment import Additive
from attnlab.analysis import TranslationSteps, additive_terms, model_graph, translation_steps
from attnlab.decoding import exact
from attnlab.seq2seq import AttentionDecoder, Seq2Seq
from attnlab.tasks import BOS, EOS
from attnlab.trace import naming_nan
from widgets.base.controls import choice, held, stepper, text
from widgets.base.explorer import Explorer
from widgets.base.words import all_of, context, key, number, percent, query, quote, say
from widgets.instruments.machine.machine import Machine, pack
from widgets.instruments.machine.word_by_word import moment, word_by_word

LOOKING, FIXED = "looking back", "one fixed vector"
PHASES = {LOOKING: ["ask", "weigh", "add", "write"], FIXED: ["pass on", "write"]}  # of one word
BEAT = 1300  # ms a phase while it plays
MOST_WORDS = 15  # that have a bar
WEIGHTS = "decoder.attention/weights"


class Translating(NamedTuple):
    """steps: what the model did. own: what it does when no weight is set by hand. film: what is seen, see rails.js."""

    steps: TranslationSteps
    own: TranslationSteps
    film: list[dict]


class EncoderDecoderExplorer(Explorer):
    """Step through a translation: the reading, then for each word what the decoder is given and what it writes.

    models: {"looking back": an `AttentionSeq2Seq`, "one fixed vector": a `FixedContext`}; their encoders read in one
    direction. task: what both were trained on. A weight can be dragged; what is written next follows from it.
    """

    text = text("", label="translate", width=24, help="what the encoder reads")
    mode = choice([LOOKING, FIXED], label="context from", help="what goes over from the encoder")
    step = stepper(0, 0, None, help="the step of the film", follows=("machine", "frame"), beat=BEAT)
    edits = held([], help="weights set by hand: [tensor, word, key, weight]", follows=("machine", "edits"))

    shows = {"context": lambda parts: shown_context(parts["machine"])}
    unstable = True

    def __init__(self, models: dict[str, Seq2Seq], task, text, lock=None, **state) -> None:
        for name in PHASES:
            if models[name].encoder.recurrent.bidirectional:
                raise ValueError(f"expected encoders that read in one direction, got {name!r}, which reads in both")
        self.models, self.task = models, task
        self._graphs = {mode: model_graph(models[mode]) for mode in PHASES}
        self._right: dict[str, float] = {}
        super().__init__(lock=lock, text=text, **state)

    @property
    def context(self) -> torch.Tensor:
        """[dim]: what the decoder is given for the word that is being written."""
        return self.result.steps.contexts[word_at(self.result.film, self.step)]

    def refresh(self) -> None:
        self._right = {}
        super().refresh()

    def views(self) -> dict:
        return {"machine": Machine("rails")}

    @observe("text")
    def _forget_edits(self, change) -> None:
        self.set_state({"edits": []})

    @observe("mode")
    def _keep_moment(self, change) -> None:
        """The same word and phase in the other film."""
        try:
            before, after = (self._translate(self.text, mode, self.edits).film for mode in (change.old, change.new))
        except ValueError:  # a text that cannot be read has no film
            return
        self.set_state({"step": same_moment(before, after, self.step)})

    def compute(self, state) -> Translating:
        return self._translate(state.text, state.mode, state.edits)

    def _translate(self, text, mode, edits) -> Translating:
        """Kept, since it is the same for all steps of the film."""
        asked = (text, mode, str(edits))
        if asked not in self._known:
            model, source = self.models[mode], self.task.read(text)
            own = naming_nan(model, lambda: translation_steps(model, source, BOS, EOS))
            steps = translation_steps(model, source, BOS, EOS, by_word(edits)) if mode == LOOKING and edits else own
            film = word_by_word(reads(len(source)), self._words(steps.tokens), PHASES[mode])
            self._known = {asked: Translating(steps, own, film)}
        return self._known[asked]

    def _words(self, tokens) -> list[str]:
        return ["end" if token == EOS else self.task.target_vocabulary[token] for token in tokens]

    def picture(self, state, result) -> dict:
        steps, own = result.steps, result.own
        source, target = self.task.tokens(state.text), self._words(steps.tokens)
        best = torch.cat([steps.probabilities, own.probabilities]).amax(0).argsort(descending=True)
        shown = sorted(best[:MOST_WORDS].tolist())
        tensors = {
            "encoder.recurrent/in": steps.embedded,
            "encoder/out": steps.keys,
            "encoder/hidden": steps.states[:1],
            "decoder.cell/out": steps.states,
            "decoder.output/out": steps.probabilities[:, shown],
            **self._attention(steps, state.mode),
        }
        if steps is not own:
            tensors["decoder.output/was"] = beside(own.probabilities, steps.probabilities)[:, shown]
        spec = {
            "title": "the encoder below, the decoder above",
            "nodes": self._nodes(state.mode),
            "labels": {"source": source, "target": target, "vocabulary": self._words(shown)},
            "film": result.film,
            "range": [0, 1],
        }
        limits = {name: max(1.0, float(tensor.abs().max())) for name, tensor in tensors.items()}
        names = [name_of(frame, len(source), len(target)) for frame in result.film]
        frame, edits = min(state.step, len(result.film) - 1), as_used(state.edits, steps)
        return {
            "controls": {"step": {"max": len(result.film) - 1, "names": names}},
            "machine": {**pack(spec, tensors, limits), "frame": frame, "edits": edits},
        }

    def _attention(self, steps, mode) -> dict:
        """The tensors that only a model that looks back has."""
        if mode == FIXED:
            return {}
        tensors = {
            "decoder.attention/scores": steps.scores,
            WEIGHTS: steps.weights,
            "decoder.attention/adds": steps.adds,
            "decoder.attention/context": steps.contexts,
        }
        decoder = self.models[mode].decoder
        if isinstance(decoder, AttentionDecoder) and isinstance(decoder.attention.score, Additive):
            terms = additive_terms(decoder.attention.score, steps.states[:-1], steps.keys)
            tensors["decoder.attention/hidden"] = terms
        return tensors

    def _nodes(self, mode) -> list[dict]:
        graph = self._graphs[mode]
        parts = [(node.id, graph.parts[node.part]) for node in graph.nodes]
        nodes = [{"id": name, "label": part.label, "line": part.line} for name, part in parts]
        asked = {"id": "decoder.attention/scores", "label": "scores", "line": "scores = score(s, keys)"}
        return [
            {"id": "", "label": "the whole machine", "line": "steps = greedy(model, source, BOS, EOS)"},
            *nodes,
            *[asked] * (mode == LOOKING),
        ]

    # ---- what is said

    def sentence(self, state, result) -> list:
        frame = result.film[min(state.step, len(result.film) - 1)]
        source, width = self.task.tokens(state.text), result.steps.contexts.shape[1]
        if frame["phase"] == "write":
            return say(*self._written(state, result, frame["step"]))
        if frame["phase"] in PHASES[LOOKING]:
            return say(*self._looked(state, result, frame, source))
        read, same = key(quote(source[frame["read"] - 1])), context("the same context")
        said: dict[str, list] = {
            "start": ["A sentence waits to be read. Each word will leave a state: a strip of numbers."],
            "read": ["The encoder reads ", read, ": its new state mixes the word with the state before it."],
            "hand over": ["Everything is read. The decoder's first state is made of the encoder's last one."],
            "pass on": ["Whatever word is due, ", same, f" is handed over: {width} numbers for the whole sentence."],
        }
        return say(*said[frame["phase"]])

    def _looked(self, state, result, frame, source) -> list:
        """What is seen while the decoder looks back."""
        step, phase = frame["step"], frame["phase"]
        weights, scores = result.steps.weights[step], result.steps.scores[step]
        if phase == "ask":
            most = int(scores.argmax())
            if len(source) == 1:
                start = "To find its next word, the decoder's state asks the only state of the encoder: "
                return [start, key(quote(source[0])), f" scores {number(float(scores[0]))}."]
            start = f"To find its next word, the decoder's state asks {all_of(len(source))} states of the encoder: "
            return [start, key(quote(source[most])), f" scores highest, {number(float(scores[most]))}."]
        if by_hand := by_word(state.edits).get(step):
            last = [*by_hand][-1]
            share = percent(float(weights[last]))
            rest = "; the others share the rest" if weights[last] < 0.9995 else "; nothing is left for the others"
            return ["You gave ", key(quote(source[last])), f" {share} of the weight{rest if len(source) > 1 else ''}."]
        most = int(weights.argmax())
        word, share = key(quote(source[most])), percent(float(weights[most]))
        if phase == "weigh":
            what = f"the {len(source)} scores into shares of 1" if len(source) > 1 else "one score into a share of 1"
            return [f"Softmax turns {what}: ", word, f" gets {share}."]
        beams = "Each state crosses as wide as its weight; together the beams are as wide as the "
        return [beams, context("context"), f": {share} of it is the state of ", word, "."]

    def _written(self, state, result, step) -> list:
        word, chance = self._named(result.steps, step)
        made = "The old state, the word before and the context make the new state; with the context it says "
        said = [made, word, f", {chance} sure."]
        before = state.mode == LOOKING and any(word <= step for word in by_word(state.edits))
        if before and result.steps.tokens[: step + 1] != result.own.tokens[: step + 1]:
            if step >= len(result.own.tokens):
                return [*said, " With its own weights the model would have ended earlier."]
            own, its = self._named(result.own, step)
            return [*said, " With the model's own weights it would say ", own, f", {its} sure."]
        due = self._due(state.text)
        if before or first_wrong(self._words(result.steps.tokens), due) != step:
            return said
        right = {mode: percent(share) for mode, share in self._shares.items()}
        return [
            *said,
            " The right word is ",
            query(quote(due[step])),
            f". Of {len(self.task.test)} sentences that it never saw, {right[FIXED]} come out right through one fixed "
            f"vector, {right[LOOKING]} by looking back.",
        ]

    def _due(self, text) -> list[str]:
        """The right translation; nothing of a text that the task cannot translate."""
        example = self.task.recognise(text)
        return [*self.task.target_tokens(example.target), "end"] if example else []

    def _named(self, steps, step) -> tuple:
        step = min(step, len(steps.tokens) - 1)
        return query(quote(self._words(steps.tokens)[step])), percent(float(steps.probabilities[step].max()))

    @property
    def _shares(self) -> dict[str, float]:
        """The share of the held-out sentences that each model translates without a mistake; kept until it learns."""
        if not self._right:
            held_out = self.task.collate(self.task.test)
            with torch.no_grad():
                self._right = {
                    mode: float(exact(model, *held_out).float().mean()) for mode, model in self.models.items()
                }
        return self._right

    def code(self, state) -> str:
        step = word_at(self.compute(state).film, state.step)
        by_hand = by_word(state.edits) if state.mode == LOOKING else {}
        changed = f", changed={by_hand}" if by_hand else ""
        lines = [
            "import torch",
            "from attnlab.analysis import translation_steps",
            "from attnlab.tasks import BOS, EOS",
            "",
            f"model = models[{state.mode!r}]",
            f"steps = translation_steps(model, task.read({state.text!r}), BOS, EOS{changed})",
        ]
        if state.mode == FIXED:
            return "\n".join([*lines, "context = torch.tanh(model.encoder.summarise(steps.keys[-1]))  # at every step"])
        weights = f"steps.weights[{step}]  # set by hand" if step in by_hand else "scores.softmax(dim=-1)"
        return "\n".join([
            *lines,
            f"state = steps.states[{step}]  # asks for word {step + 1}",
            "scores = model.decoder.attention.score(state[None], steps.keys)[0]",
            f"weights = {weights}",
            "context = weights @ steps.keys",
        ])


# ---- the film


def reads(source: int) -> list[dict]:
    """The frames before the first word is written."""
    return [
        {"group": "", "phase": "start", "read": 0},
        *({"group": "read", "phase": "read", "read": i + 1} for i in range(source)),
        {"group": "read", "phase": "hand over", "read": source},
    ]


def name_of(frame: dict, source: int, words: int) -> str:
    read = f"reads word {frame['read']} of {source}"
    return moment(frame, {"start": "nothing is read yet", "read": read, "hand over": "hands over"}, words)


def word_at(film: list[dict], step: int) -> int:
    """The word that is being written at a position of the film; the first one while nothing is."""
    return max(0, film[min(step, len(film) - 1)]["step"])


def same_moment(before: list[dict], after: list[dict], position: int) -> int:
    """The position in another film at which the same word is in the same phase, or has got its context."""
    now = before[min(position, len(before) - 1)]
    word = min(now["step"], after[-1]["step"])
    there = [i for i, frame in enumerate(after) if (frame["read"], frame["step"]) == (now["read"], word)]
    return next((i for i in there if after[i]["phase"] == now["phase"]), there[-2:][0])


def first_wrong(words: list[str], due: list[str]) -> int:
    """The first place at which a translation is not the right one; -1 where there is none, or none is known."""
    wrong = (i for i, (word, right) in enumerate(zip(words, due, strict=False)) if word != right)
    return next(wrong, -1)


# ---- numbers of the picture


def by_word(edits) -> dict[int, dict[int, float]]:
    """{word: {key: weight}} of what a hand has set, in the order of the hand."""
    found: dict[int, dict[int, float]] = {}
    for _, word, place, weight in edits:
        found.setdefault(int(word), {})[int(place)] = float(weight)
    return found


def as_used(edits, steps: TranslationSteps) -> list[list]:
    """What a hand has set, with the weights that came of it: a later one may have taken room from an earlier one."""
    if steps.weights is None:
        return list(edits)
    return [
        [name, word, place, round(float(steps.weights[word, place]), 6) if word < len(steps.weights) else weight]
        for name, word, place, weight in edits
    ]


def beside(own: torch.Tensor, now: torch.Tensor) -> torch.Tensor:
    """The rows of `own`, as many as `now` has; where it has fewer, those of `now`."""
    return torch.cat([own[: len(now)], now[len(own) :]])


def shown_context(machine: Machine) -> np.ndarray:
    """[dim]: the context that the picture shows."""
    rows = machine.tensor("decoder.attention/context" if WEIGHTS in machine.spec["tensors"] else "encoder/hidden")
    return rows[min(word_at(machine.spec["film"], machine.frame), len(rows) - 1)]
