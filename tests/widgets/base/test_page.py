"""The page protocol without a page: which messages go to it, and what its own do."""

import numpy as np
import pytest
import torch
from explorers import Plain, move

from widgets.base.controls import held
from widgets.base.instrument import Instrument
from widgets.base.words import say


@pytest.fixture
def sent(monkeypatch):
    """All that widgets send to the page: (widget, message, buffers)."""
    messages = []
    monkeypatch.setattr(Instrument, "_send", lambda self, msg, buffers=None: messages.append((self, msg, buffers)))
    return messages


def ask(explorer, name, around=0, have=0, pending=None):
    """As if the page had asked for frames."""
    content = {"kind": "frames", "id": 1, "name": name, "around": around, "have": have, "pending": pending or {}}
    explorer.parts["controls"]._handle_custom_msg(content, [])


def frames(sent):
    return [(msg["content"], buffers) for _, msg, buffers in sent if msg.get("method") == "custom"]


def updates(sent):
    return [(widget, msg["state"]) for widget, msg, _ in sent if msg.get("method") == "update"]


# ---- pictures


def answer(sent, explorer):
    """{part: traits} of the one message that answers the hand."""
    [(message, _)] = frames(sent)
    assert message["kind"] == "picture"
    [[_, frame]] = message["frames"]
    names = {part.model_id: name for name, part in explorer.parts.items()}
    return {names[id]: {trait: message["table"][at] for trait, at in traits.items()} for id, traits in frame.items()}


def test_one_message_to_each_part(sent):
    explorer = Plain()
    sent.clear()
    explorer.change(size=3.0, count=5)
    assert [widget for widget, _ in updates(sent)] == [
        explorer.parts["numbers"],
        explorer.parts["caption"],
        explorer.parts["controls"],
    ]
    assert updates(sent)[0][1]["values"]["shape"] == [5]


def test_the_hand_is_answered_by_one_message(sent):
    explorer = Plain()
    sent.clear()
    move(explorer, 7, size=3.0, count=5)
    assert len(sent) == 1
    seen = answer(sent, explorer)
    assert list(seen) == ["numbers", "caption", "controls"]
    assert {traits["sequence"] for traits in seen.values()} == {7}
    assert seen["numbers"]["values"]["shape"] == [5]
    assert seen["controls"]["values"]["count"] == 5
    assert explorer.parts["numbers"].get_state()["values"]["shape"] == [5], "a page that is loaded later sees it too"


def test_a_page_that_missed_the_first_picture_gets_it(sent):
    explorer = Plain()
    sent.clear()
    explorer.parts["controls"]._handle_custom_msg({"kind": "lost"}, [])
    assert updates(sent) == [], "a view may not hear its own comm"
    seen = answer(sent, explorer)
    assert list(seen) == list(explorer.parts)
    assert seen["numbers"]["values"]["shape"] == [3]
    assert seen["controls"]["values"]["count"] == 3
    traits = {name for state in seen.values() for name in state}
    assert not [name for name in traits if name.startswith("_") or name in ("layout", "pending")]


def test_hand_is_answered_even_when_nothing_changed(sent):
    explorer = Plain()
    sent.clear()
    move(explorer, 3, size=2.0)
    assert answer(sent, explorer) == {part: {"sequence": 3} for part in ("numbers", "caption", "controls")}


def test_older_stamp_does_not_turn_the_clock_back():
    explorer = Plain()
    move(explorer, 9, size=3.0)
    move(explorer, 4, size=1.0)
    assert explorer.parts["numbers"].sequence == 9


# ---- frames of a slider


def all_frames(sent, explorer, name, around=0):
    """Ask until all frames are there (index, {(part, trait): value on the wire}) in the order they came."""
    names = {part.model_id: name for name, part in explorer.parts.items()}
    found, total = [], 1
    while len(found) < total:
        sent.clear()
        ask(explorer, name, around, have=len(found))
        [(message, [buffer])] = frames(sent)
        total = message["total"]
        for index, frame in message["frames"]:
            found.append((
                index,
                {
                    (names[part], trait): unpacked(message["table"][at], buffer)
                    for part, traits in frame.items()
                    for trait, at in traits.items()
                },
            ))
    return found


def unpacked(value, buffer):
    if isinstance(value, dict) and "bytes" in value:
        return buffer[slice(*value["bytes"])]
    if isinstance(value, dict):
        return {name: unpacked(item, buffer) for name, item in value.items()}
    return value


def test_frames_are_sent_nearest_first(sent):
    explorer = Plain()
    frames = all_frames(sent, explorer, "size", around=20)
    assert [index for index, _ in frames][:5] == [20, 19, 21, 18, 22]
    assert sorted(index for index, _ in frames) == list(range(51))
    values = frames[4][1]["numbers", "values"]
    assert values["shape"] == [3]
    np.testing.assert_allclose(np.frombuffer(values["data"], "f4"), 2.2 * np.arange(1, 4), rtol=1e-6)


def test_frame_with_an_error_is_the_banner(sent):
    explorer = Plain()
    index, frame = all_frames(sent, explorer, "size", around=50)[0]
    assert index == 50
    assert frame == {("caption", "error"): "expected a size up to 4.5, got 5.0"}


