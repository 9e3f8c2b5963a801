# SPDX-License-Identifier: BSD-3-Clause
"""The store → every table, in memory."""

from __future__ import annotations

from isochron.postprocess.analysis.analysis import Analysis
from isochron.postprocess.reading.inputs import RunInputs
from isochron.postprocess.tables.declaration import TableContext
from isochron.postprocess.tables.registry import ALL_SAVED
from isochron.postprocess.tables.trust.remeasured import make_flagged


def analyse(inputs: RunInputs) -> Analysis:
    """Read the store and work everything out. Raises FileError when it is missing."""
    context = TableContext(inputs)
    frames = {table.name: context.get(table.make) for table in ALL_SAVED}
    return Analysis(context.launches, context.get(make_flagged), frames)
