"""Exercises of lesson 10: who asks whom, the decoder block, smoothed labels, and one step of beam search."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import layer_norm, one_hot

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.masks import causal, padding
from attnlab.specs import decoding, training

# 10.smoothing --------------------------------------------------------------------------------------------------------


def smoothed_loss(logits: Tensor, target: Tensor, smoothing: int | float) -> Tensor:
    """The solution."""
    vocabulary = logits.shape[-1]
    wanted = (1 - smoothing) * one_hot(target, vocabulary) + smoothing / vocabulary
    return -(wanted * logits.log_softmax(dim=-1)).sum(dim=-1)


def _smoothing_inputs(tokens: int, vocabulary: int, smoothing: float) -> tuple:
    chance = torch.Generator().manual_seed(10 * tokens + vocabulary)
    logits = 1.5 * torch.randn(tokens, vocabulary, generator=chance)
    return logits, torch.randint(vocabulary, (tokens,), generator=chance), smoothing


def _right(logits: Tensor, target: Tensor) -> Tensor:
    """1 for the right token, 0 for the others."""
    return one_hot(target, logits.shape[-1]).float()


def _smooth(logits: Tensor, target: Tensor, smoothing: int | float) -> Tensor:
    return (1 - smoothing) * _right(logits, target) + smoothing / logits.shape[-1]


def _against(wanted: Tensor, logits: Tensor) -> Tensor:
    return -(wanted * logits.log_softmax(-1)).sum(-1)


SMOOTHING = Exercise(
    name="10.smoothing",
    title="A loss with smoothed labels",
    statement="""Return the loss [tokens] of each token, with smoothed labels.

The model's logits become log-probabilities. What they should have been is not 1 for the right token and 0 for the
others: every token of the vocabulary, the right one too, is given `smoothing / vocabulary`, and the right one
`1 - smoothing` more. The loss is the cross-entropy of the two: minus the sum of wanted probability times
log-probability.

logits [tokens, vocabulary]; target [tokens], the right tokens; smoothing, a number from 0 to 1.""",
    axes="[tokens]",
    stub="""def smoothed_loss(logits, target, smoothing):
    ...
