# SPDX-License-Identifier: BSD-3-Clause
"""Why a value should not be trusted: each value with what may be wrong with it, and the causes that apply."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from isochron.postprocess.answer.grade import LARGE_SHARE, overhead_in_doubt
from isochron.postprocess.reading.inputs import KEYS, ROW

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
    Cause("verdict", "the value cannot be believed", "Nothing is concluded from it; the verdicts below say why."),
    Cause(
        "own cost",
        "the engine's overhead is not known to a tenth of the value",
        "Measure several operations in a run (`engine.operations_per_run`) or with a cheaper timer. An older engine "
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
        "the interval does not hold, since program starts that follow each other are alike",
        "Comparisons within blocks still hold; more blocks mend the interval.",
    ),
    Cause(
        "late starts",
        "more than a tenth of the timed runs were started late by some process",
        "Leave a core free for the system, or measure where nothing else runs.",
    ),
    Cause(
        "regime",
        "some program starts met another regime of the machine than the rest of their block",
        "The timeline shows when; `engine.weather: gate` leaves such times out.",
    ),
)

#: Columns of `trust.csv`: a line for each row.
TRUST_COLUMNS = {
    **KEYS,
    "median_us": "the row's value",
    "believed": "whether the row is believed",
    "rse": "relative standard error of the mean over launches",
    "own_cost_part": "what the engine adds to the value / value: by this part it would be lower without",
    "own_cost_low_part": "the same for the least that it adds",
    "own_cost_high_part": "the same for the most that it adds",
    "clock_part": "worst known clock error / value",
    "late_part": "part of the timed runs that some process started late",
    "gap": "ratio between the two groups into which the launches fall; empty where they do not",
    "interval_holds": "whether the interval holds, as in `summary.csv`",
    "launches_other_regime": "launches that measured the row wholly in another regime than their block",
    "causes": "causes to distrust the value, separated by semicolons: "
    + ", ".join(f"`{each.name}`" for each in CAUSES),
}


def trust(summary: pd.DataFrame, verdicts: pd.DataFrame, regimes: pd.DataFrame) -> pd.DataFrame:
    """`TRUST_COLUMNS` of every row that was measured, in the summary's order.

    `summary`: `SUMMARY_COLUMNS`; `verdicts`: ROW, runs_made, runs_late_start; `regimes`: ROW, a line for each launch.
    """
    table = summary[summary["launches"] > 0].merge(verdicts[[*ROW, "runs_made", "runs_late_start"]], on=ROW, how="left")
    table["size"] = 0
    if len(regimes):
        table = table.drop(columns="size").merge(regimes.groupby(ROW, as_index=False).size(), on=ROW, how="left")
    value = table["median_us"].where(table["median_us"] > 0)
    table = table.assign(
        believed=table["believed"].astype(bool),
        own_cost_part=table["overhead_us"] / value,
        own_cost_low_part=table["overhead_low_us"] / value,
        own_cost_high_part=table["overhead_high_us"] / value,
        clock_part=table["clock_error_us"] / value,
        late_part=table["runs_late_start"] / table["runs_made"].where(table["runs_made"] > 0),
        launches_other_regime=table["size"].fillna(0).astype("int64"),
    )
    found = {
        "verdict": ~table["believed"],
        "own cost": value.notna() & overhead_in_doubt(table),
        "clock": table["clock_part"] > LARGE_SHARE,
        "RSE": table["rse"] > LARGE_RSE,
        "groups": table["gap"].notna(),
        "interval": table["interval_holds"] == "no",
        "late starts": table["late_part"] > MANY_LATE,
        "regime": table["launches_other_regime"] > 0,
    }
    each = pd.DataFrame({cause.name: found[cause.name] for cause in CAUSES})
    table["causes"] = ["; ".join(each.columns[line]) for line in each.to_numpy(dtype=bool)]
    return table[list(TRUST_COLUMNS)]
