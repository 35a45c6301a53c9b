"""The server extension, in real Jupyter servers: the socket of a kernel connection is looked at where it lives."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest
import websocket

import attnlab_server

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


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def environment(tmp_path, config: Path) -> dict:
    (tmp_path / "socket_probe.py").write_text(PROBE)
    return os.environ | {
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"), "JUPYTER_CONFIG_PATH": str(config),
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"), "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}",
    }


@contextmanager
def server(tmp_path, config=ROOT / "etc" / "jupyter", **extensions):
    """A Jupyter server without Lab; yields its URL."""
    port = free_port()
    off = dict.fromkeys(["jupyterlab", "notebook", "notebook_shim", "jupyter_lsp", "voila.server_extension"], False)
    extensions = off | {"socket_probe": True} | extensions
    command = [sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root", f"--port={port}",
               "--ServerApp.port_retries=0", f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={tmp_path}",
               f"--ServerApp.jpserver_extensions={extensions}"]
    log = tmp_path / "server.log"
    with log.open("w") as out:
        process = subprocess.Popen(command, env=environment(tmp_path, config), stdout=out, stderr=out)
    try:
        url = f"http://127.0.0.1:{port}/"
        wait_for(lambda: get(url + "api/status"), process, log)
        yield url
    finally:
        process.terminate()
        process.wait(30)


def wait_for(question, process, log, seconds=60):
    for _ in range(seconds * 5):
        assert process.poll() is None, log.read_text()
        try:
            return question()
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"no answer after {seconds} s:\n{log.read_text()}")


def get(url, data=None, token=TOKEN):
    request = urllib.request.Request(url, data=data, headers={"Authorization": f"token {token}"})
    with DIRECT.open(request, timeout=5) as response:
        return json.load(response)


@contextmanager
def page(url, kernel_id, session="test"):
    """A page's connection to a kernel, open and answering."""
    address = url.replace("http", "ws") + f"api/kernels/{kernel_id}/channels?session_id={session}"
    connection = websocket.create_connection(address, header=[f"Authorization: token {TOKEN}"], timeout=30)
    try:
        connection.recv()  # the kernel's status: the connection is made
        yield connection
    finally:
        connection.close()


@contextmanager
def kernel(url):
    """A new kernel and a page's connection to it."""
    with page(url, get(url + "api/kernels", data=b'{"name": "python3"}')["id"]) as connection:
        yield connection


def test_kernel_connection_sends_at_once(tmp_path):
    with server(tmp_path) as url, kernel(url):
        assert get(url + "probe") == {"options": [1]}
        assert get(url + "attnlab/latency") == {"connections": 1, "nodelay": 1}


def test_without_the_extension_the_connection_waits(tmp_path):
    with server(tmp_path, attnlab_server=False) as url, kernel(url):
        assert get(url + "probe") == {"options": [0]}
        with pytest.raises(urllib.error.HTTPError, match="404") as caught:
            get(url + "attnlab/latency")
        caught.value.close()


RESTING = """
import time
def opened(comm, _):
    comm.on_msg(lambda message: time.sleep(message["content"]["data"]["seconds"]))
get_ipython().kernel.comm_manager.register_target("resting", opened)
"""


def send(connection, kind: str, **content) -> str:
    """Sends the kernel a message and returns its id."""
    header = {"msg_id": kind + repr(content), "msg_type": kind, "session": "test", "username": "", "version": "5.3"}
    connection.send(json.dumps({"channel": "shell", "header": header, "parent_header": {}, "metadata": {},
                                "content": content}))
    return header["msg_id"]


def states(connection, kind: str, **content) -> list[str]:
    """What the page is told of the kernel's state while it works on one message."""
    sent, told = send(connection, kind, **content), []
    while told[-1:] != ["idle"]:
        message = json.loads(connection.recv())
        if message["msg_type"] == "status" and message["parent_header"]["msg_id"] == sent:
            told.append(message["content"]["execution_state"])
    return told


