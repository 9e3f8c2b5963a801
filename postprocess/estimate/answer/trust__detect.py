# SPDX-License-Identifier: BSD-3-Clause
"""How small a difference the run can show now, and with more blocks, by how far its own launches spread."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from isochron.common.detectable import Design, detectable
from isochron.postprocess.ingest.inputs__inputs import ALLOCATION, CASE, RESULT_KEY

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
    "spread": "spread of launches within a block (standard deviation of logarithms) in a usual case: the median",
    "detectable_ratio": "ratio of two stacks that is found with 90 % probability in such a case; empty where none is",
    "noisy_spread": "spread in a noisy case: 90 % of the cases spread less",
    "noisy_detectable_ratio": "ratio that is found in such a case",
}


def spreads(used: pd.DataFrame, pairs: list[tuple[str, str]]) -> pd.Series:
    """The spread of launches within a block, by case: robust, as a test of ranks is.

    From the launches of one stack in a block, where there are several; else from the differences of the stacks of a
    pair in the same block, which spread √2 times as far. `used`: RESULT_KEY, ALLOCATION, median_us.
    """
    rows = used[used["median_us"] > 0]
    rows = rows.assign(log=np.log(rows["median_us"].to_numpy(dtype=np.float64)))
    within = rows.groupby([*RESULT_KEY, *ALLOCATION], sort=False)["log"]
    count = within.transform("count")
    several = rows.assign(off=(rows["log"] - within.transform("mean")).abs() * np.sqrt(count / (count - 1)))[count > 1]
    if len(several):
        of_stack = several.groupby(RESULT_KEY, sort=False)["off"].median() / NORMAL_MEDIAN
        found: pd.Series = of_stack.groupby(level=CASE, sort=False).median()
        return found
    keys = [*CASE, *ALLOCATION]
    by_stack = {stack: own[[*keys, "log"]] for stack, own in rows.groupby("stack", sort=False)}
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
    known = spread[spread > 0]
    if not len(known) or not design.pairs or not design.blocks:
        return pd.DataFrame(columns=list(DETECTABLE_COLUMNS))
    usual, noisy = float(known.median()), float(known.quantile(NOISY))
    lines = []
    for more in dict.fromkeys(int(np.ceil(part * design.blocks)) for part in MORE):
        then = replace(design, blocks=design.blocks + more)
        found, worse = detectable(then, usual), detectable(then, noisy)
        lines.append((more, then.blocks, more * block_minutes, usual, found, noisy, worse))
    table = pd.DataFrame(lines, columns=list(DETECTABLE_COLUMNS))
    ratios = ["detectable_ratio", "noisy_detectable_ratio"]
    return table.astype(dict.fromkeys(ratios, "float64"))
