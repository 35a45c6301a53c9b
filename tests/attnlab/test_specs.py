"""Where specs stand and whom they know; what they compute is compared with the library in each module's own tests."""

import ast
from pathlib import Path

import pytest

import attnlab
import attnlab.specs.alignment
import attnlab.specs.masks
import attnlab.specs.positions
from attnlab import alignment, masks, positions, specs

ROOM = Path(specs.__file__).parent
FILES = sorted(path for path in ROOM.rglob("*.py") if path.stem != "__init__")


TABLES = [
    (alignment.SCORES, specs.alignment.SCORES),
    (masks.MASKS, specs.masks.MASKS),
    (positions.POSITIONS, specs.positions.POSITIONS),
]


@pytest.mark.parametrize(("name", "written"), [(name, written) for table, written in TABLES for name in table])
def test_whatever_stands_in_a_table_is_written_as_loops(name, written):
    assert name in written, f"write the loops of {name} into attnlab/specs/"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_spec_stands_in_the_file_named_after_its_module_and_knows_no_other_code(file):
    assert (Path(attnlab.__file__).parent / file.relative_to(ROOM)).exists()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    imported = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imported += [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
    assert [name for name in imported if name.startswith("attnlab") and not name.startswith("attnlab.specs")] == []
