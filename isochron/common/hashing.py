# SPDX-License-Identifier: BSD-3-Clause
"""SHA-256 of files, of the content of packed files, and of trees of files, as hexadecimal digits."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from isochron.common.files import open_file
from isochron.common.packed import PACKED, lines_of


def sha256(path: Path) -> str:
    """Return the hash of a file of any length. Raises OSError."""
    with open_file(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def content_sha256(path: Path) -> str:
    """Return the hash of a file's content, decompressed if its name ends in `.gz`. Raises OSError."""
    if path.suffix != PACKED:
        return sha256(path)
    total = hashlib.sha256()
    for line in lines_of(path):
        total.update(line)
    return total.hexdigest()


def tree_sha256(folder: Path, files: Iterable[Path]) -> str:
    """Return the hash of the names, relative to `folder`, and the contents of files below it. Raises OSError."""
    total = hashlib.sha256()
    for path in sorted(files):
        total.update(f"{path.relative_to(folder).as_posix()}\0{sha256(path)}\n".encode())
    return total.hexdigest()
