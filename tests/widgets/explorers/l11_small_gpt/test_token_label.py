"""Tokens as labels: what cannot be seen is written out, what is long is cut."""

from widgets.explorers.l11_small_gpt.token_label import token_label


def test_labels():
    assert token_label(" the\n") == "␣the↵"
    assert token_label("\x07") == "·"
    assert token_label("a" * 12) == "a" * 12
    assert token_label("a" * 30) == "a" * 11 + "…"
