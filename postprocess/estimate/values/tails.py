# SPDX-License-Identifier: BSD-3-Clause
"""How long the longest repetitions take: quantiles of the repetitions, of each result and of each launch."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.postprocess.estimate.values.summary import row_numbers
from isochron.postprocess.ingest.inputs import ALLOCATION, KEYS, RESULT_KEY
from isochron.postprocess.ingest.store import read_table
from isochron.schemas.engine.contract import HALVED
from isochron.schemas.run.layout import RunLayout
from isochron.stats.launches import Values, by_count
from isochron.stats.tails import (
    FEWEST_UNITS,
    Quantile,
    fewest_for_value,
    fewest_independent,
    launch_quantiles,
    pooled_quantiles,
)

Index = NDArray[np.intp]

#: The quantiles that are told, by their names; in columns p99.9 is `p999`.
QUANTILES = {"p95": 0.95, "p99": 0.99, "p99.9": 0.999}
TAIL_COLUMNS = {
    **KEYS,
    "quantile": "`p95`, `p99` or `p99.9`: the time that 95, 99 or 99.9 % of the repetitions do not exceed",
    "launches": "launches that it rests on",
    "reps": "repetitions of these launches that started in time",
    "reps_worth": "how many independent repetitions these are worth, by what the share of longer ones varies between "
    "launches (or blocks, where those have several); empty where fewer than six say it",
    "time_us": "the quantile, every launch having the same weight: between `min_us` and `max_us`; empty if there are "
    "so few repetitions that the longest of them is not likely to be beyond it",
    "low_us": "lower end of its interval, by the ranks of so many independent repetitions as `reps_worth` says",
    "high_us": "upper end of that interval",
    "confidence": "the confidence level of that interval",
    "min_us": "the shortest repetition",
    "max_us": "the longest repetition",
    "reason": "why there is no interval",
}
#: Columns of the summary.
TAILS_IN_SUMMARY = {
    f"{name.replace('.', '')}{end}_us": meaning
    for name in QUANTILES
    for end, meaning in (
        ("", f"{name} of the repetitions of all launches, as in `tails.csv`"),
        ("_low", "lower end of its interval; empty if the repetitions are too few for one"),
        ("_high", "upper end of that interval"),
    )
}


@dataclass(frozen=True)
class Repetitions:
    """Times in µs of the repetitions of launches' rows, (n,), those of each row in ascending order.

    `numbers`: (n,), the place of the row of each among the rows that they are of.
    """

    times: Values
    numbers: Index


def repetitions_of(layout: RunLayout, rows: pd.DataFrame) -> Repetitions:
    """Read the repetitions that started in time, those of which the medians are. Of HALVED operations one way.

    `rows`: launch_id, operation and bytes, each once. Raises FileError.
    """
    keys = ["launch_id", "operation", "bytes"]
    table = read_table(
        layout, "repetitions", [*keys, "rep", "time_us", "valid", "overran"], categories=["launch_id", "operation"]
    )
    first = np.flatnonzero(table["rep"].to_numpy() == 0)
    of_each = table.iloc[first][keys].astype({"launch_id": str, "operation": str})
    places = pd.MultiIndex.from_frame(rows[keys]).get_indexer(pd.MultiIndex.from_frame(of_each))
    numbers = np.repeat(places, np.diff(first, append=len(table)))
    counted = (numbers >= 0) & (table["valid"].to_numpy() | table["overran"].to_numpy())
    numbers = numbers[counted]
    one_way = np.where(rows["operation"].isin(list(HALVED)), 0.5, 1.0)
    times = table["time_us"].to_numpy(dtype=np.float64)[counted] * one_way[numbers]
    counts, ordered = np.bincount(numbers, minlength=len(rows)), np.empty_like(times)
    starts = np.cumsum(counts) - counts
    for alike, own in by_count(numbers, len(rows)):
        ordered[starts[alike][:, None] + np.arange(own.shape[1])] = np.sort(times[own], axis=1)
    return Repetitions(ordered, np.repeat(np.arange(len(rows)), counts))


def quantiles_of_launches(repetitions: Repetitions, rows: int) -> dict[str, Values]:
    """The quantiles of each of so many launches' rows, (rows,) by name; NaN if it has too few repetitions."""
    found = launch_quantiles(repetitions.times, repetitions.numbers, rows, tuple(QUANTILES.values()))
    return dict(zip(QUANTILES, found.T, strict=True))


