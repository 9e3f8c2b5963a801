# SPDX-License-Identifier: BSD-3-Clause
"""Limits on the memory of a process (ulimit, PAM, batch systems): checked early, and reported in one message.

Under a limit that is too small for its libraries, Python fails in many ways: at any import, by a crash, or not at all
(OpenBLAS waits for threads that never start). So the limit is checked before the first library is loaded.
"""

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

from isochron.common.files import FileError

MIB = 1 << 20

#: Address space in bytes into which NumPy, pandas, Arrow, SciPy and Matplotlib fit with few threads: measured 670 MiB.
LIBRARIES = 1024 * MIB

#: Libraries start one thread per core, and each thread needs address space; those of OpenBLAS spin while they wait.
FEW_THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "ARROW_IO_THREADS": "2"}

#: Parts of messages by which libraries report that memory ran out, whatever the type of the error.
OUT_OF_MEMORY = (
    "Cannot allocate memory",
    "failed to map segment",
    "can't start new thread",
    "Resource temporarily unavailable",
)


def limit() -> int | None:
    """Return the smaller of the limits on address space and data of this process in bytes; None if unlimited."""
    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return min((value for value in limits if value != resource.RLIM_INFINITY), default=None)


def is_want(error: BaseException) -> bool:
    """Return True if an error was caused by a lack of memory."""
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    return limit() is not None and any(words in str(error) for words in OUT_OF_MEMORY)


@contextmanager
def enough_memory(data_bytes: int) -> Iterator[None]:
    """Run work that needs the libraries and `data_bytes`, with `FEW_THREADS`. Raises FileError if memory is short."""
    allowed = limit()
    needed = LIBRARIES + data_bytes
    if allowed is not None and allowed < LIBRARIES:
        raise FileError(_message(allowed, needed))
    os.environ.update(FEW_THREADS)
    try:
        yield
    except Exception as error:
        if not is_want(error):
            raise
        raise FileError(_message(allowed, max(needed, 2 * (allowed or 0)))) from error


def _message(allowed: int | None, needed: int) -> str:
    problem = (
        "the machine has too little memory" if allowed is None else f"the limit of {allowed // MIB} MiB is too little"
    )
    return (
        f"{problem}: about {-(-needed // MIB)} MiB are needed; raise the limit (ulimit -v, ulimit -d), or "
        "continue with `isochron report` where there is more memory"
    )
