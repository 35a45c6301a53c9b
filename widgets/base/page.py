"""The page protocol: what an explorer and the page that shows it say to each other, all of it by way of the controls.

From the page:

- `{kind: "move", sequence, values}` or `{..., reset: true}`: controls were moved. `sequence` numbers the movements.
- `{kind: "frames", id, name, around, have, pending}`: the next frames of one slider are wanted, those nearest to
  `around` first; `have` came already. What was moved and is not answered yet comes with it.
- `{kind: "lost"}`: a view has no picture.
- `{kind: "moment"}`, by way of the caption: the state is wanted as a text, see `moment.py`.
- `{kind: "open", moment}`, the same way: a text was pasted, whose state is to be shown.
- `{kind: "hand", trait, value}`, by way of a view: a hand that is still moving has set that trait of it. At most two
  are on their way; where it lets go, ipywidgets tells the trait.
- `{kind: "ahead", trait, value}`, by way of a view that the state follows: what would be seen if that trait of it were
  that? A hand rests on what sets it.

To the page:

- `{kind: "picture", table, frames}` with one buffer: the answer to a movement, one message for all parts.
- `{kind: "frames", id, name, version, total, sequence, table, frames}`, or `refused` ("slow", "large", "watched") in
  place of the last two: frames of a slider. `version` counts what makes them old: anything but the slider's own
  position.
- `{kind: "moment", moment}`, or `error` in place of the text.
- `{kind: "ahead", trait, value, table, frames}` with one buffer, to that view: its answer.
- `{kind: "opened", said}`: why a text was refused, or what is to be said of it, "" for nothing.

Each part's `sequence` says which movement its picture answers, so that an answer to an older position does not overrun
the frames that play in the page.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from widgets.base.frames import Frames, pack, wire


class Page:
    """An explorer's page. `explorer` computes; this hears what the hand did, and tells what is seen."""

    def __init__(self, explorer, controls, parts: dict, sliders: list[str]) -> None:
        self.explorer, self.controls, self.parts = explorer, controls, parts
        self.sequence = 0  # the latest movement of the hand
        self.versions = dict.fromkeys(sliders, 0)
        self.watched: Any = None  # by more than these parts: then no frames play, and the kernel hears every position
        controls.on_msg(self.receive)
        self.caption = parts["caption"]
        self.caption.on_msg(self.receive_moment)

    # ---- to the page

    def outdate(self, changed: set) -> None:
        """A slider's frames become old when anything but its own position changes."""
        for name in self.versions:
            self.versions[name] += bool(changed - {name})

    def complete(self, picture: dict) -> dict:
        """The traits of all parts that the page is told, the views first; with them what the controls say."""
        values = {one["name"]: getattr(self.explorer, one["name"]) for one in self.controls.spec}
        picture = {
            **picture,
            "controls": {**picture.get("controls", {}), "values": values, "versions": dict(self.versions)},
        }
        return {name: {"sequence": self.sequence, **picture[name]} for name in self.parts if name in picture}

    def show(self, picture: dict) -> None:
        """One message to each part."""
        for name, traits in self.complete(picture).items():
            self.parts[name].show(**traits)

    def reply(self, picture: dict) -> None:
        """One message for all parts. Only an answer to the page goes this way: the page is known to listen."""
        self._send({
            self.parts[name].model_id: self.parts[name].take(**traits)
            for name, traits in self.complete(picture).items()
        })

    def send_all(self) -> None:
        """Everything that is seen, once more."""
        self._send({part.model_id: part.get_state(part.shown_traits()) for part in self.parts.values()})

    def _send(self, states: dict) -> None:
        """One message with {id of the part: {trait: value on the wire}}."""
        self.controls.send(*one_picture(states, kind="picture"))

    # ---- from the page

    def receive(self, _, message: dict, buffers=()) -> None:
        """One message of the controls."""
        answers: dict[str, Callable] = {"move": self._move, "frames": self._send_frames}
        if (kind := message.get("kind")) in answers:
            answers[kind](message)
        elif kind == "lost":
            with self.explorer.lock:
                self.send_all()

    def _move(self, pending: dict) -> None:
        with self.explorer.lock:
            self.sequence = max(self.sequence, pending["sequence"])
            before = self.explorer.initial if pending.get("reset") else {}
            self.explorer.answer(self.explorer.set_by_hand(pending["values"], before), self.reply)

    def receive_moment(self, _, message: dict, buffers=()) -> None:
        """One message of the caption."""
        try:
            if message.get("kind") == "moment":
                self.caption.send({"kind": "moment", "moment": self.explorer.moment})
            elif message.get("kind") == "open":
                self.caption.send({"kind": "opened", "said": self.explorer.open_moment(message["moment"])})
        except ValueError as error:
            asked = message["kind"] == "moment"
            self.caption.send(
                {"kind": "moment", "error": str(error)} if asked else {"kind": "opened", "said": str(error)}
            )

    def receive_ahead(self, view, message: dict, buffers=()) -> None:
        """One message of a view that the state follows: a hand rests on what would set one of its traits."""
        if message.get("kind") != "ahead":
            return
        asked = {"trait": message["trait"], "value": message["value"]}
        with self.explorer.lock:
            name = self.explorer.name_of(view, asked["trait"])
            picture = self._frame(self.explorer.state, name, asked["value"])
        view.send(*one_picture(picture, kind="ahead", **asked))

    def _send_frames(self, ask: dict) -> None:
        pending = ask["pending"] if ask["pending"].get("sequence", 0) > self.sequence else {}
        name = ask["name"]
        with self.explorer.lock:
            version, values = self.versions[name], self.explorer.positions(name)
            before = self.explorer.initial if pending.get("reset") else vars(self.explorer.state)
            state = SimpleNamespace(**{**before, **pending.get("values", {})})
        order = sorted(range(len(values)), key=lambda i: abs(i - ask["around"]))[ask["have"] :]
        pictures = ((i, self._frame(state, name, values[i])) for i in order)
        packed, refused = pack(pictures, len(values)) if not self.watched else (Frames(), "watched")
        message = {
            "kind": "frames",
            "id": ask["id"],
            "name": name,
            "version": version,
            "total": len(values),
            "sequence": max(self.sequence, pending.get("sequence", 0)),
        }
        if refused:
            self.controls.send({**message, "refused": refused})
        else:
            self.controls.send({**message, "table": packed.table, "frames": packed.frames}, [bytes(packed.bytes)])

    def _frame(self, state: SimpleNamespace, name: str, value) -> dict:
        """One frame as the page gets it: {id of the part: {trait: value on the wire}}."""
        picture = self.explorer.frame(SimpleNamespace(**{**vars(state), name: value}))
        return {
            self.parts[part].model_id: {trait: wire(self.parts[part], trait, seen) for trait, seen in traits.items()}
            for part, traits in picture.items()
        }


def one_picture(states: dict, **message) -> tuple[dict, list[bytes]]:
    """A message with one picture, {id of the part: {trait: value on the wire}}, and its buffers."""
    packed = Frames()
    packed.add(0, states)
    return {**message, "table": packed.table, "frames": packed.frames}, [bytes(packed.bytes)]
