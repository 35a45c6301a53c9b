"""How well does a key answer a query? Each answer is a score: a callable `(query, key) -> scores`.

Scores without parameters are functions; scores that are learned are modules with the same call.
"""

from collections.abc import Callable
from math import sqrt

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnlab.checks import Size, checked
from attnlab.registry import Table

Score = Callable[[Tensor, Tensor], Tensor]


@checked
def dot(
    query: Float[Tensor, "*#batch queries dim"], key: Float[Tensor, "*#batch keys dim"]
) -> Float[Tensor, "*#batch queries keys"]:
    """The plain product: large where query and key point the same way, and larger still where they are long.

    Raises ValueError when query and key differ in size.

    **Source:** Luong, Pham and Manning 2015, "Effective Approaches to Attention-based Neural Machine Translation",
    section 3.1 (dot). **Names:** h_t -> query, h_s -> key.
    """
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"a dot product needs queries and keys of one size: expected keys of size {query.shape[-1]}, "
            f"got {key.shape[-1]}"
        )
    return query @ key.mT


@checked
def scaled_dot(
    query: Float[Tensor, "*#batch queries dim"], key: Float[Tensor, "*#batch keys dim"]
) -> Float[Tensor, "*#batch queries keys"]:
    """The product divided by the square root of the size, so that its spread does not grow with the size.

    Raises ValueError when query and key differ in size.

    **Source:** Vaswani et al. 2017, "Attention Is All You Need", equation 1.
    **Names:** Q -> query, K -> key, d_k -> dim.
    """
    return dot(query, key) / sqrt(query.shape[-1])


@checked
def content(
    query: Float[Tensor, "*#batch queries dim"], key: Float[Tensor, "*#batch keys dim"]
) -> Float[Tensor, "*#batch queries keys"]:
    """The cosine of the angle between query and key, from -1 to 1: direction counts, length does not.

    A vector of zeros has no direction: its cosine with anything is 0 here. Since no score is above 1 and none below
    -1, the softmax over n keys gives no key more than e^2 / (e^2 + n - 1): 0.28 of 20 keys. `ContentWithGain` and a
    low temperature repair that. The vectors are shorter than 1e19 and longer than 1e-19, where float32 can square them.
    Raises ValueError when query and key differ in size.

    **Source:** Graves, Wayne and Danihelka 2014, "Neural Turing Machines", equations 5 and 6, without the key strength
    by which the paper multiplies the cosine. **Names:** k_t -> query, M_t(i) -> key, K -> `content`.
    """
    return dot(_direction(query), _direction(key))


@checked
class ContentWithGain(nn.Module):
    """gain cos(query, key), with a gain that is learned: the cosine freed from its bounds.

    gain: where learning starts. A fixed gain is the same as `content` at the temperature 1 / gain.

    **Source:** Graves, Wayne and Danihelka 2014, equation 5. The paper's controller gives another gain at every step;
    here one number serves all. **Names:** beta_t -> `gain`.
    """

    def __init__(self, gain: int | float = 8.0) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.tensor(float(gain)))

    def forward(
        self, query: Float[Tensor, "*#batch queries dim"], key: Float[Tensor, "*#batch keys dim"]
    ) -> Float[Tensor, "*#batch queries keys"]:
        """Scores of every query with every key. Raises ValueError when query and key differ in size."""
        return self.gain * content(query, key)


@checked
class Additive(nn.Module):
    """v . tanh(W_q query + W_k key + b): a small network looks at query and key together.

    The lecture writes W [query; key] for the inner sum: see `Perceptron`.
    `project` is the part that depends on the key alone. A decoder that asks the same keys at every step computes it
    once and then calls `compare`; `forward` is both in one.

    **Source:** Bahdanau, Cho and Bengio 2015, "Neural Machine Translation by Jointly Learning to Align and
    Translate", section 3.1 and appendix A.1.2. **Names:** s_{i-1} -> query, h_j -> key, W_a -> `query`,
    U_a -> `key`, v_a -> `combine`, e_ij -> scores, n' -> dim.
    """

    def __init__(self, query_dim: Size, key_dim: Size, dim: Size) -> None:
        super().__init__()
        self.query = nn.Linear(query_dim, dim)
        self.key = nn.Linear(key_dim, dim, bias=False)
        self.combine = nn.Linear(dim, 1, bias=False)

    def forward(
        self, query: Float[Tensor, "*#batch queries query_dim"], key: Float[Tensor, "*#batch keys key_dim"]
    ) -> Float[Tensor, "*#batch queries keys"]:
        """Scores of every query with every key. Raises ValueError for sizes this score was not made for."""
        return self.compare(query, self.project(key))

    def project(self, key: Float[Tensor, "*batch keys key_dim"]) -> Float[Tensor, "*batch keys dim"]:
        """W_k key, for `compare`."""
        _check_size(self, "keys", self.key.in_features, key)
        return self.key(key)

    def compare(
        self, query: Float[Tensor, "*#batch queries query_dim"], projected: Float[Tensor, "*#batch keys dim"]
    ) -> Float[Tensor, "*#batch queries keys"]:
        """Scores of every query with keys that went through `project`."""
        _check_size(self, "queries", self.query.in_features, query)
        pairs = self.query(query).unsqueeze(-2) + projected.unsqueeze(-3)  # [..., queries, keys, dim]
        return self.combine(torch.tanh(pairs)).squeeze(-1)


