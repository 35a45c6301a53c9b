"""A GPT as a machine: tokens run through it as a stream, each head adds to it, and each head can be switched off."""

from typing import NamedTuple

import torch
from torch import Tensor

from attnlab.analysis import (
    HeadEffect,
    MachineSpec,
    colour_limits,
    head_effects,
    heads_in,
    largest_branch,
    model_graph,
    run_machine,
    stands_out,
    with_others,
)
from attnlab.decoding import most_probable, write
from attnlab.trace import naming_nan
from attnlab.transformer import GPT
from widgets.base.controls import held, stepper, text
from widgets.base.explorer import Explorer
from widgets.base.words import counted, enumerated, from_to, most_read, percent, query, quote, say, token_label
from widgets.instruments.machine.machine import Machine, pack

SHOWN = 12  # tokens with a bar of their own; all others share one
WRITTEN = 8  # tokens, at most
FEW = 3  # heads that are called by name when they are off
UNDRAWN = ("output/out", "norm/out")  # tensors that no zoom shows; nor biases
NEXT = {
    "id": "next",
    "kind": "word",
    "in": "",
    "label": "next token",
    "line": "chances = softmax(logits[-1])",
    "rest": True,  # the last bar is that of all others
}
WHOLE = "x = embed(tokens)\nfor block in blocks: x = block(x)\nchances = softmax(output(norm(x[-1])))"


class Known(NamedTuple):
    """What the model makes of a text with all heads. chances: of the next token, [vocabulary]. shown: ids of the tokens
    with a bar. effect: the head that the likeliest token hangs on, None where there is no such head. limits: per tensor
    the number of the strongest colour. branch: the size of the largest thing that is added."""

    chances: Tensor
    shown: list[int]
    effect: HeadEffect | None
    limits: dict[str, float]
    branch: float


class GPTMachine(NamedTuple):
    """ids: of the text. whole: what is known of it with all heads. spec: what the machine is drawn from, and chances:
    of the next token, [vocabulary]: both without the heads that are off."""

    ids: list[int]
    whole: Known
    spec: MachineSpec
    chances: Tensor


