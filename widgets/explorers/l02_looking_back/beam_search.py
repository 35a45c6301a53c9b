"""Greedy and beam search over one model, side by side in one tree."""

import math
from collections.abc import Iterator
from hashlib import blake2b
from typing import NamedTuple

from traitlets import observe

from attnlab.decoding import BeamStep, Writer, beam, best, greedy, length_normalised, tokens
from attnlab.tasks import BOS, EOS
from widgets.base import controls
from widgets.base.explorer import Explorer
from widgets.base.words import number, percent, query, quote, say
from widgets.instruments.beam_tree.beam_tree import BeamTree, arrange

WIDEST = 5
LONGEST = 20  # tokens; an untrained model may never write EOS
DROPPED = 4  # per step, the best of the dropped hypotheses that are drawn
END = 99  # a step that lies beyond every search: the end


class Search(NamedTuple):
    """What beam and greedy search did with one source.

    steps: the beam search, up to the step that is shown; length: how many steps all of it took. nodes: those of the
    tree; more: per step, how many dropped ones it leaves out; greedy: the ids of the greedy path. written: the tokens
    of greedy search. positions: how many steps can be looked at, whatever the width.
    """

    steps: list[BeamStep]
    nodes: list[dict]
    more: list[int]
    greedy: list[int]
    length: int
    written: list[int]
    positions: int


