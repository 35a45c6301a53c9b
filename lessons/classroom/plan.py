"""What each lesson takes, computed from its source: `python -m lessons.classroom.plan [NN ...]`, all or those named."""

import argparse
import ast
import sys

from lessons.build import lesson, pairs
from lessons.length import asked_and_shown, length

HEAD = f"{'lesson':26} minutes  words  views  guesses  exercises"


def rows(numbers: list[str]) -> list[tuple[str, float, int, int, int, int]]:
    """Name, minutes, words, views, guesses and exercises of each lesson. ValueError for a number that none has."""
    sources = {source.stem.partition("_")[0]: source for source, _ in pairs()}
    if unknown := [number for number in numbers if number not in sources]:
        raise ValueError(f"expected lessons of {', '.join(sources)}, got {', '.join(unknown)}")
    found = []
    for number in numbers or sources:
        notebook = lesson(sources[number])
        code = [ast.parse(cell.source) for cell in notebook.cells if cell.cell_type == "code"]
        whole = length(notebook)
        found.append((sources[number].stem, whole.minutes, whole.words, *asked_and_shown(code)))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lessons.classroom.plan", description=__doc__.partition(":")[0])
    parser.add_argument("lesson", nargs="*", help="as 04 or 02a; all, if none is named")
    try:
        found = rows(parser.parse_args().lesson)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    print(HEAD)
    for name, minutes, words, views, guesses, exercises in found:
        print(f"{name:26} {minutes:7.0f} {words:6} {views:6} {guesses:8} {exercises:10}")
    print(f"together {sum(row[1] for row in found) / 60:.1f} hours")
    return 0


if __name__ == "__main__":
    sys.exit(main())
