"""An encoder and a decoder at work: words are rows that run through their tower and meet in three attentions."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from attnlab.analysis import MachineSpec, colour_limits, model_graph, run_machine, with_others, without
from attnlab.decoding import greedy
from attnlab.tasks import BOS, EOS
from attnlab.trace import naming_nan
from attnlab.transformer import Transformer
from widgets.base.controls import choice, held, stepper, text
from widgets.base.explorer import Explorer
from widgets.base.words import context, enumerated, from_to, key, percent, query, quote, say
from widgets.instruments.machine.machine import Machine, pack

MOST = 16  # words a side
SHOWN = 10  # words with a bar of their own, at least; beside what the model writes without what is off
BEAT = 1300  # ms a word while it plays
MS = 600  # in which a new word runs along its row
HEADS = 8
STATIONS = ("embed", "sum", "norm", "stream")  # kinds of nodes whose vectors are drawn
KINDS = {"encoder": "source", "causal": "target", "cross": "cross"}  # what is lit -> the kind of its attentions
NAMES = {"source": "encoder self-attention", "target": "causal self-attention", "cross": "cross-attention"}
WHOLE = "memory = encoder(source)\nlogits = decoder(written, memory)\nchances = softmax(logits)"
NEXT = {"id": "next", "kind": "word", "in": "", "label": "next word", "line": "chances = softmax(logits[-1])"}


class Known(NamedTuple):
    """What the whole model makes of a text. source: its words. written: ids. chances: [written, vocabulary]."""

    source: list[str]
    ids: Tensor
    written: list[int]
    spec: MachineSpec
    chances: Tensor
    limits: dict[str, float]


class TwoTowers(NamedTuple):
    """whole: what is known of the text. spec, chances: of a model without what is off, which reads the same words.
    alone: the ids that this one writes by itself. weights: of each attention, those of one head or the mean of all."""

    whole: Known
    spec: MachineSpec
    chances: Tensor
    alone: list[int]
    weights: dict[str, Tensor]


class TwoTowersExplorer(Explorer):
    """Encoder and decoder of a Transformer, word by word: who asks whom, and what is written without one of the three.

    model: a `Transformer`. task: what it was trained on. Each step of `word` writes the likeliest word. A click on a
    word lets it ask, a switch takes an attention away. `cross` is what the last block reads of the source.
    """

    text = text("", label="translate", width=30, help="what the encoder reads")
    word = stepper(0, 0, None, help="the word that is being written", follows=("machine", "frame"), beat=BEAT)
    lit = choice(["all", *KINDS], label="attention", help="whose beams are seen")
    head = choice(["mean", *map(str, range(1, HEADS + 1))], help="the head whose weights are seen, or the mean of all")
    chosen = held([], "the word that asks, where one is chosen", ("machine", "chosen"))
    off = held([], "ids of what is switched off", ("machine", "off"))

    shows = {
        "shown": lambda parts: parts["machine"].tensor("next/out")[:, :-1],
        "cross": lambda parts: last_weights(parts["machine"]),
    }
    unstable = True

    def __init__(self, model, task, text, lock=None, **state) -> None:
        self.model, self.task = model, task
        self._graph = model_graph(model)
        self._runs: dict[tuple, tuple] = {}
        super().__init__(lock=lock, text=text, **state)

    @property
    def cross(self) -> Tensor:
        """[written, source]: the weights of the last cross-attention."""
        return weights_at(self.result, "cross", "")

    def refresh(self) -> None:
        self._runs = {}
        super().refresh()

    def views(self) -> dict:
        return {"machine": Machine("towers")}

    # ---- what the model makes of a text

    def _whole(self, text: str) -> Known:
        if text not in self._known:
            self._known = {text: self._read(text)}
        return self._known[text]

    def _read(self, text: str) -> Known:
        if not isinstance(self.model, Transformer):
            raise ValueError(f"expected a Transformer with encoder and decoder, got {type(self.model).__name__}")
        if own := [part.label for part in self._graph.parts if part.kind == "box"]:
            raise ValueError(f"expected a Transformer of attnlab's blocks, got one with a part of your own, {own[0]}")
        ids, words = self.task.read(text), self.task.tokens(text)
        if len(ids) > MOST:
            raise ValueError(f"expected at most {MOST} words, {quote(text)} has {len(ids)}")
        written = self._write(ids)
        spec, chances = self._run(ids, written, [])
        return Known(words, ids, written, spec, chances, limits_of(spec))

    def _write(self, ids: Tensor) -> list[int]:
        return naming_nan(self.model, lambda: [step.token for step in greedy(self.model, ids, BOS, EOS, MOST)])

    def _run(self, ids: Tensor, written: list[int], off: list) -> tuple[MachineSpec, Tensor]:
        read = torch.tensor([[BOS, *written[:-1]]])
        logits, spec = run_machine(self.model, self._graph, off, ids[None], torch.tensor([len(ids)]), read)
        return spec, logits[0].softmax(-1)

    def compute(self, state) -> TwoTowers:
        whole = self._whole(state.text)
        asked = (state.text, *state.off)
        if asked not in self._runs:
            off = switched_off(whole.spec, state.off)
            with without(self.model, off):
                alone = self._write(whole.ids) if off else whole.written
            self._runs = {asked: (*self._run(whole.ids, whole.written, off), alone)}
        spec, chances, alone = self._runs[asked]
        return TwoTowers(whole, spec, chances, alone, weights_seen(spec, state.head))

    # ---- the picture

    def _words(self, ids) -> list[str]:
        return [self.task.target_vocabulary[i] for i in ids]

    def picture(self, state, result) -> dict:
        whole = result.whole
        written, shown = self._words(whole.written), shown_words(result)
        spec = {
            "title": "the encoder above, the decoder below",
            "nodes": [
                {"id": "", "label": "whole machine", "line": WHOLE},
                *(node for node in result.spec.nodes if node["kind"] != "head"),
                {**NEXT, "count": result.chances.shape[-1]},
            ],
            "labels": {
                "source": whole.source,
                "target": self._words([BOS, *whole.written[:-1]]),
                "vocabulary": [*self._words(shown), "others"],
            },
            "film": [{"group": word, "ms": MS if word else 0} for word in ["", *written]],
            "lit": [*KINDS.values()] if state.lit == "all" else [KINDS[state.lit]],
            **({} if state.head == "mean" else {"head": int(state.head) - 1}),
        }
        names = ["the encoder reads", *(f"{i} of {len(written)}: {word}" for i, word in enumerate(written, 1))]
        heads = ["mean", *map(str, range(1, 1 + count_heads(whole.spec)))]
        machine = pack(spec, drawn_tensors(result, shown), whole.limits)
        return {
            "controls": {"word": {"max": len(written), "names": names}, "head": {"labels": heads}},
            "machine": {**machine, "frame": min(state.word, len(written))},
        }

    # ---- what is said

    def sentence(self, state, result) -> list:
        whole, row = result.whole, min(state.word, len(result.whole.written)) - 1
        if state.off:
            return self._without(state, result, row)
        if row < 0 and state.lit in ("causal", "cross"):
            return say("No word is written yet. Step on, and the decoder asks.")
        tower, block, asks = self._asker(state, result, row)
        read = whole.source if tower == "source" else self._words([BOS, *whole.written[:-1]])
        kind = "target" if tower == "target" and state.lit == "causal" else "cross" if tower == "target" else "source"
        weights = weights_at(result, kind, block)[asks]
        best, share = int(weights.argmax()), percent(float(weights.max()))
        answers = key(
            "itself" if kind != "cross" and best == asks else quote((read if kind == "target" else whole.source)[best])
        )
        asking = query(quote(read[asks]))
        if kind == "source":
            once = "The encoder runs once, and all its words ask at the same time: "
            return say(once, asking, " finds most in ", answers, f", {share}.")
        wrote = context(quote(self._words([whole.written[asks]])[0]))
        begin = [wrote, " is about to be written: ", asking] if asks == row else ["To write ", wrote, ", ", asking]
        if kind == "target":
            return say(*begin, " asks the words that are there so far and finds most in ", answers, f", {share}.")
        return say(*begin, " asks the source, and ", answers, f" answers with {share}.")

    def _asker(self, state, result, row: int) -> tuple[str, str, int]:
        """The tower, the block ("" for the last) and the row of the word that asks, as the picture shows it."""
        where, _, number = (state.chosen[0] if state.chosen else "").rpartition(" ")
        kinds = attentions(result.spec)
        towers = {node["in"]: kinds[node["id"]] for node in result.spec.nodes if node["id"] in kinds}
        tower = "target" if towers.get(where) == "cross" else towers.get(where, where)
        rows = {"source": len(result.whole.source), "target": row + 1}
        is_seen = state.lit == "all" or (state.lit == "encoder") == (tower == "source")
        if is_seen and number.isdecimal() and int(number) < rows.get(tower, 0):
            return tower, "" if where == tower else where, int(number)
        if state.lit != "encoder" and row >= 0:
            return "target", "", row
        return "source", "", int(weights_at(result, "cross", "")[row].argmax()) if row >= 0 else rows["source"] - 1

    def _without(self, state, result, row: int) -> list:
        """What switching something off has done."""
        told: list = ["Without ", *enumerated([context(in_words(result.spec, one)) for one in state.off])]
        if row >= 0:
            token = result.whole.written[row]
            was, now = (percent(float(chances[row, token])) for chances in (result.whole.chances, result.chances))
            told += [", ", query(quote(self._words([token])[0]))]
            told += [f" {from_to(was, now)}; "]
        else:
            told += [", "]
        if result.alone == result.whole.written:
            return say(*told, "by itself the decoder writes the same sentence as before.")
        alone = quote(" ".join(self._words(token for token in result.alone if token != EOS)))
        anything = ", whatever the source says" if reads_no_source(result.spec) else ""
        return say(*told, "by itself the decoder now writes ", context(alone), f"{anything}.")

    def code(self, state) -> str:
        result = self.compute(state)
        off = switched_off(result.whole.spec, state.off)
        given = f"without(model, {off}), " if off else ""
        last = names_of(result.spec, "cross")[-1]
        seen = "mean(0)" if state.head == "mean" else f"select(0, {int(state.head) - 1})"
        return "\n".join([
            "import torch",
            "from attnlab import greedy, record",
            *(["from attnlab.analysis import without"] if off else []),
            "from attnlab.tasks import BOS, EOS",
            "",
            f"source = task.read({state.text!r})",
            f"written = [step.token for step in greedy(model, source, BOS, EOS, {MOST})]",
            f"with torch.no_grad(), {given}record(model) as trace:",
            "    logits = model(source[None], torch.tensor([len(source)]), torch.tensor([[BOS, *written[:-1]]]))",
            f"shown = logits[0].softmax(-1)[:, {shown_words(result)}]",
            f'cross = trace.tensor("{last}/weights")[0].{seen}',
        ])


# ---- the three attentions


def attentions(spec: MachineSpec) -> dict[str, str]:
    """Each attention's name, and its kind: "source" or "target" where that asks itself, "cross" where target asks
    source."""
    found = [node for node in spec.nodes if node["kind"] == "attention"]
    decoder = {node["in"] for node in found if "memory" in node}
    return {
        node["id"]: "cross" if "memory" in node else "target" if node["in"] in decoder else "source" for node in found
    }


def names_of(spec: MachineSpec, kind: str) -> list[str]:
    """The attentions of one kind, the first block's first."""
    return [name for name, other in attentions(spec).items() if other == kind]


