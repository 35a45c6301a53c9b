"""What attnlab promises, measured: `python -m benchmarks` prints a table and writes `benchmarks/latest.json`."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "browser"))  # the JupyterLab that the browser tests start, `lab.py`
