# SPDX-License-Identifier: BSD-3-Clause
"""When a campaign was measured, when its next run is due, and which runs were missed or came to no end."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median, quantiles

from isochron.postprocess.formatting import numbers
from isochron.postprocess.site.discovery import Run
from isochron.postprocess.site.record import Schedule

#: Runs whose distances are the usual ones, days that are looked back, and usual distances from which a run is missed.
RECENT, DAYS, MISSED = 15, 30, 1.5
#: Runs from which a distance can be the usual one, and by how much its quartiles may differ.
FEWEST, REGULAR = 4, 1.5


def schedule(runs: Sequence[Run]) -> Schedule:
    """Return dates and gaps of the runs, the oldest first, whatever their state."""
    begun = [begin(run) for run in runs]
    newest = next((run for run in reversed(runs) if run.counts), None)
    gaps = [(after - before).total_seconds() for before, after in pairwise(begun[-RECENT:]) if after > before]
    usual = median(gaps) if _regular(gaps) else 0.0
    return Schedule(
        measured=stamp(datetime.fromisoformat(newest.state.updated_at)) if newest else "",
        run=newest.run_id if newest else "",
        due=stamp(begun[-1] + timedelta(seconds=usual)) if usual else "",
        every=_duration(usual) if usual else "",
        troubles=[*_missed(begun, usual), *_unfinished(runs, begun)],
    )


def _regular(gaps: Sequence[float]) -> bool:
    """Return True if runs are enough, and the quartiles of their distances are about the same."""
    if len(gaps) < FEWEST - 1:
        return False
    first, _, third = quantiles(gaps, method="inclusive")
    return third <= REGULAR * first


def begin(run: Run) -> datetime:
    """When a run began."""
    moment = datetime.fromisoformat(run.state.created_at)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def stamp(moment: datetime) -> str:
    """`2026-11-24 06:00 UTC`."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _missed(begun: Sequence[datetime], usual: float) -> list[str]:
    """Lines on runs that did not take place, by the usual distance of runs, in the last days."""
    lines = []
    for before, after in pairwise(begun):
        gap = (after - before).total_seconds()
        if usual and gap > MISSED * usual and begun[-1] - after < timedelta(days=DAYS):
            runs = numbers.count(round(gap / usual) - 1, "run")
            lines.append(f"{runs} missed between {before:%Y-%m-%d} and {after:%Y-%m-%d}")
    return lines


def _unfinished(runs: Sequence[Run], begun: Sequence[datetime]) -> list[str]:
    """Lines on runs of the last days that are not a part of the history."""
    return [
        f"{run.run_id}: {run.problem or run.state.state}{f', {run.state.reason}' if run.state.reason else ''}"
        for run, moment in zip(runs, begun, strict=True)
        if not run.counts and begun[-1] - moment < timedelta(days=DAYS)
    ]


def _duration(seconds: float) -> str:
    """`day`, `7 days`, `6 hours`, `20 minutes`."""
    for unit, length in (("day", 86400), ("hour", 3600)):
        if seconds >= 0.9 * length:
            return numbers.count(round(seconds / length), unit).removeprefix("1 ")
    return numbers.count(max(1, round(seconds / 60)), "minute").removeprefix("1 ")
