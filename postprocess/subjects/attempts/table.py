# SPDX-License-Identifier: BSD-3-Clause
"""`attempts.csv`: launches that were not accepted, with the reasons."""

import pandas as pd

from isochron.postprocess.ingest.inputs import ATTEMPT_COLUMNS, attempt_table
from isochron.postprocess.kit.table import Table, TableContext


def make_attempts(context: TableContext) -> pd.DataFrame:
    """`ATTEMPT_COLUMNS`."""
    return attempt_table(context.inputs, set(context.launches["file"]))


ATTEMPTS = Table(
    name="attempts",
    columns=ATTEMPT_COLUMNS,
    make=make_attempts,
    holds="every attempt at a launch that was not accepted, and why",
)
