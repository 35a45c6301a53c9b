"""Captions: a convolutional network makes a grid of states of a picture, a decoder looks at it anew for every word.

    scenes = Scenes()
    model = Captioner(len(scenes.vocabulary))
    loss = lambda g: teacher_forcing(model, *scenes.batch(64, g))
    for _ in fit(model, loss, 350, rate=2e-2, optimiser=muon, schedule=partial(linear, warmup=60)):
        pass

So trained (21 to 25 s of one processor), three seeds wrote 99.5 to 99.8 % of 400 held-out captions exactly, with 0.95
to 0.98 of the weight of colour and shape words on their thing, which covers 0.12 of the picture.

The decoders are those of `seq2seq`, the places of the grid take the part of the source's tokens: row by row from the
top left corner. Where a text comes with its lengths, a picture comes with `allowed`, [batch, rows, columns], True where
may be looked; so `teacher_forcing`, `translate`, `exact`, `record` and `override` do what they do for texts.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout

from attnlab.alignment import Additive, Score
from attnlab.attention import Attention
from attnlab.checks import PAD, NotNegative, Size, check_ids, check_pixels, checked
from attnlab.hard_attention import surrogate
from attnlab.positions import Positions
from attnlab.seq2seq import AttentionDecoder, Decoder, Encoder, Hard, LookBack, Memory, Recurrence, State

STRIDE = 4  # pixels from one place of the grid to the next
FIELD = 10  # pixels that one place sees, along each side


@checked
class RowsAndColumns(Positions):
    """A learned vector for every row and one for every column of a grid, both added to the state at that place.

    scale: the standard deviation that the vectors start with.

    **Source:** Dosovitskiy et al. 2021, "An Image is Worth 16x16 Words", appendix D.4, where the two halves of a vector
    come from the row and the column; here whole vectors are added.
    """

    def __init__(self, rows: Size, columns: Size, dim: Size, scale: NotNegative = 0.3) -> None:
        super().__init__()
        self.rows = nn.Parameter(torch.randn(rows, 1, dim) * scale)
        self.columns = nn.Parameter(torch.randn(1, columns, dim) * scale)

    def forward(self, x: Float[Tensor, "*batch places dim"], start: int = 0) -> Float[Tensor, "*batch places dim"]:
        """x, whose places are those of the grid row by row, with their vectors. Raises ValueError for another grid."""
        table = (self.rows + self.columns).flatten(0, 1)
        if start or x.shape[-2:] != table.shape:
            raise ValueError(
                f"expected the states of {table.shape[0]} places of {table.shape[1]} numbers, got {list(x.shape)} "
                f"from place {start}"
            )
        return x + table


@checked
class GridEncoder(nn.Module):
    """A picture becomes a grid of states, one for every 4 x 4 pixels; each sees 10 x 10 pixels and knows its place.

    Two convolutions of 4 x 4 pixels in steps of 2, then one of 1 x 1. A state that sees little more than one object
    cannot tell about another: who wants to know it has to look there.

    **Source:** Xu et al. 2015, "Show, Attend and Tell: Neural Image Caption Generation with Visual Attention", section
    3.1.1, whose states come from a network that was trained before and see most of the picture.
    **Names:** a_i -> keys, L -> places, D -> dim.
    """

    def __init__(self, dim: Size = 64, size: Size = 32, channels: Size = 24) -> None:
        super().__init__()
        if size % STRIDE:
            raise ValueError(f"expected pictures of a size that {STRIDE} divides, got {size}")
        self.size, self.dim, self.cells = size, dim, size // STRIDE
        self.convolutions = nn.Sequential(
            nn.Conv2d(3, channels, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(channels, dim, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(dim, dim, 1),
        )
        self.positions = RowsAndColumns(self.cells, self.cells, dim)

    def forward(
        self, pictures: Float[Tensor, "batch 3 height width"], allowed: Bool[Tensor, "batch rows columns"] | None = None
    ) -> Memory:
        """pictures: red, green and blue, from 0 to 1. allowed: True where may be looked; None for everywhere.

        The summary is the mean of the states that may be looked at; all 0 where none may.
        Raises ValueError for pictures and masks of another size, and for pictures of other numbers.
        """
        wanted = [3, self.size, self.size]
        if list(pictures.shape[1:]) != wanted or not len(pictures):
            raise ValueError(f"expected pictures {['batch', *wanted]}, got {list(pictures.shape)}")
        check_pixels(pictures)
        grid = self.convolutions(pictures).flatten(2).mT  # [batch, places, dim]
        keys, mask = self.positions(grid), self._mask(pictures, allowed)
        share = mask.to(keys) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return Memory(keys, mask, (share.unsqueeze(1) @ keys).squeeze(1))

    def _mask(self, pictures: Tensor, allowed: Tensor | None) -> Tensor:
        wanted = (len(pictures), self.cells, self.cells)
        if allowed is None:
            return torch.ones(wanted, dtype=torch.bool, device=pictures.device).flatten(1)
        if allowed.shape != wanted:
            raise ValueError(f"expected allowed [batch, rows, columns] = {list(wanted)}, got {list(allowed.shape)}")
        return allowed.flatten(1)


@checked
class Forgetful(Recurrence):
    """A recurrent network that forgets a fifth of its state after every step, by chance, while it learns.

    Meant to keep a captioner from reading colour and shape in one look and looking elsewhere while it writes the shape.
    On lesson 13's scenes that is rare: of three seeds 0.95 to 0.98 of the weight lies on the thing with this, and
    0.90 to 0.98 without. See `Captioner`.

    **Source:** Srivastava et al. 2014, "Dropout: A Simple Way to Prevent Neural Networks from Overfitting".
    **Names:** 1 - p -> `forgets`.
    """

    forgets = 0.2

    def step(self, cell: nn.RNNCellBase, inputs: Float[Tensor, "batch dim"], state: State) -> State:
        after = super().step(cell, inputs, state)
        return after._replace(hidden=dropout(after.hidden, self.forgets, cell.training))


CELL = Forgetful(nn.GRU, nn.GRUCell)


@checked
class Captioner(nn.Module):
    """Writes a caption word by word; before each word it looks at the whole grid, softly.

    e_{t,i} = score(s_{t-1}, h_i), a_t = softmax(e_t), c_t = sum_i a_{t,i} h_i, s_t = GRU([y_{t-1}; c_t], s_{t-1}).
    Its first state is 0: whatever it knows of the picture it has looked at.

    score: a factory `(query_dim, key_dim, dim) -> score`, such as the entries of `SCORES`.

    **Source:** Xu et al. 2015, section 3.1 and equations 4 to 6 and 13, without their gate beta; their cell is an LSTM,
    and its first state is made of the mean of the grid.
    **Names:** h_{t-1} -> state, the query; a_i -> keys; alpha_t -> weights; z_t -> context; L -> places.
    """

    def __init__(
        self,
        vocabulary: Size,
        hidden: Size = 64,
        embedding: Size = 16,
        score: Callable[[int, int, int], Score] = Additive,
        dim: Size = 64,
        size: Size = 32,
    ) -> None:
        super().__init__()
        self.encoder = GridEncoder(dim, size)
        self.decoder = self.make_decoder(vocabulary, hidden, embedding, score(hidden, dim, hidden))

    def make_decoder(self, vocabulary: Size, hidden: Size, embedding: Size, score: Score) -> Decoder:
        """What writes. Other captioners differ here alone."""
        return AttentionDecoder(vocabulary, hidden, embedding, self.encoder.dim, score, CELL)

    def encode(
        self, pictures: Float[Tensor, "batch 3 height width"], allowed: Bool[Tensor, "batch rows columns"] | None = None
    ) -> Memory:
        """Looks at the pictures. Raises ValueError as `GridEncoder` does."""
        return self.decoder.prepare(self.encoder(pictures, allowed))

    def start(self, memory: Memory) -> State:
        """The decoder's state before the first word: 0."""
        return self.decoder.kind.start(memory.keys.new_zeros(len(memory.keys), self.decoder.cell.hidden_size))

    def step(
        self,
        previous: Int[Tensor, " batch"],
        state: State,
        memory: Memory,
        weights: Float[Tensor, "batch 1 places"] | None = None,
    ) -> tuple[Float[Tensor, "batch vocabulary"], State, Attention | None]:
        """One word, see `Seq2Seq.step`."""
        check_ids(previous, self.decoder.vocabulary, "words")
        return self.decoder(previous, state, memory, weights)

    def forward(
        self,
        pictures: Float[Tensor, "batch 3 height width"],
        allowed: Bool[Tensor, "batch rows columns"] | None,
        captions: Int[Tensor, "batch words"],
    ) -> Float[Tensor, "batch words vocabulary"]:
        """Logits of every next word when each step is given the right word before it: teacher forcing."""
        return self.run(pictures, allowed, captions)[0]

    def run(
        self,
        pictures: Float[Tensor, "batch 3 height width"],
        allowed: Bool[Tensor, "batch rows columns"] | None,
        captions: Int[Tensor, "batch words"],
    ) -> tuple[Float[Tensor, "batch words vocabulary"], Attention | None]:
        """What `forward` gives, and what was attended to, weights [batch, words, places]; None where nothing was.

        Raises ValueError as `encode` does, for captions that are no words, and for another number than of pictures.
        """
        if not captions.numel() or len(captions) != len(pictures):
            raise ValueError(
                f"expected a caption of at least one word for each of {len(pictures)} pictures, got shape "
                f"{list(captions.shape)}"
            )
        check_ids(captions, self.decoder.vocabulary, "words")
        memory = self.encode(pictures, allowed)
        return self.decoder.run(captions, self.start(memory), memory)