class GPTMachineExplorer(Explorer):
    """The whole of a GPT: go into a block and a head, switch heads off, and see the chances of the next token change.

    model: a GPT; a part of your own in it is drawn as a plain box, of which only what goes in and what comes out is
    known. task: a `Text`, which encodes and decodes for it. Each step of `token` writes the likeliest token.
    """

    begin = text("The value of", label="begin with", width=24, help="the text that the model continues")
    token = stepper(0, 0, WRITTEN, label="token", help="how many tokens are written, each time the likeliest one")
    off = held([], "ids of the heads that are switched off", ("machine", "off"))
    zoom = held("", "what is seen from near", ("machine", "zoom"))

    shows = {"shown": lambda parts: parts["machine"].tensor("next/out")[:-1]}
    unstable = True

    def __init__(self, model, task, lock=None, **state) -> None:
        self.model, self.task = model, task
        self._graph = model_graph(model)
        self._written: dict[tuple[str, int], list[int]] = {}
        self._runs: dict[tuple, tuple[MachineSpec, Tensor]] = {}
        super().__init__(lock=lock, **state)

    @property
    def chances(self) -> Tensor:
        """Of the next token, [vocabulary]."""
        return self.result.chances

    def refresh(self) -> None:
        self._written.clear()
        self._runs.clear()
        super().refresh()

    def views(self) -> dict:
        return {"machine": Machine("stream")}

    # ---- what the model makes of a text

    def _ids(self, state) -> list[int]:
        """Kept, since it is the same whatever is switched off."""
        asked = (state.begin, state.token)
        if asked not in self._written:
            self._written = {asked: self._write(*asked)}
        return self._written[asked]

    def _write(self, begin: str, count: int) -> list[int]:
        prompt = self.task.encode(begin)
        most = self.model.longest - WRITTEN
        if not 1 <= len(prompt) <= most:
            raise ValueError(f"expected a beginning of 1 to {most} tokens, {quote(begin)} has {len(prompt)}")
        if not count:
            return prompt.tolist()
        steps = naming_nan(self.model, lambda: list(write(self.model, prompt, count, most_probable)))
        return [*prompt.tolist(), *(step.token for step in steps)]

    def _run(self, ids: list[int], off: list[tuple[str, int]]) -> tuple[MachineSpec, Tensor]:
        """The last one is kept, and that of the whole model: neither changes with what is seen from near."""
        asked, whole = (*ids, *off), tuple(ids)
        if asked not in self._runs:
            logits, spec = run_machine(self.model, self._graph, off, torch.tensor([ids]))
            kept = {whole: self._runs[whole]} if whole in self._runs else {}
            self._runs = {**kept, asked: (spec, logits[0, -1].softmax(-1))}
        return self._runs[asked]

    def _whole(self, ids: list[int]) -> Known:
        if tuple(ids) not in self._known:
            spec, chances = self._run(ids, [])
            if bool(chances.isnan().any()):
                effect, order = None, list(range(len(chances)))
            else:
                effect = self._effect(spec, ids)
                order = chances.argsort(descending=True, stable=True).tolist()
            known = Known(chances, sorted(order[:SHOWN]), effect, colour_limits(spec), largest_branch(spec))
            self._known = {**self._known, tuple(ids): known} if len(self._known) < 50 else {tuple(ids): known}
        return self._known[tuple(ids)]

    def _effect(self, spec: MachineSpec, ids: list[int]) -> HeadEffect | None:
        """The head that the likeliest token hangs on, if it is drawn."""
        drawn = {node["id"] for node in spec.nodes if node["kind"] == "head"}
        effect = stands_out(head_effects(self.model, torch.tensor([ids]))) if drawn else None
        return effect if effect and f"{effect.attention}:{effect.head}" in drawn else None

    def _check_model(self) -> None:
        """What is drawn is a GPT that runs as ours do; a part that is not known is a box in its place."""
        if not isinstance(self.model, GPT) or self._graph.nodes[0].id == "":  # one part, of which nothing is known
            got = f"{type(self.model).__name__}, whose `forward` is not that of attnlab's GPT"
            raise ValueError(f"expected a GPT, got {got}; ModelMachineExplorer takes any model")

    def compute(self, state) -> GPTMachine:
        self._check_model()
        with torch.no_grad():
            ids = self._ids(state)
            return GPTMachine(ids, self._whole(ids), *self._run(ids, heads_in(state.off)))

    # ---- the picture

    def _label(self, token: int) -> str:
        return token_label(self.task.vocabulary[token])

    def picture(self, state, result) -> dict:
        nodes, _, tensors = result.spec  # a stream is drawn by the order of its nodes
        tokens = counted(len(result.ids), "token")
        whole = {"id": "", "label": "whole machine", "line": WHOLE, "shape": f"{tokens} in, one foretold"}
        labels = {
            "token": [self._label(token) for token in result.ids],
            "vocabulary": [*(self._label(token) for token in result.whole.shown), "others"],
        }
        boxes = [node for node in nodes if node["kind"] == "box"]
        undrawn = {*UNDRAWN, *(f"{box['id']}/in" for box in boxes)} - {box["tensor"] for box in boxes}
        drawn = {name: tensor for name, tensor in tensors.items() if name not in undrawn and not name.endswith("/bias")}
        drawn |= {
            "next/out": with_others(result.chances, result.whole.shown),
            "next/was": with_others(result.whole.chances, result.whole.shown),
            "next/logits": tensors["output/out"][-1, result.whole.shown],
        }
        limits = {**result.whole.limits, "next/logits": result.whole.limits["output/out"]}
        title = f"a GPT that reads {tokens} and foretells the next"
        spec = {
            "title": title,
            "nodes": [whole, *nodes, {**NEXT, "count": len(result.chances)}],
            "labels": labels,
            "branch": result.whole.branch,
        }
        return {"machine": pack(spec, drawn, limits)}

    def sentence(self, state, result) -> list:
        likeliest = int(result.whole.chances.argmax())
        name, before = query(quote(self._label(likeliest))), percent(float(result.whole.chances[likeliest]))
        if state.off:
            few = len(state.off) <= FEW
            off = enumerated([head_in_words(result, one) for one in state.off]) if few else [f"{len(state.off)} heads"]
            now = int(result.chances.argmax())
            then = ["."] if now == likeliest else [", and the model says ", query(quote(self._label(now))), "."]
            now_has = percent(float(result.chances[likeliest]))
            return say("Without ", *off, ", ", name, f" {from_to(before, now_has)}", *then)
        for one in (node for node in result.spec.nodes if node["kind"] == "head" and node["id"] == state.zoom):
            return self._of_head(result, one)
        boxes = [node for node in result.spec.nodes if node["kind"] == "box"]
        if any(node["kind"] == "block" and node["id"] == state.zoom for node in result.spec.nodes):
            inside = [node["label"] for node in boxes if node["in"] == state.zoom]
            meet = f"What happens in {' and '.join(inside)} is not known, only what it adds."
            return say(
                "Everything in a block reads the stream and adds to it; nothing is ever overwritten. ",
                meet if inside else "In this block only the heads let the tokens meet.",
            )
        told = [f"One stream runs through; {self._what_adds(boxes)}. It says ", name, f" with {before}"]
        if result.whole.effect is None:
            return say(*told, ". The wider a branch, the more it adds.")
        effect = result.whole.effect
        return say(
            *told,
            ", and that hangs on ",
            head_in_words(result, f"{effect.attention}:{effect.head}"),
            ": switch it off.",
        )

    @staticmethod
    def _what_adds(boxes) -> str:
        if on_the_line := [node["label"] for node in boxes if not node["in"]]:
            return f"of {' and '.join(on_the_line)} only what goes in and what comes out is known"
        return "each branch reads it and adds to it"

    def _of_head(self, result, node) -> list:
        """What the last token reads in one head."""
        name, head = heads_in([node["id"]])[0]
        row = result.spec.tensors[f"{name}/weights"][head, -1].tolist()
        return say(
            "In this head the last token, ",
            query(quote(self._label(result.ids[-1]))),
            ", reads ",
            *most_read(row, len(row) - 1, [self._label(token) for token in result.ids]),
            ", and what it finds is added to its place in the stream.",
        )

    def code(self, state) -> str:
        ids = self._ids(state)
        off = heads_in(state.off)
        given = f"without(model, {off}), " if off else ""
        return "\n".join([
            "import torch",
            "from attnlab import record",
            *(["from attnlab.analysis import without"] if off else []),
            "",
            f"ids = torch.tensor([{ids}])  # {self.task.decode(ids)!r}",
            f"with torch.no_grad(), {given}record(model) as trace:",
            "    chances = model(ids)[0, -1].softmax(-1)",
            f"shown = chances[{self._whole(ids).shown}]",
            'heads = [trace.tensor(name) for name in trace.tensors if name.endswith("/adds")]  # what each adds',
        ])


def head_in_words(result: GPTMachine, id: str) -> list[str]:
    """A head by its name, in its colour."""
    node = next(node for node in result.spec.nodes if node["id"] == id)
    block, _, head = node["label"].partition(", ")
    count = sum(other["in"] == node["in"] for other in result.spec.nodes)
    return [f"{head} of {block}", f"head{int(id.rpartition(':')[2]) + 1}" if count <= 4 else "context"]
