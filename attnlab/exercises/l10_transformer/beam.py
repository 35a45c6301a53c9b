"""Exercise 10.beam: one step of beam search."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import decoding


def beam_step(kept: Tensor, log_probabilities: Tensor, width: int) -> Tensor:
    """The solution."""
    totals = kept.unsqueeze(1) + log_probabilities  # [kept, vocabulary]
    best, places = totals.flatten().topk(width)
    vocabulary = log_probabilities.shape[1]
    return torch.stack([best, places // vocabulary, places % vocabulary], dim=1)


def _beam_inputs(hypotheses: int, vocabulary: int, width: int, seed: int) -> tuple:
    """Hypotheses close to each other, so that the best continuations have several parents, and no equal totals."""
    chance = torch.Generator().manual_seed(seed)
    kept = -2 - torch.rand(hypotheses, generator=chance)
    return kept, torch.randn(hypotheses, vocabulary, generator=chance).log_softmax(-1), width


def _chosen(totals: Tensor, places: Tensor) -> Tensor:
    """Rows [total, parent, token] of these places of the flattened totals."""
    vocabulary = totals.shape[1]
    return torch.stack([totals.flatten()[places], places // vocabulary, places % vocabulary], dim=1)


def _sums(kept: Tensor, log_probabilities: Tensor) -> Tensor:
    return kept.unsqueeze(1) + log_probabilities


def _one_each(kept: Tensor, log_probabilities: Tensor) -> tuple[Tensor, Tensor]:
    """Of each hypothesis its best continuation."""
    totals = _sums(kept, log_probabilities)
    return totals, torch.arange(len(kept)) * totals.shape[1] + totals.argmax(1)


def _sorted(kept: Tensor, log_probabilities: Tensor) -> tuple[Tensor, Tensor]:
    order = kept.argsort(descending=True)
    return kept[order], log_probabilities[order]


def _best(totals: Tensor, width: int, largest: bool = True) -> Tensor:
    return totals.flatten().topk(width, largest=largest).indices


def _divided(kept: Tensor, log_probabilities: Tensor, width: int, divisor: int) -> Tensor:
    """Parent and token by another divisor of the flat place."""
    places = _best(_sums(kept, log_probabilities), width)
    return torch.stack([_sums(kept, log_probabilities).flatten()[places], places // divisor, places % divisor], dim=1)


def _parents(result: Tensor, kept: Tensor, log_probabilities: Tensor, width: int) -> str | None:
    if bool(((result[:, 1] < 0) | (result[:, 1] >= len(kept))).any()):
        return f"the second column names parents, rows of `kept` from 0 to {len(kept) - 1}; got {result[:, 1].tolist()}"
    return None


def _tokens(result: Tensor, kept: Tensor, log_probabilities: Tensor, width: int) -> str | None:
    last = log_probabilities.shape[1] - 1
    if bool(((result[:, 2] < 0) | (result[:, 2] > last)).any()):
        return f"the third column names tokens, from 0 to {last}; got {result[:, 2].tolist()}"
    return None


def _falling(result: Tensor, *_: object) -> str | None:
    return "the totals must fall from row to row: the best first" if bool((result[:, 0].diff() > 0).any()) else None


BEAM = Exercise(
    name="10.beam",
    title="One step of beam search",
    statement="""Return the best `width` continuations [width, 3] of all: total log-probability, parent, token.

Several hypotheses were kept, `kept` holds the log-probability of each so far. For each of them the model has said how
probable every next token is: `log_probabilities`. A continuation is a hypothesis (its parent) and one token more; its
log-probability is the parent's and the token's together. Choose the best of all continuations of all hypotheses, the
best first. A parent may be chosen several times, or never.

kept [hypotheses]; log_probabilities [hypotheses, vocabulary], natural logarithms; width, at most hypotheses times
vocabulary. No two continuations are equally probable. Parents and tokens are counted from 0.""",
    axes="[width, 3]",
    stub="""def beam_step(kept, log_probabilities, width):
    ...
