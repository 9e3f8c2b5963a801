# SPDX-License-Identifier: BSD-3-Clause
"""`isochron export`: the results of a run in other formats."""

import argparse
import sys
from pathlib import Path

from isochron.cli.common import Verbs, add_results, add_verb, run_postprocess
from isochron.common.exit_codes import Exit
from isochron.common.terminal import Terminal
from isochron.schemas.exports import FORMATS
from isochron.workflows.driving.repair import reported_run
from isochron.workflows.runs import complete_runs

EXAMPLE = """\
  isochron export demo --pdf                       the report of the newest run, printed
  isochron export demo --md --output -             the answer, for a pull request
  isochron export demo --junit --output tests.xml  for a pipeline: slowdowns are failures
  isochron export nightly --reframe                references for a site's own ReFrame checks"""


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "export", EXAMPLE, call)
    verb.add_argument("run", metavar="CAMPAIGN|RUN_DIR", help="a campaign (its newest run), or the folder of a run")
    formats = verb.add_mutually_exclusive_group(required=True)
    for name, form in FORMATS.items():
        formats.add_argument(f"--{name}", dest="format", action="store_const", const=name, help=form.meaning)
    verb.add_argument(
        "--output",
        metavar="FILE",
        help="file to write, or - for the standard output (default: CAMPAIGN-RUN.SUFFIX in this folder)",
    )
    add_results(verb)


def call(arguments: argparse.Namespace) -> int:
    """Write the file and print its name."""
    run = reported_run(arguments.results, arguments.run)
    folders = [run.root]
    if FORMATS[arguments.format].of_all_runs:
        older = complete_runs(run.root.parent.parent, run.root.parent.name)
        folders = [layout.root for layout in older if layout.run_id <= run.run_id] or folders
    name = f"{run.root.parent.name}-{run.run_id}.{FORMATS[arguments.format].suffix}"
    target = arguments.output or name
    if not run_postprocess("export", arguments.format, target, *map(str, folders)):
        return Exit.FAILED
    if target != "-" and not arguments.quiet:
        Terminal().print(str(Path(target)))
    sys.stdout.flush()
    return Exit.DONE
