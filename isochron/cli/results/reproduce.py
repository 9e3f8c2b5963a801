# SPDX-License-Identifier: BSD-3-Clause
"""`isochron reproduce`: a finding as a program in plain MPI, with a report to the library's tracker."""

import argparse

from isochron.cli.common import Verbs, add_results, add_verb
from isochron.cli.results.report import remake
from isochron.common.exit_codes import Exit
from isochron.common.terminal import Terminal, complain
from isochron.schemas.run.manifest import Manifest
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.driving.repair import reported_run
from isochron.workflows.reproducer.findings import choose, find_findings
from isochron.workflows.reproducer.reproduce import Reproducer, make_reproducer, write_reproducer
from isochron.workflows.reproducer.verification import Shown, verify

EXAMPLE = """\
  isochron reproduce demo               the largest loss of the newest run of a campaign
  isochron reproduce demo allgather-8   another finding of it
  isochron reproduce demo --verify      does the program show it here?"""


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "reproduce", EXAMPLE, call)
    verb.add_argument("run", metavar="CAMPAIGN|RUN_DIR", help="a campaign (its newest run), or the folder of a run")
    verb.add_argument(
        "finding",
        nargs="?",
        metavar="FINDING",
        help="operation and bytes, as allgather-8, or more of its name: allgather-8.SLOW.FAST.POINT "
        "(default: the largest loss)",
    )
    verb.add_argument(
        "--verify", action="store_true", help="build and run the program here, with both stacks in turns: does it show?"
    )
    add_results(verb)


def call(arguments: argparse.Namespace) -> int:
    """Write program, script and report into the run, and print where they are."""
    run = reported_run(arguments.results, arguments.run)
    campaign = load_campaign(run.campaign)
    manifests = {stack: Manifest.load(run.manifest(stack)) for stack in campaign.stacks}
    finding = choose(find_findings(run, manifests), arguments.finding, run)
    reproducer = make_reproducer(run, campaign, manifests, finding)
    write_reproducer(reproducer)
    console = Terminal()
    if not arguments.quiet:
        console.print(reproducer.title)
    console.print(str(reproducer.folder))
    problem = _verified(reproducer, console) if arguments.verify else ""
    if not remake(run, console, quiet=True):
        return Exit.FAILED
    if problem:
        complain(f"{finding.name}: {problem}")
        return Exit.FAILED
    return Exit.DONE


def _verified(reproducer: Reproducer, console: Terminal) -> str:
    """Verify a program and write what it showed into the report; return what is wrong, or empty."""
    shown = verify(reproducer)
    if not isinstance(shown, Shown):
        return str(shown)
    write_reproducer(reproducer, shown.lines, str(shown))
    console.print(str(shown))
    return "" if shown.is_enough else "less than half of the difference shows"
