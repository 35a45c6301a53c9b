"""`python -m benchmarks [part ...] [--quick] [--text PATH]`: all parts, or those that are named."""

import argparse
import signal
import sys

from benchmarks import ROOT, attention, generation, gpt, imports, lessons, views
from benchmarks.page import chromium
from benchmarks.report import LATEST, table, verdict, write

PARTS = ("imports", "attention", "generation", "gpt", "views", "lessons")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="What attnlab promises, measured.")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"{', '.join(PARTS)} (all of them)")
    parser.add_argument("--quick", action="store_true", help="fewer events and sizes: does everything still run?")
    parser.add_argument("--text", metavar="PATH", help="what the GPTs learn (the Python language reference)")
    given = parser.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"expected parts of {', '.join(PARTS)}, got {', '.join(sorted(unknown))}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # server and browser are ended on the way out
    records = measure(given.parts or PARTS, given.quick, given.text)
    write(records)
    print(table(records))
    print(f"\nwritten to {LATEST.relative_to(ROOT)}")
    return any(verdict(record) == "MORE" for record in records)


def measure(parts, quick: bool, text: str | None) -> list:
    records = imports.measure(2 if quick else 7) if "imports" in parts else []
    if "attention" in parts:
        records += attention.measure(quick)
    if "generation" in parts:
        records += generation.measure(quick)
    if "gpt" in parts:
        records += gpt.measure(quick, text)
    if not {"views", "lessons"} & set(parts):
        return records
    from lab import Lab

    with chromium() as browser, Lab() as lab:
        if "views" in parts:
            few = {"events": 6, "rounds": 1, "sizes": (8, 128)} if quick else {}
            records += views.measure(lab, browser, **few)
        if "lessons" in parts:
            records += lessons.measure(lab, browser)
    return records


if __name__ == "__main__":
    sys.exit(main())
