# SPDX-License-Identifier: BSD-3-Clause
"""Whether the guidelines hold: ratio with its interval, exact one-sided test, correction, verdict."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pandas as pd

from postprocess import numbers
from postprocess.guidelines.instances import Instance, instances
from postprocess.inputs import ALLOCATION, KEYS, POINT
from postprocess.pairs import FEWEST_BLOCKS, Rules
from postprocess.statistics.holm import holm
from postprocess.statistics.launches import median_interval
from postprocess.statistics.rank_test import Strata, greater_p, sizes, smallest_greater_p

#: Columns of `guidelines.csv`: every guideline that could be tested.
GUIDELINE_TABLE = {
    **KEYS,
    "kind": "`other way` to the same result, `monotony` (a smaller message), or `split` (several smaller messages)",
    "other": "what the operation must not be slower than",
    "launches": "launches that hold all of it",
    "operation_us": "median over these launches",
    "other_us": "the same of the other side, times of a launch added up",
    "ratio": "operation / other, median over launches of the ratio in each; above 1 it is slower",
    "ratio_low": "its exact binomial interval, or the range of the launches",
    "ratio_high": "as `ratio_low`",
    "test": "one-sided exact rank test of launch medians, `blocks` or `launches` as in the comparison; empty for none",
    "p_value": "its p",
    "p_holm": "corrected over the whole table",
    "verdict": "`violated`, `kept` (the interval is below the practical threshold) or `open`",
}

#: Launch medians (µs) of one row, by launch.
Medians = pd.Series


def guidelines(rows: pd.DataFrame, summary: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """`GUIDELINE_TABLE`. `rows`: usable rows of launches; `summary` says which rows are believed."""
    believed = summary.loc[summary["believed"], list(KEYS)]
    found: list[dict[str, Any]] = []
    strata: list[dict[str, Strata]] = []
    for place, own in rows.merge(believed, on=list(KEYS)).groupby(["stack", *POINT], sort=False):
        medians = _by_case(own)
        blocks = own.drop_duplicates("launch_id").set_index("launch_id")[ALLOCATION].apply(tuple, axis=1)
        measured: dict[str, list[int]] = {}
        for operation, size in medians:
            measured.setdefault(operation, []).append(size)
        for instance in instances(measured, int(own["processes"].iloc[0])):
            sides = _sides(instance, medians)
            if len(sides):
                key = dict(zip(["stack", *POINT], place, strict=True))
                found.append(key | _numbers(instance, sides, rules))
                strata.append(_strata(sides, blocks.loc[sides.index]))
    table = pd.DataFrame(found, columns=list(GUIDELINE_TABLE))
    table["test"], table["p_value"] = _tests(strata, rules)
    table["p_holm"] = holm(table["p_value"].to_numpy(dtype=np.float64))
    table["verdict"] = [_verdict(row, rules) for row in table.to_dict("records")]
    return table


def _by_case(rows: pd.DataFrame) -> dict[tuple[str, int], Medians]:
    """Launch medians of each operation and size."""
    cases: dict[Any, pd.DataFrame] = dict(list(rows.groupby(["operation", "bytes"])))
    return {key: own.set_index("launch_id")["median_us"] for key, own in cases.items()}


def _sides(instance: Instance, medians: dict[tuple[str, int], Medians]) -> pd.DataFrame:
    """Columns operation and other (µs), one row for each launch that has all of them."""
    parts = [medians[(operation, size)] * times for operation, size, times in instance.calls]
    whole = pd.concat([medians[(instance.operation, instance.size)], *parts], axis=1, join="inner")
    return pd.DataFrame({"operation": whole.iloc[:, 0], "other": whole.iloc[:, 1:].sum(axis=1)})


def _numbers(instance: Instance, sides: pd.DataFrame, rules: Rules) -> dict[str, Any]:
    ratios = (sides["operation"] / sides["other"]).to_numpy(dtype=np.float64)
    interval = median_interval(ratios, rules.confidence)
    return {
        "operation": instance.operation,
        "bytes": instance.size,
        "kind": instance.kind,
        "other": " + ".join(_call(*call) for call in instance.calls),
        "launches": len(sides),
        "operation_us": float(sides["operation"].median()),
        "other_us": float(sides["other"].median()),
        "ratio": float(np.median(ratios)),
        "ratio_low": interval.low,
        "ratio_high": interval.high,
    }


def _call(operation: str, size: int, times: int) -> str:
    """`3 × bcast 8 KiB`."""
    text = f"{operation} {numbers.size(size)}" if size else operation
    return f"{times} × {text}" if times > 1 else text


def _strata(sides: pd.DataFrame, blocks: pd.Series) -> dict[str, Strata]:
    """Both possible tests: within blocks, and over all launches."""
    pairs = [
        (own["operation"].to_numpy(dtype=np.float64), own["other"].to_numpy(dtype=np.float64))
        for _, own in sides.groupby(blocks, sort=True)
    ]
    whole = (sides["operation"].to_numpy(dtype=np.float64), sides["other"].to_numpy(dtype=np.float64))
    return {"launches": [whole]} | ({"blocks": pairs} if len(pairs) >= FEWEST_BLOCKS else {})


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
