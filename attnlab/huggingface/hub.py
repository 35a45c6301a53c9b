"""A model of transformers: as an object, in a folder, or by its name on the hub; as one of ours."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from torch import Tensor, nn

from attnlab.checks import checked
from attnlab.huggingface.albert import albert
from attnlab.huggingface.bert import bert, bert_encoder
from attnlab.huggingface.copying import ACTIVATIONS, check_config
from attnlab.huggingface.dinov2 import dinov2
from attnlab.huggingface.files import SafetensorsFiles, reading
from attnlab.huggingface.gpt2 import gpt2
from attnlab.huggingface.llama import base_of, llama
from attnlab.huggingface.vit import vit
from attnlab.registry import Table
from attnlab.transformer import GPT, EncoderStack, MaskedEncoder
from attnlab.vision.vit import ViT

State = Mapping[str, Tensor]
Ours = GPT | MaskedEncoder | EncoderStack | ViT


@checked
def from_model(model: nn.Module) -> Ours:
    """The same model as one of ours: of transformers' `GPT2LMHeadModel`, `LlamaForCausalLM`, `BertForMaskedLM`,
    `BertModel`, `AlbertForMaskedLM`, `ViTForImageClassification` or `Dinov2Model`, as the object itself.

    Raises ValueError for another kind of model, and for one whose configuration asks for what ours does not do.
    """
    config: Any = getattr(model, "config", None)
    return _ours(model.state_dict(), config, type(model).__name__)


@checked
def from_folder(folder: str | os.PathLike) -> Ours:
    """A model out of a folder with `config.json` and `*.safetensors`, as `save_pretrained` and the hub have it. The
    package transformers is not needed.

    Raises ValueError for another kind of model, for one whose configuration asks for what ours does not do, for damaged
    files, and for weights that are a pickle: none is opened. FileNotFoundError where there is no configuration.
    """
    with reading(Path(folder) / "config.json"):
        config = SimpleNamespace(**json.loads((Path(folder) / "config.json").read_text(encoding="utf-8")))
        return _ours(SafetensorsFiles(folder), config, Path(folder).name)


@checked
def from_hub(name: str) -> Ours:
    """Downloads a model from the Hugging Face hub, once, and gives it as one of ours.

    name: as on the hub, such as "gpt2", "bert-base-uncased" or "google/vit-base-patch16-224", or a folder with such a
    model. Shows the progress.
    Raises OSError where the model cannot be reached, and ValueError for another kind of model.
    """
    import transformers  # seconds, which only this function is worth

    try:
        config = transformers.AutoConfig.from_pretrained(name)
        usual, own = WITH_OUTPUT[config.model_type], (getattr(config, "architectures", None) or [""])[0]
        model = getattr(transformers, own if own in ALSO else usual).from_pretrained(name, use_safetensors=True)
    except OSError as error:
        raise OSError(
            f"the model {name!r} could not be loaded: is its name right, and is there a network? "
            f"The answer was: {error}"
        ) from error
    return from_model(model)


WITH_OUTPUT = Table({
    "gpt2": "GPT2LMHeadModel",
    "bert": "BertForMaskedLM",
    "albert": "AlbertForMaskedLM",
    "llama": "LlamaForCausalLM",
    "vit": "ViTForImageClassification",
    "dinov2": "Dinov2Model",
})
"""Kind of model -> the class of transformers whose weights we take, unless the files are of one of `ALSO`."""

MOST_USES = 1000  # of ALBERT's one block: the number is the file's word alone

ALSO = ("BertModel", "BertForPreTraining")


def _ours(state: State, config: Any, what: str) -> Ours:
    kind = getattr(config, "model_type", what)
    if kind not in KINDS:
        *others, last = KINDS
        raise ValueError(f"expected a model of the kind {', '.join(others)} or {last}, got {kind}")
    return KINDS[kind](state, config)


def _gpt2(state: State, config: Any) -> GPT:
    check_config(config, scale_attn_weights=True, scale_attn_by_inverse_layer_idx=False, add_cross_attention=False)
    activation = ACTIVATIONS[getattr(config, "activation_function", "gelu_new")]
    return gpt2(state, config.n_head, getattr(config, "layer_norm_epsilon", 1e-5), activation)


def _bert(state: State, config: Any) -> MaskedEncoder | EncoderStack:
    check_config(config, position_embedding_type="absolute", is_decoder=False, add_cross_attention=False)
    given = config.num_attention_heads, getattr(config, "layer_norm_eps", 1e-12), _activation(config)
    return bert(state, *given) if any(name.startswith("cls.") for name in state) else bert_encoder(state, *given)


def _albert(state: State, config: Any) -> MaskedEncoder:
    check_config(config, num_hidden_groups=1, inner_group_num=1, position_embedding_type="absolute")
    depth, epsilon = config.num_hidden_layers, getattr(config, "layer_norm_eps", 1e-12)
    if isinstance(depth, int) and depth > MOST_USES:
        raise ValueError(f"expected a block that is used at most {MOST_USES} times, got num_hidden_layers = {depth}")
    return albert(state, config.num_attention_heads, depth, epsilon, _activation(config))


def _llama(state: State, config: Any) -> GPT:
    heads = config.num_attention_heads
    check_config(config, attention_bias=False, mlp_bias=False, hidden_act="silu", head_dim=config.hidden_size // heads)
    longest, epsilon = getattr(config, "max_position_embeddings", 2048), getattr(config, "rms_norm_eps", 1e-6)
    return llama(state, heads, base_of(config), epsilon, longest)


def _vit(state: State, config: Any) -> ViT:
    check_config(config, qkv_bias=True)
    return vit(state, config.num_attention_heads, getattr(config, "layer_norm_eps", 1e-12), _activation(config))


def _dinov2(state: State, config: Any) -> ViT:
    check_config(config, qkv_bias=True, use_swiglu_ffn=False)
    return dinov2(state, config.num_attention_heads, getattr(config, "layer_norm_eps", 1e-6), _activation(config))


def _activation(config: Any) -> Callable[[Tensor], Tensor]:
    return ACTIVATIONS[getattr(config, "hidden_act", "gelu")]


KINDS: dict[str, Callable[[State, Any], Ours]] = Table({
    "gpt2": _gpt2,
    "bert": _bert,
    "albert": _albert,
    "llama": _llama,
    "vit": _vit,
    "dinov2": _dinov2,
})
"""The kind that a configuration names -> function `(state, config) -> one of ours`."""
