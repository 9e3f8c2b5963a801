# SPDX-License-Identifier: BSD-3-Clause
"""Stacks against each other, case by case: ratio, interval, exact test, correction, verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from math import nan
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from postprocess.inputs import CASE, CASE_KEYS, ROW
from postprocess.statistics.bootstrap import bootstrap_medians, ratio_interval
from postprocess.statistics.holm import holm
from postprocess.statistics.launches import Interval, Values
from postprocess.statistics.rank_test import rank_test, smallest_p

#: Bootstrap replicates of each row.
REPLICATES = 2000

#: Columns of `comparison.csv`: every pair of stacks in every case.
COMPARISON = {
    **CASE_KEYS,
    "baseline": "stack that is compared with",
    "candidate": "stack that is compared",
    "baseline_median_us": "its value, as in the summary",
    "candidate_median_us": "its value",
    "ratio": "candidate / baseline: below 1 the candidate is faster",
    "ratio_low": "hierarchical bootstrap interval",
    "ratio_high": "as `ratio_low`",
    "confidence": "of the interval",
    "baseline_launches": "launches that have a time of the operation",
    "candidate_launches": "as `baseline_launches`",
    "p_value": "exact rank test over launch medians; empty where it cannot be significant",
    "p_holm": "corrected over the whole table",
    "verdict": "of the candidate: faster slower equal inconclusive missing new",
    "reason": "why it is inconclusive, missing or new",
}


@dataclass(frozen=True)
class Rules:
    """What the comparison goes by."""

    threshold: float
    confidence: float
    seed: int = 1


@dataclass(frozen=True)
class Sample:
    """A row as the comparison sees it: `medians` (L,) of its launches in µs and B replicates of its value."""

    medians: Values
    replicates: Values
    believed: bool
    verdict: str

    @property
    def measured(self) -> bool:
        """Whether there is anything to compare."""
        return len(self.medians) > 0


ABSENT = Sample(np.empty(0), np.empty(0), False, "missing")
Key = tuple[Any, ...]


def sample(key: Key, launches: list[Values], believed: bool, verdict: str, seed: int) -> Sample:
    """A row's sample from the valid runs (µs) of its launches.

    The random numbers depend on the row and the seed only, so rows may come in any order.
    """
    if not launches:
        return Sample(np.empty(0), np.empty(0), believed, verdict)
    medians = np.array([np.median(runs) for runs in launches])
    rng = np.random.default_rng([seed, crc32(repr(key).encode())])
    return Sample(medians, bootstrap_medians(launches, REPLICATES, rng), believed, verdict)


def compare(samples: dict[Key, Sample], cases: Iterable[Key], stacks: list[str], rules: Rules) -> pd.DataFrame:
    """`COMPARISON`: every pair of stacks (in the given order) in every case, none left out.

    `samples` is keyed by ROW. An outer join: a row on one side only is `missing` or `new`.
    """
    rows = [
        _pair(case, pair, samples.get((pair[0], *case), ABSENT), samples.get((pair[1], *case), ABSENT), rules)
        for case in cases
        for pair in combinations(stacks, 2)
    ]
    table = pd.DataFrame(rows, columns=[*COMPARISON, "doubt"])
    table["p_holm"] = holm(table["p_value"].to_numpy(dtype=np.float64))
    tests = int(table["p_value"].notna().sum())
    judged = [_judge(row, rules, tests) for row in table.to_dict("records")]
    table["verdict"] = [verdict for verdict, _ in judged]
    table["reason"] = [reason for _, reason in judged]
    return table[list(COMPARISON)]


def _pair(case: Key, pair: tuple[str, str], baseline: Sample, candidate: Sample, rules: Rules) -> dict[str, Any]:
    """The numbers of one comparison."""
    row: dict[str, Any] = dict(zip(CASE, case, strict=True))
    row |= {"baseline": pair[0], "candidate": pair[1]}
    row |= {"baseline_launches": len(baseline.medians), "candidate_launches": len(candidate.medians)}
    row |= {"baseline_median_us": _median(baseline), "candidate_median_us": _median(candidate)}
    row |= {"ratio": nan, "p_value": nan, "doubt": _doubt(pair, baseline, candidate), "confidence": nan}
    interval = Interval(nan, nan, nan)
    if baseline.measured and candidate.measured:
        launches = min(len(baseline.medians), len(candidate.medians))
        with np.errstate(divide="ignore", invalid="ignore"):
            row["ratio"] = float(np.divide(_median(candidate), _median(baseline)))
        interval = ratio_interval(candidate.replicates, baseline.replicates, launches, rules.confidence)
        if smallest_p(len(baseline.medians), len(candidate.medians)) <= 1 - rules.confidence:
            row["p_value"] = rank_test(candidate.medians, baseline.medians)
    return row | {"ratio_low": interval.low, "ratio_high": interval.high, "confidence": interval.confidence}


def _median(row: Sample) -> float:
    return float(np.median(row.medians)) if row.measured else nan


def _doubt(pair: tuple[str, str], *sides: Sample) -> str:
    """Why a comparison should not be believed; empty when it can be."""
    return "; ".join(f"{stack}: {side.verdict}" for stack, side in zip(pair, sides, strict=True) if not side.believed)


def _judge(row: dict[Any, Any], rules: Rules, tests: int) -> tuple[str, str]:
    """Verdict and reason of a comparison whose numbers and corrected p are known."""
    if not row["candidate_launches"]:
        return "missing", f"{row['candidate']} has no time here"
    if not row["baseline_launches"]:
        return "new", f"{row['baseline']} has no time here"
    if row["doubt"]:
        return "inconclusive", row["doubt"]
    sizes = (row["baseline_launches"], row["candidate_launches"])
    alpha = 1 - rules.confidence
    if np.isnan(row["p_value"]):
        return "inconclusive", f"{sizes[0]} against {sizes[1]} launches cannot reach significance"
    factor = 1 + rules.threshold
    if row["ratio_low"] >= 1 / factor and row["ratio_high"] <= factor:
        return "equal", ""
    if row["p_holm"] > alpha:
        if smallest_p(*sizes) * tests > alpha:
            return "inconclusive", f"{sizes[0]} against {sizes[1]} launches are too few for {tests} tests"
        return "inconclusive", "no significant difference, and no proof of equality"
    if row["ratio"] >= factor and row["ratio_low"] > 1:
        return "slower", ""
    if row["ratio"] <= 1 / factor and row["ratio_high"] < 1:
        return "faster", ""
    return "inconclusive", "differs, but whether by more than the practical threshold is not established"


def launches_needed(tests: int, confidence: float) -> int:
    """Launches of each stack with which one of `tests` tests can be significant after Holm's correction."""
    launches = 2
    while smallest_p(launches, launches) * max(tests, 1) > 1 - confidence:
        launches += 1
    return launches


def launch_runs(rows: pd.DataFrame, runs: pd.DataFrame) -> dict[Key, list[Values]]:
    """Valid runs (µs) of each usable launch, by ROW. `rows`: usable rows joined with their launches."""
    valid = runs.loc[runs["valid"], ["launch_id", "operation", "bytes", "time_us"]]
    found = {
        key: times.to_numpy(dtype=np.float64)
        for key, times in valid.groupby(["launch_id", "operation", "bytes"], sort=False)["time_us"]
    }
    by_row: dict[Key, list[Values]] = {}
    for row in rows[[*ROW, "launch_id"]].itertuples(index=False, name=None):
        key, launch = row[:-1], row[-1]
        times = found.get((launch, key[1], key[2]))
        if times is not None and len(times):
            by_row.setdefault(key, []).append(times)
    return by_row
