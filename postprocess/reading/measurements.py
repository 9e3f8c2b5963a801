# SPDX-License-Identifier: BSD-3-Clause
"""Rows of raw files (ns) → columns of `measurements` (µs), column by column: there may be hundreds of thousands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from isochron.postprocess.reading.store import Columns
from isochron.schemas.run.launch_file import LaunchFile
from isochron.schemas.run.measurement_checks import flat
from isochron.schemas.run.record_parts import (
    Causality,
    Cold,
    Costs,
    EngineRecord,
    FromLast,
    LateInitialisation,
    RankMean,
    Wrong,
)
from isochron.schemas.run.records import Measurement
from isochron.schemas.run.store import TABLES

#: Figures in ns, and what is taken as it is.
TIMED = (
    "slot", "first_call", "second_call", "mean", "se", "ci_low", "ci_high", "median", "median_low",
    "median_high", "min", "max", "start_skew", "clock_error", "clock_bound",
)  # fmt: skip
AS_THEY_ARE = (
    "operation", "bytes", "scheme", "clock_sync", "timer", "reps_made", "reps_valid", "reps_used", "confidence",
    "autocorrelation", "verdict", "reason", "epoch", "datatype", "root", "operations_per_rep", "counts", "bytes_moved",
    "clock_rank", "interval_basis",
)  # fmt: skip
INVALID = ("late_start", "overrun", "disturbed")
#: What only some rows have: the beginning of its columns, where it stands in the record, and what it is.
PARTS: tuple[tuple[str, str, type[EngineRecord]], ...] = (
    ("rank", "rank_mean", RankMean),
    ("from_last", "from_last", FromLast),
    ("cold", "cold", Cold),
    ("late", "late_initialisation", LateInitialisation),
    ("cost", "costs", Costs),
    ("wrong", "wrong", Wrong),
    ("causality", "causality", Causality),
)
NAMES = [column.name for column in TABLES["measurements"]]


def measurement_columns(identity: str, launch_file: LaunchFile) -> Columns:
    """Columns of `measurements`, one row for each operation and size of a launch. `identity`: its launch_id."""
    rows = launch_file.measurements
    found: Columns = {
        "launch_id": [identity] * len(rows),
        **{name: _given(rows, name) for name in AS_THEY_ARE},
        **{f"{name}_us": _us(_given(rows, f"{name}_ns")) for name in TIMED},
        **{f"invalid_{reason}": [row.invalid.get(reason, 0) for row in rows] for reason in INVALID},
        "local_median_us": _known(_local_medians(rows) / 1e3),
        "pass_reps": [" ".join(map(str, row.pass_reps)) for row in rows],
        "bandwidth_mb_per_s": _bandwidth(rows),
        "batches": [None if row.stragglers is None else row.stragglers.batches for row in rows],
        "probes_spent_us": _us([None if row.probes is None else row.probes.spent_ns for row in rows]),
        **dict(_of_parts(rows)),
    }
    return {name: found[name] for name in NAMES}


def overran(row: Measurement) -> Sequence[bool]:
    """Of each run whether it overran: an older engine did not say so, and none did."""
    return row.overran or [False] * len(row.valid)


def _given(rows: Sequence[Any], name: str) -> list[Any]:
    return list(map(attrgetter(name), rows))


def _known(values: NDArray[np.float64]) -> Any:
    """An Arrow array; what is not a number is not there."""
    return pa.array(values, from_pandas=True)


def _us(nanoseconds: Sequence[float | None]) -> Any:
    """ns → µs."""
    return _known(np.array(nanoseconds, dtype=np.float64) / 1e3)


def _of_parts(rows: Sequence[Measurement]) -> Iterator[tuple[str, Any]]:
    """The columns of `PARTS`: `rank_avg_us` for `avg_ns`, and for `cost_ns` of the costs `cost_us`."""
    for prefix, place, kind in PARTS:
        parts = _given(rows, place)
        for field in kind.model_fields:
            stem = f"{field.removesuffix('_ns')}_us" if field.endswith("_ns") else field
            column = stem if field == f"{prefix}_ns" else f"{prefix}_{stem}"
            if column in NAMES:
                values = [None if part is None else getattr(part, field) for part in parts]
                yield column, _us(values) if field.endswith("_ns") else values


def _bandwidth(rows: Sequence[Measurement]) -> Any:
    """Bytes that a run moves / median, in MB/s; not known where either is not, or the median is 0."""
    moved, median = (np.array(_given(rows, name), dtype=np.float64) for name in ("bytes_moved", "median_ns"))
    return _known(np.divide(1e3 * moved, median, out=np.full(len(rows), np.nan), where=median != 0))


def _local_medians(rows: Sequence[Measurement]) -> NDArray[np.float64]:
    """Of each row the median local duration in ns of the runs that started in time; NaN where none did."""
    number = np.repeat(np.arange(len(rows)), [len(row.valid) for row in rows])
    in_time = flat((row.valid for row in rows), np.bool_) | flat(map(overran, rows), np.bool_)
    local = flat((row.local_ns for row in rows), np.float64)[in_time]
    ordered = local[np.lexsort((local, number[in_time]))]
    counts = np.bincount(number[in_time], minlength=len(rows))
    first = np.cumsum(counts) - counts
    some = counts > 0
    low, high = (ordered[(first + half)[some]] for half in ((counts - 1) // 2, counts // 2))
    medians = np.full(len(rows), np.nan)
    medians[some] = (low + high) / 2
    return medians
