"""ThreeAttentionsExplorer: who asks whom in an encoder-decoder, all three attentions in one picture, word by word."""

from typing import NamedTuple

import torch

from attnlab.decoding import greedy
from attnlab.tasks import BOS, EOS
from attnlab.trace import record

from .controls import held, slider, stepper, text
from .explorer import Explorer
from .matrix import Matrix
from .words import context, key, percent, query, quote, say

LONGEST = 20  # tokens; an untrained model may never write EOS
MOST = 16  # layers or heads that the sliders can be asked for


class Translation(NamedTuple):
    """source: its tokens. read: the target tokens that the decoder is fed with, from BOS. written: those it writes.

    probabilities: [written, vocabulary]. encoder, decoder, cross: weights [layers, heads, queries, keys].
    """

    source: list[str]
    read: list[str]
    written: list[str]
    probabilities: torch.Tensor
    encoder: torch.Tensor
    decoder: torch.Tensor
    cross: torch.Tensor


class Seen(NamedTuple):
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
    cell = held([], help="panel, query and key that are selected")

    shows = {"square": ("matrix", "values")}
    follows = {"cell": ("matrix", "selected")}

    def __init__(self, model, task, text, lock=None, **state):
        self.model, self.task, self._known = model, task, {}
        super().__init__(lock=lock, text=text, **state)

    @property
    def square(self) -> torch.Tensor:
        """The weights of the picture, [source and target, source and target]."""
        return self.result.square

    def __repr__(self):
        # Without the shares: they differ from one machine's training to the next.
        if not hasattr(self, "parts"):
            return super().__repr__()
        seen = self._error or f"the model writes {quote(self._said(self.result.translation))}"
        return f"{type(self).__name__}({quote(self.text)}): {seen}"

    def _said(self, translation) -> str:
        return self.task.joint.join(word for word in translation.written if word != self.task.target_vocabulary[EOS])

    def views(self):
        return {"matrix": Matrix(query_title="asks", key_title="answers")}

    def refresh(self):
        self._known = {}
        super().refresh()

    def _translate(self, text) -> Translation:
        """The whole translation of a text; step, layer and head only choose what is seen of it."""
        if text not in self._known:
            self._known = {text: self._compute(text)}
        return self._known[text]

    @torch.no_grad()
    def _compute(self, text) -> Translation:
        source = self.task.read(text)
        written = [step.token for step in greedy(self.model, source, BOS, EOS, LONGEST)]
        fed = torch.tensor([[BOS, *written[:-1]]])
        with record(self.model) as trace:
            logits = self.model(source.unsqueeze(0), torch.tensor([len(source)]), fed)[0]
        vocabulary = self.task.target_vocabulary
        return Translation(
            self.task.tokens(text), [vocabulary[i] for i in fed[0]], [vocabulary[i] for i in written],
            logits.softmax(dim=-1),
            *(torch.cat([trace[f"{half}.blocks.{i}.{name}"][0].weights for i in range(len(stack.blocks))])
              for half, name, stack in [("encoder", "attention", self.model.encoder),
                                        ("decoder", "attention", self.model.decoder),
                                        ("decoder", "cross_attention", self.model.decoder)]),
        )

    def compute(self, state) -> Seen:
        whole = self._translate(state.text)
        layers, heads = whole.encoder.shape[:2]
        layer, head = min(state.layer, layers) - 1, min(state.head, heads) - 1
        parts = [weights[layer].mean(dim=0) if head < 0 else weights[layer, head]
                 for weights in (whole.encoder, whole.decoder, whole.cross)]
        source, target = len(whole.source), len(whole.written)
        square = torch.zeros(source + target, source + target)
        square[:source, :source], square[source:, source:], square[source:, :source] = parts
        return Seen(whole, *parts, square)

    def picture(self, state, result):
        whole, (layers, heads) = result.translation, result.translation.encoder.shape[:2]
        source, target = len(whole.source), len(whole.written)
        row = self._row(state, whole)
        ids = [self.task.target_vocabulary.index(word) for word in dict.fromkeys(whole.written)][:12]
        mask = torch.ones(source + target, source + target).tril()
        mask[:source, :source] = 1
        labels = [self.task.target_vocabulary[i] for i in ids]
        return {
            "controls": {"step": {"max": target}, "layer": {"max": layers}, "head": {"max": heads}},
            "matrix": {
                "values": result.square, "mask": mask,
                "query_labels": [*whole.source, *whole.read], "key_labels": [*whole.source, *whole.read],
                "query_groups": [[0, source, "encoder"], [source, source + target, "decoder"]],
                "key_groups": [[0, source, "source"], [source, source + target, "target so far"]],
                "current": source + row, "produced": source + row,
                "distribution_title": say("after ", query(whole.read[row])),
                "distribution_labels": labels, "distribution": whole.probabilities[row, ids][None],
                "distribution_chosen": labels.index(whole.written[row]) if whole.written[row] in labels else -1,
            },
        }

    def _row(self, state, whole) -> int:
        return min(state.step, len(whole.written)) - 1

    def sentence(self, state, result):
        whole = result.translation
        row = self._row(state, whole)
        return say("To write ", context(quote(whole.written[row])), ", ", query(quote(whole.read[row])),
                   " asks twice: decoder self-attention reads mostly ",
                   *most(whole.read, result.decoder[row]), " among the words written, cross-attention ",
                   *most(whole.source, result.cross[row]), " in the source.")

    def code(self, state):
        result = self._translate(state.text)
        layers, heads = result.encoder.shape[:2]
        layer, head = min(state.layer, layers) - 1, min(state.head, heads) - 1
        chosen = ".mean(dim=0)" if head < 0 else f"[{head}]"
        return "\n".join([
            "import torch",
            "from attnlab import greedy, record",
            "from attnlab.tasks import BOS, EOS",
            "",
            f"source = task.read({state.text!r})",
            f"written = [step.token for step in greedy(model, source, BOS, EOS, {LONGEST})]",
            "fed = torch.tensor([[BOS, *written[:-1]]])",
            "with torch.no_grad(), record(model) as trace:",
            "    model(source[None], torch.tensor([len(source)]), fed)",
            "",
            f"def seen(name):  # layer {layer + 1}, {'the mean of its heads' if head < 0 else f'head {head + 1}'}",
            f"    return trace[name][0].weights[0]{chosen}",
            "",
            "n = len(source)",
            "square = torch.zeros(n + len(written), n + len(written))",
            f'square[:n, :n] = seen("encoder.blocks.{layer}.attention")        # source asks source',
            f'square[n:, n:] = seen("decoder.blocks.{layer}.attention")        # target asks target',
            f'square[n:, :n] = seen("decoder.blocks.{layer}.cross_attention")  # target asks source',
        ])


def most(labels, weights):
    """The key that is read most, and its share."""
    best = int(weights.argmax())
    return key(quote(labels[best])), f" with {percent(float(weights[best]))}"
