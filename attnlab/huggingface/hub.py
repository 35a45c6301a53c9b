"""A model of transformers, as an object or by its name on the hub, as one of ours."""

from typing import Any

from torch import nn

from attnlab.checks import checked
from attnlab.huggingface.albert import albert
from attnlab.huggingface.bert import bert as bert_with_output
from attnlab.huggingface.bert import bert_encoder
from attnlab.huggingface.copying import ACTIVATIONS, check_config
from attnlab.huggingface.gpt2 import gpt2
from attnlab.huggingface.vit import vit
from attnlab.registry import Table
from attnlab.transformer import GPT, EncoderStack, MaskedEncoder
from attnlab.vision.vit import ViT


@checked
def from_model(model: nn.Module) -> GPT | MaskedEncoder | EncoderStack | ViT:
    """The same model as one of ours: of transformers' `GPT2LMHeadModel`, `BertForMaskedLM`, `BertModel`,
    `AlbertForMaskedLM` or `ViTForImageClassification`, as the object itself.

    Raises ValueError for another kind of model, and for one whose configuration asks for what ours does not do.
    """
    config: Any = getattr(model, "config", None)
    kind = getattr(config, "model_type", type(model).__name__)
    if kind == "gpt2":
        check_config(config, scale_attn_weights=True, scale_attn_by_inverse_layer_idx=False, add_cross_attention=False)
        activation = ACTIVATIONS[config.activation_function]
        return gpt2(model.state_dict(), config.n_head, config.layer_norm_epsilon, activation)
    if kind == "bert":
        check_config(config, position_embedding_type="absolute", is_decoder=False, add_cross_attention=False)
        activation = ACTIVATIONS[config.hidden_act]
        bert = bert_with_output if hasattr(model, "cls") else bert_encoder
        return bert(model.state_dict(), config.num_attention_heads, config.layer_norm_eps, activation)
    if kind == "albert":
        check_config(config, num_hidden_groups=1, inner_group_num=1, position_embedding_type="absolute")
        activation, heads, depth = ACTIVATIONS[config.hidden_act], config.num_attention_heads, config.num_hidden_layers
        return albert(model.state_dict(), heads, depth, config.layer_norm_eps, activation)
    if kind == "vit":
        check_config(config, qkv_bias=True)
        activation = ACTIVATIONS[config.hidden_act]
        return vit(model.state_dict(), config.num_attention_heads, config.layer_norm_eps, activation)
    raise ValueError(f"expected a model of the kind gpt2, bert, albert or vit, got {kind}")


@checked
def from_hub(name: str) -> GPT | MaskedEncoder | EncoderStack | ViT:
    """Downloads a GPT-2, a BERT or a ViT from the Hugging Face hub, once, and gives it as one of ours.

    name: as on the hub, such as "gpt2", "bert-base-uncased" or "google/vit-base-patch16-224", or a folder with such a
    model. Shows the progress.
    Raises OSError where the model cannot be reached, and ValueError for another kind of model.
    """
    # seconds, which only this function is worth
    from transformers import AutoConfig, BertForMaskedLM, GPT2LMHeadModel, ViTForImageClassification

    kinds = Table({"gpt2": GPT2LMHeadModel, "bert": BertForMaskedLM, "vit": ViTForImageClassification})
    try:
        kind = kinds[AutoConfig.from_pretrained(name).model_type]
        model = kind.from_pretrained(name)
    except OSError as error:
        raise OSError(
            f"the model {name!r} could not be loaded: is its name right, and is there a network? "
            f"The answer was: {error}"
        ) from error
    return from_model(model)
