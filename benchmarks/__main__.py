"""`python -m benchmarks [part ...] [--quick] [--text PATH]`: all parts, or those that are named."""

import argparse
import signal
import sys
from functools import partial

from attnlab.tasks.text import Text
from benchmarks import ROOT, any_model, attention, generation, gpt, imports, lessons, machines, pictures, views
from benchmarks.report import LATEST, table, verdict, write

PARTS = {
    "imports": imports,
    "attention": attention,
    "generation": generation,
    "gpt": gpt,
    "views": views,
    "machines": machines,
    "pictures": pictures,
    "any_model": any_model,
    "lessons": lessons,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="What attnlab promises, measured.")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"{', '.join(PARTS)} (all of them)")
    parser.add_argument("--quick", action="store_true", help="fewer events and sizes: does everything still run?")
    parser.add_argument("--text", metavar="PATH", help="what the GPTs learn (the Python language reference)")
    given = parser.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"expected parts of {', '.join(PARTS)}, got {', '.join(sorted(unknown))}")
    try:
        text = Text.from_file(given.text) if given.text else None
    except ValueError as error:
        parser.error(f"--text: {error}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # server and browser are ended on the way out
    records = []
    try:
        for name in given.parts or PARTS:
            print(f"{name}: {'a quick run' if given.quick else f'about {PARTS[name].ABOUT}'}", flush=True)
            measure = partial(gpt.measure, text=text) if name == "gpt" else PARTS[name].measure
            for record in measure(given.quick):
                records.append(record)
                write(records)
    finally:  # a run that was stopped keeps what it has measured
        if records:
            print(table(records))
            print(f"\nwritten to {LATEST.relative_to(ROOT)}")
    return any(verdict(record) == "MORE" for record in records)


if __name__ == "__main__":
    sys.exit(main())
