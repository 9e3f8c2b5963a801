# SPDX-License-Identifier: BSD-3-Clause
"""Systematic errors: what a wrong way measures over what the right one does, a figure for each error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.kit.drawing__panels import Columns, dots, grid, legend, log_axis
from isochron.postprocess.kit.figure__model import FigureInfo, Plot
from isochron.postprocess.kit.figure__palette import INK, MUTED, Mark
from isochron.postprocess.subjects.systematic.errors__systematic import ERRORS

CAPTION = "{wrong}, over {right}: 1 is no error. Markers are medians over blocks, bars the range over them.{expected}"
EXPECTED = " Upright bars: the ratio that follows for a linear broadcast."


def plots(table: pd.DataFrame, series: dict[str, Mark], note: str) -> Iterator[Plot]:
    """A figure for each error that a campaign shows. `table`: `SYSTEMATIC_COLUMNS`."""
    for number, rows in table[table["ratio"] > 0].groupby("error"):
        error = ERRORS[str(number)]
        expected = EXPECTED if rows["expected"].notna().any() else ""
        wrong = error.wrong[0].upper() + error.wrong[1:]
        info = FigureInfo(
            file=f"error-{str(number).lower()}.svg",
            title=f"{number}: {error.name}{note}",
            caption=CAPTION.format(wrong=wrong, right=error.right, expected=expected),
            section="errors",
        )
        own = {stack: mark for stack, mark in series.items() if stack in set(rows["stack"])}
        yield Plot(info, partial(ratios, rows, own, note))


def ratios(rows: pd.DataFrame, series: dict[str, Mark], note: str) -> Figure:
    """Cases from top to bottom, a marker with its range for each stack; upright bars for what is expected.

    `rows`: `SYSTEMATIC_COLUMNS` of one error.
    """
    several = rows["processes"].nunique() > 1
    rows = rows.assign(case=[_case(row, several) for row in rows.to_dict("records")], reliable=True)
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


def _case(row: Mapping[Any, Any], several: bool) -> str:
    size = int(row["bytes"])
    parts = [str(row["operation"]), *([numbers.size(size)] if size else [])]
    parts += [str(row["quantity"])] if row["quantity"] not in ("time", "first call") else []
    return ", ".join([*parts, *([f"p = {row['processes']}"] if several else [])])
