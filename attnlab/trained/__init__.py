"""Models that are trained already, so that a lesson can begin with some that can do something.

Each was trained by the script beside it, which also wrote the log; one was trained by others. A file's header holds the
seed, the settings, the versions and what the script measured. README.md names sources and licences. What other scripts
have measured, without leaving a model, is read by `measured.py`, and offered here, too.
"""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn

from attnlab.alignment import SCORES
from attnlab.analysis.heads.copying_heads import CopyStudy, SecondRound
from attnlab.analysis.heads.sinks import Resting, SinkRuns
from attnlab.blocks import AttentionBlock, EncoderBlock, FeedForward, no_norm, start_at_zero
from attnlab.checkpoints import load
from attnlab.checks import Share, Size, checked
from attnlab.huggingface.albert import new_albert
from attnlab.multihead import MultiHeadAttention
from attnlab.pooling import PooledReader, TwoWay
from attnlab.positions import Learned, Rotary
from attnlab.registry import Table
from attnlab.tasks.cluttered_digits import ClutteredDigits
from attnlab.tasks.few_shot import LetterMapping, Votes
from attnlab.tasks.induction import Repeated
from attnlab.tasks.python_topics import LONGEST, PythonTopics
from attnlab.tasks.reviews import VOCABULARY
from attnlab.tasks.scenes import Scenes
from attnlab.tasks.text import BytePairs, Text
from attnlab.trained import tables
from attnlab.trained.measured import (
    atom_mapping,
    captions,
    copiers,
    dates,
    depths,
    dinov2_rests,
    gates,
    glimpse_runs,
    heads,
    ladder,
    large,
    leak,
    mapping_shares,
    mixture_runs,
    order,
    patch_sizes,
    positions,
    pretraining_runs,
    race,
    recall,
    recipe,
    recipe_runs,
    registers,
    rest_runs,
    review_runs,
    roots,
    scores,
    search,
    switches,
    text_heads,
    translators,
    when_not,
)
from attnlab.transformer import GPT, Embed, EncoderStack, MaskedEncoder, MaskedOutput, modern_gpt
from attnlab.vision import Answerer, Captioner, FixedCaptioner, HardCaptioner
from attnlab.vision.glimpses import RecurrentAttention
from attnlab.vision.vit import ViT, vit

__all__ = [
    "CANVAS",
    "CAPTIONERS",
    "CONTEXT",
    "DIM",
    "GLIMPSES",
    "GLIMPSE_SIZES",
    "HEADS",
    "HERE",
    "LAYERS",
    "LETTERS",
    "PIECES",
    "REPEATED",
    "SEEDS",
    "Answering",
    "Captioning",
    "Inducing",
    "Looking",
    "Mapper",
    "Pretrained",
    "Reference",
    "Reviewing",
    "Seeing",
    "SmolLM2",
    "atom_mapping",
    "captioners",
    "captions",
    "copiers",
    "dates",
    "depths",
    "digits_vit",
    "dinov2_rests",
    "gates",
    "glimpse_runs",
    "glimpses",
    "heads",
    "induction",
    "ladder",
    "large",
    "leak",
    "letters",
    "mapping_shares",
    "mixture_runs",
    "new_digits_vit",
    "new_glimpses",
    "new_induction",
    "new_letters",
    "new_reader",
    "new_reference",
    "new_reviewer",
    "new_rxnmapper",
    "new_votes",
    "order",
    "patch_sizes",
    "positions",
    "pretrained",
    "pretraining_runs",
    "race",
    "recall",
    "recipe",
    "recipe_runs",
    "reference",
    "registers",
    "rest_runs",
    "review_runs",
    "reviewers",
    "roots",
    "rxnmapper",
    "scores",
    "search",
    "smollm2",
    "switches",
    "tables",
    "text_heads",
    "translators",
    "votes",
    "when_not",
]

