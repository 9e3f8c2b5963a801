# SPDX-License-Identifier: BSD-3-Clause
"""`python -m isochron.postprocess VERB …`: ingest, analyse, render, interim, compare, history, export, publish …

`report` is the first three in one process, which loads its libraries once; each prints its line when it ends.

Exit codes: 0 done, 1 the work failed, 2 usage.
"""

import argparse
import gc
import inspect
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin

from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.common.memory import enough_memory

if TYPE_CHECKING:
    from isochron.postprocess.estimate.compare.rows import Rows
    from isochron.postprocess.estimate.history_cache.cache import Archive
    from isochron.postprocess.kit.table import TableContext

#: What a verb does; it prints its result. Its docstring is its help.
Call = Callable[..., None]

#: A compressed raw file is at most this many times smaller (measured: 4 to 7).
SMALLER = 8


def ingest(run_dir: Path) -> None:
    """Raw files → store."""
    from isochron.postprocess.ingest.ingest import ingest as run
    from isochron.postprocess.ingest.inputs import load_inputs

    rows = run(load_inputs(run_dir))
    print(f"ingest: {', '.join(f'{number} {name}' for name, number in rows.items())}")


def analyse(run_dir: Path, *, before: tuple[Path, ...] = ()) -> None:
    """Store → tables and figures; `--before`: earlier runs that show the spread between jobs."""
    from isochron.postprocess.analysis.analyse import catalogue, complete, write_figures
    from isochron.postprocess.analysis.saved import save
    from isochron.postprocess.ingest.inputs import load_inputs
    from isochron.postprocess.kit.finding import FINDINGS
    from isochron.postprocess.subjects.results.table import SUMMARY

    inputs = load_inputs(run_dir, before)
    analysis, findings = complete(inputs)
    save(inputs, analysis)
    findings.save(inputs.layout.tables / FINDINGS)
    figures = write_figures(inputs.layout, catalogue(inputs, analysis))
    print(f"analyse: {len(analysis[SUMMARY])} rows, {len(findings.findings)} findings, {len(figures)} figures")


def render(run_dir: Path) -> None:
    """Tables and figures → report."""
    from isochron.common.files import write_atomically
    from isochron.postprocess.export.content import Content
    from isochron.postprocess.export.documents import markdown
    from isochron.postprocess.ingest.inputs import load_inputs
    from isochron.postprocess.report.render import render as run

    inputs = load_inputs(run_dir)
    page = run(inputs)
    write_atomically(inputs.layout.in_words, markdown(Content(inputs)))
    print(f"render: {page}")


def interim(run_dir: Path) -> None:
    """Store of a sequential run → the interim analysis that is due, as JSON (compare.interim)."""
    from isochron.postprocess.ingest.inputs import load_inputs
    from isochron.postprocess.subjects.comparison.table import take_interim

    print(take_interim(load_inputs(run_dir)).model_dump_json())


def compare(
    baseline: Path,
    candidate: Path,
    *,
    before: tuple[Path, ...] = (),
    archive: Path | None = None,
    html: Path | None = None,
) -> None:
    """Two ingested runs → a JSON list of all their rows (compare.between_runs)."""
    from isochron.postprocess.estimate.compare.between_runs import compare_runs
    from isochron.postprocess.ingest.inputs import load_inputs
    from isochron.schemas.run.layout import RunLayout

    old, new = load_inputs(baseline), load_inputs(candidate)
    older = [RunLayout(folder.resolve()) for folder in before]
    table = compare_runs(old, new, older, _archive(archive, baseline))
    if html:
        from isochron.postprocess.site.standalone import compare_page

        compare_page(old, new, table, html)
    _print_table(table)


def history(runs: list[Path], *, changes: bool = False, archive: Path | None = None, html: Path | None = None) -> None:
    """Ingested runs, the oldest first → a JSON list of all their values and changes (compare.history)."""
    from isochron.postprocess.estimate.compare import history as over_runs
    from isochron.postprocess.site.differences import recorded_with
    from isochron.schemas.run.layout import RunLayout

    layouts = [RunLayout(folder.resolve()) for folder in runs]
    kept = _archive(archive, runs[0])
    table = (over_runs.reported_changes if changes else over_runs.history)(layouts, kept)
    if html:
        from isochron.postprocess.site.standalone import history_page

        history_page(layouts, kept, table, html)
    _print_table(table.assign(recorded=recorded_with(layouts, table["changed_at"])) if changes else table)


def slow_nodes(runs: list[Path]) -> None:
    """Analysed runs, the oldest first → a sentence for each node that makes jobs slower (compare.job_nodes)."""
    from isochron.postprocess.analysis.over_runs import slow_nodes_over_runs

    print("\n".join(slow_nodes_over_runs(runs)))