@checked
class HardCaptioner(Captioner):
    """Looks at one place alone before each word: a drawn one while it learns, the likeliest one at work.

    It learns where to look from `hard_caption_loss`: hardly from the start, where there are 64 places to try, but soon
    from the weights of a soft captioner that has learned, `hard.load_state_dict(soft.state_dict())`, with 100 steps of
    `muon` at a rate of 5e-3.

    **Source:** Xu et al. 2015, section 4.1.
    """

    def make_decoder(self, vocabulary: Size, hidden: Size, embedding: Size, score: Score) -> Decoder:
        decoder = AttentionDecoder(vocabulary, hidden, embedding, self.encoder.dim, score, CELL)
        decoder.attention = Hard(score)
        return decoder


@checked
class FixedCaptioner(Captioner):
    """Cannot look: all it gets of the picture is the mean of the grid, the same before every word. The control."""

    def make_decoder(self, vocabulary: Size, hidden: Size, embedding: Size, score: Score) -> Decoder:
        return Decoder(vocabulary, hidden, embedding, self.encoder.dim, CELL)


@checked
def hard_caption_loss(
    model: HardCaptioner,
    pictures: Float[Tensor, "batch 3 height width"],
    allowed: Bool[Tensor, "batch rows columns"],
    captions: Int[Tensor, "batch words"],
) -> Float[Tensor, ""]:
    """Cross-entropy in nats per word, and REINFORCE for where the model looked. All is moved to the model's device.

    The reward of a look is ln p of the word that it was for and of all words after it, since it changes the state. Its
    baseline is the mean reward of the same word of the other captions in the batch.

    **Source:** Xu et al. 2015, section 4.1, whose baseline is a moving average and whose reward is the whole caption's.
    **Names:** log p(y | s, a) -> reward, b -> baseline.
    """
    device = next(model.parameters()).device
    pictures, allowed, captions = (part.to(device) for part in (pictures, allowed, captions))
    logits, seen = model.run(pictures, allowed, captions[:, :-1])
    if seen is None or len(pictures) < 2:
        raise ValueError(f"expected a captioner that attends and 2 pictures or more, got {len(pictures)} pictures")
    target = captions[:, 1:]
    counts = target != PAD
    check_ids(target, logits.shape[-1], "words")
    log_p = -cross_entropy(logits.mT, target, reduction="none") * counts
    reward = log_p.detach().flip(1).cumsum(dim=1).flip(1)  # [batch, words], from each word to the end
    others = (reward.sum(dim=0) - reward) / (len(reward) - 1)
    baseline = torch.where(counts, others, reward)
    look = surrogate(seen.scores, seen.weights, reward, baseline, allowed.flatten(1).unsqueeze(1))
    return (look - log_p.sum()) / counts.sum().clamp(min=1)


