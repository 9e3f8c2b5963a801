# SPDX-License-Identifier: BSD-3-Clause
"""Stacks against each other, case by case: ratio, interval, exact test, correction, verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.compare.pairs import Pair, Rules, pair
from isochron.postprocess.compare.samples import ABSENT, Key, Sample
from isochron.postprocess.reading.inputs import CASE, CASE_KEYS
from isochron.postprocess.statistics.exact_ranks import rank_test, smallest_p
from isochron.postprocess.statistics.holm import holm

#: Columns of `comparison.csv`: every pair of stacks in every case.
COMPARISON_COLUMNS = {
    **CASE_KEYS,
    "baseline": "the stack that the candidate is compared with",
    "candidate": "the stack that is compared",
    "baseline_median_us": "its value, as in the summary",
    "candidate_median_us": "its value, as in the summary",
    "ratio": "candidate / baseline, where below 1 the candidate is faster: the median over common blocks of the ratio "
    "within each, or the ratio of the two values where `within_blocks` is false",
    "ratio_low": "lower end of its hierarchical bootstrap interval: blocks (where `within_blocks`), in them launches, "
    "in them runs",
    "ratio_high": "upper end of that interval",
    "confidence": "confidence level of the interval",
    "within_blocks": "whether ratio and interval are within blocks: three or more hold launches of both stacks",
    "blocks": "blocks (allocations) that hold launches of both stacks",
    "baseline_launches": "launches that have a time of the operation",
    "candidate_launches": "as `baseline_launches`",
    "test": "exact rank test of launch medians: `blocks` is stratified by block, `launches` is over all launches; "
    "empty where neither can be significant",
    "p_value": "two-sided p value of the test",
    "p_holm": "the p value, corrected over the whole table",
    "verdict": "verdict on the candidate: `faster`, `slower`, `equal`, `inconclusive`, `missing` or `new`",
    "reason": "why the verdict is `inconclusive`, `missing` or `new`",
}


def compare(cases: Iterable[tuple[Key, Mapping[str, Sample]]], stacks: list[str], rules: Rules) -> pd.DataFrame:
    """`COMPARISON_COLUMNS`: every pair of stacks (in the given order) in every case, none left out.

    `cases`: CASE and the samples of its stacks, which are not held beyond their case. An outer join:
    a row on one side only is `missing` or `new`.
    """
    rows: list[dict[str, Any]] = []
    pairs: list[Pair] = []
    for case, samples in cases if len(stacks) > 1 else ():
        for names in combinations(stacks, 2):
            sides = [samples.get(stack, ABSENT) for stack in names]
            pairs.append(pair(sides[0], sides[1], rules))
            rows.append(dict(zip(CASE, case, strict=True)) | _numbers(names, sides, pairs[-1]))
    tests = sum(each.testable(rules) for each in pairs)
    for row, each in zip(rows, pairs, strict=True):
        test = each.test(tests, rules)
        row |= {"test": test or "", "p_value": rank_test(each.strata[test]) if test else nan}
    table = pd.DataFrame(rows, columns=[*COMPARISON_COLUMNS, "doubt"])
    table["p_holm"] = holm(table["p_value"].to_numpy(dtype=np.float64))
    judged = [_judge(row, rules, tests) for row in table.to_dict("records")]
    table["verdict"] = [verdict for verdict, _ in judged]
    table["reason"] = [reason for _, reason in judged]
    return table[list(COMPARISON_COLUMNS)]


def _numbers(names: tuple[str, str], sides: list[Sample], found: Pair) -> dict[str, Any]:
    """What is known of a comparison before its test."""
    baseline, candidate = sides
    return {
        "baseline": names[0],
        "candidate": names[1],
        "baseline_median_us": baseline.value,
        "candidate_median_us": candidate.value,
        "ratio": found.ratio,
        "ratio_low": found.interval.low,
        "ratio_high": found.interval.high,
        "confidence": found.interval.confidence,
        "within_blocks": found.within_blocks,
        "blocks": found.blocks,
        "baseline_launches": len(baseline.medians),
        "candidate_launches": len(candidate.medians),
        "doubt": "; ".join(
            f"{stack}: {side.verdict}" for stack, side in zip(names, sides, strict=True) if not side.believed
        ),
    }


def _judge(row: dict[Any, Any], rules: Rules, tests: int) -> tuple[str, str]:
    """Verdict and reason of a comparison whose numbers and corrected p are known."""
    if not row["candidate_launches"]:
        return "missing", f"{row['candidate']} has no time here"
    if not row["baseline_launches"]:
        return "new", f"{row['baseline']} has no time here"
    if row["doubt"]:
        return "inconclusive", row["doubt"]
    sizes = (row["baseline_launches"], row["candidate_launches"])
    if np.isnan(row["p_value"]):
        return "inconclusive", f"{sizes[0]} against {sizes[1]} launches cannot reach significance"
    factor = 1 + rules.threshold
    if row["ratio_low"] >= 1 / factor and row["ratio_high"] <= factor:
        return "equal", ""
    if row["p_holm"] > rules.alpha:
        if smallest_p([sizes]) * tests > rules.alpha:
            return "inconclusive", f"{sizes[0]} against {sizes[1]} launches are too few for {tests} tests"
        return "inconclusive", "no significant difference, and no proof of equality"
    if row["ratio"] >= factor and row["ratio_low"] > 1:
        return "slower", ""
    if row["ratio"] <= 1 / factor and row["ratio_high"] < 1:
        return "faster", ""
    return "inconclusive", "differs, but whether by more than the practical threshold is not established"


def launches_needed(tests: int, confidence: float) -> int:
    """Launches of each stack with which one of `tests` tests can be significant after Holm's correction.

    In any blocks: the test over all launches asks for the fewest.
    """
    launches = 2
    while smallest_p([(launches, launches)]) * max(tests, 1) > 1 - confidence:
        launches += 1
    return launches
