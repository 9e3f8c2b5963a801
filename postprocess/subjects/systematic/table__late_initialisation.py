# SPDX-License-Identifier: BSD-3-Clause
"""`late-initialisation.csv`: the very first call of a launch, before which only MPI_Init came, against later calls.

Each launch times the first call, a second one at once on other buffers, and later ones after barriers, every process by
its own clock (M. Kurnosov, MPIPerf, 2012, error E1). The published ratios are shown beside them.
"""

from __future__ import annotations

import pandas as pd

from isochron.common.resources import shipped
from isochron.postprocess.ingest.inputs__inputs import KEYS, RESULT_KEY
from isochron.postprocess.kit.table__declaration import Table, TableContext
from isochron.schemas.input.campaign import Campaign

#: Columns of `late-initialisation.csv`.
LATE_COLUMNS = {
    **KEYS,
    "launches": "launches that timed their first call: each this operation at this size alone",
    "first_us": "the first call on the slowest process, by its own clock: median over launches",
    "second_us": "the second call, at once after it on other buffers: median over launches",
    "later_us": "median of the later calls of a launch, each after a barrier: median over launches",
    "ratio": "`first_us` / `later_us` within a launch: median over launches",
    "ratio_min": "the smallest of these ratios",
    "ratio_max": "the largest of these ratios",
    "ratio_to_second": "`first_us` / `second_us`, the published ratio: median over launches",
    "rank0_first_us": "the first call on rank 0, by its own clock: median over launches",
    "rank0_later_us": "the later calls on rank 0: median over launches",
    "rank0_ratio": "first / later on rank 0: median over launches",
    "span_us": "of the first call last end minus first start, by clocks synchronised since: median over launches",
    "skew_us": "of the first call last start minus first start: how far apart processes left MPI_Init; median likewise",
}


def late_calls(rows: pd.DataFrame, campaign: Campaign) -> pd.DataFrame:
    """`LATE_COLUMNS` by stack, operation and size in the campaign's order.

    `rows`: the rows of all launches with RESULT_KEY and the columns `late_…` of the store; those of other launches are
    empty.
    """
    known = rows[rows["late_calls"].notna()]
    first, later = known["late_slowest_first_us"], known["late_slowest_later_us"]
    known = known.assign(
        ratio=first / later.where(later > 0),
        ratio_to_second=first / known["late_slowest_second_us"].where(known["late_slowest_second_us"] > 0),
        rank0_ratio=known["late_rank0_first_us"] / known["late_rank0_later_us"].where(known["late_rank0_later_us"] > 0),
    )
    table = known.groupby(RESULT_KEY, sort=False, as_index=False).agg(
        launches=("late_calls", "size"),
        first_us=("late_slowest_first_us", "median"),
        second_us=("late_slowest_second_us", "median"),
        later_us=("late_slowest_later_us", "median"),
        ratio_min=("ratio", "min"),
        ratio_max=("ratio", "max"),
        ratio=("ratio", "median"),
        ratio_to_second=("ratio_to_second", "median"),
        rank0_first_us=("late_rank0_first_us", "median"),
        rank0_later_us=("late_rank0_later_us", "median"),
        rank0_ratio=("rank0_ratio", "median"),
        span_us=("late_span_first_us", "median"),
        skew_us=("late_skew_first_us", "median"),
    )[list(LATE_COLUMNS)]
    cases = campaign.first_calls.cases if campaign.first_calls else []
    place = [
        (cases.index((row["operation"], row["bytes"])), row["processes"], campaign.stacks.index(row["stack"]))
        for row in table[RESULT_KEY].to_dict("records")
    ]
    return table.iloc[sorted(range(len(table)), key=place.__getitem__)].reset_index(drop=True)


def published() -> pd.DataFrame:
    """Ratios of first to second call as published: operation, library, ratio."""
    return pd.read_csv(shipped("postprocess", "published", "mpiperf-first-calls.csv"), comment="#")


def make_late(context: TableContext) -> pd.DataFrame:
    """`LATE_COLUMNS`."""
    return late_calls(context.everything, context.inputs.campaign)


LATE_CALLS = Table(
    name="late-initialisation",
    columns=LATE_COLUMNS,
    make=make_late,
    holds="the very first call of a launch against later ones",
    applies=lambda campaign: campaign.first_calls is not None,
)
