"""The sentence under a picture: runs of text, some in the colour of a role.

    say("The query of ", query(quote("cat")), " reads ", key(quote("chat")), " with ", percent(0.41), " of its weight.")

A run is `[text, role]`; the page writes each as a text node, so a token is never read as markup.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest


def query(text) -> list[str]:
    """`text` in the colour of queries."""
    return [str(text), "query"]


def key(text) -> list[str]:
    """`text` in the colour of keys."""
    return [str(text), "key"]


def value(text) -> list[str]:
    """`text` in the colour of values."""
    return [str(text), "value"]


def context(text) -> list[str]:
    """`text` in the colour of contexts."""
    return [str(text), "context"]


def say(*parts) -> list[list[str]]:
    """One sentence of plain strings and coloured runs."""
    return [[part, ""] if isinstance(part, str) else list(part) for part in parts]


def plain(runs) -> str:
    """The sentence without its colours."""
    return "".join(text for text, _ in runs)


def as_markdown(text: str) -> str:
    """Markdown that shows these very letters, on one line: nothing in it is markup or a formula."""
    return re.sub(r"[\\`*_\[\]<>$~|&]", r"\\\g<0>", " ".join(text.splitlines()))


def visible(token: str) -> str:
    """A token as a label. What could not be seen is written out: blanks at its ends "␣", a line end "↵", a tab "⇥", any
    other letter without a shape "·", nothing at all "∅". The scripts have the same rule (words.js)."""
    start, stop = len(token) - len(token.lstrip(" ")), len(token.rstrip(" "))
    shown = "␣" * start + token[start:stop] + "␣" * (len(token) - stop) if stop > start else "␣" * len(token)
    shown = shown.replace("\n", "↵").replace("\t", "⇥")
    return "".join(letter if letter.isprintable() else "·" for letter in shown) or "∅"


def shortened(text: str, most: int) -> str:
    """`text`, at most so many letters of it: of a longer one the beginning, and "…"."""
    return text if len(text) <= most else text[: most - 1] + "…"


LONGEST = 12  # letters of a token's label


def token_label(token: str) -> str:
    """The name of a token on an axis or in a sentence: it can be seen, and has at most 12 letters."""
    return shortened(visible(token), LONGEST)


def quote(token: str) -> str:
    """A token or a text as it is quoted in a sentence: “the cat”; what would not be seen at all is made visible."""
    return f"“{token if token.strip() else visible(token)}”"


def percent(share: float) -> str:
    """0.6234 -> "62 %", with a thin space that does not break. Something is never called 0 %, nor 100 % almost."""
    if 0 < share <= 0.005:
        return "under 1\u202f%"
    if 0.995 <= share < 1:
        return "over 99\u202f%"
    return f"{number(100 * float(f'{share:.2f}'), 0)}\u202f%"  # the hundredths that a table shows


def shares(of: Mapping[str, float]) -> list:
    """What each has, as parts of a sentence: {"one": 0.12, "two": 0.3} -> one 12 %, two 30 %."""
    return [part for name, share in of.items() for part in (query(name), f" {percent(float(share))}", ", ")][:-1]


def most_read(row: Sequence[float], own: int, names: Sequence[str]) -> list:
    """What a row of weights reads most, as parts of a sentence: “cat” with 62 % of its weight. own: the place of what
    reads, which is called itself; names: of all places."""
    most = max(range(len(row)), key=row.__getitem__)
    return [key("itself" if most == own else quote(names[most])), f" with {percent(row[most])} of its weight"]


def number(x: float, decimals: int = 2) -> str:
    """A number with fixed decimals and a true minus; never an exponent, never minus zero."""
    if x != x:
        return "NaN"
    if abs(x) == float("inf"):
        return "∞" if x > 0 else "−∞"
    text = f"{abs(x):.{decimals}f}"
    return f"−{text}" if x < 0 and float(text) else text


def power_of_ten(x: float) -> str:
    """3.1e23 -> "3.1 · 10²³"."""
    digits, exponent = f"{x:.1e}".split("e")
    raised = str(int(exponent)).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
    return f"{digits} · 10{raised}"


def counted(many: int, of: str) -> str:
    """ "1 block", "2 blocks"."""
    return f"{many} {of}{'' if many == 1 else 's'}"


def one_or_more(many: int, of: str) -> str:
    """ "one block", "2 blocks"."""
    return f"one {of}" if many == 1 else counted(many, of)


def all_of(many: int) -> str:
    """ "both", "all 3"."""
    return "both" if many == 2 else f"all {many}"


def from_to(before: str, now: str) -> str:
    """What has become of a number, as it is read: "keeps 24 %", "goes from 24 % to 31 %"."""
    return f"keeps {before}" if now == before else f"goes from {before} to {now}"


def a_digit(digit: int) -> str:
    """ "a 7", "an 8"."""
    return f"{'an' if digit == 8 else 'a'} {digit}"


def enumerated(parts: Sequence) -> list:
    """Words or coloured runs with what joins them in a sentence: a, b and c."""
    joints = [", "] * (len(parts) - 2) + [" and "] * (len(parts) > 1)
    return [one for pair in zip_longest(parts, joints) for one in pair if one is not None]


def row_and_column(row: int, column: int) -> str:
    """Where a cell of a grid stands, which is counted from 0 and told from 1: "row 2, column 5"."""
    return f"row {row + 1}, column {column + 1}"


def error_message(error: Exception) -> str:
    """What a view says of an error: the message of a ValueError, of any other error its class too."""
    text = str(error) or type(error).__name__
    return text if isinstance(error, ValueError) else f"{type(error).__name__}: {text}"
