"""The film of a machine that reads something and then writes word by word."""

from collections.abc import Mapping, Sequence

# How long each phase runs.
MS = {"read": 200, "hand over": 250, "ask": 450, "weigh": 200, "add": 700, "pass on": 600, "write": 300}


def word_by_word(reading: Sequence[dict], words: Sequence[str], phases: Sequence[str]) -> list[dict]:
    """A frame for each thing that happens: those of `reading`, which say how much is "read", then word number "step",
    -1 before the first, in each of its phases; "ms" is how long one runs."""
    read = reading[-1]["read"]
    frames = [{**frame, "step": -1} for frame in reading]
    frames += [
        {"group": word, "phase": phase, "read": read, "step": step}
        for step, word in enumerate(words)
        for phase in phases
    ]
    return [{**frame, "ms": MS.get(frame["phase"], 0)} for frame in frames]


def moment(frame: dict, reading: Mapping[str, str], words: int) -> str:
    """What happens in a frame, in a few words; `reading` has those of the phases before the first word."""
    return reading.get(frame["phase"], f"word {frame['step'] + 1} of {words}: {frame['phase']}")
