# SPDX-License-Identifier: BSD-3-Clause
"""`comparison.csv`: every pair of stacks; `fastest.csv`: what follows from it for each case."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.compare.comparison import COMPARISON_COLUMNS, compare
from isochron.postprocess.compare.leaders import LEADER_COLUMNS, leaders
from isochron.postprocess.compare.sides import rows_of
from isochron.postprocess.reading.inputs import CASE
from isochron.postprocess.tables.declaration import Bench, Table
from isochron.postprocess.tables.summary import make_summary
from isochron.postprocess.values.summary import in_plan_order


def make_comparison(bench: Bench) -> pd.DataFrame:
    """`COMPARISON_COLUMNS` in the plan's order."""
    summary, rules = bench.get(make_summary), bench.rules
    return in_plan_order(compare(rows_of(summary, bench.beside), bench.inputs.campaign.stacks, rules), summary, CASE)


def make_fastest(bench: Bench) -> pd.DataFrame:
    """`LEADER_COLUMNS`."""
    return leaders(bench.get(make_summary), bench.get(make_comparison))


COMPARISON = Table(
    name="comparison",
    columns=COMPARISON_COLUMNS,
    make=make_comparison,
    holds="every pair of stacks in every case: ratio, interval, exact test, verdict",
)
FASTEST = Table(
    name="fastest",
    columns=LEADER_COLUMNS,
    make=make_fastest,
    holds="the fastest stack of every case, its lead, and whether that is established",
)