class BeamSearchExplorer(Explorer):
    """The tree of a beam search: which hypotheses were kept, which dropped, which finished, and where greedy parts.

    model: a Seq2Seq that translates the texts of `task`; text: the source, the task's first held-out one if not given;
    lock: that of the training, where the model still learns.
    """

    text = controls.text("", label="translate", width=30, help="the source text")
    width = controls.slider(3, 1, WIDEST, label="beam width", help="how many hypotheses are kept at each step")
    length_penalty = controls.slider(
        1.0,
        0.0,
        2.0,
        step=0.1,
        label="length penalty",
        help="score = log-probability / steps to this power; 0 favours short texts",
    )
    step = controls.stepper(END, 1, None, help="how far the search is unrolled")

    shows = {"score": ("tree", "score")}
    unstable = True

    def __init__(self, model, task, text=None, lock=None, **state) -> None:
        self.model, self.task = model, task
        super().__init__(lock=lock, text=task.test[0].source if text is None else text, **state)

    def views(self) -> dict:
        return {"tree": BeamTree(separator=self.task.joint, end=self.task.target_vocabulary[EOS])}

    @observe("text")
    def _unroll_whole(self, change) -> None:
        self.step = END  # of a new text

    def compute(self, state) -> Search:
        source, writer = self.task.read(state.text), self.writer(state)
        steps, widest = (
            list(beam(writer, source, BOS, EOS, width, LONGEST, state.length_penalty))
            for width in (state.width, WIDEST)
        )
        written, totals, total = [], [], 0.0
        for step in greedy(writer, source, BOS, EOS, LONGEST):
            total += math.log(step.probabilities[step.token].item())
            written.append(step.token)
            totals.append(total)
        nodes, path = self._nodes(steps, written, totals, state.length_penalty)
        more = [
            sum(h.status == "dropped" for h in hypotheses)
            - sum(n["status"] == "dropped" and n["step"] == step + 1 for n in nodes)
            for step, hypotheses in steps
        ]
        positions = max(len(steps), len(widest), len(written))
        return Search(steps[: state.step], nodes, more, path, len(steps), written, positions)

    def writer(self, state) -> Writer:
        """The model that is searched."""
        return self.model

    def _nodes(self, steps, written, totals, length_penalty) -> tuple[list[dict], list[int]]:
        """The nodes of the tree, with those of greedy search that the beam never saw, and the ids of the greedy path.

        A node's id comes from its tokens: a hypothesis keeps it when the width changes, and stays selected.
        """
        greedy_ids = [identity(written[: i + 1]) for i in range(len(written))]
        nodes: dict[int, dict] = {}
        paths: dict[int, tuple[int, ...]] = {0: ()}
        for step, hypotheses in steps:
            dropped = 0
            for h in hypotheses:
                paths[h.id] = (*paths[h.parent], h.token)
                id = identity(paths[h.id])
                dropped += h.status == "dropped"
                if h.status != "dropped" or dropped <= DROPPED or id in greedy_ids:
                    nodes[id] = self._node(paths[h.id], step + 1, h.log_probability, h.score, h.status)
        for i, (id, total) in enumerate(zip(greedy_ids, totals, strict=True)):
            if id not in nodes:
                score = length_normalised(total, i + 1, length_penalty)
                nodes[id] = self._node(written[: i + 1], i + 1, total, score, "greedy")
        return arrange(list(nodes.values())), greedy_ids

    def _node(self, path, step, log_probability, score, status) -> dict:
        return {
            "id": identity(path),
            "parent": identity(path[:-1]),
            "step": step,
            "score": score,
            "status": status,
            "token": self.task.target_vocabulary[path[-1]],
            "log_probability": log_probability,
        }

    def picture(self, state, result) -> dict:
        end = identity(tokens(result.steps, best(result.steps)))
        return {
            "tree": {
                "nodes": result.nodes,
                "more": result.more,
                "greedy": result.greedy,
                "best": end,
                "step": min(state.step, result.positions),
                "length_penalty": state.length_penalty,
            },
            "controls": {"step": {"max": result.positions}},
        }

    def sentence(self, state, result) -> list:
        found = best(result.steps)
        text = self._written(tokens(result.steps, found))
        if state.step < result.length:
            return self._step_in_words(state, result, found, text)
        beam_text = ("A beam of ", str(state.width), " finds ", query(text), f" with score {number(found.score)}")
        if found.status != "finished":
            return say(f"After {result.length} steps no hypothesis has ended; the best says ", query(text), ".")
        if state.width == 1:
            return say(
                "A beam of 1 is greedy search: it keeps one hypothesis, and finds ",
                query(text),
                f" with score {number(found.score)}.",
            )
        chosen = tokens(result.steps, found)
        if chosen == result.written:
            return say(*beam_text, "; greedy search finds the same.")
        return say(*beam_text, ", ", *self._parting_in_words(result, chosen))

    def _step_in_words(self, state, result, found, text) -> list:
        kept = [h for h in result.steps[-1].hypotheses if h.status == "kept"]
        weighed = len(result.steps[-1].hypotheses)
        ended = "the best that has ended is " if found.status == "finished" else "the best so far is "
        return say(
            f"Step {len(result.steps)}: {weighed_in_words(weighed, len(kept))}; ",
            ended,
            query(text),
            ".",
        )

    def _parting_in_words(self, result, chosen) -> Iterator[str]:
        """Where greedy search leaves the best path, and what it takes instead."""
        nodes = {node["id"]: node for node in result.nodes}
        part = next(i for i, pair in enumerate(zip(chosen, result.written, strict=False)) if pair[0] != pair[1])
        yield f"greedy search {self._written(result.written)} with {number(nodes[result.greedy[-1]]['score'])}"
        yield "" if result.written[-1] == EOS else f", not ended after {len(result.written)} steps"
        greedy, kept = result.written[: part + 1], chosen[: part + 1]
        yield f": they part at step {part + 1}, where greedy {'ends' if greedy[-1] == EOS else 'takes'} "
        yield self._likely(nodes, greedy)
        yield f" and the beam also {'ends' if kept[-1] == EOS else 'keeps'} "
        yield self._likely(nodes, kept)
        yield "."

    def _likely(self, nodes, path) -> str:
        """The last token of a path and its probability there."""
        before = nodes[identity(path[:-1])]["log_probability"] if path[1:] else 0.0
        share = math.exp(nodes[identity(path)]["log_probability"] - before)
        word = "" if path[-1] == EOS else f"{quote(self.task.target_vocabulary[path[-1]])} "
        return f"{word}({percent(share)})"

    def _written(self, ids) -> str:
        return quote(self.task.write(ids))

    def code(self, state) -> str:
        unrolled = f"[:{state.step}]" if state.step < END else ""
        return "\n".join([
            "from attnlab.decoding import beam, best, tokens",
            "from attnlab.tasks import BOS, EOS",
            *self.begun(state),
            f"steps = list(steps){unrolled}",
            "found = best(steps)",
            "score = found.score",
            "text = task.write(tokens(steps, found))",
        ])

    def begun(self, state) -> list[str]:
        """The lines of code that begin the search."""
        return [
            "",
            f"source = task.read({state.text!r})",
            f"steps = beam(model, source, BOS, EOS, width={state.width}, max_steps={LONGEST},",
            f"             length_penalty={state.length_penalty})",
        ]


def identity(path) -> int:
    """A number for a path of tokens, the same in every search; -1 for the start."""
    if not path:
        return -1
    return int.from_bytes(blake2b(repr(tuple(path)).encode(), digest_size=6).digest())


def weighed_in_words(weighed: int, kept: int) -> str:
    """How many hypotheses of a step go on."""
    if weighed == 1:
        return f"one hypothesis is weighed and {'goes on' if kept else 'ends'}"
    return f"of {weighed} hypotheses weighed, {kept} {'goes' if kept == 1 else 'go'} on"
