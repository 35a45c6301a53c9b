"""What the division by the root of the width is worth to a soft dictionary: `python -m attnlab.trained.train_roots`.

Equal starts and questions, constant rates, five seeds, three widths; only the score differs. As a control, the score
that is not divided, with both maps begun smaller, so that its first scores are those of the divided one. Writes
`roots.json` beside this file. Seven minutes of one core.
"""

from collections.abc import Callable

import torch
from torch import Generator, Tensor, nn

from attnlab.alignment import dot, scaled_dot
from attnlab.registry import Table
from attnlab.schedules import constant
from attnlab.tasks.soft_dictionary import Finder, ask, found_by, language, losses_of
from attnlab.trained import tables
from attnlab.training import fit

WIDTHS, SEEDS, RATES, MOST = (16, 64, 256), (0, 1, 2, 3, 4), (1e-3, 3e-3, 1e-2, 3e-2), 500
SMALLER = "not divided, smaller start"
SCORES: dict[str, Callable[[Tensor, Tensor], Tensor]] = Table({"not divided": dot, "divided": scaled_dot, SMALLER: dot})


def adam(model: nn.Module, rate: float) -> torch.optim.Optimizer:
    return torch.optim.Adam(model.parameters(), rate)


def main() -> None:
    torch.set_num_threads(1)
    found = {
        "settings": f"steps until nine of ten questions are answered, {MOST} at most; 64 questions a step, Adam at a "
        f"constant rate; rates {', '.join(map(str, RATES))}, seeds 0 to 4",
        "versions": tables.versions(),
        "steps": {
            name: {
                str(width): {str(rate): [steps_to_learn(name, width, seed, rate) for seed in SEEDS] for rate in RATES}
                for width in WIDTHS
            }
            for name in SCORES
        },
        "at the start": {
            name: {str(width): [at_the_start(name, width, seed) for seed in SEEDS] for width in WIDTHS}
            for name in SCORES
        },
    }
    tables.write("roots", found)


def new(score: str, width: int, seed: int) -> Finder:
    """Before its first step: the same numbers whatever the score; those of the control are smaller by a factor."""
    torch.manual_seed(seed)
    finder = Finder(width, SCORES[score])
    if score == SMALLER:
        with torch.no_grad():
            finder.W_q.weight *= width**-0.25  # of both maps: their product is smaller by the root of the width
            finder.W_k.weight *= width**-0.25
    return finder


def steps_to_learn(score: str, width: int, seed: int, rate: float, most: int = MOST) -> int:
    """How many steps until nine of ten of 200 questions are answered; `most` where that many are not enough."""
    finder, turn = new(score, width, seed), language(width, seed)
    test = ask(turn, 200, Generator().manual_seed(99))

    def loss(generator: Generator) -> Tensor:
        return losses_of(finder, ask(turn, 64, generator)).mean()

    for step in fit(finder, loss, most, rate, seed, adam, constant):
        if step.step % 5 == 0 and found_by(finder, test) >= 0.9:
            return step.step
    return most


def at_the_start(score: str, width: int, seed: int) -> dict[str, float]:
    """silent: the share of 300 questions whose loss has a gradient under 0.01 by its eight scores, absolute values
    added up. length: of the gradient of all 300 losses by W_q."""
    finder = new(score, width, seed)
    questions = ask(language(width, seed), 300, Generator().manual_seed(99))
    scores = finder(questions.asked, questions.names).scores
    weights = scores.softmax(-1).squeeze(1)
    losses = (weights - torch.eye(weights.shape[1])[questions.right]).square().sum(-1)
    by_scores, by_W = torch.autograd.grad(losses.sum(), [scores, finder.W_q.weight])
    silent = (by_scores.abs().sum(-1) < 0.01).float().mean()
    return {"silent": round(float(silent), 4), "length": round(float(by_W.norm()), 2)}


if __name__ == "__main__":
    main()
