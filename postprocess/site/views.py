# SPDX-License-Identifier: BSD-3-Clause
"""What the pages of a campaign show, made of its history."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from isochron.postprocess.estimate.history_cache.facts import KINDS, Difference
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.site.campaign_history import CampaignHistory, Change
from isochron.postprocess.site.trends import Chart, Line, large, small
from isochron.stats.changes.search import FEWEST
from isochron.stats.launches import Values

#: Charts of single rows on a campaign's page, lines of a list, and characters of what differs in a chart.
CHARTS, LINES, SAID = 12, 20, 200


@dataclass(frozen=True)
class Figure:
    """A chart with its heading; `key`: names and colours of its lines, where it has several."""

    heading: str
    chart: Chart
    key: list[tuple[str, int]]
    page: str = ""


@dataclass(frozen=True)
class News:
    """Changes that begin with a run, and what else differs then. `lines`: the largest changes; `more`: how many not."""

    run_id: str
    text: str
    lines: list[str]
    more: int
    differs: list[str]


@dataclass(frozen=True)
class RowView:
    """A row on the page of an operation."""

    stack: str
    operation: str
    size: str
    point: str
    chart: Chart
    first: str
    present: str
    ratio: str
    said: str


def factors(told: CampaignHistory) -> Values:
    """Of each value its ratio to the first level of its row. Shape (T, S)."""
    firsts = np.array([told.line(series).levels[0][2] for series in range(len(told.rows))])
    return np.asarray(told.found.values / firsts)


def overall(told: CampaignHistory, ratios: Values) -> Chart:
    """The median of all rows by run, as a small chart."""
    with np.errstate(all="ignore"):
        middle = _medians(ratios)
    marks = sorted({change.run for change in told.changes})
    return small(Line(middle), marks, f"{told.campaign.name}: median of all rows over {len(told.runs)} runs")


def runs_of(told: CampaignHistory) -> dict[str, object]:
    """What all charts of a page share: the names of the runs, and by run what differs, in a line each."""
    found = {run: f"{told.names[run]}: " + "; ".join(each.text for each in said) for run, said in told.events.items()}
    events = {run: text if len(text) <= SAID else f"{text[: SAID - 1]}…" for run, text in found.items()}
    return {"names": told.names, "events": events}


def by_operation(told: CampaignHistory, ratios: Values) -> Iterator[Figure]:
    """For each operation the level of each stack over the runs, as a ratio to the first levels."""
    rows = told.found.rows
    stacks = list(dict.fromkeys(rows["stack"]))
    for operation in dict.fromkeys(rows["operation"]):
        lines = []
        for number, stack in enumerate(stacks):
            own = ((rows["operation"] == operation) & (rows["stack"] == stack)).to_numpy()
            if own.any():
                lines.append(Line(_medians(ratios[:, own]), name=stack, series=number % 8))
        marks: dict[int, list[Change]] = {}
        for change in told.changes:
            if told.rows[change.series]["operation"] == operation:
                marks.setdefault(change.run, []).append(change)
        said = {run: f"{told.names[run]}: {_counted(own)}" for run, own in marks.items()}
        chart = large(lines, said, f"{operation}: times against their first level, by run", "×")
        yield Figure(operation, chart, [(line.name, line.series) for line in lines], f"{operation}.html")


def largest(told: CampaignHistory) -> list[Figure]:
    """The rows with the largest changes, each with all of its own."""
    ranked = sorted(told.by_series, key=lambda series: -max(abs(np.log(c.ratio)) for c in told.by_series[series]))
    found = []
    for series in ranked[:CHARTS]:
        heading = told.case(series)
        said = {c.run: f"{told.names[c.run]}: {c.verdict}, {numbers.ratio(c.ratio)}" for c in told.by_series[series]}
        label = f"{heading}: value by run; {'; '.join(said.values())}"
        found.append(Figure(heading, large([told.line(series)], said, label, "µs"), []))
    return found


def news(told: CampaignHistory) -> list[News]:
    """What has changed or differs, by run, the newest first."""
    runs = sorted({change.run for change in told.changes} | set(told.events) | set(told.nights), reverse=True)
    return [news_of(told, run) for run in runs]


def news_of(told: CampaignHistory, run: int) -> News:
    """The same of a run."""
    changes = told.at(run)
    found = max((change.found for change in changes), default=run)
    later = f", found with {told.names[found]}" if found > run else ""
    nights = told.nights.get(run, [])
    text = "; ".join([*nights, f"{_counted(changes)}{later}"] if changes else nights) or "no row changes its level"
    return News(
        told.names[run],
        text,
        [_line(told, change) for change in changes[:LINES]],
        max(0, len(changes) - LINES),
        difference_lines(told.events.get(run, [])),
    )


def difference_lines(found: list[Difference]) -> list[str]:
    """`kernel: 6.1 → 6.2 (kernel)` …, at most so many."""
    lines = [f"{each.text} ({KINDS.get(each.kind, each.kind)})" for each in found]
    return lines if len(lines) <= LINES else [*lines[:LINES], f"and {len(lines) - LINES} more"]


def rows_of(told: CampaignHistory, operation: str) -> list[RowView]:
    """Every row of an operation."""
    series = [number for number, row in enumerate(told.rows) if row["operation"] == operation]
    order = {stack: number for number, stack in enumerate(dict.fromkeys(told.found.rows["stack"]))}

    def place(number: int) -> tuple[Any, ...]:
        row = told.rows[number]
        return row["processes"], row["processes_per_node"], row["placement"], row["bytes"], order[row["stack"]]

    return [_row(told, number) for number in sorted(series, key=place)]


def _row(told: CampaignHistory, series: int) -> RowView:
    row, line, own = told.rows[series], told.line(series), told.by_series.get(series, [])
    first, present = line.levels[0][2], line.levels[-1][2]
    count = int(np.isfinite(line.values).sum())
    said = "; ".join(f"{change.verdict} from {told.names[change.run]}" for change in own)
    if any(change.series == series for change in told.unconfirmed):
        said = "; ".join(filter(None, [said, "newest run unconfirmed"]))
    elif not own:
        said = "unchanged" if count >= FEWEST else f"{numbers.count(FEWEST - count, 'more run')} needed"
    chart = small(line, [change.run for change in own], f"{told.case(series)}: {said}")
    return RowView(
        row["stack"], row["operation"], labels.size(row), labels.point(row), chart, numbers.significant(first),
        numbers.significant(present), numbers.ratio(present / first) if own else numbers.NONE, said,
    )  # fmt: skip


def _line(told: CampaignHistory, change: Change) -> str:
    levels = f"{numbers.significant(change.before_us)} → {numbers.significant(change.after_us)} µs"
    whose = {"machine": "; all stacks did, so it is the machine's", "either": "; a library's or the machine's"}
    said = f"{change.verdict}, {numbers.ratio(change.ratio)} ({levels}){whose.get(change.whose, '')}"
    return f"{told.case(change.series)}: {said}"


def _counted(changes: list[Change]) -> str:
    """`3 rows slower by up to 1.31×, 1 row faster by up to 0.80×`."""
    parts = []
    for word in ("slower", "faster"):
        own = [change.ratio for change in changes if change.verdict == word]
        if own:
            worst = max(own, key=lambda ratio: abs(np.log(ratio)))
            extent = numbers.ratio(worst) if len(own) == 1 else f"up to {numbers.ratio(worst)}"
            parts.append(f"{numbers.count(len(own), 'row')} {word}, {extent}")
    return "; ".join(parts)


def _medians(ratios: Values) -> Values:
    """Over rows, where there is one."""
    found = np.full(len(ratios), np.nan)
    some = np.isfinite(ratios).any(axis=1)
    found[some] = np.nanmedian(ratios[some], axis=1)
    return found
