"""Whether all is there that attnlab imports: else a sentence, where Python would only name a module.

Imported before anything else: it imports nothing that may be missing, and older versions of Python can read it, too.
"""

import sys
from importlib.util import find_spec

NEEDED = ("torch", "numpy", "jaxtyping", "filelock", "platformdirs")

if sys.version_info < (3, 11):  # noqa: UP036
    raise ImportError("attnlab needs Python 3.11 or newer; this is " + sys.version.split()[0] + ", " + sys.executable)

missing = [name for name in NEEDED if find_spec(name) is None]
if missing:
    raise ModuleNotFoundError(
        f"{', '.join(missing)} missing: the installation did not finish. "
        f"In the folder of attnlab: {sys.executable} -m pip install -c constraints.txt -e ."
    )
