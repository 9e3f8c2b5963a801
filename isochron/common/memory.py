# SPDX-License-Identifier: BSD-3-Clause
"""Limits on the memory of a process (ulimit, PAM, batch systems): refused in time, and said in words.

Under a limit that its libraries do not fit into, Python fails in many ways: at any import, by a crash, or not at all
(OpenBLAS waits for threads that never begin). So the limit is looked at before the first of them is loaded.
"""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

from isochron.common.files import FileError

MIB = 1 << 20

#: Address space in bytes into which NumPy, pandas, Arrow, SciPy and Matplotlib fit with few threads: measured 670 MiB.
LIBRARIES = 1024 * MIB

#: Libraries start a thread for each core, and each takes address space.
FEW_THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "ARROW_IO_THREADS": "2"}

#: What the errors of libraries say that are want of memory, whatever their type.
WANT = ("Cannot allocate memory", "failed to map segment", "can't start new thread", "Resource temporarily unavailable")


def limit() -> int | None:
    """The smaller one of the limits on address space and data of this process, bytes; None where there is none."""
    given = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return min((each for each in given if each != resource.RLIM_INFINITY), default=None)


def is_want(error: BaseException) -> bool:
    """Whether an error comes from too little memory."""
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    return limit() is not None and any(words in str(error) for words in WANT)


@contextmanager
def enough_memory(data_bytes: int) -> Iterator[None]:
    """Work that needs the libraries and `data_bytes`. Raises FileError where there is too little memory for it."""
    allowed = limit()
    needed = LIBRARIES + data_bytes
    if allowed is not None:
        if allowed < LIBRARIES:
            raise FileError(_too_little(allowed, needed))
        os.environ.update(FEW_THREADS)
    try:
        yield
    except Exception as error:
        if not is_want(error):
            raise
        raise FileError(_too_little(allowed, max(needed, 2 * (allowed or 0)))) from error


def _too_little(allowed: int | None, needed: int) -> str:
    here = (
        "the machine has too little memory" if allowed is None else f"the limit of {allowed // MIB} MiB is too little"
    )
    return (
        f"{here}: about {-(-needed // MIB)} MiB are needed; raise the limit (ulimit -v, ulimit -d), or do this where "
        "there is more memory: `isochron report` continues from here"
    )
