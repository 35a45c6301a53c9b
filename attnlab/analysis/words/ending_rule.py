"""A translator of names without a network: it changes the ending as other names do."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from attnlab.checks import checked


@checked
def by_ending(learned: Sequence[tuple[str, str]], names: Sequence[str]) -> list[str]:
    """Each name with its longest ending that a learned name has, changed as it was changed there most often.

    From *estonia*, *estonie* it learns that *a* may become *e*, and *ia* *ie*; so of *armenia* it makes *armenie*. What
    stands before the ending is copied. A name without a known ending stays as it is.
    """
    rules: dict[str, Counter[str]] = defaultdict(Counter)
    for source, target in learned:
        for start in range(_common(source, target) + 1):
            rules[source[start:]][target[start:]] += 1
    found = []
    for name in names:
        start = next(start for start in range(len(name) + 1) if start == len(name) or name[start:] in rules)
        ending = name[start:]
        found.append(name[:start] + (rules[ending].most_common(1)[0][0] if ending else ""))
    return found


def _common(one: str, other: str) -> int:
    """How many letters two texts begin with in common, of `one` not the last."""
    count = 0
    while count < min(len(one) - 1, len(other)) and one[count] == other[count]:
        count += 1
    return count
