"""Writing token by token: greedy search, sampling and beam search, as generators of steps to watch and to change.

`greedy`, `sample`, `beam` and `translate` write the target of a source, with every model that offers `encode`, `start`
and `step`; `Guided` lays a hand on it. `write` continues a text with a GPT. Filters (`temperature`, `top_k`, `top_p`)
go from logits to logits, a choice (`most_probable`, `draw`) from logits to a token, and so they compose:

    choose = lambda logits: draw(top_p(temperature(logits, 0.8), 0.9), generator)

All of them raise ValueError for logits that leave no token, or are NaN or +inf.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attnlab.checks import PAD, Count, Range, Size, check_targets, checked

Temperature = Annotated[int | float, Range("as a temperature above 0", lambda t: 0 < t < torch.inf)]
Probability = Annotated[int | float, Range("above 0 and at most 1", lambda p: 0 < p <= 1)]

Source = Int[Tensor, " source"] | Float[Tensor, "channels height width"]
"""One source: the ids of a text, or a picture for a `Captioner`."""

Choose = Callable[[Tensor], int | Tensor]
"""Logits [vocabulary] -> the token that is written."""


@runtime_checkable
class Writer(Protocol):
    """What a model must offer to write the target of a source: see `Seq2Seq`, where each is explained.

    memory and state are its own affair, as long as `select` knows their parts.
    """

    def encode(self, source: Tensor, lengths: Tensor) -> Any: ...

    def start(self, memory: Any) -> Any: ...

    def step(self, previous: Tensor, state: Any, memory: Any, weights: Tensor | None = None) -> tuple: ...


class Step(NamedTuple):
    """One written token.

    probabilities: [vocabulary], what the model expected here, before any filter. weights, scores: [source], what it
    attended to; None for a model that does not say. forced: the token came from the prefix. overridden: the weights
    were given.
    """

    token: int
    probabilities: Float[Tensor, " vocabulary"]
    weights: Float[Tensor, " source"] | None
    scores: Float[Tensor, " source"] | None
    forced: bool
    overridden: bool


# From logits to logits: what may be drawn, and how boldly.


@checked
def temperature(logits: Float[Tensor, "*batch vocabulary"], t: Temperature) -> Float[Tensor, "*batch vocabulary"]:
    """Logits whose softmax is sharper for t below 1, flatter above. Towards 0 only the most probable token is left.

    The highest logit comes out as 0: what is added to all of them changes no probability, and nothing overflows.
    **Source:** Ackley, Hinton and Sejnowski 1985, "A Learning Algorithm for Boltzmann Machines". **Names:** T -> t.
    """
    _check_logits(logits)
    below = (logits - logits.amax(dim=-1, keepdim=True)).double()  # t may be a number that float32 has not
    return (below / t).to(logits.dtype)


@checked
def top_k(logits: Float[Tensor, "*batch vocabulary"], k: Size) -> Float[Tensor, "*batch vocabulary"]:
    """The k highest logits; the others become -inf. Of equal logits those with the lower ids stay, so exactly k do.

    A k above the size of the vocabulary keeps all.

    **Source:** Fan, Lewis and Dauphin 2018, "Hierarchical Neural Story Generation".
    """
    _check_logits(logits)
    ids = logits.argsort(dim=-1, descending=True, stable=True)
    return logits.scatter(-1, ids[..., k:], -torch.inf)


@checked
def top_p(logits: Float[Tensor, "*batch vocabulary"], p: Probability) -> Float[Tensor, "*batch vocabulary"]:
    """The smallest set of tokens whose probability reaches p, the most probable first; the others become -inf.

    At least one stays. Of equal logits those with the lower ids come first.

    **Source:** Holtzman et al. 2020, "The Curious Case of Neural Text Degeneration", section 3.1, equation 2.
    **Names:** V^(p) -> the tokens that stay.
    """
    _check_logits(logits)
    ordered, ids = logits.sort(dim=-1, descending=True, stable=True)
    shares = ordered.softmax(dim=-1)
    # Those before a token do not reach p: then it and those after it have more than 1 - p. Added up from the smallest
    # on, where rounding does least harm.
    rest = shares.flip(-1).cumsum(dim=-1).flip(-1)
    dropped = rest <= 1 - p
    dropped[..., 0] = False
    return logits.masked_fill(torch.zeros_like(dropped).scatter(-1, ids, dropped), -torch.inf)


# From logits to a token.


@checked
def most_probable(logits: Float[Tensor, " vocabulary"]) -> int:
    """The token with the highest logit; of equal ones the first."""
    _check_logits(logits)
    return int(logits.argmax())


@checked
def draw(logits: Float[Tensor, " vocabulary"], generator: torch.Generator | None = None) -> int:
    """A token drawn with the probabilities softmax(logits).

    generator: one of the CPU, where the drawing is done: the same seed gives the same tokens on every device.
    """
    _check_logits(logits)
    return int(torch.multinomial(logits.cpu().double().softmax(dim=-1), 1, generator=generator))


# Writing the target of a source.


@checked
class Guided:
    """A model with a hand on it: tokens that come first, whatever it says, and weights that replace its own.

    prefix: the tokens. weights: step (from 0) -> [source] numbers. Searches take it in place of the model:
    `beam(Guided(model, prefix=[4, 5]), source, ...)`. They raise ValueError for a prefix with unknown tokens and for
    weights that are not [source] finite numbers of 0 or more.
    """

    def __init__(
        self, model: Writer, prefix: Sequence[int] = (), weights: Mapping[int, Float[Tensor, "..."]] | None = None
    ) -> None:
        self.model = model
        self.prefix = list(prefix)
        self.weights = dict(weights or {})

    @torch.no_grad()
    def start(self, source: Source) -> tuple[Any, Any, dict[int, Tensor]]:
        """(state, memory, checked weights) before the first step, on the model's device."""
        _check_reads(self.model)
        memory, keys = _encoded(self.model, source.to(_like(self.model).device))
        rows = {step: _row(row, keys).to(_like(self.model)) for step, row in self.weights.items()}
        return self.model.start(memory), memory, rows

    @torch.no_grad()
    def step(self, tokens: Sequence[int], state: Any, memory: Any, row: Tensor | None) -> tuple:
        """`step` of the model, after one token for each row of `state`; `row` replaces the weights of them all."""
        if row is not None and list(row.shape[:2]) != [1, 1]:
            raise ValueError(f"expected weights [1, 1, source], got {list(row.shape)}")
        previous = torch.tensor(list(tokens), dtype=torch.long, device=_like(self.model).device)
        weights = None if row is None else row.expand(len(tokens), 1, -1)
        return self.model.step(previous, state, memory, weights)

    def forced(self, step: Count, vocabulary: Size) -> int | None:
        """The token that must come at this step, if there is one."""
        return _known(self.prefix[step], vocabulary) if step < len(self.prefix) else None


