"""CONTRIBUTING.md's examples, word for word: their places are there; with `-m recipes` what they name is green."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from recipes import Step, follow, missing, recipes

ROOT = Path(__file__).resolve().parents[1]
RECIPES = recipes((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
ALL = pytest.mark.parametrize("recipe", RECIPES.values(), ids=lambda recipe: recipe.name.split(",")[0])


def test_five_recipes_have_an_example():
    names = ["A score, a mask, a position code, a task", "An explorer", "A lesson", "An exercise", "An instrument"]
    assert list(RECIPES) == names


@ALL
def test_places_are_there_and_commands_call_what_is_there(recipe, tmp_path):
    for path in {step.path for step in recipe.steps if step.side != "new"}:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, tmp_path / path)
    for step in recipe.steps:
        follow(step, tmp_path)
        if step.path.endswith(".py"):
            ast.parse((tmp_path / step.path).read_text(encoding="utf-8"))
    assert any(command.startswith("pytest ") for command in recipe.commands)
    for command in recipe.commands:
        assert not [path for path in missing(command, ROOT) if missing(path, tmp_path)], command


@pytest.mark.recipes
@pytest.mark.browser
@pytest.mark.timeout(3600)
@ALL
def test_as_it_is_written(recipe, tmp_path):
    """In a copy of the project, which its own files import: nothing of the one that is installed."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tmp_path / name)
    if (ROOT / ".mypy_cache").exists():
        shutil.copytree(ROOT / ".mypy_cache", tmp_path / ".mypy_cache")  # it knows by times what is new
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    for step in recipe.steps:
        follow(step, tmp_path)
    subprocess.run("git init -q && git add -A", shell=True, cwd=tmp_path, check=True)  # what belongs to it
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": tools, "PYTHONPATH": str(tmp_path)}
    for command in recipe.commands:
        run = subprocess.run(command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert run.returncode == 0, f"{command}\n{run.stdout[-6000:]}\n{run.stderr[-3000:]}"


PAGE = """## One
In `a.py`, below `TABLE = {`:

```python
    "two": 2,
```

```sh
pytest tests/test_a.py
```

## Two
Only words.
"""


def test_a_page_is_read():
    assert recipes(PAGE) == {
        "One": ("One", [Step("a.py", "below", "TABLE = {", '    "two": 2,\n')], ["pytest tests/test_a.py"])
    }


def test_a_block_without_a_place_is_named():
    with pytest.raises(ValueError, match='One: a block without a place: \'    "two"'):
        recipes(PAGE.replace("below", "somewhere near"))


@pytest.mark.parametrize("text", ["", "TABLE = {\nTABLE = {\n"])
def test_a_place_that_is_not_there_or_not_alone_is_named(tmp_path, text):
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"a.py: expected one line that begins with 'TABLE = \{', got [02]"):
        follow(Step("a.py", "below", "TABLE = {", "x"), tmp_path)


def test_a_new_file_is_new(tmp_path):
    step = Step("b/c.py", "new", "", "x = 1\n")
    follow(step, tmp_path)
    assert (tmp_path / "b" / "c.py").read_text(encoding="utf-8") == "x = 1\n"
    with pytest.raises(ValueError, match=r"b/c.py is no new file"):
        follow(step, tmp_path)
