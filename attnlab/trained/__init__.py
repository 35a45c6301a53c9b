"""Models that are trained already, so that a lesson can begin with some that can do something.

Each was trained by the script beside it, which also wrote the log; one was trained by others. A file's header holds the
seed, the settings, the versions and what the script measured. README.md names sources and licences.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from attnlab.analysis.ablation import Run
from attnlab.analysis.copying_heads import CopyStudy, SecondRound
from attnlab.analysis.sinks import Resting, SinkRuns
from attnlab.blocks import AttentionBlock, EncoderBlock, FeedForward, no_norm
from attnlab.checkpoints import load
from attnlab.checks import Share, Size, checked
from attnlab.huggingface.albert import new_albert
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import Learned, Rotary
from attnlab.tasks.cluttered_digits import ClutteredDigits
from attnlab.tasks.few_shot import LetterMapping, Votes
from attnlab.tasks.induction import Repeated
from attnlab.tasks.python_topics import LONGEST, PythonTopics
from attnlab.tasks.text import BytePairs, Text
from attnlab.trained import tables
from attnlab.transformer import GPT, Embed, EncoderStack, MaskedEncoder, MaskedOutput, modern_gpt
from attnlab.vision.glimpses import RecurrentAttention

HERE = Path(__file__).parent
PIECES, DIM, HEADS, LAYERS, CONTEXT = 1024, 128, 4, 4, 128  # of the model that writes
SEEDS = (0, 1, 2)  # of those that answer after examples, and of those that look
CANVAS, GLIMPSES = ClutteredDigits(60), 4  # of the model that chooses where to look
GLIMPSE_SIZES = (4, 8, 12)  # pixels along the sharp square of a glimpse; a model each
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


@checked
def switches() -> dict:
    """What each change since GPT-2 is worth in a small model, as `train_switches.py` has measured it.

    "none" and "all", "alone": {change: put into the plain GPT}, "all but": {change: taken out of the modern one}: each
    {"rates": {rate: loss of the first seed}, "rate": the best, "held_out": of `SEEDS`, in nats a piece}; "settings".
    """
    return tables.read("switches")


@checked
def ladder() -> dict:
    """What each rung from counting letters to a GPT reaches, in nats a letter: see `train_ladder.py`.

    "rungs": {rung: {"rates": {rate: loss of the first seed}, "rate": the best, "held_out": of `SEEDS`}}.
    """
    return tables.read("ladder")


@checked
def copiers() -> dict:
    """How well small models of one layer or two foresee what a text repeats, as `train_copiers.py` has measured it.

    "models": {layers and steps: {"rates": {rate: what the first seed has right}, "rate": the best, "right": shares of
    right answers in the second round, "score": weight of the best head behind the earlier copy, both of `SEEDS`}}.
    """
    return tables.read("copiers")


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
    model = new_glimpses(size).half().eval()  # as in the file
    header = load(HERE / f"glimpses_{size}.safetensors", model)
    return Looking(model.float(), header)


@checked
def glimpse_runs() -> dict:
    """What a learned gaze and its controls come to, as `train_glimpses.py` has measured it.

    "runs": {policy: [{"right": {step: shares after each glimpse}, "seconds"}, one for each of `SEEDS`]};
    "two glimpses": the same for fewer policies that looked twice, not four times; "sizes": {size: the same of the
    learned gaze with glimpses of so many pixels, not 8}, numbers as texts: "4"; "settings".
    """
    return tables.read("glimpses")


@checked
def new_glimpses(size: Size = 8) -> RecurrentAttention:
    """The same before its first step: a retina of three squares of `size` x `size` numbers."""
    return RecurrentAttention(classes=10, size=size, scales=3, dim=128)


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
    `attnlab.analysis.atom_mapping`.

    **Source:** Schwaller et al. 2021, "Extraction of organic chemistry grammar from unsupervised learning of chemical
    reactions"; the weights are those of the package rxnmapper 0.4.3, MIT licence, Copyright 2020 RXN4Chemistry team.
    """
    model = new_rxnmapper().half().eval()  # as in the file
    header = load(HERE / "rxnmapper.safetensors", model)
    return Mapper(model.float(), header["vocabulary"], header)


@checked
def new_rxnmapper() -> MaskedEncoder:
    """The same before its first step."""
    return new_albert(591, 128, 256, 512, heads=8, depth=12, longest=512, segments=2)


