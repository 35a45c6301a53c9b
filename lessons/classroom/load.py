"""What a class costs: learners who all drag a slider of lesson 02 at once, through proxy, servers and real websockets.

    python -m lessons.classroom.load --learners 1 4 8 16

Each learner has a server and a kernel of their own behind the hub of `jupyterhub_config.py`; what the kernels are
forked from counts with the hub. A hand is a program here: it sends one movement, waits for the picture, rests for a
moment, and sends the next. What a page then draws costs the learner's own machine and is not in the numbers. Everything
stays on the loopback and ends by itself.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator
from itertools import chain, cycle
from typing import Any, NamedTuple
from uuid import uuid4

import psutil
from jupyter_server.services.kernels.connection.base import deserialize_binary_message
from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

from benchmarks.report import percentile
from lessons.classroom.hub import Hub

SECONDS, REST = 20.0, 0.05  # how long all drag, and how long a hand rests after each picture
MOST = 32  # learners
FIRST_EXPLORER = """
import json
from widgets import DecoderStepExplorer
explorer = DecoderStepExplorer()
[slider] = [one["name"] for one in explorer.parts["controls"].spec if one["kind"] == "slider"][:1]
print(json.dumps([explorer.parts["controls"].model_id, slider, explorer.positions(slider)]))
"""


class Found(NamedTuple):
    """Of one class. Memory in MB, the mean over learners; processor in cores, of all together while they drag."""

    learners: int
    server: float
    kernel: float
    hub: float
    ours: float
    others: float
    milliseconds: list[float]

    def __str__(self) -> str:
        p50, p95 = percentile(self.milliseconds, 0.5), percentile(self.milliseconds, 0.95)
        return (
            f"{self.learners:8} {self.server:10.0f} {self.kernel:10.0f} {self.hub:12.0f} {self.ours:11.2f} "
            f"{self.others:11.2f} {p50:8.0f} {p95:8.0f} {len(self.milliseconds):10}"
        )


HEAD = "learners  server MB  kernel MB  hub+proxy MB  cores ours  cores rest   p50 ms   p95 ms  movements"


class Learner:
    """A kernel's connection as a page holds it."""

    def __init__(self, connection: WebSocketClientConnection) -> None:
        self.connection, self.session = connection, uuid4().hex

    async def send(self, kind: str, content: dict) -> str:
        """Send one message; returns its id."""
        header = {"msg_id": uuid4().hex, "msg_type": kind, "session": self.session, "username": "", "version": "5.3"}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        await self.connection.write_message(json.dumps(message))
        return header["msg_id"]

    async def until(self, wanted) -> dict:
        """The next message that is wanted; RuntimeError where the connection ends before."""
        while (said := await self.connection.read_message()) is not None:
            message = deserialize_binary_message(said) if isinstance(said, bytes) else json.loads(said)
            if wanted(message):
                return message
        raise RuntimeError("the kernel's connection was closed")

    async def run(self, source: str) -> str:
        """Run a cell; returns what it printed. RuntimeError where it fails."""
        request = await self.send("execute_request", {"code": source, "silent": False, "store_history": False})
        printed, seen = "", set()
        while not {"execute_reply", "idle"} <= seen:
            message = await self.until(lambda message: message["parent_header"].get("msg_id") == request)
            kind, content = message["header"]["msg_type"], message["content"]
            if kind == "execute_reply" and content["status"] != "ok":
                raise RuntimeError(f"{content['ename']}: {content['evalue']}")
            printed += content["text"] if kind == "stream" and content["name"] == "stdout" else ""
            seen.add(content["execution_state"] if kind == "status" else kind)
        return printed

    async def move(self, comm: str, sequence: int, slider: str, position) -> None:
        """Move a slider as the page does, and wait for the picture."""
        content = {"kind": "move", "sequence": sequence, "values": {slider: position}}
        await self.send("comm_msg", {"comm_id": comm, "data": {"method": "custom", "content": content}})
        await self.until(lambda message: is_picture(message, comm))

    async def drag(self, comm: str, slider: str, positions: list, until: float) -> list[float]:
        """Milliseconds from each movement to its picture."""
        found = []
        for sequence, position in enumerate(cycle(chain(positions, reversed(positions))), 1):
            begun = time.monotonic()
            if begun > until:
                return found
            await self.move(comm, sequence, slider, position)
            found.append(1000 * (time.monotonic() - begun))
            await asyncio.sleep(REST)
        return found


