# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/reference/studies.md and its figures: what the campaigns of published studies print, from runs of them.

usage: python scripts/write_studies.py [RESULTS ...]     (folders in which `isochron run` made the runs)
"""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from math import isnan
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from isochron.common.files import FileError
from isochron.postprocess.formatting.labels import simulation
from isochron.postprocess.formatting.numbers import count
from isochron.postprocess.ingest.store import read_table
from isochron.postprocess.kit.figure import FigureInfo, FigureList
from isochron.postprocess.kit.finding import FINDINGS, Findings
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import RunState

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from scripts.study_statements import statement_lines  # noqa: E402

DOCS = ROOT / "docs"
#: Figures of the page, in `DOCS`; the largest that is copied, in bytes.
IMAGES, MAX_BYTES = "images/studies", 70_000
#: Rows of a table that are shown at most.
ROWS = 20
#: Where the note on the simulation begins in the title of a figure; the section states it once.
SIMULATED = " – simulated"
#: Findings beside results that a study is about.
KINDS = ("bound", "wait-patterns", "scaling", "growth", "placements", "placement-advice")


@dataclass(frozen=True)
class Shown:
    """A table, its columns that are shown, and the columns of which each combination has a row.

    `keep`: its first row, its last one, or both: most often the smallest and the largest size. `worst`: the column by
    which rows are sorted before, the largest value first.
    """

    table: str
    columns: tuple[str, ...]
    rows_of: tuple[str, ...]
    keep: tuple[Literal["first", "last"], ...] = ("first",)
    worst: str = ""


@dataclass(frozen=True)
class Study:
    """A campaign: its command, its tables, the patterns of its figures, and what has to be known of its findings."""

    command: str
    tables: tuple[Shown, ...]
    figures: tuple[str, ...]
    note: str = ""


BOTH: tuple[Literal["first", "last"], ...] = ("first", "last")
SHAPES = ("star", "chaos", "ring", "istar", "ichaos", "iring")
#: By the name of the campaign, in the order of docs/how-to/repeat-a-study.md.
STUDIES = {
    "mpiperf": Study(
        "isochron run mpiperf",
        (
            Shown("systematic-errors", ("error", "quantity", "operation", "bytes", "processes", "wrong_us", "right_us",
                                        "ratio", "published"), ("error",)),
            Shown("late-initialisation", ("stack", "operation", "processes", "rank0_first_us", "rank0_second_us",
                                          "rank0_ratio_to_second"), ("stack", "operation")),
            Shown("view-mpiperf", ("operation", "bytes", "scheme", "timer", "buffers", "n_l", "n_c", "n_s", "t_us",
                                   "se_us", "e_us", "engine_t_us", "engine_se_us"),
                  ("scheme", "timer", "buffers")),
            Shown("view-mpiperf-wait-patterns", ("stack", "operation", "processes", "timer", "true_us", "t_us",
                                                 "off_us"), ("operation", "timer")),
            Shown("view-mpiperf-rse", ("operation", "bytes", "processes", "scheme", "launches", "mean_us", "rse"),
                  ("operation", "processes", "scheme")),
        ),
        ("late-initialisation.svg", "mpiperf-rse.*.svg"),
    ),
    "msu": Study(
        "isochron run msu",
        (
            Shown("view-msu-topologies", ("bytes", *SHAPES, *(f"{name}_latency_us" for name in SHAPES)), ("bytes",)),
            Shown("view-msu-local", ("bytes", "process", *SHAPES), ("process",), keep=BOTH),
            Shown("view-msu-costs", ("item", "text", "cost_us"), ("item",)),
        ),
        ("time-by-size.*.svg",),
        note="The sentence on a signal is checked with a latency of this run: its transfer has a barrier before each "
        "exchange, as the signal has. The latency of exchanges in a row is in [msu-transfers](#msu-transfers).",
    ),
    "msu-transfers": Study(
        "isochron run msu-transfers",
        (
            Shown("view-msu-transfers", ("transfer", "bytes", "exchanges", "latency_us", "mib_per_s"), ("transfer",),
                  keep=BOTH),
            Shown("view-msu-fit", ("transfer", "sizes", "latency_us", "mib_per_s", "worst_residual"), ("transfer",)),
        ),
        ("time-by-size.*.svg",),
    ),
    "pmb": Study(
        "isochron run pmb",
        (
            Shown("view-pmb", ("benchmark", "bytes", "active", "repetitions", "operations", "t_min_us", "t_avg_us",
                               "t_max_us", "mib_per_s"), ("benchmark",), keep=BOTH),
            Shown("view-pmb-groups", ("groups", "benchmark", "bytes", "active", "t_avg_us", "mib_per_s"),
                  ("groups", "benchmark")),
            Shown("other-machines", ("ours", "theirs", "operation", "bytes", "active", "processes_per_node", "this_us",
                                     "other_us", "ratio"), ("ours", "operation"), worst="ratio"),
        ),
        ("contrast.rotating-root.svg",),
        note="Four processes on two cores never start together: rows are those of two processes, and a group of two is "
        "then all of them. On a machine with four cores and more the groups are PMB's `Multi-` forms.",
    ),
    "npb": Study(
        "isochron run npb",
        (
            Shown("npb", ("kernel", "npb_class", "processes", "placement", "seconds", "mops_total",
                          "mops_per_processor", "efficiency"), ("kernel", "npb_class"), keep=("last",)),
        ),
        ("npb-*.svg",),
        note="The published table `ekss-npb` has classes A to C, so nothing of it stands beside class S.",
    ),
    "bxj": Study(
        "isochron rehearse bxj",
        (
            Shown("view-bxj-3-sendrecv", ("placement", "processes_per_node", "processes", "bytes", "measured_us",
                                          "imb_mib_per_s", "published_imb_mib_per_s", "overlap_us", "no_overlap_us"),
                  ("placement", "processes_per_node"), keep=BOTH),
            Shown("view-bxj-largest", ("operation", "placement", "processes_per_node", "processes", "bytes",
                                       "measured_us", "algorithm", "fitted_factor", "published_us", "left_out"),
                  ("operation",)),
            Shown("view-bxj-points", ("operation", "placement", "processes_per_node", "processes", "bytes", "made",
                                      "time_us", "algorithm", "largest_run", "largest_factor"), ("operation",),
                  keep=("last",)),
        ),
        ("bxj-collectives.*.svg",),
        note="The study does not state which ranks share a node, so the campaign has two placements. What one of them "
        "alone shows, such as a difference between 8 and 12 processes per node, is in the tables and no finding. "
        "`isochron plan bxj` estimates 2 h 48 min with SimGrid 4.1 on two cores, 4 h 11 min with 3.32.",
    ),
    "two-sites": Study(
        "isochron run two-sites",
        (
            Shown("view-two-sites-ping-pong", ("placement", "hosts", "sites", "bytes", "time_us", "mb_per_s"),
                  ("placement",), keep=BOTH),
            Shown("view-two-sites-streams", ("stack", "placement", "hosts", "sites", "bytes", "messages", "time_us",
                                             "mb_per_s"), ("stack", "placement"), keep=("last",)),
            Shown("view-two-sites-orders", ("operation", "bytes", "placement", "median_us", "of_fastest"),
                  ("operation",), worst="of_fastest"),
            Shown("view-two-sites-paradox", ("stack", "operation", "bytes", "placement", "results_us", "avg_us",
                                             "bound_us", "below"), ("stack", "placement")),
        ),
        ("two-sites-paradox.svg",),
    ),
    "two-sites-streams": Study(
        "isochron run two-sites-streams",
        (
            Shown("view-two-sites-pairs", ("placement", "sites", "pairs", "bytes", "mb_per_s", "of_one_pair",
                                           "trunk_share"), ("placement", "pairs"), keep=BOTH),
        ),
        ("two-sites-pairs.svg",),
    ),
    "clock-sync": Study(
        "isochron run clock-sync",
        (
            Shown("clock-synchronisation", ("clock_sync", "processes", "processes_per_node", "phase_ms", "error_us",
                                            "bound_us"), ("clock_sync", "processes")),
        ),
        ("clock-synchronisation.svg",),
    ),
}  # fmt: skip

HEAD = """<!-- made by scripts/write_studies.py from runs -->
# Reference: what the campaigns of published studies print

