# SPDX-License-Identifier: BSD-3-Clause
"""Curves over processes that grow faster than their number: what is to be expected with twice as many.

The fitted normal form of a curve is extrapolated to twice its largest process count. Its interval is a percentile
interval of refits (B. Efron, R. Tibshirani: An introduction to the bootstrap, 1993). For each, allocations are drawn
with replacement, and with them the launches that the values are medians of: process counts that share their
allocations share the draw, so what an allocation does to all of them does not count as a change of form. One process
count, drawn at random, is left out, and the terms are chosen anew: what is extrapolated depends on the form more than
on the times, and an interval without that would be too short. The number of terms stays. A simulated curve, whose
launches are all alike, has the range of the refits with one process count left out instead.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from isochron.postprocess.estimate.models.curves import SERIES, series
from isochron.postprocess.estimate.models.normal_form import FEWEST, NormalForm, refit
from isochron.postprocess.estimate.models.results import forms_by_curve
from isochron.postprocess.ingest.inputs import ALLOCATION, KEYS, RESULT_KEY
from isochron.stats.launches import Values

#: How many times the largest process count, and refits of a curve.
TIMES, REFITS = 2, 199
#: Columns of `growth.csv`.
GROWTH_COLUMNS = {
    **{name: KEYS[name] for name in SERIES},
    "normal_form": "terms p^i·log2^j p fitted to the curve, in µs",
    "largest": "largest process count of the curve",
    "largest_us": "value there",
    "at_processes": "process count that is extrapolated to, twice that",
    "expected_us": "time of the form there",
    "expected_low_us": "lower end of its interval over refits (`refits`)",
    "expected_high_us": "upper end of that interval",
    "growth": "time of the form at `at_processes` / at `largest`; above 2 it grows faster than the process count",
    "growth_low": "lower end of its interval",
    "growth_high": "upper end of that interval",
    "superlinear": "whether the whole interval of `growth` is above 2",
    "refits": "fits that the intervals are of: `allocations` drawn anew and one process count left out, or one process "
    "`count` left out in turn, of a simulated curve",
}


def growth(
    rows: pd.DataFrame, summary: pd.DataFrame, forms: pd.DataFrame, confidence: float, seed: int
) -> pd.DataFrame:
    """`GROWTH_COLUMNS` of the curves whose form more than doubles with twice as many processes.

    `rows`: usable rows of launches, with RESULT_KEY, ALLOCATION, simulated and median_us. `summary`: RESULT_KEY,
    median_us and reliable. `forms`: `FORM_COLUMNS`. A curve needs one process count more than its form, to be refitted
    without one.
    """
    if not len(forms):
        return pd.DataFrame(columns=list(GROWTH_COLUMNS))
    fitted = forms_by_curve(forms)
    counts = summary["reliable"].astype(bool) & (summary["median_us"] > 0)
    lines = []
    for key, curve in series(summary.assign(counts=counts)):
        form, counted = fitted.get(tuple(key.values())), curve[curve["counts"]]
        if form is not None and len(counted) > FEWEST and _doubling(form, counted["processes"].max())[1] > TIMES:
            launches = counted[RESULT_KEY].merge(rows, on=RESULT_KEY)
            lines.append(key | _line(form, counted, launches, confidence, np.random.default_rng(seed)))
    return pd.DataFrame(lines, columns=list(GROWTH_COLUMNS))


def _doubling(form: NormalForm, largest: int) -> tuple[float, float]:
    """The form's time (µs) at `TIMES` times the largest process count, and that over its time there."""
    last, further = form.times(np.array([largest, TIMES * largest], dtype=np.float64))
    return float(further), float(further / last)


def _line(
    form: NormalForm, counted: pd.DataFrame, launches: pd.DataFrame, confidence: float, rng: Generator
) -> dict[str, Any]:
    """Everything of a line but its key. `counted`: the curve; `launches`: the rows that its values are medians of."""
    largest = int(counted["processes"].max())
    expected, factor = _doubling(form, largest)
    alike = bool(launches["simulated"].all())
    samples = _left_out(counted) if alike else _drawn(counted, launches, rng)
    found = np.array([_doubling(refit(form, *sample), largest) for sample in samples])
    ends = [0.0, 1.0] if alike else [(1 - confidence) / 2, (1 + confidence) / 2]
    low, high = np.quantile(found, ends, axis=0)
    return {
        "normal_form": form.text,
        "largest": largest,
        "largest_us": counted["median_us"].iloc[-1],
        "at_processes": TIMES * largest,
        "expected_us": expected,
        "expected_low_us": min(low[0], expected),
        "expected_high_us": max(high[0], expected),
        "growth": factor,
        "growth_low": min(low[1], factor),
        "growth_high": max(high[1], factor),
        "superlinear": bool(low[1] > TIMES),
        "refits": "count" if alike else "allocations",
    }


def _left_out(counted: pd.DataFrame) -> Iterator[tuple[Values, Values]]:
    """Process counts and times (µs) without each of them."""
    for place in range(len(counted)):
        rest = counted.drop(counted.index[place])
        yield _curve(rest["processes"]), _curve(rest["median_us"])


def _drawn(counted: pd.DataFrame, launches: pd.DataFrame, rng: Generator) -> Iterator[tuple[Values, Values]]:
    """`REFITS` times process counts and times (µs) of drawn allocations, without one process count."""
    processes = _curve(counted["processes"])
    allocation = launches.groupby(ALLOCATION).ngroup()
    by_count = [
        {name: times.to_numpy(dtype=np.float64) for name, times in own.groupby(allocation)["median_us"]}
        for own in (launches[launches["processes"] == count] for count in processes)
    ]
    for _ in range(REFITS):
        draws: dict[tuple[Any, ...], NDArray[np.int64]] = {}
        times = np.array([_median(own, draws, rng) for own in by_count])
        rest = np.arange(len(processes)) != rng.integers(len(processes))
        yield processes[rest], times[rest]


def _median(own: Mapping[Any, Values], draws: dict[tuple[Any, ...], NDArray[np.int64]], rng: Generator) -> float:
    """The median over the launches of drawn allocations. `draws`: what was drawn, by the allocations drawn from."""
    names = tuple(own)
    if names not in draws:
        draws[names] = rng.choice(len(names), len(names))
    return float(np.median(np.concatenate([own[names[place]] for place in draws[names]])))


def _curve(column: pd.Series) -> Values:
    return column.to_numpy(dtype=np.float64)
