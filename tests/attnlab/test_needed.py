"""An installation that is not whole says so."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_an_installation_that_did_not_finish(tmp_path):
    """Python alone would name the one module at which it gave up."""
    alone = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); import attnlab"]
    run = subprocess.run(alone, capture_output=True, text=True)
    assert "torch, numpy, jaxtyping, filelock, platformdirs missing: the installation did not finish." in run.stderr
    assert f"{sys.executable} -m pip install -c constraints.txt -e ." in run.stderr
