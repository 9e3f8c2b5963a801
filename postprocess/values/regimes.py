# SPDX-License-Identifier: BSD-3-Clause
"""Whether two groups of launches are regimes of the machine: whole blocks, whatever the stack."""

from __future__ import annotations

import numpy as np
import pandas as pd

from isochron.postprocess.reading.inputs import ALLOCATION, CASE, RESULT_KEY
from isochron.stats.groups import slow
from isochron.stats.launches import Index, by_count

#: Part of the launches that must lie in the same group as most launches of their block.
TOGETHER = 0.9


def by_block(summary: pd.DataFrame, rows: pd.DataFrame) -> list[bool]:
    """For each row of the summary, whether its launches fall into two groups that are whole blocks.

    So it is where, over all stacks whose launches of that case fall into two groups, and at least
    two such stacks, nearly all launches are in the group of most launches of their block. With
    launches that fall into the groups by themselves that is hardly ever so: of two launches of a
    block three in four then lie with "most", of five launches two in three.
    `rows`: usable rows of launches with RESULT_KEY and ALLOCATION columns.
    `summary`: RESULT_KEY and gap.
    """
    divided = rows.merge(summary.loc[summary["mode_ratio"].notna(), RESULT_KEY], on=RESULT_KEY)
    if not len(divided):
        return [False] * len(summary)
    numbers: Index = np.asarray(divided.groupby(RESULT_KEY, sort=False).ngroup(), dtype=np.intp)
    medians, is_slow = divided["median_us"].to_numpy(dtype=np.float64), np.zeros(len(divided))
    for _, places in by_count(numbers, len(summary)):
        is_slow[places] = slow(medians[places])
    cases = _together(divided.assign(slow=is_slow))
    known = pd.MultiIndex.from_frame(summary[CASE]).isin(cases)
    return [bool(each) for each in known & summary["mode_ratio"].gt(0).to_numpy()]


def _together(launches: pd.DataFrame) -> pd.Index:
    """The cases, of several stacks, in which the groups of the launches are whole blocks.

    `launches`: stack, CASE, ALLOCATION and slow (1 or 0).
    """
    part = launches.groupby([*CASE, *ALLOCATION])["slow"].transform("mean")
    most = launches.assign(most=part.where(part >= 0.5, 1 - part)).groupby(CASE)
    found = most.agg(stacks=("stack", "nunique"), most=("most", "mean"))
    return found.index[(found["stacks"] > 1) & (found["most"] >= TOGETHER)]
