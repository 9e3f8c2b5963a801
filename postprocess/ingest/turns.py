# SPDX-License-Identifier: BSD-3-Clause
"""Launches that measured in turns (ns) → columns of `slices` (µs): one line for each turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from isochron.postprocess.ingest.store import Columns
from isochron.schemas.run.launch_file import LaunchFile
from isochron.schemas.run.records import Measurement
from isochron.schemas.run.store import TABLES
from isochron.schemas.run.turns import TurnLog, Turns


def slice_columns(launch_id: Callable[[LaunchFile], str], launch_files: Sequence[LaunchFile]) -> Columns:
    """Columns of `slices`; no lines of launches that took no turns."""
    parts = [
        {"launch_id": launch_id(each), "session": each.header.options["turns"], **line}
        for each in launch_files
        if each.turns is not None
        for line in _lines(each, each.turns)
    ]
    return {column.name: [part[column.name] for part in parts] for column in TABLES["slices"]}


def _lines(launch_file: LaunchFile, turns: Turns) -> Iterator[dict[str, Any]]:
    yield from _of_log(turns, turns, launch_file.measurements, alone=False)
    if turns.solo is not None:
        yield from _of_log(turns.solo, turns, launch_file.solo, alone=True)


def _of_log(
    log: TurnLog, turns: Turns, measurements: Sequence[Measurement], *, alone: bool
) -> Iterator[dict[str, Any]]:
    medians = {(row.operation, row.bytes): pass_medians(row) for row in measurements}
    columns = (log.pass_, log.case, log.position, log.t_ns, log.turn_ns, log.waited_ns, log.slept_cpu_ns,
               log.handover_ns, log.warmup_reps)  # fmt: skip
    for number, case, position, begin, length, waited, slept, handover, warmup in zip(*columns, strict=True):
        operation, size = turns.operations[case], turns.bytes[case]
        passes = medians.get((operation, size), [])
        reps, median_us = passes[number] if number < len(passes) else (0, None)
        yield {
            "operation": operation,
            "bytes": size,
            "alone": alone,
            "round": number,
            "position": position,
            "t_s": begin / 1e9,
            "turn_us": length / 1e3,
            "waited_us": waited / 1e3,
            "slept_cpu_us": slept / 1e3,
            "handover_us": handover / 1e3,
            "warmup_reps": warmup,
            "reps": reps,
            "median_us": median_us,
        }


def pass_medians(row: Measurement) -> list[tuple[int, float | None]]:
    """Return of each pass the number of its repetitions that started in time, and their median in µs."""
    times, in_time = np.array(row.time_ns, dtype=np.float64) / 1e3, np.array(row.in_time, dtype=np.bool_)
    ends = np.concatenate([[0], np.cumsum(np.array(row.pass_reps, dtype=np.int64))]).astype(int)
    parts = (times[first:last][in_time[first:last]] for first, last in pairwise(ends.tolist()))
    return [(len(part), float(np.median(part)) if len(part) else None) for part in parts]
