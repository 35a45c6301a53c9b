"""Any model on any text as a machine: its blocks, what each head adds to the stream, heads off, and what it says."""

from typing import NamedTuple

from torch import Tensor

from attnlab import look_inside, record
from attnlab.analysis import (
    Graph,
    MachineSpec,
    colour_limits,
    heads_in,
    heard_graph,
    hidden_numbers,
    largest_branch,
    machine_spec,
    with_gains,
    with_others,
    without,
)
from attnlab.inside import Inside
from widgets.base.controls import held, text
from widgets.base.explorer import Explorer
from widgets.base.words import context, counted, most_read, one_or_more, percent, query, quote, say, token_label
from widgets.instruments.machine.machine import Machine, pack

MOST = 1_000_000  # weights of all heads together: a page with a machine stays small
ROWS = 64  # tokens that a stream draws, the last ones
SHOWN = 12  # answers with a bar of their own; all others share one
NEAR = ("/q", "/k", "/v", "/scores", "/context", "/bias")  # tensors that are sent of what is seen from near


class Whole(NamedTuple):
    """A model with all its heads. read: the row of the logits that is looked at. chances: of what it says there,
    [vocabulary], and shown: ids of the answers with a bar; None and none where it says nothing. names: of its
    attentions, as `look_inside` calls them. limits: per tensor the
    number of the strongest colour. branch: the size of the largest thing that is added."""

    graph: Graph
    read: int
    chances: Tensor | None
    shown: list[int]
    names: set[str]
    limits: dict[str, float]
    branch: float


class ModelMachine(NamedTuple):
    """whole: with all heads. seen, spec, chances: without those that are off."""

    whole: Whole
    seen: Inside
    spec: MachineSpec
    chances: Tensor | None


