# SPDX-License-Identifier: BSD-3-Clause
"""Records of measurements in raw files (ns): columns of the store (µs), details included."""

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from operator import attrgetter
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from isochron.postprocess.ingest.store import Columns
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
from isochron.schemas.run.records import Clock, Measurement
from isochron.schemas.run.store import TABLES
from isochron.stats.launches import by_count, known_medians

#: Figures in ns, and what is taken as it is.
TIMED = (
    "slot", "first_call", "second_call", "mean", "se", "ci_low", "ci_high", "median", "median_low",
    "median_high", "min", "max", "start_skew", "clock_error", "clock_bound",
)  # fmt: skip
AS_THEY_ARE = (
    "operation", "bytes", "scheme", "clock_sync", "timer", "reps_made", "reps_valid", "reps_used", "confidence",
    "autocorrelation", "verdict", "reason", "epoch", "datatype", "root", "operations_per_rep", "counts", "bytes_moved",
    "messages",
    "clock_rank", "interval_basis", "groups", "group_count",
)  # fmt: skip
#: The step in ns in which the kernel states when a process was started.
PROCESS_START_NS = 10_000_000
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
    columns: Columns = {
        "launch_id": [identity] * len(rows),
        **{name: _given(rows, name) for name in AS_THEY_ARE},
        **{f"{name}_us": _us(_given(rows, f"{name}_ns")) for name in TIMED},
        **{f"invalid_{reason}": [row.invalid.get(reason, 0) for row in rows] for reason in INVALID},
        "active": [row.processes if row.active is None else row.active for row in rows],
        "local_median_us": _known(_local_medians(rows) / 1e3),
        "pass_reps": [" ".join(map(str, row.pass_reps)) for row in rows],
        "bandwidth_mb_per_s": _bandwidth(rows),
        "batches": [None if row.stragglers is None else row.stragglers.batches for row in rows],
        "probes_spent_us": _us([None if row.probes is None else row.probes.spent_ns for row in rows]),
        **dict(_of_parts(rows)),
    }
    return {name: columns[name] for name in NAMES}


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
    """Of each row the median local duration in ns of the runs that started in time; NaN if none did."""
    number = np.repeat(np.arange(len(rows)), [len(row.valid) for row in rows])
    in_time = flat((row.valid for row in rows), np.bool_) | flat(map(overran, rows), np.bool_)
    local = np.where(in_time, flat((row.local_ns for row in rows), np.float64), np.nan)
    medians = np.full(len(rows), np.nan)
    for alike, places in by_count(number, len(rows)):
        medians[alike] = known_medians(local[places])
    return medians


Line = dict[str, Any]


def us(nanoseconds: float | None) -> float | None:
    """ns → µs; None stays None."""
    return None if nanoseconds is None else nanoseconds / 1e3


def detail_columns(launch_id: Callable[[LaunchFile], str], launch_files: list[LaunchFile]) -> dict[str, Columns]:
    """Columns of the tables of details by table."""
    makers = {
        "ranks": _of_rows(_ranks), "loops": _of_rows(_loops), "overlap": _of_rows(_overlap),
        "stragglers": _of_rows(_stragglers), "memory": _memory, "startup": _startup,
        "clocks": _clocks,
    }  # fmt: skip
    tables: dict[str, Columns] = {}
    for table, make in makers.items():
        lines = [{"launch_id": launch_id(each), **line} for each in launch_files for line in make(each)]
        tables[table] = {column.name: [line.get(column.name) for line in lines] for column in TABLES[table]}
    return tables


def _of_rows(make: Callable[[Measurement], Iterator[Line]]) -> Callable[[LaunchFile], Iterator[Line]]:
    """Lines of a row → lines of all rows of a file, each with its operation and bytes."""

    def lines(launch_file: LaunchFile) -> Iterator[Line]:
        for row in launch_file.measurements:
            yield from ({"operation": row.operation, "bytes": row.bytes, **line} for line in make(row))

    return lines


def _ranks(row: Measurement) -> Iterator[Line]:
    per_rank = row.per_rank
    if per_rank is None:
        return
    places = [
        {"begin_us": us(begin), "slot_us": us(slot), "into_slot_us": us(into)}
        for begin, slot, into in zip(per_rank.begin_ns, per_rank.slot_ns, per_rank.into_slot_ns, strict=True)
    ]
    for rank, (starts, ends) in enumerate(zip(per_rank.start_ns, per_rank.end_ns, strict=True)):
        for run, (start, end, place) in enumerate(zip(starts, ends, places or [{}] * len(starts), strict=True)):
            yield {"rep": run, "rank": rank, "start_us": start / 1e3, "end_us": end / 1e3, **place}


