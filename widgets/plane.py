"""Plane: one query and some keys as arrows in two dimensions; the query's tip is dragged."""

import math

from traitlets import Float, List, TraitError, Unicode, validate

from .instrument import Array, Instrument, script, style
from .words import number


class Plane(Instrument):
    """Arrows from one point: the query, which a hand turns and stretches, and the keys.

        plane = Plane(vectors=[[2.0, 0.0], [0.5, 1.5]], labels=["a", "b"], angle=60.0, length=1.0)
        plane.angle, plane.length     # follow the hand, in degrees from the x axis, counted as in school

    weights: how strongly each key is drawn, 0 to 1. Errors: `TraitError` where numbers and labels do not fit.
    """

    _esm = script("plane")
    _css = style("plane")

    vectors = Array(ndim=2, help="[keys, 2]")
    labels = List(Unicode(), help="one word a key").tag(sync=True)
    weights = Array(ndim=1, help="[keys]: how strongly each is drawn")
    angle = Float(0.0, help="of the query, in degrees, 0 to 360").tag(sync=True)
    length = Float(1.0, min=0.0, help="of the query").tag(sync=True)
    turn = Float(1.0, help="the hand turns the query in steps of so many degrees").tag(sync=True)
    stretch = Float(0.1, help="the hand stretches the query in steps of this length").tag(sync=True)
    longest = Float(4.0, help="how long the query may be; the picture reaches a little farther").tag(sync=True)

    @validate("vectors", "labels", "weights")
    def _fits(self, proposal):
        value, name = proposal.value, proposal.trait.name
        vectors = value if name == "vectors" else self.vectors
        if vectors is None:
            return value
        if name == "vectors" and vectors.shape[1] != 2:
            raise TraitError(f"vectors: expected [keys, 2], got shape {vectors.shape}")
        if name != "vectors" and value is not None and len(value) not in (0, len(vectors)):
            raise TraitError(f"{name}: expected one for each of {len(vectors)} keys, got {len(value)}")
        return value

    @property
    def query(self) -> tuple[float, float]:
        """The query's two numbers."""
        return math.cos(math.radians(self.angle)) * self.length, math.sin(math.radians(self.angle)) * self.length

    def __repr__(self):
        x, y = self.query
        return f"Plane(query ({number(x)}, {number(y)}), {0 if self.vectors is None else len(self.vectors)} keys)"

    still_size = (3.4, 3.4)

    def still(self, axes):
        if self.vectors is None:
            return False
        strengths = [1.0] * len(self.vectors) if self.weights is None else self.weights
        labels = self.labels or [str(i + 1) for i in range(len(self.vectors))]
        for (x, y), label, strength in zip(self.vectors, labels, strengths, strict=True):
            axes.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": "#56B4E9",
                                                          "lw": 1 + 4 * float(strength)})
            axes.text(1.12 * x, 1.12 * y, label, color="#10659A", ha="center", va="center")
        axes.annotate("", self.query, (0, 0), arrowprops={"arrowstyle": "->", "color": "#E69F00", "lw": 3})
        reach = 1.1 * self.longest
        axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xticks=[0], yticks=[0])
        axes.grid(True)
