"""The tests' own Jupyter: what is wrong in a notebook is seen."""

import pytest

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
