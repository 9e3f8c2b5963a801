# SPDX-License-Identifier: BSD-3-Clause
"""Raw files, compressed or not, read as a stream of lines within bounds on length, number and total.

Zeros become a thousand times smaller, so a file of some megabytes could fill any memory.
"""

from __future__ import annotations

import errno
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import BinaryIO, cast

from isochron.common.files import LONGEST_TEXT, open_file

#: What the name of a compressed file ends with.
PACKED = ".gz"

#: Bytes of a line, lines, and bytes in all. The largest launch that was measured, of 154,000 runs, has 3.6 MB.
LONGEST_LINE, MAX_LINES, MAX_BYTES = 128_000_000, 1_000_000, 1_000_000_000


@contextmanager
def _unpacked(path: Path) -> Iterator[BinaryIO]:
    """What the file holds. Raises OSError, also where it cannot be decompressed."""
    with open_file(path) as stream:
        if path.suffix != PACKED:
            yield stream
            return
        try:
            with gzip.GzipFile(fileobj=stream) as content:
                yield cast(BinaryIO, content)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise OSError(errno.EINVAL, f"not whole: {error}", str(path)) from error


def lines_of(path: Path) -> Iterator[bytes]:
    """The lines of a file with their ends, one in memory at a time. Raises OSError, also beyond the bounds."""
    total = 0
    with _unpacked(path) as stream:
        for number in count(1):
            line = stream.readline(LONGEST_LINE + 1)
            if not line:
                return
            total += len(line)
            if len(line) > LONGEST_LINE:
                raise _too_much(path, f"line {number} has more than {LONGEST_LINE} bytes")
            if total > MAX_BYTES or number > MAX_LINES:
                raise _too_much(path, f"more than {MAX_LINES} lines or {MAX_BYTES} bytes in it")
            yield line


def read_unpacked(path: Path, longest: int = LONGEST_TEXT) -> bytes:
    """The whole content, decompressed where the file is named `.gz`. Raises OSError, also beyond `longest` bytes."""
    with _unpacked(path) as stream:
        content = stream.read(longest + 1)
    if len(content) > longest:
        raise _too_much(path, f"more than {longest} bytes in it")
    return content


def _too_much(path: Path, what: str) -> OSError:
    return OSError(errno.EFBIG, f"{what}: no launch writes so much", str(path))
