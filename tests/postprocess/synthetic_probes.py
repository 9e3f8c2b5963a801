# SPDX-License-Identifier: BSD-3-Clause
"""Interference of made-up launches: one regime, and in every third block another."""

from __future__ import annotations

from isochron.schemas.run.plan import PlannedLaunch


def probes_at_start(launch: PlannedLaunch) -> dict[str, object]:
    """The header's member: the cache line as in the rows."""
    reference = {"cache_line_ns": 330.0 if launch.block % 3 == 0 else 110.0, "compute_ns": 980.0, "switches": 0}
    network = {
        "network_pairs": launch.point.nodes // 2, "network_by": "udp" if launch.point.nodes > 1 else "",
        "network_why_not": "",
    }  # fmt: skip
    return {"probes": {"read": True, "why_not": "", "cache_line_pairs": 1, **network, "reference": reference}}


def probes(launch: PlannedLaunch, index: int, runs: int) -> dict[str, object]:
    """Two readings of the row with this index; in every third block a cache line takes three times as long."""
    slow = 3.0 if launch.block % 3 == 0 else 1.0
    times = [100_000_000 * index + 10_000_000, 100_000_000 * index + 60_000_000]
    return {
        "spent_ns": 24_000, "batch": [0, 2], "reps": [runs // 3, runs], "t_ns": times,
        "cache_line_ns": [100.0 * slow, 120.0 * slow], "compute_ns": [970.0, 990.0], "copy_gbs": [20.0, None],
        "switches": [0, 1], "waited_ns": [0, 500_000], "steal_ns": [None, 10_000_000],
        "frequency_mhz": [None, None], "network_us": [None, 30.0 if launch.point.nodes > 1 else None],
    }  # fmt: skip
