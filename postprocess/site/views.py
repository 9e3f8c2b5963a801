# SPDX-License-Identifier: BSD-3-Clause
"""What the pages of a campaign show, made of its history."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.site.campaign_history import MACHINE_OWNS, CampaignHistory, Change
from isochron.postprocess.site.differences import LINES, limited, without_hashes
from isochron.postprocess.site.trends import Chart, Line, large, small
from isochron.stats.changes.search import FEWEST
from isochron.stats.launches import Values

#: Charts of single rows on a campaign's page, and characters of what differs in a chart.
CHARTS, SAID = 12, 200


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


def factors(history: CampaignHistory) -> Values:
    """Of each value its ratio to the first level of its row. Shape (T, S)."""
    firsts = np.array([history.line(series).levels[0][2] for series in range(len(history.rows))])
    return np.asarray(history.found.values / firsts)


def overall(history: CampaignHistory, ratios: Values) -> Chart:
    """The median of all rows by run, as a small chart."""
    with np.errstate(all="ignore"):
        middle = _medians(ratios)
    marks = sorted({change.run for change in history.changes})
    return small(Line(middle), marks, f"{history.campaign.name}: median of all rows over {len(history.runs)} runs")


def runs_of(history: CampaignHistory) -> dict[str, object]:
    """What all charts of a page share: the names of the runs, and by run what differs, in a line each."""
    texts = {
        run: f"{history.names[run]}: " + "; ".join(without_hashes(events_of_run))
        for run, events_of_run in history.events.items()
    }
    events = {run: text if len(text) <= SAID else f"{text[: SAID - 1]}…" for run, text in texts.items()}
    return {"names": history.names, "events": events}


def by_operation(history: CampaignHistory, ratios: Values) -> Iterator[Figure]:
    """For each operation the level of each stack over the runs, as a ratio to the first levels."""
    rows = history.found.rows
    stacks = list(dict.fromkeys(rows["stack"]))
    for operation in dict.fromkeys(rows["operation"]):
        lines = []
        for number, stack in enumerate(stacks):
            is_line = ((rows["operation"] == operation) & (rows["stack"] == stack)).to_numpy()
            if is_line.any():
                lines.append(Line(_medians(ratios[:, is_line]), name=stack, series=number % 8))
        marks: dict[int, list[Change]] = {}
        for change in history.changes:
            if history.rows[change.series]["operation"] == operation:
                marks.setdefault(change.run, []).append(change)
        labels_of_runs = {run: f"{history.names[run]}: {_counted(is_line)}" for run, is_line in marks.items()}
        chart = large(lines, labels_of_runs, f"{operation}: times against their first level, by run", "×")
        yield Figure(operation, chart, [(line.name, line.series) for line in lines], f"{operation}.html")


def largest(history: CampaignHistory) -> list[Figure]:
    """The rows with the largest changes, each with all of its own."""
    ranked = sorted(history.by_series, key=lambda series: -max(abs(np.log(c.ratio)) for c in history.by_series[series]))
    figures = []
    for series in ranked[:CHARTS]:
        heading = history.case(series)
        labels_of_runs = {
            c.run: f"{history.names[c.run]}: {c.verdict}, {numbers.ratio(c.ratio)}" for c in history.by_series[series]
        }
        label = f"{heading}: value by run; {'; '.join(labels_of_runs.values())}"
        figures.append(Figure(heading, large([history.line(series)], labels_of_runs, label, "µs"), []))
    return figures


def news(history: CampaignHistory) -> list[News]:
    """What has changed or differs, by run, the newest first."""
    runs = sorted({change.run for change in history.changes} | set(history.events) | set(history.nights), reverse=True)
    return [news_of(history, run) for run in runs]


def news_of(history: CampaignHistory, run: int) -> News:
    """The same of a run."""
    changes = history.at(run)
    detected_in = max((change.found for change in changes), default=run)
    later = f", found with {history.names[detected_in]}" if detected_in > run else ""
    nights = history.nights.get(run, [])
    text = "; ".join([*nights, f"{_counted(changes)}{later}"] if changes else nights) or "no row changes its level"
    return News(
        history.names[run],
        text,
        [_line(history, change) for change in changes[:LINES]],
        max(0, len(changes) - LINES),
        limited(without_hashes(history.events.get(run, []))),
    )


def rows_of(history: CampaignHistory, operation: str) -> list[RowView]:
    """Every row of an operation."""
    series = [number for number, row in enumerate(history.rows) if row["operation"] == operation]
    order = {stack: number for number, stack in enumerate(dict.fromkeys(history.found.rows["stack"]))}

    def place(number: int) -> tuple[Any, ...]:
        row = history.rows[number]
        return row["processes"], row["processes_per_node"], row["placement"], row["bytes"], order[row["stack"]]

    return [_row(history, number) for number in sorted(series, key=place)]


def _row(history: CampaignHistory, series: int) -> RowView:
    row, line, changes = history.rows[series], history.line(series), history.by_series.get(series, [])
    first, present = line.levels[0][2], line.levels[-1][2]
    count = int(np.isfinite(line.values).sum())
    text = "; ".join(f"{change.verdict} from {history.names[change.run]}" for change in changes)
    newest = [change.whose for change in history.unconfirmed if change.series == series]
    if newest:
        reason = "newest run off with all stacks" if newest == [MACHINE_OWNS] else "newest run unconfirmed"
        text = "; ".join(filter(None, [text, reason]))
    elif not changes:
        text = "unchanged" if count >= FEWEST else f"{numbers.count(FEWEST - count, 'more run')} needed"
    chart = small(line, [change.run for change in changes], f"{history.case(series)}: {text}")
    return RowView(
        row["stack"], row["operation"], labels.size(row), labels.point(row), chart, numbers.significant(first),
        numbers.significant(present), numbers.ratio(present / first) if changes else numbers.NONE, text,
    )  # fmt: skip


def _line(history: CampaignHistory, change: Change) -> str:
    levels = f"{numbers.significant(change.before_us)} → {numbers.significant(change.after_us)} µs"
    whose = {"machine": "; all stacks did, so it is the machine's", "either": "; a library's or the machine's"}
    text = f"{change.verdict}, {numbers.ratio(change.ratio)} ({levels}){whose.get(change.whose, '')}"
    return f"{history.case(change.series)}: {text}"


def _counted(changes: list[Change]) -> str:
    """`3 rows slower by up to 1.31×, 1 row faster by up to 0.80×`."""
    parts = []
    for word in ("slower", "faster"):
        ratios = [change.ratio for change in changes if change.verdict == word]
        if ratios:
            worst = max(ratios, key=lambda ratio: abs(np.log(ratio)))
            extent = numbers.ratio(worst) if len(ratios) == 1 else f"up to {numbers.ratio(worst)}"
            parts.append(f"{numbers.count(len(ratios), 'row')} {word}, {extent}")
    return "; ".join(parts)


def _medians(ratios: Values) -> Values:
    """Over rows, if there is one."""
    medians = np.full(len(ratios), np.nan)
    some = np.isfinite(ratios).any(axis=1)
    medians[some] = np.nanmedian(ratios[some], axis=1)
    return medians
