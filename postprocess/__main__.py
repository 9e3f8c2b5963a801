# SPDX-License-Identifier: BSD-3-Clause
"""`python -m isochron.postprocess ingest|analyse|render RUN`, `… compare RUN RUN` and `… history RUN…`.

Exit codes: 0 done, 1 the work failed, 2 usage.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from isochron.ground.exit_codes import Exit
from isochron.ground.files import FileError


def ingest(folder: Path) -> str:
    """Raw files → store."""
    from isochron.postprocess.reading.ingest import ingest as run
    from isochron.postprocess.reading.inputs import load_inputs

    rows = run(load_inputs(folder))
    return ", ".join(f"{number} {name}" for name, number in rows.items())


def analyse(folder: Path) -> str:
    """Store → tables and figures."""
    from isochron.postprocess.analysis.kept import keep
    from isochron.postprocess.analysis.work import analyse as run
    from isochron.postprocess.figures.catalogue import catalogue, write_figures
    from isochron.postprocess.findings.collect import collect
    from isochron.postprocess.reading.inputs import load_inputs
    from isochron.postprocess.tables.registry import FINDINGS
    from isochron.postprocess.tables.summary import SUMMARY

    inputs = load_inputs(folder)
    analysis = run(inputs)
    findings = collect(inputs, analysis)
    keep(inputs, analysis)
    findings.save(inputs.layout.tables / FINDINGS)
    figures = write_figures(inputs.layout, catalogue(inputs, analysis))
    return f"{len(analysis[SUMMARY])} rows, {len(findings.findings)} findings, {len(figures)} figures"


def render(folder: Path) -> str:
    """Tables and figures → report."""
    from isochron.postprocess.reading.inputs import load_inputs
    from isochron.postprocess.report.render import render as run

    return str(run(load_inputs(folder)))


def compare(baseline: Path, candidate: Path) -> str:
    """Two ingested runs → a JSON list of all their rows (compare.between_runs)."""
    from isochron.postprocess.compare.between_runs import compare_runs
    from isochron.postprocess.reading.inputs import load_inputs

    table = compare_runs(load_inputs(baseline), load_inputs(candidate))
    return str(table.to_json(orient="records", double_precision=10, force_ascii=False))


def history(folders: list[Path]) -> str:
    """Ingested runs, the oldest first → a JSON list of all their values and changes (compare.history)."""
    from isochron.postprocess.compare.history import history as run
    from isochron.postprocess.reading.inputs import load_inputs

    table = run([load_inputs(folder) for folder in folders])
    return str(table.to_json(orient="records", double_precision=10, force_ascii=False))


VERBS: dict[str, Callable[[Path], str]] = {"ingest": ingest, "analyse": analyse, "render": render}


def main(arguments: list[str] | None = None) -> int:
    """Parse, do, and say in one line what was done or what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m isochron.postprocess", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="ingest|analyse|render|compare|history")
    for name, function in VERBS.items():
        verb = verbs.add_parser(name, help=function.__doc__)
        verb.add_argument("run_dir", type=Path, help="folder of a run: results/<campaign>/<run-id>")
    pair = verbs.add_parser("compare", help=compare.__doc__)
    pair.add_argument("baseline", type=Path, help="folder of a run")
    pair.add_argument("candidate", type=Path, help="folder of the run that is compared with it")
    series = verbs.add_parser("history", help=history.__doc__)
    series.add_argument("runs", nargs="+", type=Path, help="folders of runs, the oldest first")
    given = parser.parse_args(arguments)
    try:
        if given.verb == "compare":
            print(compare(given.baseline, given.candidate))
            return Exit.DONE
        if given.verb == "history":
            print(history(given.runs))
            return Exit.DONE
        done = VERBS[given.verb](given.run_dir)
    except FileError as error:
        print(f"postprocess {given.verb}: {error}", file=sys.stderr)
        return Exit.FAILED
    print(f"{given.verb}: {done}")
    return Exit.DONE


if __name__ == "__main__":
    sys.exit(main())
