"""A learner's progress, read as any other program would read it."""

import json
from pathlib import Path


def kept(home: Path) -> dict:
    """What stands in the file of a progress folder."""
    return json.loads((home / "progress.json").read_text(encoding="utf-8"))
