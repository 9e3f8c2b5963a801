# SPDX-License-Identifier: BSD-3-Clause
"""How long the longest repetitions take: quantiles of the repetitions, of each result and of each launch."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.postprocess.estimate.values.summary import row_numbers
from isochron.postprocess.ingest.inputs import ALLOCATION, KEYS, RESULT_KEY
from isochron.postprocess.ingest.store import read_row_groups
from isochron.schemas.engine.contract import HALVED
from isochron.schemas.run.layout import RunLayout
from isochron.stats.launches import Values, stretches
from isochron.stats.tails import (
    FEWEST_UNITS,
    fewest_for_value,
    fewest_independent,
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


#: What is known of each quantile.
FOUND = ("reps_worth", "time_us", "low_us", "high_us", "confidence", "min_us", "max_us", "apart")
#: Repetitions that are ordered together.
TOGETHER = 200_000


@dataclass(frozen=True)
class Repetitions:
    """Times in µs of the repetitions of L launches' rows, (n,): of each row from a start on so many, (L,), rising."""

    times: Values
    starts: Index
    counts: Index


def repetitions_of(layout: RunLayout, rows: pd.DataFrame) -> Repetitions:
    """Read the repetitions that started in time, those of which the medians are. Of HALVED operations one way.

    `rows`: launch_id, operation and bytes, each once. Raises FileError.
    """
    keys, categories = ["launch_id", "operation", "bytes"], ["launch_id", "operation"]
    numbered = pd.MultiIndex.from_frame(rows[keys])
    one_way = np.where(rows["operation"].isin(list(HALVED)), 0.5, 1.0)
    starts, counts = np.zeros((2, len(rows)), dtype=np.intp)
    parts = [np.empty(0)]
    for table in read_row_groups(layout, "repetitions", [*keys, "rep", "time_us", "valid", "overran"], categories):
        rep, times, valid, overran = (table[name].to_numpy() for name in ("rep", "time_us", "valid", "overran"))
        first = np.flatnonzero(rep == 0)
        of_each = table.select(keys).take(first).to_pandas().astype(dict.fromkeys(categories, str))
        places = numbered.get_indexer(pd.MultiIndex.from_frame(of_each))
        counted = (valid | overran) & np.repeat(places >= 0, np.diff(first, append=len(table)))
        places, kept = places[places >= 0], np.flatnonzero(places >= 0)
        counts[places] = np.diff(np.append(0, np.cumsum(counted))[np.append(first, len(table))])[kept]
        begins = np.cumsum(counts[places]) - counts[places]
        starts[places] = begins + sum(map(len, parts))
        times = times[counted] * np.repeat(one_way[places], counts[places])
        for count in np.unique(counts[places[counts[places] > 0]]).tolist():
            alike = counts[places] == count
            own = stretches(begins[alike], counts[places[alike]]).reshape(-1, count)
            times[own] = np.sort(times[own], axis=1)
        parts.append(times)
    return Repetitions(np.concatenate(parts), starts, counts)


