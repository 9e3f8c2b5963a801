# SPDX-License-Identifier: BSD-3-Clause
"""`bounds.csv`."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.estimate.compare.contrasts__contrast import BOUND_COLUMNS, bounds
from isochron.postprocess.kit.table__declaration import Table, TableContext
from isochron.postprocess.subjects.results.table import make_summary


def make_bounds(context: TableContext) -> pd.DataFrame:
    """`BOUND_COLUMNS`."""
    return bounds(context.inputs, context.get(make_summary), context.everything, context.rules.confidence)


BOUNDS = Table(
    name="bounds",
    columns=BOUND_COLUMNS,
    make=make_bounds,
    holds="least times by the campaign's own ping-pong, and what a further scheme measures",
)