def test_a_moment_of_work_for_a_widget_is_not_called_busy(tmp_path):
    with server(tmp_path) as url, kernel(url) as connection:
        assert states(connection, "execute_request", code=RESTING, silent=False) == ["busy", "idle"]
        assert states(connection, "comm_open", comm_id="a", target_name="resting", data={}) == ["busy", "idle"]
        assert states(connection, "comm_msg", comm_id="a", data={"seconds": 0}) == ["idle"]
        assert states(connection, "comm_msg", comm_id="a", data={"seconds": 1}) == ["busy", "idle"]
    with server(tmp_path, attnlab_server=False) as url, kernel(url) as connection:
        states(connection, "execute_request", code=RESTING, silent=False)
        states(connection, "comm_open", comm_id="a", target_name="resting", data={})
        assert states(connection, "comm_msg", comm_id="a", data={"seconds": 0}) == ["busy", "idle"]


def test_a_page_that_leaves_in_such_a_moment(tmp_path):
    """Another page stays, so the connection that is left closes its sockets: nothing may be sent through them."""
    with server(tmp_path) as url:
        made = get(url + "api/kernels", data=b'{"name": "python3"}')["id"]
        with page(url, made, "stays") as other, page(url, made) as leaving:
            states(other, "execute_request", code=RESTING, silent=False)
            states(other, "comm_open", comm_id="a", target_name="resting", data={})
            send(leaving, "comm_msg", comm_id="a", data={"seconds": 0.5})
            time.sleep(0.05)
            leaving.close()
            time.sleep(0.5)
            assert get(url + "api/kernels")[0]["connections"] == 1
        assert "closed channel" not in (tmp_path / "server.log").read_text()


def test_latency_wants_the_token(tmp_path):
    with server(tmp_path) as url:
        with pytest.raises(urllib.error.HTTPError, match="403") as caught:
            get(url + "attnlab/latency", token="wrong")
        caught.value.close()


def test_status_asks_running_servers(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(ROOT / "etc" / "jupyter"))
    with server(tmp_path) as url, kernel(url):
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # must not be used for a server of this machine
        status = attnlab_server.status()
        assert status.enabled
        assert status.file.name == "attnlab_server.json"
        [seen] = status.servers
        assert seen.active
        assert seen.answer == "active, 1 open kernel connections"
    assert attnlab_server.status().servers == []


def test_status_names_a_server_without_it(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    with server(tmp_path, attnlab_server=False):
        [seen] = attnlab_server.status().servers
    assert seen.active is False
    assert "not loaded" in seen.answer


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


def test_voila_takes_the_class(tmp_path):
    (tmp_path / "empty.ipynb").write_text('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    program = ("from voila.app import Voila; app = Voila(); app.initialize(['empty.ipynb', '--no-browser']);"
               "print(app.kernel_websocket_connection_class.__module__)")
    command = [sys.executable, "-c", program]
    out = subprocess.run(command, env=environment(tmp_path, ROOT / "etc" / "jupyter"), cwd=tmp_path, check=True,
                         capture_output=True, text=True).stdout
    assert out.split() == ["attnlab_server"]


def test_imports_nothing_large():
    program = ("import sys, attnlab_server; "
               "print([m for m in ('torch', 'plotly', 'attnlab', 'widgets', 'matplotlib') if m in sys.modules])")
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout == "[]\n"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", out, ROOT]
    subprocess.run(command, check=True, capture_output=True)
    return next(out.glob("*.whl"))


def test_wheel_carries_the_configuration(wheel):
    names = {n.split(".data/data/")[1]: n for n in zipfile.ZipFile(wheel).namelist() if ".data/data/" in n}
    assert {"etc/jupyter/jupyter_server_config.d/attnlab_server.json", "etc/jupyter/voila.json"} == set(names)


def test_installed_wheel_switches_it_on(wheel, tmp_path):
    place = tmp_path / "installed"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
               "--ignore-installed", "--prefix", place, wheel]  # or pip uninstalls the one that runs us
    subprocess.run(command, check=True, capture_output=True)
    with server(tmp_path, config=place / "etc" / "jupyter") as url, kernel(url):
        assert get(url + "probe") == {"options": [1]}
