# SPDX-License-Identifier: BSD-3-Clause
"""The page of a run compared with the one before it, and its values for the page of comparisons."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from math import isfinite, log
from typing import Any

import pandas as pd

from isochron.common.memory import is_want
from isochron.postprocess.estimate.history_cache.facts import Facts
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import POINT, load_inputs
from isochron.postprocess.report.render import standalone
from isochron.postprocess.site.campaign_history import CampaignHistory
from isochron.postprocess.site.differences import difference_lines
from isochron.postprocess.site.discovery import Run, in_its_folder, in_words
from isochron.postprocess.site.pages import Pages
from isochron.postprocess.site.record import LeftOut
from isochron.postprocess.site.views import News, news_of

#: Value, and both ends of its interval, in µs; None where there is none.
Triple = tuple[float, float | None, float | None]
#: By stack, point in words, operation and bytes.
Row = tuple[str, str, str, int]
COLUMNS = ("stack", "operation", "bytes", "median_us", "median_low_us", "median_high_us")


def values_of(frame: pd.DataFrame) -> dict[Row, Triple]:
    """The reliable values of a run, with four digits. `frame`: `VALUE_COLUMNS`."""
    reliable_rows = frame[frame["reliable"].to_numpy(dtype=bool)]
    words: dict[tuple[Any, ...], str] = {}
    values = {}
    points = zip(*(reliable_rows[name].tolist() for name in POINT), strict=True)
    lines = zip(*(reliable_rows[name].tolist() for name in COLUMNS), strict=True)
    for point, (stack, operation, size, value, low, high) in zip(points, lines, strict=True):
        if point not in words:
            words[point] = labels.point(dict(zip(POINT, point, strict=True)))
        short = _short(value)
        if short is not None:
            values[str(stack), words[point], str(operation), int(size)] = (short, _short(low), _short(high))
    return values


def run_script(name: str, about: Mapping[str, str], facts: Facts, values: Mapping[Row, Triple]) -> str:
    """A script that registers a run under its name in the site."""
    nested: dict[str, dict[str, dict[str, dict[int, Triple]]]] = {}
    for (stack, point, operation, size), triple in values.items():
        nested.setdefault(stack, {}).setdefault(point, {}).setdefault(operation, {})[size] = triple
    properties = {"|".join(key): ", ".join(of_stack) for key, of_stack in facts.items()}
    return registered("isochronRuns", name, {**about, "facts": properties, "rows": nested})


def registered(where: str, name: str, content: object) -> str:
    """A script that puts content under a name into a global object."""
    return f"(self.{where}=self.{where}||{{}})[{script_text(name)}]={script_text(content)};\n"


def script_text(content: object) -> str:
    """JSON that neither ends a script element nor a line of it."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _short(value: float) -> float | None:
    return float(f"{value:.4g}") if value is not None and isfinite(value) and value > 0 else None


#: Rows that the page of a run lists.
LISTED = 50


@dataclass(frozen=True)
class DisjointResult:
    """A row whose intervals in two runs do not meet. `ratio`: this run / the one before, with what both allow."""

    case: str
    before: str
    after: str
    ratio: str
    interval: str
    slower: bool


@dataclass(frozen=True)
class RunView:
    """A run: its neighbours' names, what is new with it, and the rows that are apart from those of the run before."""

    slug: str
    campaign: str
    run: Run
    before: str
    after: str
    news: News
    differs: list[str]
    versions: list[tuple[str, str]]
    values: int
    shared: int
    apart: list[DisjointResult]
    apart_in_all: int
    report: str


def report_key(run: Run) -> str:
    """What the report of a run that is taken along follows from; empty if there is none."""
    try:
        status = run.layout.report.stat()
    except OSError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns}"


def write_runs(
    history: CampaignHistory, pages: Pages, published: Mapping[str, str], style: str, reports: int
) -> tuple[dict[str, str], list[LeftOut]]:
    """Write the pages of the runs that are not as they are `published`; returns by run what its page follows from.

    Second the runs whose report should be taken along and cannot be.
    """
    folder = f"campaigns/{history.campaign.slug}"
    with_report = {run.run_id for run in history.runs[max(0, len(history.runs) - reports) :]}
    keys = [_key(history, number, style, report_key(run) if run.run_id in with_report else "")
            for number, run in enumerate(history.runs)]  # fmt: skip
    wanted = []
    for number, run in enumerate(history.runs):
        files = [f"{folder}/runs/{run.run_id}.html", f"{folder}/runs/{run.run_id}.js"]
        if run.run_id in with_report and run.layout.report.is_file():
            files.append(f"{folder}/reports/{run.run_id}.html")
        if published.get(run.run_id) != keys[number] or not pages.keep(files):
            wanted.append(number)
    left_out = []
    for number, values, before in _values(history, wanted):
        problem = _write(history, pages, number, values, before, with_report)
        if problem:
            left_out.append(LeftOut(run_id=history.names[number], reason=f"its report is left out: {problem}"))
    return {run.run_id: key for run, key in zip(history.runs, keys, strict=True)}, left_out


