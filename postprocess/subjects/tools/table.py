# SPDX-License-Identifier: BSD-3-Clause
"""`tools.csv`: what other benchmarks say beside the engine, in the same blocks, and why."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.estimate.values.summary import usable
from isochron.postprocess.ingest.programs import read_tool_rows
from isochron.postprocess.kit.table import Table, TableContext
from isochron.postprocess.subjects.results.table import make_summary
from isochron.postprocess.subjects.tools.crosschecks import TOOL_COLUMNS, crosschecks


def make_tools(context: TableContext) -> pd.DataFrame:
    """`TOOL_COLUMNS`; without rows where the campaign has no tools."""
    inputs = context.inputs
    if not inputs.campaign.tools:
        return pd.DataFrame(columns=list(TOOL_COLUMNS))
    printed = read_tool_rows(inputs.layout)
    return crosschecks(inputs.campaign, inputs.plan, printed, usable(context.everything), context.get(make_summary))


TOOLS = Table(
    name="tools",
    columns=TOOL_COLUMNS,
    make=make_tools,
    holds="IMB and OSU beside the engine, in the same blocks, and which systematic error each difference comes from",
    applies=lambda campaign: bool(campaign.tools),
)
