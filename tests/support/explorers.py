"""What every explorer must hold, in one line: `drive(XExplorer())`."""

import re
from pathlib import Path
from random import Random
from unittest.mock import patch

import numpy as np
import pytest
import torch
import wander
from seen import all_that_is_seen, packed, packed_state
from shapes import unchecked
from traitlets import Int

from widgets.base.controls import button, select, slider, stepper, switch, text
from widgets.base.explorer import Explorer
from widgets.base.instrument import Array, Instrument
from widgets.base.words import key, number, plain, query, say
from widgets.instruments.side_by_side.side_by_side import SideBySide

LINES = 12  # at most, of the code under a picture


def drive(explorer, **names):
    """Move every control through its range: picture, frames and code must say the same numbers. Then wander.

    names: what the code expects to find in the notebook, such as a trained model.
    """
    if wander.ASKED:
        wander.wander(explorer)
        return explorer.reset()
    specs = explorer.parts["controls"].spec
    assert specs, "an explorer without controls"
    reads_well(explorer)
    for spec in specs:
        name = spec["name"]
        assert spec["help"], f"{name} has no help"
        start = getattr(explorer, name)
        if spec["kind"] in ("slider", "stepper"):
            frames_are_the_pictures(explorer, name)
        for value in sample(explorer, spec):
            setattr(explorer, name, value)
            if is_refused(explorer):
                continue
            reads_well(explorer)
            code_gives_the_picture(explorer, **names)
        setattr(explorer, name, start)
    go_far(explorer)
    its_moment_opens(explorer)
    wander.wander(explorer)
    explorer.reset()
    reads_well(explorer)


def go_far(explorer):
    """Each control at a value that is not its first one, where the picture allows it."""
    for spec in explorer.parts["controls"].spec:
        start = getattr(explorer, spec["name"])
        for value in [value for value in sample(explorer, spec) if value != start][:1]:
            setattr(explorer, spec["name"], value)
            if is_refused(explorer):
                setattr(explorer, spec["name"], start)


def its_moment_opens(explorer):
    """A moment opens a second explorer with the same behind it: in the same state, with the same picture."""
    behind, named = explorer._made_with
    twin = type(explorer).from_moment(explorer.moment, *behind, **named)
    assert packed_state(twin) == packed_state(explorer)
    assert all_that_is_seen(twin) == all_that_is_seen(explorer)
    assert twin.moment == explorer.moment
    stands_beside(explorer, twin)
    twin.close()


def stands_beside(explorer, twin):
    """Side by side two in the same state differ nowhere, and it is said."""
    pair = SideBySide(explorer, twin)
    said = plain(pair.caption.sentence)
    assert said.count("The matrices are the same.") == len(pair.matrices) or "no matrix" in said
    assert pair.changed == []
    pair.close()


def move(explorer, sequence, **values):
    """As if the hand had moved controls of the page."""
    explorer.parts["controls"]._handle_custom_msg({"kind": "move", "sequence": sequence, "values": values}, [])


