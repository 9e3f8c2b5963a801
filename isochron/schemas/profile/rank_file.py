# SPDX-License-Identifier: BSD-3-Clause
"""`rank-<n>.isoprof`: the calls of one process, as the preloaded library wrote them (profile.h describes the format).

The file of a killed process is valid, but has no end.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from isochron.common.files import FileError, read_bytes
from isochron.common.text import in_a_line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAGIC, VERSION = b"ISOPROF\n", 1

#: profile_facts up to its texts; then host, program and library, and the names of the operations.
FACTS = struct.Struct("=5I3i2Q4Q")
TEXT_BYTES, TEXTS, NAMES, NAME_BYTES = 256, 3, 128, 24
#: Position and length of the header's facts.
FACTS_AT = 16
FACTS_BYTES = FACTS.size + TEXTS * TEXT_BYTES + NAMES * NAME_BYTES
END = struct.Struct("=2Q2I")

#: Bytes of an element by the code in the key.
ELEMENTS = (0, 1, 2, 4, 8, 16, 0, 0)


@dataclass(frozen=True)
class Class:
    """A class of calls, as in a slot of the table. `size`: bytes; of a bin b where sizes begin at 2^b."""

    operation: str
    binned: bool
    element: int
    processes: int
    size: int


@dataclass(frozen=True)
class Counters:
    """Number, bytes and times (in s) of the calls of a class."""

    calls: int
    bytes: int
    seconds: float
    fastest: float


@dataclass(frozen=True)
class RankFile:
    """One process. `seconds`: from MPI_Init to MPI_Finalize; None if it did not reach MPI_Finalize."""

    path: Path
    rank: int
    processes: int
    threads: int
    host: str
    program: str
    library: str
    wall_ns: int
    seconds: float | None
    counted: dict[Class, Counters]


def read_rank_file(path: Path) -> RankFile:
    """Read the file of a process, finished or not. Raises FileError."""
    import numpy as np

    try:
        content = read_bytes(path)
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from error
    if len(content) < FACTS_AT + FACTS_BYTES + END.size or content[:8] != MAGIC:
        raise FileError(f"{path}: is not a profile of a process; give a folder written by `isochron profile`")
    facts = content[FACTS_AT : FACTS_AT + FACTS_BYTES]
    numbers = FACTS.unpack_from(facts)
    version, header_bytes, slots, slot_bytes, operations, rank, processes, threads, _, wall, *clock = numbers
    if version != VERSION:
        raise FileError(
            f"{path}: is of profile format {version}, but this version of Isochron reads {VERSION}; use a newer one"
        )
    if zlib.crc32(facts) != struct.unpack_from("=I", content, 8)[0]:
        raise FileError(f"{path}: is damaged (checksum of its header); profile the program again")
    ticks, ns, table_crc, finished = END.unpack_from(content, FACTS_AT + FACTS_BYTES)
    table = content[header_bytes : header_bytes + slots * slot_bytes]
    if len(table) != slots * slot_bytes or (finished and zlib.crc32(table) != table_crc):
        raise FileError(f"{path}: is damaged (checksum of its counters); profile the program again")
    texts = [_text(facts, FACTS.size + TEXT_BYTES * i, TEXT_BYTES) for i in range(TEXTS)]
    names_at = FACTS.size + TEXT_BYTES * TEXTS
    names = [_text(facts, names_at + NAME_BYTES * i, NAME_BYTES) for i in range(operations)]
    begin_ticks, begin_ns, ready_ticks, ready_ns = clock
    last_ticks, last_ns = (ticks, ns) if finished else (ready_ticks, ready_ns)
    if last_ticks <= begin_ticks or last_ns <= begin_ns:
        raise FileError(f"{path}: its clock did not advance; profile the program again")
    tick = 1e-9 * (last_ns - begin_ns) / (last_ticks - begin_ticks)
    return RankFile(
        path=path,
        rank=rank,
        processes=processes,
        threads=threads,
        host=texts[0],
        program=texts[1],
        library=texts[2],
        wall_ns=wall,
        seconds=1e-9 * (ns - ready_ns) if finished else None,
        counted=_counted(np.frombuffer(table, dtype=np.uint64).reshape(slots, -1), names, tick, path),
    )


def _text(content: bytes, begin: int, length: int) -> str:
    return in_a_line(content[begin : begin + length].split(b"\0")[0].decode(errors="replace"))


def _counted(table: NDArray[np.uint64], names: list[str], tick: float, path: Path) -> dict[Class, Counters]:
    """Return the counters of all classes with calls."""
    counters: dict[Class, Counters] = {}
    for key, calls, size, ticks, speed in table[(table[:, 0] > 0) & (table[:, 1] > 0), :5].tolist():
        operation = key >> 56
        if operation >= len(names):
            raise FileError(f"{path}: is damaged (an operation without a name); profile the program again")
        call_class = Class(
            operation=names[operation],
            binned=bool(key >> 55 & 1),
            element=ELEMENTS[key >> 52 & 7],
            processes=key >> 32 & 0xFFFFF,
            size=key & 0xFFFFFFFF,
        )
        before = counters.get(call_class)  # two codes of elements are the same class here
        fastest = tick * (2**64 - 1 - speed)
        counters[call_class] = Counters(
            calls=calls + (before.calls if before else 0),
            bytes=size + (before.bytes if before else 0),
            seconds=tick * ticks + (before.seconds if before else 0.0),
            fastest=min(fastest, before.fastest) if before else fastest,
        )
    return counters
