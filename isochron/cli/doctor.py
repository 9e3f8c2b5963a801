# SPDX-License-Identifier: BSD-3-Clause
"""`isochron doctor`: what on this machine may distort a measurement; with `--site`, what works at a site."""

import argparse
import shutil
from collections.abc import Sequence

from isochron.cli.campaign import add_site, at_this_site, load_selected_campaign
from isochron.cli.common import Row, Verbs, add_format, add_results, add_verb, print_rows
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.common.terminal import Terminal
from isochron.workflows.doctor.machine import CheckResult, Machine, SiteFinding
from isochron.workflows.doctor.site import examine_site
from isochron.workflows.doctor.software import examine

EXAMPLE = """\
  isochron doctor                                       this machine
  isochron doctor --format json
  isochron doctor --site my-campaign.yaml               each of its stacks in a job of two nodes
  isochron doctor --site my-campaign.yaml --stacks mpich@5.0.2,module:OpenMPI/5.0.8"""

#: Folder of the trials, in the folder of results: hidden, so that it is no campaign.
TRIALS = ".doctor"


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "doctor", EXAMPLE, call)
    verb.add_argument(
        "--site",
        dest="campaign",
        metavar="CAMPAIGN",
        help="try each stack of this campaign at its site, in one job of two nodes (one where `site.nodes` is 1)",
    )
    verb.add_argument("--stacks", metavar="A,B", help="with --site: try only these stacks, or versions of a library")
    add_site(verb)
    add_results(verb)
    add_format(verb)


def call(arguments: argparse.Namespace) -> int:
    """Print the results of the checks; exit with 1 if no campaign can run."""
    if arguments.campaign is not None:
        return _call_site(arguments)
    if arguments.stacks is not None or arguments.stack_source is not None or arguments.external:
        raise FileError("doctor: --stacks, --stack-source and --external need --site CAMPAIGN")
    findings = examine(Machine())
    rows: list[Row] = [{"check": item.check, "level": item.level, "finding": item.words} for item in findings]
    _print(arguments, rows, ("check", "level", "finding"), _verdict(findings))
    return Exit.FAILED if any(item.level == "error" for item in findings) else Exit.DONE


def _call_site(arguments: argparse.Namespace) -> int:
    """Try the stacks of a campaign, and keep the runs of those that failed."""
    campaign = at_this_site(load_selected_campaign(arguments), arguments)
    folder = arguments.results / TRIALS
    quiet = arguments.quiet or arguments.format != "table"
    findings = list(examine_site(campaign, campaign.stacks, folder, Terminal(), quiet=quiet))
    failed = {item.stack for item in findings if item.level == "error"}
    for stack in campaign.stacks:
        if stack not in failed:
            shutil.rmtree(folder / f"doctor-{stack}"[:64], ignore_errors=True)
    rows: list[Row] = [
        {"stack": item.stack, "check": item.check, "level": item.level, "finding": item.words, "write": item.write}
        for item in findings
    ]
    words = f"{_verdict(findings)}{f' Their files are in {folder}.' if failed and folder.is_dir() else ''}"
    _print(arguments, rows, ("stack", "check", "level", "finding", "write"), words)
    return Exit.FAILED if failed else Exit.DONE


def _print(arguments: argparse.Namespace, rows: list[Row], columns: Sequence[str], verdict: str) -> None:
    if arguments.quiet:
        rows = [row for row in rows if row["level"] in ("warning", "error")]
    console = Terminal(folds=True)
    print_rows(rows, columns, arguments.format, console)
    if arguments.format == "table":
        console.print(f"\n{verdict}")


def _verdict(findings: Sequence[CheckResult | SiteFinding]) -> str:
    bad = sum(item.level == "error" for item in findings)
    warnings = sum(item.level == "warning" for item in findings)
    if bad:
        return f"{bad} of these must be corrected before a campaign can run."
    if warnings:
        return f"A campaign can run. {warnings} of these may make launches differ; the report shows by how much."
    return "No problem found."
