# SPDX-License-Identifier: BSD-3-Clause
"""`startup.csv`: how long the launcher, loading, MPI_Init, the first message and MPI_Finalize of a launch take."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.common.detectable import MIN_BLOCKS
from isochron.postprocess.ingest.inputs import ALLOCATION, KEYS, POINT
from isochron.postprocess.ingest.store import read_table
from isochron.postprocess.kit.table import Table, TableContext
from isochron.stats.launches import Values, median_interval
from isochron.stats.shift import shifts

#: Columns of `startup.csv`.
STARTUP_COLUMNS = {
    **{name: KEYS[name] for name in ("stack", *POINT)},
    "step": "`launcher` (from its start in the job to that of the first process), `loading` (from the start of the "
    "processes to `main`), `init` (MPI_Init), `first message`, `first barrier`, `finalize` (MPI_Finalize on rank 0)",
    "launches": "launches that timed it",
    "median_ms": "time until all processes have done it: median over launches",
    "low_ms": "lower end of its exact interval, or of the range of the launches",
    "high_ms": "upper end of that interval",
    "confidence": "the confidence level that this interval really has",
    "max_ms": "the longest of these times",
    "process_ms": "duration on a process, the median of all: median over launches; empty for `launcher` and `finalize`",
    "ratio": "how many times as long as with the first stack of the campaign, within blocks; empty for that stack, and "
    f"with fewer than {MIN_BLOCKS} blocks that have both",
    "ratio_low": "lower end of its interval, which inverts the exact test of the row alone",
    "ratio_high": "upper end of that interval",
    "ratio_confidence": "the confidence level that this interval really has",
}


def startup_table(times: pd.DataFrame, stacks: Sequence[str], confidence: float) -> pd.DataFrame:
    """`STARTUP_COLUMNS`, by point and step in the order of `times`, then by stack in that of `stacks`.

    `times`: a line for each launch and step, with stack, POINT, ALLOCATION, step, median_us and all_us.
    """
    rows = []
    for key, group in times.groupby([*POINT, "step"], sort=False):
        baseline = group[group["stack"] == stacks[0]]
        for stack in stacks:
            launches = group[group["stack"] == stack]
            if len(launches):
                compared = {} if stack == stacks[0] else _ratio(launches, baseline, confidence)
                rows.append(
                    {"stack": stack, **dict(zip([*POINT, "step"], key, strict=True)), **_values(launches, confidence)}
                    | compared
                )
    return pd.DataFrame(rows, columns=list(STARTUP_COLUMNS))


def _values(launches: pd.DataFrame, confidence: float) -> dict[str, float]:
    """The statistics over the launches of a stack, µs → ms."""
    values = launches["all_us"].to_numpy(dtype=np.float64) / 1e3
    interval = median_interval(values, confidence)
    return {
        "launches": len(values),
        "median_ms": float(np.median(values)),
        "low_ms": float(interval.low),
        "high_ms": float(interval.high),
        "confidence": interval.confidence,
        "max_ms": float(values.max()),
        "process_ms": float(launches["median_us"].median()) / 1e3,
    }


def _ratio(launches: pd.DataFrame, baseline: pd.DataFrame, confidence: float) -> dict[str, float]:
    """The ratio of two stacks within the blocks that both have; nothing if they are too few, or a time is 0."""
    both = pd.concat([launches, baseline], ignore_index=True)
    values: Values = both["all_us"].to_numpy(dtype=np.float64)
    first = np.arange(len(both)) < len(launches)
    blocks: NDArray[Any] = both.groupby(ALLOCATION).ngroup().to_numpy()
    places = [
        (np.flatnonzero(first & (blocks == block)), np.flatnonzero(~first & (blocks == block)))
        for block in np.intersect1d(blocks[first], blocks[~first])
    ]
    if len(places) < MIN_BLOCKS or not (values > 0).all():
        return {}
    logs = np.log(values)[:, np.newaxis]
    shift = shifts(logs, logs, places, confidence)
    ends = {"ratio": shift.estimate, "ratio_low": shift.low, "ratio_high": shift.high}
    return {name: float(np.exp(end[0])) for name, end in ends.items()} | {"ratio_confidence": shift.confidence}


def make_startup(context: TableContext) -> pd.DataFrame:
    """`STARTUP_COLUMNS`, of the launches that results are of."""
    launches = context.rows[["launch_id", "stack", *POINT, *ALLOCATION]].drop_duplicates("launch_id")
    times = launches.merge(read_table(context.inputs.layout, "startup"), on="launch_id")
    return startup_table(times, context.inputs.campaign.stacks, context.inputs.campaign.analysis.confidence)


STARTUP = Table(
    name="startup",
    columns=STARTUP_COLUMNS,
    make=make_startup,
    holds="what a launch takes to start and to end: launcher, loading, MPI_Init, first message, barrier, MPI_Finalize",
)
