# SPDX-License-Identifier: BSD-3-Clause
"""`view-two-sites-paradox.csv`, `view-two-sites-rotating.csv`: a loop with a rotating root (A. Igumnov et al., 2015).

Nothing keeps the operations of the loop apart, so that each process sees most of them take less than a message from one
site to the other: the mean over ranks is below what light allows (table 2 of the study).
"""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.estimate.compare.contrasts__contrast import ROTATING
from isochron.postprocess.estimate.values.summary import in_plan_order
from isochron.postprocess.ingest.inputs__inputs import KEYS, POINT, RESULT_KEY
from isochron.postprocess.ingest.store__store import read_table
from isochron.postprocess.kit.table__declaration import Table, TableContext
from isochron.postprocess.subjects.contrasts.table__bounds import make_bounds
from isochron.postprocess.subjects.results.table import make_summary
from isochron.postprocess.subjects.views.two_sites_table__two_sites import wanted
from isochron.schemas.input.campaign import Campaign

PARADOX_COLUMNS = {
    **KEYS,
    "results_us": "time of one operation from a common start: value of the row in the scheme of the results",
    "loop_us": "of an operation in the loop with a rotating root: last end less first start, by the operations",
    "avg_us": "of an operation in that loop, as each process sees it: mean over the processes, median over launches",
    "min_us": "the least of these means",
    "max_us": "the greatest of these means",
    "bound_us": "least time of an operation with that root by the campaign's own ping-pong",
    "between": "the two hosts of that ping-pong",
    "below": "whether `avg_us` is below `bound_us`: no duration of an operation",
}
#: The first columns of the matrix; then one for each rank.
POSITION_COLUMNS = {
    **KEYS,
    "position": "number of the operation in the last loop, from 0",
    "root": "its root: `position` modulo `processes`",
    "mean_us": "mean over the ranks; their mean over all operations is the mean over ranks of the loop",
}
MATRIX_COLUMNS = {**POSITION_COLUMNS, "rank_<rank>_us": "what the operation took on that rank, median over launches"}


def rotates(campaign: Campaign) -> bool:
    """Whether a campaign asks for this view and has such a loop."""
    schemes = {campaign.engine_of(contrast).scheme for contrast in campaign.all_contrasts}
    return wanted(campaign) and ROTATING in schemes


def recorded(campaign: Campaign) -> bool:
    """Whether it has each operation of the loop, too."""
    return rotates(campaign) and campaign.engine.per_rank


def make_paradox(context: TableContext) -> pd.DataFrame:
    """`PARADOX_COLUMNS`."""
    if not rotates(context.inputs.campaign):
        return pd.DataFrame(columns=list(PARADOX_COLUMNS))
    loops = context.everything[context.everything["scheme"] == ROTATING]
    return paradox_table(context.get(make_bounds), loops, context.get(make_summary))


def paradox_table(bounds: pd.DataFrame, loops: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """`PARADOX_COLUMNS` of the cases that both schemes have.

    `bounds`: `BOUND_COLUMNS`. `summary`: RESULT_KEY and median_us. `loops`: of each launch with a rotating root
    RESULT_KEY, rank_avg_us, rank_min_us, rank_max_us.
    """
    means = loops.groupby(RESULT_KEY, sort=False, as_index=False).agg(
        avg_us=("rank_avg_us", "median"), min_us=("rank_min_us", "median"), max_us=("rank_max_us", "median")
    )
    own = summary[[*RESULT_KEY, "median_us"]].rename(columns={"median_us": "results_us"})
    loop = bounds.loc[bounds["scheme"] == ROTATING, [*RESULT_KEY, "median_us", "bound_us", "between"]]
    table = loop.rename(columns={"median_us": "loop_us"}).merge(own, on=RESULT_KEY).merge(means, on=RESULT_KEY)
    table = table[table["avg_us"].notna()]
    return table.assign(below=table["avg_us"] < table["bound_us"])[list(PARADOX_COLUMNS)]


def make_rotating(context: TableContext) -> pd.DataFrame:
    """`MATRIX_COLUMNS`."""
    if not recorded(context.inputs.campaign):
        return pd.DataFrame(columns=list(POSITION_COLUMNS))
    files = context.everything.loc[context.everything["scheme"] == ROTATING, "launch_id"].unique()
    loops = read_table(context.inputs.layout, "loops")
    loops = loops[loops["launch_id"].isin(files)]
    table = matrix(loops.merge(context.launches[["launch_id", "stack", *POINT]], on="launch_id"))
    return in_plan_order(table, context.get(make_bounds), RESULT_KEY)


def matrix(loops: pd.DataFrame) -> pd.DataFrame:
    """`MATRIX_COLUMNS`. `loops`: RESULT_KEY, rank, position and time_us."""
    keys = [*RESULT_KEY, "position"]
    wide = loops.pivot_table(index=keys, columns="rank", values="time_us", aggfunc="median", sort=False)
    wide = wide[sorted(wide.columns)].rename(columns=lambda rank: f"rank_{rank}_us").rename_axis(columns=None)
    mean = wide.mean(axis=1)
    table = wide.assign(mean_us=mean).reset_index()
    table["root"] = table["position"] % table["processes"]
    return table[[*POSITION_COLUMNS, *wide.columns]]


PARADOX = Table(
    name="view-two-sites-paradox",
    columns=PARADOX_COLUMNS,
    make=make_paradox,
    holds="a rotating root in a loop: the mean over ranks, and the least time that ping-pong allows",
    applies=rotates,
)
ROTATING_MATRIX = Table(
    name="view-two-sites-rotating",
    columns=MATRIX_COLUMNS,
    make=make_rotating,
    holds="a rotating root in a loop: what each operation takes on each rank",
    applies=recorded,
)
