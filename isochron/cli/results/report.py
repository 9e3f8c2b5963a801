# SPDX-License-Identifier: BSD-3-Clause
"""`isochron report`: regenerate tables, figures and report; pool several runs of a plan; or the jobs of an import."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from isochron.cli.common import Verbs, add_results, add_verb
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError, refuse_links_below
from isochron.common.terminal import Terminal, complain
from isochron.schemas.run.imported import ImportLayout, find_import
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.outputs import record_outputs
from isochron.workflows.driving.postprocess import make_report, pool_runs, report_jobs
from isochron.workflows.driving.repair import heal_files, refuse_links
from isochron.workflows.runs import earlier_runs, find_run, measured_launches

EXAMPLE = """\
  isochron report demo                         the newest run of the campaign `demo`
  isochron report results/demo/20261121T...    this run
  isochron report nightly --archive results    another job by the spread between jobs of earlier runs, too
  isochron report results/nightly/2026*        these runs of one plan as one estimate: nightly-pooled.html
  isochron report old-campaign                 imported files of several jobs: what another job would show"""


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "report", EXAMPLE, call)
    verb.add_argument(
        "runs",
        nargs="+",
        metavar="CAMPAIGN|RUN_DIR",
        help="a campaign (its newest run), the folder of a run, or the name of an import; several runs of one plan "
        "become one estimate",
    )
    verb.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="page of several runs (default: CAMPAIGN-pooled.html in this folder)",
    )
    verb.add_argument(
        "--archive",
        type=Path,
        metavar="RESULTS",
        help="forecast another job with the spread between jobs of the complete earlier runs in this folder, too (one "
        "run)",
    )
    add_results(verb)


def call(arguments: argparse.Namespace) -> int:
    """Ingest, analyse and render one run, or pool several; or write the tables of an import."""
    imported = [find_import(arguments.results, name) for name in arguments.runs]
    if any(imported):
        return _jobs(imported, arguments)
    runs = [find_run(arguments.results, name) for name in arguments.runs]
    if len(runs) > 1 and arguments.archive:
        raise FileError("report --archive: only valid with one run")
    if len(runs) > 1:
        return _pooled(sorted(runs, key=lambda run: run.run_id), arguments)
    if arguments.output:
        raise FileError("report --output: only valid with several runs; for one run, use `isochron export`")
    run, console = runs[0], Terminal()
    if measured_launches(run) == 0:
        raise FileError(f"{run.root}: no launch has been measured yet; call `isochron run` first")
    earlier = earlier_runs(arguments.archive, run) if arguments.archive else []
    if not remake(run, console, quiet=arguments.quiet, earlier=earlier):
        return Exit.FAILED
    console.print(str(run.report))
    return Exit.DONE


def _jobs(imported: list[ImportLayout | None], arguments: argparse.Namespace) -> int:
    """Write what the jobs of one import show."""
    if len(imported) > 1 or imported[0] is None or arguments.output or arguments.archive:
        raise FileError(f"report {' '.join(arguments.runs)}: give one import alone, without --output or --archive")
    layout = imported[0]
    refuse_links_below(layout.root.parent, layout.tables)
    summary = report_jobs(layout)
    if not arguments.quiet:
        Terminal().print(summary)
    Terminal().print(str(layout.tables))
    return Exit.DONE


def remake(run: RunLayout, console: Terminal, *, quiet: bool, earlier: Sequence[RunLayout] = ()) -> bool:
    """Make the report of a run again from its raw files. Returns False if it complained.

    `earlier`: runs that show the spread between jobs.
    """
    refuse_links(run)
    for line in heal_files(run):
        complain(line)
    run.outputs.unlink(missing_ok=True)
    for step, problem in make_report(run, earlier=earlier):
        if problem:
            complain(problem)
            return False
        if not quiet:
            console.print(f"{step} …")
    record_outputs(run)
    return True


def _pooled(runs: list[RunLayout], arguments: argparse.Namespace) -> int:
    """Write the page of several runs."""
    page = arguments.output or Path(f"{runs[-1].root.parent.name}-pooled.html")
    summary = pool_runs(runs, page)
    if not arguments.quiet:
        Terminal().print(summary)
    Terminal().print(str(page))
    return Exit.DONE
