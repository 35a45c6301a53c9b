"""Exercise 10.smoothing: a loss with smoothed labels."""

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import training


def smoothed_loss(logits: Tensor, target: Tensor, smoothing: int | float) -> Tensor:
    """The solution."""
    vocabulary = logits.shape[-1]
    wanted = (1 - smoothing) * one_hot(target, vocabulary) + smoothing / vocabulary
    return -(wanted * logits.log_softmax(dim=-1)).sum(dim=-1)


def _smoothing_inputs(tokens: int, vocabulary: int, smoothing: float, size: float = 1.5) -> tuple:
    chance = torch.Generator().manual_seed(10 * tokens + vocabulary)
    logits = size * torch.randn(tokens, vocabulary, generator=chance)
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
    edges=lambda: [
        _smoothing_inputs(1, 2, 0.5),
        _smoothing_inputs(7, 3, 0.0),
        _smoothing_inputs(2, 5, 1.0),
        _smoothing_inputs(3, 4, 0.1, size=300.0),
    ],
    mistakes=(
        Mistake(
            "infinite where a logit is far below the highest: its probability rounds to 0, whose logarithm is minus "
            "infinity; `log_softmax` takes both steps in one",
            lambda logits, target, smoothing: -(_smooth(logits, target, smoothing) * logits.softmax(-1).log()).sum(-1),
        ),
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
