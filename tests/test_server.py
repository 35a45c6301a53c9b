"""The server extension, in real Jupyter servers: the socket of a kernel connection is looked at where it lives.

Two servers with a kernel each serve all tests, one with the extension, as the installed wheel brings it, one without.
"""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import pytest
import websocket

import attnlab_server
from attnlab_server.open_lessons import COPIED, FIRST
from lessons.lab import PATIENCE, end, free_port

ROOT = Path(__file__).parent.parent
TOKEN = "a-token-of-the-tests"
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))

# An extension of its own, so that the socket is seen with and without ours.
PROBE = """
import socket
from jupyter_server.base.handlers import APIHandler
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection as Connection
from tornado import web

class Probe(APIHandler):
    @web.authenticated
    def get(self):
        sockets = [c.websocket_handler.ws_connection.stream.socket for c in Connection._open_sockets]
        self.finish({"options": [s.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for s in sockets]})

def _jupyter_server_extension_points():
    return [{"module": "socket_probe"}]

def _load_jupyter_server_extension(app):
    app.web_app.add_handlers(".*$", [(app.web_app.settings["base_url"] + "probe", Probe)])
"""


def environment(tmp_path, config: Path) -> dict:
    (tmp_path / "socket_probe.py").write_text(PROBE, encoding="utf-8")
    return os.environ | {
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
        "JUPYTER_CONFIG_PATH": str(config),
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
        "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}",
    }


class Running(NamedTuple):
    """A Jupyter server without Lab: its URL, the folder of its files, and a kernel that pages may connect to."""

    url: str
    folder: Path
    kernel: str


@contextmanager
def server(folder, config, **extensions):
    """One that reads its configuration from `config`; `extensions` switches some on or off."""
    port, log = free_port(), folder / "server.log"
    off = dict.fromkeys(["jupyterlab", "notebook", "notebook_shim", "jupyter_lsp", "voila.server_extension"], False)
    extensions = off | {"socket_probe": True} | extensions
    command = [
        sys.executable,
        "-m",
        "jupyter_server",
        "--no-browser",
        "--allow-root",
        f"--port={port}",
        "--ServerApp.port_retries=0",
        f"--IdentityProvider.token={TOKEN}",
        f"--ServerApp.root_dir={folder}",
        f"--ServerApp.jpserver_extensions={extensions}",
    ]
    with log.open("w") as out:
        process = subprocess.Popen(command, env=environment(folder, config), stdout=out, stderr=out)
    try:
        url = f"http://127.0.0.1:{port}/"
        wait_for(lambda: get(url + "api/status"), process, log)
        yield Running(url, folder, get(url + "api/kernels", data=b'{"name": "python3"}')["id"])
    finally:
        end(process)


def wait_for(question, process, log, seconds=PATIENCE):
    for _ in range(seconds * 5):
        assert process.poll() is None, log.read_text(encoding="utf-8")
        try:
            return question()
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"no answer after {seconds} s:\n{log.read_text(encoding='utf-8')}")


def get(url, data=None, token=TOKEN):
    request = urllib.request.Request(url, data=data, headers={"Authorization": f"token {token}"})
    with DIRECT.open(request, timeout=PATIENCE) as response:
        return json.load(response)


def kernel_of(server) -> dict:
    """What a server says about its kernel."""
    return get(f"{server.url}api/kernels/{server.kernel}")


def until(question):
    """Waits for something that is bound to become true."""
    while not question():
        time.sleep(0.01)


