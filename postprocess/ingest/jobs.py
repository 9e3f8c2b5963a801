# SPDX-License-Identifier: BSD-3-Clause
"""The job (allocation) of each launch of a run, as its scheduler named it, and what was recorded of its nodes."""

from collections.abc import Iterable

import pandas as pd

from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.provenance import Facts, Provenance, read_provenance

#: The fact of a launch that names its job.
JOB = "job_id"


def jobs_of(layout: RunLayout, launch_ids: Iterable[str]) -> dict[str, str]:
    """Return the job of each launch by its launch_id; empty where none is recorded, as without a scheduler."""
    return {launch: _recorded(layout, launch).launch.get(JOB, "") for launch in launch_ids}


def nodes_of(layout: RunLayout, launch_ids: Iterable[str]) -> pd.DataFrame:
    """Return launch_id, switches and load of each launch, as far as its nodes recorded them.

    `switches`: those of its nodes, distinct, separated by commas; `load`: the largest load average of a node.
    """
    lines = []
    for launch in launch_ids:
        nodes = _recorded(layout, launch).nodes.values()
        loads = pd.to_numeric(pd.Series([facts.get("load_average") for facts in nodes], dtype=object), errors="coerce")
        lines.append((launch, ",".join(sorted({_switch(facts) for facts in nodes} - {""})), float(loads.max())))
    return pd.DataFrame(lines, columns=["launch_id", "switches", "load"])


def _recorded(layout: RunLayout, launch_id: str) -> Provenance:
    return read_provenance(layout.provenance(launch_id.removeprefix(f"{layout.run_id}.")))


def _switch(facts: Facts) -> str:
    """Return the way to the node without the node itself: `core1.leaf7` of `core1.leaf7.n1`."""
    address = facts.get("switch", "")
    is_node = facts.get("switch_pattern", "").rpartition(".")[2] == "node"
    return address.rpartition(".")[0] if is_node else address
