# SPDX-License-Identifier: BSD-3-Clause
"""`summary.csv`, the same values with the stacks side by side, a file for each operation, and `tails.csv`."""

import pandas as pd

from isochron.postprocess.estimate.values.adjusted import ADJUSTED_COLUMNS, adjusted_values
from isochron.postprocess.estimate.values.launches import LAUNCH_FACTOR_COLUMNS, launch_factors
from isochron.postprocess.estimate.values.summary import SUMMARY_COLUMNS, summarise
from isochron.postprocess.estimate.values.tails import (
    QUANTILES,
    TAIL_COLUMNS,
    TAILS_IN_SUMMARY,
    in_summary,
    repetitions_of,
    tails,
)
from isochron.postprocess.ingest.inputs import CASE, CASE_KEYS, planned_rows
from isochron.postprocess.kit.table import SavedFrame, Table, TableContext
from isochron.stats.tails import launch_quantiles

#: Of each stack; `<stack>` is its name.
OF_STACK = {
    "<stack>_us": "value of that stack, as in the summary",
    "<stack>_low_us": "lower end of its interval",
    "<stack>_high_us": "upper end of its interval",
    "<stack>_verdict": "its verdict",
}


def make_values(context: TableContext) -> pd.DataFrame:
    """`SUMMARY_COLUMNS` and `ADJUSTED_COLUMNS` of every planned row."""
    confidence = context.rules.confidence
    summary = summarise(planned_rows(context.inputs), context.rows, confidence)
    return summary.assign(**adjusted_values(summary, context.beside, confidence))


def make_quantiles(context: TableContext) -> tuple[pd.DataFrame, pd.DataFrame]:
    """`TAIL_COLUMNS`, and `context.used` with a column for each of `QUANTILES`: repetitions are read once for both.

    A quantile of a launch with too few repetitions is NaN.
    """
    used = context.used
    repetitions = repetitions_of(context.inputs.layout, used)
    table = tails(context.get(make_values), used, repetitions, context.rules.confidence)
    found = launch_quantiles(repetitions.times, repetitions.starts, repetitions.counts, tuple(QUANTILES.values()))
    return table, used.assign(**dict(zip(QUANTILES, found.T, strict=True)))


def make_tails(context: TableContext) -> pd.DataFrame:
    """`TAIL_COLUMNS`."""
    return context.get(make_quantiles)[0]


def make_summary(context: TableContext) -> pd.DataFrame:
    """`SUMMARY_COLUMNS`, `ADJUSTED_COLUMNS` and `TAILS_IN_SUMMARY` of every planned row."""
    summary = context.get(make_values)
    return summary.assign(**in_summary(summary, context.get(make_tails)))


def make_scalability(context: TableContext) -> pd.DataFrame:
    """`operation`, and for each the columns of `side_by_side`."""
    summary, campaign = context.get(make_summary), context.inputs.campaign
    tables = [side_by_side(summary, operation, campaign.stacks) for operation in campaign.operations]
    filled = [table for table in tables if len(table)] or tables[:1]
    return pd.concat(filled, ignore_index=True)


def side_by_side(summary: pd.DataFrame, operation: str, stacks: list[str]) -> pd.DataFrame:
    """CASE columns and `OF_STACK` of each stack, in µs, for one operation. `summary`: `SUMMARY_COLUMNS`."""
    keys = [name for name in CASE if name != "operation"]
    chosen = summary[summary["operation"] == operation]
    table = chosen[keys].drop_duplicates().sort_values(keys, kind="stable")
    for stack in stacks:
        part = chosen.loc[chosen["stack"] == stack, [*keys, "median_us", "median_low_us", "median_high_us", "verdict"]]
        names = [name.replace("<stack>", stack) for name in OF_STACK]
        table = table.merge(part.set_axis([*keys, *names], axis=1), on=keys, how="left")
    table.insert(0, "operation", operation)
    return table


SUMMARY = Table(
    name="summary",
    columns=SUMMARY_COLUMNS | ADJUSTED_COLUMNS | TAILS_IN_SUMMARY,
    make=make_summary,
    holds="value, intervals, standard error, RSE and verdict of every row",
)
TAILS = Table(
    name="tails",
    columns=TAIL_COLUMNS,
    make=make_tails,
    holds=f"{', '.join(QUANTILES)} of the repetitions of every row, with intervals",
)
SCALABILITY = Table(
    name="scalability",
    columns={name: meaning for name, meaning in CASE_KEYS.items() if name != "operation"} | OF_STACK,
    make=make_scalability,
    holds="bytes × processes × processes per node, one column per stack",
    each_operation=True,
)
LAUNCH_FACTORS = SavedFrame(
    name="launch-factors",
    columns=LAUNCH_FACTOR_COLUMNS,
    make=lambda context: launch_factors(context.used, context.get(make_summary)),
)
