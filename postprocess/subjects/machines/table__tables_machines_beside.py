# SPDX-License-Identifier: BSD-3-Clause
"""`other-machines.csv`."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.kit.table__declaration import Table, TableContext
from isochron.postprocess.subjects.machines.table__compare_beside import BESIDE_COLUMNS, beside
from isochron.postprocess.subjects.results.table import make_summary


def make_beside(context: TableContext) -> pd.DataFrame:
    """`BESIDE_COLUMNS`."""
    return beside(context.inputs, context.get(make_summary))


BESIDE = Table(
    name="other-machines",
    columns=BESIDE_COLUMNS,
    make=make_beside,
    holds="this machine beside others: another run, or what was published",
    applies=lambda campaign: bool(campaign.analysis.compare_with),
)
