# SPDX-License-Identifier: BSD-3-Clause
"""`scan.csv`."""

import pandas as pd

from isochron.postprocess.estimate.compare.scan import SCAN_COLUMNS, scan_table
from isochron.postprocess.kit.table import Table, TableContext


def make_scan(context: TableContext) -> pd.DataFrame:
    """`SCAN_COLUMNS`; empty if the campaign scans nothing."""
    rows = context.used if context.inputs.campaign.scan else context.used.iloc[:0]
    return scan_table(rows, context.launches, context.rules)


SCAN = Table(
    name="scan",
    columns=SCAN_COLUMNS,
    make=make_scan,
    holds="every node, and every link between two, against the others: slow ones are named",
    applies=lambda campaign: campaign.scan is not None,
)
