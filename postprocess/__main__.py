# SPDX-License-Identifier: BSD-3-Clause
"""`python -m isochron.postprocess VERB …`: ingest, analyse, render, look, compare, history, export, publish …

`report` is the first three in one process, which loads its libraries once; each says its line as it ends.

Exit codes: 0 done, 1 the work failed, 2 usage.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.common.memory import enough_memory
from isochron.postprocess.site import call


def ingest(folder: Path) -> str:
    """Raw files → store."""
    from isochron.postprocess.reading.ingest import ingest as run
    from isochron.postprocess.reading.inputs import load_inputs

    rows = run(load_inputs(folder))
    return ", ".join(f"{number} {name}" for name, number in rows.items())


def analyse(folder: Path) -> str:
    """Store → tables and figures."""
    from isochron.postprocess.analysis.saved import save
    from isochron.postprocess.analysis.work import analyse as run
    from isochron.postprocess.figures.catalogue import catalogue, write_figures
    from isochron.postprocess.findings.collect import collect
    from isochron.postprocess.reading.inputs import load_inputs
    from isochron.postprocess.tables.registry import FINDINGS
    from isochron.postprocess.tables.summary import SUMMARY

    inputs = load_inputs(folder)
    analysis = run(inputs)
    findings = collect(inputs, analysis)
    save(inputs, analysis)
    findings.save(inputs.layout.tables / FINDINGS)
    figures = write_figures(inputs.layout, catalogue(inputs, analysis))
    return f"{len(analysis[SUMMARY])} rows, {len(findings.findings)} findings, {len(figures)} figures"


def render(folder: Path) -> str:
    """Tables and figures → report."""
    from isochron.common.files import write_atomically
    from isochron.postprocess.export.content import Content
    from isochron.postprocess.export.markdown import markdown
    from isochron.postprocess.reading.inputs import load_inputs
    from isochron.postprocess.report.render import render as run

    inputs = load_inputs(folder)
    page = run(inputs)
    write_atomically(inputs.layout.in_words, markdown(Content(inputs)))
    return str(page)


def compare(given: argparse.Namespace) -> str:
    """Two ingested runs → a JSON list of all their rows (compare.between_runs)."""
    from isochron.postprocess.compare.between_runs import compare_runs
    from isochron.postprocess.compare.history import NOWHERE
    from isochron.postprocess.history_cache.cache import Archive
    from isochron.postprocess.reading.inputs import load_inputs
    from isochron.schemas.run.layout import RunLayout

    baseline, candidate = load_inputs(given.baseline), load_inputs(given.candidate)
    archive = Archive(given.archive, given.baseline.absolute().parent.name) if given.archive else NOWHERE
    table = compare_runs(baseline, candidate, [RunLayout(folder.resolve()) for folder in given.before], archive)
    if given.html:
        call.compare_page(baseline, candidate, table, given.html)
    return str(table.to_json(orient="records", double_precision=10, force_ascii=False))


def look(folder: Path) -> str:
    """Store of a sequential run → the look that is due, as JSON (compare.interim)."""
    from isochron.postprocess.reading.inputs import load_inputs
    from isochron.postprocess.tables.comparison import look as take

    return take(load_inputs(folder)).model_dump_json()


def history(given: argparse.Namespace) -> str:
    """Ingested runs, the oldest first → a JSON list of all their values and changes (compare.history)."""
    from isochron.postprocess.compare.history import NOWHERE, told_changes
    from isochron.postprocess.compare.history import history as run
    from isochron.postprocess.history_cache.cache import Archive
    from isochron.schemas.run.layout import RunLayout

    runs = [RunLayout(folder.resolve()) for folder in given.runs]
    archive = Archive(given.archive, given.runs[0].absolute().parent.name) if given.archive else NOWHERE
    table = told_changes(runs, archive) if given.changes else run(runs, archive)
    if given.html:
        call.history_page(runs, archive, table, given.html)
    return str(table.to_json(orient="records", double_precision=10, force_ascii=False))


def export(form: str, output: str, folders: list[Path]) -> str:
    """Reported runs, the oldest first → the newest one in another format, in a file or on the standard output."""
    from isochron.common.files import write_bytes_atomically
    from isochron.postprocess.export.formats import exported
    from isochron.postprocess.reading.inputs import load_inputs

    made = exported(form, [load_inputs(folder) for folder in folders])
    if output == "-":
        sys.stdout.buffer.write(made)
        sys.stdout.buffer.flush()
    else:
        write_bytes_atomically(Path(output), made)
    return ""


def certify(folder: Path) -> str:
    """Runs of one series, all analysed → the certificate of the machine."""
    from isochron.postprocess.analysis.certify import certify as run

    found = run(folder)
    return f"certify: {found.false_tables.of} tables, {found.false_tables.hits} with a false verdict"


def beside(imported: Path, folder: Path, imported_first: bool) -> str:
    """An import and an ingested run → a JSON list of the cases that both have (imported.beside)."""
    from isochron.postprocess.imported.beside import beside as run
    from isochron.postprocess.reading.inputs import load_inputs
    from isochron.schemas.run.imported import ImportLayout

    table = run(ImportLayout(imported), load_inputs(folder), imported_first=imported_first)
    return str(table.to_json(orient="records", double_precision=10, force_ascii=False))


def import_files(given: argparse.Namespace) -> str:
    """Files of another benchmark → an import, and its record as JSON (imported.write)."""
    from isochron.postprocess.imported.write import ImportOptions
    from isochron.postprocess.imported.write import import_files as run

    told = ImportOptions(given.name, given.stack, given.processes, given.processes_per_node)
    return run(given.tool, given.results, told, given.files).model_dump_json()


VERBS: dict[str, Callable[[Path], str]] = {"ingest": ingest, "analyse": analyse, "render": render}
#: A compressed raw file is at most so many times smaller (measured: 4 to 7).
SMALLER = 8
#: All of these, one after another.
REPORT = "report"


def main(arguments: list[str] | None = None) -> int:
    """Parse, do, and say in one line what was done or what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m isochron.postprocess", description=__doc__)
    verbs = parser.add_subparsers(
        dest="verb",
        required=True,
        metavar="ingest|analyse|render|report|compare|look|history|export|certify|import|beside|publish|pool",
    )
    for name, what in {**{name: function.__doc__ for name, function in VERBS.items()}, REPORT: "All three."}.items():
        verb = verbs.add_parser(name, help=what)
        verb.add_argument("run_dir", type=Path, help="folder of a run: results/<campaign>/<run-id>")
    pair = verbs.add_parser("compare", help=compare.__doc__)
    pair.add_argument("baseline", type=Path, help="folder of a run")
    pair.add_argument("candidate", type=Path, help="folder of the run that is compared with it")
    pair.add_argument("--before", nargs="*", default=[], type=Path, metavar="RUN", help="runs older than the baseline")
    pair.add_argument("--archive", type=Path, metavar="DIR", help="where to keep what was worked out of each of these")
    pair.add_argument("--html", type=Path, metavar="FILE", help="a page of it, too")
    sequential = verbs.add_parser("look", help=look.__doc__)
    sequential.add_argument("run_dir", type=Path, help="folder of a run")
    series = verbs.add_parser("history", help=history.__doc__)
    series.add_argument("runs", nargs="+", type=Path, help="folders of runs of one campaign, the oldest first")
    series.add_argument("--archive", type=Path, metavar="DIR", help="where to keep what was worked out of each run")
    series.add_argument("--html", type=Path, metavar="FILE", help="a page of it, too")
    series.add_argument("--changes", action="store_true", help="only what each row was at first, and its changes")
    other = verbs.add_parser("export", help=export.__doc__)
    other.add_argument("format", help="a format of schemas.exports")
    other.add_argument("output", help="file to write, or -")
    other.add_argument("runs", nargs="+", type=Path, help="folders of runs, the oldest first")
    tables = verbs.add_parser("certify", help=certify.__doc__)
    tables.add_argument("series", type=Path, help="folder of a series: results/.certify/<series>")
    _add_imports(verbs)
    call.add_verbs(verbs)
    given = parser.parse_args(arguments)
    steps = list(VERBS) if given.verb == REPORT else [given.verb]
    codes = (_call(argparse.Namespace(**{**vars(given), "verb": step})) for step in steps)
    return next(filter(None, codes), Exit.DONE)


