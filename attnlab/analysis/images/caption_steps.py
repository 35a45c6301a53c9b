"""A caption with the map of each word, written on after a hand has moved weights; and an answer with its map."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor, nn

from attnlab.alignment import Score
from attnlab.analysis.images.captions import share_inside
from attnlab.attention import Weigh
from attnlab.checks import Size, checked
from attnlab.decoding import exact, most_probable
from attnlab.hard_attention import sampled
from attnlab.seq2seq import AttentionDecoder, LookBack, Memory
from attnlab.tasks.base import BOS, EOS
from attnlab.tasks.scenes import Captioned, Scene, Scenes, cells, in_order, word_things
from attnlab.training import to_device, weights_of
from attnlab.vision.captioner import Answerer, Captioner


class CaptionSteps(NamedTuple):
    """A caption and what led to it. Row t belongs to the t-th word.

    tokens: what was written, up to and including the end. probabilities: of the next word.
    weights: what was attended to for each word; own: what the model would have attended to there by itself. Both are
    None for a model that cannot look.
    """

    tokens: list[int]
    probabilities: Float[Tensor, "words vocabulary"]
    weights: Float[Tensor, "words rows columns"] | None
    own: Float[Tensor, "words rows columns"] | None


@checked
@torch.no_grad()
def caption_steps(
    model: Captioner,
    picture: Float[Tensor, "3 height width"],
    allowed: Bool[Tensor, "rows columns"] | None = None,
    given: Mapping[int, Float[Tensor, "rows columns"]] | None = None,
    weigh: Weigh | None = None,
    most: Size = 10,
) -> CaptionSteps:
    """The most probable word at every step, at most `most` of them, as `attnlab.decoding.greedy` finds it.

    allowed: True where may be looked; None for everywhere. given: the number of a word, from 0 -> its weights, which
    replace the model's; what follows comes from them. weigh: what turns the scores of all other words into weights,
    such as `hard_attention.sampled()`; None for the model's own way. What is found lies on the CPU, wherever the model
    is.
    Raises ValueError for pictures and masks of another size, and for weights that do not fit the grid.

    **Source:** Xu et al. 2015, "Show, Attend and Tell", equations 4 to 6. **Names:** alpha_t -> weights.
    """
    memory = model.encode(*_seen_by(model, picture, allowed))
    state, given = model.start(memory), given or {}
    tokens, logits, own, used = [BOS], [], [], []
    while len(tokens) <= most and tokens[-1] != EOS:
        previous, at = torch.tensor(tokens[-1:], device=memory.keys.device), len(tokens) - 1
        found, after, attention = model.step(previous, state, memory)
        if attention is not None:
            row = _row(attention.scores, memory.mask, given.get(at), weigh)
            if row is not None:
                found, after, _ = model.step(previous, state, memory, row)
            own.append(attention.weights[0, 0])
            used.append(own[-1] if row is None else row[0, 0])
        elif given:
            raise ValueError("expected no weights: this captioner cannot look")
        state = after
        tokens.append(most_probable(found[0]))
        logits.append(found)
    grid = (model.encoder.cells, model.encoder.cells)
    maps = [torch.stack(rows).unflatten(1, grid).cpu() if rows else None for rows in (used, own)]
    return CaptionSteps(tokens[1:], torch.cat(logits).softmax(-1).cpu(), *maps)


def _seen_by(model: nn.Module, picture: Tensor, allowed: Tensor | None) -> tuple[Tensor, Tensor | None]:
    """One picture as a batch on the model's device, and where in it may be looked."""
    device = next(model.parameters()).device
    return picture.unsqueeze(0).to(device), None if allowed is None else allowed.unsqueeze(0).to(device)


def _row(scores: Tensor, mask: Tensor, given: Tensor | None, weigh: Weigh | None) -> Tensor | None:
    """Weights [1, 1, places] to use instead of the model's own; None for those.

    For a word whose weights are given some are drawn all the same, so that the draws of the next words stay.
    """
    drawn = None if weigh is None else weigh(scores, mask.unsqueeze(1))
    return drawn if given is None else given.to(scores).reshape(1, 1, -1)


class AnswerMap(NamedTuple):
    """The probability of each answer, and what the question attended to."""

    probabilities: Float[Tensor, " answers"]
    weights: Float[Tensor, "rows columns"]


@checked
@torch.no_grad()
def answer_map(
    model: Answerer,
    picture: Float[Tensor, "3 height width"],
    question: Int[Tensor, " words"],
    allowed: Bool[Tensor, "rows columns"] | None = None,
) -> AnswerMap:
    """What an `Answerer` says to one question about one picture, and where it looked for it.

    allowed: True where may be looked; None for everywhere. What is found lies on the CPU, wherever the model is.
    Raises ValueError as the model does.
    """
    seen = _seen_by(model, picture, allowed)
    batch = *seen, question.unsqueeze(0).to(seen[0].device), torch.tensor([len(question)])
    weights = weights_of(model, "attention", *batch).reshape(model.encoder.cells, model.encoder.cells)
    return AnswerMap(model(*batch)[0].softmax(-1).cpu(), weights.cpu())


@checked
def word_shares(model: Captioner, task: Scenes, scenes: Sequence[Scene]) -> Float[Tensor, " words"]:
    """How much of its weight each colour word and each shape word of the right captions has on its thing, from 0 to 1.

    Raises ValueError for a model that cannot look, for no scenes, and for scenes of which nothing can be said.
    """
    batch = to_device(task.collate(scenes), next(model.parameters()).device)
    weights = weights_of(model, "decoder.attention", batch.pictures, batch.allowed, batch.captions[:, :-1]).cpu()
    shares = [
        share_inside(own[word], cells(in_order(scene)[thing]))
        for own, scene in zip(weights, scenes, strict=True)
        for word, thing in enumerate(word_things(scene))
        if thing is not None
    ]
    if not shares:
        raise ValueError("expected scenes with a thing, got empty ones only")
    return torch.stack(shares)


class _Drawn(LookBack):
    """Looks at one place alone, drawn by a generator."""

    def __init__(self, score: Score, generator: Generator) -> None:
        super().__init__(score)
        self.generator = generator

    def weigh(self, query: Tensor, memory: Memory, start: int) -> Weigh:
        return sampled(self.generator)


@checked
@torch.no_grad()
def drawn_exact(model: Captioner, batch: Captioned, generator: Generator) -> float:
    """The share of captions that come out right when one place is drawn from the weights of each word.

    Raises ValueError for a model that cannot look, and as `exact` does.
    """
    model = deepcopy(model)
    decoder = model.decoder
    if not isinstance(decoder, AttentionDecoder):
        raise ValueError("expected a captioner that looks, got one with a fixed vector")
    decoder.attention = _Drawn(decoder.attention.score, generator)
    return float(exact(model, *batch).float().mean())
