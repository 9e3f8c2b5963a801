# SPDX-License-Identifier: BSD-3-Clause
"""Durations of launches that were measured before: the best estimate of the next ones."""

from __future__ import annotations

from pathlib import Path

from isochron.common.files import FileError
from isochron.schemas.run.layout import RunLayout, run_folders
from isochron.schemas.run.plan import Plan, Point, ProgramRun
from isochron.workflows.planning.estimate import Durations, timed_as

#: Seconds that the start and end of `mpiexec` add to what the engine itself measured.
LAUNCHER_S = 1.0
#: Median distance from the mean of normal numbers, in standard deviations.
NORMAL_MEDIAN = 0.6745


def earlier_durations(results: Path, campaign: str) -> Durations:
    """Median duration in s of the results' launches by stack and point, from the newest earlier run that has any."""
    for folder in reversed(run_folders(results, campaign)):
        run = RunLayout(folder)
        if run.table("launches").is_file():
            return _durations(run)
    return {}


def _durations(run: RunLayout) -> Durations:
    import pandas as pd

    keys = ["stack", "processes", "processes_per_node", "placement"]
    try:
        launches = pd.read_parquet(run.table("launches"), columns=[*keys, "duration_s", "file"])
        counted = [launch.file for launch in Plan.load(run.plan).launches if launch.of_results and launch.whole]
    except (OSError, FileError, ValueError):
        return {}
    launches = launches[launches["file"].isin(counted)]
    durations: dict[tuple[str, Point], float] = {}
    for row in launches.groupby(keys)["duration_s"].median().reset_index().to_dict("records"):
        point = Point(
            processes=row["processes"], processes_per_node=row["processes_per_node"], placement=row["placement"]
        )
        durations[row["stack"], point] = round(row["duration_s"] + LAUNCHER_S, 3)
    return durations | _of_programs(run)


def _of_programs(run: RunLayout) -> dict[tuple[str, Point], float]:
    """The same of launches that ran programs."""
    import pandas as pd

    keys = ["stack", "program", "kernel", "npb_class", "processes", "processes_per_node", "placement"]
    try:
        launches = pd.read_parquet(run.table("programs"), columns=[*keys, "elapsed_s"])
    except (OSError, ValueError):
        return {}
    found: dict[tuple[str, Point], float] = {}
    for row in launches.groupby(keys)["elapsed_s"].median().reset_index().to_dict("records"):
        program = ProgramRun(name=row["program"], kernel=row["kernel"], problem=row["npb_class"])
        point = Point.model_validate({name: row[name] for name in keys[4:]})
        found[timed_as(row["stack"], program), point] = round(row["elapsed_s"] + LAUNCHER_S, 3)
    return found


def earlier_spread(results: Path, campaign: str) -> float | None:
    """The usual spread of launches within a block in the newest earlier run that has any; None where none has.

    Of logarithms of launch medians, from the median of their distances from the mean of (stack, case, block): a few
    launches that are far off count as little as they do in a test of ranks. The median over stacks and cases.
    """
    for folder in reversed(run_folders(results, campaign)):
        run = RunLayout(folder)
        if run.table("launches").is_file() and run.table("measurements").is_file():
            return _spread(run)
    return None


def _spread(run: RunLayout) -> float | None:
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
    within = rows.groupby([*keys, "block", "attempt"])["log"]
    count = within.transform("count")
    rows = rows.assign(off=(rows["log"] - within.transform("mean")).abs() * np.sqrt(count / (count - 1)))[count > 1]
    spreads = rows.groupby(keys)["off"].median() / NORMAL_MEDIAN
    return float(spreads.median()) if len(spreads) else None