@checked
def atom_mapping() -> dict:
    """How well RXNMapper's heads map the atoms of 110 reactions, as `make_rxnmapper.py` has measured it.

    "right": {writing: {kind: [passes][heads], how many atoms}}; "atoms": {kind: how many there are}; "without model":
    shares of right ones by chance and by rules; "untrained": that of the best head of three models before their first
    step; "heads off": {"none" or head: {"right", "loss", "hidden"}}, hidden atoms
    that the model names when that head is off in all passes.
    """
    return tables.read("rxnmapper")


@checked
def mapping_shares() -> dict[str, Tensor]:
    """{writing: [passes, heads]}: the share of all atoms that every head of every pass maps right, measured."""
    found = atom_mapping()
    atoms = sum(found["atoms"].values())
    return {writing: torch.tensor(list(kinds.values())).sum(0) / atoms for writing, kinds in found["right"].items()}


@checked
def race() -> dict:
    """Convolution against ViT on 50 to 4,000 digits, as `train_race.py` has measured it.

    "runs": {model: {pictures: [{"accuracy", "loss", "seconds"}, one for each of `SEEDS`]}}, pictures as texts: "50";
    "parameters" and "rates" of each model; "settings": in words.
    """
    return tables.read("race")


@checked
def patch_sizes() -> dict:
    """A ViT on digits in patches of 28, 14, 7 and 4 pixels, as `train_patch_sizes.py` has measured it.

    "sizes": {size: {"tokens", "multiply_adds", "parameters", "runs": [{"accuracy", "seconds"}, one for each of
    `SEEDS`]}}, sizes as texts: "7"; "settings": in words.
    """
    return tables.read("patch_sizes")


@checked
def recall() -> dict:
    """How many strings of digits come back through one vector, or by looking back, as `train_recall.py` has measured.

    "runs": {model: {steps: [shares of each length, one list for each of `SEEDS`]}}, steps as texts: "700"; "lengths";
    "parameters" of each model; "sentences": {translator: how many of sixty sentences are right, one for each seed};
    "settings": in words.
    """
    return tables.read("recall")


@checked
def gates() -> dict:
    """What gates are worth where the first of many digits has to be remembered, as `train_gates.py` has measured it.

    "right": {inputs: {kind: {rate: [share, one for each of `SEEDS`]}}}, inputs and rates as texts: "20", "0.01"; "at
    the start": {inputs: {kind: [what the first input gets of the last one's gradient, one for each seed]}}; "settings".
    """
    return tables.read("gates")


@checked
def dates() -> dict:
    """Date translators that look back, or pass all through one vector, as `train_dates.py` has measured them.

    "runs": {kind: [{"exact": {steps: share}, "seconds"}, one for each of `SEEDS`]}, steps as texts: "200"; where it
    looks back also "inside"; "parameters" of each kind; "settings": in words.
    """
    return tables.read("dates")


@checked
def search() -> dict:
    """What greedy and beam search get right with a translator as it learns, as `train_search.py` has measured it.

    "runs": [{steps of training: {width: share of exact sentences}}, one for each of `SEEDS`], steps and widths as
    texts: "90", "2"; "settings": in words.
    """
    return tables.read("search")


@checked
def scores() -> dict:
    """Eight scores on cards, and hard attention, as `train_scores.py` has measured them.

    "runs": {score: [{"right", "on the right card", "parameters"}, one for each of five seeds]}, the first two by place
    and by letter; "hard": {way: [shares of right answers after every 20 steps, for each of `SEEDS`]}; "settings".
    """
    return tables.read("scores")


@checked
def roots() -> dict:
    """What the division by the root of the width is worth to a soft dictionary, as `train_roots.py` has measured it.

    "steps": {"divided" or not: {width: {rate: [steps until nine of ten questions are answered, for each seed]}}};
    "at the start": {...: {width: [{"silent", "length"}, for each seed]}}; widths and rates as texts; "settings".
    """
    return tables.read("roots")


@checked
def order() -> dict:
    """What a block learns about letters with and without positions, as `train_order.py` has measured it.

    "runs": {"without positions" or with: [{"again", "back"}, one for each of `SEEDS`]}; "best without order": the share
    that a bag of letters allows for "back"; "settings".
    """
    return tables.read("order")


