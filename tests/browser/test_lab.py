"""The tests' own Jupyter: what is wrong in a notebook is seen."""

import socket
from contextlib import suppress
from pathlib import Path
from threading import Thread

import nbformat
import pytest

from lessons.lab import CHECKS, Lab

pytestmark = pytest.mark.browser

REACH = """import urllib.request
try:
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open("http://example.org", timeout=5)
except OSError:
    print("refused")"""
PICTURE = """from IPython.display import HTML
HTML('<img src="https://example.org/a.png">')"""


def greet(listening):
    """What a kernel's socket says to whoever comes, until it is closed."""
    with suppress(OSError):
        while True:
            with listening.accept()[0] as caller:
                caller.sendall(b"\xff\0\0\0\0\0\0\0\1\x7f")


def test_a_port_that_another_program_has_taken():
    lab = Lab()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        lab.port = taken = listening.getsockname()[1]
        Thread(target=greet, args=[listening], daemon=True).start()
        with lab:
            assert lab.port != taken
            assert lab.get("api/status")["kernels"] == 0


def test_a_good_notebook_and_one_with_faults(lab, browser):
    """One after the other in one page and kernel."""
    lab.write("good.ipynb", ["x = 7", "print(x)"])
    with lab.open(browser, "good.ipynb") as notebook:
        notebook.run_all()
        assert notebook.complaints() == []
        assert [cell["execution_count"] for cell in notebook.cells()] == [1, 2]
        assert notebook.ask("x") == 7
        notebook.execute("x = 11")
        assert notebook.ask("[x, None]") == [11, None]
        own = Path(notebook.ask("__import__('os').environ['ATTNLAB_HOME']"))
        assert own.parent == Path(lab.environment["ATTNLAB_HOME"]), "a learner's progress is each kernel's own"

        fails = "import time; time.sleep(1); 1 / 0"  # the kernel drops what waits behind it: by then the next cell does
        lab.write("good.ipynb", [REACH, PICTURE, "import sys; print('careful', file=sys.stderr)", fails, "2 + 2"])
        notebook.page.evaluate("jupyterapp.shell.currentWidget.context.revert()")
        notebook.run_all()
        notebook.wait_until(lambda: notebook.outside, "the picture was not asked for")
        complaints = "\n".join(notebook.complaints())
    assert lab.kernel_of("good.ipynb") is None
    for fault in (
        "outside request: example.org",
        "outside request: https://example.org/a.png",
        "careful",
        "code cell 4: ZeroDivisionError: division by zero",
        "code cell 5 was not run",
    ):
        assert fault in complaints
    lab.forget()


def test_the_cells_after_an_expected_error_are_waited_for(lab, browser):
    file = lab.root / lab.write("error.ipynb", ["1 / 0", "import time; time.sleep(1)"])
    written = nbformat.read(file, 4)
    written.cells[0].metadata["tags"] = ["raises-exception"]
    nbformat.write(written, file)
    with lab.open(browser, "error.ipynb") as notebook:
        notebook.run_all()
        assert notebook.complaints() == []


@pytest.mark.parametrize(
    ("check", "markup", "faults"),
    [
        ("nameless", "<button></button>", 1),
        ("nameless", "<input type=range>", 1),
        ("nameless", "<canvas role=application tabindex=0></canvas>", 1),
        ("nameless", "<div role=group>words</div>", 1),
        ("nameless", "<button>go</button><label>size<input></label><div role=group aria-label=steps></div>", 0),
        ("nameless", "<button hidden></button><span aria-hidden=true><button></button></span>", 0),
        ("unreachable", "<button tabindex=-1>go</button>", 1),
        ("unreachable", "<button>go</button><button tabindex=-1 disabled>no</button>", 0),
        ("unreachable", "<p role=radiogroup><button role=radio tabindex=-1>a</button></p>", 1),
        ("unreachable", "<p role=radiogroup><button tabindex=-1>a</button><button tabindex=0>b</button></p>", 0),
        ("notDrawn", "<canvas width=7 height=5></canvas>", 1),
        ("notDrawn", "", 1),
        ("notDrawn", "<p class=jp-OutputArea-output>Error displaying widget: model not found</p>", 1),
        ("notDrawn", "<p class=jp-OutputArea-output>4</p>", 0),
        ("notDrawn", "<div class='jp-OutputArea-output lm-Panel'></div>", 1),
        ("notDrawn", "<div class=jp-OutputArea-output><div class=lm-Widget></div></div>", 1),
        ("notDrawn", "<div class=jp-OutputArea-output><div class=lm-Widget hidden></div></div>", 0),
        ("notDrawn", "<div class=jp-OutputArea-output><div class='lm-Widget widget-box'></div></div>", 0),
    ],
)
def test_checks_of_a_page(page, check, markup, faults):
    page.set_content(f"<div class=attnlab>{markup}</div>")
    assert len(page.evaluate(f"{CHECKS}\nchecks.{check}()")) == faults