""",
    hints=(
        "Make the wanted probabilities first, [tokens, vocabulary]; each row must sum to 1. "
        "`torch.nn.functional.one_hot(target, vocabulary)` has a 1 at each right token.",
        "They are a sum of two things: what every token gets, and what only the right one gets. `log_softmax` gives "
        "the log-probabilities.",
        "Multiply the two, sum over the last axis, the vocabulary, and turn the sign: log-probabilities are negative, "
        "a loss is not.",
    ),
    solution=smoothed_loss,
    spec=training.smoothed_cross_entropy,
    inputs=lambda: [_smoothing_inputs(5, 7, 0.1), _smoothing_inputs(3, 11, 0.3)],
    edges=lambda: [_smoothing_inputs(1, 2, 0.5), _smoothing_inputs(7, 3, 0.0), _smoothing_inputs(2, 5, 1.0)],
    mistakes=(
        Mistake(
            "the smoothing is not used: this is the plain cross-entropy, minus the log-probability of the right token",
            lambda logits, target, smoothing: _against(_right(logits, target), logits),
        ),
        Mistake(
            "the smoothing was shared among the wrong tokens only, smoothing / (vocabulary - 1) each: here all tokens "
            "get smoothing / vocabulary, the right one too",
            lambda logits, target, smoothing: _against(
                (1 - smoothing) * _right(logits, target)
                + smoothing / (logits.shape[-1] - 1) * (1 - _right(logits, target)),
                logits,
            ),
        ),
        Mistake(
            "the right token is given 1 - smoothing alone: it also gets smoothing / vocabulary like every other, else "
            "the wanted probabilities sum to less than 1",
            lambda logits, target, smoothing: _against(
                (1 - smoothing) * _right(logits, target) + smoothing / logits.shape[-1] * (1 - _right(logits, target)),
                logits,
            ),
        ),
        Mistake(
            "the right token still has 1, and the smoothing came on top: the wanted probabilities sum to more than 1",
            lambda logits, target, smoothing: _against(_right(logits, target) + smoothing / logits.shape[-1], logits),
        ),
        Mistake(
            "every token was given the whole smoothing: divide it by the size of the vocabulary",
            lambda logits, target, smoothing: _against((1 - smoothing) * _right(logits, target) + smoothing, logits),
        ),
        Mistake(
            "smoothing and 1 - smoothing are exchanged: the right token must get the larger part",
            lambda logits, target, smoothing: _against(
                smoothing * _right(logits, target) + (1 - smoothing) / logits.shape[-1], logits
            ),
        ),
        Mistake(
            "the wanted probabilities are those of all tokens alike: the right token does not count",
            lambda logits, target, smoothing: -logits.log_softmax(-1).mean(-1),
        ),
        Mistake(
            "the logarithm is missing: a cross-entropy sums wanted probability times log-probability",
            lambda logits, target, smoothing: -(_smooth(logits, target, smoothing) * logits.softmax(-1)).sum(-1),
        ),
        Mistake(
            "the logits were used as they are: log_softmax makes log-probabilities of them",
            lambda logits, target, smoothing: -(_smooth(logits, target, smoothing) * logits).sum(-1),
        ),
        Mistake(
            "the softmax ran over the tokens of the text: each token has its own probabilities, over the vocabulary, "
            "the last axis",
            lambda logits, target, smoothing: -(_smooth(logits, target, smoothing) * logits.log_softmax(0)).sum(-1),
        ),
        Mistake(
            "the sign is wrong: log-probabilities are negative, a loss is not", lambda *inputs: -smoothed_loss(*inputs)
        ),
        Mistake(
            "the prediction was smoothed instead of the label: the model's own probabilities stay as they are",
            lambda logits, target, smoothing: (
                -(
                    (1 - smoothing) * (logits.softmax(-1) * _right(logits, target)).sum(-1)
                    + smoothing / logits.shape[-1]
                ).log()
            ),
        ),
        Mistake(
            "the mean over the vocabulary in place of the sum: a cross-entropy adds up over all tokens that could come",
            lambda logits, target, smoothing: smoothed_loss(logits, target, smoothing) / logits.shape[-1],
        ),
        Mistake(
            "this is a logarithm to the base 2: the natural one is asked for",
            lambda *inputs: smoothed_loss(*inputs) / 0.6931471805599453,
        ),
        Mistake(
            "this is a logarithm to the base 10: the natural one is asked for",
            lambda *inputs: smoothed_loss(*inputs) / 2.302585092994046,
        ),
        Mistake(
            "the wanted probabilities' own entropy was taken off: that is the Kullback-Leibler divergence; the "
            "cross-entropy keeps it",
            lambda logits, target, smoothing: (
                smoothed_loss(logits, target, smoothing)
                + (lambda wanted: (wanted * wanted.clamp(min=1e-30).log()).sum(-1))(_smooth(logits, target, smoothing))
            ),
        ),
        Mistake(
            "the two are exchanged: the logarithm is of the model's probabilities, not of the wanted ones",
            lambda logits, target, smoothing: (
                -(logits.softmax(-1) * _smooth(logits, target, smoothing).clamp(min=1e-9).log()).sum(-1)
            ),
        ),
        Mistake(
            "the squared difference of the probabilities: the loss is their cross-entropy",
            lambda logits, target, smoothing: (_smooth(logits, target, smoothing) - logits.softmax(-1)).pow(2).sum(-1),
        ),
        Mistake(
            "softmax came before log_softmax: once is enough, log_softmax wants the logits",
            lambda logits, target, smoothing: _against(_smooth(logits, target, smoothing), logits.softmax(-1)),
        ),
        Mistake(
            "the right token alone was counted, with 1 - smoothing: all tokens have a share of the smoothing",
            lambda logits, target, smoothing: _against((1 - smoothing) * _right(logits, target), logits),
        ),
        Mistake(
            "the smoothing was added to the loss: it belongs to the wanted probabilities",
            lambda logits, target, smoothing: _against(_right(logits, target), logits) + smoothing,
        ),
        Mistake(
            "the logits were smoothed: it is the labels that are",
            lambda logits, target, smoothing: _against(
                _right(logits, target), (1 - smoothing) * logits + smoothing / logits.shape[-1]
            ),
        ),
        Mistake(
            "the smoothing was divided by the number of tokens in the text: it is shared out over the vocabulary",
            lambda logits, target, smoothing: _against(
                (1 - smoothing) * _right(logits, target) + smoothing / len(logits), logits
            ),
        ),
        Mistake(
            "the share of the smoothing was subtracted: it is added",
            lambda logits, target, smoothing: _against(
                (1 - smoothing) * _right(logits, target) - smoothing / logits.shape[-1], logits
            ),
        ),
        Mistake(
            "all tokens of the vocabulary were wanted with probability 1: only the right one is, less the smoothing",
            lambda logits, target, smoothing: -logits.log_softmax(-1).sum(-1),
        ),
        Mistake(
            "sigmoid in place of the softmax: the probabilities of the vocabulary must sum to 1",
            lambda logits, target, smoothing: -(_smooth(logits, target, smoothing) * logits.sigmoid().log()).sum(-1),
        ),
        Mistake(
            "the smoothing was halved: every token gets smoothing / vocabulary, the right one 1 - smoothing more",
            lambda logits, target, smoothing: smoothed_loss(logits, target, smoothing / 2),
        ),
        Mistake(
            "this is the probability of the right token: its loss is asked for, with smoothed labels",
            lambda logits, target, smoothing: logits.softmax(-1)[torch.arange(len(target)), target],
        ),
        Mistake(
            "this is the log-probability of the right token: the sign must be turned, and the labels smoothed",
            lambda logits, target, smoothing: logits.log_softmax(-1)[torch.arange(len(target)), target],
        ),
        Mistake(
            "this is the mean of all plain cross-entropies: smooth the labels, and return one loss for each token, "
            "[tokens]",
            lambda logits, target, smoothing: _against(_right(logits, target), logits).mean(),
        ),
        Mistake(
            "this is the exponential of the loss, the perplexity: the loss itself is asked for",
            lambda *inputs: smoothed_loss(*inputs).exp(),
        ),
        Mistake(
            "these are the wanted probabilities: their cross-entropy with the model's is asked for",
            lambda *inputs: _smooth(*inputs),
        ),
        Mistake(
            "these are the log-probabilities: multiply by the wanted probabilities and sum",
            lambda logits, target, smoothing: logits.log_softmax(-1),
        ),
        Mistake(
            "this is the mean of all losses: return one loss for each token, [tokens]",
            lambda *inputs: smoothed_loss(*inputs).mean(),
        ),
        Mistake(
            "this is the sum of all losses: return one loss for each token, [tokens]",
            lambda *inputs: smoothed_loss(*inputs).sum(),
        ),
        Mistake(
            "the sum over the vocabulary is missing: these are its parts, [tokens, vocabulary]",
            lambda logits, target, smoothing: -_smooth(logits, target, smoothing) * logits.log_softmax(-1),
        ),
    ),
)


# 10.beam -------------------------------------------------------------------------------------------------------------


def beam_step(kept: Tensor, log_probabilities: Tensor, width: int) -> Tensor:
    """The solution."""
    totals = kept.unsqueeze(1) + log_probabilities  # [kept, vocabulary]
    best, places = totals.flatten().topk(width)
    vocabulary = log_probabilities.shape[1]
    return torch.stack([best, places // vocabulary, places % vocabulary], dim=1)


def _beam_inputs(hypotheses: int, vocabulary: int, width: int, seed: int) -> tuple:
    """Hypotheses close to each other, so that the best continuations have several parents, and no equal totals."""
    chance = torch.Generator().manual_seed(seed)
    kept = -2 - torch.rand(hypotheses, generator=chance).sort().values
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
    inputs=lambda: [_beam_inputs(3, 7, 4, seed=0), _beam_inputs(5, 11, 3, seed=5)],
    edges=lambda: [_beam_inputs(1, 5, 3, seed=3), _beam_inputs(3, 2, 5, seed=4), _beam_inputs(2, 13, 1, seed=5)],
    has_gradients=False,  # nothing learns from a search: who sorts a list of Python is as right
    diagnoses=(_parents, _tokens, _falling),
    mistakes=(
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
                _sums(kept, log_probabilities)[kept.argmax() :][:1],
                _best(_sums(kept, log_probabilities)[kept.argmax() :][:1], width),
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

# 10.who --------------------------------------------------------------------------------------------------------------

Attention = Callable[..., Tensor]
"""(query [batch, queries, dim], key and value [batch, keys, dim], mask=None) -> context [batch, queries, dim]"""


def _attention(seed: int) -> Attention:
    """One head with maps of its own, so that query, key and value cannot be exchanged unnoticed."""
    W_q, W_k, W_v = torch.randn(3, 3, 3, generator=torch.Generator().manual_seed(seed))

    def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        scores = (query @ W_q.to(query)) @ (key @ W_k.to(key)).mT
        if mask is not None and mask.dtype != torch.bool:
            raise TypeError(f"expected a mask of torch.bool, True = may attend, got {mask.dtype}")
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        return scores.softmax(dim=-1) @ (value @ W_v.to(value))

    return attention


def three_contexts(x: Tensor, y: Tensor, lengths: Tensor, attention: Attention) -> Tensor:
    """The solution."""
    words, past = padding(lengths, x.shape[1]), causal(y.shape[1]).to(y.device)
    encoder = attention(query=x, key=x, value=x, mask=words)
    decoder = attention(query=y, key=y, value=y, mask=past)
    cross = attention(query=y, key=x, value=x, mask=words)
    return torch.cat([encoder, decoder, cross], dim=1)


def three_contexts_spec(x: Tensor, y: Tensor, lengths: Tensor, attention: Attention) -> Tensor:
    """The same in loops: one query at a time, with those keys only that it may see."""
    rows = []
    for b in range(len(x)):
        words = x[b : b + 1, : int(lengths[b])]
        row = [attention(x[b : b + 1, i : i + 1], words, words) for i in range(x.shape[1])]
        for i in range(y.shape[1]):
            past = y[b : b + 1, : i + 1]
            row.append(attention(y[b : b + 1, i : i + 1], past, past))
        row += [attention(y[b : b + 1, i : i + 1], words, words) for i in range(y.shape[1])]
        rows.append(torch.cat(row, dim=1))
    return torch.cat(rows)


def _random_case(source: int, target: int, lengths: list[int]) -> tuple:
    chance = torch.Generator().manual_seed(10 * source + target)
    x, y = (torch.randn(len(lengths), tokens, 3, generator=chance) for tokens in (source, target))
    return x, y, torch.tensor(lengths), _attention(seed=source)


def _three(
    x: Tensor,
    y: Tensor,
    lengths: Tensor,
    attention: Attention,
    reads: Tensor | None = None,
    writes: Tensor | None = None,
    crosses: Tensor | None = None,
) -> Tensor:
    """The three contexts under these masks; everybody sees everybody where there is none."""
    encoder, decoder = attention(x, x, x, reads), attention(y, y, y, writes)
    return torch.cat([encoder, decoder, attention(y, x, x, crosses)], dim=1)


def _words(x: Tensor, lengths: Tensor) -> Tensor:
    return padding(lengths, x.shape[1])


def _past(queries: Tensor, keys: Tensor) -> Tensor:
    """Query i sees the keys 0 to i, however many there are."""
    return torch.ones(queries.shape[1], keys.shape[1], dtype=torch.bool).tril()


def _with_cross(x: Tensor, y: Tensor, lengths: Tensor, attention: Attention, cross: Tensor) -> Tensor:
    encoder, decoder = attention(x, x, x, _words(x, lengths)), attention(y, y, y, _past(y, y))
    return torch.cat([encoder, decoder, cross], dim=1)


WHO = Exercise(
    name="10.who",
    title="Who asks whom",
    statement="""Return the contexts of the three attentions, one below the other.

