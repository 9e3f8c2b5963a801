# SPDX-License-Identifier: BSD-3-Clause
"""`view-mpiperf.csv`, `view-mpiperf-ranks.csv`: the report of MPIPerf (Kurnosov, 2012), a line for each size."""

from __future__ import annotations

import numpy as np
import pandas as pd

from isochron.postprocess.reading.inputs import KEYS, RESULT_KEY
from isochron.postprocess.reading.store import read_table
from isochron.postprocess.tables.declaration import TableContext
from isochron.postprocess.tables.details.common import details
from isochron.postprocess.tables.summary import make_summary
from isochron.postprocess.tables.views.request import view
from isochron.postprocess.tables.views.settings import SETTING, make_measured
from isochron.postprocess.values.summary import in_plan_order
from isochron.schemas.engine.contract import HALVED

LAUNCH = {"block": "block of the launch", "launch": "number of the launch in its block, stack and point"}
LINE_COLUMNS = {
    **KEYS,
    **SETTING,
    **LAUNCH,
    "n_l": "runs that were made",
    "n_c": "runs that are valid: started in time and ended in their slot on every process",
    "n_s": "runs that T rests on: those that started in time, less the trimmed ones",
    "t_us": "T, the trimmed mean of the runs, in global time",
    "se_us": "SE, its standard error, from the winsorised sample",
    "min_us": "shortest run",
    "max_us": "longest run",
    "e_us": "E, half of the interval's length",
    "low_us": "T - E",
    "high_us": "T + E",
    "confidence": "p, of the interval",
}
RANK_LINE_COLUMNS = {
    **KEYS,
    **LAUNCH,
    "rank": "process: its rank in MPI_COMM_WORLD",
    "n_c": "runs that started in time",
    "n_s": "those of them that are left when the shortest and longest of this process are trimmed",
    "t_us": "mean of these, by the process' own start and end",
    "min_us": "its shortest run",
    "max_us": "its longest run",
}


def line_table(rows: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """`LINE_COLUMNS`, a line for each launch and row in the summary's order. `rows`: as of `make_measured`."""
    table = in_plan_order(rows, summary[RESULT_KEY], RESULT_KEY).assign(
        n_l=lambda own: own["reps_made"],
        n_c=lambda own: own["reps_valid"],
        n_s=lambda own: own["reps_used"],
        t_us=lambda own: own["mean_us"],
        e_us=lambda own: (own["ci_high_us"] - own["ci_low_us"]) / 2,
        low_us=lambda own: own["ci_low_us"],
        high_us=lambda own: own["ci_high_us"],
    )
    return table[list(LINE_COLUMNS)]


def rank_line_table(ranks: pd.DataFrame, trim: float) -> pd.DataFrame:
    """`RANK_LINE_COLUMNS`; `trim`: the share of a process' runs that is dropped at either end.

    `ranks`: RESULT_KEY, LAUNCH, rank, and local_us of each run that started in time.
    """
    keys = [*RESULT_KEY, *LAUNCH, "rank"]
    groups = ranks.groupby(keys, sort=False)["local_us"]
    place, count = groups.rank(method="first") - 1, groups.transform("size")
    cut = np.floor(trim * count + 1e-9)
    kept = ranks[(place >= cut) & (place < count - cut)].groupby(keys, sort=False)["local_us"]
    found = groups.agg(["size", "min", "max"]).set_axis(["n_c", "min_us", "max_us"], axis=1)
    means = kept.agg(["size", "mean"]).set_axis(["n_s", "t_us"], axis=1)
    return pd.DataFrame(found.join(means).reset_index()[list(RANK_LINE_COLUMNS)])


def make_lines(context: TableContext) -> pd.DataFrame:
    """`LINE_COLUMNS`."""
    return line_table(context.get(make_measured), context.get(make_summary))


def make_rank_lines(context: TableContext) -> pd.DataFrame:
    """`RANK_LINE_COLUMNS`, of the launches that results rest on."""
    ranks = details(context, "ranks")
    keys = ["launch_id", "operation", "bytes", "rep"]
    runs = read_table(context.inputs.layout, "repetitions")
    ranks = ranks.merge(runs.loc[runs["valid"] | runs["overran"], keys], on=keys)
    ranks = ranks.merge(context.launches[["launch_id", *LAUNCH]], on="launch_id")
    half = ranks["operation"].isin(list(HALVED))
    local = ranks["end_us"] - ranks["start_us"]
    table = rank_line_table(ranks.assign(local_us=local.where(~half, local / 2)), context.inputs.campaign.engine.trim)
    return in_plan_order(table, context.get(make_summary)[RESULT_KEY], RESULT_KEY)


MPIPERF_LINES = view("mpiperf", "", LINE_COLUMNS, make_lines, "the report of MPIPerf: a line for each launch and size")
MPIPERF_RANKS = view(
    "mpiperf",
    "ranks",
    RANK_LINE_COLUMNS,
    make_rank_lines,
    "the report of MPIPerf by process",
    has=lambda campaign: campaign.engine.per_rank,
)
