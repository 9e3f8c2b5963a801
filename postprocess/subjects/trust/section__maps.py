# SPDX-License-Identifier: BSD-3-Clause
"""Heat maps operation × size of a part that should be small, with a contour where it is not."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import pandas as pd

from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.formatting import numbers__numbers as numbers

#: Shades of the cells: each begins at this value.
SHADES = (0.01, 0.02, 0.05, 0.1, 0.2)


@dataclass(frozen=True)
class Cell:
    """The largest value of an operation at a size. `edges`: sides on which the contour runs, as classes of the page."""

    text: str
    said: str
    shade: int
    edges: str


@dataclass(frozen=True)
class Map:
    """Rows are operations, columns sizes; a cell is None where nothing was measured."""

    title: str
    sizes: list[str]
    lines: list[tuple[str, list[Cell | None]]]


def part_map(rows: pd.DataFrame, column: str, limit: float, title: str) -> Map | None:
    """The largest value over all other columns in each cell, and a contour around those above `limit`.

    `rows`: `TRUST_COLUMNS`. None where nothing is known.
    """
    known = rows[rows[column].notna()]
    if not len(known):
        return None
    worst = known.loc[known.groupby(["operation", "bytes"], sort=False)[column].idxmax()]
    found = {(row["operation"], row["bytes"]): row for row in worst.to_dict("records")}
    operations = known["operation"].unique().tolist()
    sizes = sorted(known["bytes"].unique().tolist())
    above = {key for key, row in found.items() if row[column] > limit}

    def cell(line: int, place: int) -> Cell | None:
        row = found.get((operations[line], sizes[place]))
        if row is None:
            return None
        around = {
            "top": (line - 1, place),
            "bottom": (line + 1, place),
            "left": (line, place - 1),
            "right": (line, place + 1),
        }
        inside = (operations[line], sizes[place]) in above
        edges = [side for side, (y, x) in around.items() if inside and not _in(above, operations, sizes, y, x)]
        return Cell(
            text=numbers.percent(row[column]),
            said=f"{row['stack']}, {labels.point(row)}",
            shade=bisect_left(SHADES, row[column]),
            edges=" ".join(edges),
        )

    lines = [
        (labels.timed(operation), [cell(line, place) for place in range(len(sizes))])
        for line, operation in enumerate(operations)
    ]
    return Map(title, [numbers.size(size) if size else numbers.NONE for size in sizes], lines)


def _in(above: set[tuple[Any, Any]], operations: list[str], sizes: list[int], line: int, place: int) -> bool:
    """Whether the cell at this place, which may be outside the map, is within the contour."""
    there = 0 <= line < len(operations) and 0 <= place < len(sizes)
    return there and (operations[line], sizes[place]) in above
