"""Kernels that are born with torch imported: forks of one process that has imported it.

A kernel works for two seconds before its first cell, nearly all of it to import what is not ours: torch, numpy,
IPython. And it keeps 190 MB for them. Here all kernels of a machine share that, as long as nobody writes there. attnlab
and widgets are imported by each kernel itself, as in a lesson.

    with forked_kernels() as folder, Lab(environment={"JUPYTER_PATH": folder}) as lab: ...

Three programs. `serve` imports, forks, passes interrupts on, and kills the fork whose `start` is gone, with all that it
has started. `start` is what Jupyter starts, interrupts and kills in the kernel's place; where nobody serves, it becomes
an ordinary kernel. The fork is the kernel. It ends with `start`, `start` with it, and all forks with `serve`.
"""

import ctypes
import gc
import json
import os
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

BEGUN, INTERRUPT = b"b", b"i"
PATIENCE = 10.0  # seconds for `start` to say what it wants
PR_SET_PDEATHSIG = 1  # prctl(2)
# What `serve` knows of its surroundings, and every kernel can read: no passwords. A kernel's own variables come later.
KEPT = ("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "PYTHONPATH", "TMPDIR", "VIRTUAL_ENV")


@contextmanager
def forked_kernels() -> Iterator[str]:
    """A folder, and within it the kernel "python3" of all servers with this JUPYTER_PATH is such a fork. For Linux.

    Only this user may enter the folder: all forks are this user's. They compute with one thread each.
    """
    from ipykernel.kernelspec import RESOURCES, get_kernel_dict

    with tempfile.TemporaryDirectory(prefix="attnlab-kernels-") as folder:
        address = f"{folder}/forks.socket"
        spec = shutil.copytree(RESOURCES, Path(folder, "kernels", "python3"))
        # -S: what only waits needs no packages, and is there in 10 ms
        command = [sys.executable, "-I", "-S", __file__, address, "{connection_file}"]
        (spec / "kernel.json").write_text(json.dumps(get_kernel_dict() | {"argv": command}), encoding="utf-8")
        # Threads are counted when torch is loaded, and more of them than cores wait for each other.
        environment = {name: os.environ[name] for name in KEPT if name in os.environ} | {"OMP_NUM_THREADS": "1"}
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(address)
            door.listen()  # who comes while `serve` imports waits here
            serving = [sys.executable, __file__, str(door.fileno())]
            process = subprocess.Popen(serving, pass_fds=[door.fileno()], env=environment, start_new_session=True)
        try:
            yield folder
        finally:
            process.kill()
            process.wait()


# ---- the one that forks


def serve(door: socket.socket) -> tuple[dict, list[int]]:
    """Import, then fork a kernel for each that asks, to the end of the program that started this one.

    Returns in the forks alone, with what was asked for.
    """
    die_with_parent()
    os.environ["JPY_PARENT_PID"] = "1"  # read by ipykernel when it is imported: its kernels watch no parent

    import anywidget  # noqa: F401
    import ipykernel.kernelapp  # noqa: F401
    import torch  # noqa: F401

    gc.collect()
    gc.freeze()
    ended, woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(woken)  # a kernel that ends wakes the loop below
    signal.signal(signal.SIGCHLD, lambda *_: None)
    kernels: dict[socket.socket, int] = {}  # the way to each one's `start`, and its process
    while True:
        ready, _, _ = select.select([door, ended, *kernels], [], [])
        for way in set(ready) & kernels.keys():
            obey(way, kernels[way])
        if ended in ready:
            os.read(ended, 1 << 10)
        for way in [way for way, kernel in kernels.items() if has_ended(kernel)]:
            del kernels[way]
            way.close()  # and `start` ends
        if door in ready and (asked := forked(door, kernels)):
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for one in (door, *kernels):
                one.close()
            os.close(ended)
            os.close(woken)
            return asked


def die_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def obey(way: socket.socket, kernel: int) -> None:
    """What `start` was told, its process group hears; once `start` is gone, it ends, and its ports are free again."""
    with suppress(OSError):
        if way.recv(1) == INTERRUPT:
            os.killpg(kernel, signal.SIGINT)
            return
    with suppress(ProcessLookupError):
        os.killpg(kernel, signal.SIGKILL)
    os.waitid(os.P_PID, kernel, os.WEXITED | os.WNOWAIT)


def has_ended(kernel: int) -> bool:
    """It is asked for, so that its processor time is counted with that of who waited for it."""
    return os.waitpid(kernel, os.WNOHANG) != (0, 0)


def forked(door: socket.socket, kernels: dict[socket.socket, int]) -> tuple[dict, list[int]] | None:
    """Fork for the next one that asks. What it asked for in the fork, None in the one that forks."""
    way, _ = door.accept()
    way.settimeout(PATIENCE)
    outputs = []
    try:
        asked = heard(way, outputs)
        kernel = os.fork()
    except (OSError, ValueError):  # it was gone, or no memory is left: it becomes an ordinary kernel, if it can
        kernel = None
    if kernel == 0:
        way.close()
        os.setpgid(0, 0)
        return asked, outputs
    for output in outputs:
        os.close(output)
    if kernel is None:
        way.close()
        return None
    kernels[way] = kernel
    with suppress(OSError):  # both say so, whichever comes first; and `start` may be gone again
        os.setpgid(kernel, kernel)
        way.send(BEGUN)
    return None


def heard(way: socket.socket, outputs: list[int]) -> dict:
    """What `start` says; its outputs are added to the list. Raises OSError or ValueError where it breaks off."""
    size, given, _, _ = socket.recv_fds(way, 4, 3)
    outputs += given
    with way.makefile("rb") as file:
        return json.loads(file.read(int.from_bytes(size, "big")))


# ---- a kernel


def be_kernel(asked: dict, outputs: list[int]) -> None:
    """From here on this process is the kernel that was asked for: its folder, its variables, its outputs."""
    import numpy
    import torch
    from ipykernel.kernelapp import IPKernelApp

    die_with_parent()
    for own, wanted in enumerate(outputs):
        os.dup2(wanted, own)
        os.close(wanted)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    for forget in (random.seed, numpy.random.seed, torch.seed):  # else all forks throw the same dice
        forget()
    IPKernelApp.launch_instance(["-f", asked["connection"]])


# ---- what Jupyter starts


def start(address: str, connection: str) -> None:
    """What Jupyter takes for the kernel: it is there for as long as the kernel and the server are."""
    server = os.getppid()
    with socket.socket(socket.AF_UNIX) as kernel:
        if not is_begun(kernel, address, connection):
            os.execv(sys.executable, [sys.executable, "-m", "ipykernel_launcher", "-f", connection])
        signal.signal(signal.SIGINT, lambda *_: kernel.send(INTERRUPT))
        kernel.settimeout(1.0)
        while os.getppid() == server:
            with suppress(TimeoutError):
                kernel.recv(1)  # says nothing, and ends with the kernel
                return


def is_begun(kernel: socket.socket, address: str, connection: str) -> bool:
    """Ask for a kernel; whether there is one."""
    told = {"environment": dict(os.environ), "folder": os.getcwd(), "connection": connection}
    text = json.dumps(told).encode()
    try:
        kernel.connect(address)
        socket.send_fds(kernel, [len(text).to_bytes(4, "big")], [0, 1, 2])
        kernel.sendall(text)
        return kernel.recv(1) == BEGUN
    except OSError:
        return False


if __name__ == "__main__":
    if len(sys.argv) == 2:
        del sys.path[0]  # this folder is none of a kernel's
        be_kernel(*serve(socket.socket(fileno=int(sys.argv[1]))))
    else:
        start(*sys.argv[1:])
