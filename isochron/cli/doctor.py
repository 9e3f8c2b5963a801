# SPDX-License-Identifier: BSD-3-Clause
"""`isochron doctor`: what on this machine may distort a measurement."""

from __future__ import annotations

import argparse

from isochron.cli.common import Row, Verbs, add_format, add_verb, print_rows
from isochron.common.exit_codes import Exit
from isochron.common.terminal import Terminal
from isochron.workflows.doctor.machine import Machine
from isochron.workflows.doctor.software import examine

EXAMPLE = """\
  isochron doctor
  isochron doctor --format json"""


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "doctor", "report what on this machine may distort a measurement", EXAMPLE, call)
    add_format(verb)


def call(arguments: argparse.Namespace) -> int:
    """Print the results of the checks; exit with 1 if no campaign can run."""
    findings = examine(Machine())
    rows: list[Row] = [{"check": item.check, "level": item.level, "finding": item.words} for item in findings]
    if arguments.quiet:
        rows = [row for row in rows if row["level"] in ("warning", "error")]
    console = Terminal(folds=True)
    print_rows(rows, ("check", "level", "finding"), arguments.format, console)
    if arguments.format == "table":
        bad = sum(item.level == "error" for item in findings)
        warnings = sum(item.level == "warning" for item in findings)
        console.print(f"\n{_verdict(bad, warnings)}")
    return Exit.FAILED if any(item.level == "error" for item in findings) else Exit.DONE


def _verdict(bad: int, warnings: int) -> str:
    if bad:
        return f"{bad} of these must be corrected before a campaign can run."
    if warnings:
        return f"A campaign can run. {warnings} of these may make launches differ; the report shows by how much."
    return "No problem found."