def sample(explorer, spec):
    """Values of one control: both ends and some between of a slider, all of the others."""
    if spec["kind"] in ("slider", "stepper"):
        values = explorer.positions(spec["name"])
        return [values[i] for i in sorted({0, len(values) // 3, len(values) // 2, len(values) - 1})]
    return {
        "switch": [True, False],
        "select": spec.get("options"),
        "choice": offered(explorer, spec),
        "button": [1, 2],
    }.get(spec["kind"], [])


def offered(explorer, spec):
    """The options of a choice that have a name."""
    labels = explorer.parts["controls"].changes.get(spec["name"], {}).get("labels", spec.get("options"))
    return [option for option, _ in zip(spec.get("options", []), labels or [], strict=False)]


def is_refused(explorer):
    """Whether the state has no picture, for a reason that is told in words."""
    if not explorer.parts["caption"].error:
        return False
    with pytest.raises(ValueError, match=re.escape(explorer.parts["caption"].error)):
        explorer.result  # noqa: B018
    return True


def reads_well(explorer):
    """There is a picture, a sentence and a name in words."""
    caption = explorer.parts["caption"]
    assert caption.error == ""
    assert caption.sentence, "nothing is said"
    assert " at 0x" not in repr(explorer)


def frames_are_the_pictures(explorer, name):
    """Each position of the frames is what the slider shows when it stands there; of many positions, some."""
    positions = some(explorer.positions(name))
    with patch.object(explorer, "positions", lambda name: positions):
        frames = explorer.frames(name)
    assert len(frames) == len(positions)
    for frame, value in zip(frames, positions, strict=True):
        with unchecked():  # the shapes of this picture were checked when its frame was made
            picture = picture_at(explorer, name, value)
        if is_refused(explorer):
            assert frame == {"caption": {"error": explorer.parts["caption"].error}}
            continue
        framed = {
            (part, trait): packed(explorer.parts[part], trait, wanted)
            for part, traits in frame.items()
            for trait, wanted in traits.items()
        }
        shown = {
            (part, trait): packed(explorer.parts[part], trait, getattr(explorer.parts[part], trait))
            for part, traits in picture.items()
            for trait in traits
        }
        assert framed == shown, f"at {name} = {value} the frame differs from the picture"


def some(positions):
    """All of a few; of many both ends with their neighbours, the middle, and three more, always the same."""
    last = len(positions) - 1
    if last < 8:
        return positions
    chosen = {0, 1, last // 2, last - 1, last, *Random(last).sample(range(2, last - 1), 3)}
    return [positions[i] for i in sorted(chosen)]


def picture_at(explorer, name, value):
    """The picture that the explorer shows once the control stands at a value; nothing where it shows none."""
    compose, composed = explorer._compose, []

    def noted(state):
        result, picture = compose(state)
        composed.append({part: dict(traits) for part, traits in picture.items()})  # before anything is added to it
        return result, picture

    with patch.object(explorer, "_compose", noted):
        setattr(explorer, name, value)
        if not composed:
            explorer.refresh()  # it stood there before
    return composed[-1] if composed else {}


def code_gives_the_picture(explorer, **names):
    """The code runs, and its variables hold the numbers that are seen."""
    code = explorer.parts["caption"].code
    assert 0 < len(code.splitlines()) <= LINES, f"{len(code.splitlines())} lines of code, at most {LINES}:\n{code}"
    exec(compile(code, "<the code of this picture>", "exec"), names)
    assert explorer.shows, "an explorer says in `shows` which variables of its code are seen where"
    for variable, place in explorer.shows.items():
        assert variable in names, f"the code does not define {variable}:\n{code}"
        seen = place(explorer.parts) if callable(place) else getattr(explorer.parts[place[0]], place[1])
        seen = np.squeeze(np.asarray(seen))
        given = names[variable]
        given = np.squeeze(given.detach().numpy() if hasattr(given, "detach") else np.asarray(given))
        np.testing.assert_allclose(given, seen, atol=1e-5, err_msg=code)


class Numbers(Instrument):
    """A view of numbers as text: as simple as a view can be."""

    bundle = str(Path(__file__).parent / "static" / "numbers")
    values = Array(ndim=1)
    chosen = Int(0).tag(sync=True)


class Plain(Explorer):
    """One of each control."""

    size = slider(2.0, 0.0, 5.0, step=0.1, help="how large")
    count = slider(3, 1, 7, help="how many")
    signed = switch(False, label="with a sign", help="every other number is negative")
    shape = select(["up", "down"], help="the order")
    word = text("five", help="a word of letters")
    at = stepper(1, 1, None, label="position", help="the position told")
    again = button(label="another", help="another example")

    shows = {"values": ("numbers", "values")}

    def views(self):
        return {"numbers": Numbers()}

    def compute(self, state):
        if not state.word.isalpha():
            raise ValueError(f"expected a word of letters, got {state.word!r}")
        if state.size > 4.5:
            raise ValueError(f"expected a size up to 4.5, got {state.size}")
        if state.word == "bug":
            raise RuntimeError("a mistake of ours")
        values = state.size * torch.arange(1.0, state.count + 1) + state.again
        if state.signed:
            values = values * (-1.0) ** torch.arange(state.count)
        return values if state.shape == "up" else values.flip(0)

    def picture(self, state, result):
        return {"numbers": {"values": result}, "controls": {"at": {"max": state.count}}}

    def sentence(self, state, result):
        at = min(state.at, state.count)
        return say(query(state.word), " at ", str(at), " is ", key(number(result[at - 1].item())))

    def code(self, state):
        values = f"{state.size} * torch.arange(1.0, {state.count + 1}) + {state.again}"
        return "\n".join([
            "import torch",
            f"values = {values}",
            *[f"values = values * (-1.0) ** torch.arange({state.count})"] * state.signed,
            *["values = values.flip(0)"] * (state.shape == "down"),
        ])