@checked
def greedy(
    model: Writer,
    source: Source,
    bos: Count,
    eos: Count,
    max_steps: Size = 50,
    weights: Mapping[int, Float[Tensor, "..."]] | None = None,
) -> Iterator[Step]:
    """The most probable token at every step, up to and including `eos`, at most `max_steps` tokens.

    weights: step index -> weights [source] that replace the model's own at that step.
    Raises ValueError for an empty source, and for weights that are not [source] finite numbers of 0 or more.
    """
    return sample(Guided(model, weights=weights), source, bos, eos, most_probable, max_steps)


@checked
def sample(
    model: Writer | Guided,
    source: Source,
    bos: Count,
    eos: Count,
    choose: Choose = draw,
    max_steps: Size = 50,
) -> Iterator[Step]:
    """The token that `choose` picks at every step, up to and including `eos`, at most `max_steps` tokens.

    choose: logits [vocabulary] -> token. Raises ValueError as `greedy` does, and for a choice that is no token.
    """
    guided = model if isinstance(model, Guided) else Guided(model)
    state, memory, rows = guided.start(source)
    token = bos
    for index in range(max_steps):
        logits, state, attention = guided.step([token], state, memory, rows.get(index))
        forced = guided.forced(index, logits.shape[-1])
        token = _known(int(choose(logits[0])), logits.shape[-1]) if forced is None else forced
        weights, scores = (None, None) if attention is None else (attention.weights[0, 0], attention.scores[0, 0])
        yield Step(token, logits[0].softmax(dim=-1), weights, scores, forced is not None, index in rows)
        if token == eos:
            return


