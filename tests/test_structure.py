"""Where every line lives: who may import whom, what explorers leave to attnlab, and where each module's test lies.

Read from the sources alone, nothing is imported. Each rule takes the root of a tree and yields what is wrong in it.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import normpath

import pytest

ROOT = Path(__file__).resolve().parents[1]

# What the files of a room may import of attnlab and widgets: names that fit whole, a thing of a module included.
ATTNLAB = r"attnlab(\.[a-z]\w*)*(\.\w+)?"
BASE = r"widgets\.base\.\w+(\.\w+)?"
INSTRUMENTS = r"widgets\.instruments\.\w+\.\w+(\.\w+)?"
ROOMS = {
    "lessons/sources": r"widgets\.\w+|attnlab(\.(tasks|analysis|vision))?(\.[a-z]\w*)?(\.[A-Za-z]\w*)?",
    "widgets/base": BASE,
    "widgets/instruments": rf"{BASE}|{INSTRUMENTS}",
    "widgets/explorers": rf"{BASE}|{INSTRUMENTS}|widgets\.explorers\.LESSON\.\w+\.\w+|{ATTNLAB}",
}
PACKAGES_NOT_FOR = {
    "attnlab": {"widgets", "lessons", "ipywidgets", "anywidget", "plotly", "IPython", "traitlets", "matplotlib"},
    "widgets": {"lessons", "attnlab_server", "tests", "benchmarks"},
    "attnlab_server": {"attnlab", "widgets", "lessons", "torch", "numpy", "plotly", "ipywidgets", "anywidget"},
}
GRADIENTS = r"autograd|backward|requires_grad_?|vjp|jvp|jacrev|jacfwd|hessian|linalg|lstsq"
LOSSES = r"\w*cross_entropy\w*|(nll|mse|l1|smooth_l1|huber|bce)_loss|kl_div|[A-Z]\w*Loss"
ONE_TEST_FOR_ALL = (
    "attnlab/exercises",
    "attnlab/huggingface",
    "attnlab/tasks",
    "attnlab/trained",
)  # entries of a table
ARE_TESTS = "attnlab/specs/"  # what the tests compare with


def sources(root: Path, folder: str) -> Iterator[tuple[str, ast.Module]]:
    """Place and tree of each Python file below a folder."""
    for path in sorted((root / folder).rglob("*.py")):
        yield path.relative_to(root).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.Module) -> Iterator[str]:
    """The full name of each thing that a file imports, wherever in the file; a relative one begins with dots."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        if isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module or ''}.{name.name}" for name in node.names)


def wrong_packages(root: Path) -> Iterator[str]:
    """attnlab knows no view, views know no lesson, the server extension knows neither."""
    for folder, packages in PACKAGES_NOT_FOR.items():
        for place, tree in sources(root, folder):
            yield from (f"{place} imports {name}" for name in imported(tree) if name.partition(".")[0] in packages)


def wrong_floors(root: Path) -> Iterator[str]:
    """Lessons come in by the front doors; explorers -> instruments -> base; attnlab is the explorers' alone."""
    for folder, allowed in ROOMS.items():
        for place, tree in sources(root, folder):
            own = allowed.replace("LESSON", place.split("/")[2])
            inside = [name for name in imported(tree) if re.match(r"\.|(attnlab|widgets)\b", name)]
            yield from (f"{place} imports {name}" for name in inside if not re.fullmatch(own, name))


def side_doors(root: Path) -> Iterator[str]:
    """What attnlab's front door hands out, lessons take there: one name, one way to it."""
    door = root / "attnlab" / "__init__.py"
    handed_out = imported(ast.parse(door.read_text(encoding="utf-8"))) if door.exists() else ()
    homes = {name for name in handed_out if name.startswith("attnlab.")}
    for place, tree in sources(root, "lessons/sources"):
        yield from (f"{place} imports {name} by a side door" for name in imported(tree) if name in homes)


def computing_explorers(root: Path) -> Iterator[str]:
    """Gradients, linear algebra, losses and layers belong to attnlab.analysis, where they are named and tested."""
    for place, tree in sources(root, "widgets/explorers"):
        used = {part for name in imported(tree) for part in name.split(".")}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                used.add(node.attr)
            if isinstance(node, ast.ClassDef) and any(
                re.fullmatch(r"(torch\.)?nn\.\w+|Module", ast.unparse(base)) for base in node.bases
            ):
                yield f"{place} defines a layer, {node.name}"
        yield from (f"{place} uses {name}" for name in used if re.fullmatch(f"{GRADIENTS}|{LOSSES}", name))


