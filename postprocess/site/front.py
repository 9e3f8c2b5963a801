# SPDX-License-Identifier: BSD-3-Clause
"""What the front page says of a campaign beside its answers: the machine's speed, the last week, trends over time."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import exp, isfinite, log

import numpy as np

from isochron.postprocess.estimate.answer.decision import ALL
from isochron.postprocess.formatting import numbers
from isochron.postprocess.site.answers import Answers
from isochron.postprocess.site.campaign_history import INCONCLUSIVE, CampaignHistory
from isochron.postprocess.site.record import Entry, Told, Trend
from isochron.postprocess.site.schedule import begin
from isochron.stats.changes.search import FEWEST

#: The plot of a trend, in px: width, height, and what is left for the labels on the left and the dates below.
WIDTH, HEIGHT, LEFT, BELOW, EDGE = 360, 110, 44, 18, 6
#: Days that count as the last week; half the range of a plot at least.
WEEK, NARROWEST = timedelta(days=7), log(1.05)
#: Ratios of which ticks are chosen.
TICKS = (0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0)


def speed(history: CampaignHistory) -> str:
    """Whether the machine is as fast as it was, in a sentence, or from how many more runs on that can be told."""
    complete = len(history.runs)
    most = int(np.isfinite(history.found.values).sum(axis=0).max(initial=0)) if complete else 0
    if history.verdict == INCONCLUSIVE and most < FEWEST:
        needed = numbers.count(FEWEST - most, "more run")
        return f"Not known yet: it can be told after {needed} ({complete} of {FEWEST})."
    return history.sentence


def last_week(entries: list[Entry], newest: str) -> list[str]:
    """Titles of the news of the seven days before the newest run, with what else differed. `newest`: ISO 8601."""
    since = datetime.fromisoformat(newest) - WEEK
    listed = [entry for entry in entries if datetime.fromisoformat(entry.updated) > since and not entry.begins]
    return [_dated(entry) for entry in listed]


def _dated(entry: Entry) -> str:
    """The title with the date in place of the run's name and the largest change; the first lines of what differs."""
    lines = entry.lines[:1] if entry.kind == "change" else []
    title = entry.title.removesuffix(f" (run {entry.run_id})")
    if entry.kind == "difference":
        title = "; ".join([*entry.lines[:3], *(f"{len(entry.lines) - 3} more" for _ in entry.lines[3:4])])
    return f"{entry.updated[:10]}: {title}{': ' * bool(lines)}{'; '.join(lines)}"


def trends(history: CampaignHistory, answers: Answers) -> list[Trend]:
    """The course of each question of the newest run, if two runs have an interval."""
    plots = []
    for told in answers.newest.answers:
        course = answers.course((told.older, told.newer))
        known = [each for each in course if all(isfinite(value) and value > 0 for value in each[1:])]
        if len(known) > 1:
            plots.append(_plot(history, told, known, _threshold(answers)))
    return plots


def _ratio_of(told: Told) -> str:
    other = "the nearest other stack" if told.older == ALL else told.older
    return f"Time of {told.newer} / {other}"


def _threshold(answers: Answers) -> float:
    return answers.inputs.campaign.analysis.threshold if answers.inputs else 0.0


def _plot(history: CampaignHistory, told: Told, course: list[tuple[int, float, float, float]], margin: float) -> Trend:
    moments = [begin(history.runs[run]) for run, *_ in course]
    span = (moments[-1] - moments[0]).total_seconds()
    ends = [log(value) for _, _, low, high in course for value in (low, high)]
    below, above = min(*ends, -NARROWEST), max(*ends, NARROWEST)
    pad = 0.06 * (above - below)
    below, above = below - pad, above + pad

    def across(number: int) -> float:
        share = (moments[number] - moments[0]).total_seconds() / span if span else number / (len(course) - 1)
        return round(LEFT + EDGE + share * (WIDTH - LEFT - 2 * EDGE), 1)

    def down(ratio: float) -> float:
        return round((above - log(ratio)) / (above - below) * (HEIGHT - BELOW - EDGE) + EDGE, 1)

    inside = [tick for tick in TICKS if exp(below) < tick < exp(above)]
    shown = [1.0, *(tick for tick in (inside[0], inside[-1]) if abs(down(tick) - down(1.0)) > 12)]
    return Trend(
        older=told.older,
        newer=told.newer,
        label=f"{_ratio_of(told)} over {numbers.count(len(course), 'run')}",
        dots=[(across(number), down(value)) for number, (_, value, _, _) in enumerate(course)],
        bars=[(across(number), down(low), down(high)) for number, (_, _, low, high) in enumerate(course)],
        ticks=[(down(tick), f"{tick:g}×") for tick in dict.fromkeys(shown)],
        limits=[down(limit) for limit in (1 + margin, 1 / (1 + margin)) if below < log(limit) < above],
        first=f"{moments[0]:%Y-%m-%d}",
        last=f"{moments[-1]:%Y-%m-%d}",
    )
