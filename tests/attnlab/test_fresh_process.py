"""What only a process of its own can show, since the tests have imported everything by now."""

import json
import os
import subprocess
import sys
from pathlib import Path

import fresh_process
import pytest
from shapes import unchecked

ROOT = Path(__file__).parent.parent.parent
FOREIGN = {
    "widgets",
    "lessons",
    "ipywidgets",
    "anywidget",
    "plotly",
    "IPython",
    "traitlets",
    "matplotlib",
    "jupyterlab",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Strings are hashed in another way there, one thread is used, and nobody's settings are read."""
    home = tmp_path_factory.mktemp("home")
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1",
        "RAYON_NUM_THREADS": "1",
        **{name: str(home / name) for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "ATTNLAB_HOME")},
    }
    run = subprocess.run([sys.executable, fresh_process.__file__], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    return json.loads(run.stdout)


def test_torch_only(found):
    imported = set(found["modules_of_all"])
    assert "attnlab.seq2seq" in imported
    assert not FOREIGN & imported


def test_no_data_is_generated_before_it_is_used(found):
    assert found["generated_unasked"] == []


def test_the_compiler_is_imported_neither_to_attend_nor_to_train(found):
    """It would take each kernel 70 MB, and the first picture or the first step a second or two."""
    assert found["compiler_unasked"] == []
    assert found["compiler_to_train"] == []


def test_same_data_in_another_process(found):
    """The order of sets and dicts of strings changes with the hash seed of a process, byte pairs with its threads."""
    with unchecked():
        assert found["fingerprints"] == fresh_process.fingerprints()


def test_everything_public_checks_what_it_is_given(found):
    """So that a new function without `@checked` is named, whatever random calls happen to ask it."""
    records = {
        "attnlab.tasks.base.Example",
        "attnlab.tasks.dates.DateExample",
        "attnlab.tasks.phrasebook.PhraseExample",
    }
    protocol = {f"attnlab.decoding.Writer.{name}" for name in ("encode", "start", "step")}
    assert set(found["functions_without_checks"]) == records | protocol


def test_dates_are_quick(found):
    made, recognised, a_million_texts = found["seconds_of_dates"]
    assert made < 4 * a_million_texts
    assert recognised < made / 100


def test_report_without_jupyter(found):
    """With only torch and what attnlab itself needs the report still comes, with advice."""
    code, text = found["report_without_jupyter"]
    assert code == 1
    for line in ("browser side: no Jupyter.", "low latency: no Jupyter server here."):
        assert f"{line}\n    Install JupyterLab" in text
