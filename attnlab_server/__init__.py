"""Sliders without the 40 ms: a server extension that sends small kernel messages at once. And notebooks that are opened
again say what became of their live pictures (`reopened.py`).

Jupyter leaves Nagle's algorithm on for the connection between page and kernel, so that each small update of a widget
waits for an acknowledgement. And around each of them it tells the page that the kernel is busy and idle again, for
which JupyterLab draws its toolbar twice, in the time of one picture: a moment of work for a widget is not told here.

An ordinary install switches this extension on, by
`etc/jupyter/jupyter_server_config.d/attnlab_server.json` (JupyterLab, Notebook) and `etc/jupyter/voila.json` (Voila).
`status()` says whether it is active. It lives in the server's process, so it imports nothing large.
"""

import json
import socket
import urllib.error
import urllib.request
from pathlib import Path
from typing import NamedTuple

from jupyter_server.base.handlers import APIHandler
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.utils import url_path_join
from tornado import web
from tornado.ioloop import IOLoop

from attnlab_server.reopened import with_words

PATH = "attnlab/latency"
MOMENT = 0.1  # seconds of work for a widget after which the page learns that the kernel is busy


def without_delay(base) -> type:
    """A kernel connection class like `base` whose messages leave at once."""

    class NoDelayConnection(base):
        def connect(self) -> object:
            try:
                self.websocket_handler.set_nodelay(True)
            except Exception:  # a slower connection is better than none
                self.log.warning("attnlab: small messages may wait, TCP_NODELAY could not be set", exc_info=True)
            return super().connect()

    return NoDelayConnection


def without_moments(base) -> type:
    """A kernel connection class like `base` that calls a kernel busy only once a widget's work has taken a while.

    `base` itself where its messages come by another way, as from a gateway.
    """
    if not issubclass(base, ZMQChannelsWebsocketConnection):
        return base

    class QuietConnection(base):
        def __init__(self, *args, **kwargs) -> None:
            super().__init__(*args, **kwargs)
            self._moments = {}  # by the id of a widget's message: the timer that will tell the page "busy"

        def handle_outgoing_message(self, stream, outgoing_msg) -> None:
            request, state = work_for_a_widget(self.session, stream, outgoing_msg)
            if state == "busy":
                tell = super().handle_outgoing_message
                self._moments[request] = IOLoop.current().call_later(MOMENT, tell, stream, outgoing_msg)
                return
            if request in self._moments:
                IOLoop.current().remove_timeout(self._moments.pop(request))
            super().handle_outgoing_message(stream, outgoing_msg)

        def disconnect(self) -> None:
            while self._moments:
                IOLoop.current().remove_timeout(self._moments.popitem()[1])
            super().disconnect()

    return QuietConnection


def work_for_a_widget(session, stream, message: list[bytes]) -> tuple[str | None, str | None]:
    """Of which widget's message (its id) a kernel's message says that work begins ("busy") or ends ("idle").

    (None, None) for all others. The "idle" must always reach the page, which counts on one for each of its messages.
    """
    if getattr(stream, "channel", stream) == "iopub":
        _, (_, header, parent, _, content, *_) = session.feed_identities(message)
        parent = session.unpack(parent)
        if parent.get("msg_type") == "comm_msg" and session.unpack(header)["msg_type"] == "status":
            return parent["msg_id"], session.unpack(content)["execution_state"]
    return None, None


def quick(base) -> type:
    """A kernel connection class like `base` for pages on which widgets follow the hand."""
    return without_delay(without_moments(base))


# Voila loads no server extension; its configuration names this class.
QuickConnection = quick(ZMQChannelsWebsocketConnection)


def _jupyter_server_extension_points() -> list[dict]:
    return [{"module": "attnlab_server"}]


def _load_jupyter_server_extension(app) -> None:
    settings = app.web_app.settings
    # What is there may be a gateway's or a user's own class: it is kept, as the base.
    settings["kernel_websocket_connection_class"] = quick(settings["kernel_websocket_connection_class"])
    app.web_app.add_handlers(".*$", [(url_path_join(settings["base_url"], PATH), Latency)])


async def _start_jupyter_server_extension(app) -> None:
    """Called when all extensions are loaded: one of them may have put another contents manager in place."""
    settings = app.web_app.settings
    contents = settings["contents_manager"]
    contents.get = with_words(contents.get, settings["session_manager"], settings["kernel_manager"])


class Latency(APIHandler):
    """GET <base>/attnlab/latency -> how many kernel connections are open, and how many of them send at once."""

    auth_resource = "kernels"

    @web.authenticated
    def get(self) -> None:
        connections = list(ZMQChannelsWebsocketConnection._open_sockets)
        self.finish({"connections": len(connections), "nodelay": sum(map(sends_at_once, connections))})


def sends_at_once(connection) -> bool:
    """Whether the operating system sends this connection's small messages without waiting."""
    stream = getattr(connection.websocket_handler.ws_connection, "stream", None)
    if stream is None or stream.socket is None:
        return False
    if stream.socket.family not in (socket.AF_INET, socket.AF_INET6):
        return True  # a local socket never waits
    return bool(stream.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))


class Server(NamedTuple):
    """A running Jupyter server. `active` is None where it could not be asked; `answer` says it in words."""

    url: str
    active: bool | None
    answer: str


class Status(NamedTuple):
    """`enabled`: a server that starts now would load the extension; `file`: where Jupyter reads that."""

    enabled: bool
    file: Path | None
    servers: list[Server]


def status(timeout: float = 2.0) -> Status:
    """What is installed and what each running server of this user says, waiting at most `timeout` seconds for each."""
    from jupyter_core.paths import jupyter_config_path
    from jupyter_server.extension.config import ExtensionConfigManager
    from jupyter_server.serverapp import list_running_servers

    folders = jupyter_config_path()
    files = [Path(folder) / "jupyter_server_config.d" / "attnlab_server.json" for folder in folders]
    enabled = bool(ExtensionConfigManager(read_config_path=folders).enabled("attnlab_server"))
    servers = [ask(info, timeout) for info in list_running_servers()]
    return Status(enabled, next(filter(Path.is_file, files), None), servers)


def ask(info: dict, timeout: float) -> Server:
    """Ask one server of `list_running_servers` whether it sends at once."""
    url = info["url"]
    request = urllib.request.Request(url_path_join(url, PATH), headers={"Authorization": f"token {info['token']}"})
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # never send a token to a proxy
    try:
        with direct.open(request, timeout=timeout) as response:
            seen = json.load(response)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 404:
            return Server(url, False, "the extension is not loaded; restart the server after installing attnlab")
        return Server(url, None, f"the server did not let us ask (HTTP {error.code})")
    except (OSError, ValueError) as error:
        return Server(url, None, f"no answer: {error}")
    if seen["nodelay"] < seen["connections"]:
        return Server(url, False, f"{seen['connections'] - seen['nodelay']} of {seen['connections']} connections wait")
    return Server(url, True, f"active, {seen['connections']} open kernel connections")
