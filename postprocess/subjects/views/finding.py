# SPDX-License-Identifier: BSD-3-Clause
"""Wait patterns, whose true time is known: by how much each timer is off."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.views.mpiperf_table import EMPTY, MPIPERF_PATTERNS


def wrong_patterns(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """A finding if any wait pattern reads otherwise than it is by more than the practical threshold."""
    table = analysis[MPIPERF_PATTERNS]
    table = table[table["operation"] != EMPTY]
    off = table["off_us"].abs()
    wrong = table[off > inputs.campaign.analysis.threshold * table["true_us"]]
    if not len(wrong):
        return []
    threshold = numbers.given_percent(inputs.campaign.analysis.threshold)
    lines = [_timer(str(timer), rows) for timer, rows in table.groupby("timer", sort=False)]
    worst = wrong.iloc[int(wrong["off_us"].abs().argmax())].to_dict()
    counted = f"{len(wrong)} of {numbers.count(len(table), 'time')} of wait patterns, which are known, "
    text = (
        f"{counted}{numbers.are(len(wrong))} read as more than {threshold} longer or shorter than they are. "
        f"{'; '.join(lines)}. The worst: {_read(worst, inputs)}."
    )
    return [
        Finding(
            kind="wait-patterns",
            severity="note",
            text=text,
            details=[_read(row, inputs) for row in wrong.to_dict("records")],
            numbers={"patterns": len(table), "wrong": len(wrong), "largest_off_us": float(worst["off_us"])},
        )
    ]


def _timer(timer: str, rows: pd.DataFrame) -> str:
    """`With tsc they are off by 0.20 µs in the median, from −0.10 to 1.20 µs`."""
    median, low, high = (numbers.microseconds(value, 2) for value in rows["off_us"].quantile([0.5, 0, 1]))
    return f"With {timer} they are off by {median} µs in the median, from {low} to {high} µs"


def _read(row: Mapping[Any, Any], inputs: RunInputs) -> str:
    """`wait-pattern-linear with 16 processes, 16.0 µs, reads as 17.2 µs with tsc (window)`."""
    true, read = (numbers.microseconds(row[name]) for name in ("true_us", "t_us"))
    case = labels.case({**row, "bytes": 0}, inputs)
    return (
        f"{case}, {true} µs with {row['processes']} processes, reads as {read} µs with {row['timer']} ({row['scheme']})"
    )
