# SPDX-License-Identifier: BSD-3-Clause
"""Probe readings beside each row of a launch, from probes in which no MPI library takes part."""

from __future__ import annotations

import pandas as pd

from isochron.schemas.run.store import BY_DATAGRAMS

#: The probes, as `probes` of the store has them, and the sign of the slope that interference has: where a cache line
#: takes longer, where less is copied in a second, and where a datagram takes longer between hosts, operations take
#: longer. A library's own operations, ping-pong too, are not among them: a slow library would be explained by itself.
#: Nor is what the kernel counts: how a library waits decides about it.
PROBES = {"cache_line_ns": 1.0, "copy_gbs": -1.0, "network_us": 1.0}
#: The probes that tell one regime from another: what is copied in a second differs from reading to reading as much.
REGIMES_OF = ("cache_line_ns", "network_us")
#: What columns say where only launches of the quiet regime count.
QUIET = "quiet"
#: What columns say where no probe makes the launches more alike.
NO_PROBE = "none"


def beside(rows: pd.DataFrame, probes: pd.DataFrame) -> pd.DataFrame:
    """`rows` with a column for each of `PROBES`: the median of what was read between the batches of that row.

    Where nothing was, it is the median over the launch. `rows`: launch_id, operation, bytes; `probes`: of the store.
    What the library itself has read of the network is left out.
    """
    names, keys = list(PROBES), ["launch_id", "operation", "bytes"]
    known = probes[["launch_id", "operation", "bytes", "network_by", *names]]
    known = known.assign(network_us=known["network_us"].where(known["network_by"] == BY_DATAGRAMS))
    known = known.assign(**{name: known[name].where(known[name] > 0) for name in names})
    own = known.groupby(keys, sort=False)[names].median()
    launch = known.groupby("launch_id", sort=False)[names].median()
    at_rows = own.reindex(pd.MultiIndex.from_frame(rows[keys])).set_axis(rows.index)
    at_launches = launch.reindex(rows["launch_id"]).set_axis(rows.index)
    return rows.assign(**{name: at_rows[name].fillna(at_launches[name]) for name in names})
