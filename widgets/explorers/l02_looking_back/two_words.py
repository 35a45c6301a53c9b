"""Two searches for the likeliest sentence of two words, in a tree small enough for a pencil."""

import math

from attnlab.decoding import best, tokens
from attnlab.tasks.two_words import AFTER, KnownChances, TwoWords
from widgets.base.controls import held, slider
from widgets.base.words import percent, query, say
from widgets.explorers.l02_looking_back.beam_search import BeamSearchExplorer, Search


class TwoWordsExplorer(BeamSearchExplorer):
    """How likely must the first word be, for greedy search to be right? The chances of the second are fixed."""

    width = slider(2, 1, len(AFTER), label="beam width", help="how many first words are kept")
    first = slider(0.6, 0.05, 0.95, step=0.05, label="chance of A", help="that the first word is A; the rest is B's")
    text = held("?", help="the only source of this task")
    length_penalty = held(0.0, help="all sentences are of one length")

    unstable = False

    def __init__(self, **state) -> None:
        super().__init__(None, TwoWords(), **state)

    def writer(self, state) -> KnownChances:
        return KnownChances(state.first)

    def sentence(self, state, result: Search) -> list:
        found = best(result.steps)
        if state.step < result.length:
            return self._step_in_words(state, result, found, self._written(tokens(result.steps, found)))
        end = next(node for node in result.nodes if node["id"] == result.greedy[-1])
        first = "the likelier word" if state.first != 0.5 else "A, as likely as B,"
        runs = [
            f"Greedy search begins with {first} and writes {self._written(result.written)}",
            f", a sentence with a chance of {percent(math.exp(end['log_probability']))}.",
        ]
        if state.width == 1:
            return say(*runs, " A beam of 1 is the same search.")
        if tokens(result.steps, found) == result.written:
            return say(*runs, f" A beam of {state.width} finds nothing likelier.")
        text, chance = self._written(tokens(result.steps, found)), percent(math.exp(found.log_probability))
        return say(*runs, f" A beam of {state.width} finds ", query(text), f" with {chance}.")

    def begun(self, state) -> list[str]:
        return [
            "from attnlab.tasks.two_words import KnownChances, TwoWords",
            "",
            f"task, model = TwoWords(), KnownChances(first={state.first})",
            f"steps = beam(model, task.read({state.text!r}), BOS, EOS, width={state.width}, length_penalty=0.0)",
        ]
