# SPDX-License-Identifier: BSD-3-Clause
"""Why a value should not be trusted: each value with what may be wrong with it, and the causes that apply."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from isochron.postprocess.estimate.answer.trust__grade import LARGE_SHARE, overhead_in_doubt
from isochron.postprocess.ingest.inputs__inputs import KEYS, RESULT_KEY

#: RSE from which on a value repeats badly: the limit of grade B.
LARGE_RSE = 0.05
#: Part of the timed runs from which on late starts are many.
MANY_LATE = 0.1


@dataclass(frozen=True)
class Cause:
    """Why values are to be distrusted: its name in the table, in words, and what mends it."""

    name: str
    meaning: str
    remedy: str


CAUSES = (
    Cause("verdict", "the value is not reliable", "Nothing is concluded from it; the verdicts below say why."),
    Cause(
        "overhead",
        "the engine's overhead is not known to a tenth of the value",
        "Measure several operations in a run (`engine.operations_per_rep`) or with a cheaper timer. An older engine "
        "did not measure it: measure once more.",
    ),
    Cause(
        "clock",
        "the clocks' error may be more than a tenth of the value",
        "Synchronise with `hca3`, or measure on one node.",
    ),
    Cause("RSE", "the relative standard error is above 5 %", "Add blocks, or measure while the machine is quiet."),
    Cause(
        "groups",
        "the repeats fall into two groups, and the value lies in one of them",
        "Look for what was not the same each time: binding, nodes, the machine's regime.",
    ),
    Cause(
        "interval",
        "the interval does not hold, since launches that follow each other are alike",
        "Comparisons within blocks still hold; more blocks mend the interval.",
    ),
    Cause(
        "late starts",
        "more than a tenth of the timed runs were started late by some process",
        "Leave a core free for the system, or measure where nothing else runs.",
    ),
    Cause(
        "regime",
        "some launches met another regime of the machine than the rest of their block",
        "The timeline shows when; `engine.probes: gate` leaves such times out.",
    ),
)

#: Columns of `trust.csv`: a line for each row.
TRUST_COLUMNS = {
    **KEYS,
    "median_us": "the row's value",
    "reliable": "whether the row is reliable",
    "rse": "relative standard error of the mean over launches",
    "overhead_share": "what the engine adds to the value / value: by this part it would be lower without",
    "overhead_low_share": "the same for the least that it adds",
    "overhead_high_share": "the same for the most that it adds",
    "clock_share": "worst known clock error / value",
    "late_share": "part of the timed runs that some process started late",
    "mode_ratio": "ratio between the two groups into which the launches fall; empty where they do not",
    "interval_validity": "whether the interval holds, as in `summary.csv`",
    "launches_other_regime": "launches that measured the row wholly in another regime than their block",
    "issues": "causes to distrust the value, separated by semicolons: "
    + ", ".join(f"`{each.name}`" for each in CAUSES),
}


def trust(summary: pd.DataFrame, verdicts: pd.DataFrame, regimes: pd.DataFrame) -> pd.DataFrame:
    """`TRUST_COLUMNS` of every row that was measured, in the summary's order.

    `summary`: `SUMMARY_COLUMNS`; `verdicts`: RESULT_KEY, reps_made, reps_late_start; `regimes`: RESULT_KEY, a line for
    each launch.
    """
    table = summary[summary["launches"] > 0].merge(
        verdicts[[*RESULT_KEY, "reps_made", "reps_late_start"]], on=RESULT_KEY, how="left"
    )
    table["size"] = 0
    if len(regimes):
        table = table.drop(columns="size").merge(
            regimes.groupby(RESULT_KEY, as_index=False).size(), on=RESULT_KEY, how="left"
        )
    value = table["median_us"].where(table["median_us"] > 0)
    table = table.assign(
        reliable=table["reliable"].astype(bool),
        overhead_share=table["overhead_us"] / value,
        overhead_low_share=table["overhead_low_us"] / value,
        overhead_high_share=table["overhead_high_us"] / value,
        clock_share=table["clock_error_us"] / value,
        late_share=table["reps_late_start"] / table["reps_made"].where(table["reps_made"] > 0),
        launches_other_regime=table["size"].fillna(0).astype("int64"),
    )
    found = {
        "verdict": ~table["reliable"],
        "overhead": value.notna() & overhead_in_doubt(table),
        "clock": table["clock_share"] > LARGE_SHARE,
        "RSE": table["rse"] > LARGE_RSE,
        "groups": table["mode_ratio"].notna(),
        "interval": table["interval_validity"] == "no",
        "late starts": table["late_share"] > MANY_LATE,
        "regime": table["launches_other_regime"] > 0,
    }
    each = pd.DataFrame({cause.name: found[cause.name] for cause in CAUSES})
    table["issues"] = ["; ".join(each.columns[line]) for line in each.to_numpy(dtype=bool)]
    return table[list(TRUST_COLUMNS)]
