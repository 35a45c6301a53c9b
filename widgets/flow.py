"""Flow: a sequence below, its outputs above, and between them who reads whom. Tokens are dragged into another order."""

import numpy as np
from traitlets import Bool, Float, Int, List, TraitError, Unicode, validate

from .instrument import Array, Instrument, packed, script, style

# name: which of its axes count the tokens
BY_TOKEN = {"weights": (0, 1), "mask": (0, 1), "inputs": (0,), "contexts": (0,), "before": (0,), "differences": (0,)}
MARKS = ("", "right", "wrong", "none")


class Flow(Instrument):
    """Tokens with their vectors, outputs over them, lines as wide as the weights. A hand brings the tokens in order.

        flow = Flow()
        flow.show(labels=["dog", "bites", "man"], inputs=x, weights=weights, contexts=contexts)
        flow.order         # which token stands at each place, after a hand has dragged them: [2, 1, 0]

    As in `Matrix`, everything is given token by token in the first order, whatever `order` is: column i of the picture
    shows token `order[i]`. Nothing is computed here. Over the outputs stands, where it is given, what they were
    `before`, and whether they still are (`differences`); or in place of vectors `answers`, a list of [text, mark] per
    token, mark "right", "wrong", "none" or "".
    Raises `TraitError` for an array that has not one row a token.
    """

    _esm = packed(script("flow"))
    _css = style("flow")
    still_size = (8.0, 3.2)

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

    def show(self, **traits):
        """Set several traits as one message to the page; the shapes are checked together."""
        with self.hold_trait_notifications():
            super().show(**traits)

    @validate(*BY_TOKEN, "answers")
    def _fits(self, proposal):
        name, given = proposal.trait.name, proposal.value
        axes = BY_TOKEN.get(name, (0,))
        shape = np.shape(given)[:1] if name == "answers" else getattr(given, "shape", ())
        if given is not None and len(given) and any(shape[axis] != len(self.labels) for axis in axes):
            raise TraitError(f"{name}: expected one row for each of {len(self.labels)} tokens, got {len(given)}")
        if name == "answers" and any(len(pair) != 2 or pair[1] not in MARKS for pair in given):
            raise TraitError(f"answers: expected [text, mark] with a mark of {MARKS}, got {given}")
        return given

    @validate("order")
    def _is_an_order(self, proposal):
        order, count = proposal.value, len(self.labels)
        if order and sorted(order) != list(range(count)):
            raise TraitError(f"order: expected each of 0 to {count - 1} once, or none, got {order}")
        return order

    @property
    def places(self) -> list[int]:
        """The token at each place."""
        return self.order or list(range(len(self.labels)))

    def __repr__(self):
        return f"Flow({' '.join(self.labels[i] for i in self.places)})" if self.labels else "Flow(empty)"

    def still(self, axes):
        """Tokens, outputs and lines, as in the page."""
        if not self.labels or self.weights is None:
            return False
        place = {token: at for at, token in enumerate(self.places)}
        rise = np.linspace(0, 1, 40)
        bend = 3 * rise**2 - 2 * rise**3  # leaves upright, arrives upright
        for query, row in enumerate(self.weights):
            shown = self.selected in (-1, query)
            for key, weight in enumerate(row):
                x = place[query] + (place[key] - place[query]) * bend
                axes.plot(x, 1 - rise, color="#3B4592" if shown else "#C8CEE9", linewidth=0.3 + 7 * float(weight),
                          alpha=0.75 if shown else 0.4, solid_capstyle="butt", zorder=2 if shown else 1)
        for token, label in enumerate(self.labels):
            asks = token == self.selected
            axes.text(place[token], -0.28, label, ha="center", va="center", color="#8A5A00" if asks else "#212121",
                      weight="bold" if asks else "normal")
            self._strip(axes, self.inputs, token, place[token], -0.12)
            self._strip(axes, self.contexts, token, place[token], 1.03)
            if self.answers:
                text, mark = self.answers[token]
                sign = {"right": " ✓", "wrong": " ✗"}.get(mark, "")
                axes.text(place[token], 1.12, text + sign, ha="center", va="center", color="#96467A")
        axes.set(xlim=(-0.6, len(self.labels) - 0.4), ylim=(-0.4, 1.25))
        axes.axis("off")

    def _strip(self, axes, vectors, token, x, y):
        from .matrix_still import SCORES

        if vectors is not None:
            axes.imshow(vectors[[token]], cmap=SCORES, vmin=-self.limit, vmax=self.limit, aspect="auto",
                        extent=(x - 0.36, x + 0.36, y, y + 0.09), zorder=3)
