"""A measurement that was repeated, in words."""

from collections.abc import Sequence

from jaxtyping import Float
from torch import Tensor

from attnlab.checks import checked


@checked
def mean_and_range(numbers: Sequence[float] | Float[Tensor, " repetitions"], form: str = ".2f") -> str:
    """The mean, and from the lowest to the highest: "0.97 (0.94 to 1.00)".

    Where all are the same to the digits that are shown, "0.97". numbers: [repetitions], as of seeds. form: how a number
    is written. Raises ValueError for no numbers at all, and for a form that no number can have.
    """
    values = [float(number) for number in numbers]
    if not values:
        raise ValueError("expected at least one number, got none")
    try:
        mean, low, high = (format(number, form) for number in (sum(values) / len(values), min(values), max(values)))
    except ValueError:
        raise ValueError(f'expected form to say how a number is written, as ".2f", got {form!r}') from None
    return mean if low == high else f"{mean} ({low} to {high})"
