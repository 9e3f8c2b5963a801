# SPDX-License-Identifier: BSD-3-Clause
"""Whether the guidelines hold: ratio with its interval, exact one-sided test, correction, verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.postprocess.compare.pairs import FEWEST_BLOCKS, Rules
from isochron.postprocess.guidelines.instances import Instance, instances
from isochron.postprocess.reading.inputs import ALLOCATION, KEYS, POINT
from isochron.postprocess.statistics.exact_ranks import Strata, greater_p, sizes, smallest_greater_p
from isochron.postprocess.statistics.holm import holm
from isochron.postprocess.statistics.launches import Values, median_interval
from isochron.postprocess.words import numbers

#: Columns of `guidelines.csv`: every guideline that could be tested.
GUIDELINE_COLUMNS = {
    **KEYS,
    "kind": "`other way` to the same result, `monotony` (a smaller message), or `split` (several smaller messages)",
    "other": "what the operation must not be slower than",
    "launches": "launches that measured both sides",
    "operation_us": "median over these launches",
    "other_us": "the same for the other side, with the times of a launch added up",
    "ratio": "operation / other, median over launches of the ratio in each; above 1 it is slower",
    "ratio_low": "lower end of its exact binomial interval, or of the range of the launches",
    "ratio_high": "upper end of that interval",
    "test": "one-sided exact rank test of launch medians, `blocks` or `launches` as in the comparison; empty for none",
    "p_value": "p value of the test",
    "p_holm": "the p value, corrected over the whole table",
    "verdict": "`violated`, `kept` (the interval is below the practical threshold) or `open`",
}


@dataclass(frozen=True)
class Sides:
    """Launch medians (µs) of both sides and the block of each launch, shapes (L,): launches that hold all of it."""

    operation: Values
    other: Values
    blocks: NDArray[np.int64]


def guidelines(rows: pd.DataFrame, summary: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """`GUIDELINE_COLUMNS`. `rows`: usable rows of launches, with ROW, ALLOCATION, launch_id, median_us.

    `summary`: ROW and believed.
    """
    believed = summary.loc[summary["believed"], list(KEYS)]
    found: list[dict[str, Any]] = []
    strata: list[dict[str, Strata]] = []
    for place, own in rows.merge(believed, on=list(KEYS)).groupby(["stack", *POINT], sort=False):
        wide = own.pivot(index=["launch_id", *ALLOCATION], columns=["operation", "bytes"], values="median_us")
        numbered = wide.index.to_frame(index=False).groupby(ALLOCATION).ngroup()
        blocks: NDArray[np.int64] = np.array(numbered, dtype=np.int64)
        medians: dict[Any, Values] = {case: wide[case].to_numpy(dtype=np.float64) for case in wide.columns}
        measured: dict[str, list[int]] = {}
        for operation, size in medians:
            measured.setdefault(operation, []).append(size)
        key = dict(zip(["stack", *POINT], place, strict=True))
        for instance in instances(measured, int(own["processes"].iloc[0])):
            sides = _sides(instance, medians, blocks)
            if len(sides.blocks):
                found.append(key | _numbers(instance, sides, rules))
                strata.append(_strata(sides))
    table = pd.DataFrame(found, columns=list(GUIDELINE_COLUMNS))
    table["test"], table["p_value"] = _tests(strata, rules)
    table["p_holm"] = holm(table["p_value"].to_numpy(dtype=np.float64))
    table["verdict"] = [_verdict(row, rules) for row in table.to_dict("records")]
    return table


def _sides(instance: Instance, medians: Mapping[Any, Values], blocks: NDArray[np.int64]) -> Sides:
    """Both sides of a guideline; times of a launch are added up. `medians`: shape (L,), NaN where a launch has none."""
    parts = [medians[operation, size] * times for operation, size, times in instance.calls]
    operation, other = medians[instance.operation, instance.size], np.sum(parts, axis=0)
    whole = np.isfinite(operation) & np.isfinite(other)
    return Sides(operation[whole], other[whole], blocks[whole])


def _numbers(instance: Instance, sides: Sides, rules: Rules) -> dict[str, Any]:
    ratios = sides.operation / sides.other
    interval = median_interval(ratios, rules.confidence)
    return {
        "operation": instance.operation,
        "bytes": instance.size,
        "kind": instance.kind,
        "other": " + ".join(_call(*call) for call in instance.calls),
        "launches": len(ratios),
        "operation_us": float(np.median(sides.operation)),
        "other_us": float(np.median(sides.other)),
        "ratio": float(np.median(ratios)),
        "ratio_low": interval.low,
        "ratio_high": interval.high,
    }


def _call(operation: str, size: int, times: int) -> str:
    """`3 × bcast 8 KiB`."""
    text = f"{operation} {numbers.size(size)}" if size else operation
    return f"{times} × {text}" if times > 1 else text


def _strata(sides: Sides) -> dict[str, Strata]:
    """Both possible tests: within blocks, and over all launches."""
    chosen = [sides.blocks == block for block in np.unique(sides.blocks)]
    pairs = [(sides.operation[own], sides.other[own]) for own in chosen]
    whole = {"launches": [(sides.operation, sides.other)]}
    return whole | ({"blocks": pairs} if len(pairs) >= FEWEST_BLOCKS else {})


def _tests(strata: list[dict[str, Strata]], rules: Rules) -> tuple[list[str], list[float]]:
    """Which test each guideline has, by the numbers of launches alone as in the comparison, and its p."""
    smallest = [{name: smallest_greater_p(sizes(each)) for name, each in both.items()} for both in strata]
    tests = sum(min(both.values()) <= rules.alpha for both in smallest)
    names, p_values = [], []
    for both, least in zip(strata, smallest, strict=True):
        within = least.get("blocks", 1.0) * max(tests, 1) <= rules.alpha
        name = "blocks" if within else "launches" if min(least.values()) <= rules.alpha else ""
        names.append(name)
        p_values.append(greater_p(both[name]) if name else nan)
    return names, p_values


def _verdict(row: dict[Any, Any], rules: Rules) -> str:
    """Violated needs significance, an interval above 1 and a ratio beyond the practical threshold."""
    if row["p_holm"] <= rules.alpha and row["ratio_low"] > 1 and row["ratio"] >= 1 + rules.threshold:
        return "violated"
    return "kept" if row["ratio_high"] <= 1 + rules.threshold else "open"
