# SPDX-License-Identifier: BSD-3-Clause
"""Calls of `python -m isochron.postprocess`: tables, figures and report of a run, and comparisons of runs."""

import csv
import json
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from isochron.common.children import captured, python
from isochron.common.files import FileError, read_lines
from isochron.schemas.run.imported import Imported, ImportLayout
from isochron.schemas.run.layout import ARCHIVE, RunLayout
from isochron.schemas.run.next_blocks import InterimAnalysis
from isochron.workflows.driving.repair import refuse_links
from isochron.workflows.runs import STEPS, complete_runs

#: The table of the jobs of a run.
JOB_LIST = "job-list.csv"


def compare_runs(baseline: RunLayout, candidate: RunLayout, page: Path | None = None) -> list[dict[str, Any]]:
    """Return every result that either run planned, with its verdict; `page`: also write a page. Raises FileError.

    The variation between nights is estimated from the complete runs of the campaign before the baseline.
    """
    home = baseline.root.parent
    before = [run for run in complete_runs(home.parent, home.name) if run.run_id < baseline.run_id]
    older = [str(run.root) for run in before if run.root.resolve() != candidate.root.resolve()]
    options = ("--archive", str(home.parent / ARCHIVE), "--before", *older)
    rows: list[dict[str, Any]] = _parsed_output(
        ["compare", str(baseline.root), str(candidate.root), *_html(page), *options]
    )
    return rows


def compare_with_import(imported: ImportLayout, run: RunLayout, *, imported_first: bool) -> list[dict[str, Any]]:
    """Return every case that is both in the import and in the run. Raises FileError."""
    args = ["beside", str(imported.root), str(run.root), *(["--imported-first"] if imported_first else [])]
    rows: list[dict[str, Any]] = _parsed_output(args)
    return rows


def report_jobs(imported: ImportLayout) -> str:
    """Write the tables of the jobs of an import; return what they have as a sentence. Raises FileError."""
    return _output(["jobs", str(imported.root)]).strip()


def import_files(tool: str, results: Path, files: list[Path], options: list[str]) -> Imported:
    """Import files. Raises FileError with file, line and reason."""
    return Imported.model_validate(_parsed_output(["import", tool, str(results), *map(str, files), *options]))


def history_of(runs: list[RunLayout], archive: Path) -> list[dict[str, Any]]:
    """Return every result of every run, oldest run first, with its change over all runs. Raises FileError.

    `archive`: folder of the history cache.
    """
    rows: list[dict[str, Any]] = _postprocess("history", runs, "--archive", str(archive))
    return rows


def changes_of(runs: list[RunLayout], archive: Path, page: Path | None = None) -> list[dict[str, Any]]:
    """Return one line for each result as it was at first, and one for each of its changes. Raises FileError.

    `recorded`: what else is recorded with the run of a change and was not with the one before it; empty: nothing.
    """
    options = ("--archive", str(archive), "--changes", *_html(page))
    rows: list[dict[str, Any]] = _postprocess("history", runs, *options)
    return rows


def slow_nodes_of(runs: list[RunLayout]) -> list[str]:
    """Return a sentence for each node that makes the jobs of these runs slower, oldest run first. Raises FileError."""
    with_jobs = [str(run.root) for run in runs if _lists_jobs(run)]
    lines = _output(["slow_nodes", *with_jobs]).splitlines() if with_jobs else []
    return [line for line in lines if line]


def slowest_job(run: RunLayout) -> str:
    """Return `job 7` of a run with one job, `most in job 7` of one with several; empty if none is recorded."""
    path = run.tables / JOB_LIST
    jobs = list(csv.DictReader(read_lines(path))) if path.is_file() else []
    if len(jobs) < 2:
        return f"job {jobs[0]['job']}" if jobs else ""
    slowest = max(jobs, key=lambda job: max(float(job[name] or 0) for name in ("small_ratio", "large_ratio")))
    return f"most in job {slowest['job']}"


def _lists_jobs(run: RunLayout) -> bool:
    path = run.tables / JOB_LIST
    return path.is_file() and sum(1 for _ in read_lines(path)) > 1


def publish_site(folder: Path, results: list[Path], options: list[str]) -> list[str]:
    """Write a site over folders of results. Returns a summary line, then one line per skipped run. Raises FileError."""
    return _output(["publish", str(folder), *map(str, results), *options]).split("\n")[:-1]


def pool_runs(runs: list[RunLayout], page: Path) -> str:
    """Write the page of the pooled estimate of runs of one plan; return it as a sentence. Raises FileError."""
    return _output(["pool", str(page), *(str(run.root) for run in runs)]).strip()


def take_interim_analysis(run: RunLayout) -> InterimAnalysis:
    """Make an interim analysis of a sequential run. Raises FileError."""
    return InterimAnalysis.model_validate(_postprocess("interim", [run]))


