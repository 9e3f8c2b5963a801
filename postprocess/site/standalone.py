# SPDX-License-Identifier: BSD-3-Clause
"""Pages that stand alone, in one file: two runs tested, the history of a campaign, several runs as one estimate."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd

from isochron.common.files import write_atomically
from isochron.postprocess.estimate.answer.decision import by_least
from isochron.postprocess.estimate.answer.least import nearest_to_one
from isochron.postprocess.estimate.compare.pooled import PooledRuns
from isochron.postprocess.estimate.history_cache.cache import Archive, digest
from isochron.postprocess.estimate.history_cache.facts import differences, facts_of
from isochron.postprocess.formatting import numbers
from isochron.postprocess.formatting.spreadsheet import as_csv
from isochron.postprocess.ingest.inputs import POINT, RunInputs
from isochron.postprocess.site.campaign_history import FASTER, INCONCLUSIVE, SLOWER, UNCHANGED, case_words, tell
from isochron.postprocess.site.differences import difference_lines
from isochron.postprocess.site.discovery import Campaign, Run
from isochron.postprocess.site.pages import TRENDS, Pages
from isochron.postprocess.site.trends import Chart, Line, small
from isochron.postprocess.site.views import by_operation, factors, largest, news, rows_of, runs_of
from isochron.schemas.run.comparisons import BOUNDED, NOTHING_SHOWN, VERDICTS
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import RunState

#: Name of a page that is in no site.
BRAND = "Isochron"
#: Lines of a table of rows in a page; all are in its CSV.
LISTED = 400
#: Verdicts that leave open whether anything has changed.
NOT_KNOWN = (*BOUNDED, *NOTHING_SHOWN)


@dataclass(frozen=True)
class Tested:
    """A row of two runs, in words."""

    case: str
    before: str
    after: str
    ratio: str
    interval: str
    own: str
    reason: str


@dataclass(frozen=True)
class Estimate:
    """A row or a ratio over several runs, in words."""

    case: str
    chart: Chart | None
    pooled: str
    interval: str
    between: str
    further: str
    runs: int


def compare_page(baseline: RunInputs, candidate: RunInputs, table: pd.DataFrame, path: Path) -> None:
    """Write what `compare` has found. `table`: `BETWEEN_RUNS_COLUMNS`."""
    counts = Counter(table["verdict"])
    untold = sum(counts[verdict] for verdict in NOT_KNOWN)
    verdict = SLOWER if counts[SLOWER] else INCONCLUSIVE if untold else FASTER if counts[FASTER] else UNCHANGED
    point = len(table[POINT].drop_duplicates()) > 1
    groups = {}
    for word in VERDICTS:
        least = nearest_to_one(table["ratio_low"].to_numpy(), table["ratio_high"].to_numpy())
        tested_rows = by_least(table.assign(least=least)[table["verdict"] == word], slowest_first=word != "faster")
        groups[word] = [_tested(row, point) for row in tested_rows.head(LISTED).to_dict("records")]
    facts = [facts_of(run.layout) for run in (baseline, candidate)]
    analysis = candidate.campaign.analysis
    view = {
        "baseline": baseline, "candidate": candidate, "verdict": verdict, "groups": groups,
        "counts": {word: counts[word] for word in VERDICTS if counts[word]},
        "absent": [f"{word}: {counts[word]}" for word in ("missing", "new") if counts[word]],
        "differs": difference_lines(differences(*facts)), "csv": _data(table),
        "threshold": numbers.given_percent(analysis.threshold),
        "confidence": numbers.given_percent(analysis.confidence),
    }  # fmt: skip
    heading = f"{candidate.layout.run_id} against {baseline.layout.run_id}"
    _write(path, "tested.html.j2", heading, view)


def history_page(runs: list[RunLayout], archive: Archive, table: pd.DataFrame, path: Path) -> None:
    """Write the history of a campaign. `runs`: the oldest first; `table`: what `reported_changes` says of them."""
    listed_runs = [Run(run, RunState.load(run.state), digest(run)) for run in runs]
    results = archive.folder.parent if archive.folder else runs[0].root.parent.parent
    history = tell(Campaign("", results, runs[0].root.parent.name, listed_runs))
    operations = list(by_operation(history, factors(history)))
    rows = [row for operation in operations for row in rows_of(history, operation.heading)]
    changed = [row for row in rows if row.ratio != numbers.NONE]
    steady = [row for row in rows if row.ratio == numbers.NONE]
    view = {
        "told": history, "operations": operations, "largest": largest(history), "news": news(history),
        "rows": [*changed, *steady][:LISTED], "all": len(rows), "csv": _data(table),
        "over": runs_of(history),
    }  # fmt: skip
    _write(path, "history.html.j2", listed_runs[-1].state.title or history.campaign.name, view, TRENDS)


def pooled_page(runs: list[RunInputs], pooled: PooledRuns, path: Path) -> str:
    """Write several runs as one estimate; returns that in a sentence."""
    facts = [facts_of(run.layout) for run in runs]
    differs = [
        (f"{one.layout.run_id} → {other.layout.run_id}", difference_lines(pooled))
        for (one, other), pooled in zip(pairwise(runs), (differences(*pair) for pair in pairwise(facts)), strict=True)
        if pooled
    ]
    between_runs = pooled.values["between_runs"].dropna()
    usual, most = (between_runs.median(), between_runs.max()) if len(between_runs) else (float("nan"), float("nan"))
    sentence = (
        f"{len(runs)} runs, {numbers.count(len(pooled.values), 'row')}: from run to run a value differs by "
        f"{numbers.percent(usual)} (median of the standard deviations between runs), "
        f"at most by {numbers.percent(most)}."
    )
    point = len(pooled.values[POINT].drop_duplicates()) > 1
    charts = [small(Line(pooled.medians[:, row]), [], f"{len(runs)} values") for row in range(len(pooled.values))]
    least = nearest_to_one(pooled.ratios["low"].to_numpy(), pooled.ratios["high"].to_numpy())
    ratios = pooled.ratios.assign(least=least).sort_values(["least", "pooled"], ascending=False, kind="stable")
    view = {
        "runs": runs, "said": sentence, "differs": differs,
        "ratios_csv": _data(pooled.ratios), "csv": _data(pooled.values),
        "ratios": [_estimate(row, f"{row['candidate']} / {row['baseline']}, {case_words(row, point=point)}", None, "×")
                   for row in _records(ratios)[:LISTED]],
        "values": [_estimate(row, f"{row['stack']}, {case_words(row, point=point)}", chart, " µs")
                   for row, chart in zip(_records(pooled.values)[:LISTED], charts[:LISTED], strict=True)],
        "confidence": numbers.given_percent(runs[-1].campaign.analysis.confidence),
    }  # fmt: skip
    _write(path, "pooled.html.j2", f"{runs[-1].campaign.heading}: {len(runs)} runs as one", view, TRENDS)
    return sentence


def _write(path: Path, template: str, heading: str, view: dict[str, Any], scripts: Sequence[str] = ()) -> None:
    page = Pages(path.parent, BRAND).html(template, heading, view, scripts, root=None)
    write_atomically(path, page)


def _data(table: pd.DataFrame) -> str:
    """A table as the address of a CSV that is in the page."""
    return f"data:text/csv;charset=utf-8;base64,{b64encode(as_csv(table).encode()).decode()}"


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def _tested(row: dict[Any, Any], point: bool) -> Tested:
    has_ratio = pd.notna(row["ratio"])
    return Tested(
        f"{row['stack']}, {case_words(row, point=point)}",
        numbers.significant(row["baseline_median_us"]),
        numbers.significant(row["candidate_median_us"]),
        numbers.ratio(row["ratio"]) if has_ratio else numbers.NONE,
        numbers.ratio_interval(row["ratio_low"], row["ratio_high"]) if has_ratio else "",
        numbers.ratio(row["own_ratio"]) if pd.notna(row["own_ratio"]) else numbers.NONE,
        str(row["reason"] or ""),
    )


def _estimate(row: dict[str, Any], case: str, chart: Chart | None, unit: str) -> Estimate:
    def pair(low: float, high: float) -> str:
        return numbers.ratio_interval(low, high) if pd.notna(low) and pd.notna(high) else numbers.NONE

    return Estimate(
        case,
        chart,
        f"{numbers.significant(row['pooled'])}{unit}",
        pair(row["low"], row["high"]),
        numbers.percent(row["between_runs"]),
        pair(row["next_low"], row["next_high"]),
        int(row["runs"]),
    )
