# SPDX-License-Identifier: BSD-3-Clause
"""`isochron history`: what has changed over all runs of a campaign, and since when?"""

from __future__ import annotations

import argparse
from collections import Counter

from isochron.cli.common import (
    Row,
    Verbs,
    add_format,
    add_html,
    add_results,
    add_strict,
    add_verb,
    print_rows,
    strict_exit,
)
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.common.terminal import Terminal
from isochron.schemas.run.layout import ARCHIVE
from isochron.workflows.driving.postprocess import changes_of, history_of, point, slow_nodes_of
from isochron.workflows.runs import complete_runs

EXAMPLE = """\
  isochron history nightly                               what has changed, and since when
  isochron history nightly --html nightly.html           a page with charts of it
  isochron history nightly --verbose                     all results
  isochron history nightly --format csv > history.csv    the value of every result in every run"""

COLUMNS = ("stack", "operation", "bytes", "point", "runs", "changed_at", "delay", "ratio", "verdict", "whose")
#: The key of a result, and the number of runs whose values are printed if there are too few to detect changes.
RESULT_KEY, LATEST = COLUMNS[:4], 4
VERDICTS = ("slower", "faster", "unconfirmed", "unchanged", "too-few-runs")
#: The stack in lines about the machine.
MACHINE = "(all stacks)"


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "history", EXAMPLE, call)
    verb.add_argument("campaign", metavar="CAMPAIGN", help="name of a campaign")
    add_results(verb)
    add_format(verb)
    add_html(verb)
    add_strict(verb)


def call(arguments: argparse.Namespace) -> int:
    """Print the changes as a table, or every value as CSV or JSON."""
    runs = complete_runs(arguments.results, arguments.campaign)
    if not runs:
        raise FileError(
            f"{arguments.results}: campaign '{arguments.campaign}' has no complete run; run it first, or check the name"
        )
    console, archive = Terminal(), arguments.results / ARCHIVE
    if arguments.format != "table":
        if arguments.html:
            raise FileError(f"history --html: not valid with --format {arguments.format}; remove one of the two")
        lines = history_of(runs, archive)
        print_rows(lines, list(lines[0]) if lines else COLUMNS, arguments.format, console)
        return Exit.DONE
    every = changes_of(runs, archive, arguments.html)
    lines = [line for line in every if line["stack"] != MACHINE]
    rows = {_result_key(line): line for line in lines}
    counts = Counter(str(row["verdict"]) for row in rows.values())
    summary = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    if counts["too-few-runs"]:
        summary += f" ({max(int(row['needed']) for row in rows.values())} more needed)"
    console.print(f"{len(runs)} runs, {runs[0].run_id} to {runs[-1].run_id}: {summary or 'no result is reliable'}")
    for line in every:
        if line["stack"] == MACHINE:
            console.print(_format_machine_line(line))
    for sentence in slow_nodes_of(runs):
        console.print(f"node, not a stack: {sentence}")
    if any(line["verdict"] == "unconfirmed" for line in every):
        console.print(
            "unconfirmed: only the newest run differs. The next run decides; to measure now: "
            f"`isochron run {runs[-1].campaign} --results {arguments.results} --new`"
        )
    changes = {(_result_key(line), line["changed_at"]): line for line in lines if line["changed_at"]}
    unchanged = [row for row in rows.values() if arguments.verbose and not row["changed_at"]]
    shown = [_shown(line) for line in (*changes.values(), *unchanged)]
    if shown and not arguments.quiet:
        console.print("")
        print_rows(sorted(shown, key=lambda row: VERDICTS.index(str(row["verdict"]))), COLUMNS, "table", console)
    elif rows and counts["too-few-runs"] == len(rows) and not arguments.quiet:
        console.print("")
        values = _values(history_of(runs[-LATEST:], archive))
        print_rows(values, list(values[0]), "table", console)
    newest = [line for line in rows.values() if line["found_at"] == runs[-1].run_id and line["whose"] != "machine"]
    slower = arguments.strict and any(line["verdict"] == "slower" for line in newest)
    return strict_exit(arguments, slower=slower, untold=bool(counts["too-few-runs"]) or not rows)


def _values(lines: list[dict[str, object]]) -> list[Row]:
    """Return the value in µs of each result in each run, if there are too few runs to detect changes."""
    rows: dict[tuple[object, ...], Row] = {}
    for line in lines:
        row = rows.setdefault(_result_key(line), {name: _shown(line)[name] for name in RESULT_KEY})
        row[f"µs in {line['run_id']}"] = round(float(str(line["median_us"])), 3)
    columns = dict.fromkeys(name for row in rows.values() for name in row)
    return [{name: row.get(name) for name in columns} for row in rows.values()]


def _format_machine_line(line: dict[str, object]) -> str:
    """`20260512T013000Z-0001: all stacks take 1.2 times as long, the machine's …`."""
    lasting = f"from {line['changed_at']} on" if line["verdict"] in ("slower", "faster") else f"in {line['changed_at']}"
    note = {"night": " (that run only)", "unconfirmed": " (unconfirmed)"}.get(str(line["verdict"]), "")
    return f"machine, not a stack: {lasting} all stacks take {line['ratio']:.3g} times as long{note}"


def _result_key(line: dict[str, object]) -> tuple[object, ...]:
    return line["stack"], line["operation"], line["bytes"], point(line)


def _shown(line: dict[str, object]) -> Row:
    rounded = {name: round(value, 3) if isinstance(value, float) else value for name, value in line.items()}
    return rounded | {"point": point(line)}
