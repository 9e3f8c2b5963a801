# SPDX-License-Identifier: BSD-3-Clause
"""`isochron compare`: is anything slower than it was?"""

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
from isochron.schemas.run.comparisons import BOUNDED, MAY_BE_SLOWER, VERDICTS
from isochron.schemas.run.imported import ImportLayout, find_import
from isochron.schemas.run.layout import RunLayout
from isochron.workflows.driving.postprocess import compare_runs, compare_with_import, point
from isochron.workflows.runs import complete_run_before, find_run

EXAMPLE = """\
  isochron compare demo                                  the newest run with the complete run before it
  isochron compare results/demo/20261101T… demo          this run with the newest run
  isochron compare demo --html compared.html             as a page
  isochron compare demo --format csv > comparison.csv    all rows, all columns
  isochron compare old-cluster demo                      imported files of another benchmark with a run"""

COLUMNS = ("stack", "operation", "bytes", "point", "ratio", "low", "high", "verdict")
#: Columns of the table with an import.
IMPORT_COLUMNS = (
    *("stack", "operation", "bytes", "point", "tool", "scheme", "imported_us", "engine_scheme", "engine_us", "ratio"),
    *("alike", "matched_us", "ratio_alike"),
)
#: Verdicts of results that are only printed on request: no change of them is shown.
UNCHANGED = ("equivalent", *BOUNDED, "inconclusive")
#: Reasons that are printed, the most common ones.
REASONS = 3


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "compare", EXAMPLE, call)
    verb.add_argument(
        "runs", nargs="+", metavar="CAMPAIGN|RUN_DIR", help="baseline and candidate, or the candidate alone"
    )
    add_results(verb)
    add_format(verb)
    add_html(verb)
    add_strict(verb)


def call(arguments: argparse.Namespace) -> int:
    """Print the verdicts: of all results as CSV or JSON, or the changed results as a table."""
    imported = [find_import(arguments.results, name) for name in arguments.runs]
    if any(imported):
        return _compare_with_import(arguments, imported)
    baseline, candidate = _find_runs(arguments)
    rows = compare_runs(baseline, candidate, arguments.html)
    counts = Counter(str(row["verdict"]) for row in rows)
    console = Terminal()
    if arguments.format != "table":
        print_rows(rows, list(rows[0]) if rows else COLUMNS, arguments.format, console)
    else:
        summary = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
        console.print(f"{candidate.run_id} against {baseline.run_id}: {summary}")
        for reason, count in [] if arguments.quiet else _reasons(rows):
            console.print(f"  {count} inconclusive: {reason}")
        shown = [_row(row) for row in rows if arguments.verbose or row["verdict"] not in UNCHANGED]
        if shown and not arguments.quiet:
            console.print("")
            print_rows(sorted(shown, key=lambda row: VERDICTS.index(str(row["verdict"]))), COLUMNS, "table", console)
    untold = any(counts[verdict] for verdict in MAY_BE_SLOWER)
    return strict_exit(arguments, slower=bool(counts["slower"]), untold=untold)


def _reasons(rows: list[Row]) -> list[tuple[str, int]]:
    """Return the most frequent reasons for inconclusive results, with their counts."""
    return Counter(str(row["reason"]) for row in rows if row["verdict"] == "inconclusive").most_common(REASONS)


def _compare_with_import(arguments: argparse.Namespace, imported: list[ImportLayout | None]) -> int:
    """Print the values of an import next to those of a run, without verdicts."""
    names, imports = arguments.runs, [layout for layout in imported if layout is not None]
    if len(names) != 2 or len(imports) != 1:
        raise FileError(f"compare {' '.join(names)}: an import is compared with one run; give one import and one run")
    if arguments.html:
        raise FileError("compare --html: not possible with an import; use `--format csv`")
    first = imported[0] is not None
    run = find_run(arguments.results, names[1 if first else 0])
    rows = compare_with_import(imports[0], run, imported_first=first)
    console = Terminal()
    if arguments.format != "table":
        print_rows(rows, list(rows[0]), arguments.format, console)
        return Exit.DONE
    inside = sum(bool(row["within"]) for row in rows)
    console.print(
        f"{rows[0]['imported']} (imported) compared with {run.run_id}: {len(rows)} values, {inside} "
        "in the run's intervals; they were not measured in its blocks, so no verdict is given"
    )
    if not arguments.quiet:
        console.print("")
        print_rows([_short(row) for row in rows], IMPORT_COLUMNS, "table", console)
    if arguments.verbose:
        console.print("")
        for reason in dict.fromkeys(str(row["reason"]) for row in rows):
            console.print(reason)
    return Exit.DONE


def _find_runs(arguments: argparse.Namespace) -> tuple[RunLayout, RunLayout]:
    runs = [find_run(arguments.results, name) for name in arguments.runs]
    if len(runs) > 2:
        raise FileError(f"compare: {len(runs)} runs were given; give a baseline and a candidate")
    if len(runs) == 1:
        before = complete_run_before(runs[0])
        if before is None:
            raise FileError(f"{runs[0].root}: the campaign has no older complete run; name the baseline")
        return before, runs[0]
    return runs[0], runs[1]


def _short(row: Row) -> Row:
    rounded = {name: round(value, 3) if isinstance(value, float) else value for name, value in row.items()}
    return rounded | {"point": point(row)}


def _row(row: Row) -> Row:
    return _short(row | {"low": row["ratio_low"], "high": row["ratio_high"]})