def homes_of_tests(place: str) -> list[str]:
    """Where the tests of a module lie: in the same room below tests/, an instrument's in the browser as well."""
    folder, _, file = place.removesuffix(".py").rpartition("/")
    if room := next((room for room in ONE_TEST_FOR_ALL if f"{folder}/".startswith(f"{room}/")), ""):
        folder, file = room, room.rpartition("/")[2]
    if folder.startswith("widgets/instruments/"):
        folder, _, file = folder.rpartition("/")
        return [f"tests/{folder}/test_{file}.py", f"tests/browser/test_{file}.py"]
    return [f"tests/{folder}/test_{file.strip('_')}.py"]


def missing_tests(root: Path) -> Iterator[str]:
    """Each module has its test, and each explorer's test its module."""
    modules = [
        place
        for folder in ("attnlab", "widgets")
        for place, _ in sources(root, folder)
        if not place.endswith("__init__.py") and not place.startswith(ARE_TESTS)
    ]
    expected = {test: place for place in modules for test in homes_of_tests(place)}
    yield from (f"{place} has no {test}" for test, place in expected.items() if not (root / test).exists())
    there = [place for place, _ in sources(root, "tests/widgets/explorers")]
    yield from (
        f"{test} tests no module" for test in there if test not in expected and not test.endswith("/conftest.py")
    )


def encodings_left_to_the_machine(root: Path) -> Iterator[str]:
    """Texts are UTF-8, and whoever reads or writes one says so: on Windows the default is another."""
    for folder in (*PACKAGES_NOT_FOR, "lessons", "benchmarks", "tests"):
        for place, tree in sources(root, folder):
            for node in ast.walk(tree):
                name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
                if name in ("read_text", "write_text") and "encoding" not in {word.arg for word in node.keywords}:
                    yield f"{place} has {name} without an encoding"


def scripts(root: Path) -> dict[str, list[str]]:
    """Of each script of the views those that it imports, by place; not the bundles, which are built from them."""
    found = {}
    for path in sorted(path for room in ("base", "instruments") for path in (root / "widgets" / room).rglob("*.js")):
        taken = re.findall(r"""from\s+["'](\.[^"']+)["']""", path.read_text(encoding="utf-8"))
        place = path.relative_to(root).as_posix()
        found[place] = [normpath(f"{place}/../{name}") for name in taken]
    return found


def wrong_scripts(root: Path) -> Iterator[str]:
    """Scripts of the base know no instrument, and no script imports itself by way of others."""
    imports = scripts(root)
    for place, others in imports.items():
        if place.startswith("widgets/base/"):
            yield from (f"{place} imports {other}" for other in others if not other.startswith("widgets/base/"))
        reached, waiting = set(), list(others)
        while waiting:
            other = waiting.pop()
            if other not in reached:
                reached.add(other)
                waiting += imports.get(other, [])
        if place in reached:
            yield f"{place} imports itself"


RULES = [
    wrong_packages,
    wrong_floors,
    wrong_scripts,
    side_doors,
    computing_explorers,
    encodings_left_to_the_machine,
    missing_tests,
]


@pytest.mark.parametrize("rule", RULES)
def test_the_house_is_in_order(rule):
    assert list(rule(ROOT)) == []


EXPLORER = "widgets/explorers/l01_bottleneck/recall.py"


