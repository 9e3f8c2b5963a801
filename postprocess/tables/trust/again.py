# SPDX-License-Identifier: BSD-3-Clause
"""`again.csv`, and the rows of `doubts.json`."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.tables.declaration import Bench, Table
from isochron.postprocess.values.doubt import AGAIN_COLUMNS, doubts, measured_again, with_rounds
from isochron.schemas.run.doubt import Doubts


def make_doubts(bench: Bench) -> Doubts:
    """What `doubts.json` says."""
    return doubts(bench.rows, bench.launches, bench.rules.threshold)


def make_again(bench: Bench) -> pd.DataFrame:
    """`AGAIN_COLUMNS`."""
    rules = bench.rules
    return measured_again(with_rounds(bench.rows, bench.inputs), rules.threshold, rules.confidence)


AGAIN = Table(
    name="again",
    columns=AGAIN_COLUMNS,
    make=make_again,
    holds="rows that were in doubt and were measured again: both results",
)
