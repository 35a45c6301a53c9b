"""Exercise 10.decoder: a decoder block with its norms in front."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import layer_norm

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.exercises.l10_transformer.who import Attention, earlier, one_head
from attnlab.masks import causal

Map = Callable[[Tensor], Tensor]
"""[batch, tokens, dim] -> [batch, tokens, dim], each vector by itself"""


def decoder_block(
    y: Tensor,
    memory: Tensor,
    attention: Attention,
    cross_attention: Attention,
    feed_forward: Map,
    norms: tuple[Map, Map, Map],
) -> Tensor:
    """The solution."""
    asking = norms[0](y)
    y = y + attention(query=asking, key=asking, value=asking, mask=causal(y.shape[1]).to(y.device))
    y = y + cross_attention(query=norms[1](y), key=memory, value=memory)
    return y + feed_forward(norms[2](y))


def decoder_block_spec(
    y: Tensor,
    memory: Tensor,
    attention: Attention,
    cross_attention: Attention,
    feed_forward: Map,
    norms: tuple[Map, Map, Map],
) -> Tensor:
    """The same, one word at a time, as it would be written."""
    written = []
    for i in range(y.shape[1]):
        past = torch.stack([norms[0](y[:, j]) for j in range(i + 1)], dim=1)
        now = y[:, i : i + 1] + attention(past[:, i:], past, past)
        now = now + cross_attention(norms[1](now), memory, memory)
        written.append(now + feed_forward(norms[2](now)))
    return torch.cat(written, dim=1)


def _norm(seed: int) -> Map:
    """A layer norm with a gain and a shift of its own."""
    gain, shift = torch.randn(2, 3, generator=torch.Generator().manual_seed(seed))

    def norm(x: Tensor) -> Tensor:
        return layer_norm(x, [3]) * (1.5 + gain.to(x)) + shift.to(x)

    return norm


def _feed_forward(x: Tensor) -> Tensor:
    W_1, W_2 = torch.randn(2, 3, 3, generator=torch.Generator().manual_seed(9)).to(x)
    return (x @ W_1).relu() @ W_2


def _block(batch: int, target: int, source: int) -> tuple:
    chance = torch.Generator().manual_seed(10 * target + source)
    y, memory = (torch.randn(batch, tokens, 3, generator=chance) for tokens in (target, source))
    return y, memory, one_head(target), one_head(target + 1), _feed_forward, (_norm(1), _norm(2), _norm(3))


def _self(y: Tensor, attention: Attention, norm: Map) -> Tensor:
    """The first third of the block, as it should be."""
    return y + attention(norm(y), norm(y), norm(y), earlier(y, y))


def _crossed(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, norms: tuple) -> Tensor:
    """The first two thirds."""
    y = _self(y, attention, norms[0])
    return y + cross(norms[1](y), memory, memory)


def _ended(y: Tensor, feed_forward: Map, norms: tuple) -> Tensor:
    """The last third."""
    return y + feed_forward(norms[2](y))


def _post_norm(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, ff: Map, norms: tuple) -> Tensor:
    y = norms[0](y + attention(y, y, y, earlier(y, y)))
    y = norms[1](y + cross(y, memory, memory))
    return norms[2](y + ff(y))


def _normed_parts(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, ff: Map, norms: tuple) -> Tensor:
    y = y + norms[0](attention(y, y, y, earlier(y, y)))
    y = y + norms[1](cross(y, memory, memory))
    return y + norms[2](ff(y))


def _bare(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, ff: Map, norms: tuple) -> Tensor:
    y = norms[0](y)
    y = norms[1](attention(y, y, y, earlier(y, y)))
    return ff(norms[2](cross(y, memory, memory)))


def _plain(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, ff: Map, norms: tuple) -> Tensor:
    y = y + attention(y, y, y, earlier(y, y))
    y = y + cross(y, memory, memory)
    return y + ff(y)


def _cross_first(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, ff: Map, norms: tuple) -> Tensor:
    y = y + cross(norms[0](y), memory, memory)
    return _ended(_self(y, attention, norms[1]), ff, norms)


def _from_normed(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, ff: Map, norms: tuple) -> Tensor:
    y = norms[0](y)
    y = norms[1](y + attention(y, y, y, earlier(y, y)))
    y = norms[2](y + cross(y, memory, memory))
    return y + ff(y)


def _then(answer: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A block whose cross-attention is `answer(y, memory, cross, norm)` and whose rest is right."""

    def block(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, ff: Map, norms: tuple) -> Tensor:
        y = _self(y, attention, norms[0])
        return _ended(answer(y, memory, cross, norms[1]), ff, norms)

    return block