@pytest.mark.parametrize(
    ("rule", "place", "text", "complaint"),
    [
        (wrong_packages, "attnlab/masks.py", "import plotly.graph_objects", "imports plotly.graph_objects"),
        (wrong_packages, "attnlab_server/__init__.py", "def f():\n    import torch", "imports torch"),
        (wrong_packages, "widgets/base/words.py", "from lessons.build import pairs", "imports lessons.build.pairs"),
        (wrong_floors, "lessons/sources/01_a.py", "import widgets", "imports widgets"),
        (
            wrong_floors,
            "lessons/sources/01_a.py",
            "from widgets.base.words import say",
            "imports widgets.base.words.say",
        ),
        (wrong_floors, "lessons/sources/01_a.py", "from attnlab.masks import _row", "imports attnlab.masks._row"),
        (
            wrong_floors,
            "lessons/sources/01_a.py",
            "from attnlab.exercises.progress import read",
            "imports attnlab.exercises.progress.read",
        ),
        (
            wrong_floors,
            "widgets/base/words.py",
            "from widgets.instruments.chart.chart import Chart",
            "imports widgets.instruments.chart.chart.Chart",
        ),
        (wrong_floors, "widgets/base/words.py", "import attnlab", "imports attnlab"),
        (wrong_floors, "widgets/base/words.py", "from . import controls", "imports ..controls"),
        (wrong_floors, "widgets/instruments/chart/chart.py", "from attnlab import attend", "imports attnlab.attend"),
        (
            wrong_floors,
            "widgets/instruments/chart/chart.py",
            "from widgets.explorers.l01_bottleneck.recall import A",
            "imports widgets.explorers.l01_bottleneck.recall.A",
        ),
        (
            wrong_floors,
            EXPLORER,
            "from widgets.explorers.l12_cost.scaling import A",
            "imports widgets.explorers.l12_cost.scaling.A",
        ),
        (wrong_floors, EXPLORER, "from widgets import Chart", "imports widgets.Chart"),
        (
            wrong_scripts,
            "widgets/base/js/dom.js",
            'import { g } from "../../instruments/chart/trace.js";',
            "imports widgets/instruments/chart/trace.js",
        ),
        (
            wrong_scripts,
            "widgets/instruments/chart/trace.js",
            'import { hover } from "./trace.js";',
            "imports itself",
        ),
        (computing_explorers, EXPLORER, "import torch\ng = torch.autograd.grad(y, x)", "uses autograd"),
        (computing_explorers, EXPLORER, "y.sum().backward()", "uses backward"),
        (computing_explorers, EXPLORER, "solve = torch.linalg.solve", "uses linalg"),
        (computing_explorers, EXPLORER, "from torch.nn.functional import cross_entropy", "uses cross_entropy"),
        (computing_explorers, EXPLORER, "class Own(nn.Module): pass", "defines a layer, Own"),
        (
            encodings_left_to_the_machine,
            "lessons/build.py",
            "text = Path('README.md').read_text()",
            "has read_text without an encoding",
        ),
        (missing_tests, "attnlab/masks.py", "", "has no tests/attnlab/test_masks.py"),
        (missing_tests, "attnlab/tasks/dates.py", "", "has no tests/attnlab/tasks/test_tasks.py"),
        (
            missing_tests,
            "attnlab/exercises/l06_masks/causal.py",
            "",
            "has no tests/attnlab/exercises/test_exercises.py",
        ),
        (missing_tests, "widgets/instruments/chart/chart.py", "", "has no tests/browser/test_chart.py"),
        (missing_tests, EXPLORER, "", "has no tests/widgets/explorers/l01_bottleneck/test_recall.py"),
        (missing_tests, "tests/widgets/explorers/l01_bottleneck/test_gone.py", "", "tests no module"),
    ],
)
def test_a_wrong_tree_is_found(tmp_path, rule, place, text, complaint):
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).write_text(text, encoding="utf-8")
    assert f"{place} {complaint}" in list(rule(tmp_path))


def test_a_side_door_is_found(tmp_path):
    for place, text in {
        "attnlab/__init__.py": "from attnlab.training import fit",
        "lessons/sources/01_a.py": "from attnlab.training import fit, side_by_side",
    }.items():
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text(text, encoding="utf-8")
    assert list(side_doors(tmp_path)) == ["lessons/sources/01_a.py imports attnlab.training.fit by a side door"]


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("lessons/sources/01_a.py", "import torch\nfrom widgets import Chart\nfrom attnlab.tasks.text import Text"),
        ("widgets/instruments/chart/chart.py", "from widgets.base.words import say"),
        ("widgets/base/words.py", "from pathlib import Path\ntext = Path('a').read_text(encoding='utf-8')"),
        ("widgets/instruments/chart/trace.js", 'import { same } from "../../base/js/memo.js";'),
        (
            EXPLORER,
            "from widgets.explorers.l01_bottleneck.other import A\nfrom attnlab.analysis.vectors.probes import ridge",
        ),
    ],
)
def test_a_right_tree_is_left_alone(tmp_path, place, text):
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).write_text(text, encoding="utf-8")
    assert not [complaint for rule in RULES[:-1] for complaint in rule(tmp_path)]
