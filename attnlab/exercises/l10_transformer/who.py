"""Exercise 10.who: who asks whom."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.masks import causal, padding

Attention = Callable[..., Tensor]
"""(query [batch, queries, dim], key and value [batch, keys, dim], mask=None) -> context [batch, queries, dim]"""


def one_head(seed: int) -> Attention:
    """One head with maps of its own, so that query, key and value cannot be exchanged unnoticed."""
    W_q, W_k, W_v = torch.randn(3, 3, 3, generator=torch.Generator().manual_seed(seed))

    def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        scores = (query @ W_q.to(query)) @ (key @ W_k.to(key)).mT
        if mask is not None and mask.dtype != torch.bool:
            raise TypeError(f"expected a mask of torch.bool, True = may attend, got {mask.dtype}")
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        return scores.softmax(dim=-1) @ (value @ W_v.to(value))

    return attention


def three_contexts(x: Tensor, y: Tensor, lengths: Tensor, attention: Attention) -> Tensor:
    """The solution."""
    words, past = padding(lengths, x.shape[1]), causal(y.shape[1]).to(y.device)
    encoder = attention(query=x, key=x, value=x, mask=words)
    decoder = attention(query=y, key=y, value=y, mask=past)
    cross = attention(query=y, key=x, value=x, mask=words)
    return torch.cat([encoder, decoder, cross], dim=1)


def three_contexts_spec(x: Tensor, y: Tensor, lengths: Tensor, attention: Attention) -> Tensor:
    """The same in loops: one query at a time, with those keys only that it may see."""
    rows = []
    for b in range(len(x)):
        words = x[b : b + 1, : int(lengths[b])]
        row = [attention(x[b : b + 1, i : i + 1], words, words) for i in range(x.shape[1])]
        for i in range(y.shape[1]):
            past = y[b : b + 1, : i + 1]
            row.append(attention(y[b : b + 1, i : i + 1], past, past))
        row += [attention(y[b : b + 1, i : i + 1], words, words) for i in range(y.shape[1])]
        rows.append(torch.cat(row, dim=1))
    return torch.cat(rows)


def _random_case(source: int, target: int, lengths: list[int]) -> tuple:
    chance = torch.Generator().manual_seed(10 * source + target)
    x, y = (torch.randn(len(lengths), tokens, 3, generator=chance) for tokens in (source, target))
    return x, y, torch.tensor(lengths), one_head(seed=source)


def _three(
    x: Tensor,
    y: Tensor,
    lengths: Tensor,
    attention: Attention,
    reads: Tensor | None = None,
    writes: Tensor | None = None,
    crosses: Tensor | None = None,
) -> Tensor:
    """The three contexts under these masks; everybody sees everybody where there is none."""
    encoder, decoder = attention(x, x, x, reads), attention(y, y, y, writes)
    return torch.cat([encoder, decoder, attention(y, x, x, crosses)], dim=1)


def _words(x: Tensor, lengths: Tensor) -> Tensor:
    return padding(lengths, x.shape[1])


def earlier(queries: Tensor, keys: Tensor) -> Tensor:
    """Query i sees the keys 0 to i, however many there are."""
    return torch.ones(queries.shape[1], keys.shape[1], dtype=torch.bool).tril()


def _with_cross(x: Tensor, y: Tensor, lengths: Tensor, attention: Attention, cross: Tensor) -> Tensor:
    encoder, decoder = attention(x, x, x, _words(x, lengths)), attention(y, y, y, earlier(y, y))
    return torch.cat([encoder, decoder, cross], dim=1)


WHO = Exercise(
    name="10.who",
    title="Who asks whom",
    statement="""Return the contexts of the three attentions, one below the other.

First the encoder's self-attention, then the decoder's self-attention, then the cross-attention. Each is given x and y
as they are. For each decide who asks, who answers, and who must not be seen: nobody may look at the padding of the
source, and no word of the target at those that follow it. The targets have no padding.

x [batch, source, dim], the vectors of the source; y [batch, target, dim], those of the target; lengths [batch], the
words in each source; attention(query, key, value, mask) -> [batch, queries, dim], mask [..., queries, keys], True =
may attend.""",
    axes="[batch, source + target + target, dim]",
    stub="""def three_contexts(x, y, lengths, attention):
    ...
