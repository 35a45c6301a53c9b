"""Exercise 16.hide: 80 / 10 / 10: what a masked encoder reads, and what it is asked."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs.tasks import hidden_words as specs
from attnlab.specs.tasks.hidden_words import HIDDEN, NOT_ASKED


def hide(tokens: Tensor, asked: Tensor, dice: Tensor, others: Tensor) -> Tensor:
    """The solution."""
    inputs = tokens.clone()
    inputs[asked & (dice < 90)] = others[asked & (dice < 90)]
    inputs[asked & (dice < 80)] = HIDDEN
    targets = tokens.clone()
    targets[~asked] = NOT_ASKED
    return torch.stack([inputs, targets])


def hide_spec(tokens: Tensor, asked: Tensor, dice: Tensor, others: Tensor) -> Tensor:
    """The same in loops."""
    return specs.hide(tokens, asked, dice / 100, others)


def _inputs(tokens: Tensor, others: Tensor, hidden: Tensor, replaced: Tensor) -> Tensor:
    return torch.where(hidden, HIDDEN, torch.where(replaced, others, tokens))


def _both(inputs: Tensor, tokens: Tensor, asked: Tensor, other: int = NOT_ASKED) -> Tensor:
    return torch.stack([inputs, torch.where(asked, tokens, other)])


def _mixed(tokens: Tensor, asked: Tensor, dice: Tensor, others: Tensor) -> Tensor:
    """The right inputs."""
    return _inputs(tokens, others, asked & (dice < 80), asked & (dice < 90))


def _read_again(tokens: Tensor, asked: Tensor, dice: Tensor, others: Tensor) -> Tensor:
    """Targets made of the inputs."""
    inputs = _mixed(tokens, asked, dice, others)
    return _both(inputs, inputs, asked)


def _case(batch: int, tokens: int, share: float = 0.5) -> tuple:
    draw = torch.Generator().manual_seed(10 * batch + tokens)
    texts, others = (torch.randint(4, 50, (batch, tokens), generator=draw) for _ in range(2))
    asked = torch.rand(batch, tokens, generator=draw) < share
    dice = torch.randint(100, (batch, tokens), generator=draw)
    borders = torch.tensor([79, 80, 89, 90])
    dice[0, : len(borders)] = borders
    asked[0, : len(borders)] = share > 0
    return texts, asked, dice, others


HIDE = Exercise(
    name="16.hide",
    title="80 / 10 / 10: what a masked encoder reads, and what it is asked",
    statement="""Return torch.stack([inputs, targets]) for a batch of texts.

Of the words that are asked for, 80 % are hidden, 10 % are replaced and 10 % stay as they are: dice decide.
Below 80 the input is HIDDEN, which is 1. From 80 to 89 it is the word in `others`. From 90 on it stays.
The target is the word that stood there, and -100 wherever nothing is asked: the loss leaves those places out.

tokens [batch, tokens]: ids. asked: True where a word is asked for. dice: from 0 to 99. others: ids of other words.""",
    axes="[2, batch, tokens]",
    stub="""def hide(tokens, asked, dice, others):
    ...
""",
    hints=(
        "Begin with the targets: `torch.where(asked, tokens, -100)`. They do not depend on `dice`.",
        "Two kinds of places change: `asked & (dice < 80)`, and `asked & (dice >= 80) & (dice < 90)`. Which word does "
        "each of them get, and which all others?",
        "One `torch.where` for each kind, one after the other, the second on what the first has made. `tokens` itself "
        "must stay as it was.",
    ),
    solution=hide,
    spec=hide_spec,
    inputs=lambda: [_case(7, 11), _case(5, 17)],
    edges=lambda: [_case(3, 13, 0.0), _case(2, 19, 1.0)],
    mistakes=(
        Mistake(
            "the targets ask for every word: then most of the loss is for words that stand in sight; -100 where "
            "nothing is asked",
            lambda tokens, asked, dice, others: torch.stack([_mixed(tokens, asked, dice, others), tokens]),
        ),
        Mistake(
            "the targets ask for hidden words alone; replaced and kept ones are asked for, too, or the model could "
            "trust every word that it sees",
            lambda tokens, asked, dice, others: _both(_mixed(tokens, asked, dice, others), tokens, asked & (dice < 80)),
        ),
        Mistake(
            "the words that are kept are not asked for; they are, as they look just like all others",
            lambda tokens, asked, dice, others: _both(_mixed(tokens, asked, dice, others), tokens, asked & (dice < 90)),
        ),
        Mistake(
            "where nothing is asked the target is 0, which is a token; the loss leaves out -100",
            lambda tokens, asked, dice, others: _both(_mixed(tokens, asked, dice, others), tokens, asked, 0),
        ),
        Mistake(
            "the targets hold what the model reads; they are the words that stood there before",
            _read_again,
        ),
        Mistake(
            "words are hidden and replaced wherever `dice` say so: only words that are asked for may change",
            lambda tokens, asked, dice, others: _both(_inputs(tokens, others, dice < 80, dice < 90), tokens, asked),
        ),
        Mistake(
            "all words that are asked for are hidden: that is 100 / 0 / 0",
            lambda tokens, asked, dice, others: _both(_inputs(tokens, others, asked, asked), tokens, asked),
        ),
        Mistake(
            "nothing is replaced: from 80 to 89 the word of `others` stands there",
            lambda tokens, asked, dice, others: _both(
                _inputs(tokens, others, asked & (dice < 80), asked & (dice < 80)), tokens, asked
            ),
        ),
        Mistake(
            "20 % are replaced and none is kept: from 90 on the word stays as it is",
            lambda tokens, asked, dice, others: _both(
                _inputs(tokens, others, asked & (dice < 80), asked), tokens, asked
            ),
        ),
        Mistake(
            "nothing is hidden any more: replaced words overwrite the hidden ones; `dice < 90` holds for those, too",
            lambda tokens, asked, dice, others: _both(torch.where(asked & (dice < 90), others, tokens), tokens, asked),
        ),
        Mistake(
            "nothing is hidden any more: the replaced words were put into `tokens` once more; go on with what the "
            "first step has made",
            lambda tokens, asked, dice, others: _both(
                torch.where(asked & (dice >= 80) & (dice < 90), others, tokens), tokens, asked
            ),
        ),
        Mistake(
            "80 is hidden: only below 80 is, `dice < 80`; from 80 on it is the word of `others`",
            lambda tokens, asked, dice, others: _both(
                _inputs(tokens, others, asked & (dice <= 80), asked & (dice < 90)), tokens, asked
            ),
        ),
        Mistake(
            "80 stays as it is: from 80 on, `dice >= 80`, it is the word of `others`",
            lambda tokens, asked, dice, others: _both(
                _inputs(tokens, others, asked & (dice < 80), asked & (dice < 90) & (dice != 80)), tokens, asked
            ),
        ),
        Mistake(
            "90 is replaced: from 90 on the word stays, so `dice < 90`",
            lambda tokens, asked, dice, others: _both(
                _inputs(tokens, others, asked & (dice < 80), asked & (dice <= 90)), tokens, asked
            ),
        ),
        Mistake(
            "10 % are hidden and 80 % replaced: it is the other way round",
            lambda tokens, asked, dice, others: _both(
                _inputs(tokens, others, asked & (dice >= 80) & (dice < 90), asked & (dice < 80)), tokens, asked
            ),
        ),
        Mistake(
            "targets first, inputs second: here it is the other way round",
            lambda tokens, asked, dice, others: _both(_mixed(tokens, asked, dice, others), tokens, asked).flip(0),
        ),
    ),
)
