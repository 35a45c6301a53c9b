"""Kernels that share one import of torch: each is a learner's own, and none of them hangs on another."""

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from jupyter_client.manager import start_new_kernel

from lessons.classroom import load
from lessons.classroom.forked_kernels import forked_kernels

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="for Linux")

WHO = """import os, random, numpy, torch
dice = random.random(), numpy.random.rand(), torch.rand(1).item()
print(os.getpid(), os.getppid(), os.environ.get("ATTNLAB_HOME"), os.getcwd(), *dice)"""

BEGINS = "import os, subprocess; print(os.getpid(), subprocess.Popen(['sleep', '300']).pid)"
INHERITS = """import multiprocessing, os, time
multiprocessing.Process(target=time.sleep, args=(300,)).start()
print(os.getpid())"""


@contextmanager
def begun(folder: Path, **environment):
    """A kernel as a server starts it, and what a cell of it prints."""
    manager, client = start_new_kernel(cwd=str(folder), env=environment, startup_timeout=120)
    try:
        yield manager, Ask(client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


class Ask:
    """Runs a cell and says what it printed, or the name of its error."""

    def __init__(self, client) -> None:
        self.client = client

    def __call__(self, source: str) -> str:
        said = []

        def hear(message) -> None:
            said.append(message["content"].get("text", message["content"].get("ename", "")))

        self.client.execute_interactive(source, timeout=120, output_hook=hear)
        return "".join(said).strip()


@contextmanager
def served():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTNLAB_PASSWORD", "of the class")
        with forked_kernels() as folder:
            patch.setenv("JUPYTER_PATH", folder)
            patch.delenv("ATTNLAB_PASSWORD")
            yield
    assert not Path(folder).exists()


@pytest.fixture(scope="module")
def forks():
    with served():
        yield


def appears(file: Path) -> None:
    while not file.exists():
        time.sleep(0.05)


def is_fork(ask) -> bool:
    return ask("import os; print(os.getppid())") not in ("1", str(os.getpid()))


def test_each_is_a_learners_own(forks, tmp_path):
    (tmp_path / "ben").mkdir()
    (tmp_path / "ben" / "helper.py").write_text("said = 'of my folder'", encoding="utf-8")
    long = "x" * 50_000
    with begun(tmp_path, ATTNLAB_HOME="anna") as (_, anna), begun(tmp_path / "ben", ATTNLAB_HOME=long) as (_, ben):
        one, two = anna(WHO).split(), ben(WHO).split()
        assert one[1] == two[1], "forks of one process"
        assert (one[2:4], two[2:4]) == (["anna", str(tmp_path)], [long, str(tmp_path / "ben")])
        assert all(a != b for a, b in zip(one[4:], two[4:], strict=True)), "not the same dice"
        assert anna("import sys; print('torch' in sys.modules, 'attnlab' in sys.modules)") == "True False"
        assert anna("import torch; print(torch.get_num_threads())") == "1"
        assert anna("1 / 0") == "ZeroDivisionError"
        assert "of the class" not in anna("print(open('/proc/self/environ').read())"), "what the hub alone knows"
        assert anna("import helper") == "ModuleNotFoundError"
        assert ben("import helper; print(helper.said)") == "of my folder"

        kernel = psutil.Process(int(one[0]))
        memory = kernel.memory_full_info()
        assert memory.uss < memory.rss / 2, "more than half is shared"
        assert (load.kind_of(kernel), load.kind_of(kernel.parent())) == ("kernel", "hub")


@pytest.mark.parametrize(
    ("endless", "said"),
    [
        ("import pathlib, time; pathlib.Path('here').touch(); time.sleep(300)", "KeyboardInterrupt"),
        ("import os; ended = os.system('touch here; sleep 300'); print('through')", "through"),  # as C has it
    ],
)
def test_a_cell_can_be_interrupted(forks, tmp_path, endless, said):
    with begun(tmp_path) as (manager, ask):
        assert is_fork(ask)

        def interrupt() -> None:
            appears(tmp_path / "here")
            os.killpg(manager.provisioner.pgid, signal.SIGINT)  # as Jupyter does

        thread = threading.Thread(target=interrupt)
        thread.start()
        assert said in ask(endless)
        thread.join()
        assert ask("print('alive')") == "alive"


def test_one_that_hangs_is_restarted_and_takes_what_it_began_along(forks, tmp_path):
    """It holds Python's lock, and hears nothing but a kill; the new one listens at its ports."""
    with begun(tmp_path) as (manager, ask):
        old, child = map(int, ask(BEGINS).split())
        ask.client.execute("import pathlib, re; pathlib.Path('here').touch(); re.match('(a+)+$', 'a' * 40 + 'b')")
        appears(tmp_path / "here")
        manager.restart_kernel(now=True)
        ask.client.wait_for_ready(timeout=120)
        new = int(ask("import os; print(os.getpid())"))
        assert new != old
        assert is_fork(ask)
        assert not any(psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie" for pid in (old, child))


def test_what_is_to_be_done_at_the_end_is_done(forks, tmp_path):
    with begun(tmp_path) as (manager, ask):
        ask("import atexit, pathlib; atexit.register(pathlib.Path('ended').touch)")
        manager.shutdown_kernel()
        assert (tmp_path / "ended").exists()


def test_a_kernel_that_dies_is_seen_to_be_dead(forks, tmp_path):
    with begun(tmp_path) as (manager, ask):
        kernel = int(ask(INHERITS))
        psutil.Process(kernel).kill()
        manager.provisioner.process.wait(60)
        assert not manager.is_alive()


def test_without_what_they_are_forked_from_there_are_ordinary_ones(tmp_path):
    with served(), begun(tmp_path) as (manager, ask):
        source = psutil.Process(int(ask("import os; print(os.getppid())")))
        source.kill()
        manager.provisioner.process.wait(60)
        with begun(tmp_path) as (_, late):
            assert late("import os; print(os.getppid())") == str(os.getpid())
