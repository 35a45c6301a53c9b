"""Sliders without the 40 ms: a server extension that sends small kernel messages at once.

Jupyter leaves Nagle's algorithm on for the connection between page and kernel, so that each small update of a widget
waits for an acknowledgement. An ordinary install switches this extension on, by
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

PATH = "attnlab/latency"


def without_delay(base):
    """A kernel connection class like `base` whose messages leave at once."""

    class NoDelayConnection(base):
        def connect(self):
            try:
                self.websocket_handler.set_nodelay(True)
            except Exception:  # a slower connection is better than none
                self.log.warning("attnlab: small messages may wait, TCP_NODELAY could not be set", exc_info=True)
            return super().connect()

    return NoDelayConnection


# Voila loads no server extension; its configuration names this class.
NoDelayConnection = without_delay(ZMQChannelsWebsocketConnection)


def _jupyter_server_extension_points():
    return [{"module": "attnlab_server"}]


def _load_jupyter_server_extension(app):
    settings = app.web_app.settings
    # What is there may be a gateway's or a user's own class: it is kept, as the base.
    settings["kernel_websocket_connection_class"] = without_delay(settings["kernel_websocket_connection_class"])
    app.web_app.add_handlers(".*$", [(url_path_join(settings["base_url"], PATH), Latency)])


class Latency(APIHandler):
    """GET <base>/attnlab/latency -> how many kernel connections are open, and how many of them send at once."""

    auth_resource = "kernels"

    @web.authenticated
    def get(self):
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
