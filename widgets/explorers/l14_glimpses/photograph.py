"""A photograph through the retina: the learner moves the gaze, says what it is, and sees what that was worth."""

from typing import NamedTuple

from torch import Tensor
from traitlets import observe

from attnlab.analysis import GlimpsesAndThumbnail, glimpses_and_thumbnail, uncovered
from attnlab.tasks.photographs import NAMES, photographs
from widgets.base.controls import State, button, choice, held, select
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, percent, query, say
from widgets.explorers.l14_glimpses.looks import DARK, as_places, clicks
from widgets.instruments.picture.picture import Picture, side_by_side

OPEN = "?"  # no answer yet
OTHERS = ["a bowl of soup", "a dog", "a lighthouse", "a racing driver"]
PLACES = "places [across, down] from -1 to 1"
ALL, LAST = "all glimpses", "the last glimpse"
SIZE, SCALES, MOST = 8, 4, 5  # of the retina, in pixels; how many glimpses there are


class Look(NamedTuple):
    """name: what is on the photograph. whole, image: all of it, and what is in sight of it, the rest dark; [3, height,
    width]. compared: the glimpses beside a thumbnail; None before the first one."""

    name: str
    whole: Tensor
    image: Tensor
    compared: GlimpsesAndThumbnail | None


class PhotographExplorer(Explorer):
    """A photograph in the dark. A click moves the gaze there; what is named is uncovered, beside a thumbnail that is
    made of as many numbers as the glimpses have taken.

    An answer stands: what is chosen after it counts no more.
    """

    named = select([OPEN, *sorted([*NAMES, *OTHERS])], label="it is", help="what you think it is")
    sight = choice([ALL, LAST], label="in sight", help="all that you have seen of it, or what the eye sees right now")
    again = button(label="next photograph", help="another one, in the dark again")
    glimpses = State([], clicks, PLACES, "where the gaze has been", follows=("picture", "glimpses"))
    answers = held({}, help="{photograph: what you said}")

    shows = {"image": lambda parts: parts["picture"].image[0, 0].transpose(2, 0, 1)}

    @observe("again")
    def _darken(self, change) -> None:
        self.set_state({"glimpses": [], "named": OPEN})

    @observe("named")
    def _write_down(self, change) -> None:
        if change.new != OPEN and (now := NAMES[self._number(self.again)]) not in self.answers:
            self.set_state({"answers": {**self.answers, now: change.new}})

    def views(self) -> dict:
        return {"picture": Picture(glimpse_size=SIZE, glimpse_scales=SCALES)}

    def _number(self, presses: int) -> int:
        return presses % len(NAMES)

    def compute(self, state) -> Look:
        name, places = NAMES[self._number(state.again)], as_places(state.glimpses)
        whole = photographs()[name]
        known = uncovered(whole, places[-1:] if state.sight == LAST else places, SIZE, SCALES)
        compared = glimpses_and_thumbnail(whole, places, SIZE, SCALES) if len(places) else None
        return Look(name, whole, known.picture.where(known.seen, DARK), compared)

    def picture(self, state, result) -> dict:
        if result.name not in state.answers:
            shown = {"image": channels_last(result.image), "titles": [], "glimpses": state.glimpses}
            return {"picture": {**shown, "editing": "glimpses", "most_glimpses": MOST}}
        panels = {"your glimpses": result.image, "the whole photograph": result.whole}
        if result.compared:
            panels["as many, spread evenly"] = result.compared.thumbnail
        shown = {
            "image": side_by_side(*map(channels_last, panels.values())),
            "titles": list(panels),
            "glimpses": [[*place, 0.0] for place in state.glimpses],
        }
        return {"picture": {**shown, "editing": "", "most_glimpses": 0}}

    def sentence(self, state, result) -> list:
        used = len(state.glimpses)
        share = percent(result.compared.numbers / result.whole.numel()) if result.compared else ""
        if result.name not in state.answers:
            if not used:
                return [f"A photograph lies in the dark. You have {MOST} glimpses: click where to look first."]
            taken = f"Glimpse {used} of {MOST}, {share} of its numbers so far. "
            return [taken + ("Look again, or say what it is." if used < MOST else "What is it?")]
        said = ["It is ", context(result.name), ". ", query("You"), f" said: {state.answers[result.name]}. "]
        if not result.compared:
            return say(*said[:-1], f" said: {state.answers[result.name]}.")
        seen, even, there = (
            percent(each)
            for each in (result.compared.off, result.compared.thumbnail_off, result.compared.thumbnail_off_where_sharp)
        )
        took = "One glimpse has" if used == 1 else f"{used} glimpses have"
        return say(
            *said,
            f"{took} taken {share} of its numbers, and a colour is off by ",
            query(seen),
            " on average; spread evenly, as many are off by ",
            key(even),
            f". In the sharp squares the glimpses are exact, and the even ones off by {there}.",
        )

    def code(self, state) -> str:
        number = self._number(state.again)
        places = [[round(x, 4) for x in click] for click in state.glimpses]
        last = "[-1:]" if state.sight == LAST else ""
        lines = [
            "import torch",
            "from attnlab.analysis import glimpses_and_thumbnail, uncovered",
            "from attnlab.tasks.photographs import photographs",
            "",
            f"whole = list(photographs().values())[{number}]",
            f"places = torch.tensor({places}).reshape(-1, 2)",
            f"known = uncovered(whole, places{last}, size={SIZE}, scales={SCALES})",
            f"image = known.picture.where(known.seen, {DARK})",
        ]
        if places:
            lines.append(f"compared = glimpses_and_thumbnail(whole, places, size={SIZE}, scales={SCALES})")
        return "\n".join(lines)


def channels_last(image: Tensor) -> Tensor:
    """[3, height, width] as a view takes it."""
    return image.permute(1, 2, 0)