class ModelMachineExplorer(Explorer):
    """A model of any library as a machine: go into a block and a head, switch heads off, and see what it says then.

        ModelMachineExplorer(model, tokenizer, "The cat sat on the mat.")

    model, tokenizer, text: as for `attnlab.look_inside`. What is drawn is found in the model's numbers; a block whose
    parts do not add up to it is a plain box: see `attnlab.analysis.heard_graph`. `chances`: of what the model says
    behind the last token, or in place of the one that is hidden, [vocabulary]; None for a model without an output map.
    """

    text = text("", label="text", width=60, help="what the model reads")
    off = held([], "ids of the heads that are switched off", ("machine", "off"))
    zoom = held("", "what is seen from near", ("machine", "zoom"))

    shows = {"shown": lambda parts: parts["machine"].tensor("next/out")[:-1]}
    unstable = True

    def __init__(self, model, tokenizer, text="", lock=None, **state) -> None:
        self.model, self.tokenizer = model, tokenizer
        super().__init__(lock=lock, text=text, **state)

    @property
    def chances(self) -> Tensor | None:
        """Of what the model says, [vocabulary]."""
        return self.result.chances

    def views(self) -> dict:
        return {"machine": Machine("stream")}

    # ---- the model

    def _whole(self, typed: str) -> Whole:
        if typed not in self._known:
            with record(self.model) as trace:
                seen = look_inside(self.model, self.tokenizer, typed)
            graph = heard_graph(self.model, trace)
            spec = self._drawn_from(graph, trace)
            read, said = self._read(seen), self._chances(seen)
            shown = [] if said is None else sorted(said.argsort(descending=True, stable=True)[:SHOWN].tolist())
            limits = colour_limits(spec)
            if seen.logits is not None:
                limits["next/logits"] = float(f"{float(seen.logits[read].nan_to_num().abs().max()):.2g}") or 1.0
            names = {layer.name for layer in seen.layers}
            self._known = {typed: Whole(graph, read, said, shown, names, limits, largest_branch(spec))}
        return self._known[typed]

    def compute(self, state) -> ModelMachine:
        whole = self._whole(state.text)
        with without(self.model, self._off(state, whole)), record(self.model) as trace:
            seen = look_inside(self.model, self.tokenizer, state.text)
        return ModelMachine(whole, seen, self._drawn_from(whole.graph, trace), self._chances(seen))

    def _drawn_from(self, graph: Graph, trace) -> MachineSpec:
        spec = with_gains(machine_spec(graph, trace), self.model)
        return spec._replace(tensors={**spec.tensors, **hidden_numbers(graph, trace)})

    def _off(self, state, whole) -> list[tuple[str, int]]:
        """The heads that are off, as `without` takes them: for it "name" is all calls, and "name#0" the first."""
        return [(f"{name}#0" if f"{name}#0" in whole.names else name, head) for name, head in heads_in(state.off)]

    def _place(self, seen: Inside) -> int:
        """Where it is read what the model says: at a hidden token, else at the last one."""
        hidden = getattr(self.tokenizer, "mask_token", None)
        return seen.tokens.index(hidden) if hidden in seen.tokens else len(seen.tokens) - 1

    def _chances(self, seen: Inside) -> Tensor | None:
        """Of what the model says."""
        if seen.logits is None:
            return None
        return seen.logits[self._read(seen)].softmax(-1)

    def _read(self, seen: Inside) -> int:
        """The row of the logits that is looked at."""
        return self._place(seen) if self._says_tokens(seen) else 0

    def _says_tokens(self, seen: Inside) -> bool:
        """Whether it says something at each token; else once."""
        return seen.logits is not None and len(seen.logits) == len(seen.tokens)

    # ---- the picture

    def picture(self, state, result) -> dict:
        tokens = counted(len(result.seen.tokens), "token")
        whole = {
            "id": "",
            "label": "whole machine",
            "line": "seen = look_inside(model, tokenizer, text)",
            "shape": tokens,
        }
        near = {node["in"] if node["kind"] == "head" else node["id"] for node in nodes_near(result.spec, state.zoom)}
        drawn = {
            name: tensor
            for name, tensor in result.spec.tensors.items()
            if not name.endswith(NEAR) or name.rpartition("/")[0] in near
        }
        spec = {
            "title": f"{type(self.model).__name__} that reads {tokens}",
            "nodes": [whole, *result.spec.nodes],
            "labels": {"token": [token_label(token) for token in result.seen.tokens]},
            "read": max(0, result.whole.read - max(0, len(result.seen.tokens) - ROWS)),
            "branch": result.whole.branch,
        }
        if result.chances is not None:
            spec["nodes"] += [
                {"id": "output", "kind": "unembed", "in": "", "label": "output map", "line": "logits = output(x)"},
                {
                    "id": "next",
                    "kind": "word",
                    "in": "",
                    "label": self._title(result.seen),
                    "line": "chances = softmax(logits)",
                    "count": len(result.chances),
                    "rest": True,  # the last bar is that of all others
                },
            ]
            spec["labels"]["vocabulary"] = [*(self._label(result, id) for id in result.whole.shown), "others"]
            drawn["next/out"] = with_others(result.chances, result.whole.shown)
            drawn["next/was"] = with_others(result.whole.chances, result.whole.shown)
            drawn["next/logits"] = result.seen.logits[result.whole.read, result.whole.shown]
        numbers = {name: tensor.float() for name, tensor in drawn.items()}
        if (count := sum(tensor.numel() for name, tensor in numbers.items() if name.endswith("/weights"))) > MOST:
            raise ValueError(
                f"expected a text of fewer than {tokens}: its heads have {count / 1e6:.1f} million weights"
            )
        return {"machine": pack(spec, numbers, result.whole.limits)}

    def _label(self, result, id: int) -> str:
        return token_label(result.seen.label(id))

    def _title(self, seen: Inside) -> str:
        if seen.classes:
            return "the text is"
        return "in its place" if seen.ahead else "next token"

    # ---- what is said

    def sentence(self, state, result) -> list:
        for one in (node for node in result.spec.nodes if node["kind"] == "head" and node["id"] == state.zoom):
            return self._of_head(result, one)
        whole = "One stream runs through; each head reads it and adds to it. "
        if any(node["kind"] == "box" for node in result.spec.nodes):
            whole = "A block is a plain box where its parts do not add up to it; HeadsExplorer shows its heads. "
        if result.chances is None:
            return say(whole, "The wider a branch, the more it adds.")
        best, now = int(result.whole.chances.argmax()), int(result.chances.argmax())
        name, before = query(quote(self._label(result, best))), percent(float(result.whole.chances[best]))
        if not state.off:
            return say(whole, "It says ", name, f" with {before}.")
        then = ["."] if now == best else [", and the model says ", query(quote(self._label(result, now))), "."]
        count, left = one_or_more(len(state.off), "head"), percent(float(result.chances[best]))
        goes = f" stays at {before}" if left == before else f" goes from {before} to {left}"
        return say(f"Without {count} the chance of ", name, goes, *then)

    def _of_head(self, result, node) -> list:
        """What the row that is read looks at in one head."""
        name, head = heads_in([node["id"]])[0]
        place = self._place(result.seen)
        row = result.spec.tensors[f"{name}/weights"][head, place].tolist()
        tokens = [token_label(token) for token in result.seen.tokens]
        read = most_read(row, place, tokens) if any(row) else ["nothing: it is off"]
        return say("In ", context(node["label"]), " ", query(quote(tokens[place])), " reads ", *read, ".")

    def code(self, state) -> str:
        whole = self._whole(state.text)
        off = self._off(state, whole)
        given = f"without(model, {off}), " if off else ""
        seen = f"    seen = look_inside(model, tokenizer, {state.text!r})"
        lines = ["from attnlab import look_inside, record", *(["from attnlab.analysis import without"] if off else [])]
        lines += ["", f"with {given}record(model) as trace:", seen]
        lines += ['adds = [trace.tensor(name) for name in trace.tensors if name.endswith("/adds")]  # of each head']
        if whole.shown:
            lines += [f"shown = seen.logits[{whole.read}].softmax(-1)[{whole.shown}]"]
        return "\n".join(lines)


def nodes_near(spec: MachineSpec, zoom: str) -> list[dict]:
    """What a zoom shows from near: a head, or what a block holds."""
    return [node for node in spec.nodes if zoom and (node["id"] == zoom or node["in"] == zoom)]
