"""A text inside any model that reads text: what its tokens are, who looks at whom in every head, and what it says."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from reprlib import repr as shortened
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnlab.checks import checked
from attnlab.other_models import may_attend
from attnlab.trace import record_weights


class Layer(NamedTuple):
    """One attention of the model, once.

    name: of its module, as `override` takes it: with the number of the call where the module is called several times.
    weights: [heads, queries, keys]. queries, keys: the tokens of rows and columns.
    """

    name: str
    weights: Float[Tensor, "heads queries keys"]
    queries: list[str]
    keys: list[str]


class Inside(NamedTuple):
    """What `look_inside` found.

    tokens: of the text, as the model reads it, with what its tokenizer adds. written: what an encoder-decoder was given
    as written so far, its start token in front; empty for other models.
    layers: every attention, in the order in which they ran.
    logits: [places, vocabulary] of what the model says at each place of what it writes, or [1, vocabulary] at the last
    one; [1, classes] where it names the whole text; None where it ends without an output map.
    classes: whether it names the whole text.
    ahead: whether some token looks at one that comes after it; if not, each place says what comes next.
    label(id): the token of an id, or the name of a class.
    """

    tokens: list[str]
    written: list[str]
    layers: list[Layer]
    logits: Float[Tensor, "places vocabulary"] | None
    ahead: bool
    label: Callable[[int], str]
    classes: bool


@checked
def look_inside(model: nn.Module, tokenizer: Any, text: str, written: str = "") -> Inside:
    """Runs the model once over a text, as it is, without dropout and gradients.

        seen = look_inside(model, tokenizer, "The cat sat on the mat.")
        seen.layers[3].weights[5]  # who looks at whom in head 5 of layer 3

    model: takes ids [1, tokens] and returns logits, alone, first in a tuple, or by that name: one of attnlab's, one of
    transformers' (BERT, GPT-2, Llama, T5 ...), or any other whose attention `record` hears.
    tokenizer: the one that belongs to it: transformers', of the package tokenizers, one of `attnlab.tasks.text`, or any
    other with `encode(text)` and `decode(ids)`. written: what an encoder-decoder is supposed to have written so far.
    Inside `with override(...)` or `with without(...)` it shows what these leave.
    Raises ValueError for a text without tokens, one that the tokenizer does not take or that is longer than the model
    reads, ids that the model does not know, a model that cannot run on ids alone, one whose attention is not heard, and
    one whose heads, or tokens, lie in the batch.
    """
    ids, token = _encoded(tokenizer, text), _token(tokenizer)
    _check_ids(model, ids)
    start = _decoder_ids(model, tokenizer, written)
    heard, logits = _run(model, ids, start)
    tokens, written_tokens = [token(id) for id in ids], [token(id) for id in start]
    layers = _layers(heard, tokens, written_tokens)
    ahead = not start and any(_looks_ahead(layer.weights) for layer in layers)
    label, size = token, _size(tokenizer)
    classes = logits is not None and logits.ndim == 1 and not 0 < (size or _embedded(model)) <= len(logits)
    if logits is not None and logits.ndim == 1:
        logits = logits[None]
    if classes:
        names = getattr(getattr(model, "config", None), "id2label", {})
        label = lambda id: str(names.get(id, id))  # noqa: E731
    elif logits is not None and logits.shape[-1] < size:
        logits = None  # the model ends before its output map
    return Inside(tokens, written_tokens, layers, logits, ahead, label, classes)


@checked
def given_heads(
    layers: Sequence[Layer],
    off: Iterable[tuple[int, int]] = (),
    rows: Mapping[tuple[int, int], Mapping[int, Sequence[int | float]]] | None = None,
) -> dict[str, Tensor]:
    """Heads switched off, and single rows of weights changed, as `override` takes them.

        given = given_heads(seen.layers, off=[(0, 3)], rows={(2, 5): {7: [0.5, 0.5, *[0.0] * 6]}})

    off: (layer, head) of each head that finds nothing. rows: {(layer, head): {query: its weights}}. All else is left to
    the model.
    Raises ValueError for a layer, head, query or number of weights that there is not.
    """
    given: dict[str, Tensor] = {}

    def head_of(layer: int, head: int) -> Tensor:
        if not (0 <= layer < len(layers) and 0 <= head < len(layers[layer].weights)):
            counts = [len(layer.weights) for layer in layers]
            raise ValueError(f"expected (layer, head) within layers of {counts} heads, got {(layer, head)}")
        name, weights = layers[layer][:2]
        return given.setdefault(name, torch.full_like(weights, torch.nan)[None])[0, head]

    for (layer, head), changed in (rows or {}).items():
        own = head_of(layer, head)
        for query, weights in changed.items():
            if not 0 <= query < len(own) or len(weights) != own.shape[1]:
                wanted = f"{own.shape[1]} weights for a query from 0 to {len(own) - 1}"
                raise ValueError(f"expected {wanted}, got {len(weights)} for {query}")
            own[query] = torch.tensor(weights)
    for layer, head in off:
        head_of(layer, head).zero_()
    return given


# The text


def _encoded(tokenizer: Any, text: str) -> list[int]:
    """The ids of a text, with those that the tokenizer adds."""
    if not text.strip():
        raise ValueError("expected a text of at least one token, got an empty one: write something")
    encode: Any = tokenizer if hasattr(tokenizer, "convert_ids_to_tokens") else getattr(tokenizer, "encode", None)
    if not callable(encode) or isinstance(tokenizer, str):
        raise ValueError(f"expected a tokenizer that encodes a text, got {type(tokenizer).__name__}")
    try:
        found = encode(text)
    except ValueError:
        raise
    except Exception as error:
        raise ValueError(f"the tokenizer cannot encode {shortened(text)}: {error}") from error
    found = found["input_ids"] if isinstance(found, Mapping) else getattr(found, "ids", found)
    ids = found.flatten().tolist() if hasattr(found, "tolist") else found
    if not isinstance(ids, list) or not ids or not all(isinstance(id, int) for id in ids):
        raise ValueError(f"expected a tokenizer that gives ids for {shortened(text)}, got {ids!r}")
    unknown = getattr(tokenizer, "unk_token_id", None)
    if unknown is not None and unknown != getattr(tokenizer, "eos_token_id", None):
        special = set(getattr(tokenizer, "all_special_ids", ()))
        if all(id == unknown or id in special for id in ids) and unknown in ids:
            raise ValueError(f"the tokenizer knows nothing of {shortened(text)}: take one that was made for such texts")
    return ids


def _token(tokenizer: Any) -> Callable[[int], str]:
    """What an id stands for; a blank that belongs to a token stands before it."""
    vocabulary = getattr(tokenizer, "vocabulary", None)
    if isinstance(vocabulary, list):
        return lambda id: vocabulary[id] if id < len(vocabulary) else str(id)
    raw: Any = getattr(tokenizer, "convert_ids_to_tokens", None) or getattr(tokenizer, "id_to_token", str)

    def token(id: int) -> str:
        try:
            piece, whole = raw(id), _decoded(tokenizer, id)
        except Exception as error:
            raise ValueError(f"the tokenizer cannot say what the id {id} stands for: {error}") from error
        return f" {whole}" if str(piece).startswith("▁") and not whole.startswith(" ") else whole

    return token if hasattr(tokenizer, "decode") else str


def _decoded(tokenizer: Any, id: int) -> str:
    try:
        return tokenizer.decode([id], skip_special_tokens=False)
    except TypeError:  # another library's takes the ids alone
        return tokenizer.decode([id])


def _size(tokenizer: Any) -> int:
    """How many tokens there are; 0 where the tokenizer does not say."""
    vocabulary = getattr(tokenizer, "vocabulary", None)
    if isinstance(vocabulary, list):
        return len(vocabulary)
    if hasattr(tokenizer, "get_vocab_size"):
        return int(tokenizer.get_vocab_size())
    return len(tokenizer) if hasattr(tokenizer, "__len__") else 0


# The model


def _check_ids(model: nn.Module, ids: list[int]) -> None:
    config = getattr(model, "config", None)
    longest = getattr(model, "longest", None) or getattr(config, "max_position_embeddings", None)
    if isinstance(longest, int) and 0 < longest < len(ids):  # XLNet's -1: as long as you like
        raise ValueError(f"the text has {len(ids)} tokens and the model reads at most {longest}: take a shorter one")
    embeddings: Any = getattr(model, "get_input_embeddings", nn.Module)
    table = embeddings()
    known = getattr(table, "num_embeddings", 0)
    strange = [id_ for id_ in ids if not 0 <= id_ < known] if known else []
    if strange:
        raise ValueError(
            f"the tokenizer gives the id {strange[0]} and the model knows ids from 0 to {known - 1}: take the "
            "tokenizer that belongs to this model"
        )


def _decoder_ids(model: nn.Module, tokenizer: Any, written: str) -> list[int]:
    """What an encoder-decoder of transformers has written so far, from its start token on; empty for other models."""
    config: Any = getattr(model, "config", None)
    if not getattr(config, "is_encoder_decoder", False):
        return []
    start = getattr(config, "decoder_start_token_id", None)
    ids = _encoded(tokenizer, written) if written.strip() else []
    end = getattr(config, "eos_token_id", None)
    return [start if start is not None else 0, *(ids[:-1] if ids and ids[-1] == end else ids)]


def _run(model: nn.Module, ids: list[int], start: list[int]) -> tuple[list[tuple[str, Tensor]], Tensor | None]:
    """The weights of every attention, and the logits without the axis of the batch."""
    may_attend(model)  # complains of what cannot be listened to
    where = next(model.parameters(), torch.zeros(())).device
    inputs = torch.tensor([ids], device=where)
    more = {"decoder_input_ids": torch.tensor([start], device=where)} if start else {}
    try:
        with torch.no_grad(), evaluating(model), record_weights(model) as heard:
            output = model(inputs, **more)
    except Exception as error:  # of whatever kind: ids are all that a model of another kind is given
        raise ValueError(f"{type(model).__name__} could not read {len(ids)} ids [1, {len(ids)}]: {error}") from error
    if not heard:
        raise ValueError(f"no attention was heard in {type(model).__name__}. {_what_is_heard(model)}")
    for name, weights in heard:
        if len(weights) != 1:
            raise ValueError(
                f"expected weights [1, heads, queries, keys] for one text, got {list(weights.shape)} of "
                f"{name or type(model).__name__!r}: its heads, or its tokens, lie in the batch; `record` hears them as "
                "they are"
            )
    logits = _logits(output)
    return heard, None if logits is None else logits[0].float()


@checked
@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Within it nothing is dropped out; afterwards each module is in the mode that it was in."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, training in modes:
            module.training = training


def _what_is_heard(model: nn.Module) -> str:
    if hasattr(model, "config"):
        return (
            "Perhaps a fused kernel does it that keeps no weights: load the model with "
            'attn_implementation="sdpa", or "eager"'
        )
    return (
        "Heard are torch's scaled_dot_product_attention, nn.MultiheadAttention, and its softmax over the last of "
        "[batch, heads, queries, keys]"
    )


def _logits(output: Any) -> Tensor | None:
    """The logits among what a model returned: alone, by that name, or first in a tuple."""
    if isinstance(output, Mapping):
        output = output.get("logits")
    elif hasattr(output, "logits"):
        output = output.logits
    elif isinstance(output, tuple | list):
        output = next((part for part in output if isinstance(part, Tensor)), None)
    return output if isinstance(output, Tensor) else None


def _embedded(model: nn.Module) -> int:
    """How many tokens the first table of the model has; 0 where it has none."""
    return next((module.num_embeddings for module in model.modules() if isinstance(module, nn.Embedding)), 0)


def _layers(heard: list[tuple[str, Tensor]], tokens: list[str], written: list[str]) -> list[Layer]:
    times = Counter(name for name, _ in heard)
    calls: Counter[str] = Counter()
    layers = []
    for name, weights in heard:
        own = name if times[name] == 1 else f"{name}#{calls[name]}"
        calls[name] += 1
        rows = written if written and "decoder" in name else tokens
        columns = tokens if re.search(CROSS, name) else rows
        _, _, queries, keys = weights.shape
        layers.append(Layer(own, weights[0], _fitting(rows, queries), _fitting(columns, keys)))
    return layers


CROSS = "EncDec|encoder_attn|cross|encoder_attention"
"""Parts of the names of attentions whose keys are the encoder's, in T5, BART and others."""


def _fitting(tokens: list[str], count: int) -> list[str]:
    """The tokens, or numbers where the model made more or fewer rows of them."""
    return tokens if len(tokens) == count else [str(place) for place in range(count)]


def _looks_ahead(weights: Tensor) -> bool:
    return bool(weights.triu(1).any())