""",
    hints=(
        "There is one context for each query. So how many rows each of the three has tells who asks.",
        "Keys and values always come from the same sequence. The masks are those of lesson 06: `padding(lengths, "
        "tokens)` goes wherever the source answers, `causal(tokens)` wherever the target does.",
        "The cross-attention joins the two: it has a row for each word of the target, and in it a weight for each word "
        "of the source. Who asks, then, and who answers? `torch.cat([...], dim=1)` puts the three below each other.",
    ),
    solution=three_contexts,
    spec=three_contexts_spec,
    inputs=lambda: [_random_case(5, 5, [5, 2, 4]), _random_case(3, 3, [1, 3])],
    edges=lambda: [_random_case(7, 4, [7, 3]), _random_case(2, 6, [2]), _random_case(1, 1, [1])],
    mistakes=(
        Mistake(
            "in the cross-attention the source asks and the target answers: it is the next target word that is looked "
            "for, so the target asks",
            lambda x, y, lengths, attention: _with_cross(x, y, lengths, attention, attention(x, y, y)),
        ),
        Mistake(
            "in the cross-attention the source asks and the target answers, causally: it is the next target word that "
            "is looked for, so the target asks",
            lambda x, y, lengths, attention: _with_cross(x, y, lengths, attention, attention(x, y, y, earlier(x, y))),
        ),
        Mistake(
            "in the cross-attention the source asks and the target answers, under the source's padding: it is the next "
            "target word that is looked for, so the target asks",
            lambda x, y, lengths, attention: _with_cross(
                x, y, lengths, attention, attention(x, y, y, _words(x, lengths))
            ),
        ),
        Mistake(
            "the cross-attention has keys of the target and values of the source: a weight belongs to a key and "
            "fetches its value, so the two come in pairs",
            lambda x, y, lengths, attention: _with_cross(x, y, lengths, attention, attention(y, y, x)),
        ),
        Mistake(
            "the cross-attention has keys of the source and values of the target: then it finds the right words of the "
            "source and fetches others",
            lambda x, y, lengths, attention: _with_cross(
                x, y, lengths, attention, attention(y, x, y, _words(x, lengths))
            ),
        ),
        Mistake(
            "in the cross-attention the source asks itself: then nothing of the target comes into it",
            lambda x, y, lengths, attention: _with_cross(
                x, y, lengths, attention, attention(x, x, x, _words(x, lengths))
            ),
        ),
        Mistake(
            "in the cross-attention the target asks itself: then nothing of the source comes into it",
            lambda x, y, lengths, attention: _with_cross(x, y, lengths, attention, attention(y, y, y, earlier(y, y))),
        ),
        Mistake(
            "the cross-attention was given what the encoder's attention has made: here all three get x and y as they "
            "are",
            lambda x, y, lengths, attention: _with_cross(
                x,
                y,
                lengths,
                attention,
                attention(y, *2 * [attention(x, x, x, _words(x, lengths))], _words(x, lengths)),
            ),
        ),
        Mistake(
            "the cross-attention is asked by what the decoder's own attention has made: here all three get x and y as "
            "they are",
            lambda x, y, lengths, attention: _with_cross(
                x, y, lengths, attention, attention(attention(y, y, y, earlier(y, y)), x, x, _words(x, lengths))
            ),
        ),
        Mistake(
            "the cross-attention was given what both self-attentions have made, as in the whole model: here all three "
            "get x and y as they are",
            lambda x, y, lengths, attention: _with_cross(
                x,
                y,
                lengths,
                attention,
                attention(
                    attention(y, y, y, earlier(y, y)),
                    *2 * [attention(x, x, x, _words(x, lengths))],
                    _words(x, lengths),
                ),
            ),
        ),
        Mistake(
            "the future leaks: in the decoder's self-attention no word may see those that follow it",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, _words(x, lengths), None, _words(x, lengths)
            ),
        ),
        Mistake(
            "the causal mask lies on the cross-attention and not on the decoder's self-attention: the source was "
            "written long ago, it is the target that must not be seen in advance",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, _words(x, lengths), None, earlier(y, x) & _words(x, lengths)
            ),
        ),
        Mistake(
            "the cross-attention is causal too: the source is known as a whole before anything is written",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, _words(x, lengths), earlier(y, y), earlier(y, x) & _words(x, lengths)
            ),
        ),
        Mistake(
            "the encoder's self-attention is causal: the source is known as a whole, its words may look ahead",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, earlier(x, x) & _words(x, lengths), earlier(y, y), _words(x, lengths)
            ),
        ),
        Mistake(
            "the encoder's self-attention is causal and reads padding: it may look ahead, but not at padding",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, earlier(x, x), earlier(y, y), _words(x, lengths)
            ),
        ),
        Mistake(
            "all three are causal: only the target is written word by word, the source is known as a whole",
            lambda x, y, lengths, attention: _three(
                x,
                y,
                lengths,
                attention,
                earlier(x, x) & _words(x, lengths),
                earlier(y, y),
                earlier(y, x) & _words(x, lengths),
            ),
        ),
        Mistake(
            "padding is read by the encoder: wherever the source answers, its padding must be hidden",
            lambda x, y, lengths, attention: _three(x, y, lengths, attention, None, earlier(y, y), _words(x, lengths)),
        ),
        Mistake(
            "padding is read by the cross-attention: wherever the source answers, its padding must be hidden",
            lambda x, y, lengths, attention: _three(x, y, lengths, attention, _words(x, lengths), earlier(y, y), None),
        ),
        Mistake(
            "padding is read, by the encoder and by the cross-attention: wherever the source answers, its padding must "
            "be hidden",
            lambda x, y, lengths, attention: _three(x, y, lengths, attention, None, earlier(y, y), None),
        ),
        Mistake(
            "no mask at all: the source's padding must be hidden, and so must the target's future",
            lambda x, y, lengths, attention: _three(x, y, lengths, attention),
        ),
        Mistake(
            "the source's lengths hide words of the target: the targets have no padding, only a future",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, _words(x, lengths), earlier(y, y) & _words(x, lengths), _words(x, lengths)
            ),
        ),
        Mistake(
            "the source's lengths lie on the target in place of the causal mask: there the future must be hidden",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, _words(x, lengths), _words(x, lengths), _words(x, lengths)
            ),
        ),
        Mistake(
            "the causal mask is turned round: each word sees itself and its future, and must see its past",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, _words(x, lengths), earlier(y, y).mT, _words(x, lengths)
            ),
        ),
        Mistake(
            "the masks are inverted: True means may attend, so `padding` and `causal` are handed on as they are",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, ~_words(x, lengths), ~earlier(y, y), ~_words(x, lengths)
            ),
        ),
        Mistake(
            "the causal mask is inverted: True means may attend, and each word sees itself and its past",
            lambda x, y, lengths, attention: _three(
                x, y, lengths, attention, _words(x, lengths), ~earlier(y, y), _words(x, lengths)
            ),
        ),
        Mistake(
            "the three are right, but the cross-attention stands second: it comes last, as in the decoder",
            lambda x, y, lengths, attention: torch.cat(
                [
                    attention(x, x, x, _words(x, lengths)),
                    attention(y, x, x, _words(x, lengths)),
                    attention(y, y, y, earlier(y, y)),
                ],
                dim=1,
            ),
        ),
        Mistake(
            "the three are right, but the decoder's self-attention stands first: the encoder's comes before it",
            lambda x, y, lengths, attention: torch.cat(
                [
                    attention(y, y, y, earlier(y, y)),
                    attention(x, x, x, _words(x, lengths)),
                    attention(y, x, x, _words(x, lengths)),
                ],
                dim=1,
            ),
        ),
        Mistake(
            "the three lie side by side, as if they were heads: put them one below the other, `dim=1`",
            lambda x, y, lengths, attention: torch.cat(
                three_contexts(x, y, lengths, attention).split([x.shape[1], y.shape[1], y.shape[1]], dim=1), dim=2
            ),
        ),
        Mistake(
            "the three were added up: they belong to different words; put them one below the other",
            lambda x, y, lengths, attention: sum(
                three_contexts(x, y, lengths, attention).split([x.shape[1], y.shape[1], y.shape[1]], dim=1)
            ),
        ),
        Mistake(
            "the cross-attention alone: the contexts of the two self-attentions stand above it",
            lambda x, y, lengths, attention: attention(y, x, x, _words(x, lengths)),
        ),
    ),
)