HERE = Path(__file__).parent
PIECES, DIM, HEADS, LAYERS, CONTEXT = 1024, 128, 4, 4, 128  # of the model that writes
REVIEW_DIM = 32  # of the readers of reviews
SEEDS = (0, 1, 2)  # of those that answer after examples, and of those that look
CANVAS, GLIMPSES = ClutteredDigits(60), 4  # of the model that chooses where to look
GLIMPSE_SIZES = (4, 8, 12)  # pixels along the sharp square of a glimpse; a model each
CAPTIONERS: dict[str, Callable[[int], Captioner]] = Table({  # that begin anew, by how they look at a picture
    "soft": Captioner,
    "fixed vector": FixedCaptioner,
    "one map": partial(Captioner, score=SCORES["concat"]),
})
LETTERS = "abcdefghijklmnopqrstuvwxyz "
REPEATED = Repeated(len(LETTERS), 33, 4, 16)  # for the model that finds what came next before


class Reference(NamedTuple):
    """model: a GPT of a million parameters. text: encodes and decodes for it; its held-out part is that of the
    training's day, no part of it is for training. header: how it was trained, and `held_out_loss` in nats per letter.
    """

    model: GPT
    text: Text
    header: dict


@checked
def reference() -> Reference:
    """The model that writes like the Python language reference; see `train_reference.py`."""
    model = new_reference().eval()
    for parameter in model.parameters():
        parameter.data = parameter.data.half()  # as in the file; the angles of the positions stay as they are
    header = load(HERE / "reference.safetensors", model)
    for parameter in model.parameters():
        parameter.data = parameter.data.float()
    return Reference(model, Text("", header["text"], lambda _: BytePairs.from_json(header["pieces"])), header)


@checked
def new_reference(dropout: Share = 0.0) -> GPT:
    """The same before its first step. dropout: the share of what each part adds to the stream that is dropped."""
    model = modern_gpt(PIECES, DIM, HEADS, LAYERS, CONTEXT)
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = dropout
    return model


class Answering(NamedTuple):
    """models: one for each of `SEEDS`. header: how they were trained."""

    models: list[GPT]
    header: dict


@checked
def letters() -> Answering:
    """Models that have seen many letter mappings, never the same twice; see `train_few_shot.py`."""
    return _answering("letters", new_letters)


@checked
def votes() -> Answering:
    """Models that have seen 39 of the 48 votes of four; see `train_few_shot.py`."""
    return _answering("votes", new_votes)


class Looking(NamedTuple):
    """model: looks `GLIMPSES` times at a canvas of `CANVAS`. header: how it was trained."""

    model: RecurrentAttention
    header: dict


@checked
def glimpses(size: Size = 8) -> Looking:
    """The model that chooses where to look; see `train_glimpses.py`.

    size: of the sharp square of its glimpses, in pixels: 4, 8 or 12. Raises ValueError for others.
    """
    if size not in GLIMPSE_SIZES:
        raise ValueError(f"expected glimpses of a size among {list(GLIMPSE_SIZES)}, got {size}")
    model = new_glimpses(size)
    return Looking(model, _fill(model, f"glimpses_{size}"))


@checked
def new_glimpses(size: Size = 8) -> RecurrentAttention:
    """The same before its first step: a retina of three squares of `size` x `size` numbers."""
    return RecurrentAttention(classes=10, size=size, scales=3, dim=128)


class Captioning(NamedTuple):
    """captioners: {how it looks at a picture: a model}, of `CAPTIONERS` and a hard one. answerer: answers questions,
    and began with the soft one's grid. header: how they were trained."""

    captioners: dict[str, Captioner]
    answerer: Answerer
    header: dict


@checked
def captioners() -> Captioning:
    """Models that have seen `Scenes` with their captions; see `train_captions.py`."""
    task = Scenes()
    count = len(task.vocabulary)
    models = {name: new(count) for name, new in [*CAPTIONERS.items(), ("hard", HardCaptioner)]}
    answerer = Answerer(len(task.question_vocabulary), count)
    return Captioning(models, answerer, _fill(nn.ModuleList([*models.values(), answerer]), "captions"))


