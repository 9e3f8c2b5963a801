# SPDX-License-Identifier: BSD-3-Clause
"""What the verbs share: options, exit codes, and a table on the terminal, as CSV or as JSON."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from isochron.common.exit_codes import Exit
from isochron.common.words import in_a_cell, printable

Verbs = Any  # argparse's own type of a set of sub-commands is private

Row = dict[str, object]

#: Columns of text in a file or a mail: no table is folded there.
WIDE = 400


def add_verb(
    verbs: Verbs, name: str, summary: str, example: str, call: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    """A sub-command with the options that all have, and an example in its help."""
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
    """The folder in which the runs lie."""
    verb.add_argument(
        "--results", type=Path, default=Path("results"), metavar="DIR", help="folder of all runs (default: results)"
    )


def add_rebuild(verb: argparse.ArgumentParser) -> None:
    """Whether the cache of engines counts."""
    verb.add_argument(
        "--rebuild",
        action="store_true",
        help="build the engines of this call anew, whatever the user's cache of engines has",
    )


def add_format(verb: argparse.ArgumentParser) -> None:
    """How a table is printed."""
    verb.add_argument(
        "--format", choices=("table", "csv", "json"), default="table", help="how to print (default: table)"
    )


def add_html(verb: argparse.ArgumentParser) -> None:
    """Whether a page is written, too."""
    verb.add_argument("--html", type=Path, metavar="FILE", help="write it as a page of one file, too")


def add_strict(verb: argparse.ArgumentParser) -> None:
    """Whether what cannot be told has an exit code of its own."""
    verb.add_argument(
        "--strict",
        action="store_true",
        help="exit with 3 where something has become slower, and with 5 where nothing has, but not all can be told",
    )


def strict_exit(arguments: argparse.Namespace, *, slower: bool, untold: bool) -> Exit:
    """The exit code of a comparison: unchanged is 0, and so is what cannot be told, unless `--strict` was given."""
    if slower:
        return Exit.SLOWER
    return Exit.UNDECIDED if untold and arguments.strict else Exit.DONE


def split_at_double_dash(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Our words, and what follows the first `--`."""
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
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        numeric = any(isinstance(row[column], int | float) for row in rows)
        table.add_column(column.replace("_", " "), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*("" if row[column] is None else printable(str(row[column])) for column in columns))
    if not console.is_terminal:
        console.width = WIDE
    console.print(table)


def _cell(value: object) -> object:
    return in_a_cell(value) if isinstance(value, str) else value
