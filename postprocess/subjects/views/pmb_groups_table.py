# SPDX-License-Identifier: BSD-3-Clause
"""`view-pmb-groups.csv`: PMB's `Multi-` benchmarks and its runs with some processes active (the key `groups`)."""

import pandas as pd

from isochron.postprocess.estimate.compare.contrasts import contrast_summary
from isochron.postprocess.estimate.values.summary import usable
from isochron.postprocess.ingest.inputs import POINT, RESULT_KEY
from isochron.postprocess.kit.table import TableContext
from isochron.postprocess.subjects.views.pmb_msu_table import PMB_COLUMNS, pmb_table
from isochron.postprocess.subjects.views.request import view
from isochron.schemas.engine.groups import ALL

#: Processes of PMB's smallest group.
LEAST = 2

GROUP_COLUMNS = {
    "groups": "groups of two processes and more that executed the benchmark at the same time, each in its own "
    "communicator",
    "group_count": "how many groups these were",
    **PMB_COLUMNS,
    "benchmark": "PMB's name; `Multi-` where several groups are active at the same time",
    "active": "processes that are in a group; the others of `processes` wait",
    "time_us": "value of the row in global time, until the last process of any group has ended",
}


def groups_table(rows: pd.DataFrame, summary: pd.DataFrame, group_size: int) -> pd.DataFrame:
    """`GROUP_COLUMNS` of one grouping: PMB's formulas with the processes of a group in place of all processes.

    Groups of one process are left out: PMB has none, and an operation of one process sends no message.
    `rows`: of each launch what `pmb_table` needs, groups, group_count and active. `summary`: RESULT_KEY, median_us.
    """
    tables = []
    for _, point_rows in rows.groupby([*POINT, "groups", "group_count", "active"], sort=False):
        first = point_rows.iloc[0]
        count, active = int(first["group_count"]), int(first["active"])
        if active // count < LEAST:
            continue
        at_point = summary[summary[POINT].eq(first[POINT]).all(axis=1)]
        members = {"processes": active // count}
        table = pmb_table(point_rows.assign(**members), at_point.assign(**members), group_size)
        plain = table["benchmark"].str.removeprefix("Multi-" if count > 1 else "")
        tables.append(
            table.assign(
                groups=str(first["groups"]),
                group_count=count,
                benchmark=("Multi-" if count > 1 else "") + plain,
                processes=int(first["processes"]),
                active=active,
            )
        )
    return _all_of(tables)


def make_groups(context: TableContext) -> pd.DataFrame:
    """`GROUP_COLUMNS` of every contrast with groups."""
    inputs, campaign = context.inputs, context.inputs.campaign
    tables = []
    for name in campaign.all_contrasts:
        engine = campaign.engine_of(name)
        if engine.groups == ALL:
            continue
        summary = contrast_summary(inputs, name, context.everything, context.rules.confidence)
        rows = usable(context.of_contrast(name))
        tables.append(groups_table(rows, summary[[*RESULT_KEY, "median_us"]], engine.group_size))
    return _all_of(tables)


def _all_of(tables: list[pd.DataFrame]) -> pd.DataFrame:
    filled = [table for table in tables if len(table)] or [pd.DataFrame(columns=list(GROUP_COLUMNS))]
    return pd.concat(filled, ignore_index=True)[list(GROUP_COLUMNS)]


PMB_GROUPS = view(
    "pmb",
    "groups",
    GROUP_COLUMNS,
    make_groups,
    "benchmarks of PMB in several groups at the same time, and with some of the processes active",
    lambda campaign: any(campaign.engine_of(name).groups != ALL for name in campaign.all_contrasts),
)