class Seeing(NamedTuple):
    """model: names the digit in a picture of 28 x 28 pixels. header: how it was trained."""

    model: ViT
    header: dict


@checked
def digits_vit() -> Seeing:
    """A small vision transformer that has seen handwritten digits; see `train_registers.py`."""
    model = new_digits_vit()
    return Seeing(model, _fill(model, "digits"))


@checked
def new_digits_vit() -> ViT:
    """The same before its first step: three blocks of four heads, 64 numbers a patch of 7 x 7 pixels."""
    return vit(28, size=7, dim=64, heads=4, layers=3)


class Mapper(NamedTuple):
    """model: one block, used twelve times, of eight heads. vocabulary: the tokens that it knows, such as "C" and ">>".
    header: whose it is.
    """

    model: MaskedEncoder
    vocabulary: list[str]
    header: dict


@checked
def rxnmapper() -> Mapper:
    """RXNMapper: 0.7 million parameters that have read 1.3 million chemical reactions, and named hidden tokens there.

    Nobody has told it which atom became which. See `make_rxnmapper.py`, `attnlab.tasks.reactions` and
    `attnlab.analysis.heads.atom_mapping`.

    **Source:** Schwaller et al. 2021, "Extraction of organic chemistry grammar from unsupervised learning of chemical
    reactions"; the weights are those of the package rxnmapper 0.4.3, MIT licence, Copyright 2020 RXN4Chemistry team.
    """
    model = new_rxnmapper()
    header = _fill(model, "rxnmapper")
    return Mapper(model, header["vocabulary"], header)


@checked
def new_rxnmapper() -> MaskedEncoder:
    """The same before its first step."""
    return new_albert(591, 128, 256, 512, heads=8, depth=12, longest=512, segments=2)


class Pretrained(NamedTuple):
    """Two models of one shape that have read `PythonTopics`. masked: has guessed hidden words, and looks both ways.
    left_to_right: has guessed the next word; it is called with a causal mask. header: how they were trained."""

    masked: MaskedEncoder
    left_to_right: MaskedEncoder
    header: dict


@checked
def pretrained() -> Pretrained:
    """The models that have read about Python; see `train_pretraining.py`."""
    masked, left_to_right = new_reader(), new_reader()
    return Pretrained(masked, left_to_right, _fill(nn.ModuleList([masked, left_to_right]), "pretrained"))


