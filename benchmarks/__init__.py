"""What attnlab promises, measured: `python -m benchmarks` prints a table and writes `benchmarks/latest.json`."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
