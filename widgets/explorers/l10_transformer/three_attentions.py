"""Who asks whom in an encoder-decoder: all three attentions in one picture, word by word."""

from typing import NamedTuple

import torch

from attnlab.analysis import ThreeAttentions, attention_square, three_attentions
from attnlab.decoding import greedy
from attnlab.tasks import BOS, EOS
from widgets.base.controls import selected_cell, slider, stepper, text
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, percent, query, quote, say
from widgets.instruments.matrix.matrix import Matrix

LONGEST = 20  # tokens; an untrained model may never write EOS
MOST = 16  # layers or heads that the sliders can be asked for


class Translation(NamedTuple):
    """source: its tokens. read: the target tokens that the decoder is fed with, from BOS. written: those it writes.

    probabilities: [written, vocabulary]. weights: of all layers and heads.
    """

    source: list[str]
    read: list[str]
    written: list[str]
    probabilities: torch.Tensor
    weights: ThreeAttentions


class Shown(NamedTuple):
    """What is shown of a translation: the weights of one layer and head. square: all three, put together."""

    translation: Translation
    encoder: torch.Tensor
    decoder: torch.Tensor
    cross: torch.Tensor
    square: torch.Tensor


class ThreeAttentionsExplorer(Explorer):
    """Type a sentence and step through its translation: queries are rows, keys are columns, source before target.

    Top left the encoder's self-attention, below it the cross-attention, beside that the decoder's self-attention. The
    fourth quarter stays empty: the source never asks the target.

    model: a trained `Transformer`. task: the task it was trained on. `square` is what the picture shows.
    """

    text = text("", label="translate", width=30, help="what the model reads")
    step = stepper(1, 1, None, label="word", help="the word that is being written")
    layer = slider(MOST, 1, MOST, help="the layer whose attentions are shown")
    head = slider(0, 0, MOST, label="head (0: mean)", help="one head of that layer; 0 is the mean of them all")
    cell = selected_cell([])

    shows = {"square": ("matrix", "values")}
    unstable = True

    def __init__(self, model, task, text, lock=None, **state) -> None:
        self.model, self.task = model, task
        super().__init__(lock=lock, text=text, **state)

    @property
    def square(self) -> torch.Tensor:
        """The weights of the picture, [source and target, source and target]."""
        return self.result.square

    def views(self) -> dict:
        return {"matrix": Matrix(query_title="asks", key_title="answers")}

    def _translation(self, text: str) -> Translation:
        """The whole translation of a text; step, layer and head only choose what is seen of it."""
        if text not in self._known:
            self._known = {text: self._translate(text)}
        return self._known[text]

    def _translate(self, text: str) -> Translation:
        source = self.task.read(text)
        written = [step.token for step in greedy(self.model, source, BOS, EOS, LONGEST)]
        read = [BOS, *written[:-1]]
        weights, logits = three_attentions(self.model, source, torch.tensor(read))
        vocabulary = self.task.target_vocabulary
        return Translation(
            self.task.tokens(text),
            [vocabulary[i] for i in read],
            [vocabulary[i] for i in written],
            logits.softmax(dim=-1),
            weights,
        )

    def compute(self, state) -> Shown:
        whole = self._translation(state.text)
        layer, head = layer_and_head(state, whole.weights)
        encoder, decoder, cross = (part[layer].mean(dim=0) if head < 0 else part[layer, head] for part in whole.weights)
        return Shown(whole, encoder, decoder, cross, attention_square(encoder, decoder, cross))

    def picture(self, state, result) -> dict:
        whole, (layers, heads) = result.translation, result.translation.weights.encoder.shape[:2]
        source, target = len(whole.source), len(whole.written)
        row = row_of(state, whole)
        ids = [self.task.target_vocabulary.index(word) for word in dict.fromkeys(whole.written)][:12]
        mask = torch.ones(source + target, source + target).tril()
        mask[:source, :source] = 1
        labels = [self.task.target_vocabulary[i] for i in ids]
        return {
            "controls": {"step": {"max": target}, "layer": {"max": layers}, "head": {"max": heads}},
            "matrix": {
                "values": result.square,
                "mask": mask,
                "query_labels": [*whole.source, *whole.read],
                "key_labels": [*whole.source, *whole.read],
                "query_groups": [[0, source, "encoder"], [source, source + target, "decoder"]],
                "key_groups": [[0, source, "source"], [source, source + target, "target so far"]],
                "current": source + row,
                "produced": source + row,
                "distribution_title": say("after ", query(whole.read[row])),
                "distribution_labels": labels,
                "distribution": whole.probabilities[row, ids][None],
                "distribution_chosen": labels.index(whole.written[row]) if whole.written[row] in labels else -1,
            },
        }

    def sentence(self, state, result) -> list:
        whole = result.translation
        row = row_of(state, whole)
        return say(
            "To write ",
            context(quote(whole.written[row])),
            ", ",
            query(quote(whole.read[row])),
            " asks twice: decoder self-attention finds most in ",
            *key_and_share(whole.read, result.decoder[row]),
            " among the words so far, cross-attention in ",
            *key_and_share(whole.source, result.cross[row]),
            " in the source.",
        )

    def code(self, state) -> str:
        layer, head = layer_and_head(state, self._translation(state.text).weights)
        chosen = f"part[{layer}].mean(dim=0)" if head < 0 else f"part[{layer}, {head}]"
        return "\n".join([
            "import torch",
            "from attnlab import greedy",
            "from attnlab.analysis import attention_square, three_attentions",
            "from attnlab.tasks import BOS, EOS",
            "",
            f"source = task.read({state.text!r})",
            f"written = [step.token for step in greedy(model, source, BOS, EOS, {LONGEST})]",
            "weights, logits = three_attentions(model, source, torch.tensor([BOS, *written[:-1]]))",
            f"# layer {layer + 1}, {'the mean of its heads' if head < 0 else f'head {head + 1}'}; source before target",
            f"square = attention_square(*[{chosen} for part in weights])",
        ])


def layer_and_head(state, weights: ThreeAttentions) -> tuple[int, int]:
    """The chosen layer and head, from 0, as far as the model has them; head -1 for the mean of all."""
    layers, heads = weights.encoder.shape[:2]
    return min(state.layer, layers) - 1, min(state.head, heads) - 1


def row_of(state, translation: Translation) -> int:
    """The row of the word that is being written, from 0."""
    return min(state.step, len(translation.written)) - 1


def key_and_share(labels: list[str], weights: torch.Tensor) -> tuple:
    """The key that is read most, and its share."""
    best = int(weights.argmax())
    return key(quote(labels[best])), f" with {percent(float(weights[best]))}"
