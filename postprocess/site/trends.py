# SPDX-License-Identifier: BSD-3-Clause
"""Values over runs, as charts that `reports/scripts/trends.js` draws: small ones in tables, large ones with axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup
from pydantic import Field

from isochron.schemas.base import Record
from isochron.stats.launches import Values

#: Points of a line that are drawn; of more, the medians of neighbours are.
MAX_POINTS = 240


@dataclass(frozen=True)
class Line:
    """Values by run, NaN if there is none. `levels`: (first run, run after the last, value) of each level."""

    values: Values
    levels: Sequence[tuple[int, int, float]] = ()
    name: str = ""
    series: int = 0


class DrawnLine(Record):
    """A line of a chart, with four digits. `at`: the run of each value, empty if every run has a place."""

    values: list[float]
    at: list[float] = Field(default=[])
    levels: list[tuple[int, int, float]] = Field(default=[])
    series: int = 0


class Chart(Record):
    """A chart over `runs` runs. `label`: what it shows, for those who cannot see it; `marks`: words by run with which
    levels begin, empty ones in a small chart; `unit`: `µs`, or `×` for ratios.
    """

    label: str
    runs: int
    lines: list[DrawnLine]
    marks: dict[int, str] = Field(default={})
    unit: str = ""

    @property
    def data(self) -> Markup:
        """What the script reads, for an attribute in single quotes."""
        document = self.model_dump(mode="json", exclude={"label"}, exclude_defaults=True)
        return htmlsafe_json_dumps(document, ensure_ascii=False, separators=(",", ":"))


def small(line: Line, marks: Sequence[int], label: str) -> Chart:
    """A chart without axes: a dot for each run, a line for each level. `marks`: runs with which a level begins."""
    return Chart(label=label, runs=len(line.values), lines=[_drawn(line)], marks=dict.fromkeys(marks, ""))


def large(lines: Sequence[Line], marks: Mapping[int, str], label: str, unit: str) -> Chart:
    """A chart with axes. One line has dots and levels, several are lines in the colours of their series."""
    drawn = [_drawn(line) for line in lines]
    return Chart(label=label, runs=len(lines[0].values), lines=drawn, marks=dict(marks), unit=unit)


def thinned(values: Values) -> tuple[Values, Values]:
    """Places and values of at most `MAX_POINTS` points: medians of neighbouring runs if there are more."""
    positions = np.flatnonzero(np.isfinite(values) & (values > 0))
    if len(positions) <= MAX_POINTS:
        return positions.astype(np.float64), values[positions]
    parts = np.array_split(positions, MAX_POINTS)
    return np.array([part.mean() for part in parts]), np.array([np.median(values[part]) for part in parts])


def level_lines(first: float, changes: Sequence[tuple[int, float]], runs: int) -> list[tuple[int, int, float]]:
    """Levels of a row: the first one, and from each change (run, value) on the next."""
    starts = [(0, first), *changes]
    ends = [*(begin for begin, _ in starts[1:]), runs]
    return [(begin, end, value) for (begin, value), end in zip(starts, ends, strict=True) if end > begin]


def _drawn(line: Line) -> DrawnLine:
    runs, values = thinned(line.values)
    at = [round(float(run), 1) for run in runs] if len(runs) < len(line.values) else []
    levels = [(begin, end, _short(value)) for begin, end, value in line.levels]
    return DrawnLine(values=[_short(value) for value in values], at=at, levels=levels, series=line.series)


def _short(value: float) -> float:
    return float(f"{value:.4g}")
