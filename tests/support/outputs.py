"""What a lesson's cells gave in the page, compared with what is committed: by nbval's own strict comparison."""

from pathlib import Path

import pytest
from nbval.plugin import IPyNbCell, IPyNbFile, coalesce_streams, nocolors

from lessons.build import WIDGET_VIEW


def differences(session: pytest.Session, committed: Path, ran: list) -> list[str]:
    """One text for each code cell of the notebook `committed` whose outputs are others in `ran`, the cells of a run.

    Pictures, tracebacks and counts are not compared. A view in one must be a picture in the other, but for questions,
    which are Markdown in both.
    """
    cells = list(IPyNbFile.from_parent(session, path=committed).collect())
    if [cell.cell.source for cell in cells] != [cell.source for cell in ran]:
        return [f"{committed.name}: other cells were run than those that are committed"]
    return [
        f"{committed.name}, code cell {cell.cell_num + 1}: {text}"
        for cell, done in zip(cells, ran, strict=True)
        for text in cell_differences(cell, done.outputs)
    ]


def cell_differences(cell: IPyNbCell, outputs: list) -> list[str]:
    """What is to be said against the outputs of one cell, with both texts."""
    found, committed = [], cell.cell.outputs
    shown = [set(output.get("data", {})) for output in outputs]
    seen = sum(bool({WIDGET_VIEW, "image/png"} & kinds) and "text/markdown" not in kinds for kinds in shown)
    pictures = sum("image/png" in output.get("data", {}) for output in committed)
    if seen != pictures:
        found.append(f"{seen} views in the page, {pictures} pictures committed: run `make lessons`")
    cell.colors = nocolors
    if not cell.options["skip"] and not cell.compare_outputs(coalesce_streams(outputs), coalesce_streams(committed)):
        found.append("\n".join(["the outputs differ", *cell.comparison_traceback, *both(committed, outputs)]))
    return found


def both(committed: list, outputs: list) -> list[str]:
    """The texts of both, one under the other."""
    return [
        line
        for title, shown in (("committed:", committed), ("now:", outputs))
        for line in (title, *(f"    {text(output)!r}" for output in shown))
    ]


def text(output) -> str:
    """What an output says: of a stream, of an error, of anything else."""
    if output.output_type == "error":
        return f"{output.ename}: {output.evalue}"
    return output.text if output.output_type == "stream" else output.data.get("text/plain", "")
