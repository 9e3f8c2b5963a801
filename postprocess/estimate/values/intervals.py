# SPDX-License-Identifier: BSD-3-Clause
"""Intervals of results: over launches or over blocks, and whether an interval is valid."""

from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.values.launches import LaunchMatrix, together
from isochron.postprocess.ingest.inputs import ALLOCATION, CASE, RESULT_KEY
from isochron.stats.dependence import Dependence, dependence
from isochron.stats.groups import slow
from isochron.stats.launches import Index, by_count

#: Columns of the summary.
INTERVAL_COLUMNS = {
    "interval_basis": "the units of the interval of the value: `launches`, or `blocks` where the launches of a block "
    "resemble each other",
    "interval_validity": "`yes`; `regimes`: the launches fall into two groups that come and go often enough, and the "
    "interval is of both; `no`. Of a regime of the machine that no launch of the row met nothing is known",
    "interval_reason": "why the interval does not hold",
}
LASTING = "launches fall into two groups, as by regimes of the machine, that change too seldom for an interval"
FOLLOWING = "launches are not independent: blocks resemble their neighbours, as with a drift or long regimes"
ONE_BLOCK = "all launches are of one block: what differs between blocks is not known"


def intervals(summary: pd.DataFrame, used: pd.DataFrame, confidence: float) -> dict[str, Any]:
    """The columns of the interval of the median, as they are or over blocks, and `INTERVAL_COLUMNS`.

    `summary`: RESULT_KEY, and the interval over launches; `used`: usable rows of launches, with `simulated`. Rows of a
    single launch or of simulated ones, which are all equal, are left as they are.
    """
    ends = {
        name: summary[name].to_numpy(dtype=np.float64, copy=True)
        for name in ("median_low_us", "median_high_us", "median_confidence")
    }
    words = {name: np.full(len(summary), "", dtype=object) for name in INTERVAL_COLUMNS}
    for group in together(summary, used[~used["simulated"].astype(bool)]):
        if len(group.blocks) > 1:
            _note(ends, words, group, confidence)
    return {**ends, **words}


def _note(ends: dict[str, Any], words: dict[str, Any], group: LaunchMatrix, confidence: float) -> None:
    dependences = dependence(group.logs, group.blocks, confidence)
    other = dependences.by_block | dependences.groups | dependences.follow
    rows = group.rows[other]
    ends["median_low_us"][rows], ends["median_high_us"][rows] = (
        np.exp(dependences.low[other]),
        np.exp(dependences.high[other]),
    )
    ends["median_confidence"][rows] = dependences.confidence[other]
    words["interval_basis"][group.rows] = np.where(dependences.by_block, "blocks", "launches")
    holds, reason = _words(dependences, one_block=len(np.unique(group.blocks)) == 1)
    words["interval_validity"][group.rows], words["interval_reason"][group.rows] = holds, reason


def _words(dependences: Dependence, *, one_block: bool) -> tuple[Any, Any]:
    """`interval_validity` and `interval_reason` of each row."""
    if one_block:
        return "no", ONE_BLOCK
    reason = np.select([~dependences.holds & dependences.groups, ~dependences.holds], [LASTING, FOLLOWING], "")
    holds = np.select([~dependences.holds, dependences.groups], ["no", "regimes"], "yes")
    return holds, reason


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
    bimodal = pd.MultiIndex.from_frame(summary[CASE]).isin(cases)
    return [bool(each) for each in bimodal & summary["mode_ratio"].gt(0).to_numpy()]


def _together(launches: pd.DataFrame) -> pd.Index:
    """The cases, of several stacks, in which the groups of the launches are whole blocks.

    `launches`: stack, CASE, ALLOCATION and slow (1 or 0).
    """
    part = launches.groupby([*CASE, *ALLOCATION])["slow"].transform("mean")
    most = launches.assign(most=part.where(part >= 0.5, 1 - part)).groupby(CASE)
    stack_counts = most.agg(stacks=("stack", "nunique"), most=("most", "mean"))
    return stack_counts.index[(stack_counts["stacks"] > 1) & (stack_counts["most"] >= TOGETHER)]