@checked
class General(nn.Module):
    """query . W key: the dot product after a learned map, which may also join two different sizes.

    `project` and `compare` are its two halves, as in `Additive`.

    **Source:** Luong, Pham and Manning 2015, section 3.1 (general). **Names:** h_t -> query, h_s -> key, W_a -> `key`.
    """

    def __init__(self, query_dim: Size, key_dim: Size) -> None:
        super().__init__()
        self.key = nn.Linear(key_dim, query_dim, bias=False)

    def forward(
        self, query: Float[Tensor, "*#batch queries query_dim"], key: Float[Tensor, "*#batch keys key_dim"]
    ) -> Float[Tensor, "*#batch queries keys"]:
        """Scores of every query with every key. Raises ValueError for sizes this score was not made for."""
        return self.compare(query, self.project(key))

    def project(self, key: Float[Tensor, "*batch keys key_dim"]) -> Float[Tensor, "*batch keys query_dim"]:
        """W key, for `compare`."""
        _check_size(self, "keys", self.key.in_features, key)
        return self.key(key)

    def compare(
        self, query: Float[Tensor, "*#batch queries query_dim"], projected: Float[Tensor, "*#batch keys projected"]
    ) -> Float[Tensor, "*#batch queries keys"]:
        """Scores of every query with keys that went through `project`."""
        _check_size(self, "queries", self.key.out_features, query)
        return dot(query, projected)


@checked
class Concat(nn.Module):
    """w . [query; key]: one linear map of the pair.

    It is the sum w_q . query + w_k . key. The first term is the same for all keys of a query, so it cancels in the
    softmax: every query gets the same weights, whatever it asks.

    **Source:** the lecture's table. What Luong, Pham and Manning 2015, section 3.1, call concat has a tanh and a second
    map, and is `Perceptron`. **Names:** s_t -> query, h_i -> key, W -> `pair`.
    """

    def __init__(self, query_dim: Size, key_dim: Size) -> None:
        super().__init__()
        self.sizes = (query_dim, key_dim)
        self.pair = nn.Linear(query_dim + key_dim, 1, bias=False)

    def forward(
        self, query: Float[Tensor, "*#batch queries query_dim"], key: Float[Tensor, "*#batch keys key_dim"]
    ) -> Float[Tensor, "*#batch queries keys"]:
        """Scores of every query with every key. Raises ValueError for sizes this score was not made for."""
        _check_sizes(self, query, key)
        return self.pair(_pairs(query, key)).squeeze(-1)


@checked
class Perceptron(nn.Module):
    """v . tanh(W [query; key] + b): a perceptron with one hidden layer reads the pair.

    W [query; key] = W_q query + W_k key when W is W_q and W_k side by side, so this is `Additive` in another writing:
    `Perceptron.from_additive` copies the weights. `Additive` is the faster writing, since W_k key is computed once for
    all queries. Fresh weights differ: torch draws those of W from a narrower range, because it has more inputs.

    **Source:** the lecture's table has both writings, [s_t; h_i] for Bahdanau's score and two matrices for the
    perceptron. Bahdanau, Cho and Bengio 2015, appendix A.1.2, have two matrices; Luong, Pham and Manning 2015,
    section 3.1 (concat), have one. **Names:** s_t -> query, h_i -> key, W_a -> `hidden`, v_a -> `combine`.
    """

    def __init__(self, query_dim: Size, key_dim: Size, dim: Size) -> None:
        super().__init__()
        self.sizes = (query_dim, key_dim)
        self.hidden = nn.Linear(query_dim + key_dim, dim)
        self.combine = nn.Linear(dim, 1, bias=False)

    def forward(
        self, query: Float[Tensor, "*#batch queries query_dim"], key: Float[Tensor, "*#batch keys key_dim"]
    ) -> Float[Tensor, "*#batch queries keys"]:
        """Scores of every query with every key. Raises ValueError for sizes this score was not made for."""
        _check_sizes(self, query, key)
        return self.combine(torch.tanh(self.hidden(_pairs(query, key)))).squeeze(-1)

    @classmethod
    def from_additive(cls, additive: "Additive") -> "Perceptron":
        """The same function: W = [W_q W_k], the rest as it is. The weights are copied, not shared."""
        W_q, W_k = additive.query.weight, additive.key.weight
        perceptron = cls(W_q.shape[1], W_k.shape[1], W_q.shape[0]).to(W_q)
        with torch.no_grad():
            perceptron.hidden.weight.copy_(torch.cat([W_q, W_k], dim=1))
            perceptron.hidden.bias.copy_(additive.query.bias)
            perceptron.combine.weight.copy_(additive.combine.weight)
        return perceptron