def _key(history: CampaignHistory, number: int, style: str, report: str) -> str:
    run, last = history.runs[number], len(history.runs) - 1
    around = [history.names[each] for each in (number - 1, number + 1) if 0 <= each <= last]
    parts = (
        style,
        run.digest,
        run.state,
        around,
        history.at(number),
        history.events.get(number),
        history.nights.get(number),
        report,
    )
    return sha256(repr(parts).encode()).hexdigest()


def _values(
    history: CampaignHistory, wanted: Sequence[int]
) -> Iterator[tuple[int, dict[Row, Triple], dict[Row, Triple]]]:
    """Of each wanted run its values, and those of the run before."""
    needed = sorted({each for number in wanted for each in (number - 1, number) if each >= 0})
    frames = chain.from_iterable(history.campaign.archive.values([history.runs[number].layout for number in needed]))
    last: tuple[int, dict[Row, Triple]] = (-1, {})
    for number, frame in zip(needed, frames, strict=True):
        values = values_of(frame)
        if number in wanted:
            yield number, values, last[1] if last[0] == number - 1 else {}
        last = number, values


def _write(
    history: CampaignHistory,
    pages: Pages,
    number: int,
    values: dict[Row, Triple],
    before: dict[Row, Triple],
    reports: set[str],
) -> str:
    """Write the page of a run and what goes with it; returns why its report could not be taken along, if so."""
    slug, run = history.campaign.slug, history.runs[number]
    folder, name = f"campaigns/{slug}", f"{history.campaign.name} {run.run_id}"
    facts = history.facts[number]
    versions = [(stack, ", ".join(versions_of_stack)) for (kind, stack, what), versions_of_stack in facts.items()
                if (kind, what) == ("library", "version")]  # fmt: skip
    report = f"{folder}/reports/{run.run_id}.html"
    wanted = run.run_id in reports and run.layout.report.is_file()
    problem = _take_report(run, pages, report) if wanted else ""
    apart = disjoint_results(values, before)
    view = RunView(
        slug=slug, campaign=history.campaign.name, run=run,
        before=history.names[number - 1] if number else "",
        after=history.names[number + 1] if number + 1 < len(history.names) else "",
        news=news_of(history, number), differs=difference_lines(history.events.get(number, [])),
        versions=versions, values=len(values), shared=len(values.keys() & before.keys()),
        apart=apart[:LISTED], apart_in_all=len(apart),
        report=f"../reports/{run.run_id}.html" if report in pages.written else "",
    )  # fmt: skip
    pages.page(f"{folder}/runs/{run.run_id}.html", "run.html.j2", name, view)
    about = {"system": run.state.system, "campaign": history.campaign.name, "run": run.run_id}
    pages.text(f"{folder}/runs/{run.run_id}.js", run_script(f"{slug}/{run.run_id}", about, facts, values))
    return problem


def disjoint_results(values: dict[Row, Triple], before: dict[Row, Triple]) -> list[DisjointResult]:
    """The rows whose intervals do not meet, by what both allow at least the largest ratio first."""
    disjoint = []
    for row in values.keys() & before.keys():
        (old, old_low, old_high), (new, new_low, new_high) = before[row], values[row]
        if None in (old_low, old_high, new_low, new_high):
            continue
        low, high = (new_low or new) / (old_high or old), (new_high or new) / (old_low or old)
        if low > 1 or high < 1:
            disjoint.append((max(log(low), -log(high)), row, old, new, low, high))
    disjoint.sort(key=lambda each: (-each[0], each[1]))
    return [
        DisjointResult(
            _words(row), numbers.significant(old), numbers.significant(new), numbers.ratio(new / old),
            numbers.ratio_interval(low, high), new > old,
        )
        for _, row, old, new, low, high in disjoint
    ]  # fmt: skip


def _words(row: Row) -> str:
    stack, point, operation, size = row
    return f"{stack}, {operation}{f' at {numbers.size(size)}' if size else ''}, {point}"


def _take_report(run: Run, pages: Pages, path: str) -> str:
    """Take the report of a run along, as one file, made of what `analyse` has left; returns why that cannot be."""
    try:
        report = standalone(load_inputs(run.layout.root))
    except Exception as error:  # as where its values cannot be read
        if is_want(error):
            raise
        return in_words(error, run.layout)
    pages.text(path, in_its_folder(report, run.layout))
    return ""
