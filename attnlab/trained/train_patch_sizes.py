"""A ViT on digits cut into patches of several sizes: `python -m attnlab.trained.train_patch_sizes`.

All else is equal: width, heads, layers, steps, batches, shifts, optimiser and rate (which was chosen for 7 x 7). Writes
`patch_sizes.json` beside this file. Five minutes of one core.
"""

import time

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attnlab.costs import parameters_of, self_attention
from attnlab.optimisers import muon
from attnlab.schedules import cool_down
from attnlab.tasks.digits import SIZE, draw, shift, split
from attnlab.trained import SEEDS, tables
from attnlab.trained.runs import fitted, share_right
from attnlab.vision.vit import vit

SIZES, DIM, HEADS, LAYERS, STEPS, BATCH, RATE = (28, 14, 7, 4), 64, 4, 3, 400, 64, 0.03


def main() -> None:
    torch.set_num_threads(1)
    found = {
        "settings": f"width {DIM}, {HEADS} heads, {LAYERS} layers; {STEPS} steps of {BATCH} digits, moved by up to 2 "
        f"pixels, Muon at a rate of {RATE}; seeds {', '.join(map(str, SEEDS))}",
        "versions": tables.versions(),
        "sizes": {size: costs(size) | {"runs": [run(size, seed) for seed in SEEDS]} for size in SIZES},
    }
    tables.write("patch_sizes", found)


def costs(size: int) -> dict:
    """tokens: with the class token. multiply_adds: for one picture, of all maps and products. parameters: learned."""
    tokens = (SIZE // size) ** 2 + 1
    layer = self_attention(tokens, DIM).operations + 2 * tokens * DIM * 4 * DIM
    model = vit(SIZE, size, DIM, HEADS, LAYERS)
    return {
        "tokens": tokens,
        "multiply_adds": SIZE**2 * DIM + LAYERS * layer + 10 * DIM,
        "parameters": parameters_of(model),
    }


def run(size: int, seed: int, steps: int = STEPS) -> dict:
    """accuracy: on the 1,000 held-out digits. seconds: of the processor, for the training."""
    training, held_out = split()
    torch.manual_seed(seed)
    model = vit(SIZE, size, DIM, HEADS, LAYERS)

    def loss(generator: torch.Generator) -> Tensor:
        batch = draw(*training, BATCH, generator)
        return cross_entropy(model(shift(batch.images, 2, generator).unsqueeze(1)), batch.labels)

    begun = time.process_time()
    fitted(model, loss, steps, RATE, seed, muon, cool_down)
    seconds = time.process_time() - begun
    with torch.no_grad():
        said = model(held_out.images.unsqueeze(1)).argmax(-1)
    return {"accuracy": share_right(said, held_out.labels), "seconds": round(seconds, 1)}


if __name__ == "__main__":
    main()