def test_frames_grow_old_when_anything_else_changes():
    explorer = Plain()
    versions = lambda: dict(explorer.parts["controls"].versions)  # noqa: E731
    before = versions()
    explorer.size = 1.0
    assert versions()["size"] == before["size"]
    assert versions()["count"] == before["count"] + 1
    explorer.shape = "down"
    assert versions()["size"] == before["size"] + 1
    explorer.refresh()
    assert versions()["size"] == before["size"] + 2


def test_frames_are_asked_for_before_the_hand_is_answered(sent):
    explorer = Plain()
    ask(explorer, "size", around=0, pending={"sequence": 5, "values": {"count": 5}})
    [(message, _)] = frames(sent)
    assert message["sequence"] == 5
    _, frame = message["frames"][0]
    assert message["table"][frame[explorer.parts["numbers"].model_id]["values"]]["shape"] == [5]
    assert explorer.count == 3


def test_frames_behind_a_reset_begin_where_it_leads(sent):
    explorer = Plain()
    explorer.count = 5
    ask(explorer, "size", around=0, pending={"sequence": 5, "values": {}, "reset": True})
    [(message, _)] = frames(sent)
    _, frame = message["frames"][0]
    assert message["table"][frame[explorer.parts["numbers"].model_id]["values"]]["shape"] == [3]


def test_refused_frames_are_not_sent(sent):
    class Large(Plain):
        def compute(self, state):
            return state.size * torch.arange(50_000.0)

    explorer = Large()
    ask(explorer, "size")
    [(message, buffers)] = frames(sent)
    assert message["refused"] == "large"
    assert not buffers
    assert "frames" not in message


# ---- a hand in a view


class Followed(Plain):
    pick = held(0, "a number", ("numbers", "chosen"))

    def sentence(self, state, result):
        return say(f"chosen: {state.pick}")


def test_a_hand_in_a_view_is_answered_by_one_message(sent):
    explorer = Followed()
    sent.clear()
    explorer.parts["numbers"].set_state({"chosen": 1})  # as when the page says so
    echo, (message, _) = [msg for _, msg, _ in sent], frames(sent)[0]
    assert [one["method"] for one in echo] == ["echo_update", "custom"]
    assert message["kind"] == "picture"
    assert explorer.pick == 1
    assert answer(sent, explorer)["caption"]["sentence"] == say("chosen: 1")


def test_a_hand_on_its_way_is_answered_and_not_told_where_it_was(sent):
    explorer = Followed()
    numbers = explorer.parts["numbers"]
    sent.clear()
    numbers._handle_custom_msg({"kind": "hand", "trait": "chosen", "value": 1}, [])
    assert [(told, message["method"]) for told, message, _ in sent] == [(explorer.parts["controls"], "custom")]
    assert "chosen" not in answer(sent, explorer)["numbers"], "it may be elsewhere by now"
    assert answer(sent, explorer)["caption"]["sentence"] == say("chosen: 1")
    numbers.set_state({"chosen": 1})  # it lets go
    assert len(frames(sent)) == 1, "this is known"


def test_a_view_that_is_changed_by_python_tells_each_part(sent):
    explorer = Followed()
    sent.clear()
    explorer.parts["numbers"].chosen = 1
    assert not frames(sent), "it may be that no page listens yet"
    assert say("chosen: 1") in [state.get("sentence") for part, state in updates(sent)]


def test_what_a_press_would_give_is_told_and_nothing_changes(sent):
    explorer = Followed()
    numbers = explorer.parts["numbers"]
    sent.clear()
    numbers._handle_custom_msg({"kind": "ahead", "trait": "chosen", "value": 2}, [])
    [(told, message, _)] = sent
    content = message["content"]
    assert told is numbers
    assert (content["kind"], content["trait"], content["value"]) == ("ahead", "chosen", 2)
    [[_, frame]] = content["frames"]
    assert content["table"][frame[explorer.parts["caption"].model_id]["sentence"]] == say("chosen: 2")
    assert (explorer.pick, numbers.chosen) == (0, 0)


# ---- moments


def hear(explorer, **content):
    explorer.parts["caption"]._handle_custom_msg(content, [])


def test_a_moment_is_told_when_it_is_asked_for(sent):
    explorer = Plain(count=5)
    sent.clear()
    hear(explorer, kind="moment")
    [(message, _)] = frames(sent)
    assert message == {"kind": "moment", "moment": explorer.moment}


def test_a_state_that_cannot_be_told_says_why(sent):
    class Held(Plain):
        what = held(None, help="anything")

    explorer = Held(what=object())
    sent.clear()
    hear(explorer, kind="moment")
    [(message, _)] = frames(sent)
    assert message["error"] == "what: expected numbers, texts, lists, dicts or arrays, got object"


def test_a_pasted_moment_is_opened(sent):
    explorer = Plain()
    sent.clear()
    hear(explorer, kind="open", moment=Plain(count=5, word="seven").moment)
    assert (explorer.count, explorer.word) == (5, "seven")
    assert frames(sent)[-1][0] == {"kind": "opened", "said": ""}
    assert updates(sent)[-1][1]["values"]["count"] == 5


def test_a_refused_one_changes_nothing(sent):
    explorer = Plain()
    sent.clear()
    hear(explorer, kind="open", moment=Plain(count=5).moment[:-1])
    [(opened, _)] = frames(sent)
    assert opened["said"].startswith("this moment is not as it was copied")
    assert explorer.count == 3
    assert explorer.parts["caption"].error == ""
