"""The parts of graphs that Transformers are made of: embeddings, attention, blocks, and what names the next token."""

from torch import nn

from attnlab.analysis.graphs.graph import Block, Builder, Part
from attnlab.blocks import AttentionBlock, FeedForward, NormedQueriesKeys, bare, post_norm
from attnlab.checks import checked
from attnlab.multihead import MultiHeadAttention
from attnlab.positions import ALiBi, Learned, OneHot, Positions, RelativeBias, Rotary, Sinusoidal
from attnlab.registry import name_of
from attnlab.transformer import Embed, MaskedOutput, SoftCap, TokenShift

OF_ONE_HEAD = ("q", "k", "v", "scores", "weights", "context")
OF_HEADS = (*OF_ONE_HEAD, "adds", "bias")

_ADDED: dict[type[Positions], str] = {
    Learned: "position = positions.table[:n]",
    Sinusoidal: "position = scale * sinusoidal(n, dim)",
    OneHot: "position = mix([token, one_hot(place)]) - token",
}
"""Kind of positions -> the line that says what they add to the embeddings."""

_COMPARED: dict[type[Positions], str] = {
    Rotary: "q, k turned by place",
    ALiBi: "scores - slope * distance",
    RelativeBias: "scores + table[distance]",
}
"""Kind of positions -> what they do where queries and keys are compared."""

_LABELS = {
    "attention": "attention",
    "cross_attention": "attention to the source",
    "feed_forward": "feed-forward",
}
"""Part of a block -> its name in words."""

# Embeddings


@checked
def embed(builder: Builder, module: Embed, x: int | None = None) -> int:
    """Token, position and text, their sum, and its norm, as far as they are there."""
    name = builder.call(module)
    parts = [builder.add(builder.call(module.tokens), Part("embed", "token", "token = tokens(ids)"))]
    parts += places(builder, module.positions)[1]
    if module.segments is not None:
        parts.append(builder.add(builder.call(module.segments), Part("embed", "text", "text = segments(texts)")))
    norm = builder.call(module.norm)
    normed = not isinstance(module.norm, nn.Identity)
    stream = summed(builder, parts, f"{norm}/in" if normed else f"{name}/out")
    return builder.add(norm, Part("norm", "norm", "x = norm(x)"), stream) if normed else stream


@checked
def summed(builder: Builder, parts: list[int], tensor: str) -> int:
    """The one part that there is, or a node for the sum of all."""
    if len(parts) == 1:
        return parts[0]
    labels = [builder.graph.part(part).label for part in parts]
    return builder.add(tensor, Part("sum", "the stream", f"x = {' + '.join(labels)}"), *parts)


@checked
def places(builder: Builder, positions: Positions) -> tuple[str, list[int]]:
    """The name of positions, and the node of what they add to the embeddings, where they add anything."""
    name = builder.call(positions)
    return name, added_places(builder, positions, name)


@checked
def added_places(builder: Builder, positions: Positions, name: str) -> list[int]:
    """The node of what positions add, in the call of this name; none where they add nothing."""
    inner = _without_norm(positions)
    if type(inner).forward is Positions.forward:
        return []
    line = _ADDED.get(type(inner), f"position = {type(inner).__name__}(token) - token")
    return [builder.add(f"{name}/adds", Part("embed", "position", line))]


def _without_norm(positions: Positions) -> Positions:
    return positions.positions if isinstance(positions, NormedQueriesKeys) else positions


# Attention


@checked
def compared(positions: Positions) -> str:
    """What positions do inside an attention, as the end of its line of code."""
    inner = _without_norm(positions)
    kind, done = type(inner), [] if inner is positions else ["q, k normed"]
    if kind.rotate is not Positions.rotate or kind.bias is not Positions.bias:
        done.append(_COMPARED.get(kind, kind.__name__))
    return f"  # {', then '.join(done)}" if done else ""


@checked
def attention(builder: Builder, module: MultiHeadAttention, x: int | None = None) -> int:
    """An attention by itself, of one sequence with itself, between its four maps."""
    name = builder.call(module)
    x = builder.add(f"{name}/in", Part("stream", "the stream", "x")) if x is None else x
    made = {
        role: builder.add(builder.call(getattr(module, role)), Part("linear", role, f"{role[0]} = {role}(x)"), x)
        for role in ("query", "key", "value")
    }
    line = f"context, weights, scores = attend(q, k, v){compared(module.positions)}"
    also = tuple(suffix for suffix in OF_HEADS if suffix != "context")
    found = builder.add(f"{name}/context", Part("attention", "attention", line, module.heads, also), **made)
    return builder.add(builder.call(module.output), Part("linear", "output", "y = output(context)"), context=found)