def explained_shares(run: RunLayout, old: str, new: str) -> list[dict[str, Any]]:
    """Return what each variant of an experiment gives back of the difference of two stacks. Raises FileError."""
    rows: list[dict[str, Any]] = _parsed_output(["explained", str(run.root), old, new])
    return rows


def screened_ratios(run: RunLayout, old: str, new: str) -> tuple[list[dict[str, Any]], dict[str, list[str]]]:
    """Return by how much two stacks of a run in turns differ in each case, and which operations have wrong data.

    The latter by stack. Raises FileError.
    """
    shown = _parsed_output(["screened", str(run.root), old, new])
    return shown["cases"], shown["wrong"]


def block_ratios(run: RunLayout, baseline: str) -> list[dict[str, Any]]:
    """Return what all other stacks of a run take against one in each case, by block. Raises FileError."""
    rows: list[dict[str, Any]] = _parsed_output(["blocks", str(run.root), baseline])
    return rows


def levels_of(run: RunLayout) -> list[dict[str, Any]]:
    """Return the level of each case of a run of one stack. Raises FileError."""
    rows: list[dict[str, Any]] = _parsed_output(["levels", str(run.root)])
    return rows


def _postprocess(verb: str, runs: list[RunLayout], *options: str) -> Any:
    return _parsed_output([verb, *options, *(str(run.root) for run in runs)])


def _html(page: Path | None) -> list[str]:
    return ["--html", str(page)] if page else []


def records_of(run: RunLayout) -> bytes:
    """Return the records of a reported run: a line of JSON for each. Raises FileError."""
    return _output(["export", "jsonl", "-", str(run.root)]).encode()


def _parsed_output(args: list[str]) -> Any:
    return json.loads(_output(args))


def _output(args: list[str]) -> str:
    command = python("-m", "isochron.postprocess", *args)
    done = captured(command)
    if done.returncode != 0:
        raise FileError((done.stderr or done.stdout).strip().removeprefix(f"postprocess {args[0]}: "))
    return done.stdout


def format_result(row: dict[str, Any]) -> str:
    """`mpich-5.0 bcast 1024 B p16.n4.packed: slower, 1.31 [1.22; 1.40]`."""
    ratio = "" if row["ratio"] is None else f", {row['ratio']:.3g} [{row['ratio_low']:.3g}; {row['ratio_high']:.3g}]"
    return f"{row['stack']} {row['operation']} {row['bytes']} B {point(row)}: {row['verdict']}{ratio}"


def point(row: dict[str, Any]) -> str:
    """Return the point of a row, as in the names of launches: `p16.n4.packed`."""
    return f"p{row['processes']}.n{row['processes_per_node']}.{row['placement']}"


def make_report(
    run: RunLayout,
    *,
    to_the_store: bool = False,
    environment: Mapping[str, str] | None = None,
    earlier: Sequence[RunLayout] = (),
) -> Iterator[tuple[str, str]]:
    """Yield each step as it begins, with an empty text; after a failed step, its name and its error message.

    One process executes all steps, and prints a line as each ends; its errors go to the log of the step. `earlier`:
    runs that show the spread between jobs.
    """
    refuse_links(run)
    run.logs.mkdir(parents=True, exist_ok=True)
    steps = STEPS[:1] if to_the_store else STEPS
    command = python("-m", "isochron.postprocess", steps[0] if to_the_store else "report", str(run.root))
    if earlier:
        command += ["--before", *(str(other.root) for other in earlier)]
    with (
        TemporaryFile("a+b") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=environment) as child,
    ):
        try:
            yield from _steps(run, steps, child, errors)
        except BaseException:  # the caller has ended, or was interrupted
            child.kill()
            raise


def _steps(
    run: RunLayout, steps: tuple[str, ...], child: subprocess.Popen[bytes], errors: IO[bytes]
) -> Iterator[tuple[str, str]]:
    """Yield the steps of the process as `make_report` does; `errors`: its error stream."""
    position = 0
    for step in steps:
        yield step, ""
        line = child.stdout.readline() if child.stdout else b""
        code = 0 if line else child.wait()
        errors.seek(position)
        messages = errors.read()
        position += len(messages)
        (run.logs / f"{step}.log").write_bytes(line + messages)
        if not line:
            yield step, _failure_message(step, code, messages.decode(errors="replace"))
            return


def _failure_message(step: str, code: int, messages: str) -> str:
    """Return why a step failed: its message, the last line of a crash, or the signal that ended it."""
    lines = messages.strip().splitlines()
    if code < 0:
        return f"{step}: ended by {signal.Signals(-code).name}, perhaps because memory ran out"
    return lines[-1] if lines else f"{step}: ended without a message"
