# SPDX-License-Identifier: BSD-3-Clause
"""What `python -m isochron.postprocess compare|look|history` says: postprocess owns every number that is printed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from isochron.ground.children import python
from isochron.ground.files import FileError
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.looks import Look


def compare_runs(baseline: RunLayout, candidate: RunLayout) -> list[dict[str, Any]]:
    """Every row that either run planned, with its verdict. Raises FileError."""
    rows: list[dict[str, Any]] = _postprocess("compare", [baseline, candidate])
    return rows


def history_of(runs: list[RunLayout], archive: Path) -> list[dict[str, Any]]:
    """Every row of every run, the oldest run first, with the row's change over all of them. Raises FileError.

    `archive`: folder in which what was worked out of each run is kept.
    """
    rows: list[dict[str, Any]] = _postprocess("history", runs, "--archive", str(archive))
    return rows


def changes_of(runs: list[RunLayout], archive: Path) -> list[dict[str, Any]]:
    """The same in short: a line for each row as it was at first, then one for each change in it. Raises FileError."""
    rows: list[dict[str, Any]] = _postprocess("history", runs, "--archive", str(archive), "--changes")
    return rows


def look_at(run: RunLayout) -> Look:
    """What the launches of a sequential run decide so far. Raises FileError."""
    return Look.model_validate(_postprocess("look", [run]))


def _postprocess(verb: str, runs: list[RunLayout], *words: str) -> Any:
    command = python("-m", "isochron.postprocess", verb, *words, *(str(run.root) for run in runs))
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    if done.returncode != 0:
        raise FileError((done.stderr or done.stdout).strip().removeprefix(f"postprocess {verb}: "))
    return json.loads(done.stdout)


def in_words(row: dict[str, Any]) -> str:
    """`mpich-5.0 bcast 1024 B p16.n4.packed: slower, 1.31 [1.22; 1.40]`."""
    ratio = "" if row["ratio"] is None else f", {row['ratio']:.3g} [{row['ratio_low']:.3g}; {row['ratio_high']:.3g}]"
    return f"{row['stack']} {row['operation']} {row['bytes']} B {point(row)}: {row['verdict']}{ratio}"


def point(row: dict[str, Any]) -> str:
    """The point of a row, as in the names of launches: `p16.n4.packed`."""
    return f"p{row['processes']}.n{row['processes_per_node']}.{row['placement']}"
