"""The name of a token on an axis or in a sentence."""

from widgets.base.words import visible

LONGEST = 12  # letters


def token_label(token: str) -> str:
    """A token that can be seen, of at most 12 letters."""
    shown = visible(token)
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"