def export(format_: str, output: str, runs: list[Path]) -> None:
    """Reported runs, the oldest first → the newest one in another format, in a file or on the standard output."""
    from isochron.common.files import write_bytes_atomically
    from isochron.postprocess.export.formats import exported
    from isochron.postprocess.ingest.inputs import load_inputs

    content = exported(format_, [load_inputs(folder) for folder in runs])
    if output == "-":
        sys.stdout.buffer.write(content)
    else:
        write_bytes_atomically(Path(output), content)


def certify(series: Path) -> None:
    """Runs of one series, all analysed → the certificate of the machine."""
    from isochron.postprocess.analysis.certify import certify as run

    tables = run(series).false_tables
    print(f"certify: {tables.of} tables, {tables.hits} with a false verdict")


def import_(
    tool: str,
    results: Path,
    files: list[Path],
    *,
    name: str,
    stack: str = "",
    processes: int | None = None,
    processes_per_node: int | None = None,
) -> None:
    """Files of another benchmark → an import, and its record as JSON (imported.write)."""
    from isochron.postprocess.ingest.imported import ImportOptions, import_files

    options = ImportOptions(name, stack, processes, processes_per_node)
    print(import_files(tool, results, options, files).model_dump_json())


def beside(imported: Path, run_dir: Path, *, imported_first: bool = False) -> None:
    """An import and an ingested run → a JSON list of the cases that both have (imported.beside)."""
    from isochron.postprocess.estimate.compare.imported import beside as run
    from isochron.postprocess.ingest.inputs import load_inputs
    from isochron.schemas.run.imported import ImportLayout

    _print_table(run(ImportLayout(imported), load_inputs(run_dir), imported_first=imported_first))


def jobs(imported: Path) -> None:
    """An import of several jobs → its tables of jobs, and a sentence (compare.imported_jobs)."""
    from isochron.postprocess.analysis.saved import write_csv
    from isochron.postprocess.estimate.compare.imported_jobs import imported_jobs
    from isochron.postprocess.subjects.jobs.table import JOB_CHANGES, JOB_RATIOS, JOBS
    from isochron.schemas.run.imported import ImportLayout

    layout = ImportLayout(imported.resolve())
    found = imported_jobs(layout)
    for table, frame in ((JOBS, found.times), (JOB_RATIOS, found.ratios), (JOB_CHANGES, found.changes)):
        write_csv(layout.tables / table.file, frame)
    print(found.in_words)


def explained(run_dir: Path, old: str, new: str) -> None:
    """A run of two stacks and variants of the second → a JSON list of what each gives back (compare.explained)."""
    from isochron.postprocess.estimate.compare.explained import explained as run

    context = _context(run_dir)
    _print_table(run(_rows_in_turns(context), old, new, context.rules.confidence))


def screened(run_dir: Path, old: str, new: str) -> None:
    """A run of two stacks → JSON: by how much they differ in each case, and wrong data (compare.screened)."""
    from isochron.postprocess.estimate.compare.screened import screened as run
    from isochron.postprocess.estimate.compare.screened import wrong_operations

    context = _context(run_dir)
    rows = _rows_in_turns(context)
    table = run(rows, old, new, context.rules.confidence, context.all_slices)
    print(json.dumps({"cases": table.to_dict("records"), "wrong": wrong_operations(rows)}))


def blocks(run_dir: Path, old: str) -> None:
    """A run in turns → a JSON list of what all other stacks take against one, by block (compare.block_ratios)."""
    from isochron.postprocess.estimate.compare.block_ratios import block_ratios as run

    _print_table(run(_rows_in_turns(_context(run_dir)), old))


def levels(run_dir: Path) -> None:
    """A run of one stack → a JSON list of the level of each case (compare.levels)."""
    from isochron.postprocess.estimate.compare.levels import levels as run
    from isochron.postprocess.estimate.compare.rows import rows_of
    from isochron.postprocess.subjects.results.table import make_summary

    context = _context(run_dir)
    [rows] = rows_of(context.get(make_summary), context.beside).values()
    _print_table(run(rows, context.rules.confidence))


def _context(run_dir: Path) -> "TableContext":
    """Return what tables of a run are made from."""
    from isochron.postprocess.ingest.inputs import load_inputs
    from isochron.postprocess.kit.table import TableContext

    return TableContext(load_inputs(run_dir))


def _rows_in_turns(context: "TableContext") -> dict[str, "Rows"]:
    """Return the launches of each stack of a run that was measured in turns."""
    from isochron.postprocess.estimate.compare.rows import rows_of
    from isochron.postprocess.subjects.results.table import make_summary

    return rows_of(context.get(make_summary), context.beside, context.slices)


def measured(files: list[Path]) -> None:
    """Raw files that belong to no run → the values of their launches as JSON (values.unplanned)."""
    from isochron.postprocess.estimate.values.unplanned import measured as run

    print(run(files).model_dump_json())