def _first(answer: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A block whose self-attention is `answer(y, attention, norm)` and whose rest is right."""

    def block(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, ff: Map, norms: tuple) -> Tensor:
        y = answer(y, attention, norms[0])
        return _ended(y + cross(norms[1](y), memory, memory), ff, norms)

    return block


def _last(answer: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A block whose feed-forward network is `answer(y, ff, norm)` and whose rest is right."""

    def block(y: Tensor, memory: Tensor, attention: Attention, cross: Attention, ff: Map, norms: tuple) -> Tensor:
        return answer(_crossed(y, memory, attention, cross, norms), ff, norms[2])

    return block


DECODER = Exercise(
    name="10.decoder",
    title="A decoder block with its norms in front",
    statement="""Return what a pre-norm decoder block makes of y: [batch, target, dim].

Its parts are those of the page, but each is put into the stream as y + part(norm(y)) (pre-norm, lesson 09): self-
attention with the first norm, cross-attention with the second, feed-forward network with the third. The encoder has
already normed its vectors when it hands them over: `memory` is used as it is. Nobody may see the target's future.

y [batch, target, dim]; memory [batch, source, dim]; attention and cross_attention (query, key, value, mask=None) ->
[batch, queries, dim]; feed_forward and each of the three norms [..., dim] -> [..., dim].""",
    axes="[batch, target, dim]",
    stub="""def decoder_block(y, memory, attention, cross_attention, feed_forward, norms):
    ...
""",
    hints=(
        "There are three parts, one after the other, each added to the y of before. What goes into a part is the norm "
        "of that y; what it is added to is y itself.",
        "Self-attention: query, key and value are all the normed y, with `causal(y.shape[1])` as mask. In the "
        "cross-attention the normed y asks and `memory` answers, without a mask.",
        "Three lines of the form y = y + part(norm(y)), one after the other, each with the y that the line before has "
        "made. `memory` comes from the encoder as it is: none of these norms is for it.",
    ),
    solution=decoder_block,
    spec=decoder_block_spec,
    inputs=lambda: [_block(2, 5, 5), _block(3, 4, 4)],
    edges=lambda: [_block(2, 3, 7), _block(1, 6, 2), _block(1, 1, 1)],
    mistakes=(
        Mistake(
            "this is post-norm, the block of the page: norm(y + part(y)). What is asked for is y + part(norm(y))",
            _post_norm,
        ),
        Mistake(
            "the norms stand behind the parts: y + norm(part(y)). They belong in front: y + part(norm(y))",
            _normed_parts,
        ),
        Mistake("the norms are missing: each part is given norm(y)", _plain),
        Mistake("the residual connections are missing: what a part makes is added to y, it does not replace it", _bare),
        Mistake(
            "the norms stand in the stream itself: a part is given norm(y), but what it makes is added to y as it was",
            _from_normed,
        ),
        Mistake(
            "the future leaks: the self-attention of a decoder needs the causal mask",
            _first(lambda y, attention, norm: y + attention(norm(y), norm(y), norm(y))),
        ),
        Mistake(
            "the mask lies on the wrong attention, the cross-attention: the source is known as a whole, it is the "
            "target's future that must be hidden",
            lambda y, memory, attention, cross, ff, norms: _ended(
                (lambda now: now + cross(norms[1](now), memory, memory, earlier(y, memory)))(
                    y + attention(norms[0](y), norms[0](y), norms[0](y))
                ),
                ff,
                norms,
            ),
        ),
        Mistake(
            "the cross-attention is causal too: the source is known as a whole before anything is written",
            _then(lambda y, memory, cross, norm: y + cross(norm(y), memory, memory, earlier(y, memory))),
        ),
        Mistake(
            "the causal mask is turned round: each word sees itself and its future, and must see its past",
            _first(lambda y, attention, norm: y + attention(norm(y), norm(y), norm(y), earlier(y, y).mT)),
        ),
        Mistake(
            "the causal mask is inverted: True means may attend, and each word sees itself and its past",
            _first(lambda y, attention, norm: y + attention(norm(y), norm(y), norm(y), ~earlier(y, y))),
        ),
        Mistake(
            "memory asks and the target answers: in the cross-attention the target asks, query=norms[1](y)",
            _then(lambda y, memory, cross, norm: y + cross(memory, norm(y), norm(y))),
        ),
        Mistake(
            "memory asks itself: in the cross-attention the target asks, query=norms[1](y)",
            _then(lambda y, memory, cross, norm: y + cross(memory, memory, memory)),
        ),
        Mistake(
            "the target asks itself a second time: in the cross-attention memory gives keys and values",
            _then(lambda y, memory, cross, norm: y + cross(norm(y), norm(y), norm(y))),
        ),
        Mistake(
            "keys of memory, values of the target: keys and values come in pairs, both from memory",
            _then(lambda y, memory, cross, norm: y + cross(norm(y), memory, norm(y))),
        ),
        Mistake(
            "keys of the target, values of memory: keys and values come in pairs, both from memory",
            _then(lambda y, memory, cross, norm: y + cross(norm(y), norm(y), memory)),
        ),
        Mistake(
            "memory was normed: the encoder has done that already, `memory` is used as it is",
            _then(lambda y, memory, cross, norm: y + cross(norm(y), norm(memory), norm(memory))),
        ),
        Mistake(
            "the cross-attention is missing: so nothing of the source arrives",
            _then(lambda y, memory, cross, norm: y),
        ),
        Mistake(
            "the residual connection around the cross-attention is missing: what it makes is added to y",
            _then(lambda y, memory, cross, norm: cross(norm(y), memory, memory)),
        ),
        Mistake(
            "the norm in front of the cross-attention is missing: it is asked with norms[1](y)",
            _then(lambda y, memory, cross, norm: y + cross(y, memory, memory)),
        ),
        Mistake(
            "what the cross-attention makes was added to the normed y: it is added to y as it was",
            _then(lambda y, memory, cross, norm: norm(y) + cross(norm(y), memory, memory)),
        ),
        Mistake(
            "the self-attention is missing: the target's words never meet",
            _first(lambda y, attention, norm: y),
        ),
        Mistake(
            "the residual connection around the self-attention is missing: what it makes is added to y",
            _first(lambda y, attention, norm: attention(norm(y), norm(y), norm(y), earlier(y, y))),
        ),
        Mistake(
            "the norm in front of the self-attention is missing: it is given norms[0](y)",
            _first(lambda y, attention, norm: y + attention(y, y, y, earlier(y, y))),
        ),
        Mistake(
            "only the query of the self-attention was normed: key and value are the normed y too",
            _first(lambda y, attention, norm: y + attention(norm(y), y, y, earlier(y, y))),
        ),
        Mistake(
            "the value of the self-attention was not normed: query, key and value are all the normed y",
            _first(lambda y, attention, norm: y + attention(norm(y), norm(y), y, earlier(y, y))),
        ),
        Mistake(
            "what the self-attention makes was added to the normed y: it is added to y as it was",
            _first(lambda y, attention, norm: norm(y) + attention(norm(y), norm(y), norm(y), earlier(y, y))),
        ),
        Mistake(
            "the feed-forward network is missing: it is the third part",
            _last(lambda y, ff, norm: y),
        ),
        Mistake(
            "the residual connection around the feed-forward network is missing: what it makes is added to y",
            _last(lambda y, ff, norm: ff(norm(y))),
        ),
        Mistake(
            "the norm in front of the feed-forward network is missing: it is given norms[2](y)",
            _last(lambda y, ff, norm: y + ff(y)),
        ),
        Mistake(
            "what the feed-forward network makes was added to the normed y: it is added to y as it was",
            _last(lambda y, ff, norm: norm(y) + ff(norm(y))),
        ),
        Mistake(
            "the cross-attention comes first, with the first norm: the self-attention comes before it",
            _cross_first,
        ),
        Mistake(
            "the cross-attention comes first: the self-attention comes before it",
            lambda y, memory, attention, cross, ff, norms: _cross_first(
                y, memory, attention, cross, ff, (norms[1], norms[0], norms[2])
            ),
        ),
        Mistake(
            "the cross-attention was asked with the y of before the self-attention: the parts come one after the other",
            lambda y, memory, attention, cross, ff, norms: _ended(
                _self(y, attention, norms[0]) + cross(norms[1](y), memory, memory), ff, norms
            ),
        ),
        Mistake(
            "all three parts read the first y, side by side: they come one after the other, each reads the y that the "
            "part before it has made",
            lambda y, memory, attention, cross, ff, norms: (
                _self(y, attention, norms[0]) + cross(norms[1](y), memory, memory) + ff(norms[2](y))
            ),
        ),
        Mistake(
            "the self-attention was used twice: memory is asked through `cross_attention`, which has weights of its "
            "own",
            lambda y, memory, attention, cross, ff, norms: decoder_block(y, memory, attention, attention, ff, norms),
        ),
        Mistake(
            "the two attentions are exchanged: each has weights of its own",
            lambda y, memory, attention, cross, ff, norms: decoder_block(y, memory, cross, attention, ff, norms),
        ),
        Mistake(
            "one norm stands in front of all parts: there are three, each with a gain of its own",
            lambda y, memory, attention, cross, ff, norms: decoder_block(
                y, memory, attention, cross, ff, (norms[0], norms[0], norms[0])
            ),
        ),
        Mistake(
            "one norm too many: a last norm belongs behind the last block, not into each",
            lambda y, memory, attention, cross, ff, norms: norms[2](
                decoder_block(y, memory, attention, cross, ff, norms)
            ),
        ),
    ),
)
