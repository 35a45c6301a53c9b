"""Kernels that share one import of torch: each is a learner's own, and none of them hangs on another."""

import sys
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from jupyter_client.manager import start_new_kernel

from lessons.classroom import load
from lessons.classroom.forked_kernels import forked_kernels

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="for Linux")

WHO = (
    "import os, random; print(os.getpid(), os.getppid(), os.environ.get('ATTNLAB_HOME'), os.getcwd(), random.random())"
)


@contextmanager
def begun(folder: Path, **environment):
    """A kernel as a server starts it, and what a cell of it prints."""
    manager, client = start_new_kernel(cwd=str(folder), env=environment, startup_timeout=120)
    try:
        yield manager, lambda source, heard=None: printed(client, source, heard)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def printed(client, source: str, heard=None) -> str:
    said = []

    def hear(message) -> None:
        said.append(message["content"].get("text", message["content"].get("ename", "")))
        if heard:
            heard(said[-1])

    client.execute_interactive(source, timeout=120, output_hook=hear)
    return "".join(said).strip()


@pytest.fixture(scope="module")
def forks():
    with forked_kernels() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", folder)
        yield
    assert not Path(folder).exists()


def test_a_cell_can_be_interrupted(forks, tmp_path):
    with begun(tmp_path) as (manager, ask):
        endless = "import time; print('at work', flush=True); time.sleep(300)"
        said = ask(endless, lambda text: manager.interrupt_kernel() if "at work" in text else None)
        assert said.endswith("KeyboardInterrupt")
        assert ask("print('alive')") == "alive"


def test_each_is_a_learners_own(forks, tmp_path):
    (tmp_path / "ben").mkdir()
    with (
        begun(tmp_path, ATTNLAB_HOME="anna") as (manager, anna),
        begun(tmp_path / "ben", ATTNLAB_HOME="ben") as (_, ben),
    ):
        one, two = anna(WHO).split(), ben(WHO).split()
        assert one[1] == two[1], "forks of one process"
        assert (one[2:4], two[2:4]) == (["anna", str(tmp_path)], ["ben", str(tmp_path / "ben")])
        assert one[4] != two[4], "not the same dice"
        assert anna("import sys; print('torch' in sys.modules, 'attnlab' in sys.modules)") == "True False"
        assert anna("1 / 0") == "ZeroDivisionError"

        kernel = psutil.Process(int(one[0]))
        own = kernel.memory_full_info().uss
        assert own < 60e6 < kernel.memory_full_info().rss / 2
        assert (load.kind_of(kernel), load.kind_of(kernel.parent())) == ("kernel", "hub")

        source = psutil.Process(int(one[1]))
        source.kill()
        source.wait(60)
        assert anna("print(2 + 2)") == "4", "nothing is lost with what it was forked from"
        manager.provisioner.process.kill()
        assert kernel.wait(60) is None
        with begun(tmp_path) as (_, late):
            assert late("import os; print(os.getppid())") == str(psutil.Process().pid), "an ordinary kernel"
