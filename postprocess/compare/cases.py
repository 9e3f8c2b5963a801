# SPDX-License-Identifier: BSD-3-Clause
"""The cases of a run with their samples, from the store."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from isochron.postprocess.compare.samples import Key, Sample, launch_runs, sample
from isochron.postprocess.reading.inputs import CASE, ROW, RunInputs
from isochron.postprocess.reading.store import read_runs


def case_samples(
    inputs: RunInputs, summary: pd.DataFrame, rows: pd.DataFrame, seed: int
) -> Iterator[tuple[Key, dict[str, Sample]]]:
    """Every case with the samples of its stacks; the runs are read one operation at a time, for there are many.

    `summary`: ROW, believed and verdict; `rows`: usable rows of launches, with ROW, ALLOCATION and launch_id.
    """
    for operation, part in summary.groupby("operation", sort=False):
        timed = launch_runs(rows[rows["operation"] == operation], read_runs(inputs.layout, str(operation)))
        for case, group in part.groupby(CASE, sort=False):
            samples = {}
            for *row, believed, verdict in group[[*ROW, "believed", "verdict"]].itertuples(index=False, name=None):
                key = tuple(row)
                samples[key[0]] = sample(key, timed.get(key, {}), bool(believed), str(verdict), seed)
            yield case, samples
