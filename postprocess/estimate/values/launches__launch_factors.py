# SPDX-License-Identifier: BSD-3-Clause
"""Launches that were off as a whole: one bad launch in three is normal on a shared machine."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.ingest.inputs__inputs import RESULT_KEY

#: Columns of what is known of each launch.
LAUNCH_FACTOR_COLUMNS = {
    "launch_id": "the launch",
    "factor": "median over its rows of launch median / row value; 1 is normal",
}
#: A launch is off when its times are, in the median over its rows, this many times the rows' values
#: (or one part in this many).
OFF = 2.0


def launch_factors(rows: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """`LAUNCH_FACTOR_COLUMNS`.

    `rows`: usable rows of launches, with RESULT_KEY, launch_id and median_us; `summary`: RESULT_KEY, median_us and gap.
    Rows whose launches fall into two groups say nothing about a single launch and do not count; a launch with mostly
    such rows is left out.
    """
    values = rows.merge(summary[[*RESULT_KEY, "median_us", "mode_ratio"]], on=RESULT_KEY, suffixes=("", "_row"))
    factor = (values["median_us"] / values["median_us_row"]).where(
        (values["median_us_row"] > 0) & values["mode_ratio"].isna()
    )
    by_launch = factor.groupby(values["launch_id"])
    return by_launch.median()[by_launch.count() * 2 >= by_launch.size()].rename("factor").reset_index()


def off(table: pd.DataFrame) -> pd.Series:
    """The launches that were off, the worst first: factors by launch_id. `table`: `LAUNCH_FACTOR_COLUMNS`."""
    factors = table.set_index("launch_id")["factor"]
    chosen = factors[(factors > OFF) | (factors < 1 / OFF)]
    return chosen.sort_values(ascending=False)
