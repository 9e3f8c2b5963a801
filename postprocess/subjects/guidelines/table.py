# SPDX-License-Identifier: BSD-3-Clause
"""`guidelines.csv`, and what follows from it for a user: `advice.csv`."""

import pandas as pd

from isochron.postprocess.estimate.guidelines.judge import ADVICE_COLUMNS, GUIDELINE_COLUMNS, advice, guidelines
from isochron.postprocess.kit.table import Table, TableContext
from isochron.postprocess.subjects.results.table import make_summary


def make_guidelines(context: TableContext) -> pd.DataFrame:
    """`GUIDELINE_COLUMNS`."""
    return guidelines(context.beside, context.get(make_summary), context.rules, context.slices)


GUIDELINES = Table(
    name="guidelines",
    columns=GUIDELINE_COLUMNS,
    make=make_guidelines,
    holds="performance guidelines: whether an operation is slower than another way to its result",
)
ADVICE = Table(
    name="advice",
    columns=ADVICE_COLUMNS,
    make=lambda context: advice(context.get(make_guidelines)),
    holds="what to call instead of what is slower than another way to its result, and at which sizes",
)
