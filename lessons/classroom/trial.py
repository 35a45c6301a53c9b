"""The class's hub, tried on this machine: learners run lesson 02 at once, and each moves the sliders of its explorers.

    python -m lessons.classroom.trial                # four learners
    python -m lessons.classroom.trial --learners 2

Hub, proxy, servers and kernels are real, and so are the websockets; the page is a program. After each movement the
kernel's state is read: it must be where the slider was moved.
"""

import argparse
import asyncio
import json
import sys

import nbformat

from attnlab_server.open_lessons import LESSONS
from lessons.classroom.hub import Hub
from lessons.classroom.load import MOST, Learner, come_in

LESSON = "02_looking_back.ipynb"
SLIDERS = """
import json
from ipywidgets.widgets.widget import _instances
from widgets import Explorer
_found = {}
for _one in [_view for _view in _instances.values() if isinstance(_view, Explorer)]:
    _controls = _one.parts["controls"]
    for _name in [_spec["name"] for _spec in _controls.spec if _spec["kind"] in ("slider", "stepper")][:1]:
        _value = [_p for _p in _one.positions(_name) if _p != getattr(_one, _name)][0]
        _found[_controls.model_id] = (_one, _name)
        print(json.dumps([type(_one).__name__, _controls.model_id, _name, _value]))
"""
STANDS = "_one, _name = _found[{!r}]; print(json.dumps(getattr(_one, _name)))"


async def work(learner: Learner) -> list[str]:
    """Run every cell of the lesson, then move a slider of each explorer; the names of those that followed."""
    for cell in nbformat.read(LESSONS / LESSON, 4).cells:
        if cell.cell_type == "code" and "raises-exception" not in cell.metadata.get("tags", []):
            await learner.run(cell.source)
    followed = []
    for line in (await learner.run(SLIDERS)).splitlines():
        explorer, comm, slider, value = json.loads(line)
        await learner.move(comm, 1, slider, value)
        if json.loads(await learner.run(STANDS.format(comm))) != value:
            raise RuntimeError(f"{explorer} does not stand where its slider was moved")
        followed.append(explorer)
    return followed


async def trial(count: int) -> None:
    with Hub() as hub:
        if hub.log_in("nobody", "a guess"):
            raise RuntimeError("a wrong password opens the hub")
        learners = [await come_in(hub, f"learner-{number}") for number in range(1, count + 1)]
        print(f"{count} learners are in, each with a server and a kernel", flush=True)
        for number, followed in enumerate(await asyncio.gather(*map(work, learners)), 1):
            print(f"learner-{number}: {LESSON} ran; {', '.join(followed)} followed their sliders", flush=True)
        for learner in learners:
            learner.connection.close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lessons.classroom.trial", description=__doc__.partition("\n")[0])
    parser.add_argument("--learners", type=int, default=4, help="how many (%(default)s)")
    count = parser.parse_args().learners
    if not 1 <= count <= MOST:
        parser.error(f"expected 1 to {MOST} learners, got {count}")
    asyncio.run(trial(count))
    return 0


if __name__ == "__main__":
    sys.exit(main())
