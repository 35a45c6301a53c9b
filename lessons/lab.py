"""A real Jupyter server, a real kernel, a real Chromium: a notebook opened and run as a learner would.

    with chromium() as browser, Lab() as lab:
        lab.write("try.ipynb", ["from widgets import Matrix", "matrix = Matrix([[0.2, 0.8]]); matrix"])
        with lab.open(browser, "try.ipynb") as notebook:
            notebook.run_all()
            notebook.page.locator(".attnlab canvas").first.click()
            assert notebook.ask("matrix.selected") == [0, 0, 0]
            assert not notebook.complaints()

The builder of the lessons, the browser tests and the benchmarks share it.
Everything the server reads or writes lies in a temporary folder, nothing of the user's is touched. The network is
closed: whatever a page or a kernel asks of another machine is refused, and noted in `notebook.outside`.
"""

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, urlsplit

import nbformat
from jupyter_client import BlockingKernelClient

STARTS = 5  # of a server, where its port is taken each time
PATIENCE = 180  # seconds until something is said to have failed: far more than a busy machine needs

CHROMIUM = os.environ.get("ATTNLAB_CHROMIUM") or next(
    filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None
)
NO_CHROMIUM = "no Chromium found: `apt-get install chromium`, or set ATTNLAB_CHROMIUM to a browser's path"
# What Chromium leaves out: Playwright's own list, since only the last one counts, and the popup of the address bar,
# in every window a page of its own, which nobody sees and which takes half of the time that a window needs to open; and
# the process that is started for a page that may come.
WITHOUT = [
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "SpareRendererForSitePerProcess",
]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    "--disable-features=" + ",".join(WITHOUT),
]  # the network is closed

SETTINGS = {  # of JupyterLab: no question about news, no look for updates
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}
CHECKS = Path(__file__).with_name("checks.js").read_text(encoding="utf-8")
QUIET = ("favicon.ico",)  # complaints of the page that are not about us

START = """
def _start():
    import os, platform, sys, tempfile

    here = "localhost", "::1", "", "None", "0.0.0.0", platform.node()
    os.environ["ATTNLAB_HOME"] = tempfile.mkdtemp(dir=os.environ["ATTNLAB_HOME"])

    def refuse(event, arguments):
        if event == "socket.connect" and isinstance(arguments[1], tuple):
            host = str(arguments[1][0])
        elif event == "socket.getaddrinfo":
            host = str(arguments[0])
        else:
            return
        if not host.startswith("127.") and host not in here:
            with open(os.environ["ATTNLAB_OUTSIDE"], "a") as file:
                file.write(host + "\\n")
            raise ConnectionRefusedError(f"the network is closed in this test: {host}")

    sys.addaudithook(refuse)

_start()
del _start
"""  # run by every kernel: a progress folder of its own, and the network closed


@contextlib.contextmanager
def chromium(*flags: str) -> Iterator:
    """Chromium without a window, cut off from the network, with these flags besides. Ends the program where there is
    none."""
    from playwright.sync_api import sync_playwright

    if not CHROMIUM:
        raise SystemExit(NO_CHROMIUM)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, *flags])
        try:
            yield browser
        finally:
            browser.close()


