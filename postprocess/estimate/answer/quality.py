# SPDX-License-Identifier: BSD-3-Clause
"""The letter of a run: one table of conditions with their limits, and the one function that decides."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isnan, nan

import pandas as pd

from isochron.postprocess.estimate.answer.trust import LARGE_SHARE, overhead_is_large
from isochron.postprocess.ingest.inputs import POINT

LETTERS = "ABCD"


@dataclass(frozen=True)
class Criterion:
    """A condition. `value` goes into no better class than the first of A, B, C whose limit it keeps, else D.

    `limits`: the largest values of A, B and C, smaller ones are better; an infinite limit of C: it never leads to a D.
    `share`: the value is a part of 1, otherwise a number.
    """

    name: str
    meaning: str
    limits: tuple[float, float, float]
    share: bool = True

    def letter(self, value: float) -> str:
        """`A` to `D`; a value that is not known is `A`: there is nothing to object to."""
        if isnan(value):
            return "A"
        return next((letter for letter, limit in zip(LETTERS, self.limits, strict=False) if value <= limit), "D")


#: The limits are conventions: none was measured.
CRITERIA = (
    Criterion("complete", "planned measurements that are missing", (0.0, 0.02, 0.1)),
    Criterion("reliable", "results that nothing is concluded from, unstable ones among them", (0.02, 0.1, 0.25)),
    Criterion("intervals", "other results, of which the interval is not valid", (0.0, 0.1, 0.25)),
    Criterion("repeatability", "typical relative standard error of a result", (0.02, 0.05, 0.1)),
    Criterion("groups", "results whose launches fall into two groups", (0.05, 0.25, 0.5)),
    Criterion("clock", "results of which the clocks' error may be more than a tenth", (0.0, 0.05, 0.25)),
    # What is measured in every launch is no doubt. Where it is not known, it still is the same for all stacks: it makes
    # differences look smaller and invents none, so it never leads to a D.
    Criterion("overhead", "results of which the engine's overhead is not known to a tenth", (0.05, 0.25, inf)),
    Criterion("late starts", "repetitions that some process started late", (0.05, 0.2, 0.5)),
    # Comparisons that are affected by these are wider or refused, so none of them leads to a D by itself.
    Criterion("company", "largest price of company that is established in the question", (0.02, 0.1, inf)),
    Criterion(
        "correlation", "blocks that correlation takes from a typical comparison of the question", (0.25, 0.5, inf)
    ),
    Criterion("load", "load of a node before a launch over its processes, in the median", (1.5, 3.0, inf), share=False),
    Criterion("cautions", "cautions among the findings", (0.0, 3.0, inf), share=False),
)
BY_NAME = {criterion.name: criterion for criterion in CRITERIA}

GRADE_COLUMNS = {
    "criterion": "what is looked at",
    "meaning": "what the value is",
    "value": "a part of 1, for `load` and `cautions` a number; empty where there is nothing to look at",
    "limit_a": "the largest value of an A",
    "limit_b": "the largest value of a B",
    "limit_c": "the largest value of a C; empty if no value leads to a D",
    "grade": "`A` to `D` (do not decide by this run); that of the run is the worst of all",
}


def grades(
    summary: pd.DataFrame, verdicts: pd.DataFrame, planned: int, measured: int, further: Mapping[str, float]
) -> pd.DataFrame:
    """`GRADE_COLUMNS`, a line for each criterion.

    `summary`: `SUMMARY_COLUMNS`; `verdicts`: reps_made, reps_late_start; launches planned and measured; `further`:
    values of other criteria by name.
    """
    reliable = summary[summary["reliable"].astype(bool)]
    made = int(verdicts["reps_made"].sum())
    values = {
        "complete": 1 - measured / planned if planned else nan,
        "reliable": 1 - summary["reliable"].astype(bool).mean() if len(summary) else nan,
        "intervals": (reliable["interval_validity"] == "no").mean() if len(reliable) else nan,
        "repeatability": reliable["rse"].median(),
        "groups": reliable["mode_ratio"].notna().mean() if len(reliable) else nan,
        "late starts": verdicts["reps_late_start"].sum() / made if made else nan,
        "clock": (reliable["clock_error_us"] > LARGE_SHARE * reliable["median_us"]).mean() if len(reliable) else nan,
        "overhead": overhead_is_large(reliable).mean() if len(reliable) else nan,
        **further,
    }
    lines = [_line(criterion, float(values.get(criterion.name, nan))) for criterion in CRITERIA]
    return pd.DataFrame(lines, columns=list(GRADE_COLUMNS))


def _line(criterion: Criterion, value: float) -> tuple[object, ...]:
    limits = [limit if limit < inf else nan for limit in criterion.limits]
    return criterion.name, criterion.meaning, value, *limits, criterion.letter(value)


def with_cautions(table: pd.DataFrame, cautions: int) -> pd.DataFrame:
    """The grades with the number of cautions, which is known when all findings are. `table`: `GRADE_COLUMNS`."""
    line = pd.DataFrame([_line(BY_NAME["cautions"], float(cautions))], columns=list(GRADE_COLUMNS))
    others = table[table["criterion"] != "cautions"]
    return pd.concat([others, line], ignore_index=True)


def established_price(prices: pd.DataFrame, stacks: set[str]) -> float:
    """The largest price of company that is shown, as a share; 0 if none is. `prices`: `COMPANY_CASE_COLUMNS`."""
    if not len(prices):
        return nan
    slower = prices[prices["stack"].isin(stacks) & (prices["verdict"] == "slower")]
    return float((slower["ratio"] - 1).max()) if len(slower) else 0.0


def lost_blocks(comparison: pd.DataFrame) -> float:
    """The share of the blocks that correlation takes from a comparison, in the median. `comparison`: its rows."""
    return float((1 - comparison["effective_blocks"] / comparison["blocks"]).clip(lower=0).median())


def relative_load(timeline: pd.DataFrame) -> float:
    """Load of the nodes before a launch over its processes per node, in the median. `timeline`: its columns."""
    return float((timeline["load"] / timeline[POINT[1]]).median())
