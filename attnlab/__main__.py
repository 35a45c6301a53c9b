"""`python -m attnlab`: what is installed, whether sliders will answer, and what to do about what is missing."""

import json
import os
import platform
import re
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import torch

from attnlab.exercises.progress import home
from attnlab.training import device

LAB_EXTENSIONS = {"@jupyter-widgets/jupyterlab-manager": "ipywidgets", "anywidget": "anywidget"}
"""The browser side of our views: JupyterLab's extension, and the Python package that brings it."""


PIP, JUPYTER = f"{sys.executable} -m pip", f"{sys.executable} -m jupyter"  # of this very Python
JUPYTERLAB = f"Install JupyterLab: {PIP} install -c constraints.txt jupyterlab"
FIRST = Path("lessons/00_start_here.ipynb")
"""In a copy of the project. Who installed the package alone has the command `attnlab`, which brings the lessons."""


class Finding(NamedTuple):
    """One line of the report. `advice` is what to do about it, None where nothing is missing."""

    name: str
    value: str
    advice: str | None = None


def numbers(version: str) -> tuple[int, ...]:
    """`"2.13.0+cpu"` -> `(2, 13, 0)`."""
    return tuple(int(part) for part in begins(r"[\d.]*\d", version)[0].split("."))


def begins(pattern: str, text: str) -> re.Match[str]:
    """The start of a text that Python's packaging has written, which is known to be of this form."""
    found = re.match(pattern, text)
    if found is None:
        raise ValueError(f"expected a text that begins as {pattern}, got {text!r}")
    return found


def machine() -> Iterator[Finding]:
    """Python, device and threads."""
    yield Finding("Python", f"{platform.python_version()} ({sys.executable})")
    kind = device()
    name = torch.cuda.get_device_name() if kind.type == "cuda" else platform.machine()
    yield Finding("device", f"{kind.type} ({name})")
    yield Finding("threads", f"torch uses {torch.get_num_threads()} of {os.cpu_count()} cores")


def packages() -> Iterator[Finding]:
    """attnlab and everything that it declares to need."""
    try:
        needs = metadata.requires("attnlab") or []
        yield Finding("attnlab", metadata.version("attnlab"))
    except metadata.PackageNotFoundError:
        yield Finding("attnlab", "not installed", f"Install it from its folder: {PIP} install -c constraints.txt -e .")
        return
    for need in needs:
        if "extra ==" not in need:
            yield package(*begins(r"([\w.-]+)\s*(?:>=([\d.]+))?", need).groups())


def package(name: str, least: str | None) -> Finding:
    """One package: its version, and whether it is at least the one we ask for."""
    advice = f'Install it: {PIP} install -c constraints.txt "{name}{f">={least}" if least else ""}"'
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return Finding(name, "missing", advice)
    if least and numbers(version) < numbers(least):
        return Finding(name, f"{version}, older than {least}", advice)
    return Finding(name, version)


def browser_side() -> Iterator[Finding]:
    """Whether JupyterLab will find the scripts that draw our views. Looks at files only; no server is asked."""
    try:
        from jupyter_core.paths import jupyter_config_path, jupyter_path
    except ImportError:
        yield Finding("browser side", "no Jupyter", JUPYTERLAB)
        return
    pages = [Path(folder) / "labconfig" / "page_config.json" for folder in jupyter_config_path()]
    off = [name for page in pages if page.is_file() for name in disabled(json.loads(page.read_text(encoding="utf-8")))]
    for name, package in LAB_EXTENSIONS.items():
        line = f"{package} in the page"
        found = [Path(folder) / name / "package.json" for folder in jupyter_path("labextensions")]
        file = next(filter(Path.is_file, found), None)
        if file is None:
            yield Finding(line, "missing", f"Install it where JupyterLab is: {PIP} install --force-reinstall {package}")
        elif any(name == entry or entry.startswith(f"{name}:") for entry in off):
            yield Finding(line, "switched off", f"Switch it on: {JUPYTER} labextension enable {name}")
        else:
            yield Finding(line, f"{json.loads(file.read_text(encoding='utf-8'))['version']}, found and switched on")


def disabled(page: dict) -> list[str]:
    """Names that one of JupyterLab's page_config.json files switches off; it may be a list or a table."""
    entries = page.get("disabledExtensions", {})
    return [name for name in entries if not isinstance(entries, dict) or entries[name]]


def low_latency() -> Iterator[Finding]:
    """Whether the server sends small messages at once; without it every slider is 40 ms late."""
    try:
        import attnlab_server
    except ImportError:
        yield Finding("low latency", "no Jupyter server here", JUPYTERLAB)
        return
    status = attnlab_server.status()
    if status.enabled:
        yield Finding("low latency", f"switched on ({status.file})")
    else:
        yield Finding("low latency", "switched off", f"Switch it on: {JUPYTER} server extension enable attnlab_server")
    for server in status.servers:
        restart = "Restart that server, so that sliders answer 40 ms sooner." if server.active is False else None
        yield Finding("running server", f"{server.url}: {server.answer}", restart)


def progress() -> Iterator[Finding]:
    """Where the learner's progress lies, and whether it can be written there."""
    folder = home()
    existing = next(place for place in [folder, *folder.parents] if place.exists())
    writable = existing.is_dir() and os.access(existing, os.W_OK)
    advice = "Nothing can be written there: set ATTNLAB_HOME to a folder of yours."
    yield Finding("progress", str(folder), None if writable else advice)


def report() -> list[Finding]:
    """Every line, from the machine to the learner's folder."""
    return [line for part in (machine, packages, browser_side, low_latency, progress) for line in part()]


def main() -> int:
    """Print the report. 0: all there; 1: something is missing, and said what to do."""
    findings = report()
    width = max(len(finding.name) for finding in findings)
    print("\n".join(f"{finding.name:{width}}  {finding.value}" for finding in findings))
    missing = [finding for finding in findings if finding.advice]
    for finding in missing:
        print(f"\n{finding.name}: {finding.value}.\n    {finding.advice}")
    if not missing:
        print(f"\nAll there. Open the first lesson: {f'{JUPYTER} lab {FIRST}' if FIRST.exists() else 'attnlab'}")
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main())
