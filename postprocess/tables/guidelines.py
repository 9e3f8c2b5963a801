# SPDX-License-Identifier: BSD-3-Clause
"""`guidelines.csv`."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.guidelines.judge import GUIDELINE_COLUMNS, guidelines
from isochron.postprocess.tables.declaration import Bench, Table
from isochron.postprocess.tables.summary import make_summary


def make_guidelines(bench: Bench) -> pd.DataFrame:
    """`GUIDELINE_COLUMNS`."""
    return guidelines(bench.used, bench.get(make_summary), bench.rules)


GUIDELINES = Table(
    name="guidelines",
    columns=GUIDELINE_COLUMNS,
    make=make_guidelines,
    holds="performance guidelines: whether an operation is slower than another way to its result",
)
