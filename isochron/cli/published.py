# SPDX-License-Identifier: BSD-3-Clause
"""`isochron published`: published numbers of other studies, without a campaign."""

import argparse
import json
from dataclasses import asdict

from isochron.cli.common import Verbs, add_format, add_verb, print_rows
from isochron.common.exit_codes import Exit
from isochron.common.terminal import Terminal
from isochron.schemas.input.published import PublishedTable, load_published, published_tables

EXAMPLE = """\
  isochron published                                   the tables and their sources
  isochron published ekss-pmb-barrier                  EKSS-1 and Scali side by side, with their ratio
  isochron published ekss-npb --format csv > npb.csv   its first line states the source"""


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "published", EXAMPLE, call)
    verb.add_argument("name", nargs="?", metavar="NAME", help="the table to print (default: list all)")
    add_format(verb)


def call(arguments: argparse.Namespace) -> int:
    """Print one table, or the list of them."""
    terminal = Terminal()
    if arguments.name is None:
        tables = [load_published(name) for name in published_tables()]
        rows = [{"name": table.name, "rows": len(table.rows), "source": table.source} for table in tables]
        print_rows(rows, ["name", "rows", "source"], arguments.format, terminal)
        return Exit.DONE
    table = load_published(arguments.name)
    if arguments.format == "json":
        print(json.dumps(asdict(table), indent=2, ensure_ascii=False))
        return Exit.DONE
    _print_source(table, arguments.format, terminal)
    print_rows([dict(row) for row in table.rows], table.columns, arguments.format, terminal)
    return Exit.DONE


def _print_source(table: PublishedTable, style: str, terminal: Terminal) -> None:
    if style == "csv":
        print(f"# {table.source}")
    else:
        terminal.print(f"{table.source}\n")