def weights_seen(spec: MachineSpec, head: str) -> dict[str, Tensor]:
    """Of each attention the weights [queries, keys] of one head, counted from 1, or the mean of all. Raises ValueError
    for a head that is not there."""
    weights = {name: spec.tensors[f"{name}/weights"] for name in attentions(spec)}
    count = count_heads(spec)
    if head == "mean":
        return {name: heads.mean(0) for name, heads in weights.items()}
    if int(head) > count:
        raise ValueError(f"expected a head from 1 to {count}, got {head}")
    return {name: heads[int(head) - 1] for name, heads in weights.items()}


def weights_at(result: TwoTowers, kind: str, block: str) -> Tensor:
    """The weights of an attention of this kind: that of a block, else of the last that has one."""
    holders = {node["id"]: node["in"] for node in result.spec.nodes}
    names = names_of(result.spec, kind)
    return result.weights[next((name for name in names if holders[name] == block), names[-1])]


def switched_off(spec: MachineSpec, off: list[str]) -> list[str | tuple[str, int]]:
    """What `without` takes, for ids of the picture: a kind, an attention, or a head such as "...attention:0"."""
    kinds = attentions(spec)
    found: list[str | tuple[str, int]] = []
    for one in off:
        name, _, head = one.rpartition(":")
        if one in NAMES or one in kinds:
            found += [module_of(other) for other in (names_of(spec, one) if one in NAMES else [one])]
        elif name in kinds and head.isdecimal():
            found.append((module_of(name), int(head)))
        else:
            raise ValueError(f"expected one of {', '.join(NAMES)}, an attention or its head, got {one!r}")
    return [*dict.fromkeys(found)]


