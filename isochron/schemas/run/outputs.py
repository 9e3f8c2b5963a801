# SPDX-License-Identifier: BSD-3-Clause
"""What a run's store, tables, figures and report were when they were written: `log/outputs.sha256`, and its checks."""

from pathlib import Path

from isochron.common.files import FileError, read_text, write_atomically
from isochron.common.hashing import sha256
from isochron.schemas.run.layout import RunLayout

REMEDY = "`isochron report` makes it again"


def outputs(run: RunLayout) -> list[Path]:
    """Return the files that can be regenerated."""
    folders = (run.root / "store", run.root / "analysis", run.tables, run.figures, run.report.parent)
    return sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())


def record_outputs(run: RunLayout) -> None:
    """Record the hashes of the outputs of a run, so that damage is detected."""
    files = (path for path in outputs(run) if run.so_far not in path.parents)
    lines = (f"{sha256(path)}  {path.relative_to(run.root)}\n" for path in files)
    write_atomically(run.outputs, "".join(lines))


def outputs_problem(run: RunLayout) -> str:
    """Return which output is not what was recorded; empty if all are, or if nothing was recorded."""
    if not run.outputs.exists():
        return ""
    try:
        recorded = _recorded(run)
    except FileError as error:
        return str(error)
    for name, digest in recorded.items():
        path = run.root / name
        if not name or not path.is_file() or sha256(path) != digest:
            return f"{path}: is damaged or lost, or was changed after it was written ({run.outputs.name}); {REMEDY}"
    unknown = [
        path
        for path in outputs(run)
        if run.so_far not in path.parents and str(path.relative_to(run.root)) not in recorded
    ]
    if unknown:
        return f"{unknown[0]}: was not written by Isochron, or {run.outputs} is damaged; remove it, or {REMEDY}"
    return "" if recorded else f"{run.outputs}: is empty; {REMEDY}"


def is_as_recorded(run: RunLayout, path: Path) -> bool:
    """Return True if an output is there, and is what was recorded. Raises FileError without readable records."""
    recorded = _recorded(run).get(str(path.relative_to(run.root)))
    return recorded is not None and path.is_file() and sha256(path) == recorded


def _recorded(run: RunLayout) -> dict[str, str]:
    """Return the recorded hashes of the outputs, by their paths in the run."""
    lines = read_text(run.outputs, REMEDY).splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
