"""A home that cannot be written, and a disk that is full: real ones, where the system grants a namespace."""

import json
import subprocess
import sys

import pytest

NAMESPACE = ["unshare", "--map-root-user", "--mount"]
SCRIPT = """
import json, os, subprocess, sys
from pathlib import Path

folder, told = sys.argv[1], []
mount = lambda *how: subprocess.run(["mount", *how, folder], check=True)
mount("-t", "tmpfs", "-o", "size=64k", "tmpfs")
mount("-o", "remount,ro")
os.environ |= dict.fromkeys(("HOME", "ATTNLAB_HOME"), folder)

from attnlab.exercises import EXERCISES, check, status
from widgets import TemperatureExplorer

def passes(name):
    verdict = check(name, EXERCISES[name].solution)
    told.append([bool(verdict), verdict.message, [name for name, done in status().passed.items() if done]])

told.append(repr(TemperatureExplorer(temperature=2.0)))
passes("02.context")
mount("-o", "remount,rw")
passes("02.context")
with open(Path(folder, "other"), "wb", buffering=0) as other:
    try:
        while other.write(bytes(4096)):
            pass
    except OSError:
        pass
passes("02.additive")
os.unlink(Path(folder, "other"))
passes("02.additive")
print(json.dumps([told, sorted(os.listdir(folder))]))
"""


def granted() -> bool:
    try:
        return subprocess.run([*NAMESPACE, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not granted(), reason="this system grants no namespace in which a small disk can be mounted")
def test_what_was_passed_is_told_and_nothing_is_lost(tmp_path):
    run = subprocess.run([*NAMESPACE, sys.executable, "-c", SCRIPT, tmp_path], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
    [explorer, read_only, kept, full, room], files = json.loads(run.stdout.splitlines()[-1])
    assert explorer.startswith("TemperatureExplorer(temperature=2.0, words='the cat sat on the mat'): ")
    for (right, message, _), why in ((read_only, "Read-only file system"), (full, "No space left on device")):
        assert right
        assert f"cannot be kept in {tmp_path}: {why}. Make room there, or name another folder" in message
    assert [sorted(passed) for _, _, passed in (read_only, kept, full, room)] == [
        [],
        ["02.context"],
        ["02.context"],
        ["02.additive", "02.context"],
    ]
    assert [file for file in files if not file.endswith(".lock")] == ["progress.json"]