def _loops(row: Measurement) -> Iterator[Line]:
    if row.per_rank is None or row.per_rank.operations_ns is None:
        return
    for rank, times in enumerate(row.per_rank.operations_ns):
        for position, time in enumerate(times):
            yield {"rank": rank, "position": position, "time_us": time / 1e3}


def _overlap(row: Measurement) -> Iterator[Line]:
    for number, point in enumerate(row.overlap):
        yield {
            "point": number,
            "compute_us": point.compute_ns / 1e3,
            "total_us": point.total_ns / 1e3,
            "overlap": point.overlap,
        }


def _stragglers(row: Measurement) -> Iterator[Line]:
    if row.stragglers is not None:
        for named in (*row.stragglers.ranks, *row.stragglers.hosts):
            yield {**named.model_dump(), "counted": "batches"}
    for spoiler in row.invalid_by_rank:
        yield {**spoiler.model_dump(), "host": "", "counted": "reps"}


def _memory(launch_file: LaunchFile) -> Iterator[Line]:
    for step in launch_file.memory:
        for figure, spread in step.processes.items():
            sizes = {f"{name}_bytes": value for name, value in spread.model_dump().items()}
            yield {
                "step": step.step, "figure": figure, "host": "", "processes": launch_file.header.processes, **sizes,
            }  # fmt: skip
        for host in step.hosts:
            identity = {"step": step.step, "host": host["host"], "processes": host["processes"]}
            for figure, value in host.items():
                if figure not in identity:
                    yield {**identity, "figure": figure, "sum_bytes": value}


def _nanoseconds(seconds: str) -> int:
    """Return a time in s since 1970, such as `1764340000.123456`, in ns; exactly, unlike a float. Raises ValueError."""
    whole, _, fraction = seconds.partition(".")
    return int(whole) * 10**9 + int(fraction[:9].ljust(9, "0"))


def _startup(launch_file: LaunchFile) -> Iterator[Line]:
    began_ns, launched_at = launch_file.header.processes_began_ns, launch_file.header.launch.get("launched_at")
    launcher_ns = None if began_ns is None or launched_at is None else began_ns - _nanoseconds(launched_at)
    if launcher_ns is not None and launcher_ns > -PROCESS_START_NS:  # else a clock was set
        yield {"step": "launcher", "all_us": max(launcher_ns, 0) / 1e3}
    for name, step in launch_file.header.startup or ():
        if step is not None:
            times = {f"{figure.removesuffix('_ns')}_us": time / 1e3 for figure, time in step}
            yield {"step": name.replace("_", " "), **times}
    if launch_file.footer.finalize_ns is not None:
        yield {"step": "finalize", "all_us": launch_file.footer.finalize_ns / 1e3}


def _clocks(launch_file: LaunchFile) -> Iterator[Line]:
    for clock in launch_file.clocks:
        common = {
            "epoch": clock.epoch,
            "phase": clock.phase,
            "method": clock.method,
            "estimator": clock.estimator,
            "by_node": clock.by_node,
            "begin_ns": clock.begin_ns,
            "duration_ms": clock.duration_ns / 1e6,
            "exchanges": clock.exchanges,
        }
        yield from ({**common, **line} for line in _clock_ranks(clock))


def _clock_ranks(clock: Clock) -> Iterator[Line]:
    """What is known of each rank: of those that were looked at; where clocks are made up the truth, of all."""
    lists = (
        clock.x0_ns, clock.offset_ns, clock.offset_se_ns, clock.slope_ppm, clock.slope_se_ppm, clock.bound_ns,
        clock.error_ns, clock.error_bound_ns,
    )  # fmt: skip
    lines: dict[int, Line] = {}
    for rank, x0, offset, offset_se, slope, slope_se, bound, error, error_bound in zip_longest(clock.ranks, *lists):
        lines[int(rank)] = {
            "rank": rank, "x0_ns": x0, "offset_us": us(offset), "offset_se_us": us(offset_se), "slope_ppm": slope,
            "slope_se_ppm": slope_se, "bound_us": us(bound), "error_us": us(error), "error_bound_us": us(error_bound),
        }  # fmt: skip
    if clock.truth is not None:
        for rank, (error, bound) in enumerate(zip(clock.truth.error_ns, clock.truth.bound_ns, strict=True)):
            line = lines.setdefault(rank, {"rank": rank})
            line |= {"true_error_us": us(error), "true_bound_us": us(bound)}
    yield from lines.values()