class Hypothesis(NamedTuple):
    """One node of the tree that beam search grows.

    id: its number, from 1. parent: the node it continues; 0 is the start. token: what it adds.
    log_probability: of the whole target so far, in nats. score: see `length_normalised`.
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


@checked
def length_normalised(log_probability: int | float, tokens: Size, length_penalty: int | float = 1.0) -> float:
    """The score by which `beam` compares targets: log_probability / tokens ** length_penalty."""
    return log_probability / tokens ** float(length_penalty)  # a whole number could take for ever


@checked
def beam(
    model: Writer | Guided,
    source: Source,
    bos: Count,
    eos: Count,
    width: Size,
    max_steps: Size = 50,
    length_penalty: int | float = 1.0,
) -> Iterator[BeamStep]:
    """Beam search: at every step the best `width` hypotheses are kept, the others dropped.

    Each kept hypothesis proposes its `width` most probable tokens, and the best of all proposals go on. One that ends
    with `eos` is set aside as finished and gives its place up; the search ends when no place is left, or after
    `max_steps` tokens. Width 1 is greedy search. `best` picks the result.

    length_penalty: 0 compares total log-probabilities, 1 their mean per token: longer targets are not punished.
    Raises ValueError for an empty source, a width below 1, and what a `Guided` model may raise. Its prefix is the only
    proposal while it lasts, with the probability that the model gives to it; its weights hold for every hypothesis.

    **Source:** Sutskever, Vinyals and Le 2014, "Sequence to Sequence Learning with Neural Networks", section 3.2;
    length penalty: Wu et al. 2016, "Google's Neural Machine Translation System", section 7, where |Y| ** alpha is what
    they tried before a form of their own. **Names:** B -> width, alpha -> length_penalty.
    """
    guided = model if isinstance(model, Guided) else Guided(model)
    state, memory, rows = guided.start(source)
    kept, places, last_id = [Hypothesis(0, 0, bos, 0.0, 0.0, "kept")], width, 0
    for step in range(max_steps):
        logits, state, _ = guided.step([hypothesis.token for hypothesis in kept], state, memory, rows.get(step))
        _check_logits(logits)
        log_probabilities = logits.double().log_softmax(dim=-1)  # in bfloat16 many would be equal
        proposals = _propose(kept, log_probabilities, width, guided.forced(step, logits.shape[-1]))
        weighed = []
        for place, (row, token, log_probability) in enumerate(proposals):
            status = "dropped" if place >= places else "finished" if token == eos else "kept"
            score = length_normalised(log_probability, step + 1, length_penalty)
            weighed.append(Hypothesis(last_id + place + 1, kept[row].id, token, log_probability, score, status))
        yield BeamStep(step, weighed)

        last_id += len(weighed)
        places -= sum(hypothesis.status == "finished" for hypothesis in weighed)
        parents = [row for (row, _, _), node in zip(proposals, weighed, strict=True) if node.status == "kept"]
        kept = [hypothesis for hypothesis in weighed if hypothesis.status == "kept"]
        if not kept:
            return
        state, memory = select((state, memory), torch.tensor(parents, device=logits.device))


@checked
def best(steps: Sequence[BeamStep]) -> Hypothesis:
    """The finished hypothesis with the highest score; if none is finished, the best of those still kept.

    Raises ValueError when there are no steps.
    """
    if not steps:
        raise ValueError("expected at least one step of beam search, got none")
    finished = [node for step in steps for node in step.hypotheses if node.status == "finished"]
    kept = [node for node in steps[-1].hypotheses if node.status == "kept"]
    return max(finished or kept, key=lambda node: node.score)


@checked
def tokens(steps: Sequence[BeamStep], hypothesis: Hypothesis) -> list[int]:
    """The whole target of a hypothesis, from its first token to its last."""
    nodes = {node.id: node for step in steps for node in step.hypotheses}
    path = [hypothesis]
    while path[-1].parent:
        path.append(nodes[path[-1].parent])
    return [node.token for node in reversed(path)]


@checked
def select(state: Any, rows: Int[Tensor, " rows"]) -> Any:
    """A model's state or memory with these rows of the batch, in this order; the same row may come twice.

    Knows tensors [batch, ...], what has a `select(rows)` of its own (such as a `Cache`), and tuples, named tuples,
    lists and dicts of them; numbers and None stay as they are. Raises ValueError for anything else.
    """
    if isinstance(state, Tensor) and not state.ndim:
        raise ValueError(f"expected tensors [batch, ...], got one without axes: {state.item()}")
    if isinstance(state, Tensor):
        return state.index_select(0, rows.to(state.device))
    if hasattr(state, "select"):
        return state.select(rows)
    if isinstance(state, dict):
        return {name: select(part, rows) for name, part in state.items()}
    if isinstance(state, tuple | list):
        parts = [select(part, rows) for part in state]
        return type(state)(*parts) if hasattr(state, "_fields") else type(state)(parts)
    if state is None or isinstance(state, int | float):
        return state
    raise ValueError(f"expected tensors, objects with a select(rows), and nests of them; got {type(state).__name__}")


@checked
@torch.no_grad()
def translate(
    model: Writer,
    source: Int[Tensor, "batch source"] | Float[Tensor, "batch channels height width"],
    lengths: Int[Tensor, " batch"] | Bool[Tensor, "batch rows columns"],
    bos: Count,
    eos: Count,
    max_steps: Size = 50,
) -> Int[Tensor, "batch steps"]:
    """Greedy search for a whole batch at once; each row ends with `eos`, repeated to the width of the longest."""
    _check_reads(model)
    source, lengths = (part.to(_like(model).device) for part in (source, lengths))
    memory = model.encode(source, lengths)
    state, previous = model.start(memory), torch.full((len(source),), bos, device=source.device)
    done, written = torch.zeros_like(previous, dtype=torch.bool), []
    while len(written) < max_steps and not bool(done.all()):
        logits, state, _ = model.step(previous, state, memory)
        _check_logits(logits)
        previous = logits.argmax(dim=-1).masked_fill(done, eos)
        done = done | (previous == eos)
        written.append(previous)
    return torch.stack(written, dim=1)


@checked
@torch.no_grad()
def exact(
    model: nn.Module,
    source: Int[Tensor, "batch source"] | Float[Tensor, "batch channels height width"],
    lengths: Int[Tensor, " batch"] | Bool[Tensor, "batch rows columns"],
    target: Int[Tensor, "batch target"],
) -> Bool[Tensor, " batch"]:
    """Whether greedy search would write exactly `target` (BOS ... EOS, then PAD), for every row, in one pass.

    As long as every token is right, the model's own tokens are the right ones: so greedy search succeeds exactly where
    each step is right under teacher forcing. Raises ValueError for targets without a token after the first.
    """
    check_targets(target)
    source, lengths, target = (part.to(_like(model).device) for part in (source, lengths, target))
    guess = model(source, lengths, target[:, :-1]).argmax(dim=-1)
    return ((guess == target[:, 1:]) | (target[:, 1:] == PAD)).all(dim=1)


# Continuing a text.


@checked
def without_cache(model: nn.Module) -> Callable[[Tensor], Tensor]:
    """A reader of texts that reads all of a text for every token: tokens [batch, tokens] -> logits of the next one.

    A text that is longer than the model's `longest` is read from the last `longest` tokens alone.
    """
    gpt = _continuing(model)
    return lambda text: gpt(text[:, -gpt.longest :])[:, -1]


@checked
def with_cache(model: nn.Module) -> Callable[[Tensor], Tensor]:
    """A reader of texts that remembers keys and values of what it has read, and reads only what is new.

    It gives what `without_cache` gives. Beyond the model's `longest` there is nothing to gain: every step takes the
    first token away, all others move to another place, and what was remembered holds no longer; so all is read again.
    """
    gpt = _continuing(model)
    caches = gpt.caches()
    again = without_cache(model)

    def read(text: Tensor) -> Tensor:
        if text.shape[1] > gpt.longest:
            return again(text)
        return gpt(text[:, caches[0].length :], caches)[:, -1]

    return read


@checked
def write(
    model: nn.Module,
    prompt: Int[Tensor, " prompt"],
    steps: Size,
    choose: Choose = draw,
    reader: Callable[[nn.Module], Callable[[Tensor], Tensor]] = with_cache,
) -> Iterator[Step]:
    """Continues `prompt` by `steps` tokens, each picked by `choose` from its logits [vocabulary].

    model: a GPT. reader: `with_cache` or `without_cache`, which give the same tokens; see there what happens to a
    text that grows beyond the model's longest context.
    To see what it attends to, iterate inside `record(model)`; to change it, inside `override(model, ...)`.

    Raises ValueError for an empty prompt, unknown tokens, and fewer than one step.
    """
    if prompt.ndim != 1 or not len(prompt):
        raise ValueError(f"expected a prompt [prompt] with at least one token, got shape {list(prompt.shape)}")
    _continuing(model)
    read, text = reader(model), prompt.to(_like(model).device).unsqueeze(0)
    for _ in range(steps):
        with torch.no_grad():
            logits = read(text)[0]
        token = _known(int(choose(logits)), logits.shape[-1])
        yield Step(token, logits.softmax(dim=-1), None, None, False, False)
        text = torch.cat([text, text.new_tensor([[token]])], dim=1)


def _like(model: Writer | nn.Module) -> Tensor:
    """A tensor on the device and of the dtype that the model computes with."""
    parameters = model.parameters() if isinstance(model, nn.Module) else ()
    return next(iter(parameters), torch.zeros(()))


def _encoded(model: Any, source: Tensor) -> tuple[Any, int]:
    """What the model made of one source, and how many keys that has."""
    if source.is_floating_point():  # a picture, of which all may be seen
        memory = model.encode(source.unsqueeze(0), None)
        return memory, memory.keys.shape[1]
    if source.ndim != 1 or not len(source):
        raise ValueError(f"expected one source [source] with at least one token, got shape {list(source.shape)}")
    return model.encode(source.unsqueeze(0), source.new_tensor([len(source)])), len(source)


def _row(weights: Tensor, source: int) -> Tensor:
    if list(weights.shape) != [source]:
        raise ValueError(f"expected weights [{source}], one for each source token, got {list(weights.shape)}")
    if not bool(((weights >= 0) & (weights < torch.inf)).all()):
        raise ValueError(f"expected weights that are finite and 0 or more, got {weights.tolist()}")
    return weights.reshape(1, 1, source)


def _known(token: int, vocabulary: int) -> int:
    if not 0 <= token < vocabulary:
        raise ValueError(f"expected tokens from 0 to {vocabulary - 1}, got {token}")
    return int(token)


def _check_reads(model: object) -> None:
    if not isinstance(model, Writer):
        raise ValueError(
            "expected a model that reads a source, with encode, start and step; got a "
            f"{type(model).__name__}: `write` continues a text with a GPT"
        )


def _continuing(model: nn.Module) -> Any:
    """The model, which has more than every module has: see `GPT`. Raises ValueError for one that continues no text."""
    if not hasattr(model, "longest"):
        raise ValueError(
            f"expected a model that continues a text, such as GPT; got a {type(model).__name__}: "
            "`greedy`, `sample` and `beam` write the target of a source"
        )
    return model


def _check_logits(logits: Tensor) -> None:
    if not logits.ndim or not logits.shape[-1]:
        raise ValueError(f"expected at least one logit, got shape {list(logits.shape)}")
    if not bool(logits.amax(dim=-1).isfinite().all()):  # the largest of a row with a NaN is NaN
        wrong = int((logits.isnan() | logits.isposinf()).sum())
        got = f"{wrong} that are none, of {logits.numel()}" if wrong else "-inf in each place of a row"
        raise ValueError(f"expected logits that are numbers, at least one of them above -inf; got {got}")


def _propose(
    kept: list[Hypothesis], log_probabilities: Tensor, width: Size, forced: int | None
) -> list[tuple[int, int, float]]:
    """(row of the parent, token, total log-probability) of each parent's `width` best tokens, the best first; of the
    forced token alone, if there is one. A token without any chance is not proposed."""
    values, ids = log_probabilities.sort(dim=-1, descending=True, stable=True)
    if forced is not None:
        values, ids = log_probabilities[:, [forced]], torch.full_like(ids[:, :1], forced)
    proposals = [
        (row, token, kept[row].log_probability + value)
        for row in range(len(kept))
        for token, value in zip(ids[row, :width].tolist(), values[row, :width].tolist(), strict=True)
        if value > -torch.inf or forced is not None
    ]
    return sorted(proposals, key=lambda proposal: -proposal[2])