@checked
def new_reader(dropout: Share = 0.0) -> MaskedEncoder:
    """The same before its first step: three blocks of width 64, with rotary positions, that begin as the identity."""
    vocabulary, dim, count = len(PythonTopics().vocabulary), 64, 4
    table, rotary = nn.Embedding(vocabulary, dim), Rotary(dim // count, LONGEST)
    nn.init.normal_(table.weight, std=0.02)
    blocks = [
        EncoderBlock(MultiHeadAttention(dim, count, rotary), FeedForward(dim, 4 * dim), nn.LayerNorm, dropout=dropout)
        for _ in range(3)
    ]
    start_at_zero(blocks)
    embed = Embed(table, norm=nn.LayerNorm(dim), dropout=dropout)
    return MaskedEncoder(EncoderStack(embed, blocks, nn.LayerNorm(dim)), MaskedOutput(nn.LayerNorm(dim), table))


class Reviewing(NamedTuple):
    """readers: {what its questions are about: a reader with weights of its own}. header: how they were trained."""

    readers: dict[str, PooledReader]
    header: dict


@checked
def reviewers() -> Reviewing:
    """Two readers that say whether something in a review is called good; see `train_reviews.py`."""
    both = [new_reviewer(), new_reviewer()]
    header = _fill(nn.ModuleList(both), "reviews")
    return Reviewing(dict(zip(header["tasks"], both, strict=True)), header)


@checked
def new_reviewer(states: Callable[[int], nn.Module] = TwoWay) -> PooledReader:
    """The same before its first step. states: makes, of a width, what turns words into states: `nn.Identity`, say."""
    return PooledReader(len(VOCABULARY), REVIEW_DIM, states(REVIEW_DIM))


class SmolLM2(NamedTuple):
    """What SmolLM2-135M-Instruct, a real GPT of 30 layers with 9 heads each, did with some texts; no parameters.

    sinks: each text read without one of its tokens. copying: words read twice, without the heads that copy.
    header: where the numbers come from.
    """

    sinks: dict[str, SinkRuns]
    copying: CopyStudy
    header: dict


@checked
def smollm2() -> SmolLM2:
    """The record of a real GPT that `record_smollm2.py` has made."""
    from safetensors import safe_open

    with safe_open(HERE / "smollm2.safetensors", "pt") as file:
        header = json.loads(file.metadata()["header"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    shares = {name: kept.float() / 255 if kept.dtype == torch.uint8 else kept.float() for name, kept in tensors.items()}
    sinks = {}
    for name, pieces in header["pieces"].items():
        whole, *runs = map(Resting, shares[f"{name}/weights"], shares[f"{name}/losses"])
        sinks[name] = SinkRuns(pieces, whole, runs[: len(runs) // 2], runs[len(runs) // 2 :])
    kept = header["copying"]
    rounds = [[SecondRound(*one) for one in run] for run in [kept["off"], *kept["others"]]]
    study = CopyStudy(
        kept["pieces"],
        shares["copying/scores"],
        [(layer, head) for layer, head in kept["heads"]],
        shares["copying/weights"],
        off=rounds[0],
        others=rounds[1:],
    )
    return SmolLM2(sinks, study, header)


@checked
def new_letters() -> GPT:
    """Two layers of attention and nothing else, for `LetterMapping()`."""
    return _two_layers(LetterMapping(), lambda attention: AttentionBlock(attention, nn.LayerNorm))


@checked
def new_votes() -> GPT:
    """Two whole blocks, for `Votes()`."""
    return _two_layers(Votes(), lambda attention: EncoderBlock(attention, FeedForward(64, 256), nn.LayerNorm))


class Inducing(NamedTuple):
    """model: two layers of attention, one head each and no norm, over `LETTERS`. header: how it was trained, and
    `found`, what it reached: see `train_induction.py`."""

    model: GPT
    header: dict


@checked
def induction() -> Inducing:
    """The model that goes on as the same text went on before; see `train_induction.py`."""
    model = new_induction()
    return Inducing(model, _fill(model, "induction"))


@checked
def new_induction() -> GPT:
    """The same before its first step: nothing but sums of heads, so that every score can be split into its parts."""
    dim, longest = 48, REPEATED.length - 1
    blocks = [AttentionBlock(MultiHeadAttention(dim, 1), no_norm) for _ in range(2)]
    embed = Embed(nn.Embedding(len(LETTERS), dim), Learned(dim, longest, scale=0.5))
    return GPT(embed, blocks, None, nn.Linear(dim, len(LETTERS)), longest)


def _two_layers(task: LetterMapping | Votes, block: Callable[[MultiHeadAttention], nn.Module]) -> GPT:
    size, longest = len(task.vocabulary), 2 * task.pairs - 1
    blocks = [block(MultiHeadAttention(64, 2, Rotary(32, longest))) for _ in range(2)]
    return GPT(Embed(nn.Embedding(size, 64)), blocks, nn.LayerNorm(64), nn.Linear(64, size), longest)


def _fill(model: nn.Module, name: str) -> dict:
    """Fills the model from a file of 16 bits a number, to compute in 32; returns the file's header."""
    header = load(HERE / f"{name}.safetensors", model.half().eval())
    model.float()
    return header


def _answering(name: str, new: Callable[[], GPT]) -> Answering:
    models = [new() for _ in SEEDS]
    header = load(HERE / f"{name}.safetensors", nn.ModuleList(models).eval())
    return Answering(models, header)
