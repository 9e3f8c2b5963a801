# SPDX-License-Identifier: BSD-3-Clause
"""Forest plots: ratios with their intervals over one axis, which a few wide intervals do not stretch."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite, log
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.answer.another_job import ENDS as FORECAST_ENDS
from isochron.postprocess.formatting import labels, numbers
from isochron.schemas.run.comparisons import BOUNDED, DECIDED

#: Factors that an axis may end at, the same as in scripts/pairs.js.
MARKS = (
    *(1.02, 1.05, 1.1, 1.2, 1.3, 1.4, 1.5, 1.7, 2, 2.5, 3, 4, 5, 7),
    *(10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000),
)
#: Margin of an axis on each side, in per cent: the arrow of a clipped interval is there.
MARGIN = 3.0
#: The axis goes beyond a ratio by so many median half widths at most.
HALF_WIDTHS = 3.0


@dataclass(frozen=True)
class Line:
    """A comparison. `low`, `at`, `high`: places on the axis in per cent of its width; `style`: `style_of`.

    `clipped`: the sides on which the interval goes beyond the axis, of `low` and `high`; `again`: both ends of the
    interval for further runs, as far as the axis reaches; None if it is not known. `another`: the same of another job;
    `another_job`: that in words, or why it is not known.
    """

    label: str
    value: str
    interval: str
    verdict: str
    style: str
    low: float
    at: float
    high: float
    clipped: tuple[str, ...]
    again: tuple[float, float] | None = None
    another: tuple[float, float] | None = None
    another_job: str = ""


@dataclass(frozen=True)
class Forest:
    """Lines over one axis of ratios. `band`: begin and end of the practical threshold; `marks`: place and text."""

    lines: list[Line]
    band: tuple[float, float]
    one: float
    marks: list[tuple[float, str]]

    @property
    def clipped(self) -> int:
        """How many intervals go beyond the axis."""
        return sum(bool(line.clipped) for line in self.lines)

    @property
    def again(self) -> bool:
        """Whether intervals for further runs are drawn."""
        return any(line.again for line in self.lines)

    @property
    def another(self) -> bool:
        """Whether forecasts of another job are drawn."""
        return any(line.another for line in self.lines)

    @property
    def one_job(self) -> bool:
        """Whether all was measured in one job, so that nothing is known of another."""
        return not self.another and any(line.another_job for line in self.lines)


def style_of(verdict: str) -> str:
    """The style of a mark: that of `depends`, `bounded` if one direction is excluded, `open` if nothing is shown."""
    if verdict == "depends":
        return verdict
    return "" if verdict in DECIDED else "bounded" if verdict in BOUNDED else "open"


def forest(rows: pd.DataFrame, label: Callable[[dict[Any, Any]], str], threshold: float) -> Forest:
    """Of lines of `turned_to` and `turned_forecasts` in their order; those without a ratio are left out."""
    finite_rows = [row for row in rows.to_dict("records") if isfinite(row["ratio"]) and row["ratio"] > 0]
    logs = [tuple(_log(row[name], end) for name, end in ENDS.items()) for row in finite_rows]
    low, high = limits(logs, threshold)

    def place(value: float) -> float:
        inside = min(max(value, low), high)
        return round(MARGIN + (100 - 2 * MARGIN) * (inside - low) / (high - low), 2)

    def both(row: dict[Any, Any], first: str, last: str) -> tuple[float, float] | None:
        return (place(log(row[first])), place(log(row[last]))) if row[first] > 0 else None

    lines = [
        Line(
            label=label(row),
            value=numbers.ratio(row["ratio"]),
            interval=numbers.ratio_interval(row["ratio_low"], row["ratio_high"]),
            verdict=row["verdict"],
            style=style_of(row["verdict"]),
            low=place(begin),
            at=place(at),
            high=place(end),
            clipped=tuple(side for side, beyond in (("low", begin < low), ("high", end > high)) if beyond),
            again=both(row, "again_low", "again_high"),
            another=both(row, *FORECAST_ENDS),
            another_job=labels.another_job(row),
        )
        for row, (at, begin, end) in zip(finite_rows, logs, strict=True)
    ]
    band = (place(-log(1 + threshold)), place(log(1 + threshold)))
    marks = [(place(log(mark)), numbers.short(mark)) for mark in _marks(low, high)]
    return Forest(lines, band, place(0.0), marks)


#: Columns of a comparison, and the logarithm of an end that is not known.
ENDS = {"ratio": 0.0, "ratio_low": -inf, "ratio_high": inf}


def _log(ratio: float, unknown: float) -> float:
    return log(ratio) if isfinite(ratio) and ratio > 0 else unknown


def limits(logs: list[tuple[float, ...]], threshold: float) -> tuple[float, float]:
    """Both ends of the axis as logarithms. `logs`: ratio, low, high of each comparison; an unknown end is infinite.

    The axis contains every ratio, and twice the practical threshold on both sides of 1. It contains an interval as far
    as `HALF_WIDTHS` median half widths from its ratio (the lower of both medians; half widths that are not known do not
    count): what reaches further is clipped. Then each end moves outwards to the next of `MARKS`.
    """
    widths = sorted(side for at, low, high in logs for side in (at - low, high - at) if isfinite(side))
    reach = HALF_WIDTHS * widths[(len(widths) - 1) // 2] if widths else 0.0
    low = min([-2 * log(1 + threshold), *(max(begin, at - reach) for at, begin, _ in logs)])
    high = max([2 * log(1 + threshold), *(min(end, at + reach) for at, _, end in logs)])
    return -_outwards(-low), _outwards(high)


def _outwards(end: float) -> float:
    """The next mark, if there is one."""
    return next((log(mark) for mark in MARKS if log(mark) >= end * (1 - 1e-9)), end)


def _marks(low: float, high: float) -> list[float]:
    """1, and on either side the farthest mark on the axis, where it is far enough from 1 to be read."""
    apart = (high - low) / 4
    above = [mark for mark in MARKS if apart < log(mark) <= high]
    below = [1 / mark for mark in MARKS if apart < log(mark) <= -low]
    return [*below[-1:], 1.0, *above[-1:]]
