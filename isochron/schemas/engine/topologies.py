# SPDX-License-Identifier: BSD-3-Clause
"""Star, ring and chaos need at least three processes: with two they are the same channel."""

from isochron.schemas.engine.contract import TOPOLOGIES, base_operation

MIN_PROCESSES = 3


def check_groups_of_topologies(operations: list[str], groups: str, smallest: int) -> None:
    """Raise ValueError if the processes of the smallest of some groups are too few for a campaign's topologies."""
    named = ", ".join(name for name in operations if base_operation(name) in TOPOLOGIES)
    if named and smallest < MIN_PROCESSES:
        raise ValueError(
            f"groups: {groups} has a group of {smallest} processes, too few for a star, ring or chaos; remove it, or "
            f"remove {named} from operations"
        )


def check_topologies(operations: list[str], processes: list[int], group_size: int) -> None:
    """Raise ValueError if a campaign cannot have its topologies. `group_size`: 0 for all processes."""
    named = ", ".join(name for name in operations if base_operation(name) in TOPOLOGIES)
    few = ", ".join(str(count) for count in processes if count < MIN_PROCESSES)
    if named and few:
        raise ValueError(
            f"processes: {few} are too few for a star, ring or chaos, which need at least {MIN_PROCESSES}; "
            f"remove {few}, or remove {named} from operations"
        )
    if named and 0 < group_size < MIN_PROCESSES:
        raise ValueError(
            f"engine.group_size: {group_size} processes are too few for a star, ring or chaos; write "
            f"0 (all processes) or at least {MIN_PROCESSES}, or remove {named} from operations"
        )
