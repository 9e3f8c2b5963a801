# SPDX-License-Identifier: BSD-3-Clause
"""Calls of `python -m isochron.postprocess`: tables, figures and report of a run, and comparisons of runs."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from isochron.common.children import python
from isochron.common.files import FileError
from isochron.schemas.run.imported import Imported, ImportLayout
from isochron.schemas.run.layout import ARCHIVE, RunLayout
from isochron.schemas.run.next_blocks import Look
from isochron.workflows.driving.repair import refuse_links
from isochron.workflows.runs import complete_runs


def compare_runs(baseline: RunLayout, candidate: RunLayout, page: Path | None = None) -> list[dict[str, Any]]:
    """Every row that either run planned, with its verdict, as a page too where that is asked for. Raises FileError.

    How nights differ is known from the complete runs of the campaign that are older than the baseline.
    """
    home = baseline.root.parent
    before = [run for run in complete_runs(home.parent, home.name) if run.run_id < baseline.run_id]
    others = [str(run.root) for run in before if run.root.resolve() != candidate.root.resolve()]
    words = ("--archive", str(home.parent / ARCHIVE), "--before", *others)
    rows: list[dict[str, Any]] = _said(["compare", str(baseline.root), str(candidate.root), *_html(page), *words])
    return rows


def compare_with_import(imported: ImportLayout, run: RunLayout, *, imported_first: bool) -> list[dict[str, Any]]:
    """Every case that the import and the run both have. Raises FileError."""
    words = ["beside", str(imported.root), str(run.root), *(["--imported-first"] if imported_first else [])]
    rows: list[dict[str, Any]] = _said(words)
    return rows


def import_files(tool: str, results: Path, files: list[Path], options: list[str]) -> Imported:
    """What the files have become. Raises FileError with file, line and reason."""
    return Imported.model_validate(_said(["import", tool, str(results), *map(str, files), *options]))


def history_of(runs: list[RunLayout], archive: Path) -> list[dict[str, Any]]:
    """Every row of every run, the oldest run first, with the row's change over all of them. Raises FileError.

    `archive`: folder in which what was worked out of each run is kept.
    """
    rows: list[dict[str, Any]] = _postprocess("history", runs, "--archive", str(archive))
    return rows


def changes_of(runs: list[RunLayout], archive: Path, page: Path | None = None) -> list[dict[str, Any]]:
    """The same in short: a line for each row as it was at first, then one for each change in it. Raises FileError."""
    words = ("--archive", str(archive), "--changes", *_html(page))
    rows: list[dict[str, Any]] = _postprocess("history", runs, *words)
    return rows


def publish_site(folder: Path, results: list[Path], options: list[str]) -> list[str]:
    """Write a site over folders of results: what was done in a line, then a line for each run left out. FileError."""
    return _printed(["publish", str(folder), *map(str, results), *options]).split("\n")[:-1]


def pool_runs(runs: list[RunLayout], page: Path) -> str:
    """Write runs of one plan as one estimate; returns that in a sentence. Raises FileError."""
    return _printed(["pool", str(page), *(str(run.root) for run in runs)]).strip()


def look_at(run: RunLayout) -> Look:
    """What the launches of a sequential run decide so far. Raises FileError."""
    return Look.model_validate(_postprocess("look", [run]))


def _postprocess(verb: str, runs: list[RunLayout], *words: str) -> Any:
    return _said([verb, *words, *(str(run.root) for run in runs)])


def _html(page: Path | None) -> list[str]:
    return ["--html", str(page)] if page else []


def _said(words: list[str]) -> Any:
    return json.loads(_printed(words))


def _printed(words: list[str]) -> str:
    command = python("-m", "isochron.postprocess", *words)
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    if done.returncode != 0:
        raise FileError((done.stderr or done.stdout).strip().removeprefix(f"postprocess {words[0]}: "))
    return done.stdout


def format_duration(row: dict[str, Any]) -> str:
    """`mpich-5.0 bcast 1024 B p16.n4.packed: slower, 1.31 [1.22; 1.40]`."""
    ratio = "" if row["ratio"] is None else f", {row['ratio']:.3g} [{row['ratio_low']:.3g}; {row['ratio_high']:.3g}]"
    return f"{row['stack']} {row['operation']} {row['bytes']} B {point(row)}: {row['verdict']}{ratio}"


def point(row: dict[str, Any]) -> str:
    """The point of a row, as in the names of launches: `p16.n4.packed`."""
    return f"p{row['processes']}.n{row['processes_per_node']}.{row['placement']}"


STEPS = ("ingest", "analyse", "render")


def make_report(
    run: RunLayout, *, to_the_store: bool = False, environment: Mapping[str, str] | None = None
) -> Iterator[tuple[str, str]]:
    """Each step as it begins, with an empty text; after one that failed, its name and what it said.

    One process makes them all, and says a line as each ends; what it complains of goes to the log of the step.
    """
    refuse_links(run)
    run.logs.mkdir(parents=True, exist_ok=True)
    steps = STEPS[:1] if to_the_store else STEPS
    command = python("-m", "isochron.postprocess", steps[0] if to_the_store else "report", str(run.root))
    with (
        TemporaryFile("a+b") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=environment) as child,
    ):
        try:
            yield from _steps(run, steps, child, errors)
        except BaseException:  # whoever asked for it has gone, or was asked to end
            child.kill()
            raise


def _steps(
    run: RunLayout, steps: tuple[str, ...], child: subprocess.Popen[bytes], errors: IO[bytes]
) -> Iterator[tuple[str, str]]:
    """The same of the process that does it; `errors`: what it has complained of so far."""
    told = 0
    for step in steps:
        yield step, ""
        said = child.stdout.readline() if child.stdout else b""
        code = 0 if said else child.wait()
        errors.seek(told)
        complaints = errors.read()
        told += len(complaints)
        (run.logs / f"{step}.log").write_bytes(said + complaints)
        if not said:
            yield step, _in_a_line(step, code, complaints.decode(errors="replace"))
            return


def _in_a_line(step: str, code: int, complaints: str) -> str:
    """Why a step failed: what it said, the last line of a crash, or the signal that ended it."""
    lines = complaints.strip().splitlines()
    if code < 0:
        return f"{step}: ended by {signal.Signals(-code).name}, perhaps because memory ran out"
    return lines[-1] if lines else f"{step}: ended without a message"