@checked
def positions() -> dict:
    """Which letters a model finds, by its code of positions, as `train_positions.py` has measured it.

    "runs": {question: {code: [{"inside", "outside", "by place"}, one for each of `SEEDS`]}}: shares of right answers in
    strings as long as in training, in longer ones, and in those of 16 letters; the same of codes whose first letter may
    stand "anywhere", of rotary "clocks" of two speeds, of learned places that begin "quiet", of a relative bias whose
    far numbers are "mended", and after "longer" training at several rates; "settings".
    """
    return tables.read("positions")


@checked
def depths() -> dict:
    """Which stacks of blocks learn to spell backwards, as `train_depths.py` has measured it.

    "runs": {"pre-norm" or "post-norm": {rate: {depth as a text: [run, one for each of `SEEDS`]}}}, a run being
    {"learned", "steps", "losses": [of each step, in the first run alone], "alike": {step as a text, or "end": mean
    cosine}}; "a second try": runs of models that had collapsed before; "clipped": runs at the high rate with clipped
    gradients; "norms": {name: [run, one for each seed]}; "settings".
    """
    return tables.read("depths")


@checked
def leak() -> dict:
    """What a forgotten mask does to a language model, as `train_leak.py` has measured it.

    "runs": {"no mask" or "causal": [{"everything", "past", "words"}, one for each of `SEEDS`]}: losses on held-out text
    in nats per letter, and the share of what is written that stands in words; "guessing evenly": the loss of that.
    """
    return tables.read("leak")


@checked
def heads() -> dict:
    """How many heads name the last four letters, as `train_heads.py` has measured it.

    "right": {heads: [share of right letters, one for each of `SEEDS`]}, heads as texts: "4"; "one head with": {help:
    the same}; "owners": for each seed the four heads' {"name", "share", "lost"}; "two heads": for each seed what the
    two heads read: {letter: share}; "settings".
    """
    return tables.read("heads")


@checked
def text_heads() -> dict:
    """How many heads a small GPT of letters needs, as `train_text_heads.py` has measured it.

    "losses": {heads: [losses on held-out text after "steps", for each of `SEEDS`]}, of one layer, in nats per letter;
    "eight heads": for each seed, of two layers of four: {"loss", "names", "rises", "layers", "taken", "order"}, see
    `train_text_heads.without_heads`; "settings".
    """
    return tables.read("text_heads")


@checked
def translators() -> dict:
    """A Transformer against a recurrent translator on equal terms, as `train_translators.py` has measured it.

    "runs": {model: [{"exact", "seconds"}, one for each of `SEEDS`]} at "steps", of the Transformer also "pointing" and
    "without"; "step times": {model: {batch: {words: milliseconds}}}, numbers as texts; "depths": shares of exact
    sentences with 1 to 8 repetitions of one block, for each seed; "names"; "rates"; "settings": in words.
    """
    return tables.read("translators")


@checked
def recipe() -> dict:
    """What warm-up, label smoothing and dropout are worth, as `train_recipe.py` has measured it.

    "warm_up": {layers: {schedule: {rate: [{"exact", "loss"}, one for each of `SEEDS`]}}}, numbers as texts;
    "switches": {sentences: [{"smoothing", "dropout", "runs"}]}, see `recipe_runs`; "settings": in words.
    """
    return tables.read("recipe")


@checked
def recipe_runs() -> dict[str, dict[tuple[bool, bool], list[Run]]]:
    """Of `recipe`, {"300" or "20,000" sentences: {(smoothing, dropout): [Run, one for each of `SEEDS`]}}."""
    return {
        f"{int(sentences):,}": {
            (each["smoothing"], each["dropout"]): [Run(run["steps"], run["exact"], run["loss"]) for run in each["runs"]]
            for each in switches
        }
        for sentences, switches in recipe()["switches"].items()
    }


@checked
def when_not() -> dict:
    """A GRU beside small GPTs where a recurrent network is at home, as `train_when_not.py` has measured it.

    "light": {time steps and training steps: {"GRU" or "GPT": {rate: [{"16", "64": the share of right answers about
    unseen streams of so many time steps}, one for each of `SEEDS`]}}}; "text": {letters and training steps: {"GRU",
    "GPT" or "modern GPT": {rate: [loss on held-out text in nats per letter, for each seed]}}}; rates as texts;
    "parameters": {"listeners" or "readers": {model: how many}}; "settings": in words.
    """
    return tables.read("when_not")


