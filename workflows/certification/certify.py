# SPDX-License-Identifier: BSD-3-Clause
"""Measuring the tables of a series one by one, and the certificate that follows from them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from rich.console import Console

from isochron.common.children import python
from isochron.common.files import FileError
from isochron.schemas.run.certificate import CERTIFICATE, Certificate, CertifiedTable, Series
from isochron.schemas.run.layout import RunLayout
from isochron.workflows.certification.series import campaign_of
from isochron.workflows.driving.run import AT_THE_STORE, Outcome, RunOptions, drive
from isochron.workflows.planning.measured import earlier_durations
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run, run_to_continue


def measure(
    table: CertifiedTable, series: Series, folder: Path, library: Path, console: Console, *, quiet: bool
) -> tuple[RunLayout, Outcome]:
    """The run of a table, from where it stopped to its store; the scores need no more, and a report can be made."""
    results = folder.parent.parent
    campaign = campaign_of(table, series, folder, library)
    plan = make_plan(campaign, earlier_durations(results, campaign.name))
    run = run_to_continue(results, plan) or create_run(results, campaign, plan)
    return run, drive(run, campaign, RunOptions(until_store=True), console, quiet)


def is_measured(outcome: Outcome) -> bool:
    """Whether a table has been measured to its end."""
    return outcome.state.reason == AT_THE_STORE


def kept(series: Series, folder: Path, table: CertifiedTable, run: RunLayout) -> Series:
    """The series with the run of a complete table."""
    runs = {**series.runs, table.name: run.root.relative_to(folder.parent.parent).as_posix()}
    further = series.model_copy(update={"runs": runs})
    further.save(folder / "series.json")
    return further


def certificate_of(folder: Path) -> Certificate:
    """Score every table of a complete series: `python -m isochron.postprocess certify`. Raises FileError."""
    command = python("-m", "isochron.postprocess", "certify", str(folder))
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    if done.returncode != 0:
        raise FileError((done.stderr or done.stdout).strip().removeprefix("postprocess certify: "))
    return Certificate.load(folder / CERTIFICATE)