@contextmanager
def page(server):
    """A page's connection to the server's kernel, open and answering. Afterwards the server has forgotten it."""
    until(lambda: kernel_of(server)["execution_state"] != "busy")  # of a busy kernel the server asks no status
    before = kernel_of(server)["connections"]
    address = f"{server.url.replace('http', 'ws')}api/kernels/{server.kernel}/channels?session_id={uuid4().hex}"
    connection = websocket.create_connection(address, header=[f"Authorization: token {TOKEN}"], timeout=PATIENCE)
    try:
        connection.recv()  # the kernel's status: the connection is made
        yield connection
    finally:
        connection.close()
        until(lambda: kernel_of(server)["connections"] <= before)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", out, ROOT]
    subprocess.run(command, check=True, capture_output=True)
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def prefix(wheel, tmp_path_factory):
    """A folder with nothing in it but the installed wheel."""
    place = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile"]
    command += ["--ignore-installed", "--prefix", place, wheel]  # or pip uninstalls the one that runs us
    subprocess.run(command, check=True, capture_output=True)
    return place


@pytest.fixture(scope="module")
def installed(prefix):
    """Where Jupyter finds the configuration that an installed wheel brings."""
    return prefix / "etc" / "jupyter"


@pytest.fixture(scope="module")
def ours(installed, tmp_path_factory):
    """A server with the extension, switched on by nothing but the installed wheel."""
    with server(tmp_path_factory.mktemp("ours"), installed) as running:
        yield running


@pytest.fixture(scope="module")
def plain(installed, tmp_path_factory):
    """A server without the extension."""
    with server(tmp_path_factory.mktemp("plain"), installed, attnlab_server=False) as running:
        yield running


def test_wheel_carries_the_configuration(wheel):
    files = zipfile.ZipFile(wheel)
    carried = {name.split(".data/data/")[1]: name for name in files.namelist() if ".data/data/" in name}
    assert {"etc/jupyter/jupyter_server_config.d/attnlab_server.json", "etc/jupyter/voila.json"} == set(carried)
    assert all(files.read(name) == (ROOT / place).read_bytes() for place, name in carried.items())


def test_wheel_carries_the_lessons_and_not_what_makes_them(wheel):
    inside = Path("attnlab_server/lessons")
    carried = {
        Path(name).relative_to(inside) for name in zipfile.ZipFile(wheel).namelist() if inside in Path(name).parents
    }
    wanted = {path for pattern in COPIED for path in (ROOT / "lessons").glob(pattern)}
    assert carried == {path.relative_to(ROOT / "lessons") for path in wanted}


