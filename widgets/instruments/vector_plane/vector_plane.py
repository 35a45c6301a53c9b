"""VectorPlane: one query and some keys as arrows in two dimensions, also turned; the query's tip is dragged."""

import math

from traitlets import Float, List, TraitError, Unicode, validate

from widgets.base.instrument import Array, Instrument
from widgets.base.words import number


class VectorPlane(Instrument):
    """Arrows from one point: the query, which a hand turns and stretches, and the keys.

        plane = VectorPlane(vectors=[[2.0, 0.0], [0.5, 1.5]], labels=["a", "b"], angle=60.0, length=1.0)
        plane.angle, plane.length     # follow the hand, in degrees from the x axis, counted as in school

    weights: how strongly each key is drawn, 0 to 1. turned: where query and keys have been turned to; what they were
    is then pale, and an arc is the angle from the first key to the query.
    Errors: `TraitError` where numbers and labels do not fit.
    """

    bundle = "vector_plane"

    vectors = Array(ndim=2, help="[keys, 2]")
    labels = List(Unicode(), help="one word a key").tag(sync=True)
    weights = Array(ndim=1, help="[keys]: how strongly each is drawn")
    turned = Array(ndim=2, help="[1 + keys, 2]: the query and the keys after a turn")
    title = Unicode("", help="what the plane is, above it").tag(sync=True)
    note = Unicode("drag the dot, or turn it with ← → and stretch it with ↑ ↓", help="words below it").tag(sync=True)
    angle = Float(0.0, help="of the query, in degrees, 0 to 360").tag(sync=True)
    length = Float(1.0, min=0.0, help="of the query").tag(sync=True)
    turn = Float(1.0, help="the hand turns the query in steps of so many degrees").tag(sync=True)
    stretch = Float(0.1, help="the hand stretches the query in steps of this length").tag(sync=True)
    longest = Float(4.0, help="how long the query may be; the picture reaches a little farther").tag(sync=True)

    @validate("turned")
    def _turns_all(self, proposal) -> object:
        value, vectors = proposal.value, self.vectors
        if value is not None and value.shape != (expected := (1 + (0 if vectors is None else len(vectors)), 2)):
            raise TraitError(f"turned: expected the query and each key, {expected}, got shape {value.shape}")
        return value

    @validate("vectors", "labels", "weights")
    def _fits(self, proposal) -> object:
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

    def __repr__(self) -> str:
        x, y = self.query
        return f"VectorPlane(query ({number(x)}, {number(y)}), {0 if self.vectors is None else len(self.vectors)} keys)"
