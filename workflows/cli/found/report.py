# SPDX-License-Identifier: BSD-3-Clause
"""`isochron report`: tables, figures and report again from the raw files, finished run or not."""

from __future__ import annotations

import argparse

from isochron.ground.exit_codes import Exit
from isochron.ground.files import FileError
from isochron.ground.terminal import Terminal, complain
from isochron.workflows.cli.common import Verbs, add_results, add_verb
from isochron.workflows.driving.report import make_report
from isochron.workflows.runs import find_run, measured_launches

EXAMPLE = """\
  isochron report demo                         the newest run of the campaign `demo`
  isochron report results/demo/20261121T...    this run"""


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "report", "make the tables, figures and report again from the raw files", EXAMPLE, call)
    verb.add_argument("run", metavar="CAMPAIGN|RUN_DIR", help="a campaign (its newest run), or the folder of a run")
    add_results(verb)


def call(arguments: argparse.Namespace) -> int:
    """Ingest, analyse, render."""
    run = find_run(arguments.results, arguments.run)
    console = Terminal()
    if measured_launches(run) == 0:
        raise FileError(f"{run.root}: no launch has been measured yet; call `isochron run` first")
    for step, problem in make_report(run):
        if problem:
            complain(problem)
            return Exit.FAILED
        if not arguments.quiet:
            console.print(f"{step} …")
    console.print(str(run.report))
    return Exit.DONE