# Blocks


@checked
def block(builder: Builder, module: AttentionBlock, x: int | None = None) -> int:
    """Its parts in turn: attention, attention to the source, feed-forward network, those that the block has."""
    name, first = builder.call(module), len(builder.graph.nodes)
    x = builder.add(f"{name}/in", Part("stream", "the stream", "x")) if x is None else x
    parts = [part for part in _LABELS if hasattr(module, part)]
    norms = [builder.call(getattr(module, f"{part}_norm")) for part in parts]
    outs = [*(f"{norm}/in" for norm in norms[1:]), f"{name}/out"]  # where a sum is heard that no norm follows at once
    for part, norm, out in zip(parts, norms, outs, strict=True):
        x = _sublayer(builder, module, part, norm, out, x)
    stack = name.rpartition("blocks")[0].replace(".", " ")
    number = 1 + sum(other.label.startswith(f"{stack}block") for other in builder.graph.blocks)
    builder.graph.blocks.append(Block(name, f"{stack}block {number}", first, len(builder.graph.nodes)))
    return x


def _sublayer(builder: Builder, module: AttentionBlock, part: str, norm: str, out: str, x: int) -> int:
    """A part with its norm and its sum, in the order that the residual connection says."""
    normed = not isinstance(getattr(module, f"{part}_norm"), nn.Identity)
    first, alone = normed and module.residual is not post_norm, module.residual is bare
    given = builder.add(norm, Part("norm", "norm", f"y = {part}_norm(x)"), x) if first else x
    made = _working(builder, module, part, f"{'x' if alone else 'y'} = {part}({'y' if first else 'x'}", given)
    if alone:
        return made
    heard = f"{norm}/in" if module.residual is post_norm else out
    total = builder.add(heard, Part("sum", f"after {_LABELS[part]}", "x = x + y"), x, made)
    if first or not normed:
        return total
    return builder.add(norm, Part("norm", "norm", f"x = {part}_norm(x)"), total)


def _working(builder: Builder, module: AttentionBlock, part: str, line: str, x: int) -> int:
    """The attention or feed-forward network itself; `line` lacks its end."""
    worker, label = getattr(module, part), _LABELS[part]
    name = builder.call(worker)
    if part == "feed_forward":
        also = ("hidden",) if isinstance(worker, FeedForward) else ()
        return builder.add(name, Part(part, label, f"{line})", 0, also), x)
    if not isinstance(worker, MultiHeadAttention):
        return builder.add(name, Part("box", type(worker).__name__, f"{line})", 0, ("in",)), x)
    turned = compared(worker.positions)
    if part == "attention":
        return builder.add(name, Part(part, label, f"{line}){turned}", worker.heads, OF_HEADS), x)
    memory = builder.memory
    if memory is None:  # a block by itself
        memory = builder.add(f"{builder.call(worker.key)}/in", Part("stream", "the source", "memory"))
    looking = Part("attention", label, f"{line}, memory){turned}", worker.heads, OF_HEADS)
    return builder.add(name, looking, query=x, key=memory, value=memory)


@checked
def token_shift(builder: Builder, module: TokenShift, x: int | None = None) -> int:
    """One map, which looks a few tokens back."""
    shares = [f"share_{back} * x[t-{back}]" for back in range(1, 1 + len(module.shares))]
    line = f"x[t] = {' + '.join(['x[t]', *shares])}"
    return builder.add(builder.call(module), Part("linear", "token shift", line), x)


@checked
def unembed(builder: Builder, module: nn.Module, x: int | None) -> int:
    """What turns vectors into logits, as one part."""
    line = "logits = output(x)"
    if isinstance(module, MaskedOutput):
        line = f"logits = output(norm({name_of(module.activation)}(transform(x))))"
    for part in module.modules():
        if isinstance(part, SoftCap):
            line = f"logits = {part.limit} * tanh(output(x) / {part.limit})"
    return builder.add(builder.call(module), Part("unembed", "next token", line), x)
