# SPDX-License-Identifier: BSD-3-Clause
"""Options, exit codes and output of tables that the commands share."""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isochron.cli.verbs import VERBS
from isochron.common.children import python
from isochron.common.exit_codes import Exit
from isochron.common.terminal import complain
from isochron.common.text import in_a_cell, printable

if TYPE_CHECKING:
    from rich.console import Console

    from isochron.schemas.run.plan import Plan
    from isochron.workflows.driving.measured import UnfinishedError

Verbs = Any  # argparse's own type of a set of sub-commands is private

Row = dict[str, object]

#: Columns of text in a file or a mail: no table is folded there.
WIDE = 400


def add_verb(
    verbs: Verbs, name: str, example: str, call: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    """Add a command with the options that all have and an example in its help."""
    summary = VERBS[name][1]
    verb: argparse.ArgumentParser = verbs.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"example:\n{example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    loudness = verb.add_mutually_exclusive_group()
    loudness.add_argument("-q", "--quiet", action="store_true", help="print results and errors only")
    loudness.add_argument("-v", "--verbose", action="store_true", help="print details")
    verb.set_defaults(call=call)
    return verb


def add_results(verb: argparse.ArgumentParser) -> None:
    """Add `--results`, the folder of the runs."""
    verb.add_argument(
        "--results", type=Path, default=Path("results"), metavar="DIR", help="folder of all runs (default: results)"
    )


def add_rebuild(verb: argparse.ArgumentParser) -> None:
    """Add `--rebuild`, which ignores the cache of engines."""
    verb.add_argument(
        "--rebuild",
        action="store_true",
        help="rebuild the engines, ignoring the engine cache",
    )


def add_format(verb: argparse.ArgumentParser) -> None:
    """Add `--format`, the format of a table."""
    verb.add_argument(
        "--format", choices=("table", "csv", "json"), default="table", help="output format (default: table)"
    )


def add_html(verb: argparse.ArgumentParser) -> None:
    """Add `--html`, the file of a page."""
    verb.add_argument("--html", type=Path, metavar="FILE", help="also write a self-contained HTML page")


def add_strict(verb: argparse.ArgumentParser) -> None:
    """Add `--strict`, which gives inconclusive comparisons an exit code of their own."""
    verb.add_argument(
        "--strict",
        action="store_true",
        help="exit with 3 if anything is slower, with 5 if nothing is but some comparisons are inconclusive",
    )


def strict_exit(arguments: argparse.Namespace, *, slower: bool, untold: bool) -> Exit:
    """Return the exit code of a comparison: inconclusive ones are 0, too, unless `--strict` was given."""
    if slower:
        return Exit.SLOWER
    return Exit.UNDECIDED if untold and arguments.strict else Exit.DONE


def run_postprocess(*words: str) -> bool:
    """Run a command of `isochron.postprocess`, which prints to this standard output. Returns False if it complained."""
    done = subprocess.run(
        python("-m", "isochron.postprocess", *words),
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        complain((done.stderr.strip().splitlines() or [f"{words[0]}: ended without a message"])[-1])
    return done.returncode == 0


def split_at_double_dash(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split the arguments at the first `--`."""
    words = list(argv)
    if "--" not in words:
        return words, []
    cut = words.index("--")
    return words[:cut], words[cut + 1 :]


def print_rows(rows: Sequence[Row], columns: Sequence[str], style: str, console: Console) -> None:
    """Print rows as a table for people, as CSV, or as a JSON list."""
    if style == "json":
        print(json.dumps([{key: row[key] for key in columns} for row in rows], indent=2, ensure_ascii=False))
        return
    if style == "csv":
        writer = csv.DictWriter(sys.stdout, fieldnames=list(columns), extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        numeric = any(isinstance(row[column], int | float) for row in rows)
        table.add_column(column.replace("_", " "), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*("" if row[column] is None else printable(str(row[column])) for column in columns))
    if not console.is_terminal:
        console.width = WIDE
    console.print(table)


def plan_costs(plan: Plan) -> Row:
    """Return what a plan takes, as columns of a table: launches, minutes and node hours."""
    return {
        "launches": len(plan.launches),
        "minutes": round(plan.seconds / 60, 1),
        "node_hours": round(plan.node_hours, 3),
    }


def _cell(value: object) -> object:
    return in_a_cell(value) if isinstance(value, str) else value


def conclude_unfinished(error: UnfinishedError, console: Console) -> int:
    """Say why a run did not end, and return the exit code."""
    if error.state.state == "interrupted":
        console.print("interrupted; the same command continues from here")
        return Exit.INTERRUPTED
    for problem in error.problems:
        complain(problem)
    return Exit.OVER_BUDGET if error.state.state == "over-budget" else Exit.FAILED
