# SPDX-License-Identifier: BSD-3-Clause
"""Late initialisation and systematic errors: flawed methods over correct ones."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from isochron.postprocess.formatting import numbers
from isochron.postprocess.formatting.labels import simulation_note
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.drawing import Columns, dots, grid, legend, log_axis
from isochron.postprocess.kit.figure import INK, MUTED, FigureInfo, Mark, Plot, marks
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.results.figure import measured_marks, spread
from isochron.postprocess.subjects.systematic.errors import ERRORS
from isochron.postprocess.subjects.systematic.table import FIRST_CALLS, LATE_CALLS, SYSTEMATIC_ERRORS, published

LATE_CAPTION = (
    "How much longer the very first call of a launch takes than the second, on rank 0: before it there is MPI_Init and "
    "nothing else. Markers are medians over launches, bars the range over them. Without colour: the same ratio as "
    "published in 2012, on another machine."
)
#: How the published libraries are drawn, one after the other.
PUBLISHED = (Mark(MUTED, "P"), Mark(INK, "X"))
#: The ratio of that figure and its range, by the definition of the published one.
LATE_RATIO = ("rank0_ratio_to_second", "rank0_ratio_to_second_min", "rank0_ratio_to_second_max")


#: If all first calls are this near to the second ones, they are not drawn: a simulator initialises nothing.
NEARLY_EQUAL = 0.01
FIRST_CALL_CAPTION = (
    "How much longer the first call takes than the second. Markers are medians over sizes and points; bars are the "
    "range over them."
)


def figures(inputs: RunInputs, analysis: Analysis) -> Iterator[Plot]:
    """First calls against second ones, late initialisation, and each systematic error."""
    note, stacks = simulation_note(analysis.launches), marks(inputs.campaign.stacks)
    yield from first_call_plots(analysis[FIRST_CALLS], measured_marks(inputs, analysis), note)
    yield from late_plots(analysis[LATE_CALLS], stacks, note)
    yield from error_plots(analysis[SYSTEMATIC_ERRORS], stacks, note)


def first_call_plots(table: pd.DataFrame, series: dict[str, Mark], note: str) -> Iterator[Plot]:
    """One figure, if any first call differs. `table`: `FIRST_CALL_COLUMNS`; `series`: the stacks to be drawn."""
    rows = table[table["stack"].isin(list(series)) & (table["ratio"] > 0)]
    if ((rows["ratio"] - 1).abs() > NEARLY_EQUAL).any():
        info = FigureInfo(file="first-calls.svg", title=f"First call against second{note}", caption=FIRST_CALL_CAPTION)
        yield Plot(info, lambda: first_call_ratio(rows, series, note))


def late_plots(table: pd.DataFrame, series: dict[str, Mark], note: str) -> Iterator[Plot]:
    """One figure, if first calls were timed. `table`: `LATE_COLUMNS`."""
    rows = table[table["rank0_ratio_to_second"] > 0]
    if not len(rows):
        return
    info = FigureInfo(
        file="late-initialisation.svg",
        title=f"The very first call of a launch against the second{note}",
        caption=LATE_CAPTION,
        section="late",
    )
    present = set(rows["stack"])
    drawn_marks = {stack: mark for stack, mark in series.items() if stack in present}
    yield Plot(info, lambda: late_ratios(rows, drawn_marks, note))


def late_ratios(rows: pd.DataFrame, series: dict[str, Mark], note: str) -> Figure:
    """Operation and size from top to bottom, a marker with its range for each stack, and the published ones.

    `rows`: `LATE_COLUMNS`.
    """
    rows = rows.assign(case=[_late_case(row) for row in rows.to_dict("records")], reliable=True)
    several = len(rows[["processes", "processes_per_node", "placement"]].drop_duplicates()) > 1
    if several:
        rows["case"] += [f", {row['processes']} × {row['processes_per_node']}" for row in rows.to_dict("records")]
    cases = rows[["case", "operation"]].drop_duplicates()
    theirs = published().merge(cases, on="operation").rename(columns={"library": "stack"})
    theirs = theirs.assign(reliable=True, **dict.fromkeys(LATE_RATIO, theirs["ratio"]))
    libraries = theirs["stack"].unique().tolist()
    shown = {**series, **dict(zip(libraries, PUBLISHED, strict=False))}
    categories = cases["case"].tolist()
    figure, (axes,) = grid(1, 1, 0.4 + len(categories) * (0.18 + 0.08 * len(shown)))
    both = pd.concat([rows, theirs], ignore_index=True)
    dots(axes, both, Columns("case", *LATE_RATIO), shown, categories)
    log_axis(axes, "x")
    axes.set_xlabel(f"First call / second call, on rank 0{note}")
    legend(figure, shown, joined=False, doubtful=False)
    return figure


def _late_case(row: Mapping[Any, Any]) -> str:
    size = int(row["bytes"])
    return f"{row['operation']}, {numbers.size(size)}" if size else str(row["operation"])


ERROR_CAPTION = (
    "{wrong}, over {right}: 1 is no error. Markers are medians over blocks, bars the range over them.{expected}"
)
EXPECTED = " Upright bars: the ratio that follows for a linear broadcast."


def error_plots(table: pd.DataFrame, series: dict[str, Mark], note: str) -> Iterator[Plot]:
    """A figure for each error that a campaign shows. `table`: `SYSTEMATIC_COLUMNS`."""
    for number, rows in table[table["ratio"] > 0].groupby("error"):
        error = ERRORS[str(number)]
        expected = EXPECTED if rows["expected"].notna().any() else ""
        wrong = error.wrong[0].upper() + error.wrong[1:]
        info = FigureInfo(
            file=f"error-{str(number).lower()}.svg",
            title=f"{number}: {error.name}{note}",
            caption=ERROR_CAPTION.format(wrong=wrong, right=error.right, expected=expected),
            section="errors",
        )
        drawn_marks = {stack: mark for stack, mark in series.items() if stack in set(rows["stack"])}
        yield Plot(info, partial(ratios, rows, drawn_marks, note))


def ratios(rows: pd.DataFrame, series: dict[str, Mark], note: str) -> Figure:
    """Cases from top to bottom, a marker with its range for each stack; upright bars for what is expected.

    `rows`: `SYSTEMATIC_COLUMNS` of one error.
    """
    several = rows["processes"].nunique() > 1
    rows = rows.assign(case=[_error_case(row, several) for row in rows.to_dict("records")], reliable=True)
    categories = list(dict.fromkeys(rows["case"]))
    figure, (axes,) = grid(1, 1, 0.4 + len(categories) * (0.2 + 0.06 * len(series)))
    dots(axes, rows, Columns("case", "ratio", "ratio_min", "ratio_max"), series, categories)
    for case, expected in rows.dropna(subset="expected").groupby("case")["expected"].first().items():
        place = categories.index(str(case))
        axes.plot([expected, expected], [place - 0.4, place + 0.4], color=INK, linewidth=1.4)
    axes.axvline(1.0, color=MUTED, linewidth=0.8)
    log_axis(axes, "x")
    axes.set_xlabel(f"Wrong / right{note}")
    legend(figure, series, joined=False, doubtful=False)
    return figure


def _error_case(row: Mapping[Any, Any], several: bool) -> str:
    size = int(row["bytes"])
    parts = [str(row["operation"]), *([numbers.size(size)] if size else [])]
    parts += [str(row["quantity"])] if row["quantity"] not in ("time", "first call") else []
    return ", ".join([*parts, *([f"p = {row['processes']}"] if several else [])])


def first_call_ratio(table: pd.DataFrame, marks: dict[str, Mark], note: str) -> Figure:
    """First call / second call: operations from top to bottom, the range over sizes and points as bar.

    `table`: stack, operation and ratio.
    """
    rows = spread(table, ["stack", "operation"], "ratio")
    operations = rows["operation"].unique().tolist()
    figure, (axes,) = grid(1, 1, 0.4 + len(operations) * (0.18 + 0.08 * len(marks)))
    dots(axes, rows, Columns("operation", "mid", "low", "high"), marks, operations)
    log_axis(axes, "x")
    axes.set_xlabel(f"First call / second call{note}")
    legend(figure, marks, joined=False, doubtful=False)
    return figure
