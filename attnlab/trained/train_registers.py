"""Does a small ViT rest on a register? Lesson 15's, with and without one: `python -m attnlab.trained.train_registers`.

A register is a token without content behind the patches, learned as the class token is. All else is equal. Writes
`registers.json` beside this file, and `digits.safetensors`, the first one without a register. Two minutes of one core.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attnlab.checkpoints import save
from attnlab.checks import Size, checked
from attnlab.optimisers import muon
from attnlab.registry import Table
from attnlab.schedules import cool_down
from attnlab.tasks.digits import SIZE, draw, shift, split
from attnlab.trace import record
from attnlab.trained import HERE, SEEDS, new_digits_vit, tables
from attnlab.trained.runs import fitted, share_right
from attnlab.vision.vit import ViT, patches

PATCH, DIM, HEADS, LAYERS = 7, 64, 4, 3  # of `new_digits_vit`
STEPS, BATCH, RATE = 300, 64, 0.03
INK = 0.02  # a patch whose brightest pixel has less is blank
SETTINGS = (
    f"patches of {PATCH} x {PATCH}, width {DIM}, {HEADS} heads, {LAYERS} layers; {STEPS} steps of {BATCH} digits, "
    f"moved by up to 2 pixels, Muon at a rate of {RATE}; "
)
COUNTS = Table({"without a register": 0, "with a register": 1})


def main() -> None:
    torch.set_num_threads(1)
    found = {
        "settings": f"{SETTINGS}seeds {', '.join(map(str, SEEDS))}",
        "versions": tables.versions(),
        "even": round(1 / ((SIZE // PATCH) ** 2 + 2), 3),
        "blank patches": round(float(blank_patches(split()[1].images.unsqueeze(1)).sum(1).mean()), 1),
        "runs": {name: [run(count, seed) for seed in SEEDS] for name, count in COUNTS.items()},
    }
    tables.write("registers", found)
    ship()


def ship() -> None:
    """The first model without a register, in 16 bits a number."""
    model = trained_vit(0, SEEDS[0])
    save(model.half().eval(), HERE / "digits.safetensors", seed=SEEDS[0], settings=f"{SETTINGS}seed {SEEDS[0]}")


class WithRegisters(nn.Module):
    """The tokens of a ViT, and behind them some that belong to no patch and are the same for all pictures.

    **Source:** Darcet et al. 2024, "Vision Transformers Need Registers", section 2.2.
    """

    def __init__(self, embed: nn.Module, count: int, dim: Size) -> None:
        super().__init__()
        self.embed, self.registers = embed, nn.Parameter(0.02 * torch.randn(count, dim))

    def forward(self, images: Float[Tensor, "batch channels height width"]) -> Float[Tensor, "batch tokens dim"]:
        return torch.cat([self.embed(images), self.registers.expand(len(images), -1, -1)], dim=1)


def run(registers: int, seed: int, steps: int = STEPS) -> dict:
    """One training, and what `rests` finds after it."""
    return rests(trained_vit(registers, seed, steps))


def trained_vit(registers: int, seed: int, steps: int = STEPS) -> ViT:
    """One with so many registers, after its training."""
    training, _ = split()
    torch.manual_seed(seed)
    model = new_digits_vit()
    if registers:
        model.embed = WithRegisters(model.embed, registers, DIM)

    def loss(generator: torch.Generator) -> Tensor:
        batch = draw(*training, BATCH, generator)
        return cross_entropy(model(shift(batch.images, 2, generator).unsqueeze(1)), batch.labels)

    return fitted(model, loss, steps, RATE, seed, muon, cool_down)


def blank_patches(images: Tensor) -> Tensor:
    """[images, patches], 1 where a patch has no ink."""
    return (patches(images, PATCH).amax(-1) < INK).float().flatten(1)


@checked
@torch.no_grad()
def rests(model: ViT) -> dict[str, float]:
    """Of the held-out digits: right: the share of right answers. on ...: the weight that patches give to the class
    token, to patches without ink, and to registers, the mean of all heads and layers. longest: the longest vector of a
    patch behind a block, as a multiple of the median one."""
    _, held_out = split()
    images = held_out.images.unsqueeze(1)
    blank = blank_patches(images)
    last = 1 + blank.shape[1]
    with record(model) as trace:
        said = model(images).argmax(-1)
    given = torch.stack([trace[name][0].weights[:, :, 1:last].mean((1, 2)) for name in trace.names]).mean(0)
    lengths = [trace.tensor(f"blocks.{i}/out")[:, 1:last].norm(dim=-1) for i in range(len(model.blocks))]
    found = {
        "on the class token": given[:, 0].mean(),
        "on blank patches": (given[:, 1:last] * blank).sum(1).mean(),
        "on registers": given[:, last:].sum(1).mean(),
        "longest": max((each.amax(1) / each.median(1).values).mean() for each in lengths),
    }
    rounded = {name: round(float(number), 3) for name, number in found.items()}
    return {"right": share_right(said, held_out.labels), **rounded}


if __name__ == "__main__":
    main()
