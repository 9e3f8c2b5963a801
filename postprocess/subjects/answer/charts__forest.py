# SPDX-License-Identifier: BSD-3-Clause
"""Forest plots: a line for each comparison with its interval, and the band in which a difference does not matter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite, log
from typing import Any

import pandas as pd

from isochron.postprocess.formatting import numbers__numbers as numbers

#: Factors that an axis may be marked at.
MARKS = (1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100)
#: The largest factor of an axis; its margin on each side, in per cent.
LARGEST, MARGIN = 1000.0, 3.0
#: Verdicts that decide.
ESTABLISHED = ("slower", "faster", "equivalent")


@dataclass(frozen=True)
class Line:
    """A comparison. `low`, `at`, `high`: places on the axis in per cent of its width."""

    label: str
    value: str
    interval: str
    verdict: str
    established: bool
    low: float
    at: float
    high: float


@dataclass(frozen=True)
class Forest:
    """Lines over one axis of ratios. `band`: begin and end of the practical threshold; `marks`: place and text."""

    lines: list[Line]
    band: tuple[float, float]
    one: float
    marks: list[tuple[float, str]]


def forest(rows: pd.DataFrame, label: Callable[[dict[Any, Any]], str], threshold: float) -> Forest:
    """Of lines of `question.oriented` in their order; those without a ratio are left out."""
    known = [row for row in rows.to_dict("records") if isfinite(row["ratio"]) and row["ratio"] > 0]
    ends = [end for row in known for end in (row["ratio_low"], row["ratio_high"], row["ratio"])]
    seen = [log(min(max(end, 1 / LARGEST), LARGEST)) for end in ends if end == end and end > 0]  # noqa: PLR0124 - a NaN
    low, high = min([*seen, -2 * log(1 + threshold)]), max([*seen, 2 * log(1 + threshold)])

    def place(ratio: float) -> float:
        wanted = min(max(log(ratio), low), high) if ratio > 0 else low
        return round(MARGIN + (100 - 2 * MARGIN) * (wanted - low) / (high - low), 2)

    lines = [
        Line(
            label=label(row),
            value=numbers.ratio(row["ratio"]),
            interval=numbers.ratio_interval(row["ratio_low"], row["ratio_high"]),
            verdict=row["verdict"],
            established=row["verdict"] in ESTABLISHED,
            low=place(row["ratio_low"] if isfinite(row["ratio_low"]) else 1 / LARGEST),
            at=place(row["ratio"]),
            high=place(row["ratio_high"] if isfinite(row["ratio_high"]) else LARGEST),
        )
        for row in known
    ]
    band = (place(1 / (1 + threshold)), place(1 + threshold))
    return Forest(lines, band, place(1.0), [(place(mark), f"{mark:.2g}") for mark in _marks(low, high)])


def _marks(low: float, high: float) -> list[float]:
    """1, and on either side the farthest mark on the axis, where it is far enough from 1 to be read."""
    apart = (high - low) / 6
    above = [mark for mark in MARKS if apart < log(mark) <= high]
    below = [1 / mark for mark in MARKS if apart < log(mark) <= -low]
    return [*below[-1:], 1.0, *above[-1:]]
