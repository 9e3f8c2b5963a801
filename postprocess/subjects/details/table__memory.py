# SPDX-License-Identifier: BSD-3-Clause
"""`memory.csv`: memory of the MPI library step by step; `memory-growth.csv`: how it grows with the processes."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.ingest.inputs__inputs import KEYS, POINT
from isochron.postprocess.kit.table__declaration import Table, TableContext
from isochron.postprocess.subjects.details.table__common import details

SITUATION = ["stack", *POINT]
MEMORY_COLUMNS = {
    **{name: KEYS[name] for name in SITUATION},
    "step": "after which step of setting the MPI library up",
    "figure": "which memory: `pss`, `private`, `rss`, `shared`, `locked`, `pinned`, `huge`, or `dev_shm` of a node",
    "launches": "launches that recorded it",
    "mean_mib": "of a process, mean over the processes: median over launches; 1 MiB is 2²⁰ bytes",
    "max_mib": "of the process that has most: median over launches",
    "node_mib": "of the node that has most, all its processes together: median over launches",
    "step_mib": "by how much `mean_mib` has grown since the step before; of `dev_shm` `node_mib`",
}
GROWTH_COLUMNS = {
    "stack": KEYS["stack"],
    "placement": KEYS["placement"],
    "step": MEMORY_COLUMNS["step"],
    "figure": MEMORY_COLUMNS["figure"],
    "points": "points that the line goes through",
    "a_mib": "M = a + b·p + c·ppn, of `mean_mib`: what every process takes",
    "b_mib": "for each process of the launch; empty where all points have as many, or too few differ",
    "c_mib": "for each process on the node; empty in the same way",
    "worst_mib": "largest distance of a point from the line",
}
MIB = 2**20


def memory_table(memory: pd.DataFrame) -> pd.DataFrame:
    """`MEMORY_COLUMNS`, steps in their order. `memory`: as in the store, with SITUATION and processes_there."""
    cells = [*SITUATION, "step", "figure"]
    named = memory.assign(figure=memory["figure"].str.removesuffix("_bytes"))
    whole = named["host"] == ""
    process = named[whole].assign(mean=named["sum_bytes"] / named["processes_there"])
    node = named[~whole].groupby([*cells, "launch_id"], sort=False, as_index=False)["sum_bytes"].max()
    order = named[cells].drop_duplicates()
    found = order.merge(
        named.groupby(cells, sort=False, as_index=False).agg(launches=("launch_id", "nunique")), on=cells
    )
    for name, frame, column in (
        ("mean_mib", process, "mean"), ("max_mib", process, "max_bytes"), ("node_mib", node, "sum_bytes"),
    ):  # fmt: skip
        median = frame.groupby(cells, sort=False)[column].median() / MIB
        found = found.merge(median.rename(name).reset_index(), on=cells, how="left")
    own = found["mean_mib"].fillna(found["node_mib"])
    step = own.groupby([found[name] for name in [*SITUATION, "figure"]], sort=False).diff()
    return found.assign(step_mib=step)[list(MEMORY_COLUMNS)]


def growth_table(table: pd.DataFrame) -> pd.DataFrame:
    """`GROWTH_COLUMNS` by least squares. `table`: `MEMORY_COLUMNS`, of all points."""
    known = table[table["mean_mib"].notna()]
    keys = ["stack", "placement", "step", "figure"]
    rows = [
        {**dict(zip(keys, key, strict=True)), **_line(own)} for key, own in known.groupby(keys, sort=False)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(GROWTH_COLUMNS))


def _line(own: pd.DataFrame) -> dict[str, Any]:
    """a, b and c of the terms that the points can tell apart, p before ppn."""
    columns = {"a_mib": np.ones(len(own))}
    for name, of in (("b_mib", "processes"), ("c_mib", "processes_per_node")):
        wider = np.stack([*columns.values(), own[of].to_numpy(dtype=float)], axis=1)
        if np.linalg.matrix_rank(wider) > len(columns):
            columns[name] = own[of].to_numpy(dtype=float)
    design, values = np.stack(list(columns.values()), axis=1), own["mean_mib"].to_numpy(dtype=float)
    solution, *_ = np.linalg.lstsq(design, values, rcond=None)
    found = dict.fromkeys(("a_mib", "b_mib", "c_mib"), nan) | dict(zip(columns, solution.tolist(), strict=True))
    return {**found, "points": len(own), "worst_mib": float(np.abs(design @ solution - values).max())}


def make_memory(context: TableContext) -> pd.DataFrame:
    """`MEMORY_COLUMNS`."""
    return memory_table(details(context, "memory"))


MEMORY = Table(
    name="memory",
    columns=MEMORY_COLUMNS,
    make=make_memory,
    holds="memory of the MPI library, step by step",
    applies=lambda campaign: campaign.engine.memory,
)
GROWTH = Table(
    name="memory-growth",
    columns=GROWTH_COLUMNS,
    make=lambda context: growth_table(context.get(make_memory)),
    holds="how memory grows with the number of processes, and of those on a node",
    applies=lambda campaign: campaign.engine.memory,
)
