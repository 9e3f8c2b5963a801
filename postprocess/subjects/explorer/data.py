# SPDX-License-Identifier: BSD-3-Clause
"""Values, comparisons and launches as JSON for the explorer: the numbers of the tables, as far as there is room."""

import json
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.compare.inverse import inverted
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest import inputs
from isochron.postprocess.kit.section import StackMark

#: The most bytes of it.
MOST = 1_000_000
#: Numbers of a row, in this order; those of the summary, then those of the rates.
VALUES = ("median_us", "median_low_us", "median_high_us")
RATES = ("mb_per_s", "mb_per_s_low", "mb_per_s_high", "weak_efficiency", "weak_efficiency_low", "weak_efficiency_high")
RATIOS = ("ratio", "ratio_low", "ratio_high")
#: Where they lie in another job, behind all else of a row; left out where that is not known.
NEXT_TIME, NEXT_RATIO = ("next_low_us", "next_high_us"), ("next_low", "next_high")

#: The grouping of the processes in the results, as the explorer calls it.
ONE_GROUP = "one group"
#: What identifies a row here: the results' keys, and `groups`.
POINT, CASE, RESULT_KEY = ([*keys, "groups"] for keys in (inputs.POINT, inputs.CASE, inputs.RESULT_KEY))

Case = tuple[Any, ...]


@dataclass(frozen=True)
class Content:
    """What the explorer rests on: `summary`, `rates`, `comparison`, `launches` with the columns of their tables.

    Each has a further column, `groups`: ONE_GROUP, or the groups of processes of a contrast.
    `against`: the stack that ratios are against at first.
    """

    stacks: list[StackMark]
    against: str
    summary: pd.DataFrame
    rates: pd.DataFrame
    comparison: pd.DataFrame
    launches: pd.DataFrame
    threshold: float

    def where(self, column: str, values: list[Any]) -> "Content":
        """The part with these values of a column that a case has."""
        frames = ("summary", "rates", "comparison", "launches")
        chosen = {name: getattr(self, name) for name in frames}
        return replace(self, **{name: frame[frame[column].isin(values)] for name, frame in chosen.items()})

    def thinner(self) -> "Content | None":
        """Every second message size or process count, whichever there are more of, the ends among them; where neither
        are many, without the last operation. None if there is but one."""
        axes = {name: sorted(set(self.summary[name]) - {0}) for name in ("bytes", "processes")}
        name = max(axes, key=lambda each: len(axes[each]))
        if len(axes[name]) > 2:
            return self.where(name, [0, axes[name][0], *axes[name][:0:-2]])
        operations = list(dict.fromkeys(self.summary["operation"]))
        return self.where("operation", operations[:-1]) if len(operations) > 1 else None


def fitted(content: Content, most: int = MOST) -> tuple[str, list[str]]:
    """JSON of at most so many bytes, and what was left out, as sentences.

    Comparisons that the campaign does not ask about are left out first, then what `thinner` leaves out, then launches:
    those of the rows with the smallest RSE before others.
    """
    steps: list[str] = []
    base, whole = described(content), content
    is_question = content.comparison["family"] == "question"
    if _bytes(base) > most and not is_question.all():
        content = replace(content, comparison=content.comparison[is_question])
        base = described(content)
        steps.append("Only the pairs of stacks that the campaign asks about can be compared here.")
    while _bytes(base) > most and (thinner := content.thinner()):
        content, base = thinner, described(thinner)
    steps += _thinned(whole, content)
    kept, rows = _with_launches(base, content, most)
    if kept < rows:
        steps.append(f"Single launches are here for the {kept} of {rows} rows whose launches differ most.")
    return _dumped(base), steps


def _thinned(whole: Content, content: Content) -> list[str]:
    """What `thinner` has left out."""
    names = {"bytes": "message sizes", "processes": "process counts", "operation": "operations"}
    counts = [
        f"{content.summary[column].nunique()} of {whole.summary[column].nunique()} {name}"
        for column, name in names.items()
        if content.summary[column].nunique() < whole.summary[column].nunique()
    ]
    return [f"Here are {numbers.listing(counts)}."] if counts else []


