# SPDX-License-Identifier: BSD-3-Clause
"""What a call takes alone in a run, and as one of several in a row: contrasts with another number of operations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.ingest.inputs__inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table__analysis import Analysis
from isochron.postprocess.subjects.contrasts.table__contrasts import CONTRASTS
from isochron.schemas.engine.options import EngineOptions

#: Schemes whose runs are loops of `batch` operations.
LOOPS = ("loop", "rotating-root")


def operations_per_rep(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """A finding for each contrast that has several operations in a run where the results have one, or one of several.

    The case that differs most, of those whose verdict says so if there are any, is told; all are its details.
    """
    campaign = inputs.campaign
    found = []
    for name in campaign.all_contrasts:
        counts = operations_in_a_run(campaign.engine), operations_in_a_run(campaign.engine_of(name))
        if counts[0] != counts[1]:
            table = analysis[CONTRASTS]
            rows = table[(table["contrast"] == name) & (table["ratio"] > 0)]
            found += [_finding(inputs, name, counts, rows)] if len(rows) else []
    return found


def operations_in_a_run(engine: EngineOptions) -> int:
    """How many operations a run is made of."""
    return engine.batch if engine.scheme in LOOPS else engine.operations_per_rep


def _finding(inputs: RunInputs, name: str, counts: tuple[int, int], rows: pd.DataFrame) -> Finding:
    differ = rows[rows["verdict"].isin(["slower", "faster"])]
    told = differ if len(differ) else rows
    most = told.iloc[int(np.log(told["ratio"]).abs().argmax())]
    text = (
        f"Calls alone and in a row (contrast {name}): the times of {len(differ)} of {numbers.count(len(rows), 'row')} "
        f"differ. {_line(inputs, most.to_dict(), counts)}. In a row operations share what the engine adds, and a "
        "process may begin one while others are still in the one before. Each time is the answer to another question."
    )
    return Finding(
        kind="operations-per-rep",
        severity="note",
        text=text,
        details=[_line(inputs, row, counts) for row in rows.to_dict("records")],
        numbers={
            "contrast": name,
            "rows": len(rows),
            "rows_that_differ": len(differ),
            "result_us": float(most["result_us"]),
            "contrast_us": float(most["contrast_us"]),
        },
    )


def _line(inputs: RunInputs, row: dict[Any, Any], counts: tuple[int, int]) -> str:
    """`mpich-4.3, barrier: 0.52 µs alone in a run, 0.31 µs as one of 10 in a row`."""
    ways = ["alone in a run" if count == 1 else f"as one of {count} in a row" for count in counts]
    times = [numbers.significant(float(row[side])) for side in ("result_us", "contrast_us")]
    told = ", ".join(f"{time} µs {way}" for time, way in zip(times, ways, strict=True))
    return f"{row['stack']}, {labels.case(row, inputs)}: {told}"