def publish(folder: Path, results: list[Path], *, title: str = "Isochron", url: str = "", reports: int = 10) -> None:
    """Folders of results → a static site over all their runs; the line is followed by the runs that were left out."""
    from isochron.postprocess.site.publish import SiteOptions
    from isochron.postprocess.site.publish import publish as run

    options = SiteOptions(folder, results, title, url, reports)
    summary, left_out = run(options)
    print("\n".join([summary, *left_out]))


def pool(output: Path, runs: list[Path]) -> None:
    """Ingested runs of one plan → one estimate of each value and ratio, as a page; and a sentence."""
    from isochron.postprocess.estimate.compare.pooled import pooled_runs
    from isochron.postprocess.estimate.history_cache.cache import Archive
    from isochron.postprocess.ingest.inputs import load_inputs
    from isochron.postprocess.site.standalone import pooled_page
    from isochron.schemas.run.layout import ARCHIVE

    inputs = [load_inputs(folder) for folder in runs]
    home = inputs[0].layout.root.parent
    together = all(run.layout.root.parent == home for run in inputs)
    archive = Archive(home.parent / ARCHIVE, home.name) if together else Archive(None)
    print(pooled_page(inputs, pooled_runs(inputs, archive), output))


#: The verbs, each of a call; and `report`, of the first three.
CALLS: tuple[Call, ...] = (
    ingest, analyse, render, interim, levels, compare, history, slow_nodes, export, certify, import_, beside, jobs,
    explained, screened, blocks, measured, publish, pool,
)  # fmt: skip


def _name(call: Call) -> str:
    return call.__name__.rstrip("_")


VERBS = {"report": CALLS[:3], **{_name(call): (call,) for call in CALLS}}


def parser() -> argparse.ArgumentParser:
    """Return the whole command line: the words of a verb are the parameters of its calls, options those by name."""
    top = argparse.ArgumentParser(prog="python -m isochron.postprocess", description=__doc__)
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, calls in VERBS.items():
        verb = verbs.add_parser(name, help=" ".join(call.__doc__ or "" for call in calls))
        for parameter in {key: value for call in calls for key, value in _parameters(call).items()}.values():
            _add_parameter(verb, parameter)
    return top


def _parameters(call: Call) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(call).parameters


def _add_parameter(verb: argparse.ArgumentParser, parameter: inspect.Parameter) -> None:
    kind, by_name = parameter.annotation, parameter.kind is parameter.KEYWORD_ONLY
    option: dict[str, Any] = {"type": next(one for one in (Path, int, str, bool) if one in (kind, *get_args(kind)))}
    if get_origin(kind) in (list, tuple):
        option["nargs"] = "*" if by_name else "+"
    if kind is bool:
        option = {"action": "store_true"}
    if by_name:
        required = parameter.default is parameter.empty
        option |= {"required": required} if required else {"default": parameter.default}
    verb.add_argument(f"--{parameter.name.replace('_', '-')}" if by_name else parameter.name, **option)


def main(words: list[str] | None = None) -> int:
    """Make the calls of a verb until one fails; returns the exit code."""
    arguments = vars(parser().parse_args(words))
    for call in VERBS[arguments.pop("verb")]:
        problem = _problem(call, arguments)
        if problem:
            print(f"postprocess {_name(call)}: {problem}", file=sys.stderr)
            return Exit.FAILED
    return Exit.DONE


def _problem(call: Call, arguments: dict[str, Any]) -> str:
    """Make a call; returns what was wrong, empty if nothing."""
    # Of a history little is read of each run.
    held = [] if call in (history, pool, slow_nodes) else arguments.get("runs", [])
    runs = [*held, *(arguments[name] for name in ("run_dir", "baseline", "candidate") if name in arguments)]
    try:
        with enough_memory(sum(map(_data_bytes, runs))):
            call(**{name: arguments[name] for name in _parameters(call)})
            sys.stdout.flush()
    except FileError as error:
        return str(error)
    except OSError as error:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)
    return ""


def _data_bytes(folder: Path) -> int:
    """Bytes that the data of a run take at most: a run has 18 bytes in a raw file and 56 in memory (measured)."""
    from isochron.common.packed import PACKED
    from isochron.schemas.run.layout import RunLayout

    sizes = ((path.suffix == PACKED, path.stat().st_size) for path in RunLayout(folder).raw_files() if path.is_file())
    return 4 * sum(size * SMALLER if packed else size for packed, size in sizes)


def _archive(folder: Path | None, run: Path) -> "Archive":
    """Return the archive of the campaign of a run; without a folder one that keeps nothing."""
    from isochron.postprocess.estimate.history_cache.cache import Archive

    return Archive(folder, run.absolute().parent.name) if folder else Archive(None)


def _print_table(table: Any) -> None:
    print(table.to_json(orient="records", double_precision=10, force_ascii=False))


if __name__ == "__main__":
    gc.set_threshold(50_000, 20, 20)  # tables are many objects, and none of them waits for the collector
    sys.exit(main())
