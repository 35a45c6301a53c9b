"""The parts of graphs that models of pictures are made of: patches, a grid to look at, glimpses."""

from attnlab.analysis.graphs.block_graph import added_places, summed
from attnlab.analysis.graphs.graph import Builder, Part
from attnlab.analysis.graphs.recurrent_graph import decoder
from attnlab.checks import checked
from attnlab.seq2seq import AttentionDecoder
from attnlab.vision.captioner import Captioner, GridEncoder
from attnlab.vision.glimpses import RecurrentAttention
from attnlab.vision.vit import PatchEmbed


@checked
def patch_embed(builder: Builder, module: PatchEmbed, x: int | None = None) -> int:
    """Patches become vectors, the class token stands before them, and positions are added to all."""
    name, pixels, positions = (builder.call(part) for part in (module, module.pixels, module.positions))
    cut = builder.add(f"{pixels}/in", Part("state", "patches", "p = patches(images, size)"), x)
    seen = builder.add(pixels, Part("linear", "seen", "seen = pixels(p)"), cut)
    token = builder.add(f"{positions}/in", Part("embed", "token", "token = cat([class_token, seen])"), seen)
    return summed(builder, [token, *added_places(builder, module.positions, positions)], f"{name}/out")


@checked
def captioner(builder: Builder, module: Captioner, x: int | None = None) -> int:
    """A grid to look at and what writes. The nodes of the decoder stand for every step; its first state is 0."""
    states = _grid(builder, module.encoder)
    if isinstance(module.decoder, AttentionDecoder):
        asks = f"{builder.name(module.decoder.attention)}/in"
        first = builder.add(asks, Part("state", "first state", "s = 0"))
        return decoder(builder, module.decoder, states, first, None)
    mean = builder.add(
        f"{builder.name(module.encoder)}/hidden", Part("state", "mean", "context = keys.mean(0)"), states
    )
    return decoder(builder, module.decoder, states, None, mean)


def _grid(builder: Builder, encoder: GridEncoder) -> int:
    """The node of its states: what each place sees, and which place it is."""
    name, positions = builder.call(encoder), builder.call(encoder.positions)
    sees = Part("embed", "what each place sees", "seen = convolutions(picture).flatten(2).mT")
    seen = builder.add(f"{positions}/in", sees)
    place = builder.add(
        f"{positions}/adds", Part("embed", "which place it is", "place = (rows + columns).flatten(0, 1)")
    )
    return builder.add(f"{name}/out", Part("sum", "states of the places", "keys = seen + place"), seen, place)


@checked
def glimpses(builder: Builder, module: RecurrentAttention, x: int | None = None) -> int:
    """One glimpse: the state before it says where to look and what to expect, and becomes the state after it.

    The nodes stand for every glimpse. `record` hears the location network where the gaze asks it, as `mean_gaze` and
    `drawn_gaze` do; then the place is what the gaze made of its answer.
    """
    name, core = builder.call(module.glimpse), builder.call(module.core)
    location, baseline = builder.call(module.location), builder.call(module.baseline)
    before = builder.add(f"{baseline}/in", Part("state", "state before", "state = 0, then core's"))
    line = "mean = tanh(mean(relu(hidden(state))))"
    mean = builder.add(location, Part("linear", "location", line), before)
    builder.add(baseline, Part("linear", "baseline", "expected reward = baseline(state)"), before)
    place = builder.add(f"{name}.where/in", Part("state", "place", "place = gaze(state)"), mean)
    seen = builder.add(f"{name}.what/in", Part("state", "retina", "seen = retina(picture, place)"), place)
    branches = [_branch(builder, name, "what", "seen", seen), _branch(builder, name, "where", "place", place)]
    found = builder.add(f"{name}/out", Part("state", "glimpse", "g = relu(from_what + from_where)"), *branches)
    kind = type(module.core).__name__.removesuffix("Cell")
    cell = builder.add(core, Part("cell", kind, f"state = {kind.lower()}(g, state)"), found, before)
    builder.wire(cell, before)
    return builder.add(builder.call(module.action), Part("unembed", "action", "logits = action(state)"), cell)


def _branch(builder: Builder, glimpse: str, which: str, given: str, source: int) -> int:
    """What was seen, or where, by way of a hidden layer."""
    hidden = Part("state", which, f"{which} = relu({which}({given}))")
    inside = builder.add(f"{glimpse}.from_{which}/in", hidden, source)
    return builder.add(f"{glimpse}.from_{which}", Part("linear", f"from {which}", f"from_{which}({which})"), inside)
