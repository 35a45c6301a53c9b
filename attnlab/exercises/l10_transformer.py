"""Exercises of lesson 10: the loss of the paper's recipe, and one step of beam search."""
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from attnlab.exercises.exercise import Exercise, Mistake

# 10.smoothing --------------------------------------------------------------------------------------------------------


def smoothed_loss(logits, target, smoothing):
    """The solution."""
    vocabulary = logits.shape[-1]
    wanted = (1 - smoothing) * one_hot(target, vocabulary) + smoothing / vocabulary
    return -(wanted * logits.log_softmax(dim=-1)).sum(dim=-1)


def smoothed_loss_spec(logits: Tensor, target: Tensor, smoothing: float) -> Tensor:
    """The same, number by number."""
    losses = []
    for row, right in zip(logits, target.tolist(), strict=True):
        total, vocabulary, loss = sum(torch.exp(logit) for logit in row), len(row), 0
        for token, logit in enumerate(row):
            wanted = smoothing / vocabulary + (1 - smoothing if token == right else 0)
            loss = loss - wanted * torch.log(torch.exp(logit) / total)
        losses.append(loss)
    return torch.stack(losses)


def _smoothing_inputs(tokens: int, vocabulary: int, smoothing: float) -> tuple:
    chance = torch.Generator().manual_seed(10 * tokens + vocabulary)
    logits = 1.5 * torch.randn(tokens, vocabulary, generator=chance)
    return logits, torch.randint(vocabulary, (tokens,), generator=chance), smoothing


def _right(logits, target):
    """1 for the right token, 0 for the others."""
    return one_hot(target, logits.shape[-1]).float()


def _smooth(logits, target, smoothing):
    return (1 - smoothing) * _right(logits, target) + smoothing / logits.shape[-1]


