"""A saved notebook, opened again: words in place of live pictures whose kernel is gone.

Of a live picture Jupyter saves only its number in the kernel. Opened without that kernel it would be "Error displaying
widget: model not found". So where a page asks the server for a notebook, it gets what each picture said, and how it
comes back. The file stays as it is: while the kernel lives, a page that is loaded again finds all of its pictures.
"""

import inspect
from html import escape
from pathlib import Path
from typing import Any

VIEW = "application/vnd.jupyter.widget-view+json"
GONE = "A live picture stood here. Run all cells to bring it back."
WORDS = "text/plain"


def with_words(base, sessions, kernels) -> Any:
    """A contents manager's `get` like `base`, whose notebooks have words for pictures that no kernel holds.

    `base` itself where it is not asynchronous: the manager then calls it for purposes of its own.
    """
    if not inspect.iscoroutinefunction(base):
        return base

    async def get(path, *args, **named) -> dict:
        model = await base(path, *args, **named)
        if model["type"] == "notebook" and model["content"] is not None:
            begun = await kernel_begun(path, sessions, kernels)
            if begun is None or model["last_modified"].timestamp() < begun:
                put_words(model["content"])
        return model

    return get


async def kernel_begun(path: str, sessions, kernels) -> float | None:
    """When a notebook's kernel was started, in seconds since 1970; None where there is none, 0 where nobody knows."""
    path = path.strip("/")
    if not await sessions.session_exists(path):
        return None
    kernel = (await sessions.get_session(path=path))["kernel"]
    try:  # it is told where to listen by a file that is written when it is started
        return Path(kernels.get_kernel(kernel["id"]).connection_file).stat().st_mtime
    except (AttributeError, KeyError, OSError):
        return 0


def put_words(notebook: dict) -> None:
    """In place of each live picture what it said. A notebook that was saved with its widgets' states keeps them."""
    if "widgets" in notebook["metadata"]:
        return
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if data.pop(VIEW, None) and data.keys() <= {WORDS}:
                words = data.get(WORDS)
                parts = words if isinstance(words, list) else [words]
                said = escape("".join(part for part in parts if isinstance(part, str)))
                data["text/html"] = f"<p><em>{GONE}</em></p><p style='white-space: pre-line'>{said}</p>"
