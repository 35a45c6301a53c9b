"""The tests' own Jupyter: what is wrong in a notebook is seen."""

import pytest
from lab import CHECKS

pytestmark = pytest.mark.browser

REACH = """import urllib.request
try:
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open("http://example.org", timeout=5)
except OSError:
    print("refused")"""
PICTURE = """from IPython.display import HTML
HTML('<img src="https://example.org/a.png">')"""


def test_a_good_notebook(lab, browser):
    lab.write("good.ipynb", ["x = 7", "print(x)"])
    with lab.open(browser, "good.ipynb") as notebook:
        notebook.run_all()
        assert notebook.complaints() == []
        assert [cell["execution_count"] for cell in notebook.cells()] == [1, 2]
        assert notebook.ask("x") == 7
        notebook.execute("x = 11")
        assert notebook.ask("[x, None]") == [11, None]
    assert lab.kernel_of("good.ipynb") is None


def test_faults_are_seen(lab, browser):
    lab.write("bad.ipynb", [REACH, PICTURE, "import sys; print('careful', file=sys.stderr)", "1 / 0", "2 + 2"])
    with lab.open(browser, "bad.ipynb") as notebook:
        notebook.run_all()
        notebook.page.wait_for_timeout(500)
        complaints = "\n".join(notebook.complaints())
    for fault in ("outside request: example.org", "outside request: https://example.org/a.png", "careful",
                  "code cell 4: ZeroDivisionError", "code cell 5 was not run"):
        assert fault in complaints
    lab.forget()


@pytest.mark.parametrize(("check", "markup", "faults"), [
    ("nameless", "<button></button>", 1),
    ("nameless", "<input type=range>", 1),
    ("nameless", "<canvas role=application tabindex=0></canvas>", 1),
    ("nameless", "<div role=group>words</div>", 1),
    ("nameless", "<button>go</button><label>size<input></label><div role=group aria-label=steps></div>", 0),
    ("nameless", "<button hidden></button><span aria-hidden=true><button></button></span>", 0),
    ("unreachable", "<button tabindex=-1>go</button>", 1),
    ("unreachable", "<button>go</button><button tabindex=-1 disabled>no</button>", 0),
    ("notDrawn", "<canvas width=7 height=5></canvas>", 1),
    ("notDrawn", "", 1),
    ("notDrawn", "<p class=jp-OutputArea-output>Error displaying widget: model not found</p>", 1),
    ("notDrawn", "<p class=jp-OutputArea-output>4</p>", 0),
])
def test_checks_of_a_page(page, check, markup, faults):
    page.set_content(f"<div class=attnlab>{markup}</div>")
    assert len(page.evaluate(f"{CHECKS}\nchecks.{check}()")) == faults
