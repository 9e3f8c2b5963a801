# SPDX-License-Identifier: BSD-3-Clause
"""`contrasts.csv`."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.estimate.compare.contrasts__contrasted import CONTRAST_COLUMNS, contrasted
from isochron.postprocess.kit.table__declaration import Table, TableContext
from isochron.postprocess.subjects.results.table import make_summary


def make_contrasts(context: TableContext) -> pd.DataFrame:
    """`CONTRAST_COLUMNS`."""
    return contrasted(context.inputs, context.get(make_summary), context.everything, context.rules)


CONTRASTS = Table(
    name="contrasts",
    columns=CONTRAST_COLUMNS,
    make=make_contrasts,
    holds="each contrast against the results of the same stack: other schemes, timers, buffers",
    applies=lambda campaign: bool(campaign.all_contrasts),
)
