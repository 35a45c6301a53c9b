"""Product: attention drawn as the matrix product it is, every number to click, to change and to follow."""

import numpy as np
from traitlets import Dict, Float, Int, List, TraitError, Unicode, validate

from widgets.base.controls import State
from widgets.base.instrument import Array, Fitting, numpy_of

TABLES = {  # name: which sizes its rows and columns have
    "query": ("queries", "dim"),
    "key": ("keys", "dim"),
    "value": ("keys", "value dim"),
    "scores": ("queries", "keys"),
    "weights": ("queries", "keys"),
    "context": ("queries", "value dim"),
    "mask": ("queries", "keys"),
    "other": ("queries", "keys"),
}


class Product(Fitting):
    """Q left of the scores, K transposed above them, so that every key is a column; V above the context.

        product = Product()
        product.show(query=query, key=key, value=value, scores=scores, weights=weights, context=context,
                     query_labels=["the", "cat"], key_labels=["le", "chat", "est"], divisor=3 ** 0.5)

    Nothing is computed here: whoever shows new queries shows new scores with them, through one `show`. The tables named
    in `editable` change under the hand, and then the trait of that name has changed.
    Raises `TraitError` for a table whose shape does not fit the others.
    """

    bundle = "product"

    query = Array(ndim=2, help="[queries, dim]")
    key = Array(ndim=2, help="[keys, dim], shown transposed")
    value = Array(ndim=2, help="[keys, value dim]")
    scores = Array(ndim=2, help="[queries, keys], before mask, temperature and softmax")
    weights = Array(ndim=2, help="[queries, keys]")
    context = Array(ndim=2, help="[queries, value dim]")
    mask = Array(ndim=2, help="[queries, keys], nonzero = may attend; the rest is hatched")
    other = Array(ndim=2, help="weights to compare with: dashes over the bars of the selected row")
    other_name = Unicode("", help="what the dashes are").tag(sync=True)
    query_labels = List(Unicode(), help="one a query").tag(sync=True)
    key_labels = List(Unicode(), help="one a key").tag(sync=True)
    titles = Dict(help="table -> [name, what it is], where they differ from the usual ones").tag(sync=True)
    formula = List(help="lines of runs [text, role], in the free corner").tag(sync=True)
    divisor = Float(1.0, help="the scores are q . k / divisor; 0: they are another function of q and k").tag(sync=True)
    divisor_name = Unicode("", help="the divisor as it is written: √3").tag(sync=True)
    score_name = Unicode("", help="what gave the scores, where they are no product").tag(sync=True)
    temperature = Float(1.0, help="divides the scores before the softmax").tag(sync=True)
    editable = List(Unicode(), help="the tables that a hand may change: query, key, value").tag(sync=True)
    reach = Float(3.0, help="numbers are changed between minus and plus this").tag(sync=True)
    room = Int(0, help="rows to keep free for queries, so that the height stays").tag(sync=True)
    limit = Float(0.0, help="score of the strongest colour; 0: one and a half times the largest").tag(sync=True)
    selected = List(Int(), [0, 0], help="[query, key] whose arithmetic is written out").tag(sync=True)

    def offers(self, trait) -> list:
        """The cells whose arithmetic may be asked for."""
        if trait != "selected" or self.weights is None:
            return []
        queries, keys = self.weights.shape
        return [[query, key] for query in range(queries) for key in range(keys)]

    @validate(*TABLES)
    def _fits(self, proposal) -> object:
        name, table = proposal.trait.name, proposal.value
        if table is None:
            return table
        for other, sizes in TABLES.items():
            standing = getattr(self, other)
            if other == name or standing is None:
                continue
            for axis, size in enumerate(TABLES[name]):
                if size in sizes and standing.shape[sizes.index(size)] != table.shape[axis]:
                    raise TraitError(
                        f"{name}: expected {standing.shape[sizes.index(size)]} {size} as in {other}, "
                        f"got shape {table.shape}"
                    )
        return table

    @validate("editable")
    def _can_be_changed(self, proposal) -> object:
        if unknown := set(proposal.value) - {"query", "key", "value"}:
            raise TraitError(f"editable: expected some of query, key and value, got {sorted(unknown)}")
        return proposal.value

    def __repr__(self) -> str:
        if self.weights is None:
            return "Product(empty)"
        queries, keys = self.weights.shape
        query, key = (min(at, size - 1) for at, size in zip(self.selected, (queries, keys), strict=True))
        names = [
            labels[at] if labels else str(at + 1) for labels, at in ((self.query_labels, query), (self.key_labels, key))
        ]
        return (
            f"Product({queries} queries x {keys} keys; “{names[0]}” reads “{names[1]}” with "
            f"{self.weights[query, key]:.2f})"
        )


def table(default, help="", follows=None) -> State:
    """A part of an explorer's state: rows of numbers that a hand changes in a Product; lists, to two decimals."""

    def accept(x) -> object:
        x = np.asarray(numpy_of(x), dtype=float)
        if x.ndim != 2 or not np.isfinite(x).all():
            raise ValueError
        return np.round(x, 2).tolist()

    return State(default, accept, "rows of numbers, all rows of one length", help, follows=follows)
