# SPDX-License-Identifier: BSD-3-Clause
"""`isochron history`: what has changed over all runs of a campaign, and since when?"""

import argparse
from collections import Counter
from math import log

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
from isochron.schemas.run.layout import ARCHIVE, RunLayout
from isochron.workflows.driving.postprocess import changes_of, history_of, point, slow_nodes_of, slowest_job
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
    lines = [line for line in every if line["operation"]]
    rows = {_result_key(line): line for line in lines}
    counts = Counter(str(row["verdict"]) for row in rows.values())
    summary = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    if counts["too-few-runs"]:
        summary += f" ({max(int(row['needed']) for row in rows.values())} more needed)"
    console.print(f"{len(runs)} runs, {runs[0].run_id} to {runs[-1].run_id}: {summary or 'no result is reliable'}")
    for line in every:
        if line["stack"] == MACHINE:
            console.print(_format_machine_line(line, runs))
    slow_job = [line for line in lines if _is_of_job(line)]
    if slow_job and not any(line["stack"] == MACHINE and line["changed_at"] == runs[-1].run_id for line in every):
        console.print(_format_partial_line(slow_job, runs))
    configurations = [str(line["sentence"]) for line in every if line["sentence"]]
    for sentence in (*configurations, *(f"node, not a stack: {node}" for node in slow_nodes_of(runs))):
        console.print(sentence)
    if any(line["verdict"] == "unconfirmed" for line in every):
        console.print(
            "unconfirmed: only the newest run differs. The next run decides; to measure now: "
            f"`isochron run {runs[-1].campaign} --results {arguments.results} --new`"
        )
    changes = {
        (_result_key(line), line["changed_at"]): line
        for line in lines
        if line["changed_at"] and (arguments.verbose or not _is_of_job(line))
    }
    unchanged = [row for row in rows.values() if arguments.verbose and not row["changed_at"]]
    shown = [_shown(line) for line in (*changes.values(), *unchanged)]
    if shown and not arguments.quiet:
        console.print("")
        print_rows(sorted(shown, key=lambda row: VERDICTS.index(str(row["verdict"]))), COLUMNS, "table", console)
        for sentence in dict.fromkeys(map(_format_recorded, changes.values())):
            console.print(sentence)
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


def _format_machine_line(line: dict[str, object], runs: list[RunLayout]) -> str:
    """`machine, not a stack: …` of a level that lasts; of a run that was off alone `slow job, not a library: …`."""
    times = f"all stacks take {line['ratio']:.3g} times as long"
    if line["verdict"] in ("slower", "faster"):
        return f"machine, not a stack: from {line['changed_at']} on {times}"
    note = "unconfirmed" if line["verdict"] == "unconfirmed" else "that run only"
    return f"{_job_name(line)}: in {_place(line, runs)} {times} ({note})"


def _format_partial_line(lines: list[dict[str, object]], runs: list[RunLayout]) -> str:
    """The same of the newest run, if only some cases were off with all stacks. `lines`: of these cases."""
    cases = len({_result_key(line)[1:] for line in lines})
    line = max(lines, key=lambda row: abs(log(float(str(row["ratio"])))))
    times = f"all stacks take up to {line['ratio']:.3g} times as long in {cases} case{'s' if cases > 1 else ''}"
    return f"{_job_name(line)}: in {_place(line, runs)} {times} (unconfirmed)"


def _format_recorded(line: dict[str, object]) -> str:
    """`with 20260512T013000Z-0001: mpich-5.0 version: 5.0.1 → 5.0.2 (MPI library)`: what else is new with a change."""
    nothing = "nothing else that is recorded has changed: a configuration may have, under the same name"
    return f"with {line['changed_at']}: {line['recorded'] or nothing}"


def _place(line: dict[str, object], runs: list[RunLayout]) -> str:
    """`20260512T013000Z-0001 (job 7)`: the run of a line, with its job if that is recorded."""
    run = next(run for run in runs if run.run_id == line["changed_at"])
    job = slowest_job(run) if float(str(line["ratio"])) > 1 else ""
    return f"{run.run_id} ({job})" if job else run.run_id


def _is_of_job(line: dict[str, object]) -> bool:
    """Return True if the newest run alone is off in this case, with all stacks."""
    return line["verdict"] == "unconfirmed" and line["whose"] == "machine"


def _job_name(line: dict[str, object]) -> str:
    return f"{'slow' if float(str(line['ratio'])) > 1 else 'fast'} job (all stacks), not a library"


def _result_key(line: dict[str, object]) -> tuple[object, ...]:
    return line["stack"], line["operation"], line["bytes"], point(line)


def _shown(line: dict[str, object]) -> Row:
    rounded = {name: round(value, 3) if isinstance(value, float) else value for name, value in line.items()}
    return rounded | {"point": point(line)}
