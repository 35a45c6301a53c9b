"""Kernels that are born with torch imported: forks of one process that has imported it.

A kernel works for two seconds before its first cell, nearly all of it to import what is not ours: torch, numpy,
IPython. And it keeps 190 MB for them. Here all kernels of a machine share that, as long as nobody writes there. attnlab
and widgets are imported by each kernel itself, as in a lesson.

    with forked_kernels() as folder, Lab(environment={"JUPYTER_PATH": folder}) as lab: ...

Three programs: `serve` imports, then forks; `start` is what Jupyter starts, interrupts and kills in the kernel's place;
the fork is the kernel, and ends when `start` does. Without `serve`, `start` becomes an ordinary kernel.
"""

import ctypes
import gc
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

INTERRUPT = b"i"
PR_SET_PDEATHSIG = 1  # prctl(2)


@contextmanager
def forked_kernels() -> Iterator[str]:
    """A folder, and within it the kernel "python3" of all servers with this JUPYTER_PATH is such a fork. For Linux.

    Only this user may enter the folder: all forks are this user's.
    """
    with tempfile.TemporaryDirectory(prefix="attnlab-kernels-") as folder:
        address = f"{folder}/forks.socket"
        spec = Path(folder, "kernels", "python3", "kernel.json")
        spec.parent.mkdir(parents=True)
        # -S: what only waits needs no packages, and is there in 10 ms
        command = [sys.executable, "-I", "-S", __file__, address, "{connection_file}"]
        named = {"argv": command, "display_name": "Python 3 (ipykernel)", "language": "python"}
        spec.write_text(json.dumps(named), encoding="utf-8")
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(address)
            door.listen()  # who comes while `serve` imports waits here
            serving = [sys.executable, "-P", __file__, str(door.fileno())]
            process = subprocess.Popen(serving, pass_fds=[door.fileno()], start_new_session=True)
        try:
            yield folder
        finally:
            process.kill()
            process.wait()


def serve(door: socket.socket) -> None:
    """Import, then fork a kernel for each that asks, to the end of the program that started this one."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.environ["JPY_PARENT_PID"] = "1"  # read by ipykernel when it is imported: its kernels watch no parent but `start`

    import anywidget  # noqa: F401
    import ipykernel.kernelapp  # noqa: F401
    import torch  # noqa: F401

    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, reap)
    while True:
        asked, _ = door.accept()
        with asked, suppress(OSError):  # no memory for one more: this one does not start, the others go on
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                door.close()
                be_kernel(asked)


def reap(*_) -> None:
    """Nobody asks how a kernel ended, but its processor time is counted with that of who waited for it."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def be_kernel(asked: socket.socket) -> None:
    """From here on this process is the kernel of `start`, which has asked: its folder, its variables, its outputs."""
    import numpy
    import torch
    from ipykernel.kernelapp import IPKernelApp

    text, outputs, _, _ = socket.recv_fds(asked, 1 << 20, 3)
    for own, wanted in enumerate(outputs):
        os.dup2(wanted, own)
        os.close(wanted)
    start = json.loads(text)
    os.environ.clear()
    os.environ.update(start["environment"])
    os.chdir(start["folder"])
    os.setsid()
    for forget in (random.seed, numpy.random.seed, torch.seed):  # else all forks throw the same dice
        forget()
    threading.Thread(target=obey, args=[asked], daemon=True).start()
    IPKernelApp.launch_instance(["-f", start["connection"]])
    os._exit(0)


def obey(asked: socket.socket) -> None:
    """Interrupts, until the one that asked is gone."""
    while asked.recv(1) == INTERRUPT:
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(0)


def start(address: str, connection: str) -> None:
    """What Jupyter takes for the kernel: it is there for as long as the kernel and the server are."""
    server = os.getppid()
    with socket.socket(socket.AF_UNIX) as kernel:
        if kernel.connect_ex(address):
            os.execv(sys.executable, [sys.executable, "-m", "ipykernel_launcher", "-f", connection])
        signal.signal(signal.SIGINT, lambda *_: kernel.send(INTERRUPT))
        told = {"environment": dict(os.environ), "folder": os.getcwd(), "connection": connection}
        socket.send_fds(kernel, [json.dumps(told).encode()], [0, 1, 2])
        kernel.settimeout(1.0)
        while os.getppid() == server:
            with suppress(TimeoutError):
                kernel.recv(1)  # says nothing, and ends with the kernel
                return


if __name__ == "__main__":
    if len(sys.argv) == 2:
        serve(socket.socket(fileno=int(sys.argv[1])))
    else:
        start(*sys.argv[1:])
