"""The class's hub on free ports of the loopback, over a temporary folder: what `trial` and `load` have in common.

Hub, proxy and servers are those of `jupyterhub_config.py`. It needs `jupyterhub` (pip) and `configurable-http-proxy`
(npm) beside attnlab.
"""

import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Self

from lessons.lab import PATIENCE, end, free_port

CONFIG = Path(__file__).with_name("jupyterhub_config.py")
ON_FREE_PORTS = """
load_subconfig({config!r})
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{inner}"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy}"
c.Spawner.ip = "127.0.0.1"
c.JupyterHub.services = [{{"name": "trial", "api_token": {token!r}}}]
c.JupyterHub.load_roles = [
    {{"name": "trial", "services": ["trial"], "scopes": ["admin:users", "admin:servers", "access:servers"]}}
]
"""
MISSING = "{} is missing: install it as lessons/classroom/README.md says"


class Hub:
    """A hub with its proxy, for the length of a `with`. `url` is where learners come in, `process` the hub."""

    def __init__(self) -> None:
        here = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # of this very environment
        for program in ("jupyterhub", "configurable-http-proxy"):
            if not shutil.which(program, path=here):
                raise SystemExit(MISSING.format(program))
        self.program = shutil.which("jupyterhub", path=here)
        self.home = Path(tempfile.mkdtemp(prefix="attnlab-class-"))
        self.port, self.token, self.password = free_port(), secrets.token_hex(16), secrets.token_hex(16)
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = self.home / "hub.log"

    def __enter__(self) -> Self:
        config = self.home / "trial.py"
        inner, proxy = free_port(), free_port()
        config.write_text(
            ON_FREE_PORTS.format(config=str(CONFIG), port=self.port, inner=inner, proxy=proxy, token=self.token),
            encoding="utf-8",
        )
        environment = os.environ | {"ATTNLAB_CLASS": str(self.home / "class"), "ATTNLAB_PASSWORD": self.password}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [self.program, "-f", config], cwd=self.home, env=environment, stdout=log, stderr=log
            )
        try:
            self.until(lambda: self.ask("GET", "/hub/api/"), "the hub does not answer")
        except BaseException:
            self.__exit__()
            raise
        return self

    def until(self, holds, what: str) -> Any:
        """Ask again and again until there is an answer. RuntimeError with the hub's last words where none comes."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                if answer := holds():
                    return answer
            except OSError:  # urllib's errors, too
                pass
            time.sleep(0.5)
        raise RuntimeError(f"{what}:\n{self.log.read_text(encoding='utf-8')[-3000:]}")

    def ask(self, method: str, path: str, content: dict | None = None) -> Any:
        """What the hub, or a learner's server by way of the proxy, says to a request."""
        data = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method)
        request.add_header("Authorization", f"token {self.token}")
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read() or "true")

    def log_in(self, name: str, password: str) -> bool:
        """Fill in the form as a learner does; whether they are in. Their server then starts."""
        browser = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor())
        with browser.open(f"{self.url}/hub/login", timeout=PATIENCE) as page:
            hidden = re.search(r'name="_xsrf" value="([^"]+)"', page.read().decode())[1]
        form = urllib.parse.urlencode({"_xsrf": hidden, "username": name, "password": password}).encode()
        try:
            with browser.open(f"{self.url}/hub/login", form, timeout=PATIENCE) as page:
                return "/hub/spawn" in page.url or f"/user/{name}/" in page.url
        except urllib.error.HTTPError as error:
            error.close()
            return False

    def seat(self, name: str) -> None:
        """A learner of this name, with a running server."""
        if not self.log_in(name, self.password):
            raise RuntimeError(f"{name} does not get in")
        what = f"the server of {name} does not start"
        self.until(lambda: self.ask("GET", f"/hub/api/users/{name}")["servers"].get("", {}).get("ready"), what)

    def __exit__(self, *_) -> None:
        end(self.process, 60)  # the hub ends its proxy and all servers
        shutil.rmtree(self.home, ignore_errors=True)