def is_picture(message: dict, comm: str) -> bool:
    content = message["content"]
    return (
        message["header"]["msg_type"] == "comm_msg"
        and content["comm_id"] == comm
        and content["data"].get("content", {}).get("kind") == "picture"
    )


async def come_in(hub: Hub, name: str) -> Learner:
    """A learner with a server, a kernel and a page."""
    await asyncio.to_thread(hub.seat, name)
    kernel = await asyncio.to_thread(hub.ask, "POST", f"/user/{name}/api/kernels", {"name": "python3"})
    address = f"{hub.url.replace('http', 'ws')}/user/{name}/api/kernels/{kernel['id']}/channels"
    request = HTTPRequest(address, headers={"Authorization": f"token {hub.token}"}, request_timeout=60)
    return Learner(await websocket_connect(request, max_message_size=2**26))


async def measure(sizes: list[int]) -> AsyncIterator[Found]:
    """One hub, to which learners come until a class has each of these sizes."""
    learners: list[Learner] = []
    views: list[list] = []
    with Hub() as hub:
        for size in sorted(sizes):
            while len(learners) < size:
                learners.append(await come_in(hub, f"learner-{len(learners) + 1}"))
                views.append(json.loads(await learners[-1].run(FIRST_EXPLORER)))
            yield await dragged(hub, learners, views)
        for learner in learners:
            learner.connection.close()


async def dragged(hub: Hub, learners: list[Learner], views: list[list]) -> Found:
    """All of them drag at once."""
    count, (server, kernel, rest) = len(learners), memory(hub)
    psutil.cpu_percent()
    before, begun = seconds(hub), time.monotonic()
    drags = [learner.drag(*view, begun + SECONDS) for learner, view in zip(learners, views, strict=True)]
    found = list(chain.from_iterable(await asyncio.gather(*drags)))
    took = time.monotonic() - begun
    busy = psutil.cpu_percent() / 100 * psutil.cpu_count()
    ours = (seconds(hub) - before) / took
    return Found(count, server / count, kernel / count, rest, ours, busy - ours, found)


def processes(hub: Hub) -> list[psutil.Process]:
    hub_itself = psutil.Process(hub.process.pid)
    return [hub_itself, *hub_itself.children(recursive=True)]


def memory(hub: Hub) -> tuple[float, float, float]:
    """MB of all servers, of all kernels, and of the rest: what would be free without them (Linux's PSS)."""
    totals = {"server": 0.0, "kernel": 0.0, "hub": 0.0}
    for process in processes(hub):
        totals[kind_of(process)] += process.memory_full_info().pss / 1e6
    return totals["server"], totals["kernel"], totals["hub"]


def kind_of(process: psutil.Process) -> str:
    """Whose memory it is. What the kernels are forked from is the hub's, as is whatever it starts besides servers."""
    command, above = " ".join(process.cmdline()), " ".join(process.parent().cmdline())
    if "singleuser" in command:
        return "server"
    return "kernel" if "singleuser" in above or "/forked_kernels.py" in above else "hub"


def seconds(hub: Hub) -> float:
    """Of processor that hub, proxy, servers and kernels have used, and this program, which plays the hands."""
    return sum(sum(process.cpu_times()[:2]) for process in [psutil.Process(), *processes(hub)])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lessons.classroom.load", description=__doc__.partition("\n")[0])
    parser.add_argument("--learners", type=int, nargs="+", default=[1, 4, 8, 16], help="sizes of a class (%(default)s)")
    sizes: Any = parser.parse_args().learners
    if not all(1 <= size <= MOST for size in sizes):
        parser.error(f"expected classes of 1 to {MOST}, got {sizes}")
    asyncio.run(tell(sizes))
    return 0


async def tell(sizes: list[int]) -> None:
    print(HEAD, flush=True)
    async for found in measure(sizes):
        print(found, flush=True)


if __name__ == "__main__":
    sys.exit(main())
