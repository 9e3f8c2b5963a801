# SPDX-License-Identifier: BSD-3-Clause
"""Star, ring and chaos are topologies from three processes on: between two, all of them are one channel."""

from __future__ import annotations

from isochron.schemas.engine.operations import TOPOLOGIES

FEWEST = 3


def refuse_topologies(operations: list[str], processes: list[int], group_size: int) -> str:
    """Why a campaign cannot have its topologies; empty where it can. `group_size`: 0 for all processes."""
    asked = [name for name in operations if name in TOPOLOGIES]
    few = [str(count) for count in processes if count < FEWEST]
    if not asked or not (few or 0 < group_size < FEWEST):
        return ""
    names = ", ".join(asked)
    if few:
        return (
            f"processes: {', '.join(few)} cannot be a star, ring or chaos, which take {FEWEST} processes or more; "
            f"take {', '.join(few)} out, or {names} out of operations"
        )
    return (
        f"engine.group_size: {group_size} processes cannot be a star, ring or chaos; write 0 (all processes) or "
        f"{FEWEST} and more, or take {names} out of operations"
    )