def free_port() -> int:
    """A port of this machine that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def said_in_the_console(message) -> str:
    """An error of the console, with what was asked for where the server refused it."""
    asked = urlsplit(message.location["url"]).path if message.text.startswith("Failed to load resource") else ""
    return f"console: {message.text} {asked}".rstrip()


def end(process: subprocess.Popen, seconds=20) -> None:
    """End a program of ours: it is asked to, and after so many seconds it is killed."""
    process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def is_outside(url: str) -> bool:
    """Whether a request for `url` would leave this machine."""
    parts = urlsplit(url)
    return parts.scheme in ("http", "https", "ws", "wss", "ftp") and parts.hostname not in ("127.0.0.1", "localhost")


class PortTakenError(RuntimeError):
    """Another program listens where the server was to listen."""


class Lab:
    """A JupyterLab server (with Notebook 7 and Voila on it) over a temporary folder, for the length of a `with`.

    `options` are further command-line options of the server, `environment` further variables. `lab.root` is the
    folder that is served, `lab.process` the server, `lab.port` and `lab.token` the way in.
    """

    def __init__(self, *options: str, environment: dict | None = None) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="attnlab-"))
        self.root = self.home / "root"
        self.root.mkdir()
        self.port, self.token = free_port(), secrets.token_hex(16)
        self.options = options
        # In the environment: what stands in a command line every user of the machine can read.
        self.environment = self._environment() | {"JUPYTER_TOKEN": self.token} | (environment or {})
        self.log = self.home / "server.log"

    def _environment(self) -> dict:
        places = {
            "HOME": "",
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
            "IPYTHONDIR": "ipython",
            "XDG_CACHE_HOME": "cache",
            "XDG_CONFIG_HOME": "xdg",
            "XDG_DATA_HOME": "share",
            "ATTNLAB_HOME": "attnlab",
            "ATTNLAB_OUTSIDE": "outside.txt",
        }
        startup = self.home / "ipython" / "profile_default" / "startup"
        startup.mkdir(parents=True)
        (startup / "00-start.py").write_text(START, encoding="utf-8")
        (self.home / "attnlab").mkdir()
        for name, settings in SETTINGS.items():
            file = self.home / "settings" / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(settings), encoding="utf-8")
        own = {name: str(self.home / folder) for name, folder in places.items()}
        return {**os.environ, **own, "JUPYTER_PREFER_ENV_PATH": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}

    def __enter__(self) -> Self:
        try:
            self._start(STARTS)
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self, tries: int) -> None:
        command = [
            sys.executable,
            "-m",
            "jupyterlab",
            "--no-browser",
            "--expose-app-in-browser",
            "--allow-root",
            f"--ServerApp.root_dir={self.root}",
            f"--ServerApp.port={self.port}",
            "--ServerApp.port_retries=0",
            "--ServerApp.ip=127.0.0.1",
            "--LabApp.news_url=",
            "--JupyterNotebookApp.expose_app_in_browser=True",
            *self.options,
        ]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, env=self.environment, cwd=self.home, stdout=log, stderr=log)
        try:
            self._wait_until_up()
        except PortTakenError:  # by another program, after it was found free
            if tries == 1:
                raise
            end(self.process)
            self.port = free_port()
            self._start(tries - 1)

    def _wait_until_up(self, seconds=PATIENCE) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self.get("api/status")
                return
            except HTTPException:  # not a server that answers there
                raise PortTakenError(f"port {self.port} is another program's") from None
            except OSError:
                time.sleep(0.1)
        said = self.log.read_text(encoding="utf-8")
        if "already in use" in said:
            raise PortTakenError(f"port {self.port} is another program's")
        raise RuntimeError("the Jupyter server did not start:\n" + said[-2000:])

    def __exit__(self, *_) -> None:
        end(self.process)  # the server ends its kernels itself
        shutil.rmtree(self.home, ignore_errors=True)

    def get(self, path: str, method="GET") -> Any:
        """What the server's REST interface says, from JSON."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/{path}", method=method)
        request.add_header("Authorization", f"token {self.token}")
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read() or "null")

    def write(self, name: str, cells: list[str]) -> str:
        """A notebook of code cells in the served folder; returns its name."""
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        cells = [nbformat.v4.new_code_cell(source) for source in cells]
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), self.root / name)
        return name

    def open(self, browser, name: str, port: int | None = None, dark=False, **screen: int) -> "Notebook":
        """The notebook in JupyterLab, in a browser context of its own.

        port: of a proxy before the server. screen: `width`, `height`, `scale`, see `page`.
        """
        notebook = self.page(browser, name, **screen)
        # A workspace of its own: nothing is restored from the notebook opened before.
        notebook.go(f"lab/workspaces/{Path(name).stem}/tree/{quote(name)}", port)
        notebook.wait_for_kernel()
        if dark:
            notebook.theme("Dark")
        return notebook

    def page(self, browser, name: str, width=1280, height=900, scale=1) -> "Notebook":
        """An empty page for the notebook `name`, to `go` to another front end with; `scale` dots to a CSS pixel."""
        return Notebook(self, browser, name, width, height, scale)

    def outside(self) -> list[str]:
        """The machines that a kernel of this server tried to reach."""
        file = Path(self.environment["ATTNLAB_OUTSIDE"])
        return file.read_text(encoding="utf-8").split() if file.exists() else []

    def forget(self) -> None:
        """Drop what `outside` has noted."""
        Path(self.environment["ATTNLAB_OUTSIDE"]).unlink(missing_ok=True)

    def kernel_of(self, name: str) -> str | None:
        """The id of the kernel that runs the notebook `name`, if one does."""
        return next((s["kernel"]["id"] for s in self.get("api/sessions") if s["path"] == name), None)


