"""How well does a key answer a query? Each answer is a score: a callable `(query, key) -> scores`.

Scores without parameters are functions; scores that are learned are modules with the same call.
"""

from collections.abc import Callable
from math import sqrt

import torch
from jaxtyping import Float
from torch import Tensor, nn

Score = Callable[[Tensor, Tensor], Tensor]


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


def scaled_dot(
    query: Float[Tensor, "*#batch queries dim"], key: Float[Tensor, "*#batch keys dim"]
) -> Float[Tensor, "*#batch queries keys"]:
    """The product divided by the square root of the size, so that its spread does not grow with the size.

    Raises ValueError when query and key differ in size.

    **Source:** Vaswani et al. 2017, "Attention Is All You Need", equation 1.
    **Names:** Q -> query, K -> key, d_k -> dim.
    """
    return dot(query, key) / sqrt(query.shape[-1])


class Additive(nn.Module):
    """v . tanh(W_q query + W_k key + b): a small network looks at query and key together.

    `project` is the part that depends on the key alone. A decoder that asks the same keys at every step computes it
    once and then calls `compare`; `forward` is both in one.

    **Source:** Bahdanau, Cho and Bengio 2015, "Neural Machine Translation by Jointly Learning to Align and
    Translate", section 3.1 and appendix A.1.2. **Names:** s_{i-1} -> query, h_j -> key, W_a -> `query`,
    U_a -> `key`, v_a -> `combine`, e_ij -> scores, n' -> dim.
    """

    def __init__(self, query_dim: int, key_dim: int, dim: int):
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
        self._check("keys", self.key.in_features, key)
        return self.key(key)

    def compare(
        self, query: Float[Tensor, "*#batch queries query_dim"], projected: Float[Tensor, "*#batch keys dim"]
    ) -> Float[Tensor, "*#batch queries keys"]:
        """Scores of every query with keys that went through `project`."""
        self._check("queries", self.query.in_features, query)
        pairs = self.query(query).unsqueeze(-2) + projected.unsqueeze(-3)  # [..., queries, keys, dim]
        return self.combine(torch.tanh(pairs)).squeeze(-1)

    def _check(self, what: str, expected: int, got: Tensor):
        if got.shape[-1] != expected:
            raise ValueError(f"this additive score was made for {what} of size {expected}, got {got.shape[-1]}")


def _of_one_size(score: Score) -> Callable[[int, int, int], Score]:
    def factory(query_dim: int, key_dim: int, dim: int) -> Score:
        if query_dim != key_dim:
            raise ValueError(
                f"{score.__name__} needs queries and keys of one size: got queries of {query_dim}, keys of {key_dim}"
            )
        return score

    return factory


SCORES: dict[str, Callable[[int, int, int], Score]] = {
    "dot": _of_one_size(dot),
    "scaled_dot": _of_one_size(scaled_dot),
    "additive": Additive,
}
"""Name -> factory `(query_dim, key_dim, dim) -> score`; `dim` is the size of what is learned inside, if anything is."""
