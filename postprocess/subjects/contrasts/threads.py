# SPDX-License-Identifier: BSD-3-Clause
"""The price of MPI_THREAD_MULTIPLE: a contrast that differs from the results in nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.contrasts.finding import largest
from isochron.postprocess.subjects.contrasts.table import CONTRASTS


def price_of_threads(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """A finding for each contrast that has the level where the results lack it, or lacks it where they have it."""
    campaign, findings = inputs.campaign, []
    for name, changes in campaign.all_contrasts.items():
        with_level = campaign.engine_of(name).threads > 0
        if set(changes) != {"threads"} or with_level == (campaign.engine.threads > 0):
            continue
        table = analysis[CONTRASTS]
        rows = table[(table["contrast"] == name) & (table["ratio"] > 0)]
        if len(rows):
            findings.append(_finding(inputs, name, prices(rows, with_level=with_level)))
    return findings


def prices(rows: pd.DataFrame, *, with_level: bool) -> pd.DataFrame:
    """The rows of a contrast with `price`, its interval `price_low`, `price_high`, and the times of both levels in µs.

    A price is the time with MPI_THREAD_MULTIPLE / without. `with_level`: the contrast has it, and not the results.
    """
    if with_level:
        factors = rows[["ratio", "ratio_low", "ratio_high"]].to_numpy(dtype=np.float64)
        times = rows[["contrast_us", "result_us"]].to_numpy(dtype=np.float64)
    else:
        factors = 1 / rows[["ratio", "ratio_high", "ratio_low"]].to_numpy(dtype=np.float64)
        times = rows[["result_us", "contrast_us"]].to_numpy(dtype=np.float64)
    names = ["price", "price_low", "price_high", "with_us", "without_us"]
    return rows.assign(**dict(zip(names, np.hstack([factors, times]).T, strict=True)))


def _finding(inputs: RunInputs, name: str, rows: pd.DataFrame) -> Finding:
    differ, most = largest(rows, "price")
    text = (
        f"MPI_THREAD_MULTIPLE, which contrast {name} is about, changes the time of {differ} of "
        f"{numbers.count(len(rows), 'result')} in which one thread calls MPI. {_line(inputs, most.to_dict())}."
    )
    return Finding(
        kind="thread-level",
        severity="note",
        text=text,
        details=[_line(inputs, row) for row in rows.to_dict("records")],
        numbers={
            "contrast": name,
            "rows": len(rows),
            "rows_that_differ": differ,
            "stack": str(most["stack"]),
            "price": float(most["price"]),
        },
    )


def _line(inputs: RunInputs, row: dict[Any, Any]) -> str:
    """`mpich-4.3, allreduce of 8 B: with it 1.96× [1.87; 2.04] as long, 0.59 µs instead of 0.30 µs`."""
    interval = numbers.ratio_interval(row["price_low"], row["price_high"])
    times = [numbers.microseconds(float(row[side])) for side in ("with_us", "without_us")]
    return (
        f"{row['stack']}, {labels.case(row, inputs)}: with it {numbers.ratio(row['price'])} {interval} as long, "
        f"{times[0]} µs instead of {times[1]} µs"
    )
