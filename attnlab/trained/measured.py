"""What the scripts beside this file have measured: each function reads one table and says what stands in it."""

import torch
from torch import Tensor

from attnlab.analysis.learning.ablation import Run
from attnlab.checks import checked
from attnlab.trained import tables


@checked
def switches() -> dict:
    """What each change since GPT-2 is worth in a small model, as `train_switches.py` has measured it.

    "none" and "all", "alone": {change: put into the plain GPT}, "all but": {change: taken out of the modern one},
    "warmed up": {optimiser: the modern one, with the schedule of the plain one}: each {"rates": {rate: loss of the
    first seed}, "rate": the best, "held_out": of `SEEDS`, in nats a piece}; "settings".
    """
    return tables.read("switches")


@checked
def ladder() -> dict:
    """What each rung from counting letters to a GPT reaches, in nats a letter: see `train_ladder.py`.

    "rungs": {rung: {"rates": {rate: loss of the first seed}, "rate": the best, "held_out": of `SEEDS`}}.
    """
    return tables.read("ladder")


@checked
def large() -> dict:
    """What GPTs of six layers reach on a million letters, in nats a letter: see `train_large.py`.

    "plain", "modern": [{"setting": of `Setting`, "held_out": {step: loss}, steps as texts: "250", "training": loss of
    the last batch}, one for each of `SETTINGS`]; "device": on which it was measured.
    """
    return tables.read("large")


@checked
def copiers() -> dict:
    """How well small models of one layer or two foresee what a text repeats, as `train_copiers.py` has measured it.

    "models": {layers and steps: {"rates": {rate: what the first seed has right}, "rate": the best, "right": shares of
    right answers in the second round, "score": weight of the best head behind the earlier copy, both of `SEEDS`}}.
    """
    return tables.read("copiers")


@checked
def glimpse_runs() -> dict:
    """What a learned gaze and its controls come to, as `train_glimpses.py` has measured it.

    "runs": {policy: [{"right": {step: shares after each glimpse}, "seconds"}, one for each of `SEEDS`]};
    "two glimpses": the same for fewer policies that looked twice, not four times; "at this rate": the same for these
    at a higher "rate"; "sizes": {size: the same of the learned gaze with glimpses of so many pixels, not 8}, numbers as
    texts: "4"; "settings".
    """
    return tables.read("glimpses")


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
def registers() -> dict:
    """Where the patches of lesson 15's ViT rest, with and without a register, as `train_registers.py` has measured it.

    "runs": {"without a register" or "with a register": [what its `rests` found, one for each of `SEEDS`]}; "even": the
    weight of a token where all get the same, with a register; "settings": in words.
    """
    return tables.read("registers")


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
    and by letter, two scores also as "dot, twice the rate"; "hard": {way: [shares of right answers after every 20
    steps, for each of `SEEDS`]}; "settings".
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
    "without"; "step times": {model: {batch: {words: milliseconds}}}, numbers as texts, of a model with another score
    and one without attention, too; "depths": shares of exact sentences with 1 to 8 repetitions of one block, for each
    seed; "names"; "rates"; "settings": in words.
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


@checked
def pretraining_runs() -> dict:
    """What reading without labels is worth, as `train_pretraining.py` has measured it.

    "few_labels": {way: {sentences of each topic: accuracies, one for each of `SEEDS`}}, numbers as texts: "8"; a seed
    draws the reading, the labels and what is new. "guesses": {model: for each of `SEEDS` the shares of hidden words
    named, first and among the first five}; "rates"; "settings": in words.
    """
    return tables.read("pretraining")


@checked
def mixture_runs() -> dict:
    """What 80 / 10 / 10 buys a masked encoder, as `train_mixtures.py` has measured it.

    "mixtures": {name: {"hidden", "kept", "replaced", "topics": one share for each of `SEEDS`}}; "settings": in words.
    """
    return tables.read("mixtures")


@checked
def review_runs() -> dict:
    """Readers of reviews with weights of their own, even ones, or another's, as `train_reviews.py` has measured it.

    "tasks": {task: {"right": {kind: [share, one for each of `SEEDS`]}, "elsewhere": {"differ", "right", "words alone,
    these weights"}, "between seeds", "swapped", "on the word", "seconds"}}, see `train_reviews.measured`; "settings":
    in words.
    """
    return tables.read("reviews")


@checked
def rest_runs() -> dict:
    """Models that copy, with a first token to rest on, without, or with nowhere, as `train_rest.py` has measured it.

    "runs": {kind: [{"losses", "right", "on the first", "nowhere", "seconds"}, one for each of `SEEDS`]}, with a first
    token also "forbidden", with nowhere also "closed", see `train_rest.measured`; "longer": the same after more steps;
    "settings".
    """
    return tables.read("rest")


@checked
def dinov2_rests() -> dict:
    """Where the patches of DINOv2-S rest in four photographs, as `record_dinov2.py` has measured it.

    "photographs": {name: {"first": [layers][heads], the weight on the class token; "longest": [layers]; "most": the
    largest weight on a patch; "patches": how many; "moved": {"class token", "patch with the most", "drawn"}}}, as
    `attnlab.analysis.resting_image` has them; "source": in words.
    """
    return tables.read("dinov2")
