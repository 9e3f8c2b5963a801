# SPDX-License-Identifier: BSD-3-Clause
"""Star, ring and chaos need at least three processes: with two they are the same channel."""

from __future__ import annotations

from isochron.schemas.engine.contract import TOPOLOGIES

FEWEST = 3


def check_topologies(operations: list[str], processes: list[int], group_size: int) -> None:
    """Raises ValueError where a campaign cannot have its topologies. `group_size`: 0 for all processes."""
    asked = ", ".join(name for name in operations if name in TOPOLOGIES)
    few = ", ".join(str(count) for count in processes if count < FEWEST)
    if asked and few:
        raise ValueError(
            f"processes: {few} cannot be a star, ring or chaos, which take {FEWEST} processes or more; "
            f"take {few} out, or {asked} out of operations"
        )
    if asked and 0 < group_size < FEWEST:
        raise ValueError(
            f"engine.group_size: {group_size} processes cannot be a star, ring or chaos; write 0 (all processes) or "
            f"{FEWEST} and more, or take {asked} out of operations"
        )