def described(content: Content) -> dict[str, Any]:
    """All but the launches. A row is known by the places of its stack and case, as `0 12`."""
    summary = content.summary
    cases = _numbered(summary, CASE)
    axes = {name: list(dict.fromkeys(summary[name])) for name in ("operation", "bytes")}
    points = list(_numbered(summary, POINT))
    verdicts: dict[str, int] = {}
    places = {mark.name: number for number, mark in enumerate(content.stacks)}
    rates = {_key(row): [_short(row[name]) for name in RATES] for row in content.rates.to_dict("records")}
    rows = {}
    for row in summary.to_dict("records"):
        verdict = (row["verdict"], "" if row["reliable"] else str(row["reason"]))
        numbers_of_row = [_short(row[name]) for name in VALUES] + rates.get(_key(row), [None] * len(RATES))
        counts = [int(row["launches_used"]), int(row["launches"])]
        rows[f"{places[row['stack']]} {cases[_case(row)]}"] = [
            *numbers_of_row,
            *counts,
            _place(verdicts, verdict),
            *_further(row, NEXT_TIME),
        ]
    return {
        "stacks": [[mark.name, mark.glyph, mark.series] for mark in content.stacks],
        "operations": [[name, labels.timed(name)] for name in axes["operation"]],
        "sizes": [[size, numbers.size(size) if size else "no data"] for size in sorted(axes["bytes"])],
        "points": [[*point, _point_label(dict(zip(POINT, point, strict=True)))] for point in points],
        "cases": [[case[0], case[1], points.index(case[2:])] for case in cases],
        "rows": rows,
        "pairs": _pairs(content.comparison, cases, places, verdicts),
        "verdicts": [list(verdict) for verdict in verdicts],
        "threshold": content.threshold,
        "against": content.against,
        "launches": {},
    }


def _point_label(point: dict[str, Any]) -> str:
    """`8 processes, 4 per node, halves`; the groups only if there are several, or some processes wait."""
    return labels.point(point) + ("" if point["groups"] == ONE_GROUP else f", {point['groups']}")


def _pairs(table: pd.DataFrame, cases: dict[Case, int], places: dict[str, int], verdicts: dict[Any, int]) -> Any:
    """By baseline, candidate and case, as `0 1 12`: ratio, interval, place of the verdict, forecast of another job.

    The verdict has its reason, and that of the baseline against the candidate if it is another text.
    """
    pairs = {}
    for row, back in zip(table.to_dict("records"), inverted(table)["reason"], strict=True):
        key = f"{places[row['baseline']]} {places[row['candidate']]} {cases[_case(row)]}"
        reasons = dict.fromkeys([str(row["reason"]), str(back)])
        pairs[key] = [
            *(_short(row[name]) for name in RATIOS),
            _place(verdicts, (row["verdict"], *reasons)),
            *_further(row, NEXT_RATIO),
        ]
    return pairs


def _further(row: dict[Any, Any], ends: tuple[str, str]) -> list[float | None]:
    return [_short(row[end]) for end in ends if row.get(end, 0) > 0]


def _with_launches(base: dict[str, Any], content: Content, most: int) -> tuple[int, int]:
    """Add the launches of as many rows as there is room for, and return how many of how many.

    A launch is its block, its median and the place of its verdict, which is left out where it is `ok`.
    """
    verdicts = {tuple(entry): number for number, entry in enumerate(base["verdicts"])}
    rows, cases = set(base["rows"]), _numbered(content.summary, CASE)
    places = {mark.name: number for number, mark in enumerate(content.stacks)}
    spread = {_key(row): row["rse"] if isfinite(row["rse"]) else 0.0 for row in content.summary.to_dict("records")}
    groups: dict[Any, pd.DataFrame] = {
        key: group for key, group in content.launches.groupby(RESULT_KEY, sort=False) if key in spread
    }
    ordered = sorted(groups, key=lambda key: -spread[key])
    room, kept = most - _bytes(base) - len(ordered), 0
    for key in ordered:
        launches_of_row = groups[key]
        line = [
            [int(block), _short(value), *([] if verdict == "ok" else [_place(verdicts, (verdict, ""))])]
            for block, value, verdict in zip(
                launches_of_row["block"], launches_of_row["median_us"], launches_of_row["verdict"], strict=True
            )
        ]
        name = f"{places[key[0]]} {cases[key[1:]]}"
        room -= len(json.dumps({name: line}, separators=(",", ":")))
        if room < len(verdicts) * 40:  # what further verdicts may take
            break
        if name in rows:
            base["launches"][name] = line
            kept += 1
    base["verdicts"] = [list(entry) for entry in verdicts]
    return kept, len(ordered)


def _numbered(table: pd.DataFrame, keys: list[str]) -> dict[Case, int]:
    distinct = table[keys].drop_duplicates()
    return {case: number for number, case in enumerate(distinct.itertuples(index=False, name=None))}


def _place(positions: dict[Any, int], entry: Any) -> int:
    """The entry's number; a new one gets the next."""
    return positions.setdefault(entry, len(positions))


def _case(row: dict[Any, Any]) -> Case:
    return tuple(row[name] for name in CASE)


def _key(row: dict[Any, Any]) -> Case:
    return tuple(row[name] for name in RESULT_KEY)


def _short(value: float) -> float | None:
    """As the tables have it: seven significant digits."""
    return float(f"{value:.7g}") if isfinite(value) else None


def _dumped(base: dict[str, Any]) -> str:
    """JSON that may stand in a page."""
    return json.dumps(base, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _bytes(base: dict[str, Any]) -> int:
    return len(_dumped(base).encode())