From runs of the campaigns of [repeat a published study](../how-to/repeat-a-study.md): the findings of each report, some
rows of its tables, and a figure. Times are those of one machine with two cores, or of a simulated one; yours will
differ. [The tables](tables.md) describes every column.
"""


def page(results: list[Path], images: Path) -> str:
    """Return the page, with figures in `images`. Raises FileError if a run lacks a table, or cannot be read."""
    lines = [HEAD]
    for name, study in STUDIES.items():
        folders = [folder / run for folder in results for run in (name, f"{name}-rehearsal")]
        runs = [RunLayout((folder / "latest").resolve()) for folder in folders]
        run = next((run for run in runs if run.plan.is_file()), None)
        lines += [f"## {name}\n", *(section(name, study, run, images) if run else [f"`{study.command}`: not run.\n"])]
    lines += [*statement_lines(list(STUDIES)), ""]
    return "\n".join(lines)


def section(name: str, study: Study, run: RunLayout, images: Path) -> Iterator[str]:
    """Yield the lines of a campaign that was run. Raises FileError."""
    plan, state = Plan.load(run.plan), RunState.load(run.state)
    machine = simulation(read_table(run, "launches")) or "measured on this machine"
    minutes = (datetime.fromisoformat(state.updated_at) - datetime.fromisoformat(state.created_at)).total_seconds() / 60
    launches, blocks = count(len(plan.launches), "launch", "launches"), count(len(plan.blocks), "block")
    yield f"*{state.title}.* `{study.command}`: {launches} in {blocks}, {machine};"
    yield f"{minutes:.1f} minutes from the command to the report.\n"
    for finding in Findings.load(run.tables / FINDINGS).findings:
        if finding.severity == "result" or finding.kind in KINDS:
            yield f"- {finding.text}"
    yield f"\n{study.note}\n" if study.note else ""
    for shown in study.tables:
        yield from table_lines(shown, read_shown(shown, run))
    yield from figure_lines(name, study, run, images)


def read_shown(shown: Shown, run: RunLayout) -> pd.DataFrame:
    """Return a table of a run. Raises FileError if it, or one of its columns, is missing."""
    path = run.tables / f"{shown.table}.csv"
    if not path.is_file():
        raise FileError(f"{path}: missing; run the campaign again, or change STUDIES in scripts/write_studies.py")
    table = pd.read_csv(path)
    missing = [column for column in (*shown.columns, *shown.rows_of) if column not in table]
    if missing:
        raise FileError(f"{path}: has no column {', '.join(missing)}; change STUDIES in scripts/write_studies.py")
    return table


def table_lines(shown: Shown, table: pd.DataFrame) -> Iterator[str]:
    """Yield some rows of a table; if the stack is not among the columns shown, of the first one."""
    of_stack = ""
    if "stack" in table and "stack" not in (*shown.columns, *shown.rows_of) and table["stack"].nunique() > 1:
        of_stack = f" of {table['stack'].iloc[0]}"
        table = table[table["stack"] == table["stack"].iloc[0]]
    if shown.worst:
        table = table.sort_values(shown.worst, ascending=False, kind="stable")
    repeated = [table.duplicated(list(shown.rows_of), keep=keep) for keep in shown.keep]
    rows = table.loc[~np.logical_and.reduce(repeated), list(shown.columns)].head(ROWS)
    yield f"`{shown.table}.csv`, {len(rows)} of {len(table)} rows{of_stack}:\n"
    yield f"| {' | '.join(rows)} |"
    yield f"|{'|'.join(' ---: ' if is_number(rows[name]) else ' --- ' for name in rows)}|"
    for row in rows.itertuples(index=False):
        yield f"| {' | '.join(map(cell, row))} |"
    yield ""


def is_number(column: pd.Series) -> bool:
    """Return True if the values of a column are numbers."""
    return is_numeric_dtype(column) and not is_bool_dtype(column)


def cell(value: object) -> str:
    """Format a value: four significant digits, nothing for what is not known."""
    if isinstance(value, float):
        return "" if isnan(value) else f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
    return str(value).replace("|", "\\|")


def figure_lines(name: str, study: Study, run: RunLayout, images: Path) -> Iterator[str]:
    """Yield the study's figures, the first of each pattern that is small, copied, and the titles of all figures."""
    figures = FigureList.load(run.figures / "figures.json").figures
    for number, pattern in enumerate(study.figures, start=1):
        small = next((figure for figure in figures if is_shown(run.figures / figure.file, pattern)), None)
        if small is not None:
            yield from copied(name if number == 1 else f"{name}-{number}", small, run, images)
    titles = dict.fromkeys(figure.title.partition(SIMULATED)[0] for figure in figures)
    yield f"Figures of the report: {'; '.join(titles) or 'none'}.\n"


def is_shown(path: Path, pattern: str) -> bool:
    """Return True if a figure is that of a study and small."""
    return path.match(pattern) and path.stat().st_size <= MAX_BYTES


def copied(name: str, figure: FigureInfo, run: RunLayout, images: Path) -> Iterator[str]:
    """Copy a figure to `images` under this name, and yield its lines."""
    images.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(run.figures / figure.file, images / f"{name}.svg")
    title = figure.title.partition(SIMULATED)[0]
    yield f"![{title}](../{IMAGES}/{name}.svg)\n"
    yield f"*{title}.* {figure.caption}\n"


def main() -> int:
    """Write the page, and return the exit code."""
    try:
        text = page([Path(argument) for argument in sys.argv[1:]], DOCS / IMAGES)
    except FileError as error:
        print(f"write_studies: {error}", file=sys.stderr)
        return 1
    (DOCS / "reference" / "studies.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
