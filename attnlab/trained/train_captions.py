"""Captioners of lesson 13, three seeds of each: `python -m attnlab.trained.train_captions`.

Equal steps, batches, rate and optimiser for those that begin anew; the hard one begins with what the soft one has
learned, the answerer with the soft one's grid. Writes `captions.json` beside this file, and `captions.safetensors`, the
models of the first seed. Four minutes of one core.
"""

import time
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import torch
from torch import Generator, Tensor, nn
from torch.nn.functional import cross_entropy

from attnlab.analysis import difference_of_maps, drag_to_other, drawn_exact, word_shares
from attnlab.checkpoints import save
from attnlab.optimisers import muon
from attnlab.schedules import linear
from attnlab.seq2seq import AttentionDecoder, Hard, teacher_forcing
from attnlab.tasks.scenes import NONE, Scenes, questions
from attnlab.trained import CAPTIONERS, HERE, SEEDS, tables
from attnlab.trained.runs import fitted, rounded, share_exact
from attnlab.training import device, to_device, weights_of
from attnlab.vision import Answerer, Captioner, HardCaptioner, hard_caption_loss

STEPS, RATE, MORE, ASKING, BATCH = 350, 2e-2, 60, 200, 64  # MORE: of the hard one, at a quarter of the rate

SETTINGS = (
    f"{STEPS} steps of {BATCH} scenes, 60 of them warm-up, Muon at {RATE}; the hard one {MORE} steps more at "
    f"{RATE / 4}, the answerer {ASKING} steps; "
)


def main() -> None:
    torch.set_num_threads(1)
    task = Scenes()
    runs: dict[str, list[dict]] = {name: [] for name in [*CAPTIONERS, "hard", "answerer"]}
    for seed in SEEDS:
        models = {}
        for name in CAPTIONERS:
            models[name], seconds = caption(task, name, seed)
            runs[name].append({**measure(models[name], task, seed), "seconds": seconds})
        hard, seconds = harden(task, models["soft"], seed)
        runs["hard"].append({**measure(hard, task, seed), "seconds": seconds})
        answerer, seconds = question(task, models["soft"], seed)
        runs["answerer"].append({**right_answers(answerer, task), "seconds": seconds})
        if seed == SEEDS[0]:
            ship({**models, "hard": hard}, answerer)
    found = {
        "settings": f"{SETTINGS}seeds {', '.join(map(str, SEEDS))}",
        "versions": tables.versions(),
        "runs": runs,
    }
    tables.write("captions", found)


def ship(models: dict[str, Captioner], answerer: Answerer) -> None:
    """The models of the first seed, in 16 bits a number."""
    shipped = deepcopy(nn.ModuleList([*models.values(), answerer])).half().eval()
    settings = f"{SETTINGS}seed {SEEDS[0]}"
    save(shipped, HERE / "captions.safetensors", seed=SEEDS[0], settings=settings, looks=[*models])


def longer_warm_up(step: int, steps: int) -> float:
    """`linear` with 60 steps of warm-up: with 30, dragged weights changed the words in .86 of one seed's scenes."""
    return linear(step, steps, warmup=60)


def timed(model: nn.Module, loss: Callable[[Generator], Tensor], *settings: Any) -> float:
    """Trains as `fit` does with these settings; the seconds of the processor that it took."""
    begun = time.process_time()
    fitted(model, loss, *settings)
    return round(time.process_time() - begun, 1)


def caption(task: Scenes, name: str, seed: int, steps: int = STEPS) -> tuple[Captioner, float]:
    """A captioner that begins anew, on the `device`, and its seconds."""
    torch.manual_seed(seed)
    model = CAPTIONERS[name](len(task.vocabulary)).to(device())
    settings = steps, RATE, seed, muon, longer_warm_up
    return model, timed(model, lambda g: teacher_forcing(model, *task.batch(BATCH, g)), *settings)


def harden(task: Scenes, soft: Captioner, seed: int, steps: int = MORE) -> tuple[HardCaptioner, float]:
    """The soft one's weights, trained on with one place drawn for each word."""
    model = HardCaptioner(len(task.vocabulary)).to(device())
    model.load_state_dict(soft.state_dict())
    torch.manual_seed(seed)
    return model, timed(model, lambda g: hard_caption_loss(model, *task.batch(BATCH, g)), steps, RATE / 4, seed, muon)


def question(task: Scenes, soft: Captioner, seed: int, steps: int = ASKING) -> tuple[Answerer, float]:
    """One that answers questions, and begins with the soft captioner's grid."""
    torch.manual_seed(seed)
    model = Answerer(len(task.question_vocabulary), len(task.vocabulary)).to(device())
    model.encoder.load_state_dict(soft.encoder.state_dict())

    def loss(generator: Generator) -> Tensor:
        *asked, answers = to_device(task.ask(BATCH, generator), device())
        return cross_entropy(model(*asked), answers)

    return model, timed(model, loss, steps, RATE, seed, muon)


def measure(model: Captioner, task: Scenes, seed: int) -> dict:
    """exact: of the held-out captions; likeliest and drawn: with one place alone for each word, the likeliest or a
    drawn one. inside: the mean share of its weight that a colour or shape word has on its thing. apart: how far the
    maps of a caption's words are from each other. dragged: how often both words of a thing become the other thing's.
    """
    held_out = to_device(task.collate(task.test), device())
    found = {"exact": share_exact(model, held_out)}
    likeliest = deepcopy(model)
    if not isinstance(likeliest.decoder, AttentionDecoder):
        return rounded(found)
    likeliest.decoder.attention = Hard(likeliest.decoder.attention.score)
    likeliest.eval()
    weights = weights_of(model, "decoder.attention", *held_out[:2], held_out.captions[:, :-1])
    return rounded({
        **found,
        "likeliest": share_exact(likeliest, held_out),
        "drawn": drawn_exact(model, held_out, torch.Generator().manual_seed(seed)),
        "inside": float(word_shares(model, task, task.test).mean()),
        "apart": float(difference_of_maps(weights, held_out.captions[:, 1:] != 0).mean()),
        "dragged": drag_to_other(model, task, task.test[:200]).both,
    })


@torch.no_grad()
def right_answers(model: Answerer, task: Scenes) -> dict:
    """The share of right answers to all questions about 100 held-out scenes: what is there, and what is not."""
    pairs = [(scene, asked) for scene in task.test[:100] for asked in questions(scene)]
    batch = to_device(task.collate_questions(*zip(*pairs, strict=True)), device())
    right = model(*batch[:4]).argmax(-1) == batch.answers
    there = batch.answers != task.vocabulary.index(NONE)
    return rounded({"there": float(right[there].float().mean()), "not there": float(right[~there].float().mean())})


if __name__ == "__main__":
    main()
