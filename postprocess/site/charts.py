# SPDX-License-Identifier: BSD-3-Clause
"""Values over runs as SVG in a page: small ones for tables, large ones with axes. Colours are the page's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from isochron.postprocess.formatting import numbers
from isochron.stats.launches import Values

#: Points of a line that are drawn; of more, the medians of neighbours are.
MAX_POINTS = 240
#: The smallest ratio of the ends of an axis, so that noise does not fill it.
MIN_SPAN = 1.1
#: Width, height and margin of a small chart, in px.
SMALL = (180, 34, 4)
#: Width, height, and margins left, right, top and bottom of a large one.
LARGE = (720, 210, 62, 12, 14, 26)
STEPS = (1, 1.5, 2, 3, 5, 7)


@dataclass(frozen=True)
class Line:
    """Values by run, NaN where there is none. `levels`: (first run, run after the last, value) of each level."""

    values: Values
    levels: Sequence[tuple[int, int, float]] = ()
    name: str = ""
    series: int = 0


@dataclass(frozen=True)
class Scale:
    """Runs from left to right, values from below to above by their logarithms, in px."""

    runs: int
    low: float
    high: float
    box: tuple[float, float, float, float]  # left, right, top, bottom

    @classmethod
    def of(cls, lines: Sequence[Line], box: tuple[float, float, float, float]) -> Scale:
        """What holds all lines."""
        every = np.concatenate([line.values for line in lines])
        every = every[np.isfinite(every) & (every > 0)]
        low, high = (float(every.min()), float(every.max())) if len(every) else (1.0, 1.0)
        wider = max(1.0, np.sqrt(MIN_SPAN * low / high))
        return cls(len(lines[0].values), low / wider, high * wider, box)

    def x(self, run: float | Values) -> Values:
        """Where a run is."""
        left, right, *_ = self.box
        return np.asarray(left + (right - left) * np.asarray(run) / max(1, self.runs - 1) if self.runs > 1 else
                          np.full(np.shape(run), (left + right) / 2))  # fmt: skip

    def y(self, value: float | Values) -> Values:
        """Where a value is."""
        *_, top, bottom = self.box
        share = np.log(np.asarray(value) / self.low) / np.log(self.high / self.low)
        return np.asarray(bottom - (bottom - top) * share)


def small(line: Line, marks: Sequence[int], label: str) -> str:
    """A small chart: a dot for each run, a line for each level. `marks`: runs with which a level begins."""
    width, height, margin = SMALL
    scale = Scale.of([line], (margin, width - margin, margin, height - margin))
    parts = [f'<path class="changes" d="{_uprights(scale, marks, 0, height)}"/>'] if marks else []
    parts.append(f'<path class="dots" d="{_dots(scale, line.values)}"/>')
    if line.levels:
        parts.append(f'<path class="levels" d="{_levels(scale, line)}"/>')
    return (
        f'<svg class="spark" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )


def large(
    lines: Sequence[Line], names: Sequence[str], events: dict[int, str], marks: dict[int, str], label: str, unit: str
) -> str:
    """A chart with axes. `names`: of the runs; `events`, `marks`: words for runs that something differs, changes with.

    One line has dots and levels, several are lines with their names. `unit`: `µs`, or `×` for ratios.
    """
    width, height, left, right, top, bottom = LARGE
    scale = Scale.of(lines, (left, width - right, top, height - bottom))
    parts = [_axis(scale, unit), _dates(scale, names, height)]
    parts += [_upright(scale, run, "events", said) for run, said in sorted(events.items())]
    parts += [_upright(scale, run, "changes", said) for run, said in sorted(marks.items())]
    for line in lines:
        if len(lines) > 1:
            parts.append(f'<path class="line series-{line.series}" d="{_course(scale, line.values)}"/>')
        elif len(names) <= MAX_POINTS // 2:
            parts += _circles(scale, line.values, names, unit)
        else:
            parts.append(f'<path class="dots" d="{_dots(scale, line.values)}"/>')
        if line.levels:
            parts.append(f'<path class="levels" d="{_levels(scale, line)}"/>')
    return (
        f'<svg class="chart" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )


def thinned(values: Values) -> tuple[Values, Values]:
    """Places and values of at most `MAX_POINTS` points: medians of neighbouring runs where there are more."""
    known = np.flatnonzero(np.isfinite(values) & (values > 0))
    if len(known) <= MAX_POINTS:
        return known.astype(np.float64), values[known]
    parts = np.array_split(known, MAX_POINTS)
    return np.array([part.mean() for part in parts]), np.array([np.median(values[part]) for part in parts])


def _dots(scale: Scale, values: Values) -> str:
    runs, shown = thinned(values)
    return "".join(f"M{x:.0f} {y:.1f}h0" for x, y in zip(scale.x(runs), scale.y(shown), strict=True))


def _course(scale: Scale, values: Values) -> str:
    runs, shown = thinned(values)
    points = (f"{x:.1f} {y:.1f}" for x, y in zip(scale.x(runs), scale.y(shown), strict=True))
    return f"M{'L'.join(points)}" if len(runs) > 1 else _dots(scale, values)


def _circles(scale: Scale, values: Values, names: Sequence[str], unit: str) -> list[str]:
    known = np.flatnonzero(np.isfinite(values) & (values > 0))
    places = zip(known.tolist(), scale.x(known.astype(np.float64)), scale.y(values[known]), strict=True)
    return [
        f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{escape(names[run])}: '
        f"{numbers.significant(float(values[run]))} {unit}</title></circle>"
        for run, x, y in places
    ]


def _levels(scale: Scale, line: Line) -> str:
    left, right, *_ = scale.box
    ends = [
        (max(left - 3, float(scale.x(first - 0.4))), min(right + 3, float(scale.x(after - 0.6))), value)
        for first, after, value in line.levels
    ]
    return "".join(f"M{begin:.0f} {float(scale.y(value)):.1f}H{end:.0f}" for begin, end, value in ends)


def _uprights(scale: Scale, runs: Sequence[int], top: float, bottom: float) -> str:
    return "".join(f"M{float(scale.x(run - 0.5)):.0f} {top}V{bottom}" for run in runs)


def _upright(scale: Scale, run: int, kind: str, said: str) -> str:
    *_, top, bottom = scale.box
    path = _uprights(scale, [run], top - 8, bottom)
    return f'<path class="{kind}" d="{path}"><title>{escape(said)}</title></path>'


def _axis(scale: Scale, unit: str) -> str:
    left, right, *_ = scale.box
    parts = []
    for value in ticks(scale.low, scale.high):
        y = float(scale.y(value))
        parts.append(f'<path class="grid" d="M{left} {y:.1f}H{right}"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{_short(value)} {unit}</text>')
    return "".join(parts)


def _short(value: float) -> str:
    """A round value without zeros at its end."""
    return f"{value:,.4g}".replace(",", numbers.GAP) if value < 1e4 else numbers.fixed(value, 0)


def _dates(scale: Scale, names: Sequence[str], height: int) -> str:
    """The first run and the last, and some between."""
    wanted = sorted({0, len(names) - 1, *(round(part * (len(names) - 1) / 4) for part in (1, 2, 3))})
    anchors = {0: "start", len(names) - 1: "end"} if len(names) > 1 else {0: "middle"}
    return "".join(
        f'<text x="{float(scale.x(run)):.0f}" y="{height - 6}" '
        f'text-anchor="{anchors.get(run, "middle")}">{escape(day(names[run]))}</text>'
        for run in wanted
        if len(names) > 4 or run in anchors
    )


def day(run_id: str) -> str:
    """`2026-11-22` of a run's name; the name itself where it begins with no date."""
    return f"{run_id[:4]}-{run_id[4:6]}-{run_id[6:8]}" if run_id[:8].isdigit() else run_id


def ticks(low: float, high: float) -> list[float]:
    """Two to six round values of a logarithmic axis; none where there is no round one between its ends."""
    if not (0 < low < high):
        return []
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    found = [step * 10.0**power for power in powers for step in STEPS]
    found = [value for value in found if low <= value <= high]
    if len(found) < 2:
        step = 10.0 ** np.floor(np.log10((high - low) / 2))
        wide = [factor * step for factor in (5, 2, 1) if (high - low) / (factor * step) >= 2][:1] or [step]
        return [float(value) for value in np.arange(np.ceil(low / wide[0]), np.floor(high / wide[0]) + 1) * wide[0]]
    while len(found) > 6:
        found = found[::2]
    return found


def level_lines(first: float, changes: Sequence[tuple[int, float]], runs: int) -> list[tuple[int, int, float]]:
    """Levels of a row: the first one, and from each change (run, value) on the next."""
    starts = [(0, first), *changes]
    ends = [*(begin for begin, _ in starts[1:]), runs]
    return [(begin, end, value) for (begin, value), end in zip(starts, ends, strict=True) if end > begin]
