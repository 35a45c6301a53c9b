"""Exercise 11.windows: one window, as many questions as places."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake


def windows(text: Tensor, starts: Tensor, context: int) -> Tensor:
    """The solution."""
    places = starts.unsqueeze(1) + torch.arange(context + 1, device=starts.device)
    found = text[places]  # [batch, context + 1]
    return torch.stack([found[:, :-1], found[:, 1:]])


def windows_spec(text: Tensor, starts: Tensor, context: int) -> Tensor:
    """The same in loops."""
    read = text.new_zeros(2, len(starts), context)
    for b in range(len(starts)):
        for i in range(context):
            read[0, b, i] = text[starts[b] + i]
            read[1, b, i] = text[starts[b] + i + 1]
    return read


def _read(text: Tensor, starts: Tensor, context: int, ahead: int) -> Tensor:
    """Windows that begin `ahead` tokens later; behind the text's end its beginning."""
    return text[(starts.unsqueeze(1) + torch.arange(context) + ahead) % len(text)]


def _pair(text: Tensor, starts: Tensor, context: int, ahead: int) -> Tensor:
    return torch.stack([_read(text, starts, context, 0), _read(text, starts, context, ahead)])


def _text(tokens: int, starts: list[int], context: int) -> tuple:
    return torch.randperm(tokens, generator=torch.Generator().manual_seed(tokens)), torch.tensor(starts), context


WINDOWS = Exercise(
    name="11.windows",
    title="One window, as many questions as places",
    statement="""Return what a GPT reads and what it is asked: [2, batch, context], the inputs and then the targets.

Window b begins at place starts[b] of the text and is `context` tokens long. The target of each place is the token that
comes next in the text.

text [tokens], ids; starts [batch], places; context, a whole number. No window runs over the end of the text.""",
    axes="[2, batch, context]",
    stub="""def windows(text, starts, context):
    ...
""",
    hints=(
        "What comes after the last token of a window stands in the text, too, but not in the window.",
        "So read windows that are one token longer: `starts.unsqueeze(1) + torch.arange(context + 1)` are their "
        "places, and a text can be asked for many places at once.",
        "All of a window but its last token are inputs, all but its first are targets; `torch.stack` puts the two "
        "above each other.",
    ),
    solution=windows,
    spec=windows_spec,
    inputs=lambda: [_text(29, [3, 11], 5), _text(41, [0, 7, 20], 8)],
    edges=lambda: [_text(13, [8], 4), _text(11, [0, 9], 1)],
    mistakes=(
        Mistake(
            "the targets are the inputs: a model that copies would be right everywhere; they are one token further on",
            lambda text, starts, context: _pair(text, starts, context, 0),
        ),
        Mistake(
            "the targets were shifted the wrong way: what is asked for is what comes next, not what came before",
            lambda text, starts, context: _pair(text, starts, context, -1),
        ),
        Mistake(
            "the targets are two tokens further on: the next one is never asked for",
            lambda text, starts, context: _pair(text, starts, context, 2),
        ),
        Mistake(
            "the targets are the next window: each place is asked for a token `context` places away",
            lambda text, starts, context: _pair(text, starts, context, context),
        ),
        Mistake(
            "the inputs were rolled, so that the last place is asked for the first token of its own window: the token "
            "behind the window is in the text",
            lambda text, starts, context: torch.stack([
                _read(text, starts, context, 0),
                _read(text, starts, context, 0).roll(-1, 1),
            ]),
        ),
        Mistake(
            "the last target of each window is 0: what comes after it is not in the window, but in the text",
            lambda text, starts, context: torch.stack([
                _read(text, starts, context, 0),
                torch.nn.functional.pad(_read(text, starts, context, 0)[:, 1:], (0, 1)),
            ]),
        ),
        Mistake(
            "each window's inputs and targets stand together, [batch, 2, context]: all inputs come first, then all "
            "targets, `torch.stack([...], dim=0)`",
            lambda text, starts, context: _pair(text, starts, context, 1).transpose(0, 1),
        ),
        Mistake(
            "inputs and targets are exchanged",
            lambda text, starts, context: _pair(text, starts, context, 1).flip(0),
        ),
        Mistake(
            "these are places, not tokens: ask the text for them",
            lambda text, starts, context: _pair(torch.arange(len(text)), starts, context, 1),
        ),
        Mistake(
            "all windows begin where the first does: each has a start of its own",
            lambda text, starts, context: _pair(text, starts[:1].expand_as(starts), context, 1),
        ),
        Mistake(
            "the starts were counted in windows: they are places in the text",
            lambda text, starts, context: _pair(text, starts * context, context, 1),
        ),
        Mistake(
            "each window begins one token late",
            lambda text, starts, context: _pair(text, starts + 1, context, 1),
        ),
    ),
)
