"""TokenFlow: a sequence below, its outputs above, lines for who reads whom. Tokens are dragged into another order."""

import numpy as np
from traitlets import Bool, Float, Int, List, TraitError, Unicode, validate

from widgets.base.instrument import Array, Fitting
from widgets.base.misfits import misordered

# name: which of its axes count the tokens
BY_TOKEN = {"weights": (0, 1), "mask": (0, 1), "inputs": (0,), "contexts": (0,), "before": (0,), "differences": (0,)}
MARKS = ("", "right", "wrong", "none")


class TokenFlow(Fitting):
    """Tokens with their vectors, outputs over them, lines as wide as the weights. A hand brings the tokens in order.

        flow = TokenFlow()
        flow.show(labels=["dog", "bites", "man"], inputs=x, weights=weights, contexts=contexts)
        flow.order         # which token stands at each place, after a hand has dragged them: [2, 1, 0]

    As in `Matrix`, everything is given token by token in the first order, whatever `order` is: column i of the picture
    shows token `order[i]`. Nothing is computed here. Over the outputs stands, where it is given, what they were
    `before`, and whether they still are (`differences`); or in place of vectors `answers`, a list of [text, mark] per
    token, mark "right", "wrong", "none" or "".
    Raises `TraitError` for an array that has not one row a token.
    """

    bundle = "token_flow"

    labels = List(Unicode(), help="one a token").tag(sync=True)
    weights = Array(ndim=2, help="[tokens, tokens]: rows read columns")
    mask = Array(ndim=2, help="[tokens, tokens], nonzero = may attend")
    inputs = Array(ndim=2, help="[tokens, dim]")
    contexts = Array(ndim=2, help="[tokens, dim]")
    before = Array(ndim=2, help="[tokens, dim]: the outputs to compare with")
    differences = Array(ndim=1, help="[tokens]: how far each output is from `before`")
    answers = List(List(), help="[text, mark] a token, in place of output vectors").tag(sync=True)
    titles = List(Unicode(), ["before", "output", "input"], help="names of these three rows").tag(sync=True)
    limit = Float(2.5, help="the number of strongest colour in the vectors").tag(sync=True)
    placed = Bool(False, help="whether the tokens know their places").tag(sync=True)
    order = List(Int(), help="which token stands at each place; [] = as given").tag(sync=True)
    selected = Int(-1, help="the token whose lines are shown; -1: those of all").tag(sync=True)

    @validate(*BY_TOKEN, "answers")
    def _fits(self, proposal) -> object:
        name, given = proposal.trait.name, proposal.value
        axes = BY_TOKEN.get(name, (0,))
        shape = np.shape(given)[:1] if name == "answers" else getattr(given, "shape", ())
        if given is not None and len(given) and any(shape[axis] != len(self.labels) for axis in axes):
            raise TraitError(f"{name}: expected one row for each of {len(self.labels)} tokens, got {len(given)}")
        if name == "answers" and any(len(pair) != 2 or pair[1] not in MARKS for pair in given):
            raise TraitError(f"answers: expected [text, mark] with a mark of {MARKS}, got {given}")
        return given

    @validate("order")
    def _is_an_order(self, proposal) -> object:
        if reason := misordered(proposal.value, len(self.labels)):
            raise TraitError(f"order: expected {reason}")
        return proposal.value

    @property
    def places(self) -> list[int]:
        """The token at each place."""
        return self.order or list(range(len(self.labels)))

    def __repr__(self) -> str:
        return f"TokenFlow({' '.join(self.labels[i] for i in self.places)})" if self.labels else "TokenFlow(empty)"
