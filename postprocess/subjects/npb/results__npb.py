# SPDX-License-Identifier: BSD-3-Clause
"""The results of NPB by kernel, class, processes, occupancy of the nodes and placement, as the report of 2001 has them.

That report (NPB 2.3 on the 16-node SCI cluster EKSS-1) divides the rate by processors: with two processes a node,
total / (2·⌈p/2⌉), as a node left half empty is taken whole; of one process it is the total.
"""

from __future__ import annotations

from collections import Counter
from math import nan
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.postprocess.ingest.inputs__inputs import RunInputs
from isochron.stats.launches import median_interval

#: What a row is, and the part of it that speed-ups hold fixed.
CASE = ["stack", "kernel", "npb_class", "placement", "processes_per_node", "processes"]
CURVE = CASE[:4]

#: Columns of `npb.csv`.
NPB_COLUMNS = {
    "stack": "MPI stack",
    "kernel": "kernel of NPB",
    "npb_class": "problem class: S, W, A, B or C",
    "placement": "how processes were placed on the nodes",
    "processes_per_node": "processes on each node",
    "processes": "processes of the launch",
    "launches_planned": "planned launches",
    "launches": "accepted launches: those whose result the program itself has verified",
    "seconds": "time as printed (two decimals), median over launches; empty where it is always printed as 0.00",
    "seconds_low": "lower end of its exact interval; of few launches the least",
    "seconds_high": "upper end of it; of few launches the greatest",
    "mops_total": "10⁶ operations a second of all processes, median over launches",
    "mops_total_low": "lower end of its exact interval",
    "mops_total_high": "upper end of it",
    "mops_per_process": "`mops_total` / `processes`",
    "mops_per_processor": "`mops_total` / (`processes_per_node` · ⌈`processes` / `processes_per_node`⌉), of one "
    "process the total: as the report of 2001 has it, which counts a half empty node whole",
    "base_processes": "processes to which the speed-up refers: 1, or the fewest that were measured so",
    "speed_up": "rate over that of `base_processes`, times `base_processes`: that base counts as perfect",
    "speed_up_low": "lowest that both intervals allow",
    "speed_up_high": "highest that they allow",
    "efficiency": "`speed_up` / `processes`",
}


def npb_table(launches: pd.DataFrame, inputs: RunInputs) -> pd.DataFrame:
    """`NPB_COLUMNS` of every planned row, in the order of the campaign. `launches`: `programs` of the store."""
    planned = _planned(inputs)
    if not planned:
        return pd.DataFrame(columns=list(NPB_COLUMNS))
    groups: dict[Any, pd.DataFrame] = dict(iter(launches.groupby(CASE, sort=False)))
    rows = [_row(key, count, groups.get(key), inputs) for key, count in planned.items()]
    return _with_speed_ups(pd.DataFrame(rows))[list(NPB_COLUMNS)]


def _planned(inputs: RunInputs) -> Counter[tuple[Any, ...]]:
    """How many launches of each row are planned, ordered by kernel, class, placement, occupancy, processes, stack."""
    npb, campaign = inputs.campaign.npb, inputs.campaign
    if npb is None:
        return Counter()
    counts: Counter[tuple[Any, ...]] = Counter(
        (
            launch.stack,
            launch.program.kernel,
            launch.program.problem,
            launch.point.placement,
            launch.point.processes_per_node,
            launch.point.processes,
        )
        for launch in inputs.plan.launches
        if launch.program is not None
    )

    def place(key: tuple[Any, ...]) -> tuple[int, ...]:
        stack, kernel, problem, placement, per_node, processes = key
        return (
            npb.kernels.index(kernel),
            npb.classes.index(problem),
            campaign.placements.index(placement),
            per_node,
            processes,
            campaign.stacks.index(stack),
        )

    return Counter({key: counts[key] for key in sorted(counts, key=place)})


def _row(key: tuple[Any, ...], planned: int, own: pd.DataFrame | None, inputs: RunInputs) -> dict[str, Any]:
    """One line but its speed-up."""
    row: dict[str, Any] = {**dict(zip(CASE, key, strict=True)), "launches_planned": planned}
    row["launches"] = 0 if own is None else len(own)
    for name in ("seconds", "mops_total"):
        values = np.array([]) if own is None else own[name].dropna().to_numpy(dtype=float)
        row |= dict(zip((name, f"{name}_low", f"{name}_high"), _median(values, inputs), strict=True))
    row["mops_per_process"] = row["mops_total"] / row["processes"]
    row["mops_per_processor"] = row["mops_total"] / processors(row["processes"], row["processes_per_node"])
    return row


def _median(values: NDArray[np.float64], inputs: RunInputs) -> tuple[float, float, float]:
    """Median and its exact interval over launches; of few launches the range."""
    if not len(values):
        return nan, nan, nan
    found = median_interval(values, inputs.campaign.analysis.confidence)
    return float(np.median(values)), float(found.low), float(found.high)


def processors(processes: int, per_node: int) -> int:
    """Processors that the report of 2001 divides by: whole nodes; of one process one."""
    return 1 if processes == 1 else per_node * -(-processes // per_node)


def _with_speed_ups(table: pd.DataFrame) -> pd.DataFrame:
    """The table with what follows from its curves: one process is the base of every occupancy of the nodes."""
    known = table[table["mops_total"] > 0]
    ones = {tuple(row[name] for name in CURVE): row for row in known[known["processes"] == 1].to_dict("records")}
    fewest: dict[tuple[Any, ...], dict[Any, Any]] = {}
    for row in known.sort_values("processes").to_dict("records"):
        fewest.setdefault((*(row[name] for name in CURVE), row["processes_per_node"]), row)
    rows: list[dict[Any, Any]] = []
    for row in table.to_dict("records"):
        curve = tuple(row[name] for name in CURVE)
        base = ones.get(curve) or fewest.get((*curve, row["processes_per_node"]))
        rows.append({**row, **_speed_up(row, base)})
    return pd.DataFrame(rows)


def _speed_up(row: dict[Any, Any], base: dict[Any, Any] | None) -> dict[str, float]:
    names = ("base_processes", "speed_up", "speed_up_low", "speed_up_high", "efficiency")
    if base is None or not row["mops_total"] > 0:
        return dict.fromkeys(names, nan)
    count, itself = base["processes"], all(base[name] == row[name] for name in CASE)
    speed_up = count * row["mops_total"] / base["mops_total"]
    low = speed_up if itself else count * row["mops_total_low"] / base["mops_total_high"]
    high = speed_up if itself else count * row["mops_total_high"] / base["mops_total_low"]
    return dict(zip(names, (count, speed_up, low, high, speed_up / row["processes"]), strict=True))
