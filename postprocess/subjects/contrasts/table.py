# SPDX-License-Identifier: BSD-3-Clause
"""`bounds.csv` and `contrasts.csv`."""

import pandas as pd

from isochron.postprocess.estimate.compare.contrasts import BOUND_COLUMNS, CONTRAST_COLUMNS, bounds, contrasted
from isochron.postprocess.kit.table import Table, TableContext
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


CONTRASTS = Table(
    name="contrasts",
    columns=CONTRAST_COLUMNS,
    make=lambda context: contrasted(context.inputs, context.get(make_summary), context.everything, context.rules),
    holds="each contrast against the results of the same stack: other schemes, timers, buffers",
    applies=lambda campaign: bool(campaign.all_contrasts),
)