def test_installed_wheel_opens_its_lessons(prefix, tmp_path):
    stand_in = tmp_path / "jupyterlab" / "labapp.py"  # for the real one
    stand_in.parent.mkdir()
    (stand_in.parent / "__init__.py").touch()
    stand_in.write_text("class LabApp:\n    launch_instance = print", encoding="utf-8")
    packages = next(prefix.glob("lib/python*/site-packages"))
    mine = tmp_path / "mine"
    found = {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(packages)])}
    run = subprocess.run(
        [prefix / "bin" / "attnlab", mine], env=os.environ | found, cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert f"--ServerApp.root_dir={mine}" in run.stdout
    assert (mine / FIRST).read_bytes() == (ROOT / "lessons" / FIRST).read_bytes()


def test_installed_wheel_makes_a_kernel_connection_send_at_once(ours):
    with page(ours):
        assert get(ours.url + "probe") == {"options": [1]}
        assert get(ours.url + "attnlab/latency") == {"connections": 1, "nodelay": 1}


def test_without_the_extension_the_connection_waits(plain):
    with page(plain):
        assert get(plain.url + "probe") == {"options": [0]}
        with pytest.raises(urllib.error.HTTPError, match="404") as caught:
            get(plain.url + "attnlab/latency")
        caught.value.close()


RESTING = """
import os, time
def rest(seconds=0, file=""):
    time.sleep(seconds)
    while file and not os.path.exists(file):
        time.sleep(0.01)
def opened(comm, _):
    comm.on_msg(lambda message: rest(**message["content"]["data"]))
get_ipython().kernel.comm_manager.register_target("resting", opened)
"""


def send(connection, kind: str, **content) -> str:
    """Sends the kernel a message and returns its id."""
    header = {"msg_id": uuid4().hex, "msg_type": kind, "session": "test", "username": "", "version": "5.3"}
    connection.send(
        json.dumps({"channel": "shell", "header": header, "parent_header": {}, "metadata": {}, "content": content})
    )
    return header["msg_id"]


def states(connection, sent: str) -> Iterator[str]:
    """What the page is told of the kernel's state while it works on the message of this id, to its end."""
    told = ""
    while told != "idle":
        message = json.loads(connection.recv())
        if message["msg_type"] == "status" and message["parent_header"]["msg_id"] == sent:
            told = message["content"]["execution_state"]
            yield told


def open_resting(connection, comm: str):
    """Opens a comm whose kernel side rests for some seconds, or until there is a file, for each message."""
    made = send(connection, "execute_request", code=RESTING, silent=False)
    opened = send(connection, "comm_open", comm_id=comm, target_name="resting", data={})
    assert [*states(connection, made)] == ["busy", "idle"]
    assert [*states(connection, opened)] == ["busy", "idle"]


def test_a_moment_of_work_for_a_widget_is_not_called_busy(ours, plain):
    with page(ours) as connection:
        open_resting(connection, "a")
        assert [*states(connection, send(connection, "comm_msg", comm_id="a", data={}))] == ["idle"]
        sent = send(connection, "comm_msg", comm_id="a", data={"seconds": 1})
        assert [*states(connection, sent)] == ["busy", "idle"]
    with page(plain) as connection:
        open_resting(connection, "a")
        assert [*states(connection, send(connection, "comm_msg", comm_id="a", data={}))] == ["busy", "idle"]


def test_a_page_that_leaves_in_such_a_moment(ours, tmp_path):
    """Another page stays, so the connection that is left closes its sockets: nothing may be sent through them."""
    file = tmp_path / "rested enough"
    with page(ours) as other:
        open_resting(other, "b")
        with page(ours) as leaving:
            sent = send(leaving, "comm_msg", comm_id="b", data={"file": str(file)})
            until(lambda: kernel_of(ours)["execution_state"] == "busy")
        told = states(other, sent)
        assert next(told) == "busy"
        file.touch()
        assert [*told] == ["idle"]
    assert "closed channel" not in (ours.folder / "server.log").read_text(encoding="utf-8")


VIEW = "application/vnd.jupyter.widget-view+json"
LIVE = {VIEW: {"model_id": "abc"}, "text/plain": "Explorer(a < b): The cat reads *sat*."}
WITH_A_PICTURE = {VIEW: {"model_id": "def"}, "text/plain": "Matrix()", "image/png": ""}


def put(server, name: str, **metadata) -> None:
    """Saves a notebook with two live pictures, one of which has a still one beside it."""
    outputs = [
        {"output_type": "display_data", "metadata": {}, "data": data}
        for data in (LIVE, WITH_A_PICTURE, {"text/plain": "2"})
    ]
    cell = {"cell_type": "code", "source": "", "metadata": {}, "execution_count": 1, "outputs": outputs}
    notebook = {"nbformat": 4, "nbformat_minor": 4, "metadata": metadata, "cells": [cell]}
    body = json.dumps({"type": "notebook", "format": "json", "content": notebook}).encode()
    request = urllib.request.Request(server.url + "api/contents/" + name, data=body, method="PUT")
    request.add_header("Authorization", f"token {TOKEN}")
    DIRECT.open(request, timeout=PATIENCE).close()


def shown(server, name: str) -> list[dict]:
    """The outputs that a page gets to see."""
    outputs = get(server.url + "api/contents/" + name)["content"]["cells"][0]["outputs"]
    return [output["data"] for output in outputs]


def test_a_notebook_without_its_kernel_says_what_its_pictures_said(ours):
    put(ours, "yesterday.ipynb")
    live, still, text = shown(ours, "yesterday.ipynb")
    assert live.keys() == {"text/plain", "text/html"}
    assert "Run all cells" in live["text/html"]
    assert "Explorer(a &lt; b): The cat reads *sat*." in live["text/html"]
    assert still.keys() == {"text/plain", "image/png"}
    assert text == {"text/plain": "2"}
    assert VIEW in (ours.folder / "yesterday.ipynb").read_text(encoding="utf-8")  # only the page sees it so


def test_pictures_stay_while_their_kernel_lives(ours, plain):
    put(ours, "today.ipynb")
    os.utime(ours.folder / "today.ipynb", (time.time() - 3600,) * 2)  # before the kernel: another's pictures
    session = {"path": "today.ipynb", "name": "", "type": "notebook", "kernel": {"id": ours.kernel}}
    get(ours.url + "api/sessions", data=json.dumps(session).encode())
    assert VIEW not in shown(ours, "today.ipynb")[0]
    put(ours, "today.ipynb")
    assert shown(ours, "today.ipynb") == [LIVE, WITH_A_PICTURE, {"text/plain": "2"}]
    put(ours, "saved.ipynb", widgets={})  # with the states of its widgets, which need no kernel
    assert VIEW in shown(ours, "saved.ipynb")[0]
    put(plain, "plain.ipynb")
    assert VIEW in shown(plain, "plain.ipynb")[0]


def test_latency_wants_the_token(ours):
    with pytest.raises(urllib.error.HTTPError, match="403") as caught:
        get(ours.url + "attnlab/latency", token="wrong")
    caught.value.close()


def test_status_asks_running_servers(ours, installed, monkeypatch):
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(ours.folder / "runtime"))
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(installed))
    with page(ours):
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # must not be used for a server of this machine
        status = attnlab_server.status()
    assert status.enabled
    assert status.file.name == "attnlab_server.json"
    [seen] = status.servers
    assert seen.active
    assert seen.answer == "active, 1 open kernel connections"


