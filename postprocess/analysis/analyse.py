# SPDX-License-Identifier: BSD-3-Clause
"""The store → every table, in memory."""

from __future__ import annotations

from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.table import Analysis, TableContext
from isochron.postprocess.subjects.registry import ALL_SAVED
from isochron.postprocess.subjects.verdicts.table import make_flagged


def analyse(inputs: RunInputs) -> Analysis:
    """Read the store and work everything out. Raises FileError when it is missing."""
    context = TableContext(inputs)
    frames = {table.name: context.get(table.make) for table in ALL_SAVED}
    return Analysis(context.launches, context.get(make_flagged), frames)
