"""Large numbers in the words and units that suit them, for the sentences of this lesson."""

from widgets.base.words import counted, number


def amount(count: float) -> str:
    """A large number in words: 5017600 -> "5.02 million"."""
    for size, name in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if count >= 0.9995 * size:
            return f"{three_digits(count / size)} {name}"
    return f"{count:,.0f}".replace(",", "\u202f")


def three_digits(x: float) -> str:
    """Three digits, or more before the point."""
    return number(x, 2 if x < 9.995 else 1 if x < 99.95 else 0)


def memory(count: int) -> str:
    """Bytes in the unit that suits them."""
    unit, name = next((one for one in ((1e12, "TB"), (1e9, "GB")) if count >= one[0]), (1e6, "MB"))
    return f"{three_digits(count / unit)} {name}"


def duration(hours: float) -> str:
    """Hours in the unit that suits them."""
    for size, name in ((24 * 365.25, "years"), (24, "days"), (1, "hours"), (1 / 60, "minutes")):
        if hours >= 2 * size:
            return f"{amount(hours / size) if hours / size >= 1000 else three_digits(hours / size)} {name}"
    seconds = round(3600 * hours)
    return counted(seconds, "second") if seconds else "less than a second"