def _against(wanted, logits):
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
    stub='''def smoothed_loss(logits, target, smoothing):
    ...
''',
    hints=(
        "Make the wanted probabilities first, [tokens, vocabulary]; each row must sum to 1. "
        "`torch.nn.functional.one_hot(target, vocabulary)` has a 1 at each right token.",
        "wanted = (1 - smoothing) * the one-hot rows + smoothing / vocabulary. `logits.log_softmax(dim=-1)` gives the "
        "log-probabilities.",
        "Multiply the two, sum over the last axis, the vocabulary, and turn the sign: log-probabilities are negative, "
        "a loss is not.",
    ),
    solution=smoothed_loss,
    spec=smoothed_loss_spec,
    inputs=lambda: [_smoothing_inputs(5, 7, 0.1), _smoothing_inputs(3, 11, 0.3)],
    edges=lambda: [_smoothing_inputs(1, 2, 0.5), _smoothing_inputs(7, 3, 0.0), _smoothing_inputs(2, 5, 1.0)],
    mistakes=(
        Mistake(
            "the smoothing is not used: this is the plain cross-entropy, minus the log-probability of the right token",
            lambda logits, target, smoothing: _against(_right(logits, target), logits)),
        Mistake(
            "the smoothing was shared among the wrong tokens only, smoothing / (vocabulary - 1) each: here all tokens "
            "get smoothing / vocabulary, the right one too",
            lambda logits, target, smoothing: _against(
                (1 - smoothing) * _right(logits, target)
                + smoothing / (logits.shape[-1] - 1) * (1 - _right(logits, target)), logits)),
        Mistake(
            "the right token is given 1 - smoothing alone: it also gets smoothing / vocabulary like every other, else "
            "the wanted probabilities sum to less than 1",
            lambda logits, target, smoothing: _against(
                (1 - smoothing) * _right(logits, target)
                + smoothing / logits.shape[-1] * (1 - _right(logits, target)), logits)),
        Mistake(
            "the right token still has 1, and the smoothing came on top: the wanted probabilities sum to more than 1",
            lambda logits, target, smoothing: _against(_right(logits, target) + smoothing / logits.shape[-1], logits)),
        Mistake(
            "every token was given the whole smoothing: divide it by the size of the vocabulary",
            lambda logits, target, smoothing: _against((1 - smoothing) * _right(logits, target) + smoothing, logits)),
        Mistake(
            "smoothing and 1 - smoothing are exchanged: the right token must get the larger part",
            lambda logits, target, smoothing: _against(
                smoothing * _right(logits, target) + (1 - smoothing) / logits.shape[-1], logits)),
        Mistake(
            "the wanted probabilities are those of all tokens alike: the right token does not count",
            lambda logits, target, smoothing: -logits.log_softmax(-1).mean(-1)),
        Mistake(
            "the logarithm is missing: a cross-entropy sums wanted probability times log-probability",
            lambda logits, target, smoothing: -(_smooth(logits, target, smoothing) * logits.softmax(-1)).sum(-1)),
        Mistake(
            "the logits were used as they are: log_softmax makes log-probabilities of them",
            lambda logits, target, smoothing: -(_smooth(logits, target, smoothing) * logits).sum(-1)),
        Mistake(
            "the softmax ran over the tokens of the text: each token has its own probabilities, over the vocabulary, "
            "the last axis",
            lambda logits, target, smoothing: -(_smooth(logits, target, smoothing) * logits.log_softmax(0)).sum(-1)),
        Mistake(
            "the sign is wrong: log-probabilities are negative, a loss is not",
            lambda *inputs: -smoothed_loss(*inputs)),
        Mistake(
            "the prediction was smoothed instead of the label: the model's own probabilities stay as they are",
            lambda logits, target, smoothing: -(
                (1 - smoothing) * (logits.softmax(-1) * _right(logits, target)).sum(-1)
                + smoothing / logits.shape[-1]).log()),
        Mistake(
            "the mean over the vocabulary in place of the sum: a cross-entropy adds up over all tokens that could come",
            lambda logits, target, smoothing: smoothed_loss(logits, target, smoothing) / logits.shape[-1]),
        Mistake(
            "this is the mean of all losses: return one loss for each token, [tokens]",
            lambda *inputs: smoothed_loss(*inputs).mean()),
        Mistake(
            "this is the sum of all losses: return one loss for each token, [tokens]",
            lambda *inputs: smoothed_loss(*inputs).sum()),
        Mistake(
            "the sum over the vocabulary is missing: these are its parts, [tokens, vocabulary]",
            lambda logits, target, smoothing: -_smooth(logits, target, smoothing) * logits.log_softmax(-1)),
    ),
)


# 10.beam -------------------------------------------------------------------------------------------------------------