def module_of(name: str) -> str:
    """The module that is called: "attention#1", its second call, is one of "attention"."""
    return name.partition("#")[0]


def reads_no_source(spec: MachineSpec) -> bool:
    """Whether no word of the source reaches the decoder."""
    return not any(bool(spec.tensors[f"{name}/weights"].any()) for name in names_of(spec, "cross"))


def in_words(spec: MachineSpec, off: str) -> str:
    """What is switched off, as a sentence calls it."""
    if off in NAMES:
        return NAMES[off]
    nodes = {node["id"]: node for node in spec.nodes}
    name, _, head = off.rpartition(":") if off not in nodes or nodes[off]["kind"] == "head" else (off, "", "")
    which = f"{NAMES[attentions(spec)[name]]} of {nodes[nodes[name]['in']]['label']}"
    return f"head {int(head) + 1} of {which}" if head else which


# ---- numbers of the picture


def count_heads(spec: MachineSpec) -> int:
    """Of each attention, or of the one that has fewest."""
    return min(len(spec.tensors[f"{name}/weights"]) for name in attentions(spec))


def drawn_tensors(result: TwoTowers, shown: list[int]) -> dict[str, Tensor]:
    """What is drawn, by name; shown: the words with a bar."""
    stations = {node["tensor"] for node in result.spec.nodes if node["kind"] in STATIONS}
    heard = result.spec.tensors.items()
    return {
        **{name: tensor for name, tensor in heard if name in stations or name.endswith("/hidden")},
        **{f"{name}/weights": weights for name, weights in result.weights.items()},
        "next/out": with_others(result.chances, shown),
        "next/was": with_others(result.whole.chances, shown),
        "next/logits": result.spec.tensors["output/out"][:, shown],
    }


def shown_words(result: TwoTowers) -> list[int]:
    """Ids of the words with a bar: what is written, what else is likely, and what is likeliest without what is off."""
    likely = result.whole.chances.amax(0).argsort(descending=True, stable=True)[:SHOWN]
    return sorted({*result.whole.written, *likely.tolist(), *result.chances.argmax(-1).tolist()})


def limits_of(spec: MachineSpec) -> dict[str, float]:
    """Per tensor the number of the strongest colour, one for all stations."""
    limits = colour_limits(spec)
    stations = [node["tensor"] for node in spec.nodes if node["kind"] in STATIONS and node["tensor"] in limits]
    drawn = dict.fromkeys(stations, max(limits[name] for name in stations))
    return {**limits, **drawn, "next/logits": limits["output/out"]}


def last_weights(machine: Machine) -> np.ndarray:
    """[written, source]: the weights of the last cross-attention, as they are shown."""
    last = [node["id"] for node in machine.spec["nodes"] if "memory" in node][-1]
    return machine.tensor(f"{last}/weights")
