"""A caption written word by word, with the map of each word: drag its weights, hide a part, and it is written anew."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from traitlets import observe

from attnlab.analysis import CaptionSteps, caption_steps
from attnlab.hard_attention import sampled
from attnlab.tasks.base import EOS
from attnlab.tasks.scenes import COLOURS, SHAPES, Scene, caption, draw, word_things
from attnlab.vision import Captioner
from widgets.base.controls import button, choice, held, stepper
from widgets.base.words import key, percent, query, quote, say
from widgets.explorers.l13_seeing.scene_of import SceneExplorer
from widgets.explorers.l13_seeing.scene_words import (
    END,
    NARROW,
    WIDE,
    allowed_in,
    image_of,
    in_code,
    inside,
    mask_in_code,
    meant,
    words_of,
    written,
)
from widgets.instruments.chart.chart import Chart, bars, figure
from widgets.instruments.picture.picture import Picture

SOFT, HARD, FIXED = "soft", "hard", "fixed vector"
DRAG, HIDE = "drags weight", "hides a part"


class Written(NamedTuple):
    """steps: what was written. own: what the model writes with nothing changed by hand. words: those of `steps`."""

    steps: CaptionSteps
    own: CaptionSteps
    words: list[str]
    given: dict[int, Tensor]


class CaptionExplorer(SceneExplorer):
    """Held-out pictures and their captions, with a map of weights over the picture for each word.

    models: {"soft": ..., "hard": ..., "fixed vector": ...}, `Captioner`s; the hard one draws one place for each word
    from its weights. task: `Scenes`. scenes: what can be chosen. A word's weights can be dragged to another place and a
    part of the picture can be hidden; what is written next follows from it.
    """

    word = stepper(0, 0, None, help="the word whose map is seen", follows=("picture", "frame"), beat=900)
    look = choice([SOFT, HARD, FIXED], help="at all places by weight, at one drawn place, or at their mean alone")
    hand = choice([DRAG, HIDE], label="the hand", help="what dragging over the picture does")
    again = button(label="draw again", help="hard: other places are drawn from the same weights")
    edits = held({}, help="{word: [weights]} by hand", follows=("picture", "edits"))
    mask = held(None, help="nonzero where may be looked", follows=("picture", "mask"))

    shows = {
        "weights": lambda parts: parts["picture"].shown[0],
        "probabilities": lambda parts: parts["chart"].trace(0)["y"],
    }
    row = ("picture", "chart")

    def __init__(self, models: Mapping[str, Captioner], task, scenes: Sequence[Scene], lock=None, **state) -> None:
        if missing := [name for name in (SOFT, HARD, FIXED) if name not in models]:
            raise ValueError(f"expected models for {[SOFT, HARD, FIXED]}, got none for {missing}")
        self.models = models
        super().__init__(task, scenes, lock=lock, **state)

    @property
    def weights(self) -> Tensor | None:
        """[rows, columns]: what was attended to for the word that is seen; None for the fixed vector."""
        weights = self.result.steps.weights
        return None if weights is None else weights[self.word]

    @property
    def caption(self) -> str:
        """What is written."""
        return " ".join(word for word in self.result.words if word != END)

    def views(self) -> dict:
        names = self._names()
        chart = figure(
            bars(torch.zeros(len(names)), names, role="query"),
            y="probability of the next word",
            y_range=[0, 1],
            height=350,
            width=470,
            showlegend=False,
        )
        picture = Picture(
            image_of(self.scenes[0]), torch.full((8, 8), 1 / 64), editing="weights", reach=1, layout=NARROW
        )
        return {"picture": picture, "chart": Chart(chart, layout=WIDE)}

    def _names(self) -> list[str]:
        """The words that have a bar: all that a caption may have, and its end."""
        return [*words_of(self.task.vocabulary, range(3, len(self.task.vocabulary) - 1), EOS), END]

    @observe("scene")
    def _forget_hand(self, change) -> None:
        self.set_state({"edits": {}, "mask": None})

    @observe("look", "mask")
    def _forget_edits(self, change) -> None:
        self.set_state({"edits": {}})

    def compute(self, state) -> Written:
        model, picture = self.models[state.look], draw(self.chosen(state))
        given = self._weights_by_hand(state)

        def steps(allowed: Tensor | None, given: dict[int, Tensor]) -> CaptionSteps:
            weigh = sampled(torch.Generator().manual_seed(state.again)) if state.look == HARD else None
            return caption_steps(model, picture, allowed, given, weigh)

        own, allowed = steps(None, {}), allowed_in(state.mask)
        now = steps(allowed, given) if given or allowed is not None else own
        return Written(now, own, words_of(self.task.vocabulary, now.tokens, EOS), given)

    def _weights_by_hand(self, state) -> dict[int, Tensor]:
        """{word: [rows, columns]}: the weights that a hand has set; none for a model that cannot look."""
        if state.look == FIXED:
            return {}
        return {int(word): torch.tensor(row).view(8, 8) for word, row in state.edits.items()}

    def picture(self, state, result) -> dict:
        steps, words = result.steps, result.words
        word = min(state.word, len(words) - 1)
        names = [f"{name}, weights by hand" if at in result.given else name for at, name in enumerate(words)]
        edits = {name: row for name, row in state.edits.items() if int(name) in result.given and int(name) < len(words)}
        maps = self._maps(state, steps) if steps.weights is None else self._before_hand(steps, result.given)
        return {
            "controls": {
                **self.most,
                "word": {"max": len(words) - 1, "names": words},
            },
            "picture": {
                "image": image_of(self.chosen(state)),
                "weights": maps,
                "mask": state.mask,
                "frame_names": names,
                "frame": word,
                "edits": edits,
                "editing": "mask" if state.hand == HIDE else "" if state.look == FIXED else "weights",
            },
            "chart": {"traces": {"0": {"y": self._heights(steps.probabilities[word])}}},
        }

    def _maps(self, state, steps) -> Tensor:
        """The mean of the grid gives every place that may be looked at the same weight."""
        allowed = allowed_in(state.mask)
        even = torch.ones(8, 8) if allowed is None else allowed.float()
        return (even / even.sum().clamp(min=1)).expand(len(steps.tokens), 8, 8)

    def _before_hand(self, steps, given) -> Tensor:
        """The maps, where a hand has set one the model's own: the view lays what the hand did over it."""
        shown = steps.weights.clone()
        for word in given:
            if word < len(shown):
                shown[word] = steps.own[word]
        return shown

    def _heights(self, probabilities) -> Tensor:
        return probabilities[[*range(3, len(self.task.vocabulary) - 1), EOS]]

    def sentence(self, state, result) -> list:
        scene, words = self.chosen(state), result.words
        at = min(state.word, len(words) - 1)
        said = [*written(words, at, list(result.given)), ". "]
        sure = percent(float(result.steps.probabilities[at].max()))
        said += [query(quote(words[at])), f", {sure} sure. "]
        return say(*said, *self._looked(state, result, at), *self._compared(scene, result, words))

    def _looked(self, state, result, at) -> list:
        """Where the model looked for a word."""
        scene, words, steps = self.chosen(state), result.words, result.steps
        if steps.weights is None:
            places = "all places" if allowed_in(state.mask) is None else "the places in sight"
            return [f"It cannot look: the mean of {places} stands for the picture, the same for every word. "]
        if not steps.weights[at].any():
            return ["All is hidden, so it looks nowhere. "]
        thing = meant(scene, words, at, word_things(scene))
        if at in result.given:
            return ["Its weights are yours. "]
        if thing is None and words[at] in {*COLOURS, *SHAPES}:
            return ["Nothing in the picture is ", query(words[at]), ". "]
        if thing is None or len(scene) <= thing:
            most = float(steps.weights[at].max())
            return [f"The word is about no single thing; its fullest place has {percent(most)} of the weight. "]
        return [*inside(steps.weights[at], scene, thing), ". "]

    def _compared(self, scene, result, words) -> list:
        """What the caption was before the hand, or whether it is right."""
        own = words_of(self.task.vocabulary, result.own.tokens, EOS)
        if own != words:
            return ["Untouched, it wrote ", key(quote(" ".join(own[:-1] if own[-1] == END else own))), "."]
        right = " ".join(word for word in words if word != END) == caption(scene)
        return ["The caption is right."] if right else ["The right caption is ", key(quote(caption(scene))), "."]

    def code(self, state) -> str:
        word = min(state.word, len(self.compute(state).words) - 1)
        given, hidden = self._weights_by_hand(state), allowed_in(state.mask) is not None
        scene, model = self.place(state), f"models[{state.look!r}]"
        hand = ", allowed" * hidden + ", given=given" * bool(given)
        draws = f", weigh=sampled(torch.Generator().manual_seed({state.again}))" if state.look == HARD else ""
        even = "allowed / allowed.sum()" if hidden else "torch.full((8, 8), 1 / 64)"
        return "\n".join([
            "import torch",
            "from attnlab.analysis import caption_steps",
            *["from attnlab.hard_attention import sampled"] * bool(draws),
            "from attnlab.tasks.scenes import draw",
            "",
            *mask_in_code(state.mask),
            *(in_code(given) if given else []),
            f"steps = caption_steps({model}, draw(scenes[{scene}]){hand}{draws})",
            f"weights = {even if state.look == FIXED else f'steps.weights[{word}]'}",
            f"probabilities = steps.probabilities[{word}, [*range(3, len(task.vocabulary) - 1), 2]]",
        ])