def tails(summary: pd.DataFrame, used: pd.DataFrame, repetitions: Repetitions, confidence: float) -> pd.DataFrame:
    """`TAIL_COLUMNS`, for each row of the summary with repetitions a line for each of `QUANTILES`.

    `summary`: RESULT_KEY and INTERVAL_COLUMNS; `used`: the launches' rows that `repetitions` are of, with RESULT_KEY,
    ALLOCATION and simulated.
    """
    names, number = list(QUANTILES), len(summary)
    rows, units = row_numbers(summary, used), _units(summary, used)
    order = np.argsort(rows, kind="stable")
    order = order[(rows[order] >= 0) & (repetitions.counts[order] > 0)]
    starts, counts = repetitions.starts[order], repetitions.counts[order]
    units, of_each = _numbered(rows[order], units[order], number)
    launches, reps = np.bincount(rows[order], minlength=number), np.zeros(number, dtype=np.intp)
    np.add.at(reps, rows[order], counts)
    found = np.full((8, number, len(names)), np.nan)
    for some in _alike(reps, of_each):
        members = stretches((np.cumsum(launches) - launches)[some], launches[some])
        times = repetitions.times[stretches(starts[members], counts[members])].reshape(len(some), -1)
        own = np.repeat(units[members], counts[members]).reshape(len(some), -1)
        ordered = np.argsort(times, axis=1, kind="stable")
        times, own = np.take_along_axis(times, ordered, axis=1), np.take_along_axis(own, ordered, axis=1)
        for place, each in enumerate(pooled_quantiles(times, own, tuple(QUANTILES.values()), confidence)):
            found[:, some, place] = (
                each.worth, each.value, each.low, each.high, each.confidence, times[:, 0], times[:, -1], each.apart
            )  # fmt: skip
    known = np.repeat(np.flatnonzero(reps), len(names))
    doubts = np.where(summary["interval_validity"] == "no", summary["interval_reason"], "")
    doubts[rows[(rows >= 0) & used["simulated"].to_numpy(dtype=bool)]] = "simulated: launches are alike"
    values = dict(zip(FOUND, found[:, reps > 0].reshape(len(found), -1), strict=True))
    columns = {"quantile": np.tile(names, np.count_nonzero(reps)), "launches": launches[known], "reps": reps[known]}
    table = summary[RESULT_KEY].iloc[known].reset_index(drop=True).assign(**columns, **values)
    rows_with_doubt = zip(table.itertuples(index=False), doubts[known], strict=True)
    table["reason"] = [_reason(row, confidence) or doubt for row, doubt in rows_with_doubt]
    table.loc[table["reason"] != "", ["low_us", "high_us", "confidence"]] = np.nan
    fewest = np.tile([fewest_for_value(quantile) for quantile in QUANTILES.values()], np.count_nonzero(reps))
    table.loc[reps[known] < fewest, "time_us"] = np.nan
    return table[list(TAIL_COLUMNS)]


def _alike(reps: Index, units: Index) -> Iterator[Index]:
    """Yield rows with equally many repetitions and equally many units, some together; none without repetitions."""
    for count, number in np.unique(np.stack([reps, units], axis=1)[reps > 0], axis=0).tolist():
        rows = np.flatnonzero((reps == count) & (units == number))
        yield from np.array_split(rows, min(len(rows), -(-len(rows) * count // TOGETHER)))


def _units(summary: pd.DataFrame, used: pd.DataFrame) -> Index:
    """The unit of each launch's row, numbers from 0 within each row of the summary: its block if there are enough."""
    rows = row_numbers(summary, used) + 1
    allocations = used.groupby(ALLOCATION, sort=True).ngroup().to_numpy().astype(np.intp)
    blocks, distinct = _numbered(rows, allocations, len(summary) + 1)
    launches, _ = _numbered(rows, np.arange(len(used), dtype=np.intp), len(summary) + 1)
    return np.where(distinct[rows] >= FEWEST_UNITS, blocks, launches)


def _numbered(rows: Index, values: Index, number: int) -> tuple[Index, Index]:
    """Return the number of each value among those of its row, from 0 in order of size, and how many each row has."""
    size = values.max(initial=0) + 1
    distinct, places = np.unique(rows * size + values, return_inverse=True)
    counts = np.bincount(distinct // size, minlength=number)
    return places - (np.cumsum(counts) - counts)[rows], counts


def _reason(row: Any, confidence: float) -> str:
    """Why a quantile has no interval of its own; empty if it has one. `row`: `TAIL_COLUMNS` but for this, `apart`."""
    needed = fewest_independent(QUANTILES[row.quantile], confidence)
    if row.reps < needed:
        return f"{row.reps} repetitions; an interval needs {needed} independent ones"
    if isnan(row.reps_worth):
        return f"fewer than {FEWEST_UNITS} launches: how much launches differ is not known"
    if row.apart:
        return "launches differ too much: the long repetitions are those of a few of them"
    if isnan(row.low_us):
        worth = f"{int(row.reps_worth)} independent ones"
        return f"the {row.reps} repetitions are worth {worth}; an interval needs {needed}"
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