First the encoder's self-attention, then the decoder's self-attention, then the cross-attention. Each is given x and y
as they are. For each decide who asks, who answers, and who must not be seen: nobody may look at the padding of the
source, and no word of the target at those that follow it. The targets have no padding.

x [batch, source, dim], the vectors of the source; y [batch, target, dim], those of the target; lengths [batch], the
words in each source; attention(query, key, value, mask) -> [batch, queries, dim], mask [..., queries, keys], True =
may attend.""",
    axes="[batch, source + target + target, dim]",
    stub="""def three_contexts(x, y, lengths, attention):
    ...
""",
    hints=(
        "There is one context for each query. So how many rows each of the three has tells who asks.",
        "Keys and values always come from the same sequence. The masks are those of lesson 06: `padding(lengths, "
        "tokens)` goes wherever the source answers, `causal(tokens)` wherever the target does.",
        "The cross-attention joins the two: it has a row for each word of the target, and in it a weight for each word "
        "of the source. Who asks, then, and who answers? `torch.cat([...], dim=1)` puts the three below each other.",
    ),
    solution=three_contexts,
    spec=three_contexts_spec,
    inputs=lambda: [_random_case(5, 5, [5, 2, 4]), _random_case(3, 3, [1, 3])],
    edges=lambda: [_random_case(7, 4, [7, 3]), _random_case(2, 6, [2]), _random_case(1, 1, [1])],
    mistakes=(
        Mistake(
            "in the cross-attention the source asks and the target answers: it is the next target word that is looked "
            "for, so the target asks",
            lambda x, y, lengths, attention: _with_cross(x, y, lengths, attention, attention(x, y, y)),
        ),
        Mistake(
            "in the cross-attention the source asks and the target answers, causally: it is the next target word that "
            "is looked for, so the target asks",
            lambda x, y, lengths, attention: _with_cross(x, y, lengths, attention, attention(x, y, y, _past(x, y))),
        ),
        Mistake(
            "in the cross-attention the source asks and the target answers, under the source's padding: it is the next "
            "target word that is looked for, so the target asks",
            lambda x, y, lengths, attention: _with_cross(
                x, y, lengths, attention, attention(x, y, y, _words(x, lengths))
            ),
        ),
        Mistake(
            "the cross-attention has keys of the target and values of the source: a weight belongs to a key and "
            "fetches its value, so the two come in pairs",
            lambda x, y, lengths, attention: _with_cross(x, y, lengths, attention, attention(y, y, x)),
        ),
        Mistake(
            "the cross-attention has keys of the source and values of the target: then it finds the right words of the "
            "source and fetches others",
            lambda x, y, lengths, attention: _with_cross(
                x, y, lengths, attention, attention(y, x, y, _words(x, lengths))
            ),
        ),
        Mistake(
            "in the cross-attention the source asks itself: then nothing of the target comes into it",
            lambda x, y, lengths, attention: _with_cross(
                x, y, lengths, attention, attention(x, x, x, _words(x, lengths))
            ),
        ),
        Mistake(
            "in the cross-attention the target asks itself: then nothing of the source comes into it",
            lambda x, y, lengths, attention: _with_cross(x, y, lengths, attention, attention(y, y, y, _past(y, y))),
        ),
        Mistake(
            "the cross-attention was given what the encoder's attention has made: here all three get x and y as they "
            "are",
            lambda x, y, lengths, attention: _with_cross(
                x,
                y,
                lengths,
                attention,
                attention(y, *2 * [attention(x, x, x, _words(x, lengths))], _words(x, lengths)),
            ),
        ),
        Mistake(
            "the cross-attention is asked by what the decoder's own attention has made: here all three get x and y as "
            "they are",
            lambda x, y, lengths, attention: _with_cross(
                x, y, lengths, attention, attention(attention(y, y, y, _past(y, y)), x, x, _words(x, lengths))
            ),
        ),
        Mistake(
            "the cross-attention was given what both self-attentions have made, as in the whole model: here all three "
            "get x and y as they are",
            lambda x, y, lengths, attention: _with_cross(
                x,
                y,
                lengths,
                attention,
                attention(
                    attention(y, y, y, _past(y, y)),
                    *2 * [attention(x, x, x, _words(x, lengths))],
                    _words(x, lengths),
                ),
            ),
        ),
        Mistake(
            "the future leaks: in the decoder's self-attention no word may see those that follow it",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, _words(x, lengths), None, _words(x, lengths)
            ),
        ),
        Mistake(
            "the causal mask lies on the cross-attention and not on the decoder's self-attention: the source was "
            "written long ago, it is the target that must not be seen in advance",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, _words(x, lengths), None, _past(y, x) & _words(x, lengths)
            ),
        ),
        Mistake(
            "the cross-attention is causal too: the source is known as a whole before anything is written",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, _words(x, lengths), _past(y, y), _past(y, x) & _words(x, lengths)
            ),
        ),
        Mistake(
            "the encoder's self-attention is causal: the source is known as a whole, its words may look ahead",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, _past(x, x) & _words(x, lengths), _past(y, y), _words(x, lengths)
            ),
        ),
        Mistake(
            "the encoder's self-attention is causal and reads padding: it may look ahead, but not at padding",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, _past(x, x), _past(y, y), _words(x, lengths)
            ),
        ),
        Mistake(
            "all three are causal: only the target is written word by word, the source is known as a whole",
            lambda x, y, lengths, attention: _three(
                x,
                y,
                lengths,
                attention,
                _past(x, x) & _words(x, lengths),
                _past(y, y),
                _past(y, x) & _words(x, lengths),
            ),
        ),
        Mistake(
            "padding is read by the encoder: wherever the source answers, its padding must be hidden",
            lambda x, y, lengths, attention: _three(x, y, lengths, attention, None, _past(y, y), _words(x, lengths)),
        ),
        Mistake(
            "padding is read by the cross-attention: wherever the source answers, its padding must be hidden",
            lambda x, y, lengths, attention: _three(x, y, lengths, attention, _words(x, lengths), _past(y, y), None),
        ),
        Mistake(
            "padding is read, by the encoder and by the cross-attention: wherever the source answers, its padding must "
            "be hidden",
            lambda x, y, lengths, attention: _three(x, y, lengths, attention, None, _past(y, y), None),
        ),
        Mistake(
            "no mask at all: the source's padding must be hidden, and so must the target's future",
            lambda x, y, lengths, attention: _three(x, y, lengths, attention),
        ),
        Mistake(
            "the source's lengths hide words of the target: the targets have no padding, only a future",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, _words(x, lengths), _past(y, y) & _words(x, lengths), _words(x, lengths)
            ),
        ),
        Mistake(
            "the source's lengths lie on the target in place of the causal mask: there the future must be hidden",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, _words(x, lengths), _words(x, lengths), _words(x, lengths)
            ),
        ),
        Mistake(
            "the causal mask is turned round: each word sees itself and its future, and must see its past",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, _words(x, lengths), _past(y, y).mT, _words(x, lengths)
            ),
        ),
        Mistake(
            "the masks are inverted: True means may attend, so `padding` and `causal` are handed on as they are",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, ~_words(x, lengths), ~_past(y, y), ~_words(x, lengths)
            ),
        ),
        Mistake(
            "the causal mask is inverted: True means may attend, and each word sees itself and its past",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, _words(x, lengths), ~_past(y, y), _words(x, lengths)
            ),
        ),
        Mistake(
            "the three are right, but the cross-attention stands second: it comes last, as in the decoder",
            lambda x, y, lengths, attention: torch.cat(
                [
                    attention(x, x, x, _words(x, lengths)),
                    attention(y, x, x, _words(x, lengths)),
                    attention(y, y, y, _past(y, y)),
                ],
                dim=1,
            ),
        ),
        Mistake(
            "the three are right, but the decoder's self-attention stands first: the encoder's comes before it",
            lambda x, y, lengths, attention: torch.cat(
                [
                    attention(y, y, y, _past(y, y)),
                    attention(x, x, x, _words(x, lengths)),
                    attention(y, x, x, _words(x, lengths)),
                ],
                dim=1,
            ),
        ),
        Mistake(
            "the three lie side by side, as if they were heads: put them one below the other, `dim=1`",
            lambda x, y, lengths, attention: torch.cat(
                three_contexts(x, y, lengths, attention).split([x.shape[1], y.shape[1], y.shape[1]], dim=1), dim=2
            ),
        ),
        Mistake(
            "the three were added up: they belong to different words; put them one below the other",
            lambda x, y, lengths, attention: sum(
                three_contexts(x, y, lengths, attention).split([x.shape[1], y.shape[1], y.shape[1]], dim=1)
            ),
        ),
        Mistake(
            "the cross-attention alone: the contexts of the two self-attentions stand above it",
            lambda x, y, lengths, attention: attention(y, x, x, _words(x, lengths)),
        ),
    ),
)

# 10.decoder ----------------------------------------------------------------------------------------------------------

Map = Callable[[Tensor], Tensor]
"""[batch, tokens, dim] -> [batch, tokens, dim], each vector by itself"""


def decoder_block(
    y: Tensor,
    memory: Tensor,
    attention: Attention,
    cross_attention: Attention,
    feed_forward: Map,
    norms: tuple[Map, Map, Map],
) -> Tensor:
    """The solution."""
    asking = norms[0](y)
    y = y + attention(query=asking, key=asking, value=asking, mask=causal(y.shape[1]).to(y.device))
    y = y + cross_attention(query=norms[1](y), key=memory, value=memory)
    return y + feed_forward(norms[2](y))


def decoder_block_spec(
    y: Tensor,
    memory: Tensor,
    attention: Attention,
    cross_attention: Attention,
    feed_forward: Map,
    norms: tuple[Map, Map, Map],
) -> Tensor:
    """The same, one word at a time, as it would be written."""
    written = []
    for i in range(y.shape[1]):
        past = torch.stack([norms[0](y[:, j]) for j in range(i + 1)], dim=1)
        now = y[:, i : i + 1] + attention(past[:, i:], past, past)
        now = now + cross_attention(norms[1](now), memory, memory)
        written.append(now + feed_forward(norms[2](now)))
    return torch.cat(written, dim=1)


def _norm(seed: int) -> Map:
    """A layer norm with a gain and a shift of its own."""
    gain, shift = torch.randn(2, 3, generator=torch.Generator().manual_seed(seed))

    def norm(x: Tensor) -> Tensor:
        return layer_norm(x, [3]) * (1.5 + gain.to(x)) + shift.to(x)

    return norm


def _feed_forward(x: Tensor) -> Tensor:
    W_1, W_2 = torch.randn(2, 3, 3, generator=torch.Generator().manual_seed(9)).to(x)
    return (x @ W_1).relu() @ W_2


def _block(batch: int, target: int, source: int) -> tuple:
    chance = torch.Generator().manual_seed(10 * target + source)
    y, memory = (torch.randn(batch, tokens, 3, generator=chance) for tokens in (target, source))
    return y, memory, _attention(target), _attention(target + 1), _feed_forward, (_norm(1), _norm(2), _norm(3))


def _self(y: Tensor, attention: Attention, norm: Map) -> Tensor:
    """The first third of the block, as it should be."""
    return y + attention(norm(y), norm(y), norm(y), _past(y, y))


def _crossed(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, norms: tuple) -> Tensor:
    """The first two thirds."""
    y = _self(y, attention, norms[0])
    return y + cross(norms[1](y), memory, memory)


def _ended(y: Tensor, feed_forward: Map, norms: tuple) -> Tensor:
    """The last third."""
    return y + feed_forward(norms[2](y))


def _post_norm(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, ff: Map, norms: tuple) -> Tensor:
    y = norms[0](y + attention(y, y, y, _past(y, y)))
    y = norms[1](y + cross(y, memory, memory))
    return norms[2](y + ff(y))


def _normed_parts(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, ff: Map, norms: tuple) -> Tensor:
    y = y + norms[0](attention(y, y, y, _past(y, y)))
    y = y + norms[1](cross(y, memory, memory))
    return y + norms[2](ff(y))


def _bare(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, ff: Map, norms: tuple) -> Tensor:
    y = norms[0](y)
    y = norms[1](attention(y, y, y, _past(y, y)))
    return ff(norms[2](cross(y, memory, memory)))


def _plain(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, ff: Map, norms: tuple) -> Tensor:
    y = y + attention(y, y, y, _past(y, y))
    y = y + cross(y, memory, memory)
    return y + ff(y)


def _cross_first(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, ff: Map, norms: tuple) -> Tensor:
    y = y + cross(norms[0](y), memory, memory)
    return _ended(_self(y, attention, norms[1]), ff, norms)


def _from_normed(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, ff: Map, norms: tuple) -> Tensor:
    y = norms[0](y)
    y = norms[1](y + attention(y, y, y, _past(y, y)))
    y = norms[2](y + cross(y, memory, memory))
    return y + ff(y)


def _then(answer: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A block whose cross-attention is `answer(y, memory, cross, norm)` and whose rest is right."""

    def block(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, ff: Map, norms: tuple) -> Tensor:
        y = _self(y, attention, norms[0])
        return _ended(answer(y, memory, cross, norms[1]), ff, norms)

    return block


