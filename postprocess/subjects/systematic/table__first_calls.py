# SPDX-License-Identifier: BSD-3-Clause
"""How much longer the first call of an operation at a size takes than the second, on another buffer of the same size.

The engine's own messages come before both, and have opened connections. The very first call of a launch is in
`late-initialisation.csv`, where a campaign asks for it.
"""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.estimate.values.summary import in_plan_order
from isochron.postprocess.ingest.inputs__inputs import KEYS, RESULT_KEY
from isochron.postprocess.kit.table__declaration import Table
from isochron.postprocess.subjects.results.table import make_summary

#: Columns of `first-calls.csv`.
FIRST_CALL_COLUMNS = {
    **KEYS,
    "launches": "launches in which both calls were timed",
    "first_call_us": "time of the first call: median over launches",
    "second_call_us": "time of the second call: median over launches",
    "ratio": "first call / second call: median over launches",
    "ratio_min": "the smallest of these ratios",
    "ratio_max": "the largest of these ratios",
}


def first_calls(rows: pd.DataFrame) -> pd.DataFrame:
    """`FIRST_CALL_COLUMNS` in the order of `rows`: RESULT_KEY, first_call_us and second_call_us of each launch."""
    timed = rows[rows["first_call_us"].notna() & (rows["second_call_us"] > 0)]
    timed = timed.assign(ratio=timed["first_call_us"] / timed["second_call_us"])
    table = timed.groupby(RESULT_KEY, sort=False, as_index=False).agg(
        launches=("ratio", "size"),
        first_call_us=("first_call_us", "median"),
        second_call_us=("second_call_us", "median"),
        ratio_min=("ratio", "min"),
        ratio_max=("ratio", "max"),
        ratio=("ratio", "median"),
    )
    return table[list(FIRST_CALL_COLUMNS)]


FIRST_CALLS = Table(
    name="first-calls",
    columns=FIRST_CALL_COLUMNS,
    make=lambda context: in_plan_order(first_calls(context.rows), context.get(make_summary), RESULT_KEY),
    holds="the first call of every operation against the second, on connections that are open already",
)