def _call(given: argparse.Namespace) -> int:
    """Do one thing and print what was done, or what is wrong; returns the exit code."""
    try:
        print(_done(given), end="\n" if given.verb != "export" else "", flush=True)
    except FileError as error:
        print(f"postprocess {given.verb}: {error}", file=sys.stderr)
        return Exit.FAILED
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"postprocess {given.verb}: {where}{error.strerror or error}", file=sys.stderr)
        return Exit.FAILED
    return Exit.DONE


def _add_imports(verbs: Any) -> None:
    """The verbs about files of other benchmarks."""
    files = verbs.add_parser("import", help=import_files.__doc__)
    files.add_argument("tool", help="name of the tool (isochron.tools.registry)")
    files.add_argument("results", type=Path, help="folder of all runs")
    files.add_argument("files", nargs="+", type=Path, help="what the tool has printed")
    files.add_argument("--name", required=True, help="name of the import")
    files.add_argument("--stack", default="", help="the stack that it was measured with")
    files.add_argument("--processes", type=int, help="processes, where the files do not say")
    files.add_argument("--processes-per-node", type=int, help="processes on a node, likewise")
    pair = verbs.add_parser("beside", help=beside.__doc__)
    pair.add_argument("imported", type=Path, help="folder of an import")
    pair.add_argument("run_dir", type=Path, help="folder of a run")
    pair.add_argument("--imported-first", action="store_true", help="the import is the baseline")


def _done(given: argparse.Namespace) -> str:
    """Do what was asked for; returns what is printed."""
    if given.verb == "certify":
        return certify(given.series)
    if given.verb == "import":
        return import_files(given)
    if given.verb in call.VERBS:
        return call.done(given)
    words = vars(given)
    folders = words.get("runs") or [words[name] for name in ("run_dir", "baseline", "candidate") if name in words]
    # What a history reads of a run at a time is small.
    with enough_memory(0 if given.verb == "history" else sum(map(_data_bytes, folders))):
        if given.verb == "compare":
            return compare(given)
        if given.verb == "beside":
            return beside(given.imported, given.run_dir, given.imported_first)
        if given.verb == "look":
            return look(given.run_dir)
        if given.verb == "history":
            return history(given)
        if given.verb == "export":
            return export(given.format, given.output, given.runs)
        return f"{given.verb}: {VERBS[given.verb](given.run_dir)}"


def _data_bytes(folder: Path) -> int:
    """Bytes that the data of a run take at most: a run has 18 bytes in a raw file and 56 in memory (measured)."""
    from isochron.common.bounded.packed import PACKED
    from isochron.schemas.run.layout import RunLayout

    sizes = ((path.suffix == PACKED, path.stat().st_size) for path in RunLayout(folder).raw_files() if path.is_file())
    return 4 * sum(size * SMALLER if packed else size for packed, size in sizes)


if __name__ == "__main__":
    gc.set_threshold(50_000, 20, 20)  # tables are many objects, and none of them waits for the collector
    sys.exit(main())
