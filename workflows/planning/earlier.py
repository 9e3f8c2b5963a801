# SPDX-License-Identifier: BSD-3-Clause
"""Durations and spreads of launches in the newest earlier run of a campaign."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from isochron.common.detectable import ratio_spreads
from isochron.common.files import FileError
from isochron.schemas.run.layout import RunLayout, run_folders
from isochron.schemas.run.plan import Plan, Point, ProgramRun
from isochron.workflows.planning.estimate import Durations, timed_as

if TYPE_CHECKING:
    import pandas as pd

#: Seconds that the start and end of `mpiexec` add to the duration that the engine records.
LAUNCHER_S = 1.0
#: Median distance from the mean of normal numbers, in standard deviations.
NORMAL_MEDIAN = 0.6745


def earlier_durations(results: Path, campaign: str) -> Durations:
    """Return the median duration in s of launches by stack and point, from the newest earlier run with a store."""
    for folder in reversed(run_folders(results, campaign)):
        run = RunLayout(folder)
        if run.table("launches").is_file():
            return _durations(run)
    return {}


def _durations(run: RunLayout) -> Durations:
    keys = ["stack", "processes", "processes_per_node", "placement"]
    try:
        residents = _residents(Plan.load(run.plan))
        launches = [row for row in _rows(run, "launches", [*keys, "duration_s", "file"]) if row["file"] in residents]
    except (OSError, FileError, ValueError):
        return {}
    launches = [{**row, "duration_s": row["duration_s"] / residents[row["file"]]} for row in launches]
    durations: dict[tuple[str, Point], float] = {
        (stack, Point(processes=processes, processes_per_node=per_node, placement=placement)): seconds
        for (stack, processes, per_node, placement), seconds in _medians(launches, keys, "duration_s").items()
    }
    return durations | _program_durations(run)


def _residents(plan: Plan) -> dict[str, int]:
    """Return the number of launches that share the time of each launch of all results, by raw file."""
    launches = [launch for launch in plan.launches if launch.of_results and launch.whole]
    sessions = Counter((launch.block, launch.session) for launch in launches if launch.session)
    return {launch.file: sessions.get((launch.block, launch.session), 1) for launch in launches}


def _program_durations(run: RunLayout) -> dict[tuple[str, Point], float]:
    """Return the median durations of launches of programs."""
    keys = ["stack", "program", "kernel", "npb_class", "processes", "processes_per_node", "placement"]
    try:
        launches = _rows(run, "programs", [*keys, "elapsed_s"])
    except (OSError, ValueError):
        return {}
    durations: dict[tuple[str, Point], float] = {}
    for (stack, name, kernel, problem, *point), seconds in _medians(launches, keys, "elapsed_s").items():
        program = ProgramRun(name=name, kernel=kernel, problem=problem)
        durations[timed_as(stack, program), Point.model_validate(dict(zip(keys[4:], point, strict=True)))] = seconds
    return durations


def _rows(run: RunLayout, table: str, columns: list[str]) -> list[dict[str, Any]]:
    """Return columns of a table of the store, without loading pandas. Raises OSError, ValueError."""
    import pyarrow.parquet as pq

    rows: list[dict[str, Any]] = pq.ParquetFile(run.table(table)).read(columns=columns).to_pylist()
    if rows and len(rows[0]) < len(columns):
        raise ValueError(f"{run.table(table)}: columns are missing")
    return rows


def _medians(rows: list[dict[str, Any]], keys: list[str], seconds: str) -> dict[tuple[Any, ...], float]:
    """Return the median of the seconds by key, plus start and end of `mpiexec`; rows without a time do not count."""
    times: dict[tuple[Any, ...], list[float]] = defaultdict(list)
    for row in rows:
        if row[seconds] is not None and not isnan(row[seconds]):
            times[tuple(row[key] for key in keys)].append(row[seconds])
    return {key: round(median(values) + LAUNCHER_S, 3) for key, values in times.items()}


@dataclass(frozen=True)
class Spreads:
    """Standard deviations of logarithms in an earlier run; None if it does not show them.

    `launches`: of a stack's launches within a block, from the median distance from the mean, so that outliers have
    little weight, as in a rank test; the median over stacks and cases. `ratios`: of the ratios of blocks that were
    measured in turns, from their intervals; the median over pairs of stacks and cases.
    """

    launches: float | None = None
    ratios: float | None = None


def earlier_spreads(results: Path, campaign: str, pairs: Sequence[tuple[str, str]]) -> Spreads:
    """Return the spreads in the newest earlier run with a store. `pairs`: the stacks that are compared."""
    for folder in reversed(run_folders(results, campaign)):
        run = RunLayout(folder)
        if run.table("launches").is_file() and run.table("measurements").is_file():
            return Spreads(_launch_spread(run), _ratio_spread(run, pairs))
    return Spreads()


def _launch_spread(run: RunLayout) -> float | None:
    import numpy as np
    import pandas as pd

    keys = ["stack", "processes", "processes_per_node", "placement", "operation", "bytes"]
    try:
        launches = pd.read_parquet(run.table("launches"), columns=["launch_id", *keys[:4], "block", "attempt", "file"])
        rows = pd.read_parquet(run.table("measurements"), columns=["launch_id", *keys[4:], "median_us"])
        counted = [launch.file for launch in Plan.load(run.plan).launches if launch.of_results]
    except (OSError, FileError, ValueError):
        return None
    rows = rows.merge(launches[launches["file"].isin(counted)], on="launch_id")
    rows = rows[rows["median_us"] > 0].assign(log=lambda table: np.log(table["median_us"]))
    return _median_spread(rows, keys, ["block", "attempt"])


def _ratio_spread(run: RunLayout, pairs: Sequence[tuple[str, str]]) -> float | None:
    """Return the spread of a block's ratio that the intervals of the pairs show, in the median over cases."""
    import pandas as pd

    try:
        spreads = ratio_spreads(pd.read_csv(run.tables / "comparison.csv"), pairs)["spread"]
    except (OSError, ValueError, KeyError):
        return None
    return float(spreads.median()) if len(spreads) else None


def _median_spread(rows: pd.DataFrame, keys: list[str], within: list[str]) -> float | None:
    """Return the median over `keys` of the standard deviations of the column `log` within groups."""
    import numpy as np

    groups = rows.groupby([*keys, *within])["log"]
    count = groups.transform("count")
    distances = (rows["log"] - groups.transform("mean")).abs() * np.sqrt(count / (count - 1))
    spreads = rows.assign(distance=distances)[count > 1].groupby(keys)["distance"].median() / NORMAL_MEDIAN
    return float(spreads.median()) if len(spreads) else None
