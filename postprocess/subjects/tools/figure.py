# SPDX-License-Identifier: BSD-3-Clause
"""Other benchmarks beside the engine: their ratio, that in the tool's own way, and how well launches agree."""

from collections.abc import Iterator
from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from isochron.postprocess.formatting import numbers
from isochron.postprocess.formatting.labels import simulation_note
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.drawing import Columns, dots, grid, legend, log_axis
from isochron.postprocess.kit.figure import INK, FigureInfo, Plot, marks
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.tools.table import TOOLS

#: Cases of one figure; the first ones are drawn.
MAX_CASES = 60
RATIO = (
    "The tool over the engine, and over the engine that starts and averages as the tool does: 1 is the same value. "
    "Medians over blocks."
)
RSE = "Relative standard error of the mean over launches, s/(mean·√L). Further left is more reproducible."


def figures(_: RunInputs, analysis: Analysis) -> Iterator[Plot]:
    """Ratio and reproducibility of each tool."""
    yield from plots(analysis[TOOLS], simulation_note(analysis.launches))


def plots(table: pd.DataFrame, note: str) -> Iterator[Plot]:
    """Two figures for each tool with each stack. `table`: `TOOL_COLUMNS`."""
    for number, ((tool, stack), rows) in enumerate(table.groupby(["tool", "stack"], sort=False), start=1):
        cases = rows.assign(case=_cases(rows), reliable=True).head(MAX_CASES)
        name = str(tool).split()[0]
        ratios = {"tool / engine": cases["ratio"], "tool / engine in the tool's way": cases["rest_ratio"]}
        errors = {"engine": 100 * cases["engine_rse"], name: 100 * cases["tool_rse"]}
        for kind, values, title, caption, axis in (
            ("ratio", ratios, f"{name} over the engine: {stack}", RATIO, "ratio"),
            ("rse", errors, f"{name} and the engine, reproducibility: {stack}", RSE, "RSE over launches (%)"),
        ):
            drawn = pd.concat([cases.assign(stack=label, value=each) for label, each in values.items()])
            if (drawn["value"] > 0).any():
                info = FigureInfo(
                    file=f"tools-{kind}.{number}.svg", title=f"{title}{note}", caption=caption, section="tools"
                )
                yield Plot(info, partial(_drawn, drawn, axis, note))


def _cases(rows: pd.DataFrame) -> list[str]:
    several = len(rows[["processes", "processes_per_node", "placement"]].drop_duplicates()) > 1
    return [
        row["operation"] + (f" {numbers.size(row['bytes'])}" if row["bytes"] else "")
        + (f", p = {row['processes']}, {row['processes_per_node']} a node, {row['placement']}" if several else "")
        for row in rows.to_dict("records")
    ]  # fmt: skip


def _drawn(rows: pd.DataFrame, axis: str, note: str) -> Figure:
    """Cases from top to bottom, a marker for each of the two. `rows`: case, stack, value, reliable."""
    categories, series = list(dict.fromkeys(rows["case"])), marks(list(dict.fromkeys(rows["stack"])))
    figure, (axes,) = grid(1, 1, 0.4 + len(categories) * 0.26)
    dots(axes, rows, Columns("case", "value"), series, categories)
    log_axis(axes, "x")
    if axis == "ratio":
        axes.axvline(1, color=INK, linewidth=0.7)
    axes.set_xlabel(f"{axis}{note}")
    legend(figure, series, joined=False, doubtful=False)
    return figure