class Notebook:
    """One notebook in one page. `page` is Playwright's; `outside` the refused requests; `errors` what the page said."""

    def __init__(self, lab: Lab, browser, name: str, width: int, height: int, scale: int) -> None:
        self.lab, self.name = lab, name
        self.errors, self.outside = [], []
        self.client = None
        self.context = browser.new_context(viewport={"width": width, "height": height}, device_scale_factor=scale)
        self.context.on("request", lambda request: self._note(request.url))
        self.context.set_default_timeout(PATIENCE * 1000)
        self.page = self.context.new_page()
        self.page.on("websocket", lambda socket: self._note(socket.url))
        self.page.on("pageerror", lambda error: self.errors.append(f"page error: {error}"))
        self.page.on("console", lambda m: self.errors.append(said_in_the_console(m)) if m.type == "error" else None)

    def _note(self, url) -> None:
        if is_outside(url):
            self.outside.append(url)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_) -> None:
        self._stop_asking()
        self.context.close()
        if kernel := self.lab.kernel_of(self.name):
            self.lab.get(f"api/kernels/{kernel}", method="DELETE")

    def _stop_asking(self) -> None:
        if self.client:
            self.client.stop_channels()
            self.client = None

    def turn_to(self, name: str) -> None:
        """Close this notebook, unsaved, end its kernel, and open the notebook `name` in the same JupyterLab."""
        self._stop_asking()
        self.page.evaluate("""async () => {
            const panel = jupyterapp.shell.currentWidget;
            await panel.sessionContext.shutdown();
            panel.context.model.dirty = false;  // else it asks whether to save
            panel.close();
        }""")
        self.name = name
        self.errors.clear()
        self.outside.clear()
        self.command("docmanager:open", path=name)
        self.wait_for_kernel()

    def go(self, path: str, port: int | None = None) -> None:
        """Load a page of the server."""
        url = f"http://127.0.0.1:{port or self.lab.port}/{path}?token={self.lab.token}"
        self.page.goto(url, wait_until="domcontentloaded")

    def wait_for_kernel(self) -> None:
        """Wait until JupyterLab shows this notebook and its kernel is idle."""
        self.page.wait_for_function(
            """(name) => {
            const panel = window.jupyterapp?.shell?.currentWidget;
            return panel?.context?.path === name && panel.context.isReady
                && panel.sessionContext.session?.kernel?.status === "idle";
        }""",
            arg=self.name,
        )

    def command(self, name: str, **arguments) -> None:
        """Run a command of JupyterLab by its id."""
        run = "([name, arguments]) => jupyterapp.commands.execute(name, arguments).then(() => null)"
        self.page.evaluate(run, [name, arguments])

    def theme(self, name: str) -> None:
        """Switch JupyterLab to its "Light" or "Dark" theme."""
        self.command("apputils:change-theme", theme=f"JupyterLab {name}")
        colour = {"Light": "white", "Dark": "#111"}[name]  # the style sheet comes after the attribute
        self.page.wait_for_function(
            """([light, colour]) => document.body.dataset.jpThemeLight === light
            && getComputedStyle(document.body).getPropertyValue("--jp-layout-color0").trim() === colour
            && !document.querySelector("#jupyterlab-splash")  // shown again while it fades, it is removed twice
        """,
            arg=[str(name == "Light").lower(), colour],
        )

    def run_all(self) -> None:
        """Run every cell and wait for the last one. A cell that fails ends the run; see `complaints`."""
        self.command("notebook:run-all-cells")
        # The command is over at the first error, an expected one too, while the kernel goes on: it answers in turn.
        self.page.evaluate("""() => jupyterapp.shell.currentWidget.sessionContext.session.kernel
            .requestExecute({ code: "", silent: true, store_history: false }).done.then(() => null)""")

    def notebook(self) -> nbformat.NotebookNode:
        """The notebook as JupyterLab would save it now, with its outputs."""
        held = self.page.evaluate("JSON.stringify(jupyterapp.shell.currentWidget.context.model)")
        return nbformat.reads(held, as_version=4)

    def cells(self) -> list[nbformat.NotebookNode]:
        """The code cells as JupyterLab holds them: source, execution_count, outputs."""
        return [cell for cell in self.notebook().cells if cell.cell_type == "code"]

    def wait_until(self, holds: Callable[[], bool], what: str, seconds=PATIENCE) -> None:
        """Ask `holds` again and again until it does. Raises `TimeoutError` with `what` is wrong where it never does."""
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self.name}: {what}, after {seconds} s")
            self.page.wait_for_timeout(100)

    def wait_until_drawn(self, seconds=PATIENCE) -> None:
        """Wait until all views that are to be seen are drawn. Raises `TimeoutError` that names those that are not."""
        missing = []

        def drawn() -> bool:
            missing[:] = self.check("notDrawn")
            return not missing

        try:
            self.wait_until(drawn, "not drawn", seconds)
        except TimeoutError as error:
            raise TimeoutError(f"{error}: {missing}; {self.errors}") from None

    def reveal_trainings(self) -> None:
        """Press Start, as a learner would, where a cell has trained what nobody has started."""
        veiled = self.page.locator(".attnlab.training.veiled:visible")
        while veiled.count():
            view = veiled.first.element_handle()
            view.query_selector("button.go").click()
            self.page.wait_for_function("(view) => !view.matches('.veiled')", arg=view)
            self.page.mouse.move(0, 0)  # what lies under the pointer is drawn otherwise

    def picture(self, cell: int, output: int) -> bytes:
        """What is drawn of one output, as PNG, once it stands still. `cell` counts all cells, from 0."""
        area = self.page.evaluate_handle(
            """([cell, output]) => {
            const area = jupyterapp.shell.currentWidget.content.widgets[cell].outputArea.widgets[output];
            return area.node.querySelector(".jp-OutputArea-output");
        }""",
            [cell, output],
        ).as_element()
        area.evaluate("(area) => area.scrollIntoView({ block: 'center' })")  # away from the frame of the page
        box = area.bounding_box()
        clip = {"x": box["x"] - 6, "y": box["y"] - 2, "width": box["width"] + 12, "height": box["height"] + 4}
        before = b""
        for _ in range(60):
            before, last = self.page.screenshot(clip=clip), before
            if before == last:
                return before
        raise TimeoutError(f"{self.name}: output {output} of cell {cell} does not stand still")

    def check(self, name: str) -> list:
        """What one of the functions in checks.js says about the page."""
        return self.page.evaluate(f"{CHECKS}\nchecks.{name}()")

    def complaints(self) -> list[str]:
        """Everything that went wrong: failed or unexecuted cells, errors of the page, requests to other machines."""
        found = [f"outside request: {url}" for url in [*self.outside, *self.lab.outside()]]
        found += [error for error in self.errors if not any(quiet in error for quiet in QUIET)]
        for number, cell in enumerate(self.cells(), 1):
            expected = "raises-exception" in cell["metadata"].get("tags", [])
            if cell["execution_count"] is None and cell["source"].strip():
                found.append(f"code cell {number} was not run")
            for output in cell["outputs"]:
                if output["output_type"] == "error" and not expected:
                    found.append(f"code cell {number}: {output['ename']}: {output['evalue']}")
                elif output.get("name") == "stderr":
                    found.append(f"code cell {number} wrote to stderr: {output['text'][:300]}")
        return found

    def ask(self, expression: str, seconds=PATIENCE) -> Any:
        """The value of a Python expression in the notebook's kernel, by way of JSON."""
        source = f"__import__('json').dumps({expression})"
        reply = self._kernel().execute_interactive(
            "", silent=True, store_history=False, user_expressions={"value": source}, timeout=seconds
        )
        value = reply["content"]["user_expressions"]["value"]
        if value["status"] != "ok":
            raise RuntimeError(f"{expression}: {value['ename']}: {value['evalue']}")
        return json.loads(eval(value["data"]["text/plain"]))  # the repr of a str

    def execute(self, source: str, seconds=PATIENCE) -> None:
        """Run statements in the notebook's kernel."""
        reply = self._kernel().execute_interactive(
            source, silent=True, store_history=False, timeout=seconds, output_hook=lambda message: None
        )
        if reply["content"]["status"] != "ok":
            raise RuntimeError(f"{source}: {reply['content']['ename']}: {reply['content']['evalue']}")

    def _kernel(self) -> BlockingKernelClient:
        if self.client is None:
            kernel = self.lab.kernel_of(self.name)
            file = Path(self.lab.environment["JUPYTER_RUNTIME_DIR"]) / f"kernel-{kernel}.json"
            self.client = BlockingKernelClient(connection_file=str(file))
            self.client.load_connection_file()
            self.client.start_channels()
            self.client.wait_for_ready(timeout=PATIENCE)
        return self.client