@checked
def doubly_stochastic(
    weights: Float[Tensor, "batch words places"], counts: Bool[Tensor, "batch words"], total: NotNegative = 1.0
) -> Float[Tensor, ""]:
    """How far each place is from getting the weight `total` over all words of a caption: sum_i (total - sum_t a_ti)^2,
    the mean over the batch. Added to the loss with a factor, it asks the model to look everywhere once.

    The sum over the places is 1 for each word anyway; the penalty is about the other sum, over the words.
    counts: True for words, False for padding. With C words and L places the sums are C / L on average, so that 1 cannot
    be reached by fewer words than places; what is best then is the same weight for every place.

    **Source:** Xu et al. 2015, section 4.2.1, equation 14. **Names:** alpha_ti -> weights, C -> words, L -> places,
    1 -> total; the factor lambda is left to whoever adds up the losses.
    """
    if not len(weights) or weights.shape[:2] != counts.shape:
        raise ValueError(f"expected counts {list(weights.shape[:2])} of one caption or more, got {list(counts.shape)}")
    over_words = (weights * counts.unsqueeze(2)).sum(dim=1)  # [batch, places]
    return (total - over_words).square().sum(dim=1).mean()


@checked
class Answerer(nn.Module):
    """Answers a question about a picture with one word: the question's last state asks the grid, once.

    The same attention as in `Captioner`; only who asks is another. Its weights are heard at `attention`. One answer a
    picture teaches slowly what a picture holds; a captioner that has learned lends its grid:
    `answerer.encoder.load_state_dict(captioner.encoder.state_dict())`.

    **Source:** the lecture's "X, attend and Y"; Xu and Saenko 2016, "Ask, Attend and Answer: Exploring Question-Guided
    Spatial Attention for Visual Question Answering".
    """

    def __init__(
        self,
        questions: Size,
        answers: Size,
        hidden: Size = 64,
        embedding: Size = 16,
        score: Callable[[int, int, int], Score] = Additive,
        dim: Size = 64,
        size: Size = 32,
    ) -> None:
        super().__init__()
        self.encoder = GridEncoder(dim, size)
        self.question = Encoder(questions, hidden, embedding, bidirectional=False)
        self.attention = LookBack(score(hidden, dim, hidden))
        self.output = nn.Linear(hidden + dim, answers)

    def forward(
        self,
        pictures: Float[Tensor, "batch 3 height width"],
        allowed: Bool[Tensor, "batch rows columns"] | None,
        questions: Int[Tensor, "batch words"],
        lengths: Int[Tensor, " batch"],
    ) -> Float[Tensor, "batch answers"]:
        """Logits of the answers. Raises ValueError as `GridEncoder` and `Encoder` do, and for another number of
        questions than of pictures."""
        if len(pictures) != len(questions):
            raise ValueError(f"expected one question for each of {len(pictures)} pictures, got {len(questions)}")
        grid = self.attention.prepare(self.encoder(pictures, allowed))
        asked = self.question(questions, lengths).summary
        seen = self.attention(asked.unsqueeze(1), grid)
        return self.output(torch.cat([asked, seen.context.squeeze(1)], dim=-1))
