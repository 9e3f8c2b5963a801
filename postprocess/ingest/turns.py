# SPDX-License-Identifier: BSD-3-Clause
"""Launches that measured in turns, and their standard candles (ns): columns of `slices` and `candles` (µs)."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

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
    plan = launch_file.header.turns
    yield from _of_log(turns, turns, launch_file.measurements, "turns", plan.passes if plan is not None else 1)
    if turns.solo is not None and not turns.solo.company:
        yield from _of_log(turns.solo, turns, launch_file.solo, "ended")


def _of_log(
    log: TurnLog, turns: Turns, measurements: Sequence[Measurement], others: str, passes: int = 1
) -> Iterator[dict[str, Any]]:
    """A line for each case of each turn. `passes`: in each turn."""
    times = {(row.operation, row.bytes): pass_times(row) for row in measurements}
    entries: dict[tuple[int, int], list[int]] = {}
    for entry, (number, case) in enumerate(zip(log.pass_, log.case, strict=True)):
        entries.setdefault((number // passes, case), []).append(entry)
    for (number, case), own in entries.items():
        operation, size, first = turns.operations[case], turns.bytes[case], own[0]
        of_turn = times.get((operation, size), [])[number * passes : (number + 1) * passes]
        in_turn, again = _joined(of_turn), _joined(of_turn[1:])
        yield {
            "operation": operation,
            "bytes": size,
            "others": others,
            "round": number,
            "position": log.position[first],
            "t_s": log.t_ns[first] / 1e9,
            "turn_us": sum(log.turn_ns[entry] for entry in own) / 1e3,
            "waited_us": log.waited_ns[first] / 1e3,
            "slept_cpu_us": log.slept_cpu_ns[first] / 1e3,
            "handover_us": log.handover_ns[first] / 1e3,
            "warmup_reps": sum(log.warmup_reps[entry] for entry in own),
            "reps": len(in_turn),
            "median_us": _median(in_turn),
            "first_us": _median(_joined(of_turn[:1])) if passes > 1 else None,
            "again_us": _median(again) if passes > 1 else None,
        }


def pass_times(row: Measurement) -> list[NDArray[np.float64]]:
    """Return of each pass the times in µs of its repetitions that started in time."""
    times, in_time = np.array(row.time_ns, dtype=np.float64) / 1e3, np.array(row.in_time, dtype=np.bool_)
    ends = np.concatenate([[0], np.cumsum(np.array(row.pass_reps, dtype=np.int64))]).astype(int)
    return [times[first:last][in_time[first:last]] for first, last in pairwise(ends.tolist())]


def _joined(passes: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.concatenate(passes) if passes else np.empty(0)


def _median(times: NDArray[np.float64]) -> float | None:
    return float(np.median(times)) if len(times) else None
