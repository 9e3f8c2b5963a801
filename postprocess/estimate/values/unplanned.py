# SPDX-License-Identifier: BSD-3-Clause
"""Values of launches that no campaign has planned: raw files → one result for each operation and size.

Value, interval and RSE are those of `summary.csv` over launches; no file is written. The launches are of one job, so
the interval says nothing about differences between jobs.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from isochron.common.files import FileError
from isochron.postprocess.estimate.values.verdicts import USABLE
from isochron.schemas.engine.contract import HALVED
from isochron.schemas.run.launch_file import LaunchFile, problems, read_launch
from isochron.schemas.run.layout import launch_of
from isochron.schemas.run.measured import Measured, MeasuredResult
from isochron.schemas.run.records import Measurement
from isochron.stats.launches import mean_estimate, median_interval

#: Confidence of the intervals.
CONFIDENCE = 0.95


def measured(paths: Sequence[Path]) -> Measured:
    """Read the raw files of equal launches, judge each, and summarise them.

    A launch is refused if its file is not whole, if it had other numbers of processes or hosts than its header plans,
    if it lacks a case that another one has, or if data were wrong.
    """
    launches, refused = [], []
    for path in paths:
        try:
            launches.append(read_launch(path))
        except FileError as error:
            refused.append(str(error))
    cases = list(dict.fromkeys((row.operation, row.bytes) for launch in launches for row in launch.measurements))
    for launch in launches:
        refused += [f"{launch.path.name}: {reason}" for reason in _reasons(launch, cases)]
    if refused:
        return Measured(problems=refused, results=[])
    rows = [row for launch in launches for row in launch.measurements]
    return Measured(
        problems=[], results=[_result([row for row in rows if (row.operation, row.bytes) == case]) for case in cases]
    )


def _reasons(launch: LaunchFile, cases: list[tuple[str, int]]) -> list[str]:
    """Why a launch is refused."""
    planned = [launch.header.launch.get(name, "") for name in ("nodes", "processes_per_node")]
    if not all(text.isdecimal() for text in planned):
        return ["header.launch: nodes and processes_per_node must be whole numbers"]
    nodes, per_node = map(int, planned)
    name = launch_of(launch.path)
    return problems(launch, processes=nodes * per_node, nodes=nodes, cases=cases, launch_name=name) + [
        f"{row.operation} at {row.bytes} bytes: wrong data ({row.reason})"
        for row in launch.measurements
        if row.verdict == "failed-check"
    ]


def _result(rows: list[Measurement]) -> MeasuredResult:
    """`rows`: of one operation and size, one for each launch."""
    first = rows[0]
    scale = 2000 if first.operation in HALVED else 1000
    used = [row for row in rows if row.verdict in USABLE and row.median_ns is not None]
    others = Counter(f"{row.verdict} ({row.reason})" for row in rows if row not in used)
    values: dict[str, float | None] = {}
    if used:
        medians = np.array([row.median_ns for row in used], dtype=np.float64) / scale
        means = [row.median_ns if row.mean_ns is None else row.mean_ns for row in used]
        interval = median_interval(medians, CONFIDENCE)
        rse = float(mean_estimate(np.array(means, dtype=np.float64), CONFIDENCE).rse)
        values = {
            "median_us": float(np.median(medians)),
            "median_low_us": float(interval.low),
            "median_high_us": float(interval.high),
            "median_confidence": float(interval.confidence),
            "rse": rse if np.isfinite(rse) else None,
        }
    return MeasuredResult(
        operation=first.operation,
        bytes=first.bytes,
        launches_used=len(used),
        reason=", ".join(f"{count} x {text}" for text, count in others.items()),
        **values,
    )
