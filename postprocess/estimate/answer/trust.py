# SPDX-License-Identifier: BSD-3-Clause
"""What is known of the results of a run: the known issues of each, and the smallest detectable difference."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from isochron.common.detectable import Design, detectable
from isochron.postprocess.ingest.inputs import ALLOCATION, CASE, KEYS, RESULT_KEY

#: Of a reliable value, the part that an error may have before it counts.
LARGE_SHARE = 0.1


def overhead_is_large(summary: pd.DataFrame) -> pd.Series[bool]:
    """Of each row whether the engine's overhead is known to no better than `LARGE_SHARE` of the value, or not at all.

    `summary`: median_us, overhead_low_us, overhead_high_us.
    """
    half_us = (summary["overhead_high_us"] - summary["overhead_low_us"]) / 2
    return ~(half_us <= LARGE_SHARE * summary["median_us"])


#: RSE from which on a value repeats badly: the limit of grade B.
LARGE_RSE = 0.05
#: Part of the timed runs from which on late starts are many.
MANY_LATE = 0.1


@dataclass(frozen=True)
class Issue:
    """Why values are to be distrusted: its name in the table, in words, and what mends it."""

    name: str
    meaning: str
    remedy: str


ISSUES = (
    Issue("verdict", "the value is not reliable", "Nothing is concluded from it; the verdicts below say why."),
    Issue(
        "overhead",
        "the engine's overhead is not known to a tenth of the value",
        "Measure several operations in a run (`engine.operations_per_rep`) or with a cheaper timer. An older engine "
        "did not measure it: measure once more.",
    ),
    Issue(
        "clock",
        "the clocks' error may be more than a tenth of the value",
        "Synchronise with `hca3`, or measure on one node.",
    ),
    Issue("RSE", "the relative standard error is above 5 %", "Add blocks, or measure while the machine is quiet."),
    Issue(
        "groups",
        "the repeats fall into two groups, and the value lies in one of them",
        "Look for what was not the same each time: binding, nodes, the machine's regime.",
    ),
    Issue(
        "interval",
        "the interval is not valid, since consecutive launches are correlated",
        "More blocks mend the interval. In comparisons, what both stacks of a block have in common cancels.",
    ),
    Issue(
        "late starts",
        "more than a tenth of the timed runs were started late by some process",
        "Leave a core free for the system, or measure where nothing else runs.",
    ),
    Issue(
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
    + ", ".join(f"`{each.name}`" for each in ISSUES),
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
    flags = {
        "verdict": ~table["reliable"],
        "overhead": value.notna() & overhead_is_large(table),
        "clock": table["clock_share"] > LARGE_SHARE,
        "RSE": table["rse"] > LARGE_RSE,
        "groups": table["mode_ratio"].notna(),
        "interval": table["interval_validity"] == "no",
        "late starts": table["late_share"] > MANY_LATE,
        "regime": table["launches_other_regime"] > 0,
    }
    each = pd.DataFrame({cause.name: flags[cause.name] for cause in ISSUES})
    table["issues"] = ["; ".join(each.columns[line]) for line in each.to_numpy(dtype=bool)]
    return table[list(TRUST_COLUMNS)]


#: Median distance from the middle of normal numbers, in standard deviations.
NORMAL_MEDIAN = 0.6745
#: The noisy cases that are told of: this part of all cases spreads less.
NOISY = 0.9
#: More blocks, as parts of those that there are.
MORE = (0.0, 0.5, 1.0, 2.0, 4.0)

#: Columns of `detectable.csv`: a line for each number of further blocks.
DETECTABLE_COLUMNS = {
    "more_blocks": "blocks beyond those that were measured",
    "blocks": "blocks in all",
    "minutes": "what the further blocks take, launch after launch, as long as those of this run",
    "spread": "spread of launches within a block (standard deviation of logarithms), in turns of a block's ratio, in a "
    "usual case: the median",
    "detectable_ratio": "ratio of two stacks that is found with 90 % probability in such a case; empty where none is",
    "noisy_spread": "spread in a noisy case: 90 % of the cases spread less",
    "noisy_detectable_ratio": "ratio that is found in such a case",
}


def spreads(used: pd.DataFrame, pairs: list[tuple[str, str]]) -> pd.Series:
    """The spread of launches within a block, by case: robust, as a test of ranks is.

    From the launches of one stack in a block, if there are several; else from the differences of the stacks of a
    pair in the same block, which spread √2 times as far. `used`: RESULT_KEY, ALLOCATION, median_us.
    """
    rows = used[used["median_us"] > 0]
    rows = rows.assign(log=np.log(rows["median_us"].to_numpy(dtype=np.float64)))
    within = rows.groupby([*RESULT_KEY, *ALLOCATION], sort=False)["log"]
    count = within.transform("count")
    several = rows.assign(off=(rows["log"] - within.transform("mean")).abs() * np.sqrt(count / (count - 1)))[count > 1]
    if len(several):
        of_stack = several.groupby(RESULT_KEY, sort=False)["off"].median() / NORMAL_MEDIAN
        medians: pd.Series = of_stack.groupby(level=CASE, sort=False).median()
        return medians
    keys = [*CASE, *ALLOCATION]
    by_stack = {stack: stack_rows[[*keys, "log"]] for stack, stack_rows in rows.groupby("stack", sort=False)}
    parts = []
    for one, other in pairs:
        if one in by_stack and other in by_stack:
            both = by_stack[one].merge(by_stack[other], on=keys)
            apart = both["log_x"] - both["log_y"]
            middle = apart.groupby([both[name] for name in CASE], sort=False)
            off = (apart - middle.transform("median")).abs()
            parts.append(off.groupby([both[name] for name in CASE], sort=False).median() / NORMAL_MEDIAN / np.sqrt(2))
    if not parts:
        return pd.Series(dtype="float64")
    together: pd.Series = pd.concat(parts).groupby(level=CASE, sort=False).median()
    return together


def detectable_table(design: Design, spread: pd.Series, block_minutes: float) -> pd.DataFrame:
    """`DETECTABLE_COLUMNS`. `design`: as measured; `spread`: by case; `block_minutes`: what a block takes."""
    positive = spread[spread > 0]
    if not len(positive) or not design.pairs or not design.blocks:
        return pd.DataFrame(columns=list(DETECTABLE_COLUMNS))
    usual, noisy = float(positive.median()), float(positive.quantile(NOISY))
    lines = []
    for more in dict.fromkeys(int(np.ceil(part * design.blocks)) for part in MORE):
        then = replace(design, blocks=design.blocks + more)
        usual_size, worse = detectable(then, usual), detectable(then, noisy)
        lines.append((more, then.blocks, more * block_minutes, usual, usual_size, noisy, worse))
    table = pd.DataFrame(lines, columns=list(DETECTABLE_COLUMNS))
    ratios = ["detectable_ratio", "noisy_detectable_ratio"]
    return table.astype(dict.fromkeys(ratios, "float64"))
