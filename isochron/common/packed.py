# SPDX-License-Identifier: BSD-3-Clause
"""Raw files, compressed or not, read as a stream of lines within bounds on length, number and total.

Zeros are compressed by a factor of a thousand, so a file of a few megabytes could fill any memory.
"""

import errno
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import BinaryIO, cast

from isochron.common.copies import copy_of
from isochron.common.files import LONGEST_TEXT, open_file, read_bytes

#: Suffix of compressed files.
PACKED = ".gz"

#: Maximum bytes of a line, lines, and bytes in total. The largest launch measured, of 154,000 repetitions, has 3.6 MB.
LONGEST_LINE, MAX_LINES, MAX_BYTES = 128_000_000, 1_000_000, 1_000_000_000


@contextmanager
def _unpacked(path: Path) -> Iterator[BinaryIO]:
    """Open the correct content of a file (`read_bytes`). Raises OSError, also if it cannot be decompressed."""
    with BytesIO(read_bytes(path)) if copy_of(path).exists() else open_file(path) as stream:
        if path.suffix != PACKED:
            yield stream
            return
        try:
            with gzip.GzipFile(fileobj=stream) as content:
                yield cast(BinaryIO, content)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise OSError(errno.EINVAL, f"damaged or truncated: {error}", str(path)) from error


def lines_of(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file with their ends, one in memory at a time. Raises OSError, also beyond the bounds."""
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
                raise _too_much(path, f"more than {MAX_LINES} lines or {MAX_BYTES} bytes")
            yield line


def read_unpacked(path: Path, longest: int = LONGEST_TEXT) -> bytes:
    """Read the content, decompressed if the name ends in `.gz`. Raises OSError, also beyond `longest` bytes."""
    with _unpacked(path) as stream:
        content = stream.read(longest + 1)
    if len(content) > longest:
        raise _too_much(path, f"more than {longest} bytes")
    return content


def _too_much(path: Path, what: str) -> OSError:
    return OSError(errno.EFBIG, f"{what}: not written by a launch", str(path))
