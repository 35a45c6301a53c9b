"""Two questions about every letter of a string, a model for each code of positions, and strings longer than trained.

"back": the letter two to the left, for which a distance is enough. "mirrored": the string backwards, in place, for
which a place and the length are needed. Models are trained on 4 to 8 letters; there are places for 16.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int64
from torch import Generator, Tensor, nn

from attnlab.blocks import AttentionBlock
from attnlab.checks import Count, Size, checked
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import POSITIONS
from attnlab.registry import Table
from attnlab.tasks.tagging import NO_TARGET, Back, Mirrored, Tagging, accuracy, tagging_loss

SYMBOLS, SHORTEST, LONGEST, FARTHEST = 16, 4, 8, 16  # kinds of letters; lengths in training; the longest ever asked
QUESTIONS: dict[str, Tagging] = Table({"back": Back(2, SYMBOLS), "mirrored": Mirrored(SYMBOLS)})


@checked
class Tagger(nn.Module):
    """Two layers of attention with four heads. positions: a name of `POSITIONS`, the only thing that differs.

    An end mark is put behind the letters, so that a model can know where a string ends.
    """

    def __init__(self, positions: str, dim: Size = 64, heads: Size = 4) -> None:
        super().__init__()
        self.letters, self.answer = nn.Embedding(SYMBOLS + 1, dim), nn.Linear(dim, SYMBOLS)
        self.positions = POSITIONS[positions](dim, heads, FARTHEST + 1)
        attentions = (MultiHeadAttention(dim, heads, self.positions) for _ in range(2))
        self.blocks = nn.Sequential(*(AttentionBlock(attention) for attention in attentions))
        self.norm = nn.LayerNorm(dim)

    def forward(
        self, letters: Int64[Tensor, "batch tokens"], start: Count = 0
    ) -> Float[Tensor, "batch tokens symbols"]:
        """Logits for each letter. start: the place that the first one is given, by codes that act on embeddings."""
        end = letters.new_full((len(letters), 1), SYMBOLS)
        x = self.letters(torch.cat([letters, end], dim=1))
        return self.answer(self.norm(self.blocks(self.positions(x, start))))[:, :-1]


@checked
def taggers(seed: int) -> dict[str, dict[str, Tagger]]:
    """{question: {scheme: model}}, before their first step. With one seed all have the same letters."""
    made: dict[str, dict[str, Tagger]] = {question: {} for question in QUESTIONS}
    for question in QUESTIONS:
        for scheme in POSITIONS:
            torch.manual_seed(seed)
            made[question][scheme] = Tagger(scheme)
    return made


@checked
def loss_of_places(model: Tagger, question: str, generator: Generator, latest: Count = 0) -> Float[Tensor, ""]:
    """Of 32 fresh strings of one length, 4 to 8: the mean cross-entropy in nats a letter.

    latest: where the first letter may stand at the most; its place is drawn anew for each batch. 0: always at place 0.
    """
    length = int(torch.randint(SHORTEST, LONGEST + 1, (), generator=generator))
    start = int(torch.randint(latest + 1, (), generator=generator)) if latest else 0
    batch = QUESTIONS[question].batch(32, length, generator)
    return tagging_loss(model(batch.inputs, start), batch.targets)


@checked
@torch.no_grad()
def right_at_length(model: Tagger, question: str, length: Size, size: Size = 200) -> float:
    """The share of right answers to `size` strings of one length, always the same ones."""
    batch = QUESTIONS[question].batch(size, length, Generator().manual_seed(length))
    return accuracy(model(batch.inputs), batch.targets)


@checked
def right_at_lengths(model: Tagger, question: str, lengths: Sequence[int], size: Size = 200) -> float:
    """The mean of `right_at_length` over several lengths. Raises ValueError for none."""
    if not lengths:
        raise ValueError("expected one length or more, got none")
    return sum(right_at_length(model, question, length, size) for length in lengths) / len(lengths)


@checked
@torch.no_grad()
def right_by_place(model: Tagger, question: str, length: Size, size: Size = 500) -> Float[Tensor, " asked"]:
    """The share of right answers at each place that has one, in strings of one length."""
    batch = QUESTIONS[question].batch(size, length, Generator().manual_seed(5))
    right = (model(batch.inputs).argmax(dim=-1) == batch.targets).float().mean(dim=0)
    return right[batch.targets[0] != NO_TARGET]


@checked
@torch.no_grad()
def wrong_by_distance(model: Tagger, length: Size, size: Size = 500) -> Float[Tensor, " distances"]:
    """What is named in place of the letter two to the left: for each distance d, of the wrong answers that have a
    letter d to their left the share that names it. By chance a sixteenth; 0 where no answer is wrong.
    """
    batch = QUESTIONS["back"].batch(size, length, Generator().manual_seed(5))
    answers = model(batch.inputs).argmax(dim=-1)
    wrong = (answers != batch.targets) & (batch.targets != NO_TARGET)
    shares = torch.zeros(length)
    for distance in range(length):
        asked = wrong[:, distance:]
        named = asked & (answers[:, distance:] == batch.inputs[:, : length - distance])
        shares[distance] = named.sum() / asked.sum().clamp(min=1)
    return shares