def test_status_names_a_server_without_it(plain, monkeypatch):
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(plain.folder / "runtime"))
    [seen] = attnlab_server.status().servers
    assert seen.active is False
    assert "not loaded" in seen.answer


def test_status_leaves_out_a_server_that_has_ended(ours, tmp_path, monkeypatch):
    """Whose file has stayed."""
    [file] = (ours.folder / "runtime").glob("jpserver-*.json")
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    (tmp_path / file.name).write_text(
        json.dumps(json.loads(file.read_text(encoding="utf-8")) | {"pid": ended.pid}), encoding="utf-8"
    )
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    assert attnlab_server.status().servers == []


def test_a_silent_server_is_not_an_error():
    seen = attnlab_server.ask({"url": f"http://127.0.0.1:{free_port()}/", "token": ""}, timeout=1)
    assert seen.active is None
    assert "no answer" in seen.answer


def test_own_connection_class_is_kept():
    class Own:
        def connect(self):
            return "connected by the gateway"

        class websocket_handler:
            set_nodelay = staticmethod(lambda on: seen.append(on))

    seen = []
    assert attnlab_server.quick(Own)().connect() == "connected by the gateway"
    assert seen == [True]


def test_voila_takes_the_class(installed, tmp_path):
    (tmp_path / "empty.ipynb").write_text(
        '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}', encoding="utf-8"
    )
    program = (
        "from voila.app import Voila; app = Voila(); app.initialize(['empty.ipynb', '--no-browser']);"
        "print(app.kernel_websocket_connection_class.__module__)"
    )
    command = [sys.executable, "-c", program]
    out = subprocess.run(
        command,
        env=environment(tmp_path, installed),
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert out.split() == ["attnlab_server"]


def test_imports_nothing_large():
    program = (
        "import sys, attnlab_server; "
        "print([m for m in ('torch', 'plotly', 'attnlab', 'widgets', 'matplotlib') if m in sys.modules])"
    )
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout == "[]\n"