@checked
def captions() -> dict:
    """Captioners that look softly, hard, by one map for all words, or not at all, as `train_captions.py` has measured.

    "runs": {kind: [{"exact", "inside", "dragged", ..., "seconds"}, one for each of `SEEDS`]}; "settings": in words.
    """
    return tables.read("captions")


class Pretrained(NamedTuple):
    """Two models of one shape that have read `PythonTopics`. masked: has guessed hidden words, and looks both ways.
    left_to_right: has guessed the next word; it is called with a causal mask. header: how they were trained."""

    masked: MaskedEncoder
    left_to_right: MaskedEncoder
    header: dict


@checked
def pretrained() -> Pretrained:
    """The models that have read about Python; see `train_pretraining.py`."""
    masked, left_to_right = new_reader().half(), new_reader().half()  # as in the file
    header = load(HERE / "pretrained.safetensors", nn.ModuleList([masked, left_to_right]).eval())
    return Pretrained(masked.float(), left_to_right.float(), header)


@checked
def pretraining_runs() -> dict:
    """What reading without labels is worth, as `train_pretraining.py` has measured it.

    "few_labels": {way: {sentences of each topic: accuracies, one for each of `SEEDS`}}, numbers as texts: "8";
    "guesses": {model: shares of hidden words named, first and among the first five}; "rates"; "settings": in words.
    """
    return tables.read("pretraining")


@checked
def mixture_runs() -> dict:
    """What 80 / 10 / 10 buys a masked encoder, as `train_mixtures.py` has measured it.

    "mixtures": {name: {"hidden", "kept", "replaced", "topics": one share for each of `SEEDS`}}; "settings": in words.
    """
    return tables.read("mixtures")


@checked
def new_reader(dropout: Share = 0.0) -> MaskedEncoder:
    """The same before its first step: three blocks of width 64, with rotary positions, that begin as the identity."""
    vocabulary, dim, heads = len(PythonTopics().vocabulary), 64, 4
    table, rotary = nn.Embedding(vocabulary, dim), Rotary(dim // heads, LONGEST)
    nn.init.normal_(table.weight, std=0.02)
    blocks: list[Any] = [
        EncoderBlock(MultiHeadAttention(dim, heads, rotary), FeedForward(dim, 4 * dim), nn.LayerNorm, dropout=dropout)
        for _ in range(3)
    ]
    for block in blocks:
        for parameter in (*block.attention.output.parameters(), *block.feed_forward.contract.parameters()):
            nn.init.zeros_(parameter)
    embed = Embed(table, norm=nn.LayerNorm(dim), dropout=dropout)
    return MaskedEncoder(EncoderStack(embed, blocks, nn.LayerNorm(dim)), MaskedOutput(nn.LayerNorm(dim), table))


@checked
def review_runs() -> dict:
    """Readers of reviews with weights of their own, even ones, or another's, as `train_reviews.py` has measured it.

    "tasks": {task: {"right": {kind: [share, one for each of `SEEDS`]}, "between seeds", "swapped", "on the word"}};
    "settings": in words.
    """
    return tables.read("reviews")


@checked
def rest_runs() -> dict:
    """Models that copy, with a first token to rest on, without, or with nowhere, as `train_rest.py` has measured it.

    "runs": {kind: [{"first", "nowhere", "loss", "forbidden", "right"}, one for each of `SEEDS`]}; "settings".
    """
    return tables.read("rest")


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
    heads = [(layer, head) for layer, head in kept["heads"]]
    scores, weights = shares["copying/scores"], shares["copying/weights"]
    return SmolLM2(sinks, CopyStudy(kept["pieces"], scores, heads, weights, rounds[0], rounds[1:]), header)


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
    model = new_induction().half().eval()  # as in the file
    header = load(HERE / "induction.safetensors", model)
    return Inducing(model.float(), header)


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


def _answering(name: str, new: Callable[[], GPT]) -> Answering:
    models = [new() for _ in SEEDS]
    header = load(HERE / f"{name}.safetensors", nn.ModuleList(models).eval())
    return Answering(models, header)
