# SPDX-License-Identifier: BSD-3-Clause
"""The memory that the launches of a session need on a node: all of them are resident at once."""

import os

from isochron.schemas.engine.contract import memory_bytes, operation
from isochron.schemas.input.keys import Keys

#: Memory of a process of an MPI library without the engine's buffers, assumed: 11 to 13 MiB were measured with two
#: processes on a node, and libraries with many peers, or for a fast network, need more.
PROCESS_BYTES = 64 * 2**20

#: Sets of buffers that the engine allocates for a measurement; it frees them before it hands over its turn.
BUFFER_SETS = 2

#: Residents that have buffers at a time: the one whose turn it is, and the standard candle, which keeps its own.
WITH_BUFFERS = 2


def session_bytes(campaign: Keys, processes: int, processes_per_node: int, residents: int) -> int:
    """Estimate the memory in bytes that a session needs on a full node. `residents`: its stacks and the candle."""
    ranks = min(processes, processes_per_node)
    buffers = max(_buffer_bytes(name, size, processes, ranks) for name, size in campaign.chosen)
    return residents * ranks * PROCESS_BYTES + WITH_BUFFERS * buffers


def _buffer_bytes(name: str, size: int, processes: int, ranks: int) -> int:
    """Return the bytes of the buffers of one case, of all ranks of a node; blocks are those for every process."""
    entry, size = operation(name), memory_bytes(name, size)
    if entry.shape != "blocks":
        return BUFFER_SETS * 2 * size * ranks
    if entry.root:
        return BUFFER_SETS * size * (processes + ranks)
    return BUFFER_SETS * 2 * size * processes * ranks


def node_bytes(campaign: Keys) -> int | None:
    """Return the memory of a node: as the campaign states it, else this machine's; None if the nodes are elsewhere."""
    stated = campaign.site.memory_per_node
    if stated is not None or campaign.site.reframe_config is not None:
        return stated
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
