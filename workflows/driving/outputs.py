# SPDX-License-Identifier: BSD-3-Clause
"""What has been made of the raw files of a run: remembered by its hash, and made again where it is no longer that."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree

from isochron.common.files import FileError, read_text, write_atomically
from isochron.common.hashing import sha256
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.store import TABLES


def outputs(run: RunLayout) -> list[Path]:
    """What can be made again."""
    folders = (run.root / "store", run.root / "analysis", run.tables, run.figures, run.report.parent)
    return sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())


def seal_outputs(run: RunLayout) -> None:
    """Remember the outputs of a run that has come to its end, or to its store, so that damage to them is seen."""
    rmtree(run.so_far, ignore_errors=True)
    lines = (f"{sha256(path)}  {path.relative_to(run.root)}\n" for path in outputs(run))
    write_atomically(run.outputs, "".join(lines))


def outputs_intact(run: RunLayout) -> bool:
    """Whether all outputs are what they were when they were sealed; also true where that was never done."""
    if not run.outputs.exists():
        return True
    try:
        lines = read_text(run.outputs, "").splitlines()
    except FileError:
        return False
    return bool(lines) and all(_is_as_it_was(run, line) for line in lines)


def forget_outputs(run: RunLayout, *, measured: bool) -> list[str]:
    """Let everything be made again, unless the run is measured and its outputs are those that were sealed.

    The times of the files do not decide: clocks are set. Returns a line where something was damaged.
    """
    whole = outputs_intact(run)
    if whole and measured and run.outputs.exists():
        return []
    for name in TABLES:
        run.table(name).unlink(missing_ok=True)
    run.summary.unlink(missing_ok=True)
    run.outputs.unlink(missing_ok=True)
    return [] if whole else ["tables, figures or report damaged; regenerating them"]


def _is_as_it_was(run: RunLayout, line: str) -> bool:
    digest, _, name = line.partition("  ")
    path = run.root / name
    return bool(name) and path.is_file() and sha256(path) == digest
