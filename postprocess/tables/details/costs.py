# SPDX-License-Identifier: BSD-3-Clause
"""`basic-costs.csv`: what basic operations cost, less the timer and the barrier around them (Andreev, Voevodin)."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.reading.inputs import KEYS, RESULT_KEY
from isochron.postprocess.tables.declaration import Table
from isochron.postprocess.tables.summary import make_summary
from isochron.postprocess.values.summary import in_plan_order
from isochron.schemas.engine.contract import BASIC

COST_COLUMNS = {
    **KEYS,
    "launches": "launches that measured the item, the timer and the barrier",
    "median_us": "the item with the barrier before it: median over launches of the launch medians",
    "timer_us": "DT, one reading of the timer: median over launches",
    "barrier_us": "DB, a barrier between two readings, less DT: median over launches",
    "cost_us": "the item less DT and DB: median over launches",
    "cost_min_us": "the least of these over launches",
    "cost_max_us": "the greatest of these over launches",
}


def cost_table(rows: pd.DataFrame) -> pd.DataFrame:
    """`COST_COLUMNS`. `rows`: of each launch RESULT_KEY, median_us, cost_us, cost_timer_us and cost_barrier_us."""
    table = rows[rows["cost_us"].notna()].groupby(RESULT_KEY, sort=False, as_index=False)
    return table.agg(
        launches=("cost_us", "size"),
        median_us=("median_us", "median"),
        timer_us=("cost_timer_us", "median"),
        barrier_us=("cost_barrier_us", "median"),
        cost_min_us=("cost_us", "min"),
        cost_max_us=("cost_us", "max"),
        cost_us=("cost_us", "median"),
    )[list(COST_COLUMNS)]


COSTS = Table(
    name="basic-costs",
    columns=COST_COLUMNS,
    make=lambda context: in_plan_order(cost_table(context.used), context.get(make_summary), RESULT_KEY),
    holds="what basic operations cost, the timer and the barrier taken off",
    applies=lambda campaign: bool(set(BASIC) & set(campaign.operations)),
)