def _first(answer: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A block whose self-attention is `answer(y, attention, norm)` and whose rest is right."""

    def block(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, ff: Map, norms: tuple) -> Tensor:
        y = answer(y, attention, norms[0])
        return _ended(y + cross(norms[1](y), memory, memory), ff, norms)

    return block


def _last(answer: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A block whose feed-forward network is `answer(y, ff, norm)` and whose rest is right."""

    def block(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, ff: Map, norms: tuple) -> Tensor:
        return answer(_crossed(y, memory, attention, cross, norms), ff, norms[2])

    return block


DECODER = Exercise(
    name="10.decoder",
    title="A decoder block with its norms in front",
    statement="""Return what a pre-norm decoder block makes of y: [batch, target, dim].

Its parts are those of the page, but each is put into the stream as y + part(norm(y)) (pre-norm, lesson 09): self-
attention with the first norm, cross-attention with the second, feed-forward network with the third. The encoder has
already normed its vectors when it hands them over: `memory` is used as it is. Nobody may see the target's future.

y [batch, target, dim]; memory [batch, source, dim]; attention and cross_attention (query, key, value, mask=None) ->
[batch, queries, dim]; feed_forward and each of the three norms [..., dim] -> [..., dim].""",
    axes="[batch, target, dim]",
    stub="""def decoder_block(y, memory, attention, cross_attention, feed_forward, norms):
    ...
""",
    hints=(
        "There are three parts, one after the other, each added to the y of before. What goes into a part is the norm "
        "of that y; what it is added to is y itself.",
        "Self-attention: query, key and value are all the normed y, with `causal(y.shape[1])` as mask. In the "
        "cross-attention the normed y asks and `memory` answers, without a mask.",
        "Three lines of the form y = y + part(norm(y)), one after the other, each with the y that the line before has "
        "made. `memory` comes from the encoder as it is: none of these norms is for it.",
    ),
    solution=decoder_block,
    spec=decoder_block_spec,
    inputs=lambda: [_block(2, 5, 5), _block(3, 4, 4)],
    edges=lambda: [_block(2, 3, 7), _block(1, 6, 2), _block(1, 1, 1)],
    mistakes=(
        Mistake(
            "this is post-norm, the block of the page: norm(y + part(y)). Asked for is y + part(norm(y))",
            _post_norm,
        ),
        Mistake(
            "the norms stand behind the parts: y + norm(part(y)). They belong in front: y + part(norm(y))",
            _normed_parts,
        ),
        Mistake("the norms are missing: each part is given norm(y)", _plain),
        Mistake("the residual connections are missing: what a part makes is added to y, it does not replace it", _bare),
        Mistake(
            "the norms stand in the stream itself: a part is given norm(y), but what it makes is added to y as it was",
            _from_normed,
        ),
        Mistake(
            "the future leaks: the self-attention of a decoder needs the causal mask",
            _first(lambda y, attention, norm: y + attention(norm(y), norm(y), norm(y))),
        ),
        Mistake(
            "the mask lies on the wrong attention, the cross-attention: the source is known as a whole, it is the "
            "target's future that must be hidden",
            lambda y, memory, attention, cross, ff, norms: _ended(
                (lambda now: now + cross(norms[1](now), memory, memory, _past(y, memory)))(
                    y + attention(norms[0](y), norms[0](y), norms[0](y))
                ),
                ff,
                norms,
            ),
        ),
        Mistake(
            "the cross-attention is causal too: the source is known as a whole before anything is written",
            _then(lambda y, memory, cross, norm: y + cross(norm(y), memory, memory, _past(y, memory))),
        ),
        Mistake(
            "the causal mask is turned round: each word sees itself and its future, and must see its past",
            _first(lambda y, attention, norm: y + attention(norm(y), norm(y), norm(y), _past(y, y).mT)),
        ),
        Mistake(
            "the causal mask is inverted: True means may attend, and each word sees itself and its past",
            _first(lambda y, attention, norm: y + attention(norm(y), norm(y), norm(y), ~_past(y, y))),
        ),
        Mistake(
            "memory asks and the target answers: in the cross-attention the target asks, query=norms[1](y)",
            _then(lambda y, memory, cross, norm: y + cross(memory, norm(y), norm(y))),
        ),
        Mistake(
            "memory asks itself: in the cross-attention the target asks, query=norms[1](y)",
            _then(lambda y, memory, cross, norm: y + cross(memory, memory, memory)),
        ),
        Mistake(
            "the target asks itself a second time: in the cross-attention memory gives keys and values",
            _then(lambda y, memory, cross, norm: y + cross(norm(y), norm(y), norm(y))),
        ),
        Mistake(
            "keys of memory, values of the target: keys and values come in pairs, both from memory",
            _then(lambda y, memory, cross, norm: y + cross(norm(y), memory, norm(y))),
        ),
        Mistake(
            "keys of the target, values of memory: keys and values come in pairs, both from memory",
            _then(lambda y, memory, cross, norm: y + cross(norm(y), norm(y), memory)),
        ),
        Mistake(
            "memory was normed: the encoder has done that already, `memory` is used as it is",
            _then(lambda y, memory, cross, norm: y + cross(norm(y), norm(memory), norm(memory))),
        ),
        Mistake(
            "the cross-attention is missing: so nothing of the source arrives",
            _then(lambda y, memory, cross, norm: y),
        ),
        Mistake(
            "the residual connection around the cross-attention is missing: what it makes is added to y",
            _then(lambda y, memory, cross, norm: cross(norm(y), memory, memory)),
        ),
        Mistake(
            "the norm in front of the cross-attention is missing: it is asked with norms[1](y)",
            _then(lambda y, memory, cross, norm: y + cross(y, memory, memory)),
        ),
        Mistake(
            "what the cross-attention makes was added to the normed y: it is added to y as it was",
            _then(lambda y, memory, cross, norm: norm(y) + cross(norm(y), memory, memory)),
        ),
        Mistake(
            "the self-attention is missing: the target's words never meet",
            _first(lambda y, attention, norm: y),
        ),
        Mistake(
            "the residual connection around the self-attention is missing: what it makes is added to y",
            _first(lambda y, attention, norm: attention(norm(y), norm(y), norm(y), _past(y, y))),
        ),
        Mistake(
            "the norm in front of the self-attention is missing: it is given norms[0](y)",
            _first(lambda y, attention, norm: y + attention(y, y, y, _past(y, y))),
        ),
        Mistake(
            "only the query of the self-attention was normed: key and value are the normed y too",
            _first(lambda y, attention, norm: y + attention(norm(y), y, y, _past(y, y))),
        ),
        Mistake(
            "the value of the self-attention was not normed: query, key and value are all the normed y",
            _first(lambda y, attention, norm: y + attention(norm(y), norm(y), y, _past(y, y))),
        ),
        Mistake(
            "what the self-attention makes was added to the normed y: it is added to y as it was",
            _first(lambda y, attention, norm: norm(y) + attention(norm(y), norm(y), norm(y), _past(y, y))),
        ),
        Mistake(
            "the feed-forward network is missing: it is the third part",
            _last(lambda y, ff, norm: y),
        ),
        Mistake(
            "the residual connection around the feed-forward network is missing: what it makes is added to y",
            _last(lambda y, ff, norm: ff(norm(y))),
        ),
        Mistake(
            "the norm in front of the feed-forward network is missing: it is given norms[2](y)",
            _last(lambda y, ff, norm: y + ff(y)),
        ),
        Mistake(
            "what the feed-forward network makes was added to the normed y: it is added to y as it was",
            _last(lambda y, ff, norm: norm(y) + ff(norm(y))),
        ),
        Mistake(
            "the cross-attention comes first, with the first norm: the self-attention comes before it",
            _cross_first,
        ),
        Mistake(
            "the cross-attention comes first: the self-attention comes before it",
            lambda y, memory, attention, cross, ff, norms: _cross_first(
                y, memory, attention, cross, ff, (norms[1], norms[0], norms[2])
            ),
        ),
        Mistake(
            "the cross-attention was asked with the y of before the self-attention: the parts come one after the other",
            lambda y, memory, attention, cross, ff, norms: _ended(
                _self(y, attention, norms[0]) + cross(norms[1](y), memory, memory), ff, norms
            ),
        ),
        Mistake(
            "all three parts read the first y, side by side: they come one after the other, each reads the y that the "
            "part before it has made",
            lambda y, memory, attention, cross, ff, norms: (
                _self(y, attention, norms[0]) + cross(norms[1](y), memory, memory) + ff(norms[2](y))
            ),
        ),
        Mistake(
            "the self-attention was used twice: memory is asked through `cross_attention`, which has weights of its "
            "own",
            lambda y, memory, attention, cross, ff, norms: decoder_block(y, memory, attention, attention, ff, norms),
        ),
        Mistake(
            "the two attentions are exchanged: each has weights of its own",
            lambda y, memory, attention, cross, ff, norms: decoder_block(y, memory, cross, attention, ff, norms),
        ),
        Mistake(
            "one norm stands in front of all parts: there are three, each with a gain of its own",
            lambda y, memory, attention, cross, ff, norms: decoder_block(
                y, memory, attention, cross, ff, (norms[0], norms[0], norms[0])
            ),
        ),
        Mistake(
            "one norm too many: a last norm belongs behind the last block, not into each",
            lambda y, memory, attention, cross, ff, norms: norms[2](
                decoder_block(y, memory, attention, cross, ff, norms)
            ),
        ),
    ),
)

EXERCISES = [WHO, DECODER, SMOOTHING, BEAM]
