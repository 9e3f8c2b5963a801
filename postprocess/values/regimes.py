# SPDX-License-Identifier: BSD-3-Clause
"""Whether two groups of launches are regimes of the machine: whole blocks, whatever the stack."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.reading.inputs import ALLOCATION, CASE, ROW
from isochron.postprocess.statistics.groups import slow

#: Part of the launches that must lie in the same group as most launches of their block.
TOGETHER = 0.9


def by_block(summary: pd.DataFrame, rows: pd.DataFrame) -> list[bool]:
    """For each row of the summary, whether its launches fall into two groups that are whole blocks.

    So it is where, over all stacks whose launches of that case fall into two groups, and at least
    two such stacks, nearly all launches are in the group of most launches of their block. With
    launches that fall into the groups by themselves that is hardly ever so: of two launches of a
    block three in four then lie with "most", of five launches two in three.
    `rows`: usable rows of launches with ROW and ALLOCATION columns.
    `summary`: ROW and gap.
    """
    divided = rows.merge(summary.loc[summary["gap"].notna(), ROW], on=ROW)
    if not len(divided):
        return [False] * len(summary)
    divided["slow"] = divided.groupby(ROW, sort=False)["median_us"].transform(lambda own: slow(own.to_numpy()))
    cases = {case for case, group in divided.groupby(CASE, sort=False) if _together(group)}
    return [
        gap > 0 and tuple(case) in cases for *case, gap in summary[[*CASE, "gap"]].itertuples(index=False, name=None)
    ]


def _together(launches: pd.DataFrame) -> bool:
    """Whether the groups of the launches of one case, columns stack, ALLOCATION and slow, are whole blocks."""
    part = launches["slow"].astype(float).groupby([launches[name] for name in ALLOCATION]).transform("mean")
    return launches["stack"].nunique() > 1 and float(part.where(part >= 0.5, 1 - part).mean()) >= TOGETHER