@checked
class Location(nn.Module):
    """(W query)_j: the score of the key at place j depends on the query and on j alone, not on what the key says.

    places: for how many keys W has a row. Fewer keys use the first rows; more raise ValueError.

    **Source:** Luong, Pham and Manning 2015, equation 8, which also uses the first rows only for short sentences, but
    ignores the words of long ones that lie beyond the last row. **Names:** h_t -> query, W_a -> `place`.
    """

    def __init__(self, query_dim: Size, places: Size = 128) -> None:
        super().__init__()
        self.place = nn.Linear(query_dim, places, bias=False)

    def forward(
        self, query: Float[Tensor, "*#batch queries query_dim"], key: Float[Tensor, "*#batch keys key_dim"]
    ) -> Float[Tensor, "*#batch queries keys"]:
        """Scores of every query with every place. Raises ValueError for more keys than places, and for queries of a
        size that this score was not made for."""
        _check_size(self, "queries", self.place.in_features, query)
        keys, places = key.shape[-2], self.place.out_features
        if keys > places:
            raise ValueError(
                f"this location score was made for at most {places} keys, got {keys}; make it with more places"
            )
        batch = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
        return self.place(query)[..., :keys].expand(*batch, -1, -1)


def _direction(vector: Tensor) -> Tensor:
    """The vector at length 1; a vector of zeros stays one."""
    length = vector.norm(dim=-1, keepdim=True)
    return vector / length.masked_fill(length == 0, 1.0)


def _pairs(query: Tensor, key: Tensor) -> Tensor:
    """[query; key] for every query with every key: [..., queries, keys, query_dim + key_dim]."""
    batch = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    sizes = (*batch, query.shape[-2], key.shape[-2], -1)
    return torch.cat([query.unsqueeze(-2).expand(sizes), key.unsqueeze(-3).expand(sizes)], dim=-1)


def _check_sizes(score: Concat | Perceptron, query: Tensor, key: Tensor) -> None:
    query_dim, key_dim = score.sizes
    _check_size(score, "queries", query_dim, query)
    _check_size(score, "keys", key_dim, key)


def _check_size(score: nn.Module, what: str, expected: int, got: Tensor) -> None:
    if got.shape[-1] != expected:
        name = type(score).__name__.lower()
        raise ValueError(f"this {name} score was made for {what} of size {expected}, got {got.shape[-1]}")


def _of_one_size(score: Score) -> Callable[[int, int, int], Score]:
    def factory(query_dim: Size, key_dim: Size, dim: Size) -> Score:
        if query_dim != key_dim:
            raise ValueError(
                f"{score.__name__} needs queries and keys of one size: got queries of {query_dim}, keys of {key_dim}"
            )
        return score

    return factory


SCORES: dict[str, Callable[[int, int, int], Score]] = Table({
    "dot": _of_one_size(dot),
    "scaled_dot": _of_one_size(scaled_dot),
    "additive": Additive,
    "general": lambda query_dim, key_dim, dim: General(query_dim, key_dim),
    "concat": lambda query_dim, key_dim, dim: Concat(query_dim, key_dim),
    "perceptron": Perceptron,
    "content": _of_one_size(content),
    "location": lambda query_dim, key_dim, dim: Location(query_dim),
})
"""Name -> factory `(query_dim, key_dim, dim) -> score`; `dim` is the size of the hidden layer, if there is one.

`location` serves up to 128 keys; for longer inputs, `Location(query_dim, places)` makes its own.
"""
