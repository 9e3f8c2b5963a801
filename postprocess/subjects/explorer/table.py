# SPDX-License-Identifier: BSD-3-Clause
"""`rates.csv`, and the launches' times of the explorer."""

from collections.abc import Iterator
from math import nan

import pandas as pd

from isochron.postprocess.estimate.compare.contrasts import contrast_summary
from isochron.postprocess.estimate.models.curves import NO_CURVE, SERIES
from isochron.postprocess.estimate.values.summary import SUMMARY_COLUMNS, usable
from isochron.postprocess.ingest.inputs import ALLOCATION, KEYS, RESULT_KEY
from isochron.postprocess.kit.table import SavedFrame, Table, TableContext
from isochron.postprocess.subjects.details.table import bandwidth_table
from isochron.postprocess.subjects.explorer.data import ONE_GROUP
from isochron.postprocess.subjects.results.table import make_summary
from isochron.schemas.engine.groups import ALL

RATE_COLUMNS = {
    **KEYS,
    "time_us": "value of the row, as in the summary",
    "bytes_counted": "bytes that the bandwidth counts: `bytes_moved` of `bandwidth.csv` where the operation has one, "
    "else the message size (the algorithm bandwidth of nccl-tests); empty where there are no data",
    "mb_per_s": "`bytes_counted` / `time_us`; 1 MB is 10⁶ bytes",
    "mb_per_s_low": "the same of the upper end of the time's interval",
    "mb_per_s_high": "the same of the lower end of it",
    "fewest_processes": "the fewest processes of the same stack, operation, size, placement and processes per node "
    "whose row is reliable; on one node the processes per node may differ; empty where there is one process count only",
    "weak_efficiency": "time with the fewest processes / time here: 1 where more processes take no longer",
    "weak_efficiency_low": "lower end of that time's interval / upper end of the interval here; 1 with the fewest",
    "weak_efficiency_high": "upper end of that time's interval / lower end of the interval here; 1 with the fewest",
}
#: Columns of the summary that all rests on.
VALUE = ["median_us", "median_low_us", "median_high_us"]


def rate_table(rows: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """`RATE_COLUMNS` of every row of the summary, in its order.

    `rows`: of each launch RESULT_KEY, bytes_moved and messages, those of a whole run. `summary`: `SUMMARY_COLUMNS`.
    """
    counted = bandwidth_table(rows, summary)[[*RESULT_KEY, "bytes_moved"]]
    table = summary[[*RESULT_KEY, *VALUE, "reliable"]].merge(counted, on=RESULT_KEY, how="left")
    whole = table["bytes_moved"].fillna(table["bytes"])
    table = table.assign(bytes_counted=whole.where(whole > 0, nan))
    first = _fewest(table)
    time, low, high = (table[name].where(table[name] > 0) for name in VALUE)
    itself = (table["processes"] == first["processes"]) & (table["median_us"] == first["median_us"])
    return table.assign(
        time_us=table["median_us"],
        mb_per_s=table["bytes_counted"] / time,
        mb_per_s_low=table["bytes_counted"] / high,
        mb_per_s_high=table["bytes_counted"] / low,
        fewest_processes=first["processes"],
        weak_efficiency=first["median_us"] / time,
        weak_efficiency_low=(first["median_low_us"] / high).mask(itself, 1.0),
        weak_efficiency_high=(first["median_high_us"] / low).mask(itself, 1.0),
    )[list(RATE_COLUMNS)]


def _fewest(table: pd.DataFrame) -> pd.DataFrame:
    """`processes` and VALUE of the row that each is set against; NaN if there is none."""
    one_node = bool((table["processes"] <= table["processes_per_node"]).all())
    keys = [name for name in SERIES if not (one_node and name == "processes_per_node")]
    curve_rows = table[
        table["reliable"].astype(bool) & (table["median_us"] > 0) & ~table["operation"].isin(list(NO_CURVE))
    ]
    ordered = curve_rows.sort_values("processes", kind="stable")
    first = ordered.drop_duplicates(keys)[[*keys, "processes", *VALUE]]
    several = ordered.groupby(keys, as_index=False)["processes"].nunique()
    first = first.merge(several.loc[several["processes"] > 1, keys], on=keys)
    values: pd.DataFrame = table[keys].merge(first, on=keys, how="left")
    return values


RATES = Table(
    name="rates",
    columns=RATE_COLUMNS,
    make=lambda context: rate_table(context.used, context.get(make_summary)),
    holds="bandwidth and efficiency of every row",
)


def groupings_of(context: TableContext) -> Iterator[tuple[str, str]]:
    """Yield the name of each contrast whose processes are in groups, and what the explorer calls the groups.

    With other options beside them, that is the contrast's name.
    """
    campaign = context.inputs.campaign
    for name, changes in campaign.all_contrasts.items():
        groups = campaign.engine_of(name).groups
        if groups != ALL:
            yield name, groups if set(changes) == {"groups"} else name


GROUPING_COLUMNS = {
    **KEYS,
    "groups": "groups of processes, each with its own communicator",
    **{name: SUMMARY_COLUMNS[name] for name in (*VALUE, "rse", "launches", "launches_used", "verdict", "reliable",
                                                "reason")},
    **{name: meaning for name, meaning in RATE_COLUMNS.items() if name not in KEYS},
}  # fmt: skip


def make_groupings(context: TableContext) -> pd.DataFrame:
    """`GROUPING_COLUMNS` of every contrast whose processes are in groups; the bandwidth is that of a group."""
    tables = []
    for name, groups in groupings_of(context):
        summary = contrast_summary(context.inputs, name, context.everything, context.rules.confidence)
        rates = rate_table(usable(context.of_contrast(name)), summary)
        tables.append(summary.merge(rates, on=RESULT_KEY).assign(groups=groups)[list(GROUPING_COLUMNS)])
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(GROUPING_COLUMNS))


GROUPINGS = SavedFrame(name="groupings", columns=GROUPING_COLUMNS, make=make_groupings)


LAUNCH_TIME_COLUMNS = {
    **KEYS,
    "groups": "groups of processes; of the results one",
    "block": "number of the block",
    "attempt": "attempt at the block",
    "median_us": "median of the launch",
    "verdict": "verdict of the launch",
}


def make_launch_times(context: TableContext) -> pd.DataFrame:
    """`LAUNCH_TIME_COLUMNS` of each launch that has a time, by block and then as they were measured."""
    rows = [context.rows.assign(groups=ONE_GROUP)]
    rows += [context.of_contrast(name).assign(groups=groups) for name, groups in groupings_of(context)]
    timed = pd.concat([part[part["median_us"].notna()] for part in rows], ignore_index=True)
    return timed.sort_values([*ALLOCATION, "launch_id"], kind="stable")[list(LAUNCH_TIME_COLUMNS)].reset_index(
        drop=True
    )


LAUNCH_TIMES = SavedFrame(name="launch-times", columns=LAUNCH_TIME_COLUMNS, make=make_launch_times)
