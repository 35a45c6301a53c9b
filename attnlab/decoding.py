"""Writing a target token by token: greedy and beam search as generators of steps that one can watch and change."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attnlab.seq2seq import Memory, Seq2Seq


class Step(NamedTuple):
    """One written token.

    probabilities: [vocabulary], what the model expected here. weights, scores: [source], what it attended to; None
    for a model that does not attend. forced: the token came from the prefix. overridden: the weights were given.
    """

    token: int
    probabilities: Float[Tensor, " vocabulary"]
    weights: Float[Tensor, " source"] | None
    scores: Float[Tensor, " source"] | None
    forced: bool
    overridden: bool


def greedy(
    model: Seq2Seq,
    source: Int[Tensor, " source"],
    bos: int,
    eos: int,
    max_steps: int = 50,
    prefix: Sequence[int] = (),
    weights: Mapping[int, Float[Tensor, " source"]] | None = None,
) -> Iterator[Step]:
    """The most probable token at every step, up to and including `eos`, at most `max_steps` tokens.

    prefix: tokens that are written first, whatever the model would have said.
    weights: step index -> weights that replace the model's own at that step.
    Raises ValueError for an empty source, a prefix with unknown tokens, and weights that are not [source] finite
    numbers of 0 or more.
    """
    memory = _read(model, source)
    given = {index: _row(row, memory) for index, row in (weights or {}).items()}
    previous, state = source.new_tensor([bos]), model.start(memory)
    for index in range(max_steps):
        with torch.no_grad():
            logits, state, attention = model.step(previous, state, memory, given.get(index))
        forced = index < len(prefix)
        token = _known(prefix[index], logits) if forced else int(logits[0].argmax())
        seen, scores = (attention.weights[0, 0], attention.scores[0, 0]) if attention is not None else (None, None)
        yield Step(token, logits[0].softmax(dim=-1), seen, scores, forced, index in given)
        if token == eos:
            return
        previous = source.new_tensor([token])


class Hypothesis(NamedTuple):
    """One node of the tree that beam search grows.

    id: its number, from 1. parent: the node it continues; 0 is the start. token: what it adds.
    log_probability: of the whole target so far, in nats. score: log_probability / length ** length_penalty.
    status: "kept" (goes on), "dropped" (others were better) or "finished" (ended with EOS).
    """

    id: int
    parent: int
    token: int
    log_probability: float
    score: float
    status: str


class BeamStep(NamedTuple):
    """All hypotheses that were weighed at one step (counted from 0), the most probable first."""

    step: int
    hypotheses: list[Hypothesis]


def beam(
    model: Seq2Seq,
    source: Int[Tensor, " source"],
    bos: int,
    eos: int,
    width: int,
    max_steps: int = 50,
    length_penalty: int | float = 1.0,
) -> Iterator[BeamStep]:
    """Beam search: at every step the best `width` hypotheses are kept, the others dropped.

    Each kept hypothesis proposes its `width` most probable tokens, and the best of all proposals go on. One that ends
    with `eos` is set aside as finished and gives its place up; the search ends when no place is left, or after
    `max_steps` tokens. Width 1 is greedy search. `best` picks the result.

    length_penalty: 0 compares total log-probabilities, 1 their mean per token: longer targets are not punished.
    Raises ValueError for an empty source and for a width below 1.

    **Source:** Sutskever, Vinyals and Le 2014, "Sequence to Sequence Learning with Neural Networks", section 3.2.
    **Names:** B -> width.
    """
    if width < 1:
        raise ValueError(f"expected a beam width of at least 1, got {width}")
    memory = _read(model, source)
    state, kept, places, last_id = model.start(memory), [Hypothesis(0, 0, bos, 0.0, 0.0, "kept")], width, 0
    for step in range(max_steps):
        previous = source.new_tensor([hypothesis.token for hypothesis in kept])
        with torch.no_grad():
            logits, state, _ = model.step(previous, state, _repeat(memory, len(kept)))
        proposals = _propose(kept, logits.log_softmax(dim=-1), width)
        weighed = []
        for place, (row, token, log_probability) in enumerate(proposals):
            status = "dropped" if place >= places else "finished" if token == eos else "kept"
            score = log_probability / (step + 1) ** length_penalty
            weighed.append(Hypothesis(last_id + place + 1, kept[row].id, token, log_probability, score, status))
        yield BeamStep(step, weighed)

        last_id += len(weighed)
        places -= sum(hypothesis.status == "finished" for hypothesis in weighed)
        rows = [row for (row, _, _), hypothesis in zip(proposals, weighed, strict=True) if hypothesis.status == "kept"]
        kept = [hypothesis for hypothesis in weighed if hypothesis.status == "kept"]
        if not kept:
            return
        state = state[rows]


def best(steps: Sequence[BeamStep]) -> Hypothesis:
    """The finished hypothesis with the highest score; if none is finished, the best of those still kept.

    Raises ValueError when there are no steps.
    """
    if not steps:
        raise ValueError("expected at least one step of beam search, got none")
    finished = [node for step in steps for node in step.hypotheses if node.status == "finished"]
    kept = [node for node in steps[-1].hypotheses if node.status == "kept"]
    return max(finished or kept, key=lambda node: node.score)


def tokens(steps: Sequence[BeamStep], hypothesis: Hypothesis) -> list[int]:
    """The whole target of a hypothesis, from its first token to its last."""
    nodes = {node.id: node for step in steps for node in step.hypotheses}
    path = [hypothesis]
    while path[-1].parent:
        path.append(nodes[path[-1].parent])
    return [node.token for node in reversed(path)]


@torch.no_grad()
def translate(
    model: Seq2Seq,
    source: Int[Tensor, "batch source"],
    lengths: Int[Tensor, " batch"],
    bos: int,
    eos: int,
    max_steps: int = 50,
) -> Int[Tensor, "batch steps"]:
    """Greedy search for a whole batch at once; each row ends with `eos`, repeated to the width of the longest."""
    memory = model.encode(source, lengths)
    state, previous = model.start(memory), torch.full_like(lengths, bos)
    done, written = torch.zeros_like(lengths, dtype=torch.bool), []
    while len(written) < max_steps and not bool(done.all()):
        logits, state, _ = model.step(previous, state, memory)
        previous = logits.argmax(dim=-1).masked_fill(done, eos)
        done = done | (previous == eos)
        written.append(previous)
    return torch.stack(written, dim=1)


@torch.no_grad()
def exact(
    model: Seq2Seq,
    source: Int[Tensor, "batch source"],
    lengths: Int[Tensor, " batch"],
    target: Int[Tensor, "batch target"],
    pad: int = 0,
) -> Bool[Tensor, " batch"]:
    """Whether greedy search would write exactly `target` (BOS ... EOS, then `pad`), for every row, in one pass.

    As long as every token is right, the model's own tokens are the right ones: so greedy search succeeds exactly where
    each step is right under teacher forcing.
    """
    guess = model(source, lengths, target[:, :-1]).argmax(dim=-1)
    return ((guess == target[:, 1:]) | (target[:, 1:] == pad)).all(dim=1)


@torch.no_grad()
def _read(model: Seq2Seq, source: Tensor) -> Memory:
    if source.ndim != 1 or not len(source):
        raise ValueError(f"expected one source [source] with at least one token, got shape {list(source.shape)}")
    return model.encode(source.unsqueeze(0), source.new_tensor([len(source)]))


def _row(weights: Tensor, memory: Memory) -> Tensor:
    expected = memory.keys.shape[1]
    if list(weights.shape) != [expected]:
        raise ValueError(f"expected weights [{expected}], one for each source token, got {list(weights.shape)}")
    if not bool(((weights >= 0) & (weights < torch.inf)).all()):
        raise ValueError(f"expected weights that are finite and 0 or more, got {weights.tolist()}")
    return weights.to(memory.keys).reshape(1, 1, expected)


def _known(token: int, logits: Tensor) -> int:
    if not 0 <= token < logits.shape[-1]:
        raise ValueError(f"expected a prefix of tokens from 0 to {logits.shape[-1] - 1}, got {token}")
    return int(token)


def _repeat(memory: Memory, times: int) -> Memory:
    return Memory(*(None if part is None else part.expand(times, *part.shape[1:]) for part in memory))


def _propose(kept: list[Hypothesis], log_probabilities: Tensor, width: int) -> list[tuple[int, int, float]]:
    """(row of the parent, token, total log-probability) of each parent's `width` best tokens, the best first."""
    values, ids = log_probabilities.sort(dim=-1, descending=True, stable=True)
    proposals = [
        (row, token, kept[row].log_probability + value)
        for row in range(len(kept))
        for token, value in zip(ids[row, :width].tolist(), values[row, :width].tolist(), strict=True)
    ]
    return sorted(proposals, key=lambda proposal: -proposal[2])
