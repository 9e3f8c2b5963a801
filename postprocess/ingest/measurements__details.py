# SPDX-License-Identifier: BSD-3-Clause
"""What only some launches hold (ns) → columns of the store (µs): ranks, loops, overlap, memory, clocks …"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any

from isochron.postprocess.ingest.store__store import Columns
from isochron.schemas.run.launch_file import LaunchFile
from isochron.schemas.run.records import Clock, Measurement
from isochron.schemas.run.store import TABLES

Line = dict[str, Any]


def us(nanoseconds: float | None) -> float | None:
    """ns → µs; None stays None."""
    return None if nanoseconds is None else nanoseconds / 1e3


def detail_columns(launch_id: Callable[[LaunchFile], str], launch_files: list[LaunchFile]) -> dict[str, Columns]:
    """Columns of the tables of details by table."""
    makers = {
        "ranks": _of_rows(_ranks), "loops": _of_rows(_loops), "overlap": _of_rows(_overlap),
        "stragglers": _of_rows(_stragglers), "memory": _memory, "clocks": _clocks,
    }  # fmt: skip
    found: dict[str, Columns] = {}
    for table, make in makers.items():
        lines = [{"launch_id": launch_id(each), **line} for each in launch_files for line in make(each)]
        found[table] = {column.name: [line.get(column.name) for line in lines] for column in TABLES[table]}
    return found


def _of_rows(make: Callable[[Measurement], Iterator[Line]]) -> Callable[[LaunchFile], Iterator[Line]]:
    """Lines of a row → lines of all rows of a file, each with its operation and bytes."""

    def lines(launch_file: LaunchFile) -> Iterator[Line]:
        for row in launch_file.measurements:
            yield from ({"operation": row.operation, "bytes": row.bytes, **line} for line in make(row))

    return lines


def _ranks(row: Measurement) -> Iterator[Line]:
    own = row.per_rank
    if own is None:
        return
    places = [
        {"begin_us": us(begin), "slot_us": us(slot), "into_slot_us": us(into)}
        for begin, slot, into in zip(own.begin_ns, own.slot_ns, own.into_slot_ns, strict=True)
    ]
    for rank, (starts, ends) in enumerate(zip(own.start_ns, own.end_ns, strict=True)):
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
            own = {f"{name}_bytes": value for name, value in spread.model_dump().items()}
            yield {
                "step": step.step, "figure": figure, "host": "", "processes": launch_file.header.processes, **own,
            }  # fmt: skip
        for host in step.hosts:
            known = {"step": step.step, "host": host["host"], "processes": host["processes"]}
            for figure, value in host.items():
                if figure not in known:
                    yield {**known, "figure": figure, "sum_bytes": value}


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
    found: dict[int, Line] = {}
    for rank, x0, offset, offset_se, slope, slope_se, bound, error, error_bound in zip_longest(clock.ranks, *lists):
        found[int(rank)] = {
            "rank": rank, "x0_ns": x0, "offset_us": us(offset), "offset_se_us": us(offset_se), "slope_ppm": slope,
            "slope_se_ppm": slope_se, "bound_us": us(bound), "error_us": us(error), "error_bound_us": us(error_bound),
        }  # fmt: skip
    if clock.truth is not None:
        for rank, (error, bound) in enumerate(zip(clock.truth.error_ns, clock.truth.bound_ns, strict=True)):
            own = found.setdefault(rank, {"rank": rank})
            own |= {"true_error_us": us(error), "true_bound_us": us(bound)}
    yield from found.values()
