# SPDX-License-Identifier: BSD-3-Clause
"""Launches that measured in turns, and their standard candles (ns): columns of `slices` and `candles` (µs)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.ingest.store import Columns, read_separate, write_separate
from isochron.schemas.run.candle import CANDLES, CandleFile, read_candle
from isochron.schemas.run.candle_files import candle_files
from isochron.schemas.run.launch_file import LaunchFile
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.records import Measurement
from isochron.schemas.run.store import TABLES
from isochron.schemas.run.turns import TurnLog, Turns


def write_candles(inputs: RunInputs) -> None:
    """Write `candles` from the files of the run, if it has any. Raises FileError."""
    files = candle_files(inputs.layout, inputs.plan)
    if not files:
        return
    lines = [line for path in files for line in _candle_lines(read_candle(path))]
    write_separate(inputs.layout, "candles", CANDLES, lines)


def read_candles(layout: RunLayout) -> pd.DataFrame:
    """Return the table, empty if the run has none. Raises FileError."""
    return read_separate(layout, "candles", CANDLES)


def _candle_lines(candle: CandleFile) -> Iterator[dict[str, Any]]:
    for case in candle.cases:
        for number, (begin, reps, median) in enumerate(zip(case.t_ns, case.reps, case.median_ns, strict=True)):
            yield {
                "session": candle.header.launch.get("session", ""),
                "candle_version": candle.header.candle_version,
                "operation": case.operation,
                "bytes": case.bytes,
                "round": number,
                "t_s": begin / 1e9,
                "reps": reps,
                "median_us": median / 1e3,
            }


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
    yield from _of_log(turns, turns, launch_file.measurements, "turns")
    if turns.consecutive is not None:
        yield from _of_log(turns.consecutive, turns, launch_file.consecutive, "asleep")
    if turns.solo is not None and not turns.solo.company:
        yield from _of_log(turns.solo, turns, launch_file.solo, "ended")


def _of_log(log: TurnLog, turns: Turns, measurements: Sequence[Measurement], others: str) -> Iterator[dict[str, Any]]:
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
            "others": others,
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
