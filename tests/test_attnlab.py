import subprocess
import sys

import attnlab

FOREIGN = {"widgets", "ipywidgets", "anywidget", "plotly", "IPython", "matplotlib"}


def test_torch_only():
    """In a fresh interpreter, since the tests have imported everything by now."""
    code = """
        import importlib, pkgutil, sys
        import attnlab
        names = [name for _, name, _ in pkgutil.walk_packages(attnlab.__path__, "attnlab.") if "__main__" not in name]
        print(*map(importlib.import_module, names) and sys.modules)
    """
    imported = subprocess.run([sys.executable, "-c", "\n".join(map(str.strip, code.splitlines()))],
                              capture_output=True, text=True, check=True).stdout.split()
    assert "attnlab.seq2seq" in imported
    assert not FOREIGN & set(imported)


def test_the_map_names_what_is_there():
    for name in attnlab.__all__:
        assert getattr(attnlab, name) is not None