def tails(summary: pd.DataFrame, used: pd.DataFrame, repetitions: Repetitions, confidence: float) -> pd.DataFrame:
    """`TAIL_COLUMNS`, for each row of the summary with repetitions a line for each of `QUANTILES`.

    `summary`: RESULT_KEY and INTERVAL_COLUMNS; `used`: the launches' rows that `repetitions` are of, with RESULT_KEY,
    ALLOCATION and simulated.
    """
    of_row, units = row_numbers(summary, used), _units(summary, used)
    ends = np.append(0, np.cumsum(np.bincount(repetitions.numbers, minlength=len(used))))
    launch_rows = np.argsort(of_row, kind="stable")
    first = np.searchsorted(of_row[launch_rows], np.arange(len(summary) + 1))
    simulated = np.zeros(len(summary), dtype=bool)
    simulated[of_row[(of_row >= 0) & used["simulated"].to_numpy(dtype=bool)]] = True
    lines = []
    for number, row in enumerate(summary[[*RESULT_KEY, "interval_validity", "interval_reason"]].to_dict("records")):
        own = [np.arange(ends[each], ends[each + 1]) for each in launch_rows[first[number] : first[number + 1]]]
        order = np.concatenate([np.empty(0, dtype=np.intp), *own])
        order = order[np.argsort(repetitions.times[order], kind="stable")]
        if len(order):
            times, launches = repetitions.times[order], repetitions.numbers[order]
            found = pooled_quantiles(times, units[launches], tuple(QUANTILES.values()), confidence)
            doubt = "simulated: launches are alike" if simulated[number] else _doubt(row)
            lines += _lines(row, times, sum(map(bool, map(len, own))), found, (doubt, confidence))
    return pd.DataFrame(lines, columns=list(TAIL_COLUMNS))


def _doubt(row: dict[Any, Any]) -> str:
    return str(row["interval_reason"]) if row["interval_validity"] == "no" else ""


def _units(summary: pd.DataFrame, used: pd.DataFrame) -> Index:
    """The unit of each launch's row, numbers from 0 within each row of the summary: its block if there are enough."""
    blocks = used.groupby(ALLOCATION, sort=True).ngroup().to_numpy(dtype=np.intp)
    units = np.zeros(len(used), dtype=np.intp)
    known = row_numbers(summary, used)
    for _, places in by_count(np.maximum(known, -1) + 1, len(summary) + 1):
        for launches in places:
            distinct, own = np.unique(blocks[launches], return_inverse=True)
            units[launches] = own if len(distinct) >= FEWEST_UNITS else np.arange(len(launches))
    return units


def _lines(
    row: dict[Any, Any], times: Values, launches: int, found: list[Quantile], judged: tuple[str, float]
) -> list[dict[str, Any]]:
    """The lines of a row. `times`: in ascending order; `judged`: why no interval of the row holds, and the confidence
    that one should have."""
    doubt, confidence = judged
    lines = []
    for (name, quantile), each in zip(QUANTILES.items(), found, strict=True):
        reason = _reason(len(times), quantile, each, confidence) or doubt
        lines.append(
            {
                **{key: row[key] for key in RESULT_KEY},
                "quantile": name,
                "launches": launches,
                "reps": len(times),
                "reps_worth": each.worth,
                "time_us": each.value if len(times) >= fewest_for_value(quantile) else np.nan,
                "low_us": np.nan if reason else each.low,
                "high_us": np.nan if reason else each.high,
                "confidence": np.nan if reason else each.confidence,
                "min_us": times[0],
                "max_us": times[-1],
                "reason": reason,
            }
        )
    return lines


def _reason(reps: int, quantile: float, found: Quantile, confidence: float) -> str:
    """Why a quantile has no interval of its own; empty if it has one."""
    needed = fewest_independent(quantile, confidence)
    if reps < needed:
        return f"{reps} repetitions; an interval needs {needed} independent ones"
    if isnan(found.worth):
        return f"fewer than {FEWEST_UNITS} launches: how much launches differ is not known"
    if found.apart:
        return "launches differ too much: the long repetitions are those of a few of them"
    if isnan(found.low):
        return f"the {reps} repetitions are worth {int(found.worth)} independent ones; an interval needs {needed}"
    return ""


def in_summary(summary: pd.DataFrame, table: pd.DataFrame) -> dict[str, Values]:
    """`TAILS_IN_SUMMARY`, (rows,). `table`: `TAIL_COLUMNS`."""
    rows = row_numbers(summary, table)
    columns = {name: np.full(len(summary), np.nan) for name in TAILS_IN_SUMMARY}
    for name in QUANTILES:
        own = (table["quantile"] == name).to_numpy()
        for end, column in (("", "time_us"), ("_low", "low_us"), ("_high", "high_us")):
            columns[f"{name.replace('.', '')}{end}_us"][rows[own]] = table.loc[own, column]
    return columns
