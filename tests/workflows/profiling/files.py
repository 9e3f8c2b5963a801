# SPDX-License-Identifier: BSD-3-Clause
"""Files of processes as the preloaded library writes them, made here: no process is started."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from isochron.schemas.profile import rank_file
from isochron.schemas.profile.profile import CallClass, Profile

HEADER_BYTES, SLOTS, SLOT_BYTES = 8192, 256, 64
OPERATIONS = ("", "bcast", "send")


@dataclass(frozen=True)
class Slot:
    """A slot as in the file; times in ticks."""

    operation: int = 1
    binned: bool = False
    element: int = 1
    processes: int = 2
    size: int = 8
    calls: int = 1
    bytes: int = 8
    ticks: int = 1000
    fastest: int = 1000

    @property
    def packed(self) -> bytes:
        """Its 64 bytes."""
        key = self.operation << 56 | self.binned << 55 | self.element << 52 | self.processes << 32 | self.size
        return struct.pack("=8Q", key, self.calls, self.bytes, self.ticks, 2**64 - 1 - self.fastest, 0, 0, 0)


@dataclass(frozen=True)
class Made:
    """A process: two ticks are a ns."""

    rank: int = 0
    processes: int = 2
    host: str = "n0"
    program: str = "solver"
    library: str = "Open MPI v5.0.8"
    finished: bool = True
    slots: Sequence[Slot] = field(default=(Slot(),))

    def write(self, folder: Path) -> Path:
        """Write the file."""
        texts = b"".join(
            text.encode().ljust(rank_file.TEXT_BYTES, b"\0") for text in (self.host, self.program, self.library)
        )
        names = b"".join(name.encode().ljust(rank_file.NAME_BYTES, b"\0") for name in OPERATIONS)
        facts = rank_file.FACTS.pack(
            1, HEADER_BYTES, SLOTS, SLOT_BYTES, len(OPERATIONS), self.rank, self.processes, 3, 99, 10**18,
            1000, 10_000, 3000, 11_000,
        )  # fmt: skip
        facts = (facts + texts + names).ljust(rank_file.FACTS_BYTES, b"\0")
        table = b"".join(each.packed for each in self.slots).ljust(SLOTS * SLOT_BYTES, b"\0")
        end = rank_file.END.pack(*((5000, 12_000, zlib.crc32(table), 1) if self.finished else (0, 0, 0, 0)))
        header = rank_file.MAGIC + struct.pack("=2I", zlib.crc32(facts), 0) + facts + end
        path = folder / f"rank-{self.rank}.isoprof"
        path.write_bytes(header.ljust(HEADER_BYTES, b"\0") + table)
        return path


def calls(
    operation: str, size: int, count: int, seconds: float, *, processes: int = 2, exact: bool = True, element: int = 8
) -> CallClass:
    """A class of calls of all processes together."""
    return CallClass(
        operation=operation,
        bytes=size,
        exact=exact,
        element=element,
        processes=processes,
        calls=count,
        seconds=seconds,
        seconds_min=seconds / 4,
        fastest_us=0.0,
    )


def profile_of(*classes: CallClass, processes: int = 2, program: str = "solver", library: str = "") -> Profile:
    """The profile of a job on one node."""
    return Profile(
        program=program,
        library=library or "Open MPI v5.0.8, package: x",
        threads="single",
        begun_at="2026-01-01T00:00:00Z",
        processes=processes,
        processes_per_node=processes,
        nodes=1,
        counted=processes,
        finished=processes,
        seconds=10.0,
        classes=list(classes),
    )
