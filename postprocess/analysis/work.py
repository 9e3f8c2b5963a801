# SPDX-License-Identifier: BSD-3-Clause
"""The store → every table, in memory."""

from __future__ import annotations

from isochron.postprocess.analysis.analysis import Analysis
from isochron.postprocess.reading.inputs import RunInputs
from isochron.postprocess.tables.declaration import Bench
from isochron.postprocess.tables.registry import ALL_KEPT
from isochron.postprocess.tables.trust.again import make_doubts


def analyse(inputs: RunInputs) -> Analysis:
    """Read the store and work everything out. Raises FileError when it is missing."""
    bench = Bench(inputs)
    frames = {table.name: bench.get(table.make) for table in ALL_KEPT}
    return Analysis(bench.launches, bench.get(make_doubts), frames)