def beam_step(kept, log_probabilities, width):
    """The solution."""
    totals = kept.unsqueeze(1) + log_probabilities  # [kept, vocabulary]
    best, places = totals.flatten().topk(width)
    vocabulary = log_probabilities.shape[1]
    return torch.stack([best, places // vocabulary, places % vocabulary], dim=1)


def beam_step_spec(kept: Tensor, log_probabilities: Tensor, width: int) -> Tensor:
    """The same, continuation by continuation."""
    continuations = []
    for parent in range(len(kept)):
        for token in range(log_probabilities.shape[1]):
            total = kept[parent] + log_probabilities[parent, token]
            continuations.append(torch.stack([total, torch.tensor(float(parent)), torch.tensor(float(token))]))
    continuations.sort(key=lambda row: -row[0].item())
    return torch.stack(continuations[:width])


def _beam_inputs(hypotheses: int, vocabulary: int, width: int, seed: int) -> tuple:
    """Hypotheses close to each other, so that the best continuations have several parents, and no equal totals."""
    chance = torch.Generator().manual_seed(seed)
    kept = -2 - torch.rand(hypotheses, generator=chance).sort().values
    return kept, torch.randn(hypotheses, vocabulary, generator=chance).log_softmax(-1), width


def _chosen(totals, places):
    """Rows [total, parent, token] of these places of the flattened totals."""
    vocabulary = totals.shape[1]
    return torch.stack([totals.flatten()[places], places // vocabulary, places % vocabulary], dim=1)


def _sums(kept, log_probabilities):
    return kept.unsqueeze(1) + log_probabilities


def _one_each(kept, log_probabilities):
    """Of each hypothesis its best continuation."""
    totals = _sums(kept, log_probabilities)
    return totals, torch.arange(len(kept)) * totals.shape[1] + totals.argmax(1)


def _best(totals, width, largest=True):
    return totals.flatten().topk(width, largest=largest).indices


def _parents(result: Tensor, kept: Tensor, log_probabilities: Tensor, width: int) -> str | None:
    if bool(((result[:, 1] < 0) | (result[:, 1] >= len(kept))).any()):
        return f"the second column names parents, rows of `kept` from 0 to {len(kept) - 1}; got {result[:, 1].tolist()}"
    return None


def _tokens(result: Tensor, kept: Tensor, log_probabilities: Tensor, width: int) -> str | None:
    last = log_probabilities.shape[1] - 1
    if bool(((result[:, 2] < 0) | (result[:, 2] > last)).any()):
        return f"the third column names tokens, from 0 to {last}; got {result[:, 2].tolist()}"
    return None


def _falling(result: Tensor, *_) -> str | None:
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
    stub='''def beam_step(kept, log_probabilities, width):
    ...
''',
    hints=(
        "Probabilities one after the other are multiplied, so their logarithms are added: give `kept` an axis for the "
        "tokens, `kept.unsqueeze(1)`, and add. The totals are [hypotheses, vocabulary].",
        "All continuations compete with one another: `totals.flatten().topk(width)` gives the best totals, falling, "
        "and their places in the flat row.",
        "A flat place is parent * vocabulary + token. So `places // vocabulary` is the parent and "
        "`places % vocabulary` the token; `torch.stack([...], dim=1)` puts the three columns side by side.",
    ),
    solution=beam_step,
    spec=beam_step_spec,
    inputs=lambda: [_beam_inputs(3, 7, 3, seed=0), _beam_inputs(5, 11, 5, seed=0)],
    edges=lambda: [_beam_inputs(1, 5, 3, seed=3), _beam_inputs(3, 2, 5, seed=4), _beam_inputs(2, 13, 1, seed=5)],
    doubts=(_parents, _tokens, _falling),
    mistakes=(
        Mistake(
            "the parent's log-probability is forgotten: a good token after a bad beginning is still a bad text",
            lambda kept, log_probabilities, width: _chosen(log_probabilities, _best(log_probabilities, width))),
        Mistake(
            "chosen by the token's log-probability alone; the parent's was added after the choice and must come before",
            lambda kept, log_probabilities, width: _chosen(
                _sums(kept, log_probabilities), _best(log_probabilities, width))),
        Mistake(
            "the choice is right, but the first column holds the token's log-probability alone: the parent's belongs "
            "to the total, the next step needs it",
            lambda kept, log_probabilities, width: _chosen(
                log_probabilities, _best(_sums(kept, log_probabilities), width))),
        Mistake(
            "one continuation of each hypothesis: all continuations of all compete, a parent may be chosen twice or "
            "never",
            lambda kept, log_probabilities, width: _chosen(
                *_one_each(kept, log_probabilities))[_sums(kept, log_probabilities).amax(1).argsort(descending=True)]),
        Mistake(
            "one continuation of each hypothesis, in the order of the parents: all continuations of all compete, and "
            "the best comes first",
            lambda kept, log_probabilities, width: _chosen(*_one_each(kept, log_probabilities))),
        Mistake(
            "only the best hypothesis was continued: that is greedy search; the others may have better continuations",
            lambda kept, log_probabilities, width: _chosen(
                _sums(kept, log_probabilities)[kept.argmax():][:1],
                _best(_sums(kept, log_probabilities)[kept.argmax():][:1], width))),
        Mistake(
            "the best of each hypothesis were returned, width for each: choose the best width of all of them together",
            lambda kept, log_probabilities, width: torch.cat([
                _chosen(_sums(kept, log_probabilities),
                        parent * log_probabilities.shape[1] + _best(log_probabilities[parent], width))
                for parent in range(len(kept))])),
        Mistake(
            "log-probabilities were multiplied: it is probabilities that are multiplied, their logarithms are added",
            lambda kept, log_probabilities, width: _chosen(
                kept.unsqueeze(1) * log_probabilities, _best(kept.unsqueeze(1) * log_probabilities, width))),
        Mistake(
            "log-probabilities were multiplied, and the smallest products taken: the logarithms are added",
            lambda kept, log_probabilities, width: _chosen(
                kept.unsqueeze(1) * log_probabilities, _best(kept.unsqueeze(1) * log_probabilities, width, False))),
        Mistake(
            "the parent's log-probability was subtracted: one after the other is a product of probabilities, a sum of "
            "their logarithms",
            lambda kept, log_probabilities, width: _chosen(
                log_probabilities - kept.unsqueeze(1), _best(log_probabilities - kept.unsqueeze(1), width))),
        Mistake(
            "the mean of the two log-probabilities: they are added; to compare texts of different lengths comes later",
            lambda kept, log_probabilities, width: _chosen(
                _sums(kept, log_probabilities) / 2, _best(_sums(kept, log_probabilities), width))),
        Mistake(
            "probabilities in the first column: the choice is right, but it asks for logarithms, which do not vanish "
            "in long texts",
            lambda kept, log_probabilities, width: _chosen(
                _sums(kept, log_probabilities).exp(), _best(_sums(kept, log_probabilities), width))),
        Mistake(
            "the probabilities of parent and token were added: one after the other they are multiplied",
            lambda kept, log_probabilities, width: _chosen(
                kept.exp().unsqueeze(1) + log_probabilities.exp(),
                _best(kept.exp().unsqueeze(1) + log_probabilities.exp(), width))),
        Mistake(
            "the worst continuations were chosen: a log-probability close to 0 is the best",
            lambda kept, log_probabilities, width: _chosen(
                _sums(kept, log_probabilities), _best(_sums(kept, log_probabilities), width, False))),
        Mistake(
            "the order is wrong: the best comes first",
            lambda *inputs: beam_step(*inputs).flip(0)),
        Mistake(
            "sorted by parent: the best continuation comes first, whoever its parent is",
            lambda *inputs: beam_step(*inputs)[beam_step(*inputs)[:, 1].argsort(stable=True)]),
        Mistake(
            "parent and token are exchanged: expected the columns total, parent, token",
            lambda *inputs: beam_step(*inputs)[:, [0, 2, 1]]),
        Mistake(
            "the flat place was divided by the number of hypotheses: a row of the totals is as long as the vocabulary",
            lambda kept, log_probabilities, width: _chosen(
                _sums(kept, log_probabilities).reshape(-1, len(kept)), _best(_sums(kept, log_probabilities), width))),
        Mistake(
            "the third column holds flat places, not tokens: the rest after division by the vocabulary is the token",
            lambda kept, log_probabilities, width: torch.stack(
                [*beam_step(kept, log_probabilities, width).T[:2], _best(_sums(kept, log_probabilities), width)], 1)),
        Mistake(
            "parents and tokens are counted from 1: count them from 0",
            lambda *inputs: beam_step(*inputs) + torch.tensor([0, 1, 1])),
        Mistake(
            "only parents and tokens: the first column must hold the totals, the next step starts from them",
            lambda *inputs: beam_step(*inputs)[:, 1:]),
        Mistake(
            "only the totals: which parent and which token they belong to is missing",
            lambda *inputs: beam_step(*inputs)[:, 0]),
    ),
)

EXERCISES = [SMOOTHING, BEAM]
