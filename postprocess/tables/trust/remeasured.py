# SPDX-License-Identifier: BSD-3-Clause
"""`remeasured.csv`, and the rows of `remeasure.json`."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.tables.declaration import Table, TableContext
from isochron.postprocess.values.remeasure import REMEASURED_COLUMNS, flagged, measured_again, with_rounds
from isochron.schemas.run.next_blocks import Flagged


def make_flagged(context: TableContext) -> Flagged:
    """What `remeasure.json` says."""
    return flagged(context.rows, context.launches, context.rules.threshold)


def make_again(context: TableContext) -> pd.DataFrame:
    """`REMEASURED_COLUMNS`."""
    rules = context.rules
    return measured_again(with_rounds(context.rows, context.inputs), rules.threshold, rules.confidence)


AGAIN = Table(
    name="remeasured",
    columns=REMEASURED_COLUMNS,
    make=make_again,
    holds="rows that were in doubt and were measured again: both results",
)
