"""Takes the weights of RXNMapper out of its wheel, and measures them:

    python -m attnlab.trained.make_rxnmapper rxnmapper-0.4.3-py3-none-any.whl

The wheel comes by `pip download --no-deps rxnmapper==0.4.3`; nothing of it is installed, and its weights are read as
numbers alone. Writes `rxnmapper.safetensors` and `rxnmapper.json` beside this file. One minute of one core.
"""

import io
import json
import platform
import sys
from collections.abc import Sequence
from zipfile import ZipFile

import torch

from attnlab.analysis import without
from attnlab.analysis.heads.atom_mapping import mapping_accuracy, name_hidden_atoms, without_model
from attnlab.checkpoints import save
from attnlab.huggingface.albert import albert
from attnlab.huggingface.files import checked_bytes
from attnlab.tasks.reactions import WRITINGS, Reaction, reactions
from attnlab.trained import HERE, new_rxnmapper, rxnmapper, tables
from attnlab.trained.runs import rounded

WHEEL = "27876a4286881aafd286fd6f24a6a56a4ca6ba22d68e035a0ea120106c541ba5"  # sha256
FOLDER = "rxnmapper/models/transformers/albert_heads_8_uspto_all_1310k"
HEADS, DEPTH, SEED = 8, 12, 0


def main(wheel: str) -> None:
    torch.set_num_threads(1)
    take(wheel)
    (HERE / "rxnmapper.json").write_text(json.dumps(measure(), separators=(",", ":")) + "\n", encoding="utf-8")


def take(wheel: str) -> None:
    """The weights in 16 bits, without the map of the first token that the training's second task used."""
    with ZipFile(io.BytesIO(checked_bytes(wheel, WHEEL))) as file:
        state = torch.load(io.BytesIO(file.read(f"{FOLDER}/pytorch_model.bin")), "cpu", weights_only=True)
        vocabulary = file.read(f"{FOLDER}/vocab.txt").decode().splitlines()
    save(
        albert(state, HEADS, DEPTH).half(),
        HERE / "rxnmapper.safetensors",
        vocabulary=vocabulary,
        source="rxnmapper 0.4.3, Copyright 2020 RXN4Chemistry team, MIT licence; Schwaller et al. 2021",
        wheel=WHEEL,
        python=platform.python_version(),
    )


def measure() -> dict:
    """What every head of every pass finds, kind by kind and in three ways of writing, and what each head is worth."""
    model, vocabulary, _ = rxnmapper()
    found: dict = {
        "versions": tables.versions(),
        "atoms": {kind: sum(len(one.sources) for one in some) for kind, some in by_kind(reactions()).items()},
        "right": {},
        "without model": rounded(without_model(reactions())._asdict()),
        "untrained": [untrained(seed) for seed in range(3)],
        "heads off": {},
        "seed": SEED,
    }
    for writing in WRITINGS:
        found["right"][writing] = {
            kind: mapping_accuracy(model, vocabulary, some).right.sum(0).tolist()
            for kind, some in by_kind(reactions(writing)).items()
        }
    for head in (None, *range(HEADS)):
        with without(model, [] if head is None else [("encoder.blocks.0.attention", head)]):
            named = name_hidden_atoms(model, vocabulary, reactions(), torch.Generator().manual_seed(SEED))
        found["heads off"]["none" if head is None else str(head)] = rounded(named._asdict())
    return found


def untrained(seed: int) -> float:
    """What the best head of the same model finds before its first step."""
    torch.manual_seed(seed)
    vocabulary = rxnmapper().vocabulary
    return round(float(mapping_accuracy(new_rxnmapper().eval(), vocabulary, reactions()).share.max()), 4)


def by_kind(some: Sequence[Reaction]) -> dict[str, list[Reaction]]:
    """Kinds in the order in which they come."""
    return {kind: [one for one in some if one.kind == kind] for kind in dict.fromkeys(one.kind for one in some)}


if __name__ == "__main__":
    main(sys.argv[1])
