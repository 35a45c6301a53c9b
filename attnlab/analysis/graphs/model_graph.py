"""The graph of a model: its parts in the order of the data, what flows between them, and each part's line of code."""

from collections.abc import Callable
from typing import Any

from torch import nn

from attnlab.analysis.graphs.block_graph import attention, block, embed, token_shift, unembed
from attnlab.analysis.graphs.graph import Builder, Graph, Part
from attnlab.analysis.graphs.recurrent_graph import seq2seq
from attnlab.analysis.graphs.vision_graph import captioner, glimpses, patch_embed
from attnlab.blocks import (
    RESIDUALS,
    AttentionBlock,
    BatchNorm,
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    LayerNorm,
    RMSNorm,
    UnitRMS,
)
from attnlab.checks import checked
from attnlab.multihead import MultiHeadAttention
from attnlab.seq2seq import Seq2Seq
from attnlab.transformer import (
    GPT,
    DecoderStack,
    Embed,
    EncoderStack,
    MaskedEncoder,
    Stack,
    TokenShift,
    Transformer,
    UniversalTransformer,
)
from attnlab.vision.captioner import Captioner
from attnlab.vision.glimpses import RecurrentAttention
from attnlab.vision.vit import PatchEmbed, ViT


@checked
def model_graph(model: nn.Module) -> Graph:
    """The parts of a model and the wires between them. `record` hears every tensor that it names in one call.

    A module that is called several times has a node for each call; a recurrent decoder has one for all its steps, whose
    tensors `Trace.calls` gives. A part that `override` switches off keeps its node. Dropout is not drawn: the sums are
    those of a model in evaluation. What is not known, such as a class with a `forward` of its own, is a plain box with
    its class name; blocks and attentions inside it are there, without wires between them.
    Raises ValueError for a model without weights.
    """
    if next(model.parameters(), None) is None:
        raise ValueError(f"expected a model with weights to show, got {type(model).__name__}, which has none")
    builder = Builder(model)
    _visit(builder, model, None)
    return builder.graph


def _visit(builder: Builder, module: nn.Module, x: int | None) -> int | None:
    for kind, visit in _VISITS.items():
        if _known(module, kind):
            return visit(builder, module, x)
    return _unknown(builder, module, x)


def _known(module: nn.Module, kind: type[nn.Module]) -> bool:
    """Whether it does what the kind does."""
    own = isinstance(module, kind) and type(module).forward is kind.forward
    return own and getattr(module, "residual", None) in (None, *RESIDUALS.values())


def _unknown(builder: Builder, module: nn.Module, x: int | None) -> int | None:
    """A box; of what is inside, the parts that hold an attention, each for itself."""
    name = type(module).__name__
    number = builder.add(builder.call(module), Part("box", name, f"x = {name}(x)", 0, ("in",)), x)
    for child in module.children():
        _inside(builder, child)
    return number


def _inside(builder: Builder, module: nn.Module) -> None:
    if isinstance(module, nn.ModuleList | nn.ModuleDict):
        for child in module.children():
            _inside(builder, child)
    elif any(isinstance(part, MultiHeadAttention) for part in module.modules()):
        _visit(builder, module, None)


def _chain(builder: Builder, module: nn.Sequential, x: int | None) -> int | None:
    for child in module:
        x = _visit(builder, child, x)
    return x


def _nothing(builder: Builder, module: nn.Module, x: int | None) -> int | None:
    return x


def _stack(builder: Builder, stack: Stack, x: int | None = None) -> int | None:
    x = _visit(builder, stack.embed, None)
    for part in (*stack.blocks, stack.norm):
        x = _visit(builder, part, x)
    return x


def _gpt(builder: Builder, model: GPT, x: int | None) -> int:
    return unembed(builder, model.output, _stack(builder, model))


def _masked_encoder(builder: Builder, model: MaskedEncoder, x: int | None) -> int:
    return unembed(builder, model.output, _visit(builder, model.encoder, None))


def _transformer(builder: Builder, model: Transformer, x: int | None) -> int:
    builder.memory = _visit(builder, model.encoder, None)
    return unembed(builder, model.output, _visit(builder, model.decoder, None))


def _vit(builder: Builder, model: ViT, x: int | None) -> int:
    for part in (model.embed, *model.blocks, model.norm):
        x = _visit(builder, part, x)
    output = builder.call(model.output)
    read = builder.add(f"{output}/in", Part("state", "class token", "x = norm(x)[:, 0]"), x)
    return builder.add(output, Part("unembed", "class", "logits = output(x)"), read)


def _part(kind: str, line: str, *also: str) -> Callable[[Builder, nn.Module, int | None], int]:
    """For a module that makes one tensor of one."""
    part = Part(kind, kind.replace("_", "-"), line, 0, also)

    def visit(builder: Builder, module: nn.Module, x: int | None) -> int:
        return builder.add(builder.call(module), part, x)

    return visit


_VISITS: dict[type[nn.Module], Callable[[Builder, Any, int | None], int | None]] = {
    Seq2Seq: seq2seq,
    Captioner: captioner,
    RecurrentAttention: glimpses,
    ViT: _vit,
    PatchEmbed: patch_embed,
    Transformer: _transformer,
    UniversalTransformer: _transformer,
    MaskedEncoder: _masked_encoder,
    GPT: _gpt,
    EncoderStack: _stack,
    DecoderStack: _stack,
    Embed: embed,
    TokenShift: token_shift,
    AttentionBlock: block,
    EncoderBlock: block,
    DecoderBlock: block,
    MultiHeadAttention: attention,
    FeedForward: _part("feed_forward", "y = feed_forward(x)", "hidden"),
    nn.Sequential: _chain,
    nn.Identity: _nothing,
    nn.Dropout: _nothing,
    nn.Linear: _part("linear", "y = W x + b"),
    nn.Embedding: _part("embed", "x = embedding(ids)"),
    **dict.fromkeys((nn.LayerNorm, nn.RMSNorm, LayerNorm, UnitRMS, RMSNorm, BatchNorm), _part("norm", "x = norm(x)")),
}
"""Kind of module -> what adds its nodes: `(builder, module, number of the node that it reads) -> that of the last`.

A module whose class has a `forward` of its own is not of its parent's kind."""