""",
    hints=(
        "Probabilities one after the other are multiplied, so their logarithms are added: give `kept` an axis for the "
        "tokens, `kept.unsqueeze(1)`, and add. The totals are [hypotheses, vocabulary].",
        "All continuations compete with one another: `totals.flatten().topk(width)` gives the best totals, falling, "
        "and their places in the flat row.",
        "A flat place is parent * vocabulary + token. Which two operations take such a number apart? "
        "`torch.stack([...], dim=1)` puts the three columns side by side.",
    ),
    solution=beam_step,
    spec=decoding.beam_step,
    inputs=lambda: [_beam_inputs(3, 7, 4, seed=2), _beam_inputs(5, 11, 3, seed=1)],
    edges=lambda: [_beam_inputs(1, 5, 3, seed=3), _beam_inputs(3, 2, 5, seed=4), _beam_inputs(2, 13, 1, seed=4)],
    has_gradients=False,  # nothing learns from a search: who sorts a list of Python is as right
    diagnoses=(_parents, _tokens, _falling),
    mistakes=(
        Mistake(
            "the hypotheses were sorted first, and the parents are numbered in that order: a parent is a row of `kept` "
            "as it was given",
            lambda kept, log_probabilities, width: beam_step(*_sorted(kept, log_probabilities), width),
        ),
        Mistake(
            "only the first `width` hypotheses were continued: all of them compete, however many there are",
            lambda kept, log_probabilities, width: beam_step(kept[:width], log_probabilities[:width], width),
        ),
        Mistake(
            "the parent's log-probability is forgotten, or a softmax of each row has taken it off again: a good token "
            "after a bad beginning is still a bad text",
            lambda kept, log_probabilities, width: _chosen(log_probabilities, _best(log_probabilities, width)),
        ),
        Mistake(
            "chosen by the token's log-probability alone; the parent's was added after the choice and must come before",
            lambda kept, log_probabilities, width: _chosen(
                _sums(kept, log_probabilities), _best(log_probabilities, width)
            ),
        ),
        Mistake(
            "the choice is right, but the first column holds the token's log-probability alone: the parent's belongs "
            "to the total, the next step needs it",
            lambda kept, log_probabilities, width: _chosen(
                log_probabilities, _best(_sums(kept, log_probabilities), width)
            ),
        ),
        Mistake(
            "one continuation of each hypothesis: all continuations of all compete, a parent may be chosen twice or "
            "never",
            lambda kept, log_probabilities, width: _chosen(*_one_each(kept, log_probabilities))[
                _sums(kept, log_probabilities).amax(1).argsort(descending=True)
            ],
        ),
        Mistake(
            "one continuation of each hypothesis, in the order of the parents: all continuations of all compete, and "
            "the best comes first",
            lambda kept, log_probabilities, width: _chosen(*_one_each(kept, log_probabilities)),
        ),
        Mistake(
            "only the best hypothesis was continued: that is greedy search; the others may have better continuations",
            lambda kept, log_probabilities, width: _chosen(
                _sums(kept, log_probabilities),
                kept.argmax() * log_probabilities.shape[1] + _best(log_probabilities[kept.argmax()], width),
            ),
        ),
        Mistake(
            "the best of each hypothesis were returned, width for each: choose the best width of all of them together",
            lambda kept, log_probabilities, width: torch.cat([
                _chosen(
                    _sums(kept, log_probabilities),
                    parent * log_probabilities.shape[1] + _best(log_probabilities[parent], width),
                )
                for parent in range(len(kept))
            ]),
        ),
        Mistake(
            "log-probabilities were multiplied: it is probabilities that are multiplied, their logarithms are added",
            lambda kept, log_probabilities, width: _chosen(
                kept.unsqueeze(1) * log_probabilities, _best(kept.unsqueeze(1) * log_probabilities, width)
            ),
        ),
        Mistake(
            "log-probabilities were multiplied, and the smallest products taken: the logarithms are added",
            lambda kept, log_probabilities, width: _chosen(
                kept.unsqueeze(1) * log_probabilities, _best(kept.unsqueeze(1) * log_probabilities, width, False)
            ),
        ),
        Mistake(
            "the parent's log-probability was subtracted: one after the other is a product of probabilities, a sum of "
            "their logarithms",
            lambda kept, log_probabilities, width: _chosen(
                log_probabilities - kept.unsqueeze(1), _best(log_probabilities - kept.unsqueeze(1), width)
            ),
        ),
        Mistake(
            "the mean of the two log-probabilities: they are added; to compare texts of different lengths comes later",
            lambda kept, log_probabilities, width: _chosen(
                _sums(kept, log_probabilities) / 2, _best(_sums(kept, log_probabilities), width)
            ),
        ),
        Mistake(
            "probabilities in the first column: the choice is right, but it asks for logarithms, which do not vanish "
            "in long texts",
            lambda kept, log_probabilities, width: _chosen(
                _sums(kept, log_probabilities).exp(), _best(_sums(kept, log_probabilities), width)
            ),
        ),
        Mistake(
            "the probabilities of parent and token were added: one after the other they are multiplied",
            lambda kept, log_probabilities, width: _chosen(
                kept.exp().unsqueeze(1) + log_probabilities.exp(),
                _best(kept.exp().unsqueeze(1) + log_probabilities.exp(), width),
            ),
        ),
        Mistake(
            "the worst continuations were chosen: a log-probability close to 0 is the best",
            lambda kept, log_probabilities, width: _chosen(
                _sums(kept, log_probabilities), _best(_sums(kept, log_probabilities), width, False)
            ),
        ),
        Mistake("the order is wrong: the best comes first", lambda *inputs: beam_step(*inputs).flip(0)),
        Mistake(
            "sorted by parent: the best continuation comes first, whoever its parent is",
            lambda *inputs: beam_step(*inputs)[beam_step(*inputs)[:, 1].argsort(stable=True)],
        ),
        Mistake(
            "parent and token are exchanged: expected the columns total, parent, token",
            lambda *inputs: beam_step(*inputs)[:, [0, 2, 1]],
        ),
        Mistake(
            "the flat place was divided by the number of hypotheses: a row of the totals is as long as the vocabulary",
            lambda kept, log_probabilities, width: _divided(kept, log_probabilities, width, len(kept)),
        ),
        Mistake(
            "the flat place was divided by width: a row of the totals is as long as the vocabulary",
            lambda kept, log_probabilities, width: _divided(kept, log_probabilities, width, width),
        ),
        Mistake(
            "rows and columns are exchanged: expected [width, 3], one row for each continuation, got [3, width]",
            lambda *inputs: beam_step(*inputs).T,
        ),
        Mistake(
            "parent and token were read from the flat place as if the totals lay [vocabulary, hypotheses]: `//` and "
            "`%` by the vocabulary",
            lambda kept, log_probabilities, width: torch.stack(
                [
                    beam_step(kept, log_probabilities, width)[:, 0],
                    _best(_sums(kept, log_probabilities), width) % len(kept),
                    _best(_sums(kept, log_probabilities), width) // len(kept),
                ],
                1,
            ),
        ),
        Mistake(
            "the parent is not a whole number: `//` leaves the fraction away, `/` does not",
            lambda kept, log_probabilities, width: torch.stack(
                [
                    beam_step(kept, log_probabilities, width)[:, 0],
                    _best(_sums(kept, log_probabilities), width) / log_probabilities.shape[1],
                    beam_step(kept, log_probabilities, width)[:, 2],
                ],
                1,
            ),
        ),
        Mistake(
            "the second column counts the rows of the result: it must name the parent, a row of `kept`",
            lambda *inputs: (lambda best: torch.stack([best[:, 0], torch.arange(len(best)), best[:, 2]], 1))(
                beam_step(*inputs)
            ),
        ),
        Mistake(
            "only the last hypothesis was continued: all continuations of all compete",
            lambda kept, log_probabilities, width: (
                lambda best: torch.stack([best[:, 0], 0 * best[:, 1], best[:, 2]], 1)
            )(beam_step(kept[-1:], log_probabilities[-1:], min(width, log_probabilities.shape[1]))),
        ),
        Mistake(
            "the first column holds the parent's log-probability alone: the token's belongs to the total, too",
            lambda kept, log_probabilities, width: (
                lambda best: torch.stack([kept[best[:, 1].long()], best[:, 1], best[:, 2]], 1)
            )(beam_step(kept, log_probabilities, width)),
        ),
        Mistake(
            "the totals went through a log_softmax: the sum of the two log-probabilities is asked for",
            lambda kept, log_probabilities, width: _chosen(
                _sums(kept, log_probabilities).flatten().log_softmax(0).reshape(log_probabilities.shape),
                _best(_sums(kept, log_probabilities), width),
            ),
        ),
        Mistake(
            "the sign is wrong: log-probabilities are negative, and so are their totals",
            lambda *inputs: beam_step(*inputs) * torch.tensor([-1, 1, 1]),
        ),
        Mistake(
            "sorted by token: the best continuation comes first, whatever its token",
            lambda *inputs: beam_step(*inputs)[beam_step(*inputs)[:, 2].argsort(stable=True)],
        ),
        Mistake(
            "the columns are in another order: expected total, parent, token, got token, parent, total",
            lambda *inputs: beam_step(*inputs).flip(1),
        ),
        Mistake(
            "the columns are in another order: expected total, parent, token, got parent, token, total",
            lambda *inputs: beam_step(*inputs).roll(-1, 1),
        ),
        Mistake("only the best continuation: `width` of them are asked for", lambda *inputs: beam_step(*inputs)[:1]),
        Mistake(
            "one continuation too many: `width` of them are asked for",
            lambda kept, log_probabilities, width: beam_step(
                kept, log_probabilities, min(width + 1, log_probabilities.numel())
            ),
        ),
        Mistake(
            "the parents are missing: expected the columns total, parent, token",
            lambda *inputs: beam_step(*inputs)[:, [0, 2]],
        ),
        Mistake(
            "the worst continuations were chosen, in falling order: a log-probability close to 0 is the best",
            lambda kept, log_probabilities, width: beam_step(kept, log_probabilities, log_probabilities.numel())[
                -width:
            ],
        ),
        Mistake(
            "the third column holds flat places, not tokens: the rest after division by the vocabulary is the token",
            lambda kept, log_probabilities, width: torch.stack(
                [*beam_step(kept, log_probabilities, width).T[:2], _best(_sums(kept, log_probabilities), width)], 1
            ),
        ),
        Mistake(
            "parents and tokens are counted from 1: count them from 0",
            lambda *inputs: beam_step(*inputs) + torch.tensor([0, 1, 1]),
        ),
        Mistake(
            "only parents and tokens: the first column must hold the totals, the next step starts from them",
            lambda *inputs: beam_step(*inputs)[:, 1:],
        ),
        Mistake(
            "only the totals: which parent and which token they belong to is missing",
            lambda *inputs: beam_step(*inputs)[:, 0],
        ),
    ),
)
