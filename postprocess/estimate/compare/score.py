# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts of a comparison against what was really so: the rows of `certificate.csv`, and their counts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.schemas.run.certificate import EffectScore, Share
from isochron.stats.binomial import clopper_pearson, highest

#: Columns of `certificate.csv`.
SCORE_COLUMNS = {
    "table": "number of the table",
    "stack": "the stack that is compared with itself",
    "operation": "operation, named as in the MPI standard",
    "bytes": "message size, as defined for the operation",
    "effect": "share by which the operation was slowed, on either side",
    "injected": "the true ratio candidate / baseline: above 1 where the candidate was slowed",
    "ratio": "the ratio that the comparison found",
    "ratio_low": "lower end of its interval",
    "ratio_high": "upper end of its interval",
    "verdict": "the verdict of the comparison",
    "outcome": "`detected`, `correct` (no difference claimed, with a ratio within the threshold), `missed`, `false` "
    "(`slower` or `faster` and it is not so by more than the threshold, or `depends`), `false-equivalent` "
    "(`equivalent`, `not-slower` or `not-faster` and it is not so)",
    "covered": "whether the interval holds the injected ratio; empty without an interval",
    "rse": "larger one of the two relative standard errors over launches",
}
#: Ratios as close as this are the same: effects are decimal fractions.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Truth:
    """One table: its name and stack, and by which share each operation was slowed in the baseline and candidate."""

    table: str
    stack: str
    baseline: Mapping[str, float]
    candidate: Mapping[str, float]

    @property
    def same(self) -> bool:
        """Return True if nothing was slowed."""
        return not any(self.baseline.values()) and not any(self.candidate.values())


def score(comparison: pd.DataFrame, summary: pd.DataFrame, truth: Truth, rules: Rules) -> pd.DataFrame:
    """`SCORE_COLUMNS` of one table. `comparison`: of its two variants; `summary`: rse of their rows."""
    rse = summary.groupby(["operation", "bytes"])["rse"].max()
    rows = []
    for row in comparison.to_dict("records"):
        slowed = truth.baseline.get(row["operation"], 0.0), truth.candidate.get(row["operation"], 0.0)
        injected = (1 + slowed[1]) / (1 + slowed[0])
        rows.append(
            {
                **{name: row[name] for name in ("operation", "bytes", "ratio", "ratio_low", "ratio_high", "verdict")},
                "table": truth.table,
                "stack": truth.stack,
                "effect": max(slowed),
                "injected": injected,
                "outcome": outcome(row["verdict"], injected, rules),
                "covered": covered(row, injected),
                "rse": rse.get((row["operation"], row["bytes"]), np.nan),
            }
        )
    return pd.DataFrame(rows, columns=list(SCORE_COLUMNS))


def outcome(verdict: str, injected: float, rules: Rules) -> str:
    """What a verdict is worth if the ratio is known."""
    difference = float(np.log(injected))
    slower, faster = difference > rules.margin + ROUNDING, difference < -rules.margin - ROUNDING
    if verdict == "depends":  # the injected ratio is that of both regimes
        return "false"
    if verdict in ("slower", "faster"):
        return "detected" if (verdict == "slower" and slower) or (verdict == "faster" and faster) else "false"
    excluded = {"equivalent": slower or faster, "not-slower": slower, "not-faster": faster}
    if excluded.get(verdict, False):
        return "false-equivalent"
    return "missed" if slower or faster else "correct"


def covered(row: Mapping[Any, Any], injected: float) -> bool | None:
    """Return True if the interval holds the ratio; None if there is none."""
    low, high = row["ratio_low"], row["ratio_high"]
    if not (low == low and high == high):  # noqa: PLR0124 - a NaN is not itself
        return None
    return bool(low <= injected * (1 + ROUNDING) and high >= injected * (1 - ROUNDING))


def counts(rows: pd.DataFrame, truths: list[Truth], rules: Rules) -> dict[str, Any]:
    """The numbers of a Certificate that follow from the rows of all its tables."""
    wrong = set(rows.loc[rows["outcome"] == "false", "table"])
    same = [truth.table for truth in truths if truth.same]
    beyond = np.abs(np.log(rows["injected"].to_numpy(dtype=float))) > rules.margin + ROUNDING
    rse = rows["rse"].median()
    return {
        "false_tables": bounded(sum(truth.table in wrong for truth in truths), len(truths), rules.confidence),
        "false_same": bounded(sum(table in wrong for table in same), len(same), rules.confidence),
        "false_rows": _share(rows[~beyond]["outcome"] == "false", rules.confidence),
        "false_equivalent": _share(rows[beyond]["outcome"] == "false-equivalent", rules.confidence),
        "covered": _share(rows["covered"].dropna().astype(bool), rules.confidence),
        "median_rse": None if pd.isna(rse) else float(rse),
        "effects": [
            EffectScore(
                effect=effect,
                detected=_share(part["outcome"] == "detected", rules.confidence),
                covered=_share(part["covered"].dropna().astype(bool), rules.confidence),
            )
            for effect in sorted({float(each) for each in rows["effect"]})
            for part in [rows[rows["effect"] == effect]]
        ],
    }


def bounded(hits: int, count: int, confidence: float) -> Share:
    """A share with a one-sided upper bound: how often it may be at most."""
    return Share(hits=hits, of=count, low=0.0, high=highest(hits, count, confidence))


def _share(hits: pd.Series, confidence: float) -> Share:
    """A share with its two-sided interval."""
    detected, count = int(hits.sum()), len(hits)
    low, high = clopper_pearson(detected, count, confidence)
    return Share(hits=detected, of=count, low=low, high=high)
