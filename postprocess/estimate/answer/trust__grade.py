# SPDX-License-Identifier: BSD-3-Clause
"""The quality of a run in one letter, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan

import pandas as pd

#: Of a reliable value, the part that an error may have before it counts.
LARGE_SHARE = 0.1
LETTERS = "ABCD"


@dataclass(frozen=True)
class Criterion:
    """What is looked at. `value` goes into no better class than the first of A, B, C whose limit it keeps, else D.

    `limits`: the largest values of A, B and C; all values are parts of 1, smaller ones better.
    """

    name: str
    meaning: str
    limits: tuple[float, float, float]

    def letter(self, value: float) -> str:
        """`A` to `D`; a value that is not known is `A`: there is nothing to object to."""
        if isnan(value):
            return "A"
        return next((letter for letter, limit in zip(LETTERS, self.limits, strict=False) if value <= limit), "D")


#: The limits are conventions, from what campaigns on quiet and on busy machines have shown (docs/validation.md).
CRITERIA = (
    Criterion("complete", "planned measurements that are missing", (0.0, 0.02, 0.1)),
    Criterion("reliable", "values in doubt", (0.02, 0.1, 0.25)),
    Criterion("repeatability", "typical relative standard error of a value", (0.02, 0.05, 0.1)),
    Criterion("groups", "values whose repeats fall into two groups", (0.05, 0.25, 0.5)),
    Criterion("clock", "values of which the clocks' error may be more than a tenth", (0.0, 0.05, 0.25)),
    # What is measured in every launch is no doubt. Where it is not known, it still is the same for all stacks: it makes
    # differences look smaller and invents none, so it never leads to a D.
    Criterion("overhead", "values of which the engine's overhead is not known to a tenth", (0.05, 0.25, 1.0)),
    Criterion("late starts", "timed runs that some process started late", (0.05, 0.2, 0.5)),
)

GRADE_COLUMNS = {
    "criterion": "what is looked at",
    "meaning": "what the value is a part of",
    "value": "the part, 0 to 1; empty where there is nothing to look at",
    "grade": "`A` (nothing to object to) to `D` (do not decide by this run)",
}


def overhead_in_doubt(summary: pd.DataFrame) -> pd.Series[bool]:
    """Of each row whether the engine's overhead is known to no better than `LARGE_SHARE` of the value, or not at all.

    `summary`: median_us, overhead_low_us, overhead_high_us.
    """
    half_us = (summary["overhead_high_us"] - summary["overhead_low_us"]) / 2
    return ~(half_us <= LARGE_SHARE * summary["median_us"])


def grades(summary: pd.DataFrame, verdicts: pd.DataFrame, planned: int, measured: int) -> pd.DataFrame:
    """`GRADE_COLUMNS`, a line for each criterion. The run's grade is the worst of them.

    `summary`: `SUMMARY_COLUMNS`; `verdicts`: reps_made, reps_late_start; launches planned and measured.
    """
    reliable = summary[summary["reliable"].astype(bool)]
    made = int(verdicts["reps_made"].sum())
    values = {
        "complete": 1 - measured / planned if planned else nan,
        "reliable": 1 - summary["reliable"].astype(bool).mean() if len(summary) else nan,
        "repeatability": reliable["rse"].median(),
        "groups": reliable["mode_ratio"].notna().mean() if len(reliable) else nan,
        "late starts": verdicts["reps_late_start"].sum() / made if made else nan,
        "clock": (reliable["clock_error_us"] > LARGE_SHARE * reliable["median_us"]).mean() if len(reliable) else nan,
        "overhead": overhead_in_doubt(reliable).mean() if len(reliable) else nan,
    }
    lines = [(each.name, each.meaning, float(values[each.name]), each.letter(values[each.name])) for each in CRITERIA]
    return pd.DataFrame(lines, columns=list(GRADE_COLUMNS))
