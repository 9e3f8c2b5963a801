# SPDX-License-Identifier: BSD-3-Clause
"""`python -m isochron.postprocess VERB …`: ingest, analyse, render, interim, compare, history, export, publish …

`report` is the first three in one process, which loads its libraries once; each prints its line when it ends.

Exit codes: 0 done, 1 the work failed, 2 usage.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.common.memory import enough_memory

if TYPE_CHECKING:
    from isochron.postprocess.estimate.compare.rows import Rows
    from isochron.postprocess.estimate.history_cache.cache import Archive
    from isochron.postprocess.kit.table import TableContext

#: What a verb does; it prints its result. Its docstring is its help.
Call = Callable[[argparse.Namespace], None]
#: A table of two stacks, of the launches of each: `baseline`, `candidate` and the confidence of the intervals.
Verbs = Any  # argparse's own type of a set of sub-commands is private

#: A compressed raw file is at most this many times smaller (measured: 4 to 7).
SMALLER = 8


def ingest(arguments: argparse.Namespace) -> None:
    """Raw files → store."""
    from isochron.postprocess.ingest.ingest import ingest as run
    from isochron.postprocess.ingest.inputs import load_inputs

    rows = run(load_inputs(arguments.run_dir))
    print(f"ingest: {', '.join(f'{number} {name}' for name, number in rows.items())}")


def analyse(arguments: argparse.Namespace) -> None:
    """Store → tables and figures."""
    from isochron.postprocess.analysis.analyse import catalogue, complete, write_figures
    from isochron.postprocess.analysis.saved import save
    from isochron.postprocess.ingest.inputs import load_inputs
    from isochron.postprocess.kit.finding import FINDINGS
    from isochron.postprocess.subjects.results.table import SUMMARY

    inputs = load_inputs(arguments.run_dir)
    analysis, findings = complete(inputs)
    save(inputs, analysis)
    findings.save(inputs.layout.tables / FINDINGS)
    figures = write_figures(inputs.layout, catalogue(inputs, analysis))
    print(f"analyse: {len(analysis[SUMMARY])} rows, {len(findings.findings)} findings, {len(figures)} figures")


def render(arguments: argparse.Namespace) -> None:
    """Tables and figures → report."""
    from isochron.common.files import write_atomically
    from isochron.postprocess.export.content import Content
    from isochron.postprocess.export.documents import markdown
    from isochron.postprocess.ingest.inputs import load_inputs
    from isochron.postprocess.report.render import render as run

    inputs = load_inputs(arguments.run_dir)
    page = run(inputs)
    write_atomically(inputs.layout.in_words, markdown(Content(inputs)))
    print(f"render: {page}")


def interim(arguments: argparse.Namespace) -> None:
    """Store of a sequential run → the interim analysis that is due, as JSON (compare.interim)."""
    from isochron.postprocess.ingest.inputs import load_inputs
    from isochron.postprocess.subjects.comparison.table import take_interim

    print(take_interim(load_inputs(arguments.run_dir)).model_dump_json())


def compare(arguments: argparse.Namespace) -> None:
    """Two ingested runs → a JSON list of all their rows (compare.between_runs)."""
    from isochron.postprocess.estimate.compare.between_runs import compare_runs
    from isochron.postprocess.ingest.inputs import load_inputs
    from isochron.schemas.run.layout import RunLayout

    baseline, candidate = load_inputs(arguments.baseline), load_inputs(arguments.candidate)
    before = [RunLayout(folder.resolve()) for folder in arguments.before]
    table = compare_runs(baseline, candidate, before, _archive(arguments, arguments.baseline))
    if arguments.html:
        from isochron.postprocess.site.standalone import compare_page

        compare_page(baseline, candidate, table, arguments.html)
    _print_table(table)


def history(arguments: argparse.Namespace) -> None:
    """Ingested runs, the oldest first → a JSON list of all their values and changes (compare.history)."""
    from isochron.postprocess.estimate.compare import history as over_runs
    from isochron.postprocess.site.differences import recorded_with
    from isochron.schemas.run.layout import RunLayout

    runs = [RunLayout(folder.resolve()) for folder in arguments.runs]
    archive = _archive(arguments, arguments.runs[0])
    table = (over_runs.reported_changes if arguments.changes else over_runs.history)(runs, archive)
    if arguments.html:
        from isochron.postprocess.site.standalone import history_page

        history_page(runs, archive, table, arguments.html)
    _print_table(table.assign(recorded=recorded_with(runs, table["changed_at"])) if arguments.changes else table)


def slow_nodes(arguments: argparse.Namespace) -> None:
    """Analysed runs, the oldest first → a sentence for each node that makes jobs slower (compare.job_nodes)."""
    from isochron.postprocess.analysis.over_runs import slow_nodes_over_runs

    print("\n".join(slow_nodes_over_runs(arguments.runs)))


def export(arguments: argparse.Namespace) -> None:
    """Reported runs, the oldest first → the newest one in another format, in a file or on the standard output."""
    from isochron.common.files import write_bytes_atomically
    from isochron.postprocess.export.formats import exported
    from isochron.postprocess.ingest.inputs import load_inputs

    content = exported(arguments.format, [load_inputs(folder) for folder in arguments.runs])
    if arguments.output == "-":
        sys.stdout.buffer.write(content)
    else:
        write_bytes_atomically(Path(arguments.output), content)


def certify(arguments: argparse.Namespace) -> None:
    """Runs of one series, all analysed → the certificate of the machine."""
    from isochron.postprocess.analysis.certify import certify as run

    tables = run(arguments.series).false_tables
    print(f"certify: {tables.of} tables, {tables.hits} with a false verdict")


def import_(arguments: argparse.Namespace) -> None:
    """Files of another benchmark → an import, and its record as JSON (imported.write)."""
    from isochron.postprocess.ingest.imported import ImportOptions, import_files

    options = ImportOptions(arguments.name, arguments.stack, arguments.processes, arguments.processes_per_node)
    print(import_files(arguments.tool, arguments.results, options, arguments.files).model_dump_json())


def beside(arguments: argparse.Namespace) -> None:
    """An import and an ingested run → a JSON list of the cases that both have (imported.beside)."""
    from isochron.postprocess.estimate.compare.imported import beside as run
    from isochron.postprocess.ingest.inputs import load_inputs
    from isochron.schemas.run.imported import ImportLayout

    imported, inputs = ImportLayout(arguments.imported), load_inputs(arguments.run_dir)
    _print_table(run(imported, inputs, imported_first=arguments.imported_first))


def jobs(arguments: argparse.Namespace) -> None:
    """An import of several jobs → its tables of jobs, and a sentence (compare.imported_jobs)."""
    from isochron.postprocess.analysis.saved import write_csv
    from isochron.postprocess.estimate.compare.imported_jobs import imported_jobs
    from isochron.postprocess.subjects.jobs.table import JOB_CHANGES, JOB_RATIOS, JOBS
    from isochron.schemas.run.imported import ImportLayout

    layout = ImportLayout(arguments.imported.resolve())
    found = imported_jobs(layout)
    for table, frame in ((JOBS, found.times), (JOB_RATIOS, found.ratios), (JOB_CHANGES, found.changes)):
        write_csv(layout.tables / table.file, frame)
    print(found.in_words)


def explained(arguments: argparse.Namespace) -> None:
    """A run of two stacks and variants of the second → a JSON list of what each gives back (compare.explained)."""
    from isochron.postprocess.estimate.compare.explained import explained as run

    context = _context(arguments)
    _print_table(run(_rows_in_turns(context), arguments.old, arguments.new, context.rules.confidence))


def screened(arguments: argparse.Namespace) -> None:
    """A run of two stacks → JSON: by how much they differ in each case, and wrong data (compare.screened)."""
    from isochron.postprocess.estimate.compare.screened import screened as run
    from isochron.postprocess.estimate.compare.screened import wrong_operations

    context = _context(arguments)
    rows = _rows_in_turns(context)
    table = run(rows, arguments.old, arguments.new, context.rules.confidence, context.all_slices)
    print(json.dumps({"cases": table.to_dict("records"), "wrong": wrong_operations(rows)}))


def blocks(arguments: argparse.Namespace) -> None:
    """A run in turns → a JSON list of what all other stacks take against one, by block (compare.block_ratios)."""
    from isochron.postprocess.estimate.compare.block_ratios import block_ratios as run

    _print_table(run(_rows_in_turns(_context(arguments)), arguments.old))


def levels(arguments: argparse.Namespace) -> None:
    """A run of one stack → a JSON list of the level of each case (compare.levels)."""
    from isochron.postprocess.estimate.compare.levels import levels as run
    from isochron.postprocess.estimate.compare.rows import rows_of
    from isochron.postprocess.subjects.results.table import make_summary

    context = _context(arguments)
    [rows] = rows_of(context.get(make_summary), context.beside).values()
    _print_table(run(rows, context.rules.confidence))


def _context(arguments: argparse.Namespace) -> TableContext:
    """Return what tables of a run are made from."""
    from isochron.postprocess.ingest.inputs import load_inputs
    from isochron.postprocess.kit.table import TableContext

    return TableContext(load_inputs(arguments.run_dir))


def _rows_in_turns(context: TableContext) -> dict[str, Rows]:
    """Return the launches of each stack of a run that was measured in turns."""
    from isochron.postprocess.estimate.compare.rows import rows_of
    from isochron.postprocess.subjects.results.table import make_summary

    return rows_of(context.get(make_summary), context.beside, context.slices)


def measured(arguments: argparse.Namespace) -> None:
    """Raw files that belong to no run → the values of their launches as JSON (values.unplanned)."""
    from isochron.postprocess.estimate.values.unplanned import measured as run

    print(run(arguments.files).model_dump_json())


def publish(arguments: argparse.Namespace) -> None:
    """Folders of results → a static site over all their runs; the line is followed by the runs that were left out."""
    from isochron.postprocess.site.publish import SiteOptions
    from isochron.postprocess.site.publish import publish as run

    options = SiteOptions(arguments.folder, arguments.results, arguments.title, arguments.url, arguments.reports)
    summary, left_out = run(options)
    print("\n".join([summary, *left_out]))


def pool(arguments: argparse.Namespace) -> None:
    """Ingested runs of one plan → one estimate of each value and ratio, as a page; and a sentence."""
    from isochron.postprocess.estimate.compare.pooled import pooled_runs
    from isochron.postprocess.estimate.history_cache.cache import Archive
    from isochron.postprocess.ingest.inputs import load_inputs
    from isochron.postprocess.site.standalone import pooled_page
    from isochron.schemas.run.layout import ARCHIVE

    runs = [load_inputs(folder) for folder in arguments.runs]
    home = runs[0].layout.root.parent
    together = all(run.layout.root.parent == home for run in runs)
    archive = Archive(home.parent / ARCHIVE, home.name) if together else Archive(None)
    print(pooled_page(runs, pooled_runs(runs, archive), arguments.output))


def parser() -> argparse.ArgumentParser:
    """Return the whole command line."""
    top = argparse.ArgumentParser(prog="python -m isochron.postprocess", description=__doc__)
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")
    for call in (ingest, analyse, render, interim, levels):
        _add_run(_add_verb(verbs, call))
    _add_run(_add_verb(verbs, ingest, analyse, render, name="report"))
    verb = _add_verb(verbs, compare)
    verb.add_argument("baseline", type=Path, help="folder of a run")
    verb.add_argument("candidate", type=Path, help="folder of the run that is compared with it")
    verb.add_argument("--before", nargs="*", default=[], type=Path, metavar="RUN", help="runs older than the baseline")
    _add_archive(verb)
    verb = _add_verb(verbs, history)
    _add_runs(verb, "folders of runs of one campaign")
    verb.add_argument("--changes", action="store_true", help="only the first level of each row, and its changes")
    _add_archive(verb)
    _add_runs(_add_verb(verbs, slow_nodes), "folders of runs of one campaign")
    verb = _add_verb(verbs, export)
    verb.add_argument("format", help="a format of schemas.exports")
    verb.add_argument("output", help="file to write, or -")
    _add_runs(verb, "folders of runs")
    _add_verb(verbs, certify).add_argument("series", type=Path, help="folder of a series: results/.certify/<series>")
    verb = _add_verb(verbs, import_)
    verb.add_argument("tool", help="name of the tool (isochron.tools.registry)")
    verb.add_argument("results", type=Path, help="folder of all runs")
    verb.add_argument("files", nargs="+", type=Path, help="output files of the tool")
    verb.add_argument("--name", required=True, help="name of the import")
    verb.add_argument("--stack", default="", help="the stack that it was measured with")
    verb.add_argument("--processes", type=int, help="processes, if not stated in the files")
    verb.add_argument("--processes-per-node", type=int, help="processes per node, if not stated in the files")
    verb = _add_import(_add_verb(verbs, beside))
    _add_run(verb)
    verb.add_argument("--imported-first", action="store_true", help="the import is the baseline")
    _add_import(_add_verb(verbs, jobs))
    for call in (explained, screened):
        verb = _add_verb(verbs, call)
        _add_run(verb)
        verb.add_argument("old", help="the stack with which the other one is compared")
        verb.add_argument("new", help="the stack that is compared with it; variants are of this one")
    verb = _add_verb(verbs, blocks)
    _add_run(verb)
    verb.add_argument("old", help="the stack with which all others are compared")
    verb = _add_verb(verbs, measured)
    verb.add_argument("files", nargs="+", type=Path, help="raw files of equal launches")
    verb = _add_verb(verbs, publish)
    verb.add_argument("folder", type=Path, help="folder of the site")
    verb.add_argument("results", nargs="+", type=Path, help="folders of results")
    verb.add_argument("--title", default="Isochron", help="name of the site")
    verb.add_argument("--url", default="", help="address at which the site will be")
    verb.add_argument("--reports", type=int, default=10, help="newest runs of a campaign whose report is copied")
    verb = _add_verb(verbs, pool)
    verb.add_argument("output", type=Path, help="file of the page")
    _add_runs(verb, "folders of runs of one plan")
    return top


def _add_verb(verbs: Verbs, *calls: Call, name: str = "") -> argparse.ArgumentParser:
    """Add a sub-command that makes these calls one after another; its name is that of a single one."""
    verb: argparse.ArgumentParser = verbs.add_parser(
        name or _name(calls[0]), help=" ".join(call.__doc__ or "" for call in calls)
    )
    verb.set_defaults(calls=calls)
    return verb


def _name(call: Call) -> str:
    return call.__name__.rstrip("_")


def _add_import(verb: argparse.ArgumentParser) -> argparse.ArgumentParser:
    verb.add_argument("imported", type=Path, help="folder of an import")
    return verb


def _add_run(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("run_dir", type=Path, help="folder of a run: results/<campaign>/<run-id>")


def _add_runs(verb: argparse.ArgumentParser, what: str) -> None:
    verb.add_argument("runs", nargs="+", type=Path, help=f"{what}, the oldest first")


def _add_archive(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--archive", type=Path, metavar="DIR", help="folder of what was computed of each older run")
    verb.add_argument("--html", type=Path, metavar="FILE", help="also write a self-contained HTML page")


def main(words: list[str] | None = None) -> int:
    """Make the calls of a verb until one fails; returns the exit code."""
    arguments = parser().parse_args(words)
    for call in arguments.calls:
        problem = _problem(call, arguments)
        if problem:
            print(f"postprocess {_name(call)}: {problem}", file=sys.stderr)
            return Exit.FAILED
    return Exit.DONE


def _problem(call: Call, arguments: argparse.Namespace) -> str:
    """Make a call; returns what was wrong, empty if nothing."""
    try:
        with enough_memory(sum(map(_data_bytes, _in_memory(arguments)))):
            call(arguments)
            sys.stdout.flush()
    except FileError as error:
        return str(error)
    except OSError as error:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)
    return ""


def _in_memory(arguments: argparse.Namespace) -> list[Path]:
    """Return the folders of the runs whose data are in memory at once: of a history little is read of each."""
    named = {} if arguments.verb in ("history", "pool", "slow_nodes") else vars(arguments)
    return named.get("runs") or [named[name] for name in ("run_dir", "baseline", "candidate") if name in named]


def _data_bytes(folder: Path) -> int:
    """Bytes that the data of a run take at most: a run has 18 bytes in a raw file and 56 in memory (measured)."""
    from isochron.common.packed import PACKED
    from isochron.schemas.run.layout import RunLayout

    sizes = ((path.suffix == PACKED, path.stat().st_size) for path in RunLayout(folder).raw_files() if path.is_file())
    return 4 * sum(size * SMALLER if packed else size for packed, size in sizes)


def _archive(arguments: argparse.Namespace, run: Path) -> Archive:
    """Return the archive of the campaign of a run; without `--archive` one that keeps nothing."""
    from isochron.postprocess.estimate.history_cache.cache import Archive

    return Archive(arguments.archive, run.absolute().parent.name) if arguments.archive else Archive(None)


def _print_table(table: Any) -> None:
    print(table.to_json(orient="records", double_precision=10, force_ascii=False))


if __name__ == "__main__":
    gc.set_threshold(50_000, 20, 20)  # tables are many objects, and none of them waits for the collector
    sys.exit(main())
