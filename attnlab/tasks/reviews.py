"""Short reviews of three things each, and a question about one: is it good? Which word decides is known.

"the plot was weak , the film was great , the sound was fine": asked about the film, the answer is yes, and "great" says
so. The other two opinions are drawn apart from it, so they tell nothing.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int64
from torch import Generator, Tensor

from attnlab.checks import Size, check_ids, checked

ABOUT = ["film", "music", "ending", "plot", "cast", "sound"]
GOOD = ["great", "fine", "lovely", "superb"]
BAD = ["poor", "dull", "awful", "weak"]
VOCABULARY = ["the", "was", ",", *ABOUT, *GOOD, *BAD]
WORDS = 14
"""Words of a review: "the ... was ..." three times, with a comma between."""


class Reviews(NamedTuple):
    """tokens: of `VOCABULARY`. asked: the token of the thing that the question is about. good: 1 where it is called
    good, else 0. places: where the word stands that says so."""

    tokens: Int64[Tensor, "batch words"]
    asked: Int64[Tensor, " batch"]
    good: Float[Tensor, " batch"]
    places: Int64[Tensor, " batch"]


@checked
def in_words(tokens: Int64[Tensor, " words"]) -> list[str]:
    """One review as it is read. Raises ValueError for tokens that the vocabulary does not have."""
    check_ids(tokens, len(VOCABULARY), "tokens")
    return [VOCABULARY[token] for token in tokens]


@checked
def reviews(size: Size, generator: Generator) -> Reviews:
    """`size` fresh reviews, each with a question about any of its three things, on the generator's device."""
    return _written(*_three(size, generator), generator)


@checked
def film_reviews(size: Size, generator: Generator) -> Reviews:
    """The same, but the film is always among the three things, and the question is always about the film."""
    about, opinions = _three(size, generator)
    missing = (about != 0).all(1)
    about[missing, torch.randint(3, (int(missing.sum()),), generator=generator, device=about.device)] = 0
    return _written(about, opinions, generator, (about == 0).float().argmax(1))


def _three(size: Size, generator: Generator) -> tuple[Tensor, Tensor]:
    """[size, 3] each: things, none of them twice, and opinions, the first four of which are good."""
    about = torch.rand(size, len(ABOUT), generator=generator, device=generator.device).argsort(dim=1)[:, :3]
    opinions = torch.randint(len(GOOD + BAD), (size, 3), generator=generator, device=generator.device)
    return about, opinions


def _written(about: Tensor, opinions: Tensor, generator: Generator, which: Tensor | None = None) -> Reviews:
    """which: [size], the thing that is asked about; drawn unless given."""
    size, device = len(about), about.device
    if which is None:
        which = torch.randint(3, (size,), generator=generator, device=device)
    the, was, comma = (torch.full((size, 3), token, device=device) for token in range(3))
    things, said = about + 3, opinions + 3 + len(ABOUT)
    tokens = torch.stack([the, things, was, said, comma], dim=2).flatten(1)[:, :WORDS]
    each = torch.arange(size, device=device)
    return Reviews(tokens, things[each, which], (opinions[each, which] < len(GOOD)).float(), 5 * which + 3)
